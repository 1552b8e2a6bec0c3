"""``survey-fast demo``: once around the whole loop on a brief, then the same at size."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from survey_fast import limits
from survey_fast.canon import canonical_json
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import NAMED, SurveyCommand
from survey_fast.cli.demo_decide import run_scale_review, tell_scale_review
from survey_fast.cli.demo_export import LoopExport, run_export, tell_export
from survey_fast.cli.demo_forgeries import Forgery, run_forgeries, tell_forgeries
from survey_fast.cli.demo_loop import Loop, run_loop, tell_loop
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
    type=NAMED,
    help="Keep the runs and the generated round as files, below DIR.",
)
@click.pass_obj
def command(clock: Clock, /, *, items: int, keep: Path | None, output: Output) -> int:
    """Watch a document become a run, be decided, verified, tampered with and exported.

    A brief of seven fields goes once around the whole loop, down to the choice between two values
    and the status of every claim. Then a generated register of contracts is imported, attested,
    tampered with, decided and audited; each step tells how long it took.
    """
    opening = Opening(canonical_instant(clock()))
    _tell_beginning(output)
    round_trip = _around(output, opening)
    with output.working(f"working on {items:,} items"):
        scale = run_scale(items, opening)
    tell_scale(output, scale)
    with output.working("tampering"):
        outcomes = run_tampers(scale)
    tell_tampers(output, outcomes, scale.items)
    with output.working(f"deciding {items:,} items"):
        decided = run_scale_review(scale, opening)
    tell_scale_review(output, decided)
    if keep is not None:
        _keep(keep, round_trip, scale)
    _tell_end(output, keep, round_trip, scale)
    is_sound = scale.state == "attested" and scale.is_bound and decided.is_whole
    ok = round_trip.ok and is_sound and all(one.is_refused for one in outcomes)
    body = {
        "loop": round_trip.to_json(),
        "generated": scale.to_json(),
        "tampers": [outcome.to_json() for outcome in outcomes],
        "review": decided.to_json(),
    }
    return _answered(output, body, ok=ok)


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Everything that was done with the brief, and its files."""

    loop: Loop
    forgeries: list[Forgery]
    export: LoopExport
    kept: dict[str, bytes]

    @property
    def ok(self) -> bool:
        """Whether every check gave the answer it should."""
        is_noticed = all(one.is_refused for one in self.forgeries)
        return self.loop.is_whole and is_noticed and self.export.is_as_it_should_be

    @property
    def run_name(self) -> str:
        """The name of the run that was decided."""
        return self.loop.path.name

    def to_json(self) -> dict[str, Any]:
        """For the JSON document."""
        return {
            **self.loop.to_json(),
            "tampers": [one.to_json() for one in self.forgeries],
            "export": self.export.to_json(),
        }


def _around(output: Output, opening: Opening) -> RoundTrip:
    """The loop, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="survey-fast-demo-") as folder:
        loop = run_loop(Path(folder) / "runs", opening)
        tell_loop(output, loop)
        forgeries = run_forgeries(loop, Path(folder) / "forged")
        tell_forgeries(output, forgeries, loop)
        export = run_export(loop)
        tell_export(output, export)
        return RoundTrip(loop, forgeries, export, loop.to_files())


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


def _keep(folder: Path, round_trip: RoundTrip, scale: Scale) -> None:
    """The runs as they are, the round as ``import`` writes it, with what they were made from."""
    wanted: dict[str, bytes | None] = {
        **round_trip.kept,
        "generated/envelope.json": scale.envelope,
        "generated/prepared.txt": scale.prepared.encode(),
        "generated/targets.json": canonical_json(scale.targets),
        "generated/import.json": scale.imported.record_bytes,
        "generated/review-queue.json": scale.snapshot + b"\n",
        "generated/binding.json": canonical_json(scale.binding) + b"\n",
    }
    place_all(folder, wanted, remedy="choose another folder to --keep them in")


def _tell_end(output: Output, folder: Path | None, round_trip: RoundTrip, scale: Scale) -> None:
    output.line()
    if folder is None:
        output.line("Next: survey-fast run --help, then survey-fast session --help.")
        return
    run = folder / "runs" / round_trip.run_name
    revision = round_trip.loop.verified.run.revision
    queue, record, binding = (
        str(folder / "generated" / name)
        for name in ("review-queue.json", "import.json", "binding.json")
    )
    more = ["--max-items", str(scale.proposals)] if scale.proposals > limits.ITEMS.default else []
    output.line(f"The files are kept below {folder}. Change something in them, then try:")
    for words in (
        ["verify", str(run), "--expect", revision],
        ["attest", queue, "--import", record, "--binding", binding, *more],
    ):
        output.line(f"  {shlex.join(['survey-fast', *words])}")
