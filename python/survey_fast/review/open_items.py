"""What is still open: items that nobody decided and that were not resolved before the review.

A round is complete when nothing is open. Escalated items are open until they are decided, however
a summary counts them.
"""

from __future__ import annotations

from collections.abc import Sequence

from survey_fast.review.decisions import item_name
from survey_fast.review.display import is_pre_resolved
from survey_fast.review.fold import Fold
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
    return open_items(Fold(snapshot).apply(before).state())


def still_open(names: Sequence[str]) -> str:
    """The finding about a completion that came too early."""
    count = "1 item is" if len(names) == 1 else f"{len(names)} items are"
    return f"the round is not done: {count} open, first {names[0]!r}"
