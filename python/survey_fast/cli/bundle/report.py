"""``survey-fast bundle report``: the status of every claim of a bundle, and what it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import click

from survey_fast.cli.bundle.gap_words import finding
from survey_fast.cli.bundle.stored import FILE_HELP, stored_bundle
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, INSTANT, SurveyCommand, max_bytes
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.trust.derivation import STRENGTH
from survey_fast.trust.report import build_trust_report
from survey_fast.trust.status_version import StatusVersion

__all__ = ["command"]

_VERSIONS: Final = ("2", "3", "4")
_COLUMNS: Final = ("status", "field", "claim", "producer said", "expires")


@click.command(
    "report",
    cls=SurveyCommand,
    arguments={"FILE": FILE_HELP},
    examples=[
        "survey-fast bundle report bundle.json",
        "survey-fast bundle report bundle.json --now 2026-01-31T09:00:00Z --json",
    ],
    exits={0: "reported, whatever the statuses are", 1: "refused"},
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--now",
    metavar="INSTANT",
    type=INSTANT,
    help="The time that the report speaks of  [default: now]",
)
@click.option(
    "--status-version",
    type=click.Choice(_VERSIONS),
    default="3",
    show_default=True,
    help="Rules of derivation: 2 takes a verified claim without a policy for verified, 3 asks for "
    "a policy that requires something, 4 compares times exactly.",
)
@max_bytes
@click.pass_obj
def command(
    clock: Clock,
    *,
    file: Path,
    now: str | None,
    status_version: str,
    max_bytes: int | None,
    output: Output,
) -> int:
    """Derive the status of every claim, and say what is missing.

    The bundle is validated first. A status follows from evidence, events and policy at the given
    time; what a producer wrote beside a claim never raises it. A derived claim is no better than
    the weakest claim it rests on. The weakest claims are listed first.
    """
    with stored_bundle(file, max_bytes) as (stored, _), output.working("deriving"):
        report = build_trust_report(
            stored,
            now=now or canonical_instant(clock()),
            version=cast("StatusVersion", status_version),
        )
    output.answer({"ok": True, "report": report})
    _tell_summary(output, report)
    _tell_claims(output, report["claims"])
    _tell_gaps(output, report["transparencyGaps"], stored["evidence"])
    return 0


def _tell_summary(output: Output, report: dict[str, Any]) -> None:
    version = report["statusFunctionVersion"]
    output.line(f"{counted(len(report['claims']), 'claim')} at {report['generatedAt']}", "heading")
    output.line(f"status version {version}")
    summary = report["summary"]
    rows = [(status, f"{count:,}") for status, count in summary["byStatus"].items() if count]
    unsupported = len(summary["highImpactUnsupported"])
    if unsupported:
        rows.append(("high impact, unsupported", f"{unsupported:,}"))
    recompute = len(summary["recomputeNeededClaims"])
    if recompute:
        rows.append(("to be derived anew", f"{recompute:,}"))
    if rows:
        output.pairs(rows)


def _tell_claims(output: Output, claims: list[dict[str, Any]]) -> None:
    if not claims:
        return
    output.line()
    weakest = sorted(claims, key=lambda claim: STRENGTH.index(claim["status"]))
    rows = [
        (
            claim["status"],
            claim["fieldOrBehavior"],
            claim["id"],
            claim.get("producerStatus", ""),
            claim["freshness"].get("expiresAt", ""),
        )
        for claim in weakest[:MOST_ROWS]
    ]
    # A column is shown when there is something in it.
    shown = [at for at, _ in enumerate(_COLUMNS) if any(row[at] for row in rows)]
    output.table([_COLUMNS[at] for at in shown], [[row[at] for at in shown] for row in rows])
    _tell_more(output, len(claims))


def _tell_gaps(output: Output, gaps: list[dict[str, Any]], evidence: list[dict[str, Any]]) -> None:
    output.line()
    if not gaps:
        output.line("no gap", "good")
        return
    by_id = {item["id"]: item for item in evidence}
    rows = [
        (gap["type"], gap["severity"], gap["claimId"], finding(gap, by_id))
        for gap in gaps[:MOST_ROWS]
    ]
    output.table(("gap", "severity", "claim", "finding"), rows)
    _tell_more(output, len(gaps))


def _tell_more(output: Output, count: int) -> None:
    if count > MOST_ROWS:
        output.line(f"and {count - MOST_ROWS:,} more; --json lists all")
