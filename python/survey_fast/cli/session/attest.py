"""``survey-fast session attest``: one verdict for each thing that can be wrong with a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.attest import (
    Issue,
    attest_review_queue_extraction,
    validate_review_queue_binding,
)
from survey_fast.cli.command import FILE, WORDS, SurveyCommand
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.cli.reading import concerning, read_source
from survey_fast.cli.session.caps import limited
from survey_fast.errors import LogError, SessionError, SurveyError
from survey_fast.limits import QUEUE, ImportLimits
from survey_fast.review.apply import check_history
from survey_fast.review.session_file import SessionDocument, read_session
from survey_fast.review.session_store import load_session

__all__ = ["command"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one check says.

    Attributes:
        check: what was looked at.
        state: one word.
        said: the same in a sentence.
        findings: ``{code, message, …}`` as plain data.
        is_good: whether the session passes.
    """

    check: str
    state: str
    said: str
    findings: Sequence[dict[str, Any]] = ()
    is_good: bool = True

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            "check": self.check,
            "state": self.state,
            "ok": self.is_good,
            "issues": list(self.findings),
        }


@click.command(
    "attest",
    cls=SurveyCommand,
    arguments={"FILE": "The session, NAME.json."},
    examples=["survey-fast session attest round.json --expect 42:HEAD"],
    exits={
        0: "every check passes; an import that is not stored has to have left no trace",
        1: "one does not, or the session was refused",
    },
)
@click.argument("file", metavar="FILE", type=FILE)
@click.option(
    "--expect",
    metavar="N:HEAD",
    type=WORDS,
    help="The revision that was noted; without it a log that lost its last entries passes.",
)
@limited
def command(*, file: Path, expect: str | None, caps: ImportLimits, output: Output) -> int:
    """Check a session against its binding, its import, its rules and its log.

    Each check is made on its own and gives one line, so that one that fails hides no other.
    """
    with output.working("attesting"):
        document, broken = _read(file, caps)
        verdicts = [_log(document, broken), _binding(document), _import(document)]
        if broken is None:
            verdicts.append(_events(document))
            if expect is not None:
                verdicts.append(_revision(document, expect))
    ok = all(verdict.is_good for verdict in verdicts)
    body: dict[str, Any] = {
        "ok": ok,
        "name": document.name,
        "revision": None if broken else document.revision,
        "checks": [verdict.to_json() for verdict in verdicts],
    }
    if not ok:
        body["error"] = _error(next(one for one in verdicts if not one.is_good))
    output.answer(body)
    for verdict in verdicts:
        _tell(output, verdict)
    if broken is None:
        output.line(f"revision {document.revision}")
    return 0 if ok else 1


def _read(path: Path, caps: ImportLimits) -> tuple[SessionDocument, SurveyError | None]:
    """The session; without its events where their log is broken."""
    source = read_source(path, QUEUE, caps.queue_bytes)
    with concerning(source):
        try:
            return load_session(path, limits=caps), None
        except LogError as broken:
            return read_session(source.raw, limits=caps), broken


def _log(document: SessionDocument, broken: SurveyError | None) -> Verdict:
    if broken is not None:
        return _failed("log", "broken", broken.message, [broken.to_json()])
    if document.is_single_file:
        said = "the events stand in the session file itself, where nothing chains them"
        return Verdict("log", "none", said)
    said = f"{counted(len(document.events), 'event')}, each follows from those before it"
    return Verdict("log", "chained", said)


def _failed(check: str, state: str, said: str, findings: Sequence[dict[str, Any]]) -> Verdict:
    return Verdict(check, state, said, findings, is_good=False)


def _binding(document: SessionDocument) -> Verdict:
    if document.binding is None:
        # The reference system takes none; a session of ours always has one.
        said = "no binding is stored, so nothing says that the queue is the one it was"
        if document.is_single_file:
            return Verdict("binding", "unbound", said)
        finding = {"code": "binding-malformed", "message": said}
        return _failed("binding", "unbound", said, [finding])
    issues = validate_review_queue_binding(
        dict(document.binding),
        document.snapshot,
        session_name=document.name,
        limits=document.limits,
    )
    if issues:
        return _failed("binding", "differs", "the queue is not the bound one", _json(issues))
    return Verdict("binding", "bound", "the queue is the bound one")


_SAID: Final = {
    "attested": "every item is what the import derives, and none is missing",
    "not-extraction": "no item says that it comes from an extraction import",
}


def _import(document: SessionDocument) -> Verdict:
    found = attest_review_queue_extraction(
        document.snapshot, document.extraction_import, limits=document.limits
    )
    if found.state in _SAID:
        return Verdict("import", found.state, _SAID[found.state])
    return _failed("import", found.state, found.message, _json(found.issues))


def _events(document: SessionDocument) -> Verdict:
    try:
        issues = check_history(dict(document.state), document.events, limits=document.limits).issues
    except SessionError as refused:
        return _failed("events", "refused", refused.message, [refused.to_json()])
    if issues:
        said = "they are no valid history of the queue"
        return _failed("events", "invalid", said, _json(issues))
    return Verdict("events", "valid", "they are a valid history of the queue")


def _revision(document: SessionDocument, expected: str) -> Verdict:
    if document.revision == expected:
        return Verdict("revision", "expected", "it is the one that was noted")
    said = f"it is {document.revision}, not the one that was noted"
    return _failed("revision", "differs", said, [{"code": "stale-revision", "message": said}])


def _json(issues: Sequence[Issue]) -> list[dict[str, Any]]:
    return [issue.to_json() for issue in issues]


def _error(verdict: Verdict) -> dict[str, Any]:
    """The first reason; the state itself where no finding goes with it."""
    if verdict.findings:
        first = verdict.findings[0]
        return {"code": first["code"], "message": first["message"]}
    return {"code": verdict.state, "message": verdict.said}


def _tell(output: Output, verdict: Verdict) -> None:
    style = "good" if verdict.is_good else "bad"
    output.line(f"{verdict.check:<10}{verdict.state}: {verdict.said}", style)
    rows = [(one["code"], one["message"]) for one in verdict.findings[:MOST_ROWS]]
    if not rows or (len(rows) == 1 and rows[0][1] == verdict.said):
        return
    output.table(("code", "finding"), rows)
    if len(verdict.findings) > MOST_ROWS:
        output.line(f"and {len(verdict.findings) - MOST_ROWS:,} more; --json lists all")
