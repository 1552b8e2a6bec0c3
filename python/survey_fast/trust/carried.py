"""Decisions carried from an earlier round stand in for the results of their items.

1. The decision is the one that the record names: its digest is the record's, under ``jcs`` or, for
   older references, under ``collated``; and it came to what the record says.
2. The record is of an item of this batch. It names a candidate of the item where the decision
   selected one, and none where the decision selected none.
3. A carried choice still says that it was one. What it passed over are the other proposed values of
   the item: nothing carries unless both rounds have the same versions, so they are as many as the
   decision recorded.
4. The value of a carried claim is the decision's edit, else the candidate's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from survey_fast.canon.arguments import sequence_argument
from survey_fast.errors import refusal
from survey_fast.review.decisions import CHOICE, KINDS, Item, Kind
from survey_fast.review.state import ABSENT
from survey_fast.rounds import DecisionCarryForward, validate_carry_forward
from survey_fast.rounds.reference import Decision, read_decision
from survey_fast.rounds.shape import inside
from survey_fast.trust.review_shape import DECISION
from survey_fast.trust.reviewed_item import CarriedFrom, Reviewed, acting_candidates
from survey_fast.trust.rules import fault

__all__ = ["CarriedDecision", "carried_item", "read_carried"]

Record: TypeAlias = Mapping[str, Any]
CarriedDecision: TypeAlias = tuple[DecisionCarryForward, Decision]

_MEMBERS: Final = frozenset({"record", "priorDecision"})
_ITEM: Final = "carried-item-mismatch"


def read_carried(carried: object) -> dict[str, CarriedDecision]:
    """Carried decisions by the item they were carried to.

    Args:
        carried: entries ``{record, priorDecision}``, plain data or a record of this package.

    Raises:
        RoundError: ``carry-forward-invalid``.
        DecisionError: ``decision-malformed``, ``resolution-inconsistent``.
        ProjectionError: ``carried-record-mismatch``, ``ambiguous-result-identity``.
        TypeError: wrong Python types.
    """
    found: dict[str, CarriedDecision] = {}
    for at, entry in enumerate(sequence_argument("carried", carried)):
        pointer = f"/carried/{at}"
        if not isinstance(entry, dict) or entry.keys() != _MEMBERS:
            message = "a carried decision is a dict of record and priorDecision"
            raise TypeError(message)
        with inside(f"{pointer}/record"):
            record = validate_carry_forward(entry["record"])
        with inside(f"{pointer}/priorDecision"):
            decision = read_decision(entry["priorDecision"])
        if not DECISION.holds(decision.document):
            raise fault(DECISION, decision.document, f"{pointer}/priorDecision")
        _require_named(record, decision, pointer)
        if record.review_item_name in found:
            message = "two decisions were carried to one item"
            raise refusal("ambiguous-result-identity", message, f"{pointer}/record/reviewItemName")
        found[record.review_item_name] = (record, decision)
    return found


def _require_named(record: DecisionCarryForward, decision: Decision, pointer: str) -> None:
    """Rule 1."""
    named = record.prior_decision
    if named.name != decision.name or not decision.is_among({named.digest}):
        message = "this is not the decision that the record names"
        raise refusal("carried-record-mismatch", message, f"{pointer}/priorDecision")
    if record.resolution != decision.resolution:
        message = "the decision came to something else than the record says"
        raise refusal("carried-record-mismatch", message, f"{pointer}/record/resolution")


def carried_item(item: Item, carried: CarriedDecision, pointer: str) -> Reviewed:
    """An item with the decision that was carried to it.

    Args:
        item: of the right shape, and the one that the record names.
        carried: record and decision.
        pointer: leads to the item.

    Raises:
        ProjectionError: ``carried-item-mismatch``.
    """
    record, decision = carried
    spec: Record = decision.document["spec"]  # type: ignore[assignment]
    chosen = _chosen(item, record, decision, pointer)
    kind = _kind(spec, chosen)
    acting = acting_candidates(item, kind)
    rivals = [one["id"] for one in acting if one is not chosen] if kind.name == CHOICE else []
    if len(rivals) != len(spec.get("unselectedCandidateIds", ())):
        message = "the item proposes more or fewer values than the decision passed over"
        raise refusal(_ITEM, message, pointer)
    if chosen is None and len(acting) < 2:  # noqa: PLR2004 - several
        message = "a decision about several candidates was carried to an item without rivals"
        raise refusal(_ITEM, message, pointer)
    if chosen is not None and (chosen.get("role") != kind.role or _is_silent(kind, acting)):
        message = f"{kind.name} cannot have been recorded about this candidate"
        raise refusal(_ITEM, message, pointer)
    edit = spec.get("editedValue", ABSENT) if kind.name == "accept-proposed" else ABSENT
    value = None if chosen is None else chosen["value"] if edit is ABSENT else edit
    prior = record.prior_decision
    return Reviewed(
        item,
        item["metadata"]["name"],
        kind,
        spec,
        chosen,
        value,
        edit,
        rivals,
        CarriedFrom(record.id, prior.name, prior.digest),
    )


def _chosen(
    item: Item, record: DecisionCarryForward, decision: Decision, pointer: str
) -> Record | None:
    """Rule 2."""
    if (record.candidate_id is None) != (decision.candidate_id is None):
        message = "record and decision disagree on whether a candidate was selected"
        raise refusal(_ITEM, message, pointer)
    if record.candidate_id is None:
        return None
    named = [one for one in item["spec"]["candidates"] if one["id"] == record.candidate_id]
    if len(named) != 1:
        message = "the record names a candidate that the item does not hold once"
        raise refusal(_ITEM, message, pointer)
    candidate: Record = named[0]
    return candidate


def _kind(spec: Record, chosen: Record | None) -> Kind:
    """What kind of decision it was, from what it recorded; its name repeats across rounds."""
    if spec.get("resolution") == "could_not_confirm":
        return KINDS["could-not-confirm"]
    if spec["status"] == "rejected":
        return KINDS["reject-proposed"]
    if spec.get("unselectedCandidateIds"):
        return KINDS[CHOICE]
    is_current = chosen is not None and chosen.get("role") == "current"
    return KINDS["keep-current" if is_current else "accept-proposed"]


def _is_silent(kind: Kind, acting: Sequence[Record]) -> bool:
    """Whether naming one candidate of several would settle a conflict silently."""
    return kind.name != CHOICE and len(acting) > 1
