"""``survey-fast demo``: the main job, on a published extraction and on a large one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Final

import click

from survey_fast import limits
from survey_fast.canon import canonical_json
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.demo_decide import run_scale_review, tell_scale_review
from survey_fast.cli.demo_export import run_real_exports, tell_real_exports
from survey_fast.cli.demo_real import TARGETS, RealExample, run_real, tell_real
from survey_fast.cli.demo_review import run_real_review, tell_real_review
from survey_fast.cli.demo_scale import Scale, run_scale, tell_scale
from survey_fast.cli.demo_tampers import run_tampers, tell_tampers
from survey_fast.cli.folder import place_all
from survey_fast.cli.importing import Opening
from survey_fast.cli.output import Output

__all__ = ["command"]

_FEWEST: Final = 50
"""Below this no two generated proposals conflict, so that no rival can be deleted."""
_MOST: Final = 10_000


@click.command(
    "demo",
    cls=SurveyCommand,
    arguments={},
    examples=["survey-fast demo", "survey-fast demo --items 500 --keep try/"],
    exits={
        0: "every tampering was refused, every decision taken",
        1: "something went unnoticed, or a file was refused",
    },
)
@click.option(
    "--items",
    metavar="N",
    type=click.IntRange(_FEWEST, _MOST),
    default=_MOST,
    show_default=True,
    help="Items of the generated queue.",
)
@click.option(
    "--keep",
    metavar="DIR",
    type=FILE,
    help="Keep the files of both extractions, below DIR.",
)
@click.pass_obj
def command(clock: Clock, /, *, items: int, keep: Path | None, output: Output) -> int:
    """Watch an extraction being imported, attested, tampered with and reviewed.

    Starts with a published extraction of three proposals and explains every step, down to the
    choice between two values. Then does the same with thousands of generated items, tells what
    each step took, tampers with the queue in five ways, decides all of it in one batch, and
    draws a blind audit. Ends with the published one as a trust bundle.
    """
    opening = Opening(canonical_instant(clock()))
    _tell_beginning(output)
    real = run_real(opening)
    tell_real(output, real)
    review = run_real_review(real, opening)
    tell_real_review(output, review)
    with output.working(f"working on {items:,} items"):
        scale = run_scale(items, opening)
    tell_scale(output, scale)
    with output.working("tampering"):
        outcomes = run_tampers(scale)
    tell_tampers(output, outcomes, scale.items)
    with output.working(f"deciding {items:,} items"):
        decided = run_scale_review(scale, opening)
    tell_scale_review(output, decided)
    exports = run_real_exports(real, opening)
    tell_real_exports(output, exports)
    if keep is not None:
        _keep(keep, real, scale)
    _tell_end(output, keep, scale)
    is_attested = real.state == scale.state == review.state == "attested"
    is_bound = real.is_bound and scale.is_bound
    is_decided = review.refused is not None and decided.is_whole
    is_noticed = all(one.is_refused for one in outcomes) and exports.is_as_it_should_be
    ok = is_attested and is_bound and is_decided and is_noticed
    body = {
        "published": real.to_json(),
        "generated": scale.to_json(),
        "tampers": [outcome.to_json() for outcome in outcomes],
        "review": {"published": review.to_json(), "generated": decided.to_json()},
        "export": exports.to_json(),
    }
    return _answered(output, body, ok=ok)


def _answered(output: Output, body: dict[str, Any], *, ok: bool) -> int:
    if ok:
        output.answer({"ok": True, **body})
        return 0
    error = {"code": "demo-failed", "message": "a check did not give the answer it should"}
    output.answer({"ok": False, "error": error, **body})
    return 1


def _tell_beginning(output: Output) -> None:
    output.paragraph(
        "Models read documents and fill in fields; people review the values. Later someone asks: "
        "did the model really say that, does the document really say that, and did anything get "
        "lost on the way? survey-fast answers these questions with files that anyone can check."
    )
    output.line()


def _keep(folder: Path, real: RealExample, scale: Scale) -> None:
    """Both rounds as files, as ``import`` writes them, with what they were imported from."""
    wanted: dict[str, bytes | None] = {
        "published/envelope.json": real.envelope,
        "published/prepared.txt": real.prepared.encode(),
        "published/targets.json": canonical_json(TARGETS),
        "published/import.json": real.imported.record_bytes,
        "published/review-queue.json": real.snapshot,
        "published/binding.json": real.binding,
        "generated/envelope.json": scale.envelope,
        "generated/prepared.txt": scale.prepared.encode(),
        "generated/targets.json": canonical_json(scale.targets),
        "generated/import.json": scale.imported.record_bytes,
        "generated/review-queue.json": scale.snapshot + b"\n",
        "generated/binding.json": canonical_json(scale.binding) + b"\n",
    }
    place_all(folder, wanted, remedy="choose another folder to --keep them in")


def _tell_end(output: Output, folder: Path | None, scale: Scale) -> None:
    output.line()
    if folder is None:
        output.line("Next: survey-fast import --help, then survey-fast session --help.")
        return
    queue, record, binding = (
        shlex.quote(str(folder / "published" / name))
        for name in ("review-queue.json", "import.json", "binding.json")
    )
    output.line(f"The files are kept below {folder}. Change something in a queue, then try:")
    output.line(f"  survey-fast attest {queue} --import {record} --binding {binding}")
    if scale.proposals > limits.ITEMS.default:
        output.line(
            f"The generated round is above the usual limit: add --max-items {scale.proposals}."
        )
