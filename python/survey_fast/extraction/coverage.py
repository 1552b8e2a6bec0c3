"""Which ranges of the prepared text were read, chunk by chunk.

==============================================  =========================================
what became of the part that was sent           status and reason
==============================================  =========================================
answered                                        ``complete``
answered, and the answer hit the output cap     ``output-truncated``
the call failed, or the answer was unusable     ``unread``, ``provider-failure``
no tool call, whatever else is said             ``unread``, ``missing-tool-call``
not dispatched, by a stop or the cap            ``unread``, ``not-dispatched``
==============================================  =========================================

What did not fit into the message of a dispatched chunk is a range of its own: ``unread``,
``content-truncated``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["ChunkRange", "Range", "State", "covered", "first_loss"]

State: TypeAlias = Literal[
    "complete", "output-truncated", "provider-failure", "missing-tool-call", "not-dispatched"
]
"""What became of a chunk: its status, or the reason why it was not read."""

_STATUSES = frozenset({"complete", "output-truncated"})


@dataclass(frozen=True, slots=True)
class ChunkRange:
    """What a chunk is of the prepared text, in UTF-16 code units, ends exclusive.

    Attributes:
        number: counts from 1.
        start, end: the range.
        sent_end: where the part ends that fits into one message.
    """

    number: int
    start: int
    end: int
    sent_end: int


@dataclass(frozen=True, slots=True)
class Range:
    """One entry of the coverage."""

    chunk: int
    start: int
    end: int
    status: str
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The entry as an envelope has it."""
        body: dict[str, Any] = {
            "chunk": self.chunk,
            "start": self.start,
            "end": self.end,
            "status": self.status,
        }
        return body if self.reason is None else body | {"reason": self.reason}


def covered(states: Iterable[tuple[ChunkRange, State]]) -> list[Range]:
    """The coverage, by start and then by end."""
    ranges: list[Range] = []
    for chunk, state in states:
        if state == "not-dispatched":
            ranges.append(Range(chunk.number, chunk.start, chunk.end, "unread", state))
            continue
        is_read = state in _STATUSES
        status, reason = (state, None) if is_read else ("unread", state)
        ranges.append(Range(chunk.number, chunk.start, chunk.sent_end, status, reason))
        if chunk.sent_end < chunk.end:
            tail = Range(chunk.number, chunk.sent_end, chunk.end, "unread", "content-truncated")
            ranges.append(tail)
    return sorted(ranges, key=lambda one: (one.start, one.end))


def first_loss(ranges: Iterable[Range]) -> str | None:
    """The reason of a partial run that lost text: that of the first loss in the text's order."""
    for one in ranges:
        if one.status == "complete" or one.reason == "not-dispatched":
            continue
        if one.status == "output-truncated":
            return "output-truncated"
        return "content-truncated" if one.reason == "content-truncated" else "provider-failure"
    return None
