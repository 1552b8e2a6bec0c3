"""``survey-fast verify``: are these runs still what they were made as?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from survey_fast.cli.command import FILE, SECONDS, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.cli.revision import REVISION, REVISION_WORD
from survey_fast.cli.run_roots import runs_below
from survey_fast.errors import SurveyError
from survey_fast.runs.verify import Verified, verify_run

__all__ = ["command"]

_CUT: Final = "uncommitted-tail"
_AFTER_A_CUT: Final = (
    "a decision that was stored before may be among them: only --expect, with a revision that was "
    "noted, tells"
)


@click.command(
    "verify",
    cls=SurveyCommand,
    arguments={"RUN...": "Run directories, or the folders that runs live in."},
    examples=[
        "survey-fast verify .survey-fast/runs",
        "survey-fast verify runs/run-ee0f5783bcfa2891 runs/run-0123456789abcdef",
        "survey-fast verify runs/run-ee0f5783bcfa2891 --expect 4:HEAD --json",
    ],
    exits={
        0: "every run holds; a notice says what else is to be known",
        1: "at least one does not, or lost what --expect saw",
    },
)
@click.argument("runs", metavar="RUN...", type=FILE, nargs=-1, required=True)
@click.option(
    "--expect",
    metavar=REVISION_WORD,
    type=REVISION,
    help="A revision that was noted earlier, of one run: its history still has to hold it. Only "
    "this finds decisions that were taken off the end.",
)
@click.option(
    "--wait",
    metavar="SECONDS",
    type=SECONDS,
    default=10.0,
    show_default=True,
    help="How long to wait while someone decides.",
)
def command(*, runs: tuple[Path, ...], expect: str | None, wait: float, output: Output) -> int:
    """Check everything about runs, and write nothing.

    The event log chains to the manifest, which commits to envelope, prepared text, report and
    queue; every excerpt is looked up in the text again, the queue is derived again from the
    extraction, and the events are judged as a history of it. Note the revision that is told: with
    --expect it proves later that no decision was taken away. Of a folder that runs live in, every
    run is checked.
    """
    paths = [one for given in runs for one in runs_below(given) or [given]]
    if expect is not None and len(paths) > 1:
        message = "--expect is about one run; verify the others on their own"
        raise click.UsageError(message)
    results: list[dict[str, Any]] = []
    first: SurveyError | None = None
    with output.working("verifying"):
        for path in paths:
            try:
                verified = verify_run(path, expect=expect, wait=wait)
            except SurveyError as refused:
                first = first or refused
                results.append({"path": str(path), "ok": False, "error": refused.to_json()})
                output.note(f"{path}: refused ({refused.code}): {refused.message}", "bad")
            else:
                results.append({"path": str(path), "ok": True, **verified.to_json()})
                _tell(output, path, verified)
    if first is None:
        output.answer({"ok": True, "runs": results})
        return 0
    output.answer({"ok": False, "error": first.to_json(), "runs": results})
    return first.exit_code


def _tell(output: Output, path: Path, verified: Verified) -> None:
    run = verified.run
    items, events = len(run.state["items"]), run.log.count
    counts = f"{counted(items, 'item')}, {counted(events, 'event')}"
    is_cut = any(one.code == _CUT for one in verified.notices)
    holds = "HOLDS UP TO AN UNFINISHED APPEND" if is_cut else "holds"
    style = "bad" if is_cut else "good"
    output.line(f"{path}: {holds}; {counts}; revision {run.revision}", style)
    for one in verified.notices:
        output.note(f"  {one.code}: {one.message}", "bad" if one.code == _CUT else "")
    if is_cut:
        output.note(f"  {_AFTER_A_CUT}", "bad")
    if verified.not_attested:
        output.note(f"  not attested by the run itself: {', '.join(verified.not_attested)}")
