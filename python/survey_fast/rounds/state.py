"""The state of one field: what was read for it, and what was decided about that.

1. Content and lifecycle are present only when what they are derived from is. That nothing is known
   never reads as verified.
2. Signals are facts about the run and not states: they stand beside a state and change none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import Json
from survey_fast.model import ItemName
from survey_fast.rounds.slots import Slot

__all__ = [
    "FIELD_STATE_KEY",
    "Content",
    "DecisionBasis",
    "FieldState",
    "Lifecycle",
    "Signals",
]

Content: TypeAlias = Literal["value", "conflicting", "unsupported", "excluded", "not_covered"]
Lifecycle: TypeAlias = Literal["pending", "accepted", "rejected", "could_not_confirm", "superseded"]
DecisionBasis: TypeAlias = Literal["affirmed", "carried-forward"]

FIELD_STATE_KEY: Final = "survey.kontourai.io/field-state"
"""The member of a claim's metadata that holds its field state."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What a reader of a field should know about its import.

    Attributes:
        incomplete_run: the run ended early or failed, so content may be missing.
        unresolved_import: the import stands for no queue.
        excluded_proposals: how many proposals of the field were left out because their excerpt is
            not at its span.
    """

    incomplete_run: bool = False
    unresolved_import: bool = False
    excluded_proposals: int = 0

    def to_json(self) -> dict[str, Json]:
        """The signals that are given; empty when there is none."""
        body: dict[str, Json] = {}
        if self.incomplete_run:
            body["incompleteRun"] = True
        if self.unresolved_import:
            body["unresolvedImport"] = True
        if self.excluded_proposals:
            body["excludedProposals"] = self.excluded_proposals
        return body


@dataclass(frozen=True, slots=True)
class FieldState:
    """The state of one claim slot of one import.

    Attributes:
        import_name: the import.
        slot: the claim.
        signals: facts about the run.
        review_item_name: the item of the slot, where it has one.
        content: ``value``; ``conflicting``: two or more distinct values; ``unsupported``:
            verifiers speak against every candidate; ``excluded``: everything that was proposed
            was left out; ``not_covered``: nothing was proposed, and the run did not finish.
        lifecycle: ``pending``, ``accepted``, ``rejected``, ``could_not_confirm``, ``superseded``.
        decision_name: the decision behind the lifecycle.
        decision_basis: ``affirmed`` in this round, or ``carried-forward`` from an earlier one.
    """

    import_name: str
    slot: Slot
    signals: Signals
    review_item_name: ItemName | None = None
    content: Content | None = None
    lifecycle: Lifecycle | None = None
    decision_name: str | None = None
    decision_basis: DecisionBasis | None = None

    def to_json(self) -> dict[str, Any]:
        """The state as plain data; ``signals`` may be empty, other members are left out."""
        members: dict[str, Any] = {
            "importName": self.import_name,
            "slot": self.slot.to_json(),
            "reviewItemName": self.review_item_name,
            "content": self.content,
            "lifecycle": self.lifecycle,
            "decisionName": self.decision_name,
            "decisionBasis": self.decision_basis,
            "signals": self.signals.to_json(),
        }
        return {name: value for name, value in members.items() if value is not None}

    def claim_metadata(self) -> dict[str, Any]:
        """What a claim's metadata gains: the state under :data:`FIELD_STATE_KEY`."""
        told: dict[str, Any] = {"schemaVersion": 1}
        if self.content is not None:
            told["content"] = self.content
        if self.lifecycle is not None:
            told["lifecycle"] = self.lifecycle
        if self.decision_basis is not None:
            told["decisionBasis"] = self.decision_basis
        signals = self.signals.to_json()
        if signals:
            told["signals"] = signals
        return {FIELD_STATE_KEY: told}
