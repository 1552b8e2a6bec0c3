"""One decision or a batch of them on the command line: the options, and the requests they make.

What is decided on, a session or a run, is the command's own; here is what both share.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.canon import Json
from survey_fast.cli.command import FILE, WORDS
from survey_fast.cli.output import quoted
from survey_fast.cli.reading import Source, read_input, strict_json
from survey_fast.cli.session.batch import Lines, read_lines
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import ENVELOPE

__all__ = [
    "KINDS",
    "Asked",
    "decision_argument",
    "decision_options",
    "requests_of",
    "require_one_rule",
    "require_one_way",
]

_CLEAR: Final = "clear"
_FITTING: Final = (
    ("candidate", "candidateId", "select"),
    ("value", "editedValue", "accept"),
    ("attempts", "attemptEvidenceIds", "could-not-confirm"),
)
"""Options of a single decision, what they become, and the decision they go with."""
_REPEATED: Final = 40
"""The longest value that a hint repeats, in characters."""
KINDS: Final = ("accept", "select", "keep", "reject", "could-not-confirm", _CLEAR)
"""The words for a decision; the last takes one back."""

decision_argument: Final = click.argument(
    "decision", metavar="[DECISION]", type=click.Choice(KINDS), required=False
)


def _options(show: str) -> Sequence[Callable[[Callable[..., int]], Callable[..., int]]]:
    return (
        click.option("--item", metavar="NAME", type=WORDS, help="The item, by name."),
        click.option(
            "--field",
            metavar="F",
            type=WORDS,
            help="The item, by a field it alone is about, or by the row of one, such as "
            "'lineItems[0]'.",
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
            help="Accept with this value instead, such as 52000 or '\"Acme\"'. A value that was "
            "extracted stands as it was read: reject it with a --note instead.",
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
            "--skip-decided",
            is_flag=True,
            help="Pass over items that are decided, so that a batch can be given again.",
        ),
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


def require_one_rule(*, replace: bool, skip_decided: bool) -> None:
    """One rule for what is decided already: UsageError."""
    if replace and skip_decided:
        message = "--replace decides again what --skip-decided passes over; give one of them"
        raise click.UsageError(message)


def requests_of(asked: Asked, most_bytes: int | None = None) -> Lines:
    """The requests, one for each line of a batch; the batch has at most ``most_bytes``."""
    if asked.batch is not None:
        return read_lines(read_input(asked.batch, ENVELOPE, most_bytes))
    parts = asked.parts
    _require_fitting(asked)
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
        request["editedValue"] = _value(parts["value"])
    if parts["attempts"]:
        request["attemptEvidenceIds"] = list(parts["attempts"])
    return Lines([request], {})


def _require_fitting(asked: Asked) -> None:
    """Refuse what goes with another decision: DecisionError (``decision-malformed``)."""
    for option, member, word in _FITTING:
        if asked.parts[option] not in (None, ()) and asked.decision != word:
            name = f"--{option.removesuffix('s')}"
            raise refusal("decision-malformed", f"{name} goes with {word} only", f"/{member}")


def _value(text: str) -> Json:
    """The value of ``--value``, which is JSON: what looks like a bare text is told so."""
    try:
        return strict_json(Source("--value", text.encode()))
    except SurveyError as refused:
        if refused.code != "json-syntax":
            raise
        example = quoted(text) if len(text) <= _REPEATED else '"Acme"'
        message = f"{refused.message}; a text is quoted: --value {shlex.quote(example)}"
        raise refusal(refused.code, message, refused.pointer, refused.details) from None
