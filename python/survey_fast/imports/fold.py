"""What the stored verification records say about one candidate as it is now.

1. Every entry is judged: valid or rejected, and if valid, about this subject or not.
2. Equal records count once. Records are ordered by id, rejected entries by their place.
3. Nothing is decided: verdicts that contradict each other all stay, none wins, and an
   abstention is never counted as a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from survey_fast.canon import Document, Json, data_json
from survey_fast.errors import SurveyError
from survey_fast.imports.support_input import SupportInput, read_subject
from survey_fast.imports.verification_record import validate_candidate_verification
from survey_fast.model import CandidateVerification

__all__ = [
    "Fold",
    "FoldStatus",
    "InapplicableReason",
    "InapplicableRecord",
    "RejectedRecord",
    "fold_candidate_verifications",
]

FoldStatus: TypeAlias = Literal["not-evaluated", "abstained", "evaluated"]
InapplicableReason: TypeAlias = Literal["other-candidate", "value-changed", "input-changed"]
_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class InapplicableRecord:
    """A valid record that is about something else than the subject."""

    record: CandidateVerification
    reason: InapplicableReason


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """An entry that is no valid record.

    Attributes:
        index: its place among the entries, from 0.
        reason: the code of the refusal.
        pointer: where in the entry, where known.
        message: a sentence for a person.
    """

    index: int
    reason: str
    pointer: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Fold:
    """The records of one candidate, sorted out.

    Attributes:
        status: ``not-evaluated`` without an applicable record, ``abstained`` when all applicable
            ones abstain, ``evaluated`` when there is at least one verdict.
        applicable: records about the subject as it is, by id.
        inapplicable: valid records about another candidate, value or question, by id.
        rejected: entries that do not validate, in their order.
    """

    status: FoldStatus
    applicable: tuple[CandidateVerification, ...]
    inapplicable: tuple[InapplicableRecord, ...]
    rejected: tuple[RejectedRecord, ...]


def fold_candidate_verifications(
    subject: Document, records: Iterable[Json | CandidateVerification]
) -> Fold:
    """Sort out the records of one candidate.

    Args:
        subject: the candidate as it is now: ``{candidateId, value, valueType?, evidence?}``.
            Only where evidence is given are records compared with the whole question.
        records: the entries of ``verifications``, as plain data or as records.

    Raises:
        VerificationError: ``verification-input-invalid``: the subject is refused.
        JsonError: the subject is not lossless JSON.
        TypeError: the subject is no document, ``records`` is no list of entries, or an entry is
            not plain data.
    """
    if isinstance(records, str | bytes | Mapping) or not isinstance(records, Iterable):
        message = f"records is a list of entries, not {type(records).__name__}"
        raise TypeError(message)
    asked = read_subject(subject)
    applicable: dict[str, CandidateVerification] = {}
    inapplicable: dict[str, InapplicableRecord] = {}
    rejected: list[RejectedRecord] = []
    for index, entry in enumerate(records):
        try:
            record = _validated(entry)
        except SurveyError as found:
            rejected.append(RejectedRecord(index, found.code, found.pointer, found.message))
            continue
        reason = _mismatch(asked, record)
        if reason is None:
            applicable[record.id] = record
        else:
            inapplicable[record.id] = InapplicableRecord(record, reason)
    status = _status(applicable.values())
    return Fold(status, _by_id(applicable), _by_id(inapplicable), tuple(rejected))


def _validated(entry: Json | CandidateVerification) -> CandidateVerification:
    if isinstance(entry, CandidateVerification):
        return validate_candidate_verification(entry)
    # An entry is a value of its array: a string there is a string, not the text of a record.
    return validate_candidate_verification(data_json(entry))


def _mismatch(asked: SupportInput, record: CandidateVerification) -> InapplicableReason | None:
    if record.candidate_id != asked.candidate_id:
        return "other-candidate"
    if record.value_digest != asked.value_digest:
        return "value-changed"
    if asked.input_digest is not None and record.input_digest != asked.input_digest:
        return "input-changed"
    return None


def _by_id(records: Mapping[str, _Record]) -> tuple[_Record, ...]:
    return tuple(records[name] for name in sorted(records))


def _status(applicable: Iterable[CandidateVerification]) -> FoldStatus:
    results = {record.result for record in applicable}
    if not results:
        return "not-evaluated"
    return "abstained" if results == {"abstain"} else "evaluated"
