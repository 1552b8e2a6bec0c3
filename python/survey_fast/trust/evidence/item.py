"""The review item of evidence, and its candidates against the proposals they stand for.

1. An item of reviewed evidence takes no edit, and says so.
2. A candidate repeats its proposal: value, confidence, source, place, words and who read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from survey_fast.errors import SurveyError
from survey_fast.trust.evidence.profiles import KEY
from survey_fast.trust.evidence.proposal import Proposal
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.evidence.shape import ITEM, members, same_value

__all__ = ["ReadItem", "binding_of", "check_candidate", "read_item"]

_ABSENT: Final = object()


class ReadItem:
    """A review item whose frame was checked; its candidates have ids and values."""

    __slots__ = ("candidate_ids", "candidates", "metadata", "name", "raw")

    def __init__(self, raw: dict[str, Any], metadata: dict[str, Any], name: str) -> None:
        self.raw = raw
        self.metadata = metadata
        self.name = name
        self.candidates: list[dict[str, Any]] = []
        self.candidate_ids: list[str] = []


def read_item(value: object, field_path: str) -> ReadItem:
    """Check the frame of an item; pointers lead into it.

    Raises EvidenceError: ``evidence-item-mismatch``.
    """
    raw = members(value, "", ITEM)
    if raw.get("kind") != "ReviewItem":
        message = "a review item belongs here"
        raise ITEM.refuse(message, "/kind")
    metadata = members(raw.get("metadata"), "/metadata", ITEM)
    name = metadata.get("name")
    if not isinstance(name, str) or not name:
        message = "an item has a name"
        raise ITEM.refuse(message, "/metadata/name")
    item = ReadItem(raw, metadata, name)
    spec = members(raw.get("spec"), "/spec", ITEM)
    if spec.get("target") != field_path:
        message = "the item is about another field than the proposal that is cited"
        raise ITEM.refuse(message, "/spec/target")
    if spec.get("editable") is not False:
        message = "an item of reviewed evidence is marked as not editable"
        raise ITEM.refuse(message, "/spec/editable")
    candidates = spec.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        message = "an item has candidates"
        raise ITEM.refuse(message, "/spec/candidates")
    for index, one in enumerate(candidates):
        candidate = members(one, f"/spec/candidates/{index}", ITEM)
        candidate_id = candidate.get("id")
        if not isinstance(candidate_id, str) or not candidate_id:
            message = "a candidate has an id"
            raise ITEM.refuse(message, f"/spec/candidates/{index}/id")
        if "value" not in candidate:
            message = "a candidate has a value"
            raise ITEM.refuse(message, f"/spec/candidates/{index}/value")
        item.candidates.append(candidate)
        item.candidate_ids.append(candidate_id)
    return item


def binding_of(holder: Mapping[str, Any]) -> object:
    """What an item's metadata or a candidate says about its import, of any shape; or None."""
    producer = holder.get("producer")
    return producer.get(KEY) if isinstance(producer, dict) else None


def check_candidate(
    candidate: Mapping[str, Any], proposal: Proposal, context: RecordContext
) -> None:
    """Rule 2; pointers lead into the candidate.

    Raises EvidenceError: ``evidence-item-mismatch``.
    """
    if not same_value(candidate["value"], proposal.value):
        raise _differs("/value")
    confidence = candidate.get("confidence", _ABSENT)
    if not same_value(confidence, proposal.raw.get("confidence", _ABSENT)):
        raise _differs("/confidence")
    run, checksum = context.run, context.artifact.digest
    source = members(candidate.get("source"), "/source", ITEM)
    _compare(source, "/source", "sourceRef", run.source_ref)
    _compare(source, "/source", "sourceId", run.source_id)
    _compare(source, "/source", "observedAt", run.extracted_at)
    if checksum is not None:
        _compare(source, "/source", "checksum", checksum)
    locator = members(candidate.get("locator"), "/locator", ITEM)
    _compare(locator, "/locator", "locator", proposal.locator)
    _compare(locator, "/locator", "excerpt", proposal.excerpt)
    extraction = members(candidate.get("extraction"), "/extraction", ITEM)
    _compare(extraction, "/extraction", "target", proposal.field_path)
    _compare(extraction, "/extraction", "extractor", proposal.extractor)
    if extraction.get("model", _ABSENT) != (proposal.model or _ABSENT):
        raise _differs("/extraction/model")


def _compare(found: Mapping[str, Any], pointer: str, name: str, wanted: str) -> None:
    if found.get(name) != wanted:
        place = f"{pointer}/{name}"
        raise _differs(place)


def _differs(pointer: str) -> SurveyError:
    message = "the candidate says otherwise than the proposal it stands for"
    return ITEM.refuse(message, pointer)
