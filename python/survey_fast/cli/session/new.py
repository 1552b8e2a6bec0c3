"""``survey-fast session new``: open a session over a queue, or over what an import derives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.attest import Attestation
from survey_fast.audit import open_random_audit_session
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, INSTANT, NAMED, WORDS, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.cli.reading import Queue, Source, concerning, queue_of, read_source
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.stored import tell_unverified
from survey_fast.errors import SessionError, refusal
from survey_fast.imports import export_import, review_items, validate_import
from survey_fast.limits import ENVELOPE, QUEUE, ImportLimits
from survey_fast.review import open_review_queue
from survey_fast.review.apply import check_history
from survey_fast.review.attribution import UNATTRIBUTED
from survey_fast.review.conditions import is_blind
from survey_fast.review.session_file import DEFAULT_SESSION_NAME, SessionDocument
from survey_fast.review.session_store import create_session, log_path

__all__ = ["command", "require_attested", "session_report", "tell_session"]

_BLIND: Final = {"scoreBlind": True}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say of the round; ``None`` leaves it to the queue, or draws nothing."""

    reviewed_at: str | None
    reviewer: str | None
    is_blind: bool
    draw: tuple[float, str] | None
    caps: ImportLimits


@click.command(
    "new",
    cls=SurveyCommand,
    arguments={"FILE": "The session to write, NAME.json; its log is NAME.events.jsonl."},
    examples=[
        "survey-fast session new round.json --queue review-queue.json --import import.json",
        "survey-fast session new audit.json --import import.json --audit-rate 0.05 \\",
        "    --audit-seed 2026-Q1",
    ],
    exits={0: "the session is written and bound", 1: "refused, nothing written"},
)
@click.argument("file", metavar="FILE", type=NAMED)
@click.option("--queue", metavar="QUEUE", type=FILE, help="A snapshot, or an array of items.")
@click.option(
    "--import",
    "record",
    metavar="RECORD",
    type=FILE,
    help="The import record, stored with the session so that it attests. Without --queue its "
    "items are the queue.",
)
@click.option(
    "--reviewer-of-record",
    "reviewer",
    metavar="ID",
    type=WORDS,
    help=f"Whose round it is  [default: the snapshot's, else {UNATTRIBUTED}]",
)
@click.option(
    "--name",
    metavar="N",
    type=WORDS,
    default=DEFAULT_SESSION_NAME,
    show_default=True,
    help="Name of the session.",
)
@click.option(
    "--reviewed-at",
    metavar="INSTANT",
    type=INSTANT,
    help="When the round opens  [default: the snapshot's time, else now]",
)
@click.option("--score-blind", is_flag=True, help="Keep scores from the reviewer.")
@click.option(
    "--audit-rate",
    metavar="R",
    type=float,
    help="Open a blind random audit over this share of the items, above 0 and at most 1.",
)
@click.option("--audit-seed", metavar="S", type=WORDS, help="The seed of that draw.")
@limited
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    file: Path,
    queue: Path | None,
    record: Path | None,
    reviewer: str | None,
    name: str,
    reviewed_at: str | None,
    score_blind: bool,
    audit_rate: float | None,
    audit_seed: str | None,
    caps: ImportLimits,
    output: Output,
) -> int:
    """Open a review session over a queue, or over the items of an import.

    The session is bound when it is written: from then on every command checks that its queue is
    still this one and, with the import stored, that nothing was removed from it.
    """
    if queue is None and record is None:
        message = "a session is opened over a --queue, an --import, or both"
        raise click.UsageError(message)
    draw = _draw(audit_rate, audit_seed)
    asked = Asked(reviewed_at, reviewer, score_blind, draw, caps)
    stored = None if queue is None else read_source(queue, QUEUE, caps.queue_bytes)
    imported = None if record is None else _read_record(record, caps)
    with output.working("opening the session"):
        snapshot = _snapshot(stored, imported, asked, canonical_instant(clock()))
        text = None if imported is None else imported.raw
        attestation = require_attested(snapshot, text, caps)
        document = create_session(file, snapshot, name=name, extraction_import=text, limits=caps)
    tell_session(output, file, document, attestation)
    output.answer({"ok": True, **session_report(file, document, attestation)})
    return 0


