"""``survey-fast export``: what is decided in a run, as a document that others can check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.canon import sha256_hex
from survey_fast.cli.command import FILE, TARGET, SurveyCommand
from survey_fast.cli.hints import blind_run_hints, disclosure_hints, hinting, open_items_hints
from survey_fast.cli.leaving_options import disclosure_option, wait_option
from survey_fast.cli.output import MOST_ROWS, JsonText, Output, counted, quoted
from survey_fast.cli.publishing import are_one_file, publish_files, require_outside, target_name
from survey_fast.cli.run_roots import naming_runs
from survey_fast.limits import BUNDLE
from survey_fast.runs.export.export import Exported, make_export
from survey_fast.runs.export.values import FORMATS, value_rows

__all__ = ["command"]

_NOT_EVALUATED: Final = "not-evaluated"


def _values_file(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    if value is not None and value.suffix not in FORMATS:
        message = f"the name ends in {' or '.join(FORMATS)}"
        raise click.BadParameter(message, ctx, param)
    return value


@click.command(
    "export",
    cls=SurveyCommand,
    arguments={"RUN": "The run directory."},
    examples=[
        "survey-fast export .survey-fast/runs/run-0123456789abcdef --output export.json",
        "survey-fast export RUN --output export.json --values values.csv",
        "survey-fast export RUN --output export.json --values values.csv --values-more",
        "survey-fast export RUN --allow-disclosure path-posix@/result/proposals/3/candidateValue",
    ],
    exits={
        0: "exported whole, and every verified claim is grounded or could not be checked",
        1: "refused, nothing written",
        3: "exported, but claims were left out or the grounding of a claim was refused",
    },
)
@click.argument("run", metavar="RUN", type=FILE)
@click.option(
    "--output", "target", metavar="OUT", type=TARGET, help="The file to write, or - for a pipe."
)
@click.option(
    "--values",
    metavar="FILE",
    type=FILE,
    callback=_values_file,
    help="Write the values as a table too, FILE.csv or FILE.jsonl: one row for each claim.",
)
@click.option(
    "--values-more",
    is_flag=True,
    help="Give that table the columns note, run, source, subjectType and subjectId too, which tell "
    "the rows of several exports apart.",
)
@disclosure_option(more="The export lists it. ")
@click.option("--force", is_flag=True, help="Replace files that stand there.")
@click.option(
    "--max-bytes",
    metavar="N",
    type=click.IntRange(1, BUNDLE.ceiling),
    help=f"Most bytes of the export, instead of {BUNDLE.default}.",
)
@wait_option()
def command(
    *,
    run: Path,
    target: Path | None,
    values: Path | None,
    values_more: bool,
    allow_disclosure: tuple[str, ...],
    force: bool,
    max_bytes: int | None,
    wait: float,
    output: Output,
) -> int:
    """Export what is decided in a run: a trust bundle, how it is grounded, and what it covers.

    The run is read whole and checked whole. What is wrong with the round refuses the export:
    text that was not read, a queue that its extraction does not derive, a history that does not
    hold. What is wrong with one claim leaves that claim out, and the export lists it.

    A verified claim whose evidence contradicts it is stated as disputed. Paths, credentials and
    the like do not leave. The same run gives the same bytes; no clock is read.
    """
    if target is not None and values is not None and are_one_file(target, values):
        message = "--output and --values lead to one file; the table would take the export's place"
        raise click.UsageError(message)
    if values_more and values is None:
        message = "--values-more is about the table; --values FILE.csv or FILE.jsonl writes one"
        raise click.UsageError(message)
    require_outside(run, target, values)
    hints = hinting(disclosure_hints, blind_run_hints(run), open_items_hints(run))
    with naming_runs(run), hints, output.working("exporting"):
        made = make_export(run, allow_disclosure=allow_disclosure, max_bytes=max_bytes, wait=wait)
        # Both are told only when what they were read from has passed the scan.
        table = b"" if values is None else FORMATS[values.suffix](made.document, more=values_more)
        rows = [] if output.as_json else _first_rows(made.document)
        exported = made.write()
    content = {} if target is None else {target: exported.text}
    if values is not None:
        content[values] = table
    publish_files(content, force=force)
    output.answer(_told(exported, target, values))
    _tell(output, exported, rows)
    _tell_written(
        output, exported, {target_name(path): len(text) for path, text in content.items()}
    )
    return exported.exit_code


def _told(exported: Exported, target: Path | None, values: Path | None) -> dict[str, Any]:
    """The facts for the JSON document."""
    scope = exported.scope
    listed = ("excluded", "groundingRefused", "groundingUnchecked", "allowedDisclosures")
    body: dict[str, Any] = {
        "ok": True,
        "run": exported.run,
        "revision": scope["revision"],
        "generatedAt": exported.generated_at,
        "complete": scope["complete"],
        **{name: scope[name] for name in (*listed, "notAttested") if scope.get(name)},
        "grounding": exported.grounding["outcome"],
        "claims": len(exported.claim_ids),
        "statuses": exported.statuses,
        "withoutEvidence": [
            {"reviewItemName": name, **refused.to_json()}
            for name, refused in exported.without_evidence.items()
        ],
        "bytes": len(exported.text),
        "sha256": sha256_hex(exported.text),
    }
    if values is not None:
        body["values"] = str(values)
    if target is None:
        return body | {"export": JsonText(memoryview(exported.text)[:-1])}
    return body | {"output": str(target)}


def _first_rows(document: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    return [
        (one["status"], one["field"], quoted(one["value"], 40), one["reviewer"])
        for one in islice(value_rows(document), MOST_ROWS)
    ]


def _tell(output: Output, exported: Exported, rows: Sequence[Sequence[str]]) -> None:
    if output.as_json:
        return
    scope = exported.scope
    output.table(("status", "field", "value", "reviewer"), rows)
    _tell_rest(output, exported.claim_ids)
    for title, member in (
        ("grounding refused", "groundingRefused"),
        ("structure not checked", "groundingUnchecked"),
    ):
        listed = scope.get(member, ())
        rows2 = [(one["fieldPath"], ", ".join(one["gaps"])) for one in listed[:MOST_ROWS]]
        _tell_table(output, (title, "because"), rows2, listed)
    left_out = scope["excluded"]
    rows3 = [
        (one["fieldPath"], one["code"], ", ".join(one["itemNames"])) for one in left_out[:MOST_ROWS]
    ]
    _tell_table(output, ("left out", "because", "items"), rows3, left_out)
    for one in scope.get("allowedDisclosures", ()):
        output.note(f"allowed to leave: {one['rule']} at {one['pointer']}")
    for name, why in [*exported.without_evidence.items()][:MOST_ROWS]:
        output.note(f"no evidence for {name} ({why.code}): {why.message}")


def _tell_table(
    output: Output,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    listed: Sequence[object],
) -> None:
    if rows:
        output.line()
        output.table(columns, rows)
        _tell_rest(output, listed)


def _tell_rest(output: Output, listed: Sequence[object] | Mapping[str, object]) -> None:
    if len(listed) > MOST_ROWS:
        output.line(f"and {len(listed) - MOST_ROWS:,} more; --json lists all")


def _tell_written(output: Output, exported: Exported, written: Mapping[str, int]) -> None:
    """What was written, each file with its size."""
    output.line()
    grounding, scope = exported.grounding, exported.scope
    if grounding["outcome"] == _NOT_EVALUATED:
        output.paragraph(f"Grounding not evaluated: {grounding['message']}.")
    if "notAttested" in scope:
        output.paragraph(f"Not attested by this run: {', '.join(scope['notAttested'])}.")
    said = [counted(len(exported.claim_ids), "claim")]
    for member, thing in (
        ("excluded", "exclusion"),
        ("groundingRefused", "refused grounding"),
        ("groundingUnchecked", "unchecked structure"),
    ):
        if scope.get(member):
            said.append(counted(len(scope[member]), thing))
    sizes = [f"{name} ({size:,} bytes)" for name, size in written.items()]
    nothing = f"nothing written, as no --output was given ({len(exported.text):,} bytes)"
    style = "good" if exported.is_whole else "bad"
    output.line(f"{', '.join(said)}; {', '.join(sizes) or nothing}", style)
