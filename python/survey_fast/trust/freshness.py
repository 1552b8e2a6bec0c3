"""Whether a verified claim is still fresh, by its own window or by the rule of its policy.

The first of these decides: ``expiresAt``, ``ttlSeconds``, the validity rule of the policy. Windows
are counted from the event that verified the claim, exactly, in every status version.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from typing import Any, Final, TypeAlias

from survey_fast.trust.instants import Instant, after
from survey_fast.trust.policy import Policy

__all__ = ["Freshness", "freshness", "intrinsic_end"]

Record: TypeAlias = "dict[str, Any]"
Read: TypeAlias = "Callable[[object], Instant | None]"

_SECOND: Final = 1000
_DAY: Final = 86_400_000


class Freshness(Enum):
    """What a window or a rule says at some time."""

    FRESH = "fresh"
    STALE = "stale"
    UNEVALUABLE = "unevaluable"


def freshness(
    claim: Record,
    event: Record,
    policy: Policy | None,
    entailing: Collection[Record],
    now: Instant,
    read: Read,
) -> Freshness:
    """How fresh a claim is that ``event`` verified.

    Args:
        claim: the claim.
        event: its latest event.
        policy: the policy that counts, if any.
        entailing: evidence that supports the claim.
        now: the time of the question.
        read: what a text of time compares as; ``None`` for no time.
    """
    if "expiresAt" in claim or "ttlSeconds" in claim:
        return _at(intrinsic_end(claim, anchor_of(event), read), now)
    if policy is None:
        return Freshness.FRESH
    kind = policy.validity.get("kind")
    if kind in ("historical", "manual"):
        return Freshness.FRESH
    if kind == "commit":
        return _matches(claim, event, entailing)
    if kind == "duration":
        days = policy.validity.get("durationDays")
        return _at(_window(read(anchor_of(event)), days, _DAY), now)
    return Freshness.UNEVALUABLE


def anchor_of(event: Record) -> object:
    """The time that windows of an event are counted from, as it is written."""
    return event["verifiedAt"] if "verifiedAt" in event else event.get("createdAt")


def intrinsic_end(claim: Record, anchor: object, read: Read) -> Instant | None:
    """When a claim expires by its own members; ``None`` when that cannot be told."""
    if "expiresAt" in claim:
        return read(claim["expiresAt"])
    return _window(read(anchor), claim.get("ttlSeconds"), _SECOND)


def _window(start: Instant | None, length: object, unit: int) -> Instant | None:
    if start is None or not isinstance(length, int | float) or length < 0:
        return None
    return after(start, length, unit)


def _at(end: Instant | None, now: Instant) -> Freshness:
    if end is None:
        return Freshness.UNEVALUABLE
    return Freshness.STALE if now > end else Freshness.FRESH


def _matches(claim: Record, event: Record, entailing: Collection[Record]) -> Freshness:
    """Whether evidence that the event cites is about the claim's current commit."""
    current = claim.get("currentIntegrityRef")
    if not isinstance(current, str):
        return Freshness.UNEVALUABLE
    cited = frozenset(event["evidenceIds"])
    is_found = any(
        item["id"] in cited and item.get("integrityRef") == current for item in entailing
    )
    return Freshness.FRESH if is_found else Freshness.STALE
