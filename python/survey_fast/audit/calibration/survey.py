"""Labels from a survey input, which is taken at its word.

Nothing here can tell whether a review was made under the conditions that its metadata states, or
made at all. Whoever holds the session or the run should read that instead.

Only ``reviewOutcomes``, ``candidateSets``, ``extractions`` and ``rawSources`` are read. A review of
a set that is not there gives no label and is counted, so a part of an input can be read as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast.audit.calibration.labels import (
    AUTO_ACCEPT_ACTOR,
    NOTHING,
    UNKNOWN_EXTRACTOR,
    Finding,
    Judgement,
    Labels,
    Offer,
    confidence_in,
    is_random_audit,
    judged,
    mapping_in,
    text_in,
)
from survey_fast.canon import Document, canonical_json
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE
from survey_fast.review.state import ABSENT

__all__ = ["labels_of_survey_input"]

Record: TypeAlias = Mapping[str, Any]


def labels_of_survey_input(document: Document | Mapping[str, Any]) -> Labels:
    """The labels of ``{reviewOutcomes, candidateSets, extractions, rawSources?}``.

    Args:
        document: bytes, text or plain data. Plain data is taken as it is, without a copy.

    Raises:
        AuditError: ``calibration-input-invalid``, with a pointer.
        BundleError: ``duplicate-id``.
        JsonError: not strict JSON.
        TypeError: not a document.
    """
    top = _plain(document)
    records = _Records(top)
    outcomes = _records(top.get("reviewOutcomes"), "/reviewOutcomes")
    return Labels("survey-input", [records.judgement(one) for one in outcomes])


def _plain(document: object) -> Record:
    if isinstance(document, bytes | bytearray | memoryview | str):
        document = json.loads(canonical_json(document, max_bytes=BUNDLE.ceiling))
    elif not isinstance(document, dict | list):
        message = f"a survey input is a document, not {type(document).__name__}"
        raise TypeError(message)
    if not isinstance(document, dict):
        raise _malformed("a survey input is an object", "")
    return document


def _malformed(message: str, pointer: str) -> SurveyError:
    return refusal("calibration-input-invalid", message, pointer)


def _records(given: object, place: str) -> Sequence[Record]:
    """The records of an array, each an object with an id."""
    if not isinstance(given, list):
        raise _malformed("an array of records belongs here", place)
    for at, one in enumerate(given):
        if not isinstance(one, dict):
            raise _malformed("a record is an object", f"{place}/{at}")
        if not isinstance(one.get("id"), str):
            raise _malformed("a record has an id, which is a text", f"{place}/{at}/id")
    return given


def _by_id(given: object, place: str) -> dict[str, Record]:
    """The same by id, each of which stands there once."""
    records = _records(given, place)
    found = {one["id"]: one for one in records}
    if len(found) < len(records):
        seen: set[str] = set()
        for at, one in enumerate(records):
            if one["id"] in seen:
                message = "another record of this kind has the same id"
                raise refusal("duplicate-id", message, f"{place}/{at}/id")
            seen.add(one["id"])
    return found


class _Records:
    """The sets of an input, each looked at once."""

    def __init__(self, top: Record) -> None:
        self._sets = _by_id(top.get("candidateSets"), "/candidateSets")
        self._extractions = _by_id(top.get("extractions"), "/extractions")
        self._sources = _by_id(top.get("rawSources", []), "/rawSources")
        self._places = {name: at for at, name in enumerate(self._sets)}
        self._offers: dict[str, Sequence[Offer]] = {}

    def judgement(self, outcome: Record) -> Judgement:
        """What one review says."""
        metadata = mapping_in(outcome, "metadata")
        set_id = outcome.get("candidateSetId")
        held = self._sets.get(set_id) if isinstance(set_id, str) else None
        offers = [] if held is None else self._offered(held)
        named = outcome.get("candidateId")
        selected = None if held is None else held.get("selectedCandidateId")
        # Only on what was accepted does an edited value say anything.
        is_accepted = metadata.get("workbenchDecision") == "accept-proposed"
        finding = Finding(
            status=outcome.get("status"),
            is_unconfirmed=outcome.get("resolution") == "could_not_confirm",
            named=named,
            picked=selected if named is None else named,
            edit=metadata.get("editedValue", ABSENT) if is_accepted else ABSENT,
        )
        predictions, reason = judged(offers, finding)
        if held is None and reason == "no-proposed-value":
            reason = "unknown-set"
        return Judgement(
            outcome["id"],
            predictions,
            reason,
            outcome.get("reviewedAt"),
            is_audit=is_random_audit(metadata),
            is_by_rule=outcome.get("actor") == AUTO_ACCEPT_ACTOR,
        )

    def _offered(self, held: Record) -> Sequence[Offer]:
        name = held["id"]
        if name not in self._offers:
            self._offers[name] = self._proposed(held, f"/candidateSets/{self._places[name]}")
        return self._offers[name]

    def _proposed(self, held: Record, place: str) -> Sequence[Offer]:
        candidates = [*_by_id(held.get("candidates"), f"{place}/candidates").values()]
        if not candidates:
            raise _malformed("a set has candidates", f"{place}/candidates")
        if len(candidates) > 1:
            candidates = [one for one in candidates if _role(one) == "proposed"]
        target = text_in(held, "target") or ""
        return [self._offer(held["id"], one, target) for one in candidates]

    def _offer(self, set_id: str, candidate: Record, target: str) -> Offer:
        name = text_in(candidate, "extractionId")
        extraction = NOTHING if name is None else self._extractions.get(name, NOTHING)
        source_id = text_in(extraction, "sourceId") or ""
        extractor = text_in(extraction, "extractor") or UNKNOWN_EXTRACTOR
        field = text_in(extraction, "target") or target
        document = text_in(self._sources.get(source_id, NOTHING), "sourceRef") or source_id
        return Offer(
            ("set", set_id, candidate["id"], document, extractor, field),
            candidate["id"],
            candidate.get("value"),
            confidence_in(candidate, extraction),
            extractor,
            field,
            document,
        )


def _role(candidate: Record) -> object:
    metadata = mapping_in(candidate, "metadata")
    return metadata.get("candidateRole", metadata.get("role"))
