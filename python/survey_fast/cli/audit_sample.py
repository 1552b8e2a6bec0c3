"""``survey-fast audit-sample``: which items a random audit looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from survey_fast import limits
from survey_fast.audit import draw_random_audit_sample
from survey_fast.cli.command import FILE, WORDS, SurveyCommand, capped, max_bytes
from survey_fast.cli.output import Output
from survey_fast.cli.reading import Queue, Source, concerning, queue_of, read_source
from survey_fast.errors import QueueError

__all__ = ["command", "draw_rate", "draw_seed"]

draw_rate: Final = click.option(
    "--rate",
    metavar="R",
    type=float,
    required=True,
    help="Share of the items, above 0 and at most 1.",
)
draw_seed: Final = click.option(
    "--seed",
    metavar="S",
    type=WORDS,
    required=True,
    help="A letter or digit, then also . _ : @ / + ~ - (256 characters at most).",
)


@click.command(
    "audit-sample",
    cls=SurveyCommand,
    arguments={"QUEUE": "A queue snapshot, or an array of review items."},
    examples=["survey-fast audit-sample review-queue.json --rate 0.05 --seed 2026-Q1"],
    exits={0: "the draw was made, even if it selects nothing", 1: "refused"},
)
@click.argument("queue", metavar="QUEUE", type=FILE)
@draw_rate
@draw_seed
@max_bytes
def command(*, queue: Path, rate: float, seed: str, max_bytes: int | None, output: Output) -> int:
    """Draw items for a random audit, by rate and seed.

    Each item is drawn by the hash of its own name, so the same seed gives the same sample
    whatever the order of the queue. Prints the names, one on a line.
    """
    source = read_source(queue, limits.QUEUE, capped(limits.QUEUE, max_bytes))
    with output.working("drawing"):
        queued = queue_of(source)
        drawn = _drawn(queued, source, rate, seed)
    for name in drawn:
        output.line(name)
    output.note(
        f"{len(drawn):,} of {len(queued.items):,} items drawn at rate {rate:g} with seed {seed}"
    )
    output.answer({"ok": True, "rate": rate, "seed": seed, "drawn": drawn, "of": len(queued.items)})
    return 0


def _drawn(queued: Queue, source: Source, rate: float, seed: str) -> list[str]:
    """Names of the items that are drawn."""
    try:
        drawn = draw_random_audit_sample(queued.items, rate=rate, seed=seed)
    except QueueError as error:
        error.pointer = f"{queued.pointer}{error.pointer or ''}"
        with concerning(source):
            raise
    return [str(item["metadata"]["name"]) for item in drawn]
