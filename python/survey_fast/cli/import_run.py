"""``survey-fast import-run``: take over a run of the reference system."""

from __future__ import annotations

from pathlib import Path

import click

from survey_fast.cli.command import FILE, SurveyCommand
from survey_fast.cli.output import Output, counted
from survey_fast.runs.import_run import import_run
from survey_fast.runs.layout import DEFAULT_ROOT

__all__ = ["command"]


@click.command(
    "import-run",
    cls=SurveyCommand,
    arguments={"DIR": "A run directory of the reference system; it is only read."},
    examples=[
        "survey-fast import-run .fieldwork/runs/run-ee0f5783bcfa2891",
        "survey-fast import-run run-ee0f5783bcfa2891 --root runs/ --json",
    ],
    exits={
        0: "the run is taken over, its history included",
        1: "it was not, and nothing was made",
    },
)
@click.argument("directory", metavar="DIR", type=FILE)
@click.option(
    "--root",
    metavar="DIR",
    type=FILE,
    default=Path(DEFAULT_ROOT),
    show_default=True,
    help="The folder that runs live in. One that is made is kept out of version control.",
)
def command(*, directory: Path, root: Path, output: Output) -> int:
    """Take over a run that the reference system made.

    Digest and binding of its queue, the names of its import and the stamps on its events stay what
    they were; every check that opening a run makes is made first. A run that never bound its
    envelope can afterwards be read and not be decided. Rechecks, and queues with an item for each
    proposal, are not taken over.
    """
    with output.working("taking over"):
        run = import_run(directory, root)
    path = root / run.artifacts.path.name
    body = {
        "path": str(path),
        "run": run.manifest.resource,
        "importedFrom": run.manifest.document["source"]["importedFrom"],
        "items": len(run.state["items"]),
        "events": run.log.count,
        "revision": run.revision,
    }
    blocked = {} if run.blocked is None else {"blocked": run.blocked}
    items, events = counted(len(run.state["items"]), "item"), counted(run.log.count, "event")
    output.line(f"{path}: {items}, {events}", "good")
    output.line(f"revision {run.revision}")
    if run.blocked is not None:
        output.note("the run never bound its envelope: it can be read and not be decided", "bad")
    output.answer({"ok": True, **body, **blocked})
    return 0
