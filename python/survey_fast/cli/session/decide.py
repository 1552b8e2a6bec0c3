"""``survey-fast session decide``: decide one item, or many in one append."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from survey_fast.canon import Json
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_source
from survey_fast.cli.session.caps import limited
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
from survey_fast.cli.session.stored import opened
from survey_fast.cli.session.telling import Report
from survey_fast.errors import SurveyError
from survey_fast.limits import QUEUE, ImportLimits
from survey_fast.review.session_store import decide_session

__all__ = ["command"]


@click.command(
    "decide",
    cls=SurveyCommand,
    arguments={
        "FILE": "The session, NAME.json.",
        "[DECISION]": f"One of {', '.join(KINDS)}; the last takes a decision back.",
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
@decision_argument
@decision_options("session show --item")
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
    skip_decided: bool,
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
    asked = Asked(decision, batch, parts)
    require_one_way(asked)
    require_one_rule(replace=replace, skip_decided=skip_decided)
    by = reviewer_of(reviewer, is_agent=agent)
    lines = requests_of(asked, caps.envelope_bytes)
    # The file is bounded here; what decides reads it again, under the lock.
    source = read_source(file, QUEUE, caps.queue_bytes)
    with concerning(source), output.working("deciding"):
        requests = _with_names(file, lines.requests, caps)
        done = decide_session(
            file,
            requests,
            reviewer=by,
            now=canonical_instant(clock()),
            expected_revision=expect,
            replace_decided=replace,
            skip_decided=skip_decided,
            keep_going=keep_going,
            wait=wait,
            limits=caps,
        )
    show = shlex.join(["survey-fast", "session", "show", str(file)])
    showing = Showing(every=show, one=f"{show} --item")
    report = Report(output, lambda: opened(file, caps), showing, requests)
    return report.give(done, lines.named(done.outcomes))


def _with_names(file: Path, requests: Sequence[Json], caps: ImportLimits) -> Sequence[Json]:
    """The requests, with the names of items that they call by a row; those never change."""
    if any(map(is_by_row, requests)):
        # What is wrong with the session is told by what decides, which reads it again.
        with suppress(SurveyError):
            return name_items(requests, opened(file, caps).rows)
    return requests
