"""How a table is laid out for whoever reads it.

1. No word is left out, however narrow the place is, and none is broken but in columns of text,
   where one is that fills more than its column.
2. Without a width, which is how a pipe has it, a row is a line.
3. Within a width, the first of these that fits is taken: every cell whole; cells of several words
   broken at spaces, as long as their columns stay readable; the columns that name the row on a
   line of their own, the others beneath, and narrower; every cell on a line of its own behind its
   heading.
4. A row in which only the first cell is filled is a line that goes over all columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = ["Line", "Table"]

Line: TypeAlias = tuple[str, bool]
"""A line of text, and whether it is a heading."""

_GAP: Final = "   "
_INDENT: Final = "    "
_READABLE: Final = 24
_NARROW: Final = 12
"""Cells of the screen that a column of words keeps, in a line with all others and beneath."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be laid out.

    Attributes:
        headings: one for each column; an empty one says that the cells speak for themselves.
        rows: the cells, each one line of text, as many as there are headings.
        numeric: places of the columns that are numbers, which stand on the right.
        texts: places of the columns whose words may be broken when they are too long.
        keys: how many columns, counted from the first, say what a row is about. They are never
            broken.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    texts: frozenset[int] = frozenset()
    keys: int = 1

    def lines(self, width: int | None, rule: str = "-") -> Iterator[Line]:
        """The table in lines of at most ``width`` cells, as far as its words are no wider.

        Args:
            width: of the screen; ``None`` is as wide as it takes.
            rule: the character between headings and rows.
        """
        widest = self._naturals()
        every = range(len(self.headings))
        flat = self._fitted(widest, every, width)
        if flat is not None:
            yield from self._joined(flat, rule)
            return
        keys, rest = every[: self.keys], every[self.keys :]
        above = self._fitted(widest, keys, width)
        beneath = self._fitted(widest, rest, (width or 0) - len(_INDENT), _NARROW)
        if above is not None and beneath is not None and rest:
            yield from self._paired(above, beneath, rule)
            return
        yield from self._stacked(width or 0)

    def _naturals(self) -> list[int]:
        """The width of each column with every cell whole."""
        widest = [_width(heading) for heading in self.headings]
        for row in self.rows:
            for place, cell in enumerate(row if not _is_span(row) else ()):
                widest[place] = max(widest[place], _width(cell))
        return widest

    def _fitted(
        self,
        widest: Sequence[int],
        places: Sequence[int],
        width: int | None,
        kept: int = _READABLE,
    ) -> dict[int, int] | None:
        """A width for each column of ``places``, or nothing where there is no room for them."""
        found = {place: widest[place] for place in places}
        gaps = len(_GAP) * (len(places) - 1)
        if width is None or sum(found.values()) + gaps <= width:
            return found
        least = {place: self._least(place, widest[place], kept) for place in places}
        spare = width - gaps - sum(least.values())
        if spare < 0:
            return None
        lacking = sum(found.values()) - sum(least.values())
        return {
            place: least[place] + (found[place] - least[place]) * spare // lacking
            for place in places
        }

    def _least(self, place: int, widest: int, kept: int) -> int:
        """The width below which a column is not made narrower."""
        if place < self.keys or place in self.numeric:
            return widest
        least = max(min(widest, kept), _width(self.headings[place]))
        if place in self.texts:
            return least
        words = (word for row in self.rows for word in row[place].split(" "))
        return max(least, max(map(_width, words), default=0))

    def _joined(self, widths: dict[int, int], rule: str) -> Iterator[Line]:
        for line in self._block(self.headings, widths):
            yield line, True
        yield rule * (sum(widths.values()) + len(_GAP) * (len(widths) - 1)), False
        for row in self.rows:
            for line in self._block(row, widths):
                yield line, False

    def _paired(self, above: dict[int, int], beneath: dict[int, int], rule: str) -> Iterator[Line]:
        parts = ((above, ""), (beneath, _INDENT))
        for widths, indent in parts:
            for line in self._block(self.headings, widths, indent):
                yield line, True
        totals = [
            len(indent) + sum(widths.values()) + len(_GAP) * (len(widths) - 1)
            for widths, indent in parts
        ]
        yield rule * max(totals), False
        for row in self.rows:
            for widths, indent in parts:
                # A row that goes on with the one before it names nothing again.
                if any(row[place] for place in widths):
                    for line in self._block(row, widths, indent):
                        yield line, False

    def _block(self, row: Sequence[str], widths: dict[int, int], indent: str = "") -> Iterator[str]:
        """The lines of one row."""
        if _is_span(row):
            yield f"{indent}{row[0]}"
            return
        cells = {
            place: _wrapped(row[place], width, is_text=place in self.texts)
            for place, width in widths.items()
        }
        for number in range(max(map(len, cells.values()))):
            parts = []
            for place, width in widths.items():
                text = cells[place][number] if number < len(cells[place]) else ""
                blank = " " * (width - _width(text))
                parts.append(f"{blank}{text}" if place in self.numeric else f"{text}{blank}")
            yield (indent + _GAP.join(parts)).rstrip()

    def _stacked(self, width: int) -> Iterator[Line]:
        column = max(map(_width, self.headings))
        room = max(width - column - len(_GAP), 1)
        for number, row in enumerate(self.rows):
            if number:
                yield "", False
            for heading, cell in zip(self.headings, row, strict=True):
                if not cell:
                    continue
                name = f"{heading}{' ' * (column - _width(heading))}"
                for part in _wrapped(cell, room, is_text=False):
                    yield f"{name}{_GAP}{part}", False
                    name = " " * column


def _is_span(row: Sequence[str]) -> bool:
    return len(row) > 1 and not any(row[1:])


def _wrapped(text: str, width: int, *, is_text: bool) -> list[str]:
    """A cell in lines, broken at spaces; that of a text within words where it has to be."""
    if _width(text) <= width:
        return [text]
    lines: list[str] = []
    line: str | None = None
    for word in _parts(text, width) if is_text else text.split(" "):
        longer = word if line is None else f"{line} {word}"
        if line is not None and line.strip() and _width(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line or ""]


def _parts(text: str, width: int) -> Iterator[str]:
    """The words of a text, those wider than a column in parts."""
    for word in text.split(" "):
        yield from _broken(word, width)


def _broken(word: str, width: int) -> list[str]:
    """A word in parts that are no wider than a column, as far as its characters are not."""
    if _width(word) <= width:
        return [word]
    parts = [""]
    for character in word:
        if parts[-1] and _width(parts[-1] + character) > width:
            parts.append("")
        parts[-1] += character
    return parts


def _width(text: str) -> int:
    """Cells of the screen that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
