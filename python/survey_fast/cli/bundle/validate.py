"""``survey-fast bundle validate``: is a file a trust bundle that others will accept?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.cli.bundle.stored import FILE_HELP, stored_bundle
from survey_fast.cli.command import FILE, SurveyCommand, max_bytes
from survey_fast.cli.output import MOST_ROWS, Output
from survey_fast.trust.schema_version import smallest_schema_version
from survey_fast.trust.validation import validate_trust_bundle
from survey_fast.trust.warnings import bundle_warnings

__all__ = ["command"]

_COUNTED: Final = {
    "claims": "claims",
    "evidence": "evidence",
    "policies": "policies",
    "events": "events",
    "identityLinks": "identity links",
    "claimGroups": "claim groups",
    "authorityTrace": "authority traces",
}


@click.command(
    "validate",
    cls=SurveyCommand,
    arguments={"FILE": FILE_HELP},
    examples=[
        "survey-fast bundle validate bundle.json",
        "survey-fast bundle validate bundle.json --writing --json",
    ],
    exits={0: "valid; there may be warnings", 1: "refused, at the place that is named"},
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--writing",
    is_flag=True,
    help="Refuse what is read but not written any more: schemaVersion 2 to 4, one too low for "
    "the content, an event that cites another claim's evidence.",
)
@max_bytes
def command(*, file: Path, writing: bool, max_bytes: int | None, output: Output) -> int:
    """Check a trust bundle against its format.

    The format is closed: a member it does not know, an id that leads nowhere or is given twice,
    a null, an empty string, or a date that does not exist is refused. The first fault is named,
    with its place as a JSON pointer. Nothing is written. Of a ReviewedExport, which `survey-fast
    export` and `session export --whole` write, only the bundle is checked.

    A warning is about something that is allowed and still likely to surprise, such as two events
    of one claim at the same time.
    """
    with stored_bundle(file, max_bytes) as (stored, place), output.working("validating"):
        bundle = validate_trust_bundle(stored, writing=writing)
        warnings = [
            {**one, "pointer": f"{place}{one['pointer']}"} for one in bundle_warnings(bundle)
        ]
    counts = {kind: len(bundle.get(kind, ())) for kind in _COUNTED}
    needed = smallest_schema_version(bundle)
    body: dict[str, Any] = {
        "ok": True,
        "kind": "ReviewedExport" if place else "TrustBundle",
        "schemaVersion": bundle["schemaVersion"],
        "smallestSchemaVersion": needed,
        "counts": counts,
        "warnings": warnings,
    }
    output.answer(body)
    where = "an export with a valid trust bundle" if place else "a valid trust bundle"
    output.line(f"{where}, schemaVersion {bundle['schemaVersion']}", "good")
    shown = [kind for kind in _COUNTED if counts[kind]] or ["claims"]
    output.pairs([(_COUNTED[kind], f"{counts[kind]:,}") for kind in shown])
    if needed < bundle["schemaVersion"]:
        output.paragraph(f"Its content could be written under schemaVersion {needed}.")
    _tell(output, warnings)
    return 0


def _tell(output: Output, warnings: Sequence[dict[str, str]]) -> None:
    if not warnings:
        return
    output.line()
    rows = [(one["code"], f"{one['message']} (at {one['pointer']})") for one in warnings]
    output.table(("warning", "finding"), rows[:MOST_ROWS])
    if len(rows) > MOST_ROWS:
        output.line(f"and {len(rows) - MOST_ROWS:,} more; --json lists all")
