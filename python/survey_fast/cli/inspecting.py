"""``survey-fast inspect``: the extraction of a run, for reading alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from survey_fast.canon import sha256_hex
from survey_fast.cli.command import FILE, TARGET, SurveyCommand
from survey_fast.cli.hints import disclosure_hints, hinting
from survey_fast.cli.leaving_options import disclosure_option, wait_option
from survey_fast.cli.output import MOST_ROWS, JsonText, Output, counted
from survey_fast.cli.publishing import publish_files, require_outside, target_name
from survey_fast.cli.run_roots import naming_runs
from survey_fast.runs.export.inspection import Inspected, inspect_run

__all__ = ["command"]


@click.command(
    "inspect",
    cls=SurveyCommand,
    arguments={"RUN": "The run directory."},
    examples=[
        "survey-fast inspect .survey-fast/runs/run-0123456789abcdef",
        "survey-fast inspect RUN --include-excerpts --output inspection.json",
    ],
    exits={0: "inspected", 1: "refused, nothing written"},
)
@click.argument("run", metavar="RUN", type=FILE)
@click.option(
    "--output", "target", metavar="OUT", type=TARGET, help="The file to write, or - for a pipe."
)
@click.option(
    "--include-prepared-text", is_flag=True, help="Tell the text that was extracted from."
)
@click.option("--include-excerpts", is_flag=True, help="Tell the words of every proposal.")
@disclosure_option()
@click.option("--force", is_flag=True, help="Replace a file that stands there.")
@wait_option()
def command(
    *,
    run: Path,
    target: Path | None,
    force: bool,
    wait: float,
    output: Output,
    **asked: Any,  # noqa: ANN401 - what may be told, by name
) -> int:
    """Show where the values of an extraction stand in its text; no review and no claim.

    Text and words are redacted unless they are asked for, each on its own. Values, scores and
    decisions are never told. It works for a run that is partial, undecided or closed to review.
    """
    require_outside(run, target)
    with naming_runs(run), hinting(disclosure_hints), output.working("inspecting"):
        inspected = inspect_run(run, wait=wait, **asked)
    if target is not None:
        publish_files({target: inspected.text}, force=force)
    body: dict[str, Any] = {
        "ok": True,
        "run": inspected.run,
        "bytes": len(inspected.text),
        "sha256": sha256_hex(inspected.text),
    }
    whole = JsonText(memoryview(inspected.text)[:-1])
    told = {"inspection": whole} if target is None else {"output": str(target)}
    output.answer(body | told)
    _tell(output, inspected, target)
    if target is None and asked["include_prepared_text"]:
        _tell_text(output, inspected)
    return 0


def _tell(output: Output, inspected: Inspected, target: Path | None) -> None:
    spec = inspected.document["spec"]
    source, candidates = spec["sources"][0], spec["candidates"]
    outcome = spec["extraction"]["outcome"]
    output.pairs(
        [
            ("run", inspected.run),
            ("source", source["sourceRef"]),
            ("read by", source["provider"]),
            ("extraction", outcome["status"]),
            ("text", source["posture"]),
        ],
        indent="",
    )
    if "coverageSummary" in spec["extraction"]:
        summary = spec["extraction"]["coverageSummary"]
        output.line(
            f"{summary['incompleteChunkCount']} of {counted(summary['chunkCount'], 'chunk')} were "
            "not read whole"
        )
    if "reviewBlocked" in spec:
        output.line(f"closed to review: {spec['reviewBlocked']['reason']}", "bad")
    output.line()
    rows = [
        (one["field"], f"chars:{one['start']}-{one['end']}", one["alignment"], one["excerpt"])
        for one in candidates[:MOST_ROWS]
    ]
    if rows:
        output.table(("field", "place", "alignment", "words"), rows)
    if len(candidates) > MOST_ROWS:
        output.line(f"and {len(candidates) - MOST_ROWS:,} more; --json lists all")
    place = "nothing written, as no --output was given" if target is None else target_name(target)
    output.line(f"{counted(len(candidates), 'proposal')}; {place}")


def _tell_text(output: Output, inspected: Inspected) -> None:
    """The prepared text, where nothing else would show that it was asked for."""
    text = inspected.document["spec"]["sources"][0]["preparedText"]
    output.line()
    if text is None:
        output.line("the text is withheld: an excerpt does not stand at its place", "bad")
        return
    output.line("text", "heading")
    for line in text.removesuffix("\n").split("\n"):
        output.line(line)
