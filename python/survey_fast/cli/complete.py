"""``survey-fast complete``: end the round of a run once everything is decided."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.hints import hinting, open_items_hints
from survey_fast.cli.output import Output
from survey_fast.cli.run_roots import naming_runs
from survey_fast.cli.session.deciding import deciding, reviewer_of
from survey_fast.runs.append import Host
from survey_fast.runs.complete import complete_run

__all__ = ["command"]


@click.command(
    "complete",
    cls=SurveyCommand,
    arguments={"RUN": "The run directory."},
    examples=["survey-fast complete .survey-fast/runs/run-ee0f5783bcfa2891 --reviewer ana"],
    exits={
        0: "the round is over",
        1: "an item is open, or the round is over already, or refused; nothing written",
    },
)
@click.argument("run", metavar="RUN", type=FILE)
@deciding
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    run: Path,
    expect: str | None,
    wait: float,
    reviewer: str | None,
    agent: bool,
    output: Output,
) -> int:
    """End the round of a run, for good: from then on nothing can be decided in it.

    Every item has to be decided. A score-blind run can be exported, and counts in calibrate, from
    then on and not before: as long as a decision can be replaced, no score may be seen. Any other
    run can be exported without it.
    """
    by = reviewer_of(reviewer, is_agent=agent)
    host = Host(by, canonical_instant(clock()), wait)
    with naming_runs(run), hinting(open_items_hints(run)), output.working("completing"):
        done = complete_run(run, host, expected_revision=expect)
    output.line("the round is over", "good")
    output.line(f"revision {done.revision}")
    output.answer({"ok": True, "revision": done.revision})
    return 0
