"""The windows in which a text is read.

1. Windows have a size and share an overlap with the next, both in UTF-16 code units; the last one
   ends with the text. A text that fits is one window, an empty one none.
2. No edge splits a surrogate pair: such an edge moves back by one, and a window of which nothing
   is left by that is left out.
3. At most ``max_chunks`` windows are to be read; the others are kept, so that what was not read
   can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from survey_fast.canon.arguments import index_argument, text_argument
from survey_fast.extraction.units import Units

__all__ = ["CHUNK_OVERLAP", "CHUNK_SIZE", "Window", "Windows", "chunk_windows"]

CHUNK_SIZE: Final = 12_000
CHUNK_OVERLAP: Final = 200


@dataclass(frozen=True, slots=True)
class Window:
    """One window.

    Attributes:
        number: from 1, in the order of reading; windows beyond the cap go on with the numbers.
        start, end: UTF-16 code units of the prepared text, end exclusive.
        text: what stands there.
    """

    number: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows to be read, and those that a cap leaves out."""

    read: tuple[Window, ...]
    capped: tuple[Window, ...]


def chunk_windows(
    text: str,
    *,
    chunk_size: int = CHUNK_SIZE,
    chunk_overlap: int = CHUNK_OVERLAP,
    max_chunks: int | None = None,
) -> Windows:
    """Divide a prepared text.

    Args:
        text: the prepared text.
        chunk_size: UTF-16 code units of a window; less than 1 counts as 1.
        chunk_overlap: of two neighbours; brought between 0 and one less than the size.
        max_chunks: windows to be read; less than 1 counts as 1, None is all of them.

    Raises:
        JsonError: ``json-lone-surrogate``.
        TypeError: not a text, or not a whole number.
    """
    units = Units(text_argument("text", text))
    size = max(1, index_argument("chunk_size", chunk_size))
    overlap = max(0, min(index_argument("chunk_overlap", chunk_overlap), size - 1))
    windows = [
        Window(number, start, end, units.slice(start, end))
        for number, (start, end) in enumerate(_windows(units, size, size - overlap), 1)
    ]
    cap = len(windows) if max_chunks is None else max(1, index_argument("max_chunks", max_chunks))
    return Windows(tuple(windows[:cap]), tuple(windows[cap:]))


def _windows(units: Units, size: int, step: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    reached = 0
    for start in range(0, units.length, step):
        end = units.whole(min(start + size, units.length))
        window = units.whole(start), end
        if window[0] < end and (not windows or windows[-1] != window):
            windows.append(window)
            reached = end
        if reached == units.length:
            break
    return windows
