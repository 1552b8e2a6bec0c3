"""``survey-fast session decide``: decide one item, or many in one append."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, WORDS, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.reading import Source, concerning, read_input, read_source, strict_json
from survey_fast.cli.session.batch import Lines, read_lines
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.card import card_of, tell_cards, tell_details
from survey_fast.cli.session.deciding import deciding, reviewer_of
from survey_fast.cli.session.stored import opened, tell_unverified
from survey_fast.errors import SurveyError
from survey_fast.limits import ENVELOPE, QUEUE, ImportLimits
from survey_fast.review.decide import Outcome
from survey_fast.review.session_store import Decided, decide_session

__all__ = ["command"]


@dataclass(frozen=True, slots=True)
class Written:
    """The session that was decided in, and the caps it is read under again."""

    path: Path
    caps: ImportLimits


_CLEAR: Final = "clear"
_WORDS: Final = ("accept", "select", "keep", "reject", "could-not-confirm", _CLEAR)


@click.command(
    "decide",
    cls=SurveyCommand,
    arguments={
        "FILE": "The session, NAME.json.",
        "[DECISION]": f"One of {', '.join(_WORDS)}; the last takes a decision back.",
    },
    examples=[
        "survey-fast session decide round.json --field fee select --candidate ID --reviewer ana",
        "survey-fast session decide round.json --batch decisions.jsonl --reviewer ana",
        'echo \'{"field":"fee","decision":"accept"}\' | \\',
        "    survey-fast session decide round.json --batch -",
    ],
    exits={
        0: "every decision is stored",
        1: "one was refused: then none is stored, or with --keep-going all others are",
    },
)
@click.argument("file", metavar="FILE", type=FILE)
@click.argument("decision", metavar="[DECISION]", type=click.Choice(_WORDS), required=False)
@click.option("--item", metavar="NAME", type=WORDS, help="The item, by name.")
@click.option("--field", metavar="F", type=WORDS, help="The item, by a field it alone is about.")
@click.option(
    "--candidate",
    metavar="ID",
    type=WORDS,
    help="The chosen value, for select; session show --item lists the ids.",
)
@click.option(
    "--note",
    metavar="TEXT",
    type=WORDS,
    help="A note, which could-not-confirm needs; an empty one takes the note that stands away.",
)
@click.option(
    "--value", metavar="JSON", type=WORDS, help="Accept with this value instead, such as 52000."
)
@click.option(
    "--attempt",
    "attempts",
    metavar="ID",
    type=WORDS,
    multiple=True,
    help="Evidence that could-not-confirm was tried on; may be given again.",
)
@click.option(
    "--batch",
    metavar="LINES.jsonl",
    type=FILE,
    help="One decision a line: {item or field, decision, candidateId, note, editedValue, "
    "attemptEvidenceIds}; - is standard input.",
)
@click.option("--replace", is_flag=True, help="Decide items again that are decided.")
@click.option("--keep-going", is_flag=True, help="Store the good lines where others are refused.")
@deciding
@limited
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    file: Path,
    decision: str | None,
    batch: Path | None,
    replace: bool,
    keep_going: bool,
    expect: str | None,
    wait: float,
    reviewer: str | None,
    agent: bool,
    caps: ImportLimits,
    output: Output,
    **parts: Any,  # noqa: ANN401 - what goes with one decision
) -> int:
    """Decide one item of a session, or many in one batch.

    A value of a conflict is chosen with select and its id; accept would settle the conflict
    silently and is refused. Reject and could-not-confirm are about all values of an item; keep
    leaves the current value, where there is one. Whatever is decided is checked against the whole
    history under one lock, and written in one append: all of it, or nothing.
    """
    _require_one_way(decision, batch, parts)
    by = reviewer_of(reviewer, is_agent=agent)
    lines = _requests(decision, batch, parts, caps)
    # The file is bounded here; what decides reads it again, under the lock.
    source = read_source(file, QUEUE, caps.queue_bytes)
    with concerning(source), output.working("deciding"):
        done = decide_session(
            file,
            lines.requests,
            reviewer=by,
            now=canonical_instant(clock()),
            expected_revision=expect,
            replace_decided=replace,
            keep_going=keep_going,
            wait=wait,
            limits=caps,
        )
    return _report(output, Written(file, caps), done, lines.named(done.outcomes))


def _require_one_way(decision: str | None, batch: Path | None, parts: dict[str, Any]) -> None:
    """One decision on one item, or a batch, and not something of both."""
    given = [
        f"--{name.removesuffix('s')}" for name, part in parts.items() if part not in (None, ())
    ]
    if batch is not None and (decision is not None or given):
        message = f"the lines of a --batch say what is decided; leave out {decision or given[0]}"
        raise click.UsageError(message)
    if batch is None and decision is None:
        message = "give a decision, or a --batch of them"
        raise click.UsageError(message)
    if batch is None and (parts["item"] is None) == (parts["field"] is None):
        message = "a decision is about an --item or a --field, one of the two"
        raise click.UsageError(message)


def _requests(
    decision: str | None, batch: Path | None, parts: dict[str, Any], caps: ImportLimits
) -> Lines:
    if batch is not None:
        return read_lines(read_input(batch, ENVELOPE, caps.envelope_bytes))
    request: dict[str, Any] = {"decision": None if decision == _CLEAR else decision}
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


def _report(output: Output, file: Written, done: Decided, outcomes: Sequence[Outcome]) -> int:
    refused = [outcome.error for outcome in outcomes if outcome.error is not None]
    body: dict[str, Any] = {
        "results": [outcome.to_json() for outcome in outcomes],
        "revision": done.revision,
        "eventsWritten": done.committed,
    }
    if not output.as_json:
        _tell(output, file, done, outcomes)
    if not refused:
        output.answer({"ok": True, **body})
        return 0
    output.answer({"ok": False, "error": refused[0].to_json(), **body})
    return refused[0].exit_code


def _tell(output: Output, file: Written, done: Decided, outcomes: Sequence[Outcome]) -> None:
    """What was refused, and the items that are decided now."""
    for outcome in [one for one in outcomes if not one.ok][:MOST_ROWS]:
        _tell_refusal(output, outcome, is_single=len(outcomes) == 1)
    taken = [one for one in outcomes if one.ok]
    refused = len(outcomes) - len(taken)
    codes = dict.fromkeys(one.error.code for one in outcomes if one.error is not None)
    for hint in [_HINTS[code] for code in codes if code in _HINTS]:
        output.note(hint)
    if refused > MOST_ROWS:
        output.note(f"and {refused - MOST_ROWS:,} more; --json lists all", "bad")
    if not done.committed:
        output.line("nothing was written" if outcomes else "the batch has no line")
    else:
        _tell_items(output, file, taken)
    output.line(f"revision {done.revision}")


_LISTED: Final = (
    "survey-fast session show FILE --item NAME lists the values of an item and their ids"
)
_HINTS: Final = {
    "ALREADY_DECIDED": "with --replace, items that are decided are decided again",
    "decision-not-recordable": _LISTED,
    "invalid-conflict-selection": f"select goes with --candidate ID; {_LISTED}",
    "unknown-review-item": "survey-fast session show FILE --query WORD finds items and fields",
}
"""What helps against a refusal, in the words of the command line."""


def _tell_refusal(output: Output, outcome: Outcome, *, is_single: bool) -> None:
    error = outcome.error
    if error is None:
        return
    if is_single:
        output.refuse(error)
        return
    place = f" (at {error.pointer})" if error.pointer else ""
    output.note(f"line {outcome.line}: refused ({error.code}): {error.message}{place}", "bad")


def _tell_items(output: Output, file: Written, taken: Sequence[Outcome]) -> None:
    try:
        session = opened(file.path, file.caps)
    except SurveyError:
        # It was written; somebody changed the file since, and showing it says so.
        output.note("the decisions are written, and the session changed since; show it again")
        return
    tell_unverified(output, session.attestation)
    names = list(dict.fromkeys(one.item for one in taken if one.item is not None))
    cards = [card_of(session, session.fold.items[name]) for name in names[:MOST_ROWS]]
    tell_cards(output, cards)
    if len(cards) == 1:
        tell_details(output, cards[0])
    output.line()
    more = f", the first {MOST_ROWS} shown" if len(names) > MOST_ROWS else ""
    output.line(f"{counted(len(taken), 'decision')} written{more}", "good")
