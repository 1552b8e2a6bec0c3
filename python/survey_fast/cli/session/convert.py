"""``survey-fast session convert``: take over a session that is one file, events inside."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.command import FILE, NAMED, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.stored import loaded
from survey_fast.limits import ImportLimits
from survey_fast.review.session_store import convert_session, log_path

__all__ = ["command"]


@click.command(
    "convert",
    cls=SurveyCommand,
    arguments={
        "IN": "A session in one file, as the reference system writes it.",
        "OUT": "The session to write, NAME.json; its log is NAME.events.jsonl.",
    },
    examples=["survey-fast session convert upstream.json round.json"],
    exits={0: "the session is written", 1: "refused, nothing written"},
)
@click.argument("source", metavar="IN", type=FILE)
@click.argument("target", metavar="OUT", type=NAMED)
@limited
def command(*, source: Path, target: Path, caps: ImportLimits, output: Output) -> int:
    """Make a session that can be decided of one that holds its events in one file.

    Its history is checked first and kept to the last event. A session without a binding is
    bound now, over the queue as it stands. IN stays as it is.
    """
    with output.working("converting"):
        loaded(source, caps)
        document = convert_session(source, target, limits=caps)
    output.line(f"{document.name}: {counted(len(document.events), 'event')}", "good")
    log = log_path(target)
    output.pairs(
        [("session", str(target)), ("log", str(log)), ("revision", document.revision)],
    )
    output.answer(
        {
            "ok": True,
            "name": document.name,
            "events": len(document.events),
            "revision": document.revision,
            "files": {"session": str(target), "log": str(log)},
        }
    )
    return 0
