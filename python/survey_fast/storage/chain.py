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

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from survey_fast.canon import Json, Sha256Hex, canonical_json, sha256_hex
from survey_fast.canon.collector import collector_paused
from survey_fast.canon.lines import chained_lines, line_events

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


@dataclass(frozen=True)
class LogView:
    """The committed part of a log at one moment. Its events are shared: read, do not change.

    Attributes:
        root: SHA-256 of the file the log belongs to.
        count: how many events are committed.
        head: SHA-256 of the last committed line, of the root file when there is none.
        tail_bytes: length of what an unfinished append left behind.
        text: the committed bytes.
    """

    root: Sha256Hex
    count: int
    head: Sha256Hex
    tail_bytes: int
    text: bytes = field(repr=False)
    _shared: tuple[list[Event], int] = field(default=([], 0), repr=False, compare=False)
    """Events that an earlier view took off the first so many bytes of the text."""

    @cached_property
    def events(self) -> list[Event]:
        """The events in the order of the log, taken off its lines when first asked for."""
        before, start = self._shared
        with collector_paused():
            return [*before, *line_events(self.text, start)]

    @property
    def taken(self) -> tuple[list[Event], int]:
        """Events that were taken off already, and the length of the text they stand on."""
        known = self.__dict__.get("events")
        return self._shared if known is None else (known, len(self.text))

    def is_continued(self, text: bytes) -> bool:
        """Whether ``text`` begins with the committed bytes."""
        return text is self.text or text.startswith(self.text)

    @property
    def revision(self) -> str:
        """One token for exactly this state: equal tokens, equal history."""
        return f"{self.count}:{self.head}"


def empty_view(root: Sha256Hex) -> LogView:
    """A log without lines."""
    return LogView(root, 0, root, 0, b"")


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
    text = b"".join((view.text, *lines))
    return LogView(view.root, view.count + len(events), head, 0, text, view.taken)


def read_chain(data: bytes, known: LogView) -> LogView:
    """What is committed in ``data``, the bytes of a whole log.

    Args:
        data: the file.
        known: an earlier view, or an empty one. What ``data`` has in common with its text is
            not read again.

    Raises:
        BrokenLineError: at the first line that does not follow.
    """
    if not known.is_continued(data):
        known = empty_view(known.root)
    start = len(known.text)
    found = chained_lines(
        data, start, _end_of_lines(data, start), count=known.count, head=known.head
    )
    text, tail = data[: found.end], len(data) - found.end
    return LogView(known.root, found.count, found.head, tail, text, known.taken)


def line_count(data: bytes, known: LogView | None = None) -> int:
    """How many lines there are for :func:`read_chain`, those of ``known`` included."""
    count, start = 0, 0
    if known is not None and known.is_continued(data):
        count, start = known.count, len(known.text)
    return count + data.count(b"\n", start, _end_of_lines(data, start))


def _end_of_lines(data: bytes, start: int) -> int:
    """Where the whole lines end: behind the last line feed before any NUL."""
    nul = data.find(0, start)
    return data.rfind(b"\n", start, len(data) if nul < 0 else nul) + 1 or start
