"""Chained lines of canonical JSON, read natively: thousands of them in one call.

That lines follow from one another is checked apart from taking the events off them, which many
who read a log never ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from survey_fast import _core
from survey_fast.canon.digest import Sha256Hex
from survey_fast.canon.document import plain_data

__all__ = ["BrokenLineError", "CommittedLines", "chained_lines", "line_events"]


class BrokenLineError(Exception):
    """A line that does not follow: its number from 1, its byte offset, and why."""

    def __init__(self, line: int, offset: int, why: str) -> None:
        super().__init__(line, offset, why)
        self.line = line
        self.offset = offset
        self.why = why


@dataclass(frozen=True, slots=True)
class CommittedLines:
    """What is committed of the lines that were read.

    Attributes:
        count: lines up to the commit point, those before the start included.
        end: the byte offset behind the last of them.
        head: the digest of the last of them.
    """

    count: int
    end: int
    head: Sha256Hex


def chained_lines(
    data: bytes, start: int, end: int, *, count: int, head: Sha256Hex
) -> CommittedLines:
    """Read the lines of ``data`` from ``start`` to ``end``, byte offsets at which lines begin.

    Args:
        data: the text.
        start: where to begin.
        end: where the last whole line ends.
        count: how many lines stand before.
        head: the digest that the first line has to carry.

    Raises:
        BrokenLineError: a line that does not follow from those before it.
    """
    found, broken = _core.chained_lines(data, start, end, count, head)
    if found is None:
        assert broken is not None  # noqa: S101 - it is one of the two
        raise BrokenLineError(*broken)
    committed, offset, last = found
    return CommittedLines(committed, offset, Sha256Hex(last))


def line_events(text: bytes, start: int) -> list[Any]:
    """The events on the lines of ``text`` from ``start`` on, as plain data.

    Args:
        text: lines that were found to be committed.
        start: the byte offset at which the first of them begins.
    """
    return plain_data(_core.line_events(text, start))  # type: ignore[return-value]
