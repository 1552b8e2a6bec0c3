"""``survey-fast session show``: the items of a session, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import click

from survey_fast.cli.command import FILE, WORDS, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.card import Card, card_of, tell_cards, tell_details
from survey_fast.cli.session.stored import Opened, opened, tell_unverified
from survey_fast.errors import refusal
from survey_fast.limits import ImportLimits
from survey_fast.review.decisions import Item
from survey_fast.review.views import Disposition, QueueWindow, queue_window, summary

__all__ = ["command", "summary_line", "the_item"]

_STATUSES: Final = ("all", "unresolved", "accepted", "kept", "rejected", "could-not-confirm")


@click.command(
    "show",
    cls=SurveyCommand,
    arguments={"FILE": "The session, NAME.json."},
    examples=[
        "survey-fast session show round.json --status unresolved --query fee",
        "survey-fast session show round.json --item ITEM",
    ],
    exits={0: "shown, even if nothing matches", 1: "refused"},
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--status",
    type=click.Choice(_STATUSES),
    default="all",
    show_default=True,
    help="Show the items that stand there.",
)
@click.option(
    "--query", metavar="TEXT", type=WORDS, default="", help="Show the items that hold this text."
)
@click.option(
    "--page", metavar="N", type=click.IntRange(1), default=1, show_default=True, help="From 1."
)
@click.option(
    "--page-size",
    metavar="N",
    type=click.IntRange(1, 250),
    default=50,
    show_default=True,
    help="Items of a page, at most 250.",
)
@click.option(
    "--item",
    metavar="NAME",
    type=WORDS,
    help="Show this item alone, in detail, with the ids of its values.",
)
@limited
def command(
    *,
    file: Path,
    status: str,
    query: str,
    page: int,
    page_size: int,
    item: str | None,
    caps: ImportLimits,
    output: Output,
) -> int:
    """List the items of a session, with every value and what was decided.

    A decided item shows which value was chosen and which were not; a rival that was excluded at
    import is shown too. Names, fields and values are searched in any case. A score-blind
    session shows no score and no verifier's word.
    """
    with output.working("checking the session"):
        session = opened(file, caps)
    body = _body(session)
    if item is not None:
        card = card_of(session, the_item(session, item))
        _tell_head(output, session)
        tell_cards(output, [card])
        tell_details(output, card)
        output.answer({"ok": True, **body, "item": card.to_json()})
        return 0
    window = queue_window(
        session.fold.state(), query, cast("Disposition", status), page - 1, page_size
    )
    cards = [card_of(session, one) for one in window.items]
    _tell_head(output, session)
    if cards:
        tell_cards(output, cards)
    _tell_window(output, window)
    output.answer({"ok": True, **body, **_window_json(window, cards)})
    return 0


def the_item(session: Opened, name: str) -> Item:
    """The item called ``name``. Raises DecisionError (``unknown-review-item``)."""
    item = session.fold.items.get(name)
    if item is None:
        raise refusal("unknown-review-item", f"the queue holds no item {name!r}")
    return item


def _body(session: Opened) -> dict[str, Any]:
    document, attestation = session.document, session.attestation
    body: dict[str, Any] = {
        "name": document.name,
        "revision": document.revision,
        "scoreBlind": session.is_blind,
        "completed": session.is_completed,
        "sampling": document.state.get("sampling"),
        "summary": summary(session.fold.state()).to_json(),
    }
    if attestation is not None:
        notice = {"message": attestation.message} if attestation.message else {}
        body["attestation"] = {"state": attestation.state, **notice}
    return body


def _window_json(window: QueueWindow, cards: list[Card]) -> dict[str, Any]:
    return {
        "items": [card.to_json() for card in cards],
        "matching": window.total_matching,
        "page": window.page + 1,
        "pages": window.page_count,
    }


def _tell_head(output: Output, session: Opened) -> None:
    state = session.fold.state()
    blind = ", score-blind" if session.is_blind else ""
    over = ", completed" if session.is_completed else ""
    output.line(
        f"{session.document.name}: {counted(len(state['items']), 'item')}{blind}{over}", "heading"
    )
    output.line(summary_line(summary(state).to_json()))
    output.line(f"revision {session.document.revision}")
    tell_unverified(output, session.attestation)
    output.line()


_COUNTED: Final = {
    "unresolved": "to review",
    "escalated": "escalated",
    "accepted": "accepted",
    "preResolved": "of these resolved before",
    "keptCurrent": "kept",
    "rejected": "rejected",
    "couldNotConfirm": "could not be confirmed",
}


def summary_line(counts: Mapping[str, int]) -> str:
    """The counts that are not zero, in words."""
    return ", ".join(
        f"{counts[name]:,} {words}" for name, words in _COUNTED.items() if counts.get(name)
    )


def _tell_window(output: Output, window: QueueWindow) -> None:
    if not window.items:
        output.line("no item matches")
        return
    of = f"page {window.page + 1} of {window.page_count}"
    if window.page + 1 < window.page_count:
        of += f"; --page {window.page + 2} goes on"
    output.line()
    output.line(f"{window.start + 1:,} to {window.end:,} of {window.total_matching:,} ({of})")
