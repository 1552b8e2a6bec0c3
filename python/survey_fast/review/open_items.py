"""What is still open: items that nobody decided and that were not resolved before the review.

A round is complete when nothing is open. Escalated items are open until they are decided, however
a summary counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from survey_fast.review.decisions import item_name, kind_of
from survey_fast.review.display import is_pre_resolved
from survey_fast.review.shape import DECISION_EVENTS
from survey_fast.review.state import State
from survey_fast.review.stream import Event, is_sequence

__all__ = ["is_complete", "open_before", "open_items", "still_open"]


def open_items(state: State) -> list[str]:
    """Names of the open items, in queue order."""
    decisions = state["decisionsByItemName"]
    return [
        name
        for item in state["items"]
        if (name := item_name(item)) not in decisions and not is_pre_resolved(item)
    ]


def is_complete(state: State) -> bool:
    """Whether nothing is open."""
    return not open_items(state)


def open_before(snapshot: State, events: Sequence[Event], sequence: int) -> list[str]:
    """What was open when the event of that sequence came."""
    before = [
        event
        for event in events
        if is_sequence(event["spec"]["sequence"]) and event["spec"]["sequence"] < sequence
    ]
    decided = set(snapshot["decisionsByItemName"])
    for event in sorted(before, key=lambda event: event["spec"]["sequence"]):
        _count(event["spec"], decided)
    return open_items({**snapshot, "decisionsByItemName": dict.fromkeys(decided)})


def _count(spec: Mapping[str, Any], decided: set[str]) -> None:
    """Count one event in: of a decision only that there is one, as the fold would have it."""
    name, data = spec.get("reviewItemName"), spec.get("data", {})
    if spec["eventType"] not in DECISION_EVENTS or name is None or "workbenchDecision" not in data:
        return
    word = data["workbenchDecision"]
    if word is None:
        decided.discard(name)
    elif kind_of(word) is not None:
        decided.add(name)


def still_open(names: Sequence[str]) -> str:
    """The finding about a completion that came too early."""
    count = "1 item is" if len(names) == 1 else f"{len(names)} items are"
    return f"the round is not done: {count} open, first {names[0]!r}"
