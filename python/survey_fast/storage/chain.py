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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from survey_fast.canon import Json, Sha256Hex, canonical_json, sha256_hex
from survey_fast.errors import JsonError
from survey_fast.limits import BUNDLE

__all__ = [
    "BrokenChainError",
    "Event",
    "LogView",
    "empty_view",
    "extended",
    "line_count",
    "read_chain",
]

Event: TypeAlias = dict[str, Json]
"""One event as plain data. The log does not know what events mean."""

_Entry: TypeAlias = dict[str, Any]
_MEMBERS: Final = {"event", "previous", "remaining", "sequence"}
_BLOCK: Final = 1 << 20
_decode: Final = json.JSONDecoder().decode


class BrokenChainError(Exception):
    """A line that does not follow from those before it: its number, its place and why."""

    def __init__(self, line: int, offset: int, why: str) -> None:
        super().__init__(line, offset, why)
        self.line = line
        self.offset = offset
        self.why = why


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
        BrokenChainError: at the first line that does not follow.
    """
    if not data.startswith(known.text):
        known = empty_view(known.root)
    reading = _Reading(known)
    end = _end_of_lines(data, len(known.text))
    for at, block in _blocks(data, len(known.text), end):
        reading.take(at, block)
    del reading.events[reading.count :]
    tail, text = len(data) - reading.committed, data[: reading.committed]
    return LogView(known.root, reading.events, reading.head, tail, text)


def line_count(data: bytes) -> int:
    """How many lines :func:`read_chain` would look at."""
    return data.count(b"\n", 0, _end_of_lines(data, 0))


def _end_of_lines(data: bytes, start: int) -> int:
    """Where the whole lines end: behind the last line feed before any NUL."""
    nul = data.find(0, start)
    return data.rfind(b"\n", start, len(data) if nul < 0 else nul) + 1 or start


def _blocks(data: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Runs of whole lines, small enough that their copies do not matter."""
    while start < end:
        stop = data.rfind(b"\n", start, min(start + _BLOCK, end)) + 1
        if not stop:
            stop = data.find(b"\n", start, end) + 1
        yield start, data[start:stop]
        start = stop


class _Reading:
    """Takes the lines of a log one block after the other."""

    def __init__(self, known: LogView) -> None:
        self.events = known.events.copy()
        self.count = known.count
        self.head = known.head
        self.committed = len(known.text)
        self._previous = known.head
        self._remaining = 0

    def take(self, at: int, block: bytes) -> None:
        """Read the lines of ``block``, which starts at byte ``at``."""
        lines = block.split(b"\n")
        lines.pop()
        values = _values(lines)
        for line, entry in zip(lines, values, strict=False):
            if why := self._fault(entry):
                raise BrokenChainError(len(self.events) + 1, at, why)
            at += len(line) + 1
            self._add(entry, sha256_hex(line + b"\n"), at)
        if len(values) < len(lines):
            raise BrokenChainError(len(self.events) + 1, at, "is not canonical JSON")

    def _fault(self, entry: Any) -> str:  # noqa: ANN401 - any JSON value
        """Why an entry does not follow; empty when it does."""
        is_entry = isinstance(entry, dict) and entry.keys() == _MEMBERS
        if not is_entry or not isinstance(entry["event"], dict):
            return "is no object of event (an object), previous, remaining and sequence"
        sequence, remaining = entry["sequence"], entry["remaining"]
        if type(sequence) is not int or sequence != len(self.events) + 1:
            return "does not carry the next sequence number"
        if entry["previous"] != self._previous:
            return "does not follow the line before it"
        if type(remaining) is not int or remaining < 0:
            return "does not say how many lines still follow"
        if self._remaining and remaining != self._remaining - 1:
            return "does not count down the lines of its append"
        return ""

    def _add(self, entry: _Entry, digest: Sha256Hex, end: int) -> None:
        self._previous = digest
        self._remaining = entry["remaining"]
        self.events.append(entry["event"])
        if not self._remaining:
            self.head, self.count, self.committed = digest, len(self.events), end


def _values(lines: list[bytes]) -> list[Any]:
    """The values of the lines up to the first that is not canonical JSON.

    Each line is proven to be one whole value; after that they are parsed in one go.
    """
    sound = next((n for n, line in enumerate(lines) if not _is_canonical(line)), len(lines))
    values: list[Any] = _decode((b"[%b]" % b",".join(lines[:sound])).decode())
    return values


def _is_canonical(line: bytes) -> bool:
    try:
        return canonical_json(line, max_bytes=BUNDLE.ceiling) == line
    except JsonError:
        return False
