"""The items of a run, as ``decide`` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from survey_fast.attest import Attestation
from survey_fast.cli.output import Output, counted
from survey_fast.cli.session.card import Card, card_of, tell_cards, tell_details
from survey_fast.cli.session.hints import unknown_name
from survey_fast.cli.session.listing import tell_list
from survey_fast.cli.session.rows import Rows
from survey_fast.cli.session.stored import tell_unverified
from survey_fast.review.conditions import is_blind
from survey_fast.review.decisions import Item, item_name
from survey_fast.review.fold import Fold
from survey_fast.review.state import Decided
from survey_fast.review.stream import completion
from survey_fast.runs.opened import Run

__all__ = ["Listed", "Shown", "Wanted", "tell_listed"]


@dataclass(frozen=True)
class Shown:
    """A run that was opened, as its items are shown."""

    run: Run

    @property
    def attestation(self) -> Attestation:
        """What is known about its queue."""
        return self.run.attestation

    @property
    def is_blind(self) -> bool:
        """Whether scores are kept from the reviewer."""
        return is_blind(self.run.state)

    @property
    def is_completed(self) -> bool:
        """Whether a host ended the round."""
        return completion(self.run.log.events, stamped=True) is not None

    @cached_property
    def fold(self) -> Fold:
        """The state after its events."""
        return Fold(self.run.state).apply(self.run.log.events)

    @cached_property
    def decided(self) -> dict[str, Decided]:
        """The decisions by item name."""
        return {item_name(item): one for item, one in self.fold.decided()}

    @cached_property
    def rows(self) -> Rows:
        """Its items by field and row."""
        return Rows(self.run.state["items"], self.run.imported.record_bytes)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are asked for.

    Attributes:
        item: the one of this name.
        field: those about this field, or in this row of it.
        is_whole: the decided ones too, where none is named.
        offset: how many to pass over.
        limit: the most to list, if that was said.
    """

    item: str | None
    field: str | None
    is_whole: bool
    offset: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class Listed:
    """Items that were asked for.

    Attributes:
        shown: the run.
        matching: how many there are.
        start: how many were passed over.
        cards: those that are listed.
    """

    shown: Shown
    matching: int
    start: int
    cards: Sequence[Card]

    @classmethod
    def of(cls, shown: Shown, wanted: Wanted, most: int | None) -> Listed:
        """The items of a run; at most ``most`` where ``wanted`` does not say how many.

        Raises DecisionError: ``unknown-review-item``.
        """
        items = _matching(shown, wanted)
        limit = most if wanted.limit is None else wanted.limit
        end = len(items) if limit is None else wanted.offset + limit
        cards = [card_of(shown, item) for item in items[wanted.offset : end]]
        return cls(shown, len(items), wanted.offset, cards)

    @property
    def left(self) -> int:
        """How many items of the run nobody decided."""
        return len(self.shown.fold.items) - len(self.shown.decided)

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        run = self.shown.run
        body: dict[str, Any] = {
            "run": run.manifest.resource,
            "revision": run.revision,
            "scoreBlind": self.shown.is_blind,
            "completed": self.shown.is_completed,
            "open": self.left,
            "matching": self.matching,
            "offset": self.start,
            "items": [card.to_json() for card in self.cards],
        }
        return body if run.blocked is None else body | {"blocked": run.blocked}


def _matching(shown: Shown, wanted: Wanted) -> Sequence[Item]:
    items = [*shown.fold.items.values()]
    if wanted.item is None and wanted.field is None:
        return [one for one in items if wanted.is_whole or item_name(one) not in shown.decided]
    if wanted.field is not None:
        items = [*shown.rows.about(wanted.field)]
        if not items:
            raise unknown_name(shown, "field", wanted.field)
    if wanted.item is not None:
        items = [one for one in items if item_name(one) == wanted.item]
        if not items:
            raise unknown_name(shown, "item", wanted.item)
    return items


def tell_listed(output: Output, listed: Listed) -> None:
    """The items, for people: a line each, or one in detail."""
    shown, cards = listed.shown, listed.cards
    blind = ", score-blind" if shown.is_blind else ""
    over = ", completed" if shown.is_completed else ""
    count = counted(len(shown.fold.items), "item")
    output.line(f"{shown.run.manifest.resource}: {count}{blind}{over}", "heading")
    is_done = "everything is decided; --all lists it" if shown.fold.items else "there is no item"
    output.line(f"{listed.left:,} to decide" if listed.left else is_done)
    output.line(f"revision {shown.run.revision}")
    if shown.run.blocked is not None:
        output.note("the run never bound its envelope: it can be read and not be decided", "bad")
    tell_unverified(output, shown.attestation)
    if not listed.matching:
        return
    output.line()
    if listed.matching == 1 and cards:
        tell_cards(output, cards)
        tell_details(output, cards[0])
    elif cards:
        tell_list(output, cards)
    if len(cards) < listed.matching:
        output.line(_window(listed))


def _window(listed: Listed) -> str:
    of = f"of {listed.matching:,}"
    if not listed.cards:
        return f"none {of} from --offset {listed.start} on"
    end = listed.start + len(listed.cards)
    told = f"{listed.start + 1:,} to {end:,} {of}"
    more = f"; --offset {end} goes on, --limit N lists more at once"
    return told + (more if end < listed.matching else "")
