"""``survey-fast session pack``: write a session as the reference system keeps it."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.command import FILE, NAMED, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.stored import opened
from survey_fast.limits import ImportLimits
from survey_fast.review.session_store import pack_session

__all__ = ["command"]


@click.command(
    "pack",
    cls=SurveyCommand,
    arguments={"IN": "The session, NAME.json.", "OUT": "The single file to write."},
    examples=["survey-fast session pack round.json packed.json"],
    exits={0: "the file is written", 1: "refused, nothing written"},
)
@click.argument("source", metavar="IN", type=FILE)
@click.argument("target", metavar="OUT", type=NAMED)
@limited
def command(*, source: Path, target: Path, caps: ImportLimits, output: Output) -> int:
    """Write a session as one file, events inside, for the tools of the reference system.

    Prints the revision token that those tools give it. IN is checked first, and stays.
    """
    with output.working("packing"):
        events = len(opened(source, caps).document.events)
        revision = pack_session(source, target, limits=caps)
    output.line(f"{target}: {counted(events, 'event')}", "good")
    output.line(f"revision {revision}")
    output.answer({"ok": True, "file": str(target), "events": events, "revision": revision})
    return 0
