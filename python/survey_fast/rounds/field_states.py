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
6. An import whose items are at hand is taken at its word, and decisions about it are not copied.
   Whatever else is given is read strictly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from survey_fast import limits
from survey_fast.canon import Document, Json, data_json
from survey_fast.canon.arguments import sequence_argument
from survey_fast.errors import SurveyError, refusal
from survey_fast.imports import RecordDocument, review_items, validate_import
from survey_fast.imports.verification import fold_candidate_verifications
from survey_fast.limits import ImportLimits, resolved
from survey_fast.model import CandidateVerification, ItemName
from survey_fast.review.decisions import Candidate, Item, candidates_of, item_name
from survey_fast.rounds.carry import validate_carry_forward
from survey_fast.rounds.derived_import import DerivedImport
from survey_fast.rounds.records import DecisionCarryForward, DecisionSupersession
from survey_fast.rounds.reference import (
    Decision,
    decision_at_hand,
    read_decision,
    superseded_digests,
)
from survey_fast.rounds.shape import FIELD_STATES, Members, inside
from survey_fast.rounds.slots import Slot, read_slot
from survey_fast.rounds.state import Content, DecisionBasis, FieldState, Lifecycle, Signals
from survey_fast.rounds.supersession import read_supersessions

__all__ = ["derive_field_states", "field_states_at_hand"]

ImportEntry: TypeAlias = Mapping[str, Any] | tuple[RecordDocument, Sequence[Mapping[str, Any]]]
VerificationEntry: TypeAlias = "Json | CandidateVerification"
Reviewed: TypeAlias = "tuple[Lifecycle, str | None, DecisionBasis | None]"


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
    made = _decisions(decisions, read_decision)
    known = _known(made, verifications, supersessions, carry_forwards)
    states: list[FieldState] = []
    names: set[str] = set()
    for at, entry in enumerate(sequence_argument("imports", imports)):
        pointer = f"/imports/{at}"
        given, expected = _import_entry(entry, pointer, resolved(limits)[2])
        with inside(f"{pointer}/record"):
            record = validate_import(given, limits=limits)
            items = review_items(given, limits=limits)
        for item in items:
            _claim_name(names, item_name(item), pointer)
        states.extend(_import_states(DerivedImport.of_record(record, items), expected, known))
    return states


def field_states_at_hand(  # noqa: PLR0913 - one argument for each fact
    derived: DerivedImport,
    expected: Sequence[Mapping[str, Any]] = (),
    *,
    decisions: Sequence[Members] = (),
    verifications: Sequence[VerificationEntry] = (),
    supersessions: Sequence[Document | DecisionSupersession] = (),
    carry_forwards: Sequence[Document | DecisionCarryForward] = (),
    limits: ImportLimits = limits.DEFAULT,
) -> list[FieldState]:
    """The same of one import whose items are at hand.

    Args:
        derived: the import; its maker vouches for it, and no two of its items share a name.
        expected: the fields that it was to read.
        decisions: decisions as plain data that was read strictly before. They are shared.
        verifications: as for :func:`derive_field_states`.
        supersessions: likewise.
        carry_forwards: likewise.
        limits: likewise.

    Raises: as :func:`derive_field_states`, but for what only a record could be refused for.
    """
    made = _decisions(decisions, decision_at_hand)
    known = _known(made, verifications, supersessions, carry_forwards)
    fields = _expected_fields(expected, "/imports/0", resolved(limits)[2])
    return list(_import_states(derived, fields, known))


def _known(
    decisions: Mapping[str, Decision],
    verifications: Sequence[VerificationEntry],
    supersessions: Sequence[Document | DecisionSupersession],
    carry_forwards: Sequence[Document | DecisionCarryForward],
) -> _Known:
    return _Known(
        decisions=decisions,
        carried=_carried(carry_forwards),
        superseded=superseded_digests(read_supersessions(supersessions), decisions.values()),
        verifications=_by_candidate(verifications),
    )


def _claim_name(names: set[str], name: str, pointer: str) -> None:
    if name in names:
        message = f"two imports derive the item {name!r}, so a decision about it is ambiguous"
        raise refusal("ambiguous-item-identity", message, f"{pointer}/record")
    names.add(name)


def _import_states(
    derived: DerivedImport, expected: Sequence[Slot], known: _Known
) -> Iterator[FieldState]:
    """Rules 1 to 4 for one import."""
    name, slots = derived.name, derived.slots
    flags = derived.is_incomplete, derived.is_unresolved
    shared, excluded = Signals(*flags), derived.exclusions()
    signals = {first: Signals(*flags, count) for first, count in excluded.items()}
    held = derived.first_of_items()
    for first, item in zip(held, derived.items, strict=True):
        yield FieldState(
            name,
            slots[first],
            signals.get(first, shared),
            ItemName(item_name(item)),
            _content(item, known.verifications),
            *_reviewed(item, known),
        )
    seen = set(held)
    for first, told in signals.items():
        if first not in seen:
            yield FieldState(name, slots[first], told, content="excluded")
    seen.update(signals)
    others: set[str] = set()
    for slot in expected:
        key, about = slot.key(), derived.by_slot.get(slot)
        if key not in others and (about is None or about[0] not in seen):
            others.add(key)
            is_unread = derived.is_incomplete and about is None
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


def _reviewed(item: Item, known: _Known) -> Reviewed:
    """Rule 4: the lifecycle of an item, the decision behind it, and what that rests on."""
    name = item_name(item)
    own = known.decisions.get(name)
    if own is not None:
        is_superseded = own.is_among(known.superseded)
        stands: Lifecycle = "superseded" if is_superseded else own.resolution or "pending"
        return stands, own.name, "affirmed"
    carried = known.carried.get(name)
    if carried is None:
        return "pending", None, None
    ids = (one["id"] for one in candidates_of(item))
    if carried.candidate_id is not None and carried.candidate_id not in ids:
        message = f"a decision was carried to {name!r} for a candidate that it does not hold"
        raise FIELD_STATES.refuse(message, "/carryForwards")
    is_superseded = carried.prior_decision.digest in known.superseded
    stands = "superseded" if is_superseded else carried.resolution
    return stands, carried.prior_decision.name, "carried-forward"


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
    return record, _expected_fields(expected, pointer, most)


def _expected_fields(expected: object, pointer: str, most: int) -> list[Slot]:
    place = f"{pointer}/expectedFields"
    fields = sequence_argument("expected fields", expected)
    if len(fields) > most:
        message = f"an import has at most {most} expected fields here, not {len(fields)}"
        raise FIELD_STATES.refuse(message, place)
    return [read_slot(field, f"{place}/{at}") for at, field in enumerate(fields)]


def _decisions(decisions: Sequence[Any], read: Callable[[Any], Decision]) -> dict[str, Decision]:
    found: dict[str, Decision] = {}
    for at, document in enumerate(sequence_argument("decisions", decisions)):
        try:
            decision = read(document)
        except SurveyError:
            # Not around every one of them: there are very many, and this takes its time.
            with inside(f"/decisions/{at}"):
                raise
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
