"""What is shown of one item: its values, what was decided, the rivals left out.

Everything but scores comes out of the blind view, so that a blind session has no place where one
could stand. A sighted session adds the scores that the item has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from survey_fast.attest import Attestation
from survey_fast.audit.blind import BlindItem, blind_item
from survey_fast.cli.output import Output, quoted
from survey_fast.cli.session.rows import Rows
from survey_fast.imports.path_indices import Indices
from survey_fast.review.decisions import (
    KINDS,
    Item,
    candidates_of,
    item_name,
    named_candidate,
)
from survey_fast.review.display import card_state, row_status
from survey_fast.review.fold import Fold
from survey_fast.review.prompt import decision_prompt
from survey_fast.review.state import ABSENT, Decided

__all__ = ["Card", "Reviewed", "card_of", "tell_cards", "tell_details"]

_SCORES: Final = ("confidence", "sourceRank", "verifications")
_STANDINGS: Final = {"chosen": "Chosen", "not-chosen": "Not chosen"}


class Reviewed(Protocol):
    """What items and decisions are shown from, a session or a run.

    Attributes:
        attestation: what is known about its queue and the import.
        fold: the state after its events.
        decided: the decisions by item name.
        is_blind: whether scores are kept from the reviewer.
        rows: its items by field and row.
    """

    @property
    def attestation(self) -> Attestation | None: ...  # noqa: D102 - described above
    @property
    def fold(self) -> Fold: ...  # noqa: D102
    @property
    def decided(self) -> Mapping[str, Decided]: ...  # noqa: D102
    @property
    def is_blind(self) -> bool: ...  # noqa: D102
    @property
    def rows(self) -> Rows: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Card:
    """One item as it is shown.

    Attributes:
        view: the item without scores.
        field: its field, and the row where that is in a list.
        indices: the row as numbers.
        status: where it stands.
        decided: what was decided on it.
        standings: for each candidate of a decided item, ``chosen`` or ``not-chosen``.
        scores: for each candidate the scores it has; none in a blind session.
        prompt: the recorded prompt of a decision.
    """

    view: BlindItem
    field: str
    indices: Indices | None
    status: str
    decided: Decided | None
    standings: Sequence[str]
    scores: Sequence[Mapping[str, Any]]
    prompt: str | None

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        body = self.view.to_json()
        for place, scores in enumerate(self.scores):
            body["candidates"][place].update(scores)
        for place, standing in enumerate(self.standings):
            body["candidates"][place]["standing"] = standing
        body["field"] = self.field
        if self.indices is not None:
            body["pathIndices"] = list(self.indices)
        body["status"] = self.status
        if self.decided is not None:
            body["decision"] |= {
                "actor": self.decided.actor_id,
                "decidedAt": self.decided.decided_at,
                "attribution": self.decided.attribution,
                "prompt": self.prompt,
            }
        return body


def card_of(session: Reviewed, item: Item) -> Card:
    """The card of an item."""
    name = item_name(item)
    one = session.decided.get(name)
    candidates = candidates_of(item)
    scores = [{score: held[score] for score in _SCORES if score in held} for held in candidates]
    return Card(
        view=blind_item(item, one, note=session.fold.notes.get(name, "")),
        field=session.rows.field(item),
        indices=session.rows.indices(item),
        status=_status(item, one),
        decided=one,
        standings=() if one is None else _standings(item, one),
        scores=() if session.is_blind else scores,
        prompt=None if one is None else decision_prompt(item, one, blind=session.is_blind),
    )


def _status(item: Item, one: Decided | None) -> str:
    if one is None:
        return row_status(item, None, is_active=False)
    return card_state(item, one.kind)


def _standings(item: Item, one: Decided) -> list[str]:
    named = named_candidate(item, one.kind, one.candidate_id)
    chosen = named if KINDS[one.kind].trusts else None
    return ["chosen" if held is chosen else "not-chosen" for held in candidates_of(item)]


def tell_cards(output: Output, cards: Sequence[Card]) -> None:
    """The table of items, one line for each value."""
    is_scored = any(card.scores for card in cards)
    columns = ["field, item", "state", "", "value", *(["confidence"] if is_scored else [])]
    rows = [row[: len(columns)] for card in cards for row in _rows(card)]
    output.table(columns, rows, right="confidence", texts="value")


def _rows(card: Card) -> list[tuple[str, ...]]:
    """Field and state beside the first of the values, and the item's name beneath them all."""
    first, *more = _lines(card) or [("", "", "")]
    return [
        (card.field, card.status, *first),
        *(("", "", *line) for line in more),
        (f"  {card.view.name}", "", "", "", ""),
    ]


def _lines(card: Card) -> list[tuple[str, str, str]]:
    lines = []
    for place, held in enumerate(card.view.candidates):
        standing = _STANDINGS[card.standings[place]] if card.standings else held.role or ""
        score = card.scores[place].get("confidence") if card.scores else None
        lines.append((standing, quoted(held.value), "" if score is None else quoted(score)))
    if card.decided is not None and card.decided.edited_value is not ABSENT:
        lines.append(("edited to", quoted(card.decided.edited_value), ""))
    for left_out in card.view.excluded_proposals or ():
        text = f"{quoted(left_out.value)}, whose quotation does not stand at {left_out.locator}"
        lines.append(("Excluded", text, ""))
    unread = card.view.excluded_proposals_unreadable
    if unread is not None:
        count = "some" if unread.count is None else str(unread.count)
        lines.append(("Excluded", f"{count} that cannot be shown ({unread.reason})", ""))
    if card.view.note:
        lines.append(("note", card.view.note, ""))
    return lines


def tell_details(output: Output, card: Card) -> None:
    """Where each value was read, and the record of the decision."""
    for held in card.view.candidates:
        source, place = held.source, held.locator
        where = [
            *([] if place is None or place.locator is None else [place.locator]),
            *([] if source is None or source.source_ref is None else [f"of {source.source_ref}"]),
        ]
        output.line()
        output.line(f"{quoted(held.value)}   {held.id}")
        output.line(f"  read at {' '.join(where)}" if where else "  no place is given")
        if place is not None and place.excerpt is not None:
            output.paragraph(quoted(place.excerpt, 2000), indent="  ")
    one = card.decided
    if one is not None:
        output.line()
        by = "" if one.attribution == "event" else ", as the session says, no event does"
        output.line(f"Decided by {one.actor_id} at {one.decided_at}{by}. Recorded:")
        output.paragraph(card.prompt or "", indent="  ")
