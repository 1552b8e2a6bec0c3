"""The text of an event log: what a line is, how lines chain, and where the committed part ends.

1. A line is canonical JSON ``{"event", "previous", "remaining", "sequence"}`` and a line feed.
   ``sequence`` counts from 1. ``previous`` is the SHA-256 of the line before, of the root file
   for the first one. ``remaining`` says how many lines of the same append still follow.
2. The committed part ends with the last line whose ``remaining`` is 0. Behind it may stand what
   a writer that died has left: chained lines of an append that never ended, then part of a line,
   or whatever begins with the line that holds the first NUL. That is the tail, and nobody reads it.
3. Anything else is a broken chain.

Pure functions of bytes; :mod:`survey_fast.storage.log` reads and writes them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from survey_fast.canon import Json, Sha256Hex, canonical_json, sha256_hex
from survey_fast.canon.lines import chained_lines

__all__ = [
    "Event",
    "LogView",
    "empty_view",
    "extended",
    "line_count",
    "read_chain",
]

Event: TypeAlias = dict[str, Json]
"""One event as plain data. The log does not know what events mean."""

_decode: Final = json.JSONDecoder().decode


@dataclass(frozen=True, slots=True)
class LogView:
    """The committed part of a log at one moment. Its events are shared: read, do not change.

    Attributes:
        root: SHA-256 of the file the log belongs to.
        events: in the order of the log.
        head: SHA-256 of the last committed line, of the root file when there is none.
        tail_bytes: length of what an unfinished append left behind.
        text: the committed bytes.
    """

    root: Sha256Hex
    events: list[Event]
    head: Sha256Hex
    tail_bytes: int
    text: bytes = field(repr=False)

    @property
    def count(self) -> int:
        """How many events are committed."""
        return len(self.events)

    @property
    def revision(self) -> str:
        """One token for exactly this state: equal tokens, equal history."""
        return f"{self.count}:{self.head}"


def empty_view(root: Sha256Hex) -> LogView:
    """A log without lines."""
    return LogView(root, [], root, 0, b"")


def extended(view: LogView, events: Sequence[Event]) -> LogView:
    """``view`` after one append of ``events``. Raises JsonError, TypeError as canonical JSON."""
    if not all(type(event) is dict for event in events):
        message = "an event is a dict of plain data"
        raise TypeError(message)
    head, lines = view.head, []
    for number, event in enumerate(events, 1):
        entry: Json = {
            "event": event,
            "previous": head,
            "remaining": len(events) - number,
            "sequence": view.count + number,
        }
        line = canonical_json(entry) + b"\n"
        head = sha256_hex(line)
        lines.append(line)
    written = [_decode(line.decode())["event"] for line in lines]
    return LogView(view.root, [*view.events, *written], head, 0, b"".join((view.text, *lines)))


def read_chain(data: bytes, known: LogView) -> LogView:
    """What is committed in ``data``, the bytes of a whole log.

    Args:
        data: the file.
        known: an earlier view, or an empty one. What ``data`` has in common with its text is
            not read again.

    Raises:
        BrokenLineError: at the first line that does not follow.
    """
    if not data.startswith(known.text):
        known = empty_view(known.root)
    start = len(known.text)
    found = chained_lines(
        data, start, _end_of_lines(data, start), count=known.count, head=known.head
    )
    events = [*known.events, *found.events] if known.events else found.events
    return LogView(known.root, events, found.head, len(data) - found.end, data[: found.end])


def line_count(data: bytes) -> int:
    """How many lines :func:`read_chain` would look at."""
    return data.count(b"\n", 0, _end_of_lines(data, 0))


def _end_of_lines(data: bytes, start: int) -> int:
    """Where the whole lines end: behind the last line feed before any NUL."""
    nul = data.find(0, start)
    return data.rfind(b"\n", start, len(data) if nul < 0 else nul) + 1 or start
