"""A ``SurveyInput`` that was checked, as an index over its records.

1. Every record has the closed shape of its kind (:mod:`survey_fast.trust.survey_shape`).
2. Ids are unique inside their kind, candidate ids inside their set. Every id that a record names is
   one of the input, and no claim derives from itself.
3. Times are times. The one exception is the time of a review, which is judged where reviews are put
   in order.
4. Faults of shape are found in the order of the tables, before any record is compared with another.

Records are kept as they were given and never copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from survey_fast.canon import Document, canonical_json, plain_data
from survey_fast.canon.document import require_plain
from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.rules import fault
from survey_fast.trust.survey_shape import INPUT

__all__ = ["ReviewKey", "SurveyRecords", "index_survey_input", "read_survey_input"]

Record: TypeAlias = Mapping[str, Any]


class ReviewKey(NamedTuple):
    """What a review is about: a set, and one of its candidates or all of them."""

    set_id: str
    candidate_id: str | None


@dataclass(slots=True)
class SurveyRecords:
    """A survey input that was checked.

    Attributes:
        source: whose input it is.
        generated_at: when it was made.
        sources, extractions, sets: records by id.
        candidates: by set id, the candidates of the set by id, in set order.
        reviews: by what they are about, in input order.
        claims: claim targets by id, in input order.
        escalations, interpretations: in input order.
    """

    source: str
    generated_at: str
    sources: dict[str, Record] = field(default_factory=dict)
    extractions: dict[str, Record] = field(default_factory=dict)
    sets: dict[str, Record] = field(default_factory=dict)
    candidates: dict[str, dict[str, Record]] = field(default_factory=dict)
    reviews: dict[ReviewKey, list[Record]] = field(default_factory=dict)
    claims: dict[str, Record] = field(default_factory=dict)
    escalations: Sequence[Record] = ()
    interpretations: Sequence[Record] = ()


def read_survey_input(document: Document) -> SurveyRecords:
    """Check a survey input and index it.

    Args:
        document: bytes, text or plain data. Plain data is held to what strict JSON text can say
            and taken as it is, without a copy.

    Raises:
        SurveyError: a code of :mod:`survey_fast.trust.rules` for a fault of shape,
            ``duplicate-id``, ``unknown-reference``, ``survey-input-invalid``; each
            with a pointer.
        JsonError: not strict JSON.
        TypeError: not a document.
    """
    return index_survey_input(_plain(document))


def index_survey_input(top: Any, *, is_built: bool = False) -> SurveyRecords:  # noqa: ANN401 - plain data of any kind
    """The same of plain data that is known to be such.

    Args:
        top: the input.
        is_built: whether it was built of parts whose shapes were judged, so that its own is known.

    Raises: SurveyError, TypeError likewise.
    """
    if not is_built and not INPUT.holds(top):
        raise fault(INPUT, top, "")
    records = SurveyRecords(top["source"], top["generatedAt"])
    records.sources = _by_id(top["rawSources"], "/rawSources")
    records.extractions = _by_id(top["extractions"], "/extractions")
    records.sets = _by_id(top["candidateSets"], "/candidateSets")
    records.claims = _by_id(top["claims"], "/claims")
    _by_id(top["reviewOutcomes"], "/reviewOutcomes")
    if not records.sources.keys() >= {one["sourceId"] for one in top["extractions"]}:
        raise _first_unknown(top["extractions"], records.sources, "/extractions")
    for at, one in enumerate(top["candidateSets"]):
        records.candidates[one["id"]] = _candidates(records, one, at)
    for at, review in enumerate(top["reviewOutcomes"]):
        key = _place_in_set(records, review, "reviewOutcomes", at)
        records.reviews.setdefault(key, []).append(review)
    for at, claim in enumerate(top["claims"]):
        _check_claim(records, claim, at)
    records.escalations = _escalations(records, top.get("escalations", []))
    records.interpretations = _interpretations(records, top.get("interpretations", []))
    return records


def _plain(document: Document) -> Any:  # noqa: ANN401 - plain data of any kind
    if isinstance(document, bytes | bytearray | memoryview | str):
        return plain_data(canonical_json(document))
    require_plain(document)
    return document


def _by_id(given: Sequence[Record], place: str) -> dict[str, Record]:
    """The records of an array by id, in order; no id stands there twice."""
    found = {record["id"]: record for record in given}
    if len(found) < len(given):
        seen: set[str] = set()
        for at, record in enumerate(given):
            if record["id"] in seen:
                message = "another record of this kind has the same id"
                raise refusal("duplicate-id", message, f"{place}/{at}/id")
            seen.add(record["id"])
    return found


def _unknown(what: str, pointer: str) -> SurveyError:
    message = f"the input holds no {what} of this id"
    return refusal("unknown-reference", message, pointer)


def _first_unknown(
    extractions: Sequence[Record], sources: Mapping[str, Record], place: str
) -> SurveyError:
    at = next(at for at, one in enumerate(extractions) if one["sourceId"] not in sources)
    return _unknown("source", f"{place}/{at}/sourceId")


def _candidates(records: SurveyRecords, one: Record, at: int) -> dict[str, Record]:
    """The candidates of a set by id, every extraction and the selection known."""
    listed = one["candidates"]
    candidates: dict[str, Record] = {candidate["id"]: candidate for candidate in listed}
    if len(candidates) < len(listed):
        _by_id(listed, f"/candidateSets/{at}/candidates")
    for position, candidate in enumerate(listed):
        if candidate["extractionId"] not in records.extractions:
            place = f"/candidateSets/{at}/candidates/{position}/extractionId"
            raise _unknown("extraction", place)
    if "selectedCandidateId" in one and one["selectedCandidateId"] not in candidates:
        raise _unknown("candidate in the set", f"/candidateSets/{at}/selectedCandidateId")
    return candidates


def _place_in_set(records: SurveyRecords, record: Record, kind: str, at: int) -> ReviewKey:
    """Set and candidate that a review or claim names, both of which exist."""
    set_id, candidate_id = record["candidateSetId"], record.get("candidateId")
    candidates = records.candidates.get(set_id)
    if candidates is None:
        raise _unknown("candidate set", f"/{kind}/{at}/candidateSetId")
    if candidate_id is not None and candidate_id not in candidates:
        raise _unknown("candidate in the set", f"/{kind}/{at}/candidateId")
    return ReviewKey(set_id, candidate_id)


def _check_claim(records: SurveyRecords, claim: Record, at: int) -> None:
    _place_in_set(records, claim, "claims", at)
    if "metadata" in claim and not isinstance(claim["metadata"].get("survey", {}), dict):
        message = "survey is an object inside the metadata of a claim"
        raise refusal("survey-input-invalid", message, f"/claims/{at}/metadata/survey")
    if "derivedFrom" in claim:
        for position, input_id in enumerate(claim["derivedFrom"]):
            _check_derivation(records, claim, input_id, f"/claims/{at}/derivedFrom/{position}")
    if "derivationEdges" in claim:
        for position, edge in enumerate(claim["derivationEdges"]):
            pointer = f"/claims/{at}/derivationEdges/{position}/inputClaimId"
            _check_derivation(records, claim, edge["inputClaimId"], pointer)


def _check_derivation(records: SurveyRecords, claim: Record, input_id: str, pointer: str) -> None:
    if input_id not in records.claims:
        raise _unknown("claim", pointer)
    if input_id == claim["id"]:
        message = "a claim does not derive from itself"
        raise refusal("self-derivation", message, pointer)


def _escalations(records: SurveyRecords, given: Sequence[Record]) -> Sequence[Record]:
    _by_id(given, "/escalations")
    for at, escalation in enumerate(given):
        attached = escalation.get("attachToClaimId")
        if attached is not None and attached not in records.claims:
            raise _unknown("claim", f"/escalations/{at}/attachToClaimId")
    return given


def _interpretations(records: SurveyRecords, given: Sequence[Record]) -> Sequence[Record]:
    _by_id(given, "/interpretations")
    for at, reading in enumerate(given):
        place = f"/interpretations/{at}"
        if reading["anchorsToSourceId"] not in records.sources:
            raise _unknown("source", f"{place}/anchorsToSourceId")
        if ("answerImpact" in reading) != (reading.get("readingKind") == "answerImpact"):
            message = "an impact on the answer belongs to a reading of that kind, and only there"
            raise refusal("survey-input-invalid", message, f"{place}/answerImpact")
    return given
