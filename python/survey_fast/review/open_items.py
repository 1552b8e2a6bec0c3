"""What is still open: items that nobody decided and that were not resolved before the review.

A round is complete when nothing is open. Escalated items are open until they are decided, however
a summary counts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
    decided = set(snapshot["decisionsByItemName"])
    for event in _before(events, sequence):
        spec = event["spec"]
        if spec["eventType"] not in DECISION_EVENTS or "reviewItemName" not in spec:
            continue
        word = spec.get("data", _NOTHING).get("workbenchDecision", _NOTHING)
        if word is None:
            decided.discard(spec["reviewItemName"])
        elif kind_of(word) is not None:
            decided.add(spec["reviewItemName"])
    return [
        name
        for item in snapshot["items"]
        if (name := item_name(item)) not in decided and not is_pre_resolved(item)
    ]


def _before(events: Sequence[Event], sequence: int) -> Sequence[Event]:
    """The events of lower sequence in their order; those of a sound stream simply stand before."""
    place = sequence - 1
    is_sound = place < len(events) and all(
        event["spec"]["sequence"] == number for number, event in enumerate(events, 1)
    )
    if is_sound:
        return events[:place]
    numbered = [event for event in events if is_sequence(event["spec"]["sequence"])]
    ordered = sorted(numbered, key=lambda event: event["spec"]["sequence"])
    return [event for event in ordered if event["spec"]["sequence"] < sequence]


_NOTHING: Final[Mapping[str, Any]] = {}


def still_open(names: Sequence[str]) -> str:
    """The finding about a completion that came too early."""
    count = "1 item is" if len(names) == 1 else f"{len(names)} items are"
    return f"the round is not done: {count} open, first {names[0]!r}"
