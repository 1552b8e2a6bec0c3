"""``survey-fast session audit``: a blind second look at a random part of a session's queue."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.audit import open_random_audit_session
from survey_fast.cli.audit_sample import draw_rate, draw_seed
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, INSTANT, NAMED, WORDS, SurveyCommand
from survey_fast.cli.output import Output
from survey_fast.cli.session.caps import limited
from survey_fast.cli.session.new import require_attested, session_report, tell_session
from survey_fast.cli.session.stored import opened
from survey_fast.errors import refusal
from survey_fast.limits import ImportLimits
from survey_fast.review.attribution import UNATTRIBUTED
from survey_fast.review.session_store import create_session
from survey_fast.review.state import State

__all__ = ["command"]


@click.command(
    "audit",
    cls=SurveyCommand,
    arguments={
        "FILE": "The session whose queue is drawn from.",
        "OUT": "The audit session to write, NAME.json.",
    },
    examples=["survey-fast session audit round.json audit.json --rate 0.05 --seed 2026-Q1"],
    exits={0: "the audit session is written and bound", 1: "refused, nothing written"},
)
@click.argument("file", metavar="FILE", type=FILE)
@click.argument("out", metavar="OUT", type=NAMED)
@draw_rate
@draw_seed
@click.option("--name", metavar="N", type=WORDS, help="Its name  [default: FILE's with -audit]")
@click.option(
    "--reviewer-of-record",
    "reviewer",
    metavar="ID",
    type=WORDS,
    default=UNATTRIBUTED,
    show_default=True,
    help="Whose round it is.",
)
@click.option(
    "--reviewed-at", metavar="INSTANT", type=INSTANT, help="When it opens  [default: now]"
)
@limited
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    file: Path,
    out: Path,
    rate: float,
    seed: str,
    name: str | None,
    reviewer: str,
    reviewed_at: str | None,
    caps: ImportLimits,
    output: Output,
) -> int:
    """Open a score-blind random audit over the queue of a session.

    The items are drawn by rate and seed out of the bare queue: nothing of what was decided goes
    along. With the import record of FILE, which is stored again, everyone can draw again and see
    that the sample is whole.
    """
    with output.working("drawing"):
        document = opened(file, caps).document
        state = document.state
        _require_whole(state, file)
        snapshot = open_random_audit_session(
            state["items"],
            rate=rate,
            seed=seed,
            reviewed_at=reviewed_at or canonical_instant(clock()),
            actor_id=reviewer,
            limits=caps,
        )
        record = document.extraction_import
        attestation = require_attested(snapshot, record, caps)
        named = f"{document.name}-audit" if name is None else name
        audit = create_session(out, snapshot, name=named, extraction_import=record, limits=caps)
    tell_session(output, out, audit, attestation)
    body = session_report(out, audit, attestation)
    output.answer({"ok": True, **body, "of": len(state["items"])})
    return 0


def _require_whole(state: State, path: Path) -> None:
    if state.get("sampling", {}).get("kind") == "random-audit":
        message = "this session is a drawn sample already; draw from the whole queue"
        raise refusal("audit-options-invalid", message, "/sampling", {"path": str(path)})
