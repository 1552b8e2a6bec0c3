"""The review item of evidence, and its candidates against the proposals they stand for.

1. An item of reviewed evidence takes no edit, and says so.
2. A candidate repeats its proposal: value, confidence, source, place, words and who read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from survey_fast.errors import SurveyError
from survey_fast.trust.evidence.profiles import KEY
from survey_fast.trust.evidence.proposal import Proposal
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.evidence.shape import ITEM, members, same_value

__all__ = ["ReadItem", "binding_of", "check_candidate", "read_item"]

_ABSENT: Final = object()


class ReadItem(NamedTuple):
    """A review item whose frame was checked; its candidates have ids and values."""

    raw: dict[str, Any]
    metadata: dict[str, Any]
    name: str
    candidates: list[dict[str, Any]]
    candidate_ids: list[str]


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
    ids = []
    for index, one in enumerate(candidates):
        candidate_id = one.get("id") if isinstance(one, dict) else None
        if not isinstance(candidate_id, str) or not candidate_id or "value" not in one:
            raise _no_candidate(one, f"/spec/candidates/{index}")
        ids.append(candidate_id)
    return ReadItem(raw, metadata, name, candidates, ids)


def _no_candidate(value: object, place: str) -> SurveyError:
    candidate = members(value, place, ITEM)
    candidate_id = candidate.get("id")
    if not isinstance(candidate_id, str) or not candidate_id:
        message = "a candidate has an id"
        return ITEM.refuse(message, f"{place}/id")
    message = "a candidate has a value"
    return ITEM.refuse(message, f"{place}/value")


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
    _require(candidate, "source", context.source)
    _require(candidate, "locator", proposal.place)
    extraction = _require(candidate, "extraction", proposal.reading)
    if extraction.get("model", _ABSENT) != (proposal.model or _ABSENT):
        raise _differs("/extraction/model")


def _require(
    candidate: Mapping[str, Any], member: str, wanted: Mapping[str, str]
) -> dict[str, Any]:
    """The object that a candidate holds under ``member``; it has the texts that are wanted."""
    found = members(candidate.get(member), f"/{member}", ITEM)
    if not wanted.items() <= found.items():
        for name, text in wanted.items():
            if found.get(name) != text:
                place = f"/{member}/{name}"
                raise _differs(place)
    return found


def _differs(pointer: str) -> SurveyError:
    message = "the candidate says otherwise than the proposal it stands for"
    return ITEM.refuse(message, pointer)
