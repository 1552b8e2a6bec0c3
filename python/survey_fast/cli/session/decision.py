"""One decision or a batch of them on the command line: options, requests, and what is told.

What is decided on, a session or a run, is the command's own; here is what both share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import click

from survey_fast.cli.command import FILE, WORDS
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.reading import Source, read_input, strict_json
from survey_fast.cli.session.batch import Lines, read_lines
from survey_fast.cli.session.card import Reviewed, card_of, tell_cards, tell_details
from survey_fast.cli.session.stored import tell_unverified
from survey_fast.errors import SurveyError
from survey_fast.limits import ENVELOPE
from survey_fast.review.decide import Outcome

__all__ = [
    "KINDS",
    "Asked",
    "Done",
    "Report",
    "decision_argument",
    "decision_options",
    "requests_of",
    "require_one_way",
]

_CLEAR: Final = "clear"
KINDS: Final = ("accept", "select", "keep", "reject", "could-not-confirm", _CLEAR)
"""The words for a decision; the last takes one back."""

decision_argument: Final = click.argument(
    "decision", metavar="[DECISION]", type=click.Choice(KINDS), required=False
)


def _options(show: str) -> Sequence[Callable[[Callable[..., int]], Callable[..., int]]]:
    return (
        click.option("--item", metavar="NAME", type=WORDS, help="The item, by name."),
        click.option(
            "--field", metavar="F", type=WORDS, help="The item, by a field it alone is about."
        ),
        click.option(
            "--candidate",
            metavar="ID",
            type=WORDS,
            help=f"The chosen value, for select; {show} lists the ids.",
        ),
        click.option(
            "--note",
            metavar="TEXT",
            type=WORDS,
            help="A note, which could-not-confirm needs; an empty one takes the note that stands "
            "away.",
        ),
        click.option(
            "--value",
            metavar="JSON",
            type=WORDS,
            help="Accept with this value instead, such as 52000.",
        ),
        click.option(
            "--attempt",
            "attempts",
            metavar="ID",
            type=WORDS,
            multiple=True,
            help="Evidence that could-not-confirm was tried on; may be given again.",
        ),
        click.option(
            "--batch",
            metavar="LINES.jsonl",
            type=FILE,
            help="One decision a line: {item or field, decision, candidateId, note, editedValue, "
            "attemptEvidenceIds}; - is standard input.",
        ),
        click.option("--replace", is_flag=True, help="Decide items again that are decided."),
        click.option(
            "--keep-going", is_flag=True, help="Store the good lines where others are refused."
        ),
    )


def decision_options(show: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The options that say what is decided; ``show`` is what lists the values of an item."""

    def with_options(command: Callable[..., int]) -> Callable[..., int]:
        for option in reversed(_options(show)):
            command = option(command)
        return command

    return with_options


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for.

    Attributes:
        decision: one of ``KINDS``, when there is one.
        batch: the file of a batch, when there is one.
        parts: the options of a single decision, by name.
    """

    decision: str | None
    batch: Path | None
    parts: Mapping[str, Any]

    @property
    def given(self) -> Sequence[str]:
        """The options of a single decision that were given."""
        return [
            f"--{name.removesuffix('s')}"
            for name, part in self.parts.items()
            if part not in (None, ())
        ]


def require_one_way(asked: Asked) -> None:
    """One decision on one item, or a batch, and not something of both: UsageError."""
    if asked.batch is not None and (asked.decision is not None or asked.given):
        other = asked.decision or asked.given[0]
        message = f"the lines of a --batch say what is decided; leave out {other}"
        raise click.UsageError(message)
    if asked.batch is None and asked.decision is None:
        message = "give a decision, or a --batch of them"
        raise click.UsageError(message)
    if asked.batch is None and (asked.parts["item"] is None) == (asked.parts["field"] is None):
        message = "a decision is about an --item or a --field, one of the two"
        raise click.UsageError(message)


def requests_of(asked: Asked, most_bytes: int | None = None) -> Lines:
    """The requests, one for each line of a batch; the batch has at most ``most_bytes``."""
    if asked.batch is not None:
        return read_lines(read_input(asked.batch, ENVELOPE, most_bytes))
    parts = asked.parts
    request: dict[str, Any] = {"decision": None if asked.decision == _CLEAR else asked.decision}
    for option, member in (
        ("item", "item"),
        ("field", "field"),
        ("candidate", "candidateId"),
        ("note", "note"),
    ):
        if parts[option] is not None:
            request[member] = parts[option]
    if parts["value"] is not None:
        request["editedValue"] = strict_json(Source("--value", parts["value"].encode()))
    if parts["attempts"]:
        request["attemptEvidenceIds"] = list(parts["attempts"])
    return Lines([request], {})


class Done(Protocol):
    """What became of a batch, in a session or in a run."""

    @property
    def revision(self) -> str: ...  # noqa: D102 - the token of what is stored now
    @property
    def committed(self) -> int: ...  # noqa: D102 - how many events were added


@dataclass(frozen=True, slots=True)
class Report:
    """Tells what became of a batch.

    Attributes:
        output: where to.
        reopen: reads what was decided on again, to show it.
        show: the command that lists items and values.
    """

    output: Output
    reopen: Callable[[], Reviewed]
    show: str

    def give(self, done: Done, outcomes: Sequence[Outcome]) -> int:
        """Answer and tell. Returns the exit code."""
        refused = [outcome.error for outcome in outcomes if outcome.error is not None]
        body: dict[str, Any] = {
            "results": [outcome.to_json() for outcome in outcomes],
            "revision": done.revision,
            "eventsWritten": done.committed,
        }
        if not self.output.as_json:
            self._tell(done, outcomes)
        if not refused:
            self.output.answer({"ok": True, **body})
            return 0
        self.output.answer({"ok": False, "error": refused[0].to_json(), **body})
        return refused[0].exit_code

    def _tell(self, done: Done, outcomes: Sequence[Outcome]) -> None:
        """What was refused, and the items that are decided now."""
        output = self.output
        for outcome in [one for one in outcomes if not one.ok][:MOST_ROWS]:
            self._tell_refusal(outcome, is_single=len(outcomes) == 1)
        taken = [one for one in outcomes if one.ok]
        refused = len(outcomes) - len(taken)
        codes = dict.fromkeys(one.error.code for one in outcomes if one.error is not None)
        for hint in [_HINTS[code] for code in codes if code in _HINTS]:
            output.note(hint.format(show=self.show))
        if refused > MOST_ROWS:
            output.note(f"and {refused - MOST_ROWS:,} more; --json lists all", "bad")
        if not done.committed:
            output.line("nothing was written" if outcomes else "the batch has no line")
        else:
            self._tell_items(taken)
        output.line(f"revision {done.revision}")

    def _tell_refusal(self, outcome: Outcome, *, is_single: bool) -> None:
        error = outcome.error
        if error is None:
            return
        if is_single:
            self.output.refuse(error)
            return
        place = f" (at {error.pointer})" if error.pointer else ""
        text = f"line {outcome.line}: refused ({error.code}): {error.message}{place}"
        self.output.note(text, "bad")

    def _tell_items(self, taken: Sequence[Outcome]) -> None:
        output = self.output
        try:
            now = self.reopen()
        except SurveyError:
            # It was written; somebody changed what is stored since, and showing it says so.
            output.note("the decisions are written, and it changed since; show it again")
            return
        tell_unverified(output, now.attestation)
        names = list(dict.fromkeys(one.item for one in taken if one.item is not None))
        cards = [card_of(now, now.fold.items[name]) for name in names[:MOST_ROWS]]
        tell_cards(output, cards)
        if len(cards) == 1:
            tell_details(output, cards[0])
        output.line()
        more = f", the first {MOST_ROWS} shown" if len(names) > MOST_ROWS else ""
        output.line(f"{counted(len(taken), 'decision')} written{more}", "good")


_LISTED: Final = "{show} --item NAME lists the values of an item and their ids"
_HINTS: Final = {
    "ALREADY_DECIDED": "with --replace, items that are decided are decided again",
    "decision-not-recordable": _LISTED,
    "invalid-conflict-selection": f"select goes with --candidate ID; {_LISTED}",
    "unknown-review-item": "{show} lists items and fields",
}
"""What helps against a refusal, in the words of the command line."""
