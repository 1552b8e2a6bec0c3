"""``survey-fast decide``: decide one item of a run, or many in one append."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from survey_fast.canon import Json
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output
from survey_fast.cli.run_items import Listed, Shown, Wanted, tell_listed
from survey_fast.cli.run_roots import naming_runs
from survey_fast.cli.session.deciding import deciding, reviewer_of
from survey_fast.cli.session.decision import (
    KINDS,
    Asked,
    decision_argument,
    decision_options,
    requests_of,
    require_one_rule,
    require_one_way,
)
from survey_fast.cli.session.hints import Showing
from survey_fast.cli.session.rows import is_by_row, name_items
from survey_fast.cli.session.telling import Report
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.opened import Run, open_run

__all__ = ["command"]


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
        "survey-fast decide runs/run-ee0f5783bcfa2891 --all --limit 100",
        "survey-fast decide runs/run-ee0f5783bcfa2891 --field fee accept --reviewer ana",
        "survey-fast decide runs/run-ee0f5783bcfa2891 --field 'lineItems[0]' reject",
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
@click.option(
    "--all", "is_whole", is_flag=True, help="List every item, the decided ones too, with reviewer."
)
@click.option(
    "--offset",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="Pass over the first N items of the list.",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    help=f"List at most N items  [default: {MOST_ROWS}, and all with --json]",
)
@deciding
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    path: Path,
    decision: str | None,
    batch: Path | None,
    is_whole: bool,
    offset: int,
    limit: int | None,
    replace: bool,
    skip_decided: bool,
    keep_going: bool,
    expect: str | None,
    wait: float,
    reviewer: str | None,
    agent: bool,
    output: Output,
    **parts: Any,  # noqa: ANN401 - what goes with one decision
) -> int:
    """Decide one item of a run, or many in one batch; or list what is open, or --all.

    A value of a conflict is chosen with select and its id; accept would settle the conflict
    silently and is refused. Reject and could-not-confirm are about all values of an item. The run
    is checked from its words to its history under one lock, the host says who and when, and
    whatever is decided is written in one append: all of it, or nothing.

    The list has a line for each item, also for grep. A row of a field in a list has a number,
    as in lineItems[0]; --field and the lines of a batch take it.
    """
    asked = Asked(decision, batch, parts)
    wanted = Wanted(parts["item"], parts["field"], is_whole, offset, limit)
    if decision is None and batch is None and set(asked.given) <= {"--item", "--field"}:
        return _list(output, path, wanted)
    require_one_way(asked)
    require_one_rule(replace=replace, skip_decided=skip_decided)
    _require_no_list(wanted)
    by = reviewer_of(reviewer, is_agent=agent)
    lines = requests_of(asked)
    host = Host(by, canonical_instant(clock()), wait)
    with output.working("deciding"), naming_runs(path):
        known, requests = _with_names(path, lines.requests)
        done = decide_run(
            path,
            requests,
            host,
            expected_revision=expect,
            replace_decided=replace,
            skip_decided=skip_decided,
            keep_going=keep_going,
            known=known,
        )
    show = shlex.join(["survey-fast", "decide", str(path)])
    showing = Showing(every=f"{show} --all", one=f"{show} --item")
    report = Report(output, lambda: Shown(open_run(path, known=done.run)), showing, requests)
    return report.give(done, lines.named(done.outcomes))


def _list(output: Output, path: Path, wanted: Wanted) -> int:
    if wanted.is_whole and (wanted.item is not None or wanted.field is not None):
        message = "--all lists every item; leave out what names one"
        raise click.UsageError(message)
    with output.working("checking the run"), naming_runs(path):
        shown = Shown(open_run(path))
    listed = Listed.of(shown, wanted, None if output.as_json else MOST_ROWS)
    if output.as_json:
        output.answer({"ok": True, **listed.to_json()})
    else:
        tell_listed(output, listed)
    return 0


def _require_no_list(wanted: Wanted) -> None:
    """Refuse options of the list beside a decision: UsageError."""
    if wanted.is_whole or wanted.offset or wanted.limit is not None:
        message = "--all, --offset and --limit are for the list, without a decision"
        raise click.UsageError(message)


def _with_names(path: Path, requests: Sequence[Json]) -> tuple[Run | None, Sequence[Json]]:
    """The requests, with the names of items that they call by a row, and the run as read for that.

    The queue of a run never changes, so neither do these names.
    """
    if not any(map(is_by_row, requests)):
        return None, requests
    shown = Shown(open_run(path))
    return shown.run, name_items(requests, shown.rows)
