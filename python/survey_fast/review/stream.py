"""A stream of events seen as a whole: its sequence, the final decision of each item, its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from survey_fast.review.attribution import host_stamp
from survey_fast.review.issues import EventIssue
from survey_fast.review.shape import DECISION_EVENTS

__all__ = [
    "Event",
    "about",
    "completion",
    "final_decisions",
    "is_completion",
    "is_sequence",
    "sequence_issues",
]

Event: TypeAlias = Mapping[str, Any]
"""A review session event as plain data."""

_LARGEST: Final = 2**53 - 1


def sequence_issues(events: Sequence[Event], *, known: int = 0) -> Iterator[EventIssue]:
    """Sequences that are none, stand twice or are out of place, behind ``known`` sound ones."""
    seen = set(range(1, known + 1))
    for place, event in enumerate(islice(events, known, None), known):
        sequence = event["spec"]["sequence"]
        if not is_sequence(sequence):
            yield about(event, "invalid-sequence", "a sequence counts from 1 to 2^53 - 1")
            continue
        if sequence in seen:
            yield about(event, "duplicate-sequence", f"{sequence} stands in the stream twice")
        if sequence != place + 1:
            message = f"{sequence} stands where {place + 1} was expected"
            yield about(event, "non-contiguous-sequence", message)
        seen.add(sequence)


def is_sequence(sequence: object) -> bool:
    """Whether this is an integer from 1 to 2^53 - 1; a bool is none."""
    return type(sequence) is int and 1 <= sequence <= _LARGEST


def about(event: Event, code: str, message: str) -> EventIssue:
    """A finding about one event."""
    spec = event["spec"]
    return EventIssue(
        code,
        message,
        spec.get("reviewItemName"),
        event_name=event["metadata"]["name"],
        sequence=spec["sequence"],
        candidate_id=spec.get("candidateId"),
    )


def final_decisions(events: Sequence[Event]) -> dict[str, Event]:
    """The decision event of the highest sequence for each item; a clear event counts."""
    final: dict[str, Event] = {}
    for event in events:
        spec = event["spec"]
        if spec["eventType"] in DECISION_EVENTS and "reviewItemName" in spec:
            name = spec["reviewItemName"]
            before = final.get(name)
            if before is None or _order(before) <= _order(event):
                final[name] = event
    return final


def _order(event: Event) -> int:
    sequence = event["spec"]["sequence"]
    return sequence if is_sequence(sequence) else -1


def is_completion(event: Event) -> bool:
    """Whether the event says that the round is over."""
    is_one: bool = event["spec"]["eventType"] == "session-completed"
    return is_one


def completion(events: Sequence[Event], *, stamped: bool) -> int | None:
    """The lowest sequence of a completion; of those alone that the host stamped, if so asked."""
    return min(
        (
            _order(event)
            for event in events
            if is_completion(event)
            and is_sequence(event["spec"]["sequence"])
            and (not stamped or host_stamp(event) is not None)
        ),
        default=None,
    )
