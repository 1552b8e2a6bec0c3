"""Offsets of a text in UTF-16 code units, the unit of every span, beside Python's characters.

A text without characters above U+FFFF counts alike in both, and costs nothing. Otherwise only the
places of those characters are kept, so a conversion is a binary search.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

__all__ = ["Units", "units_of"]

_PAIRED: Final = re.compile("[\U00010000-\U0010ffff]")


def units_of(text: str) -> int:
    """How many UTF-16 code units ``text`` has."""
    return len(text) if text.isascii() else len(text) + sum(1 for _ in _PAIRED.finditer(text))


class Units:
    """One text, addressed by UTF-16 code units.

    Attributes:
        text: the text.
        length: its length in code units.
    """

    __slots__ = ("_starts", "length", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        pairs = () if text.isascii() else _PAIRED.finditer(text)
        # The n-th pair starts n units further on than its character does.
        self._starts = [found.start() + before for before, found in enumerate(pairs)]
        self.length = len(text) + len(self._starts)

    def splits_pair(self, offset: int) -> bool:
        """Whether an edge at ``offset`` would fall between the halves of a surrogate pair."""
        before = bisect_left(self._starts, offset)
        return before > 0 and self._starts[before - 1] + 1 == offset

    def whole(self, offset: int) -> int:
        """``offset``, or one less where it would split a pair."""
        return offset - 1 if self.splits_pair(offset) else offset

    def character(self, offset: int) -> int:
        """The index of the character at ``offset``, which must not split a pair."""
        return offset - bisect_left(self._starts, offset)

    def at(self, character: int) -> int:
        """The offset at which the character of that index starts."""
        places = range(len(self._starts))
        return character + bisect_left(places, character, key=lambda n: self._starts[n] - n)

    def slice(self, start: int, end: int) -> str:
        """The text from ``start`` to before ``end``; neither may split a pair."""
        return self.text[self.character(start) : self.character(end)]