def _draw(rate: float | None, seed: str | None) -> tuple[float, str] | None:
    if rate is None and seed is None:
        return None
    if rate is None or seed is None:
        message = "a random audit is drawn by --audit-rate and --audit-seed; give both"
        raise click.UsageError(message)
    return rate, seed


def _read_record(path: Path, caps: ImportLimits) -> Source:
    """The record that validates, as canonical text."""
    source = read_source(path, ENVELOPE, caps.envelope_bytes)
    with concerning(source):
        return Source(source.name, export_import(source.raw, limits=caps))


def _snapshot(
    stored: Source | None, imported: Source | None, asked: Asked, now: str
) -> dict[str, Any]:
    """The base snapshot of the round."""
    if stored is not None:
        queue = queue_of(stored)
        with concerning(stored):
            return _opened(queue, asked, now)
    if imported is None:
        message = "there is a queue or an import"
        raise AssertionError(message)
    with concerning(imported):
        if validate_import(imported.raw, limits=asked.caps)["status"]["state"] != "grounded":
            message = "the import is unresolved, so there is nothing to review"
            raise refusal("import-not-grounded", message)
        return _opened(Queue(review_items(imported.raw, limits=asked.caps), ""), asked, now)


def _opened(queue: Queue, asked: Asked, now: str) -> dict[str, Any]:
    held = queue.snapshot or {}
    if queue.snapshot is not None:
        require_attested(queue.snapshot, None, asked.caps)
    at: str = asked.reviewed_at or held.get("reviewedAt", now)
    by: str = asked.reviewer or held.get("actorId", UNATTRIBUTED)
    if asked.draw is not None:
        if held.get("sampling", {}).get("kind") == "random-audit":
            message = "this queue is a drawn sample already; draw from the whole one"
            raise refusal("audit-options-invalid", message, "/sampling")
        rate, seed = asked.draw
        return open_random_audit_session(
            queue.items, rate=rate, seed=seed, reviewed_at=at, actor_id=by, limits=asked.caps
        )
    if queue.snapshot is None:
        presentation = _BLIND if asked.is_blind else None
        return open_review_queue(
            queue.items,
            reviewed_at=at,
            actor_id=by,
            presentation=presentation,
            limits=asked.caps,
        )
    blind = {"presentation": _BLIND} if asked.is_blind else {}
    return {**queue.snapshot, "reviewedAt": at, "actorId": by, **blind}


def require_attested(
    snapshot: dict[str, Any], record: bytes | None, caps: ImportLimits
) -> Attestation:
    """What is known about a queue; raises when it is no base snapshot or not the import's."""
    history = check_history(snapshot, [], extraction_import=record, limits=caps)
    if history.issues:
        raise SessionError.from_issues([issue.to_json() for issue in history.issues])
    return history.attestation


def session_report(
    path: Path, document: SessionDocument, attestation: Attestation
) -> dict[str, Any]:
    """The facts of a session that was just written."""
    return {
        "name": document.name,
        "items": len(document.state["items"]),
        "scoreBlind": is_blind(document.state),
        "sampling": document.state.get("sampling"),
        "attestation": attestation.state,
        "revision": document.revision,
        "files": {"session": str(path), "log": str(log_path(path))},
    }


def tell_session(
    output: Output, path: Path, document: SessionDocument, attestation: Attestation
) -> None:
    """The same as text."""
    state = document.state
    sampling = state.get("sampling", {})
    of = f", drawn at rate {sampling['rate']:g}" if "rate" in sampling else ""
    blind = ", score-blind" if is_blind(state) else ""
    output.line(f"{document.name}: {counted(len(state['items']), 'item')}{of}{blind}", "good")
    rows = [("session", str(path)), ("log", str(log_path(path))), ("import", attestation.state)]
    output.pairs([*rows, ("revision", document.revision)])
    tell_unverified(output, attestation)
