"""``survey-fast export``: what is decided in a run, as a document that others can check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.canon import sha256_hex
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.leaving_options import disclosure_option, wait_option
from survey_fast.cli.output import MOST_ROWS, Output, counted, quoted
from survey_fast.cli.publishing import publish_files, require_outside
from survey_fast.limits import BUNDLE
from survey_fast.runs.export.export import Exported, export_run
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
        "survey-fast export RUN --allow-disclosure path-posix@/result/proposals/3/candidateValue",
    ],
    exits={
        0: "exported whole, and every verified claim is grounded or could not be checked",
        1: "refused, nothing written",
        3: "exported, but claims were left out or the grounding of a claim was refused",
    },
)
@click.argument("run", metavar="RUN", type=FILE)
@click.option("--output", "target", metavar="OUT", type=FILE, help="The file to write.")
@click.option(
    "--values",
    metavar="FILE",
    type=FILE,
    callback=_values_file,
    help="Write the values as a table too, FILE.csv or FILE.jsonl: one row for each claim.",
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
    require_outside(run, target, values)
    with output.working("exporting"):
        exported = export_run(
            run, allow_disclosure=allow_disclosure, max_bytes=max_bytes, wait=wait
        )
    content = {} if target is None else {target: exported.text}
    if values is not None:
        content[values] = FORMATS[values.suffix](exported.document)
    publish_files(content, force=force)
    output.answer(_told(exported, target, values))
    _tell(output, exported)
    _tell_written(output, exported, [str(path) for path in content])
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
        "grounding": exported.document["reviewedGrounding"]["outcome"],
        "claims": len(exported.claim_ids),
        "statuses": _statuses(exported),
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
        return body | {"export": exported.document}
    return body | {"output": str(target)}


def _statuses(exported: Exported) -> Mapping[str, int]:
    return Counter(claim["status"] for claim in exported.document["bundle"]["claims"])


def _tell(output: Output, exported: Exported) -> None:
    if output.as_json:
        return
    scope = exported.scope
    rows = [
        (one["status"], one["field"], quoted(one["value"], 40), one["reviewer"])
        for one, _ in zip(value_rows(exported.document), range(MOST_ROWS), strict=False)
    ]
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


def _tell_written(output: Output, exported: Exported, written: Sequence[str]) -> None:
    output.line()
    grounding, scope = exported.document["reviewedGrounding"], exported.scope
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
    place = ", ".join(written) or "nothing written, as no --output was given"
    style = "good" if exported.is_whole else "bad"
    output.line(f"{', '.join(said)}; {place} ({len(exported.text):,} bytes)", style)
