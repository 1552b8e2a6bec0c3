"""``survey-fast decide``: decide one item of a run, or many in one append."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from survey_fast.attest import Attestation
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.session.card import Card, card_of, tell_cards, tell_details
from survey_fast.cli.session.deciding import deciding, reviewer_of
from survey_fast.cli.session.decision import (
    KINDS,
    Asked,
    Report,
    decision_argument,
    decision_options,
    requests_of,
    require_one_way,
)
from survey_fast.cli.session.stored import tell_unverified
from survey_fast.errors import refusal
from survey_fast.review.conditions import is_blind
from survey_fast.review.decisions import Item, item_name
from survey_fast.review.fold import Fold
from survey_fast.review.state import Decided
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.opened import Run, open_run

__all__ = ["command"]

_SHOW = "survey-fast decide RUN"


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

    @cached_property
    def fold(self) -> Fold:
        """The state after its events."""
        return Fold(self.run.state).apply(self.run.log.events)

    @cached_property
    def decided(self) -> dict[str, Decided]:
        """The decisions by item name."""
        return {item_name(item): one for item, one in self.fold.decided()}


@click.command(
    "decide",
    cls=SurveyCommand,
    arguments={
        "RUN": "The run directory.",
        "[DECISION]": f"One of {', '.join(KINDS)}; the last takes a decision back. Without one, "
        "what is still open is listed, or the item that is named is shown.",
    },
    examples=[
        "survey-fast decide runs/run-ee0f5783bcfa2891",
        "survey-fast decide runs/run-ee0f5783bcfa2891 --field fee accept --reviewer ana",
        "survey-fast decide runs/run-ee0f5783bcfa2891 --batch decisions.jsonl --reviewer ana",
        'echo \'{"field":"fee","decision":"accept"}\' | \\',
        "    survey-fast decide runs/run-ee0f5783bcfa2891 --batch -",
    ],
    exits={
        0: "every decision is stored",
        1: "one was refused: then none is stored, or with --keep-going all others are",
    },
)
@click.argument("path", metavar="RUN", type=FILE)
@decision_argument
@decision_options("the same with --item and no decision")
@deciding
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    path: Path,
    decision: str | None,
    batch: Path | None,
    replace: bool,
    keep_going: bool,
    expect: str | None,
    wait: float,
    reviewer: str | None,
    agent: bool,
    output: Output,
    **parts: Any,  # noqa: ANN401 - what goes with one decision
) -> int:
    """Decide one item of a run, or many in one batch.

    A value of a conflict is chosen with select and its id; accept would settle the conflict
    silently and is refused. Reject and could-not-confirm are about all values of an item. The run
    is checked from its words to its history under one lock, the host says who and when, and
    whatever is decided is written in one append: all of it, or nothing.
    """
    asked = Asked(decision, batch, parts)
    if decision is None and batch is None and set(asked.given) <= {"--item", "--field"}:
        return _show(output, path, asked)
    require_one_way(asked)
    by = reviewer_of(reviewer, is_agent=agent)
    lines = requests_of(asked)
    host = Host(by, canonical_instant(clock()), wait)
    with output.working("deciding"):
        done = decide_run(
            path,
            lines.requests,
            host,
            expected_revision=expect,
            replace_decided=replace,
            keep_going=keep_going,
        )
    report = Report(output, lambda: Shown(open_run(path)), _SHOW)
    return report.give(done, lines.named(done.outcomes))


def _show(output: Output, path: Path, asked: Asked) -> int:
    with output.working("checking the run"):
        shown = Shown(open_run(path))
    items = _listed(shown, asked)
    cards = [card_of(shown, item) for item in items]
    body: dict[str, Any] = {
        "run": shown.run.manifest.resource,
        "revision": shown.run.revision,
        "scoreBlind": shown.is_blind,
        "open": len(shown.fold.items) - len(shown.decided),
        "items": [card.to_json() for card in cards],
    }
    if shown.run.blocked is not None:
        body["blocked"] = shown.run.blocked
    if not output.as_json:
        _tell(output, shown, cards)
    output.answer({"ok": True, **body})
    return 0


def _listed(shown: Shown, asked: Asked) -> Sequence[Item]:
    """The items that were named, or those that are still open."""
    name, field = asked.parts["item"], asked.parts["field"]
    items = list(shown.fold.items.values())
    if name is None and field is None:
        return [item for item in items if item_name(item) not in shown.decided]
    found = [
        item
        for item in items
        if name in (None, item_name(item)) and field in (None, item["spec"]["target"])
    ]
    if not found:
        place = "/item" if field is None else "/field"
        message = "the queue holds no such item"
        raise refusal("unknown-review-item", message, place)
    return found


def _tell(output: Output, shown: Shown, cards: Sequence[Card]) -> None:
    count, left = len(shown.fold.items), len(shown.fold.items) - len(shown.decided)
    blind = ", score-blind" if shown.is_blind else ""
    output.line(f"{shown.run.manifest.resource}: {counted(count, 'item')}{blind}", "heading")
    output.line(f"{left:,} to decide" if left else "everything is decided")
    output.line(f"revision {shown.run.revision}")
    if shown.run.blocked is not None:
        output.note("the run never bound its envelope: it can be read and not be decided", "bad")
    tell_unverified(output, shown.attestation)
    output.line()
    if cards:
        tell_cards(output, cards[:MOST_ROWS])
    if len(cards) == 1:
        tell_details(output, cards[0])
    if len(cards) > MOST_ROWS:
        output.line(f"and {len(cards) - MOST_ROWS:,} more; --json lists all")
