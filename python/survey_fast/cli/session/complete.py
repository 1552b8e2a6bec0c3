"""``survey-fast session complete``: end a round once everything is decided."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_source
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.deciding import deciding, reviewer_of
from survey_fast.limits import QUEUE, ImportLimits
from survey_fast.review.session_store import complete_session

__all__ = ["command"]


@click.command(
    "complete",
    cls=SurveyCommand,
    arguments={"FILE": "The session, NAME.json."},
    examples=["survey-fast session complete round.json --reviewer ana"],
    exits={
        0: "the round is over",
        1: "an item is open, or the round is over already, or refused; nothing written",
    },
)
@click.argument("file", metavar="FILE", type=FILE)
@deciding
@limited
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    file: Path,
    expect: str | None,
    wait: float,
    reviewer: str | None,
    agent: bool,
    caps: ImportLimits,
    output: Output,
) -> int:
    """End a round, for good: from then on nothing can be decided in it.

    Every item has to be decided, or to have been resolved before the review. A score-blind round
    gives out its results from then on, and not before: as long as a decision can be replaced,
    no score may be seen.
    """
    by = reviewer_of(reviewer, is_agent=agent)
    source = read_source(file, QUEUE, caps.queue_bytes)
    with concerning(source), output.working("completing"):
        revision = complete_session(
            file,
            reviewer=by,
            now=canonical_instant(clock()),
            expected_revision=expect,
            wait=wait,
            limits=caps,
        )
    output.line("the round is over", "good")
    output.line(f"revision {revision}")
    output.answer({"ok": True, "revision": revision})
    return 0
