"""Structure of snapshots and events, checked before anything is made of them.

Plain data of a caller passes :func:`require_json` first, where it enters and only there: what no
document can hold is refused before anything walks through it.

What is checked is what the code behind reads: after this no member is missing, of another type
or under another name. Events are closed except for labels, annotations, producer blocks and
``data``. Snapshots handed in as plain data are checked as far as they are read; session files
are checked whole when they are loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from survey_fast.canon.document import require_plain
from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.imports.verification_shape import is_canonical_instant
from survey_fast.limits import NOTE
from survey_fast.review.attribution import host_stamp, is_reviewer, stamp_fault

__all__ = [
    "DECISION_EVENTS",
    "check_events",
    "check_item",
    "check_new_events",
    "check_snapshot",
    "require_json",
]

DECISION_EVENTS: Final = frozenset({"decision-changed", "decision-submitted"})
_TYPES: Final = DECISION_EVENTS | {
    "session-started",
    "item-selected",
    "note-changed",
    "session-completed",
}
_EVENT: Final = frozenset({"apiVersion", "kind", "metadata", "spec", "status"})
_METADATA: Final = frozenset({"name", "uid", "labels", "annotations", "producer"})
_TEXTS: Final = frozenset(
    {
        "sessionName",
        "eventType",
        "occurredAt",
        "reviewItemName",
        "activeItemName",
        "reviewDecisionName",
        "candidateId",
        "status",
        "resolution",
        "resolutionReason",
        "rationale",
    }
)
_REQUIRED: Final = frozenset({"sessionName", "sequence", "eventType", "occurredAt"})


def _malformed(message: str, pointer: str) -> SurveyError:
    return refusal("session-malformed", message, pointer)


def require_json(*documents: object) -> None:
    """Hold plain data to what strict JSON text can say; a list, tuple or dict, others pass.

    Raises:
        JsonError: half of a surrogate pair, a number no double holds, nesting over 128.
        TypeError: anything inside that is no plain data.
    """
    for document in documents:
        if isinstance(document, dict | list | tuple):
            plain = list(document) if isinstance(document, tuple) else document
            require_plain(plain)


def check_item(item: object, pointer: str = "") -> Mapping[str, Any]:
    """``item`` if everything that is read of it is in order.

    Raises:
        SessionError: ``session-malformed`` with a pointer into the item, behind ``pointer``.
        TypeError: not a mapping.
    """
    if not isinstance(item, Mapping):
        message = f"an item is a mapping, not {type(item).__name__}"
        raise TypeError(message)
    fault = _item_fault(item)
    if fault is not None:
        raise _malformed(fault[0], pointer + fault[1])
    return item


def check_events(events: object) -> Sequence[Mapping[str, Any]]:
    """``events`` if every one is a well-formed event.

    Sequences and decision kinds are judged by validation, not here.

    Raises:
        SessionError: ``session-malformed`` with a pointer into the array.
        TypeError: not a list or tuple.
    """
    if not isinstance(events, list | tuple):
        message = f"events are a list, not {type(events).__name__}"
        raise TypeError(message)
    for index, event in enumerate(events):
        fault = _event_fault(event)
        if fault is not None:
            message, place = fault
            raise _malformed(message, f"/{index}{place}")
    return events


def check_new_events(events: Sequence[Mapping[str, Any]]) -> None:
    """Hold well-formed events to what is asked only of those that are about to be written.

    A history of another system may name what was tried by an empty id, and is read all the same.

    Raises:
        SessionError: ``session-malformed`` with a pointer into the array.
    """
    for index, event in enumerate(events):
        for place, attempt in enumerate(event["spec"].get("attemptEvidenceIds", ())):
            if not has_content(attempt):
                message = "what was tried is named by an id that is not blank"
                raise _malformed(message, f"/{index}/spec/attemptEvidenceIds/{place}")


def _event_fault(event: object) -> tuple[str, str] | None:
    if not isinstance(event, dict) or not event.keys() <= _EVENT:
        return "an event holds apiVersion, kind, metadata, spec and perhaps status", ""
    if event.get("kind") != "ReviewSessionEvent":
        return "this is no ReviewSessionEvent", "/kind"
    if event.get("apiVersion") != "survey.kontourai.io/v1alpha1":
        return "events of this version are not read", "/apiVersion"
    return (
        _metadata_fault(event.get("metadata"))
        or _spec_fault(event.get("spec"))
        or (_status_fault(event["status"]) if "status" in event else None)
        or (_stamped_fault(event) if "producer" in event["metadata"] else None)
    )


def _stamped_fault(event: Mapping[str, Any]) -> tuple[str, str] | None:
    stamp = host_stamp(event)
    if stamp is None:
        return None
    spec = event["spec"]
    if "actor" not in spec or not is_reviewer(spec["actor"]["id"], stamp["actorKind"]):
        return "a host stamp comes with the actor it names", "/spec/actor"
    if not is_canonical_instant(spec["occurredAt"]):
        return "a host stamp comes with an instant", "/spec/occurredAt"
    return None


def _metadata_fault(metadata: object) -> tuple[str, str] | None:
    if not isinstance(metadata, dict) or not metadata.keys() <= _METADATA:
        return "metadata holds a name and what producers add", "/metadata"
    name = metadata.get("name")
    if not isinstance(name, str) or not name:
        return "an event has a name", "/metadata/name"
    if len(metadata) == 1:
        return None
    for member in ("labels", "annotations", "producer"):
        if not isinstance(metadata.get(member, {}), dict):
            return f"{member} is an object", f"/metadata/{member}"
    fault = stamp_fault(metadata.get("producer", {}))
    return None if fault is None else (fault, "/metadata/producer")


def _spec_fault(spec: object) -> tuple[str, str] | None:
    if not isinstance(spec, dict) or not spec.keys() >= _REQUIRED:
        return f"spec holds {', '.join(sorted(_REQUIRED))}", "/spec"
    for member, value in spec.items():
        if member in _TEXTS:
            # Nearly every text is short and ASCII, and there are a hundred thousand of them.
            if type(value) is str and len(value) <= NOTE and value.isascii():
                continue
            fault = _text_fault(value)
            if fault is not None:
                return f"{member} {fault}", f"/spec/{member}"
        elif member != "sequence" and not (member == "data" and type(value) is dict):
            fault = _part_fault(member, value)
            if fault is not None:
                return fault, f"/spec/{member}"
    if spec["eventType"] not in _TYPES:
        return "no event is of this type", "/spec/eventType"
    return None


def _text_fault(value: object) -> str | None:
    if not isinstance(value, str):
        return "is a string"
    if value.isascii():
        size = len(value)
    else:
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            return "holds half of a surrogate pair"
    return f"has more than the {NOTE} bytes allowed" if size > NOTE else None


def _part_fault(member: str, value: object) -> str | None:
    match member:
        case "data":
            return None if isinstance(value, dict) else "data is an object"
        case "actor":
            named = value.get("id") if isinstance(value, dict) and len(value) == 1 else None
            return None if isinstance(named, str) else "an actor is an object of an id"
        case "attemptEvidenceIds":
            is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
            return None if is_list else "attemptEvidenceIds is an array of strings"
        case _:
            return f"spec holds no {member}"


def _status_fault(status: object) -> tuple[str, str] | None:
    if not isinstance(status, dict) or not status.keys() <= {"replayed"}:
        return "status holds nothing but replayed", "/status"
    if not isinstance(status.get("replayed", False), bool):
        return "replayed is true or false", "/status/replayed"
    return None


_MAPS: Final = {
    "decisionsByItemName": str,
    "notesByItemName": str,
    "selectedCandidateIdsByItemName": str,
    "attemptEvidenceIdsByItemName": list,
    "editedValuesByItemName": object,
}


def check_snapshot(snapshot: object) -> Mapping[str, Any]:
    """``snapshot`` if everything that replay and the builders read of it is in order.

    Raises:
        SessionError: ``session-malformed`` with a pointer into the snapshot.
        TypeError: not a dict.
    """
    if not isinstance(snapshot, dict):
        message = f"a snapshot is a dict, not {type(snapshot).__name__}"
        raise TypeError(message)
    for member in ("activeItemName", "actorId", "reviewedAt"):
        if not isinstance(snapshot.get(member), str):
            message = f"a snapshot holds {member}, a string"
            raise _malformed(message, f"/{member}")
    for member, kind in _MAPS.items():
        entries = snapshot.get(member, {} if "By" in member and member not in _NEEDED else None)
        if not isinstance(entries, dict) or not all(
            isinstance(one, kind) for one in entries.values()
        ):
            message = f"{member} maps item names to values of one type"
            raise _malformed(message, f"/{member}")
    items = snapshot.get("items")
    if not isinstance(items, list):
        message = "a snapshot holds an array of items"
        raise _malformed(message, "/items")
    for index, item in enumerate(items):
        fault = _item_fault(item)
        if fault is not None:
            message, place = fault
            raise _malformed(message, f"/items/{index}{place}")
    return snapshot


_NEEDED: Final = frozenset({"decisionsByItemName", "notesByItemName"})


def _item_fault(item: object) -> tuple[str, str] | None:
    metadata = item.get("metadata") if isinstance(item, Mapping) else None
    spec = item.get("spec") if isinstance(item, Mapping) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return "an item has a name", "/metadata/name"
    if not isinstance(spec, dict) or not isinstance(spec.get("target"), str):
        return "an item has a target", "/spec/target"
    for member in ("labels", "producer"):
        if member in metadata and not isinstance(metadata[member], dict):
            return f"{member} is an object", f"/metadata/{member}"
    for member in ("projection", "valueDescriptor", "producerPolicy"):
        if member in spec and not isinstance(spec[member], dict):
            return f"{member} is an object", f"/spec/{member}"
    words = spec.get("valueDescriptor", {}).get("enumValues", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return "enumValues is an array of strings", "/spec/valueDescriptor/enumValues"
    return _candidates_fault(spec.get("candidates"))


def _candidates_fault(candidates: object) -> tuple[str, str] | None:
    if not isinstance(candidates, list) or not candidates:
        return "an item has candidates", "/spec/candidates"
    for place, candidate in enumerate(candidates):
        fault = _candidate_fault(candidate)
        if fault is not None:
            return fault[0], f"/spec/candidates/{place}{fault[1]}"
    return None


def _candidate_fault(candidate: object) -> tuple[str, str] | None:
    if not isinstance(candidate, dict) or not isinstance(candidate.get("id"), str):
        return "a candidate has an id", "/id"
    if "value" not in candidate:
        return "a candidate has a value", "/value"
    if not isinstance(candidate.get("role", ""), str):
        return "a role is a string", "/role"
    for member in ("projection", "producer"):
        if not isinstance(candidate.get(member, {}), dict):
            return f"{member} is an object", f"/{member}"
    return None
