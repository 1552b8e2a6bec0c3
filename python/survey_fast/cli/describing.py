"""``survey-fast describe``: what state every claim of a run is in."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.run_roots import naming_runs
from survey_fast.cli.session.rows import row_name
from survey_fast.runs.export.describe import Described, describe_run

__all__ = ["command"]

_UNSETTLED = ("undecided", "excluded", "grounding-refused", "reviewed")
"""States, those first that keep an export from being whole."""


@click.command(
    "describe",
    cls=SurveyCommand,
    arguments={"RUN": "The run directory."},
    examples=["survey-fast describe .survey-fast/runs/run-0123456789abcdef --json"],
    exits={0: "described, whatever state it is in", 1: "the run was refused"},
)
@click.argument("run", metavar="RUN", type=FILE)
def command(*, run: Path, output: Output) -> int:
    """Say of every item of a run whether it is undecided, excluded, reviewed or refused.

    The prepared text is not read, so the stored status of the import is taken at its word; verify
    and export read it. Values, words and scores are not told. An item is `excluded` when an export
    would leave it out although it is decided, and `grounding-refused` when a review verified it
    and its evidence does not carry it.
    """
    with output.working("describing"), naming_runs(run):
        described = describe_run(run)
    output.answer({"ok": True, **described.to_json(), "again": _again(described)})
    _tell(output, described)
    return 0


def _tell(output: Output, described: Described) -> None:
    body = described.to_json()
    outcome = body["outcome"]
    read = outcome["status"] + (f" ({outcome['reason']})" if "reason" in outcome else "")
    output.pairs(
        [
            ("run", body["run"]),
            ("round", _round(described)),
            ("revision", body["revision"]),
            ("extraction", f"{read}, {counted(body['proposals'], 'proposal')}"),
        ],
        indent="",
    )
    if "reviewBlocked" in body:
        output.line(f"closed to review: {body['reviewBlocked']}", "bad")
    if described.claims:
        output.line()
    claims = sorted(described.claims, key=lambda one: _UNSETTLED.index(one.state))
    rows = [
        (one.state, row_name(one.field_path, one.path_indices), ", ".join(one.reasons))
        for one in claims[:MOST_ROWS]
    ]
    if rows:
        output.table(("state", "field", "because"), rows, keys=2)
    if len(claims) > MOST_ROWS:
        output.line(f"and {len(claims) - MOST_ROWS:,} more; --json lists all")
    output.line()
    told = [f"{count:,} {state}" for state, count in described.counts().items() if count]
    output.line(", ".join(told) or "there is no item")


def _again(described: Described) -> int:
    """Which run of its source, task and provider it is, as ``run --again`` counts them."""
    options = described.run.manifest.document["provider"]["options"]
    return int(options.get("again", 1))


def _round(described: Described) -> str:
    kind, again = str(described.run.manifest.round["kind"]), _again(described)
    return kind if again == 1 else f"{kind}, of a run that was made with --again {again}"
