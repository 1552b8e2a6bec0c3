"""Which parts of a page are no content, and how their removal is disclosed.

1. Scripts, styles and embedded things have no words of the page: they go silently.
2. Navigation, forms and what stands in for scripts go, and their text is named.
3. Headers, footers and asides of a page go likewise; those of an article are its content.
4. One warning names everything that was removed; the first five texts are quoted, each cut.
"""

from __future__ import annotations

from typing import Final

from survey_fast.extraction.notice import Notice
from survey_fast.extraction.units import units_of

__all__ = ["SILENT", "is_removed", "pruning_notice"]

SILENT: Final = frozenset({"script", "style", "iframe", "svg", "template", "head"})
"""Elements that are removed without a word."""
_ALWAYS: Final = frozenset({"nav", "form", "noscript"})
_OUTSIDE_ARTICLE: Final = frozenset({"header", "footer", "aside"})

_QUOTED: Final = 5
_QUOTE: Final = 60


def is_removed(tag: str, *, in_article: bool) -> bool:
    """Whether an element goes and its text is named."""
    return tag in _ALWAYS or (tag in _OUTSIDE_ARTICLE and not in_article)


def pruning_notice(removed: list[str]) -> Notice | None:
    """The warning about the texts that were removed, in page order, or nothing."""
    if not removed:
        return None
    characters = sum(units_of(text) for text in removed)
    quoted = [_cut(text) for text in removed[:_QUOTED]]
    more = len(removed) - len(quoted)
    rest = f", of which {more} more than are quoted" if more else ""
    parts = (
        "1 part of the page was" if len(removed) == 1 else f"{len(removed)} parts of the page were"
    )
    message = f"{parts} left out as no content of it, {characters} characters{rest}"
    details = {
        "elements": len(removed),
        "characters": characters,
        "quoted": quoted,
        "more": more,
    }
    return Notice("navigation-pruned", message, details)


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTE else text[:_QUOTE] + "\u2026"
