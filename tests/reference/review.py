"""A review history, read slowly.

Rules:

1. Sequences are judged first, place by place: none, twice, not the expected one.
2. Then each event alone, in the order of the stream; what follows is the order within one event.
3. Names that the queue does not hold; a decision about no item.
4. A clear event: its stamp, if it has one. Any other decision: its kind, its stamp, its candidate,
   its status and resolution, its edit if nothing later decides the item, its reason.
5. A candidate the item does not hold. An event of a host after a host's completion, or its
   completion while an item is open.
6. A valid history is folded one event at a time, each making a new state from a whole copy.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

LARGEST = 2**53 - 1
STAMPS = ("survey-fast/review-attribution", "fieldwork.kontourai.io/review-attribution")
ROLE = {
    "accept-proposed": "proposed",
    "select-proposed": "proposed",
    "keep-current": "current",
    "reject-proposed": "proposed",
    "could-not-confirm": "proposed",
}
STATUS = {"reject-proposed": "rejected", "could-not-confirm": "proposed"}
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})", re.ASCII)
NOTHING = object()


def is_number(sequence: Any) -> bool:
    return type(sequence) is int and 1 <= sequence <= LARGEST


def decides(event: Json) -> bool:
    return event["spec"]["eventType"] in ("decision-changed", "decision-submitted")


def is_stamped(event: Json) -> bool:
    return any(key in event["metadata"].get("producer", {}) for key in STAMPS)


def item_called(snapshot: Json, name: Any) -> Json | None:
    return next((one for one in snapshot["items"] if one["metadata"]["name"] == name), None)


def conditions_of(snapshot: Json) -> Json | None:
    found = {name: snapshot[name] for name in ("presentation", "sampling") if name in snapshot}
    return found or None


def issues(snapshot: Json, events: list[Json]) -> list[str]:
    """The codes of everything that is wrong, in order."""
    return [
        *sequence_issues(events),
        *(c for one in events for c in of_event(snapshot, events, one)),
    ]


def sequence_issues(events: list[Json]) -> Iterator[str]:
    for place, event in enumerate(events):
        sequence = event["spec"]["sequence"]
        if not is_number(sequence):
            yield "invalid-sequence"
            continue
        before = [one["spec"]["sequence"] for one in events[:place]]
        if any(is_number(one) and one == sequence for one in before):
            yield "duplicate-sequence"
        if sequence != place + 1:
            yield "non-contiguous-sequence"


def of_event(snapshot: Json, events: list[Json], event: Json) -> Iterator[str]:
    spec = event["spec"]
    names = [item["metadata"]["name"] for item in snapshot["items"]]
    if "activeItemName" in spec and spec["activeItemName"] not in names:
        yield "unknown-active-item"
    if "reviewItemName" in spec and spec["reviewItemName"] not in names:
        yield "unknown-review-item"
    item = item_called(snapshot, spec.get("reviewItemName", spec.get("activeItemName")))
    if decides(event):
        if "reviewItemName" not in spec:
            yield "missing-review-item"
        yield from of_decision(snapshot, events, event, item)
    if "candidateId" in spec and item is not None and not holders(item, spec["candidateId"]):
        yield "unknown-candidate"
    if is_stamped(event) and is_number(spec["sequence"]):
        ends = [
            one["spec"]["sequence"]
            for one in events
            if one["spec"]["eventType"] == "session-completed" and is_stamped(one)
        ]
        if any(is_number(end) and end < spec["sequence"] for end in ends):
            yield "event-after-completion"
        elif spec["eventType"] == "session-completed" and is_early(snapshot, events, spec):
            yield "unresolved-review-item"


def is_early(snapshot: Json, events: list[Json], spec: Json) -> bool:
    return any(is_open(item, snapshot, events, spec["sequence"]) for item in snapshot["items"])


def is_open(item: Json, snapshot: Json, events: list[Json], end: int) -> bool:
    """Neither resolved before the review nor decided by what comes before ``end``."""
    name = item["metadata"]["name"]
    decided = name in snapshot["decisionsByItemName"]
    numbered = [one for one in events if is_number(one["spec"]["sequence"])]
    for event in sorted(numbered, key=lambda one: one["spec"]["sequence"]):
        spec = event["spec"]
        about = decides(event) and spec.get("reviewItemName") == name
        kind = spec.get("data", {}).get("workbenchDecision", NOTHING)
        if about and spec["sequence"] < end and (kind is None or kind in list(ROLE)):
            decided = kind is not None
    return not decided and item["spec"].get("candidateSetStatus") != "resolved"


def of_decision(
    snapshot: Json, events: list[Json], event: Json, item: Json | None
) -> Iterator[str]:
    spec, data, stamp = event["spec"], event["spec"].get("data", {}), conditions_of(snapshot)
    kind = data.get("workbenchDecision", NOTHING)
    if kind is None:
        if "sessionConditions" in data and data["sessionConditions"] != stamp:
            yield "session-conditions-mismatch"
        return
    if not isinstance(kind, str) or kind not in ROLE:
        yield "invalid-workbench-decision"
        return
    if data.get("sessionConditions") != stamp:
        yield "session-conditions-mismatch"
    if item is not None:
        yield from of_candidate(item, kind, spec.get("candidateId"))
    yield from of_record(events, event, item)


def of_record(events: list[Json], event: Json, item: Json | None) -> Iterator[str]:
    spec, data = event["spec"], event["spec"]["data"]
    kind = data["workbenchDecision"]
    if spec.get("status") != STATUS.get(kind, "verified"):
        yield "decision-status-mismatch"
    if spec.get("resolution") != {"could-not-confirm": "could_not_confirm"}.get(kind):
        yield "decision-resolution-mismatch"
    if kind == "accept-proposed" and item is not None and "workbenchEditedValue" in data:
        edit = edited(item, data["workbenchEditedValue"])
        if isinstance(edit, Refusal) and is_final(events, event):
            yield edit.code
    if kind == "could-not-confirm" and not spec.get("resolutionReason", "").strip():
        yield "missing-resolution-reason"


def holders(item: Json, candidate_id: Any) -> list[Json]:
    return [one for one in item["spec"]["candidates"] if one["id"] == candidate_id]


def of_candidate(item: Json, kind: str, named: Any) -> Iterator[str]:
    in_role = [one for one in item["spec"]["candidates"] if one.get("role") == ROLE[kind]]
    if kind == "select-proposed":
        meant = holders(item, named)
        if len(in_role) < 2 or len(meant) != 1 or meant[0] not in in_role:
            yield "invalid-conflict-selection"
        return
    may_be_several = kind in ("reject-proposed", "could-not-confirm")
    if not in_role or (len(in_role) > 1 and not may_be_several):
        yield "decision-not-recordable"
        return
    expected = in_role[0]["id"] if len(in_role) == 1 else None
    if expected is not None and len(holders(item, expected)) > 1:
        yield "decision-not-recordable"
    elif named != expected and (named is None or holders(item, named)):
        yield "decision-candidate-mismatch"


def is_final(events: list[Json], event: Json) -> bool:
    """No decision about the item has a higher sequence, or the same and stands later."""
    name = event["spec"].get("reviewItemName")
    about = [one for one in events if decides(one) and one["spec"].get("reviewItemName") == name]
    ranks = [one["spec"]["sequence"] if is_number(one["spec"]["sequence"]) else -1 for one in about]
    last = max(place for place, rank in enumerate(ranks) if rank == max(ranks))
    return name is not None and about[last] is event


class Refusal:
    def __init__(self, code: str) -> None:
        self.code = code


def edited(item: Json, value: Any) -> Any:
    """What is stored for an edit, or why it is refused; types that the properties use."""
    if item["spec"].get("editable", True) is False:
        return Refusal("edited-value-not-editable")
    if item["spec"].get("valueDescriptor", {}).get("type") != "number":
        return value
    if type(value) in (int, float):
        return value
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        return int(value)
    return Refusal("edited-value-type-mismatch")


MAPS = {
    "kind": "decisionsByItemName",
    "edit": "editedValuesByItemName",
    "attempts": "attemptEvidenceIdsByItemName",
    "choice": "selectedCandidateIdsByItemName",
}


def replay(snapshot: Json, events: list[Json]) -> Json:
    """The state after a valid history."""
    state = snapshot
    for event in sorted(events, key=lambda one: one["spec"]["sequence"]):
        state = after(copy.deepcopy(state), event)
    return state


def after(state: Json, event: Json) -> Json:
    spec = event["spec"]
    name = spec.get("reviewItemName")
    if spec["eventType"] == "item-selected":
        active = spec.get("activeItemName", name)
        if item_called(state, active) is not None:
            state["activeItemName"] = active
    if spec["eventType"] == "note-changed" and name is not None:
        state["notesByItemName"][name] = spec.get("rationale", "")
    if decides(event):
        for member in MAPS.values():
            state.get(member, {}).pop(name, None)
        for part, value in parts_of(state, event).items():
            state.setdefault(MAPS[part], {})[name] = value
    return state


def parts_of(state: Json, event: Json) -> Json:
    """What a valid decision event puts into the state of its item; nothing when it clears."""
    spec, data = event["spec"], event["spec"]["data"]
    kind = data["workbenchDecision"]
    parts = {} if kind is None else {"kind": kind}
    if kind == "accept-proposed" and "workbenchEditedValue" in data:
        edit = edited(item_called(state, spec["reviewItemName"]), data["workbenchEditedValue"])
        carried = data["workbenchEditedValue"]
        parts["edit"] = carried if isinstance(edit, Refusal) else edit
    if kind == "could-not-confirm" and spec.get("attemptEvidenceIds"):
        parts["attempts"] = spec["attemptEvidenceIds"]
    if kind == "select-proposed":
        parts["choice"] = spec["candidateId"]
    return parts


def attributed(snapshot: Json, events: list[Json]) -> dict[str, tuple[str, str, str, Any]]:
    """Who decided each item, when, how that is known, and the reason if one was needed."""
    found = {}
    for item in snapshot["items"]:
        name = item["metadata"]["name"]
        about = [
            one for one in events if decides(one) and one["spec"].get("reviewItemName") == name
        ]
        last = max(about, key=lambda one: one["spec"]["sequence"], default=None)
        if last is None or last["spec"]["data"]["workbenchDecision"] is None:
            continue
        spec = last["spec"]
        is_unconfirmed = spec["data"]["workbenchDecision"] == "could-not-confirm"
        reason = spec["resolutionReason"].strip() if is_unconfirmed else None
        if is_stamped(last):
            found[name] = (spec["actor"]["id"], spec["occurredAt"], "event", reason)
        else:
            by = (snapshot["actorId"], snapshot["reviewedAt"])
            found[name] = (*by, "legacy-synthetic-actor", reason)
    return found
