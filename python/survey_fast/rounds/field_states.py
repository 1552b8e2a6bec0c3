"""Field states: derived from imports and what was decided about their items, never stored.

1. Inside an import the order is: its items; slots whose every proposal was left out, by first
   exclusion; expected fields that are neither. A slot appears once; slots of different imports are
   never merged.
2. Content of an item is ``unsupported`` when every candidate has verdicts on its present value and
   all of them speak against it; else ``conflicting`` with more than one candidate; else ``value``.
   An abstention is no verdict.
3. An expected field without an item or an exclusion is ``not_covered`` only when the run did not
   finish and nothing was proposed for it.
4. Lifecycle of an item comes from its own decision, else from the decision that was carried to it,
   else it is pending. A superseded decision makes it ``superseded``. A held item is pending.
5. Everything is indexed once: the work is the sum of what is given, not a product.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from survey_fast import limits
from survey_fast.canon import Document, Json, data_json
from survey_fast.canon.arguments import sequence_argument
from survey_fast.errors import refusal
from survey_fast.imports import RecordDocument, review_items, validate_import
from survey_fast.imports.verification import fold_candidate_verifications
from survey_fast.limits import ImportLimits, resolved
from survey_fast.model import CandidateVerification, ItemName
from survey_fast.review.decisions import Candidate, Item, candidates_of, item_name
from survey_fast.rounds.carry import validate_carry_forward
from survey_fast.rounds.records import DecisionCarryForward, DecisionSupersession
from survey_fast.rounds.reference import Decision, read_decision, superseded_digests
from survey_fast.rounds.shape import FIELD_STATES, inside
from survey_fast.rounds.slots import ImportSlots, Slot, index_slots, read_slot
from survey_fast.rounds.state import Content, FieldState, Signals
from survey_fast.rounds.supersession import read_supersessions

__all__ = ["derive_field_states"]

ImportEntry: TypeAlias = Mapping[str, Any] | tuple[RecordDocument, Sequence[Mapping[str, Any]]]
VerificationEntry: TypeAlias = "Json | CandidateVerification"


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known about items and candidates, each under the name it is asked for by."""

    decisions: Mapping[str, Decision]
    carried: Mapping[str, DecisionCarryForward]
    superseded: Collection[str]
    verifications: Mapping[str, list[VerificationEntry]]


def derive_field_states(
    imports: Sequence[ImportEntry],
    *,
    decisions: Sequence[Document] = (),
    verifications: Sequence[VerificationEntry] = (),
    supersessions: Sequence[Document | DecisionSupersession] = (),
    carry_forwards: Sequence[Document | DecisionCarryForward] = (),
    limits: ImportLimits = limits.DEFAULT,
) -> list[FieldState]:
    """The state of every field of some imports.

    Args:
        imports: ``{record, expectedFields?}`` or ``(record, expected_fields)``. A record is a
            document or the result of an import; an expected field is a slot: ``{subjectType,
            subjectId, facet, claimType, fieldOrBehavior, claimId?, pathIndices?}``.
        decisions: decision documents, at most one for an item. Decisions about other items are
            read and left aside.
        verifications: verifier records. One that does not validate, or is about another value
            than the candidate has now, says nothing.
        supersessions: records of ``build_decision_supersession``.
        carry_forwards: records of ``split_round_for_carry_forward``, at most one for an item.
        limits: caps; an import has as many expected fields as items at most.

    Raises:
        SurveyError: ``field-state-input-invalid``, ``carry-forward-invalid``,
            ``supersession-invalid``, ``decision-malformed``, ``resolution-inconsistent``,
            ``ambiguous-item-identity`` (two imports derive one item), or as validate_import. The
            pointer leads into ``{imports, decisions, supersessions, carryForwards}``.
        TypeError: an argument is of a wrong Python type.
    """
    made = _decisions(decisions)
    known = _Known(
        decisions=made,
        carried=_carried(carry_forwards),
        superseded=superseded_digests(read_supersessions(supersessions), made.values()),
        verifications=_by_candidate(verifications),
    )
    states: list[FieldState] = []
    names: set[str] = set()
    for at, entry in enumerate(sequence_argument("imports", imports)):
        pointer = f"/imports/{at}"
        given, expected = _import_entry(entry, pointer, resolved(limits)[2])
        with inside(f"{pointer}/record"):
            record, items = (
                validate_import(given, limits=limits),
                review_items(given, limits=limits),
            )
        for item in items:
            _claim_name(names, item_name(item), pointer)
        states.extend(_import_states(record, index_slots(record, items), expected, known))
    return states


def _claim_name(names: set[str], name: str, pointer: str) -> None:
    if name in names:
        message = f"two imports derive the item {name!r}, so a decision about it is ambiguous"
        raise refusal("ambiguous-item-identity", message, f"{pointer}/record")
    names.add(name)


