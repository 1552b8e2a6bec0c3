"""Items as a list: one line for each, whatever was decided on it.

The value of an item is the one that was chosen, or entered in its place. Where none is, all that
are offered stand side by side, parted by a bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from survey_fast.cli.output import Output, quoted
from survey_fast.cli.session.card import Card
from survey_fast.review.state import ABSENT

__all__ = ["tell_list"]

_BAR: Final = " | "
_PROPOSED: Final = "proposed"
_MOST_OF_NOTE: Final = 100
"""Characters of a note that a list has room for."""


def tell_list(output: Output, cards: Sequence[Card]) -> None:
    """A line for each item; a column is there when something stands in it.

    Where something is decided, its reviewer takes the place of what the model thought of it.
    """
    told = {heading: [cell(card) for card in cards] for heading, cell in _COLUMNS.items()}
    if any(told["reviewer"]):
        del told["confidence"]
    shown = [heading for heading, cells in told.items() if heading in _ALWAYS or any(cells)]
    rows = [*zip(*(told[heading] for heading in shown), strict=True)]
    output.table(shown, rows, texts=_TEXTS, keys=2)


def _cut(note: str) -> str:
    return note if len(note) <= _MOST_OF_NOTE else f"{note[: _MOST_OF_NOTE - 1]}…"


def _value(card: Card) -> str:
    decided = card.decided
    if decided is not None and decided.edited_value is not ABSENT:
        return quoted(decided.edited_value)
    offered = card.view.candidates
    for one, standing in zip(offered, card.standings, strict=False):
        if standing == "chosen":
            return quoted(one.value)
    return _BAR.join(
        quoted(one.value) if one.role in (None, _PROPOSED) else f"{one.role} {quoted(one.value)}"
        for one in offered
    )


def _excluded(card: Card) -> str:
    values = [quoted(one.value) for one in card.view.excluded_proposals or ()]
    return _BAR.join([*values, *(["?"] if card.view.excluded_proposals_unreadable else [])])


def _confidence(card: Card) -> str:
    told = [quoted(scores["confidence"]) for scores in card.scores if "confidence" in scores]
    return _BAR.join(told)


_COLUMNS: Final[dict[str, Callable[[Card], str]]] = {
    "field": lambda card: card.field,
    "item": lambda card: card.view.name,
    "state": lambda card: card.status,
    "value": _value,
    "excluded": _excluded,
    "confidence": _confidence,
    "reviewer": lambda card: "" if card.decided is None else card.decided.actor_id,
    "note": lambda card: _cut(card.view.note or ""),
}
_TEXTS: Final = "value|excluded|note"
_ALWAYS: Final = ("field", "item", "state", "value")
