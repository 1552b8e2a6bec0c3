"""Who decided, and when: the host's stamp on an event.

1. The host writes reviewer, time and mode on each event it appends; whatever a client sent in
   those places is replaced.
2. The stamp is ``metadata.producer["survey-fast/review-attribution"]``; the reference system's
   key is read as well. With it the event's actor and time count, without it the snapshot's.
3. A stamp that is there and malformed is a defect of the event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from survey_fast.errors import refusal

__all__ = [
    "ATTRIBUTION_KEY",
    "HOST_KEYS",
    "UNATTRIBUTED",
    "Mode",
    "Reviewer",
    "host_stamp",
    "is_reviewer",
    "mode_of",
    "stamp_events",
    "stamp_fault",
]

ATTRIBUTION_KEY: Final = "survey-fast/review-attribution"
HOST_KEYS: Final = (ATTRIBUTION_KEY, "fieldwork.kontourai.io/review-attribution")
"""Where a host's stamp stands: ours, and the reference system's."""
UNATTRIBUTED: Final = "unattributed"

ActorKind: TypeAlias = Literal["human", "agent", "unattributed"]
Mode: TypeAlias = Literal["individual", "batch", "agent"]
_ACTOR_KINDS: Final = frozenset({"human", "agent", "unattributed"})
_MODES: Final = frozenset({"individual", "batch", "agent"})
_MEMBERS: Final = frozenset({"actorKind", "mode", "clientClaimedActorId"})
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """The reviewer a host is configured with; without one, decisions are unattributed."""

    id: str = UNATTRIBUTED
    kind: ActorKind = "unattributed"

    @classmethod
    def named(cls, reviewer_id: str, kind: Literal["human", "agent"] = "human") -> Reviewer:
        """A reviewer by id: a letter or digit, then also ``. _ : @ -``, 128 characters at most.

        Raises:
            DecisionError: ``decision-malformed`` for an id that is none, or ``unattributed``.
        """
        if _ID.fullmatch(reviewer_id) is None or reviewer_id == UNATTRIBUTED:
            message = (
                f"{reviewer_id!r} is no reviewer id: a letter or digit, then also . _ : @ -, "
                "128 characters at most, and not the word kept for nobody"
            )
            raise refusal("decision-malformed", message, "/reviewer")
        return cls(reviewer_id, kind)


def host_stamp(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The stamp of an event that passed :func:`stamp_fault`, ours or the reference system's."""
    producer = event["metadata"].get("producer")
    if not producer:
        return None
    for key in HOST_KEYS:
        if key in producer:
            stamp: Mapping[str, Any] = producer[key]
            return stamp
    return None


@lru_cache(maxsize=64)  # a history repeats few, and one append has one
def is_reviewer(actor_id: str, kind: str) -> bool:
    """Whether a host could have stamped this actor: nobody has the word for nobody as a name."""
    is_nobody = actor_id == UNATTRIBUTED
    return is_nobody == (kind == "unattributed") and _ID.fullmatch(actor_id) is not None


def stamp_fault(producer: Mapping[str, Any]) -> str | None:
    """What is wrong with the stamp in an event's producer block, if it holds one."""
    for key in HOST_KEYS:
        if key not in producer:
            continue
        stamp = producer[key]
        if not isinstance(stamp, dict) or not set(stamp) <= _MEMBERS:
            return "a host stamp holds actorKind, mode and perhaps clientClaimedActorId"
        kind, mode = stamp.get("actorKind"), stamp.get("mode")
        if not isinstance(kind, str) or not isinstance(mode, str):
            return "a host stamp names a kind of actor and a mode"
        if kind not in _ACTOR_KINDS or mode not in _MODES:
            return "a host stamp names a kind of actor and a mode"
        if not isinstance(stamp.get("clientClaimedActorId", ""), str):
            return "clientClaimedActorId is a string"
    return None


def mode_of(reviewer: Reviewer, events: Sequence[Mapping[str, Any]]) -> Mode:
    """``agent`` for an agent, ``batch`` when more than one item is decided, else individual."""
    if reviewer.kind == "agent":
        return "agent"
    items = {
        event["spec"].get("reviewItemName")
        for event in events
        if event["spec"]["eventType"] in {"decision-changed", "decision-submitted"}
        and event["spec"].get("data", {}).get("workbenchDecision") is not None
    }
    return "batch" if len(items) > 1 else "individual"


def stamp_events(
    events: Sequence[Mapping[str, Any]], *, reviewer: Reviewer, now: str, default_actor: str
) -> list[dict[str, Any]]:
    """Copies of ``events`` with reviewer, time and mode written by the host.

    Args:
        events: the events of one append.
        reviewer: who the host says decides.
        now: the host's clock, one instant for the append.
        default_actor: the round's own actor; a client that names it claims nothing.
    """
    mode = mode_of(reviewer, events)
    stamped = []
    for event in events:
        claimed = event["spec"].get("actor", {}).get("id")
        stamp: dict[str, Any] = {"actorKind": reviewer.kind, "mode": mode}
        if claimed not in {None, reviewer.id, default_actor}:
            stamp["clientClaimedActorId"] = claimed
        metadata = event["metadata"]
        producer = {**metadata.get("producer", {}), ATTRIBUTION_KEY: stamp}
        spec = {**event["spec"], "actor": {"id": reviewer.id}, "occurredAt": now}
        stamped.append({**event, "metadata": {**metadata, "producer": producer}, "spec": spec})
    return stamped
