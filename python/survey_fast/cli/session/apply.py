"""``survey-fast session apply``: what the decisions of a session come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import click

from survey_fast.attest import Issue
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output, counted, quoted
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.show import summary_line
from survey_fast.cli.session.stored import loaded, tell_unverified
from survey_fast.limits import ImportLimits
from survey_fast.review.apply import ApplyResult, Required
from survey_fast.review.conditions import is_score_withheld
from survey_fast.review.decisions import KINDS
from survey_fast.review.state import State
from survey_fast.review.views import summary

__all__ = ["command"]

_WITHHELD: Final = (
    "this round is score-blind and not over, so results, which hold scores, are not written out "
    "yet; `survey-fast session complete` ends it once everything is decided"
)


@click.command(
    "apply",
    cls=SurveyCommand,
    arguments={"FILE": "The session, NAME.json."},
    examples=["survey-fast session apply round.json --require all --json > results.json"],
    exits={
        0: "the history is valid, and as much is decided as was asked for",
        1: "it is not, or not as much is, or the session was refused",
    },
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--require",
    "required",
    type=click.Choice(("none", "any", "all")),
    default="none",
    show_default=True,
    help="How many items have to be decided.",
)
@click.option(
    "--allow-seeded",
    is_flag=True,
    help="Take decisions that the snapshot already holds; they pass the same checks.",
)
@limited
def command(
    *, file: Path, required: str, allow_seeded: bool, caps: ImportLimits, output: Output
) -> int:
    """Check a session whole and turn its decisions into results.

    Queue, import and events are checked first, and nothing later is looked at when one fails.
    Each decided item then gives one result: the value that holds, and those it was taken over.
    A score-blind round gives out none before it is completed.
    """
    with output.working("applying"):
        document = loaded(file, caps)
        result = document.apply(required=cast("Required", required), allow_seeded=allow_seeded)
    is_withheld = is_score_withheld(document.state, document.events)
    _tell(output, result, is_withheld=is_withheld)
    body = result.to_json() | {"revision": document.revision}
    if result.attestation is not None:
        body["attestation"] = result.attestation.state
    if is_withheld:
        del body["results"], body["decisions"]
        body["withheld"] = _WITHHELD
    if not result.ok:
        body["error"] = _error(result.issues[0])
    output.answer(body)
    return 0 if result.ok else 1


def _error(issue: Issue) -> dict[str, Any]:
    return {"code": issue.code, "message": issue.message}


def _tell(output: Output, result: ApplyResult, *, is_withheld: bool) -> None:
    tell_unverified(output, result.attestation)
    for warned in result.warnings:
        if warned.code != "unverified-extraction-queue":
            about = f" ({warned.item_name})" if warned.item_name else ""
            output.note(f"warning ({warned.code}): {warned.message}{about}")
    if is_withheld:
        output.paragraph(f"Results withheld: {_WITHHELD}.")
    elif result.results:
        _tell_results(output, result)
    if result.issues:
        rows = [(one.code, _finding(one)) for one in result.issues[:MOST_ROWS]]
        output.line()
        output.table(("code", "finding"), rows)
        _tell_rest(output, result.issues)
    if result.replayed_session is not None:
        output.line()
        output.line(summary_line(summary(_with_results(result.replayed_session, result)).to_json()))
    open_count = len(result.unresolved_item_names)
    said = f"{counted(len(result.results), 'result')}, {counted(open_count, 'item')} open"
    output.line(said, "good" if result.ok else "bad")


def _with_results(state: State, result: ApplyResult) -> State:
    """The state without decisions that gave no result, such as the snapshot's own when refused."""
    given = {one["reviewItemName"]: one["decision"] for one in result.results}
    return {**state, "decisionsByItemName": given}


def _tell_results(output: Output, result: ApplyResult) -> None:
    rows = []
    for one in result.results[:MOST_ROWS]:
        others = [quoted(held["value"], 40) for held in one["unselectedCandidates"]]
        value = quoted(one["effectiveValue"], 40) if "effectiveValue" in one else ""
        if value and not KINDS[one["decision"]].trusts:
            value, others = "", [value, *others]
        rows.append((one["decision"], value, ", ".join(others), one["reviewItemName"]))
    output.table(("decision", "value", "not chosen", "item"), rows)
    _tell_rest(output, result.results)


def _tell_rest(output: Output, found: Sequence[object]) -> None:
    if len(found) > MOST_ROWS:
        output.line(f"and {len(found) - MOST_ROWS:,} more; --json lists all")


def _finding(issue: Issue) -> str:
    return f"{issue.item_name}: {issue.message}" if issue.item_name else issue.message
