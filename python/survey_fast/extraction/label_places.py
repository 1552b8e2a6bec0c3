"""Where a label of a task stands with a value: ``label: value``, value up to the line feed.

Exact case, anywhere in a line. A label inside a value is none of its own, and one without a
character behind it on its line is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["label_places"]


def label_places(text: str, label: str) -> Iterator[tuple[int, int, int]]:
    """Every place in order: start of the label, start of the value, end of the value.

    Offsets count characters of ``text``; the end is exclusive, and there is always a value.
    """
    written = f"{label}: "
    start = text.find(written)
    while start >= 0:
        value = start + len(written)
        end = text.find("\n", value)
        if end < 0:
            end = len(text)
        if end > value:
            yield start, value, end
        start = text.find(written, end if end > value else start + 1)
