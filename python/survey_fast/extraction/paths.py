"""Field paths with numbers in them, as models write them.

``a[2].b[0].c`` is the declared path ``a[].b[].c`` with the indices 2 and 0, outermost first. A
path that is declared as it stands has no indices. The numbers are those of one answer: another
chunk of the same run counts anew, so they are not comparable across chunks.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

__all__ = ["declared_path"]

_INDEX: Final = re.compile(r"\[([0-9]+)\]")
_LARGEST: Final = 2**53 - 1
_DIGITS: Final = 16
"""Of the largest index; a longer run of digits is none."""


def declared_path(path: str, declared: Container[str]) -> tuple[str, tuple[int, ...] | None] | None:
    """The declared path that ``path`` stands for, and its indices if it has some.

    ``None`` when no declared path fits.
    """
    if path in declared:
        return path, None
    digits = _INDEX.findall(path)
    plain = _INDEX.sub("[]", path)
    if not digits or plain not in declared or any(len(one) > _DIGITS for one in digits):
        return None
    indices = tuple(map(int, digits))
    return (plain, indices) if max(indices) <= _LARGEST else None
