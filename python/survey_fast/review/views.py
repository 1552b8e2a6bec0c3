"""Views of a session: how far it is, what comes next, which part of the queue is shown.

1. The next unresolved item is the next pending one, round the queue. The next open one is the
   next that nobody decided or resolved, so that nothing open is ever called done.
2. What was resolved before the review counts as accepted, and is counted apart as well.
3. Looking never changes a session. Every view is one pass over the queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from survey_fast.canon.text import trim
from survey_fast.errors import refusal
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.display import card_state, display_text, is_pre_resolved, row_status
from survey_fast.review.open_items import open_items
from survey_fast.review.state import State

__all__ = [
    "Disposition",
    "QueueWindow",
    "Summary",
    "current_item",
    "next_open",
    "next_unresolved",
    "queue_window",
    "search_texts",
    "summary",
]

Disposition: TypeAlias = Literal[
    "all", "unresolved", "accepted", "kept", "rejected", "could-not-confirm"
]

_SAFE_INTEGER: Final = 2**53 - 1
_PAGE_SIZE: Final = 50
_MAX_PAGE_SIZE: Final = 250


def current_item(state: State) -> Item:
    """The active item, else the first.

    Raises QueueError (``empty-queue``) when there are no items.
    """
    items = state["items"]
    if not items:
        message = "the queue is empty, so no item is current"
        raise refusal("empty-queue", message, "/items")
    item: Item = items[_active_place(state)]
    return item


def _active_place(state: State) -> int:
    """The place of the active item; the first when no item has that name."""
    active = state["activeItemName"]
    places = (place for place, item in enumerate(state["items"]) if item_name(item) == active)
    return next(places, 0)


def _from_the_next(state: State) -> Iterator[Item]:
    """Every item once, from the one after the active item, round to the active one."""
    items = state["items"]
    after = _active_place(state) + 1
    yield from items[after:]
    yield from items[:after]


def next_unresolved(state: State) -> str | None:
    """The name of the next pending item after the active one, round the queue.

    The active item and escalated ones are never named: they are in somebody's hands.
    """
    decisions, active = state["decisionsByItemName"], state["activeItemName"]
    for item in _from_the_next(state):
        name = item_name(item)
        if row_status(item, decisions.get(name), is_active=name == active) == "pending":
            return name
    return None


def next_open(state: State) -> str | None:
    """The name of the next item that is neither decided nor resolved, the active one last."""
    still = set(open_items(state))
    names = (item_name(item) for item in _from_the_next(state))
    return next((name for name in names if name in still), None)


@dataclass(frozen=True, slots=True)
class Summary:
    """How many items stand where.

    Attributes:
        accepted: accepted, chosen, or resolved before the review.
        kept_current: the current value was kept.
        rejected: rejected.
        could_not_confirm: could not be confirmed.
        escalated: undecided and escalated by the producer.
        unresolved: all others.
        pre_resolved: those of ``accepted`` that nobody decided.
    """

    accepted: int
    kept_current: int
    rejected: int
    could_not_confirm: int
    escalated: int
    unresolved: int
    pre_resolved: int

    def to_json(self) -> dict[str, int]:
        """The counts; ``couldNotConfirm`` and ``preResolved`` only where they are not zero."""
        counts = {
            "accepted": self.accepted,
            "escalated": self.escalated,
            "keptCurrent": self.kept_current,
            "rejected": self.rejected,
            "unresolved": self.unresolved,
        }
        if self.could_not_confirm:
            counts["couldNotConfirm"] = self.could_not_confirm
        if self.pre_resolved:
            counts["preResolved"] = self.pre_resolved
        return counts


def summary(state: State) -> Summary:
    """The counts over the whole queue."""
    decisions = state["decisionsByItemName"]
    counts = Counter(_counted_as(item, decisions.get(item_name(item))) for item in state["items"])
    return Summary(
        accepted=counts["accepted"] + counts["pre-resolved"],
        kept_current=counts["kept"],
        rejected=counts["rejected"],
        could_not_confirm=counts["could-not-confirm"],
        escalated=counts["escalated"],
        unresolved=counts["unresolved"],
        pre_resolved=counts["pre-resolved"],
    )


def _counted_as(item: Item, kind: str | None) -> str:
    if kind is not None:
        return card_state(item, kind)
    if is_pre_resolved(item):
        return "pre-resolved"
    return "escalated" if item["spec"].get("candidateSetStatus") == "escalated" else "unresolved"


@dataclass(frozen=True, slots=True)
class QueueWindow:
    """A page of the items that match.

    Attributes:
        items: the items of the page.
        total_matching: how many match in all.
        page: from 0.
        page_count: at least 1.
        start: place of the first item among those that match.
        end: place behind the last.
    """

    items: tuple[Item, ...]
    total_matching: int
    page: int
    page_count: int
    start: int
    end: int


def search_texts(item: Item) -> tuple[str, ...]:
    """What a query is looked for in, case-folded. A server computes this once for an item."""
    metadata = item["metadata"]
    shown_by = metadata.get("producer", {}).get("displayName")
    texts = [item_name(item), item["spec"]["target"]]
    if isinstance(shown_by, str):
        texts.append(shown_by)
    texts += [display_text(one["value"]) for one in candidates_of(item)]
    return tuple([text.casefold() for text in texts])


def queue_window(
    state: State,
    query: str = "",
    disposition: Disposition = "all",
    page: object = 0,
    page_size: object = _PAGE_SIZE,
    texts: Sequence[tuple[str, ...]] | None = None,
) -> QueueWindow:
    """A page of the items that match a query and stand in a disposition.

    Args:
        state: the session.
        query: looked for in names, targets, the producer's name and values, in any case.
        disposition: ``unresolved`` means to be reviewed; the others are states of the card.
        page: from 0; one that is no whole number counts as 0, one too high as the last.
        page_size: at most 250; one that is no whole number above 0 counts as 50.
        texts: ``search_texts`` of every item, where they are at hand.

    Raises:
        ValueError: a disposition that is none.
    """
    if disposition not in get_args(Disposition):
        message = f"{disposition!r} is no disposition; there are {get_args(Disposition)}"
        raise ValueError(message)
    found = _matching(state, trim(query).casefold(), disposition, texts)
    size = min(_whole(page_size, 1, _PAGE_SIZE), _MAX_PAGE_SIZE)
    page_count = max(1, -(-len(found) // size))
    shown = min(_whole(page, 0, 0), page_count - 1)
    start = shown * size
    items = tuple(found[start : start + size])
    return QueueWindow(items, len(found), shown, page_count, start, start + len(items))


def _matching(
    state: State, query: str, disposition: str, texts: Sequence[tuple[str, ...]] | None
) -> list[Item]:
    decisions = state["decisionsByItemName"]
    wanted = "review" if disposition == "unresolved" else disposition
    found = []
    for place, item in enumerate(state["items"]):
        if wanted != "all" and card_state(item, decisions.get(item_name(item))) != wanted:
            continue
        if query:
            looked_in = search_texts(item) if texts is None else texts[place]
            if not any(query in text for text in looked_in):
                continue
        found.append(item)
    return found


def _whole(value: object, least: int, otherwise: int) -> int:
    """``value`` as a whole number that a double holds exactly, else ``otherwise``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    if not least <= value <= _SAFE_INTEGER or value != int(value):
        return otherwise
    return int(value)