def _import_states(
    record: Mapping[str, Any], slots: ImportSlots, expected: Sequence[Slot], known: _Known
) -> Iterator[FieldState]:
    """Rules 1 to 4 for one import."""
    name: str = record["metadata"]["name"]
    is_incomplete = record["spec"]["envelope"]["result"]["outcome"]["status"] != "success"
    shared = Signals(is_incomplete, record["status"]["state"] == "unresolved")
    seen = {*slots.items, *slots.excluded}
    for key, item in slots.items.items():
        signals = replace(shared, excluded_proposals=slots.excluded.get(key, 0))
        content = _content(item, known.verifications)
        state = FieldState(name, slots.proposed[key], signals, ItemName(item_name(item)), content)
        yield _with_lifecycle(state, item, known)
    for key, count in slots.excluded.items():
        if key not in slots.items:
            signals = replace(shared, excluded_proposals=count)
            yield FieldState(name, slots.proposed[key], signals, content="excluded")
    for slot in expected:
        key = slot.key()
        if key not in seen:
            seen.add(key)
            is_unread = is_incomplete and key not in slots.proposed
            yield FieldState(name, slot, shared, content="not_covered" if is_unread else None)


def _content(item: Item, verifications: Mapping[str, list[VerificationEntry]]) -> Content:
    """Rule 2."""
    candidates = candidates_of(item)
    if verifications and all(_is_unsupported(one, verifications) for one in candidates):
        return "unsupported"
    return "conflicting" if len(candidates) > 1 else "value"


def _is_unsupported(
    candidate: Candidate, verifications: Mapping[str, list[VerificationEntry]]
) -> bool:
    entries = verifications.get(candidate["id"])
    if entries is None:
        return False
    subject = {"candidateId": candidate["id"], "value": candidate["value"]}
    fold = fold_candidate_verifications(subject, entries)
    verdicts = {record.result for record in fold.applicable} - {"abstain"}
    return bool(verdicts) and "supported" not in verdicts


def _with_lifecycle(state: FieldState, item: Item, known: _Known) -> FieldState:
    """Rule 4."""
    name = item_name(item)
    own = known.decisions.get(name)
    if own is not None:
        is_superseded = own.is_among(known.superseded)
        return replace(
            state,
            lifecycle="superseded" if is_superseded else own.resolution or "pending",
            decision_name=own.name,
            decision_basis="affirmed",
        )
    carried = known.carried.get(name)
    if carried is None:
        return replace(state, lifecycle="pending")
    ids = (one["id"] for one in candidates_of(item))
    if carried.candidate_id is not None and carried.candidate_id not in ids:
        message = f"a decision was carried to {name!r} for a candidate that it does not hold"
        raise FIELD_STATES.refuse(message, "/carryForwards")
    is_superseded = carried.prior_decision.digest in known.superseded
    return replace(
        state,
        lifecycle="superseded" if is_superseded else carried.resolution,
        decision_name=carried.prior_decision.name,
        decision_basis="carried-forward",
    )


def _import_entry(entry: object, pointer: str, most: int) -> tuple[RecordDocument, list[Slot]]:
    """The record and the expected fields of one import."""
    if isinstance(entry, tuple) and len(entry) == 2:  # noqa: PLR2004 - a pair
        record, expected = entry
    elif isinstance(entry, dict):
        FIELD_STATES.require(entry, pointer, ("record",))
        FIELD_STATES.close(entry, pointer, ("record", "expectedFields"))
        record, expected = entry["record"], entry.get("expectedFields", ())
    else:
        message = (
            "an import is a mapping with its record, or a pair of record and expected fields, "
            f"not {type(entry).__name__}"
        )
        raise TypeError(message)
    place = f"{pointer}/expectedFields"
    fields = sequence_argument("expected fields", expected)
    if len(fields) > most:
        message = f"an import has at most {most} expected fields here, not {len(fields)}"
        raise FIELD_STATES.refuse(message, place)
    return record, [read_slot(field, f"{place}/{at}") for at, field in enumerate(fields)]


def _decisions(decisions: Sequence[Document]) -> dict[str, Decision]:
    found: dict[str, Decision] = {}
    for at, document in enumerate(sequence_argument("decisions", decisions)):
        with inside(f"/decisions/{at}"):
            decision = read_decision(document)
        if decision.item_name in found:
            message = f"two decisions are about the item {decision.item_name!r}; one counts"
            raise FIELD_STATES.refuse(message, f"/decisions/{at}/spec/reviewItemName")
        found[decision.item_name] = decision
    return found


def _carried(
    carry_forwards: Sequence[Document | DecisionCarryForward],
) -> dict[str, DecisionCarryForward]:
    found: dict[str, DecisionCarryForward] = {}
    for at, document in enumerate(sequence_argument("carry_forwards", carry_forwards)):
        with inside(f"/carryForwards/{at}"):
            record = validate_carry_forward(document)
        if record.review_item_name in found:
            message = f"two decisions were carried to the item {record.review_item_name!r}"
            raise FIELD_STATES.refuse(message, f"/carryForwards/{at}/reviewItemName")
        found[record.review_item_name] = record
    return found


def _by_candidate(
    verifications: Sequence[VerificationEntry],
) -> dict[str, list[VerificationEntry]]:
    """Verifier records by the candidate they name; what names none is about no candidate."""
    found: dict[str, list[VerificationEntry]] = {}
    for entry in sequence_argument("verifications", verifications):
        if isinstance(entry, CandidateVerification):
            found.setdefault(entry.candidate_id, []).append(entry)
            continue
        data_json(entry)  # TypeError for what is no plain data
        named = entry.get("candidateId") if isinstance(entry, dict) else None
        if isinstance(named, str):
            found.setdefault(named, []).append(entry)
    return found
