"""Later rounds: what became of each field, and which decisions still hold.

- :mod:`survey_fast.rounds.field_states`: content and lifecycle of every field, derived;
- :mod:`survey_fast.rounds.derived_import`: an import whose items are at hand;
- :mod:`survey_fast.rounds.carry`: decisions carried into a round where nothing changed;
- :mod:`survey_fast.rounds.supersession`: decisions that a later one replaces;
- :mod:`survey_fast.rounds.reference`: decisions named by digest;
- :mod:`survey_fast.rounds.slots`: the claim slot that a state belongs to.
"""

from survey_fast.rounds.carry import (
    NeedsReview,
    Split,
    split_round_for_carry_forward,
    validate_carry_forward,
)
from survey_fast.rounds.derived_import import DerivedImport
from survey_fast.rounds.field_states import derive_field_states, field_states_at_hand
from survey_fast.rounds.records import (
    DecisionCarryForward,
    DecisionReference,
    DecisionSupersession,
)
from survey_fast.rounds.reference import decision_reference, matching_profile
from survey_fast.rounds.slots import Slot, SlotKey, slot_key
from survey_fast.rounds.state import FIELD_STATE_KEY, FieldState, Signals
from survey_fast.rounds.supersession import (
    build_decision_supersession,
    validate_decision_supersession,
)

__all__ = [
    "FIELD_STATE_KEY",
    "DecisionCarryForward",
    "DecisionReference",
    "DecisionSupersession",
    "DerivedImport",
    "FieldState",
    "NeedsReview",
    "Signals",
    "Slot",
    "SlotKey",
    "Split",
    "build_decision_supersession",
    "decision_reference",
    "derive_field_states",
    "field_states_at_hand",
    "matching_profile",
    "slot_key",
    "split_round_for_carry_forward",
    "validate_carry_forward",
    "validate_decision_supersession",
]
