"""``survey-fast attest``: is a stored queue still the bound one, and the one its import derives?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast import limits
from survey_fast.attest import (
    Attestation,
    Issue,
    attest_review_queue_extraction,
    validate_review_queue_binding,
)
from survey_fast.attest.issue import issues_json
from survey_fast.cli.command import FILE, WORDS, SurveyCommand, capped, max_bytes, max_items
from survey_fast.cli.output import MOST_ROWS, Output
from survey_fast.cli.reading import Source, concerning, read_source
from survey_fast.limits import ImportLimits

__all__ = ["command"]


@click.command(
    "attest",
    cls=SurveyCommand,
    arguments={"QUEUE": "A queue snapshot, or an array of review items."},
    examples=[
        "survey-fast attest review-queue.json --import import.json --binding binding.json",
    ],
    exits={
        0: "attested; or bound, and nothing says that it came from an extraction",
        1: "the queue differs, cannot be judged, or a file was refused",
    },
)
@click.argument("queue", metavar="QUEUE", type=FILE)
@click.option(
    "--import",
    "record",
    metavar="RECORD",
    type=FILE,
    help="The import record that the queue was opened over.",
)
@click.option("--binding", metavar="FILE", type=FILE, help="The binding taken when it was opened.")
@click.option("--session-name", type=WORDS, help="The session that the binding must be for.")
@max_bytes
@max_items
def command(
    *,
    queue: Path,
    record: Path | None,
    binding: Path | None,
    session_name: str | None,
    max_bytes: int | None,
    max_items: int | None,
    output: Output,
) -> int:
    """Check that a stored queue is still what its import derives.

    Every item is derived anew from the record and compared, in both directions, so an item that
    was edited, removed or added is found by name. With a binding, the whole snapshot is compared
    with what was bound, which also finds a queue that was swapped as a whole.
    """
    if session_name is not None and binding is None:
        message = "--session-name is compared with the session of a --binding; give both"
        raise click.UsageError(message)
    caps = ImportLimits(
        envelope_bytes=capped(limits.ENVELOPE, max_bytes),
        queue_bytes=capped(limits.QUEUE, max_bytes),
        items=max_items,
    )
    stored = read_source(queue, limits.QUEUE, caps.queue_bytes)
    imported = None if record is None else read_source(record, limits.ENVELOPE, caps.envelope_bytes)
    bound = None if binding is None else read_source(binding, limits.QUEUE, caps.queue_bytes)
    with concerning(stored), output.working("attesting"):
        attestation = attest_review_queue_extraction(
            stored.raw, None if imported is None else imported.raw, limits=caps
        )
        differences = _differences(bound, stored, session_name, caps)
    return _report(output, attestation, differences)


def _differences(
    bound: Source | None, stored: Source, session_name: str | None, caps: ImportLimits
) -> list[Issue] | None:
    """What differs from the binding; ``None`` when no binding was given."""
    if bound is None:
        return None
    return validate_review_queue_binding(
        bound.raw, stored.raw, session_name=session_name, limits=caps
    )


_VERDICTS: Final = {
    "attested": "every item is what the import derives, and none is missing",
    "sampled": "every item is what the import derives, and no item that was drawn is missing",
    "diverges": "the queue is not what its import derives",
    "unverified": "its items come from an import, and without --import nothing can be attested",
    "not-extraction": "no item says that it comes from an extraction import",
}


def _report(output: Output, attestation: Attestation, differences: list[Issue] | None) -> int:
    """Show both verdicts; the exit code."""
    is_bound = differences == []
    is_accepted = attestation.state == "attested" or (
        attestation.state == "not-extraction" and is_bound
    )
    ok = is_accepted and not differences
    body: dict[str, Any] = {
        "ok": ok,
        "state": attestation.state,
        "profile": attestation.profile,
        "provenance": attestation.provenance,
        "drawn": None if attestation.drawn is None else list(attestation.drawn),
        "issues": issues_json(attestation.issues),
    }
    if differences is not None:
        body["binding"] = {"ok": is_bound, "issues": issues_json(differences)}
    if not ok:
        body["error"] = _error(attestation, differences or [])
    output.answer(body)
    said = _VERDICTS["sampled" if attestation.drawn is not None else attestation.state]
    _tell(output, "import", attestation.state, said, is_accepted)
    _tell_issues(output, attestation.issues)
    if attestation.drawn is not None:
        output.paragraph(attestation.message)
    if attestation.provenance == "unverified":
        output.paragraph("The import had no text to look its excerpts up in: they are unchecked.")
    if differences is not None:
        state = "bound" if is_bound else "differs"
        said = "the queue is the bound one" if is_bound else "the queue is not the bound one"
        _tell(output, "binding", state, said, is_bound)
        _tell_issues(output, differences)
    return 0 if ok else 1


def _error(attestation: Attestation, differences: Sequence[Issue]) -> dict[str, str]:
    """The first reason for the failure; the state itself where no issue goes with it."""
    issues = [*attestation.issues, *differences]
    if issues:
        return {"code": issues[0].code, "message": issues[0].message}
    return {"code": attestation.state, "message": _VERDICTS[attestation.state]}


def _tell(output: Output, check: str, state: str, said: str, is_good: bool) -> None:
    output.line(f"{check:<9}{state}: {said}", "good" if is_good else "bad")


def _tell_issues(output: Output, issues: Sequence[Issue]) -> None:
    if not issues:
        return
    rows = [(issue.code, _finding(issue)) for issue in issues[:MOST_ROWS]]
    output.table(("code", "finding"), rows)
    if len(issues) > MOST_ROWS:
        output.line(f"and {len(issues) - MOST_ROWS:,} more; --json lists all")


def _finding(issue: Issue) -> str:
    return f"{issue.message} (at {issue.pointer})" if issue.pointer else issue.message
