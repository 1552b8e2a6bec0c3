"""What a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

__all__ = ["did_you_mean", "nearest"]

_MOST: Final = 3
_COMPARED: Final = 2_000
"""Names that are looked at: comparing is slow, and a hint is no search."""
_LONGEST: Final = 200
_LIKENESS: Final = 0.7
_TELLING: Final = 3
"""So many characters of a name are enough to look for names that hold them."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three names that are like ``name``, the nearest first.

    One that differs in case only is the only one that was meant; one that holds what was typed is
    nearer than one that is spelled alike.
    """
    from difflib import get_close_matches

    typed = name.casefold()
    if not typed or len(typed) > _LONGEST:
        return []
    looked_at = [one for one in islice(known, _COMPARED) if len(one) <= _LONGEST]
    folded: dict[str, str] = {}
    for one in looked_at:
        folded.setdefault(one.casefold(), one)
    if typed in folded:
        return [folded[typed]]
    holding = [one for key, one in folded.items() if len(typed) >= _TELLING and typed in key]
    alike = [folded[key] for key in get_close_matches(typed, folded, _MOST, _LIKENESS)]
    return list(dict.fromkeys([*sorted(holding, key=len), *alike]))[:_MOST]


def did_you_mean(names: Iterable[str]) -> str:
    """The question, or nothing where there is no name to ask about."""
    *others, last = [*names] or [""]
    if not last:
        return ""
    return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"
