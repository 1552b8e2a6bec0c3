"""An unresolved escalation disputes the claim that it is attached to.

Its event is strictly later than every other event of the claim, whenever it was raised: an older
one would lose against the review, and a reader takes the earlier in the array where two events
share an instant. Several escalations of one claim follow one another in the order in which they
were raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast.canon import sort_names
from survey_fast.errors import refusal
from survey_fast.trust.instants import Instant, canonical_instant, instant, whole_instant
from survey_fast.trust.projection.identities import Identities

__all__ = ["escalation_events", "in_order", "later_than", "newest", "open_escalations"]

Record: TypeAlias = Mapping[str, Any]


def open_escalations(escalations: Iterable[Record]) -> dict[str, list[Record]]:
    """Attached, unresolved escalations by claim, each list in the order of events."""
    found: dict[str, list[Record]] = {}
    for escalation in escalations:
        claim_id = escalation.get("attachToClaimId")
        if claim_id is not None and "resolvedBy" not in escalation:
            found.setdefault(claim_id, []).append(escalation)
    return {claim_id: in_order(attached, "raisedAt") for claim_id, attached in found.items()}


def in_order(records: Sequence[Record], member: str) -> list[Record]:
    """Records by the instant that a member holds; of one instant, by id."""
    if len(records) == 1:
        return [*records]
    place = {name: at for at, name in enumerate(sort_names([one["id"] for one in records]))}
    return sorted(records, key=lambda one: (instant(one[member]) or 0, place[one["id"]]))


def escalation_events(
    event: Record, escalations: Iterable[Record], identities: Identities
) -> list[dict[str, Any]]:
    """The events of the escalations of one claim, whose own event is ``event``.

    Raises:
        ProjectionError: ``projection-time-out-of-range``.
    """
    events: list[dict[str, Any]] = []
    last: Record = event
    for escalation in escalations:
        raised_at = escalation["raisedAt"]
        bound = newest([last])
        is_later = (instant(raised_at) or 0) > bound
        # A fraction of a millisecond is later than nothing under readers that drop it.
        if not is_later or whole_instant(raised_at) == whole_instant(last["createdAt"]):
            raised_at = later_than(bound)
        last = {
            "id": identities.of("escalation-event", escalation["id"], "event"),
            "claimId": event["claimId"],
            "status": "disputed",
            "actor": escalation["raisedBy"],
            "method": "candidate-escalation",
            "evidenceIds": [],
            "createdAt": raised_at,
            "notes": f"[{escalation['dimension']}] {escalation['reason']}",
        }
        events.append(last)
    return events


def newest(events: Iterable[Record]) -> Instant:
    """The latest ``createdAt`` of some events, of which there is at least one."""
    return max(instant(event["createdAt"]) or 0 for event in events)


def later_than(moment: Instant) -> str:
    """One millisecond after ``moment``, fractions of one dropped.

    Raises:
        ProjectionError: ``projection-time-out-of-range``.
    """
    text = canonical_instant(moment + 1)
    if text is None:
        message = "the newest event of the claim is at the end of time; no event can follow it"
        raise refusal("projection-time-out-of-range", message, "")
    return text
