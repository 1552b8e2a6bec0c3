"""``survey-fast run``: sources become run directories, each of which proves itself."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import click

from survey_fast import limits
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, WORDS, SurveyCommand, capped, max_bytes, max_items
from survey_fast.cli.extract_options import (
    asked_provider,
    asking_options,
    check_provider_usage,
    provider_option,
    provider_options,
    run_settings,
    source_options,
)
from survey_fast.cli.extract_provider import REPRODUCIBLE, described_provider
from survey_fast.cli.hints import extraction_hints, hinting
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_source
from survey_fast.cli.run_telling import RunTelling
from survey_fast.extraction.options import RunOptions
from survey_fast.extraction.task import Task, read_task
from survey_fast.limits import ImportLimits
from survey_fast.runs.layout import DEFAULT_ROOT
from survey_fast.runs.make import (
    MOST_SOURCES,
    Recipe,
    RunSource,
    Watch,
    make_runs,
)

__all__ = ["command"]


class RunCommand(SurveyCommand):
    """A command whose sources are options, and which says so where a word stands alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as fault:
            is_missing = isinstance(fault, click.MissingParameter) and _is_source(fault.param)
            if not is_missing and type(fault) is not click.UsageError:
                raise
            words = self.make_parser(ctx).parse_args(given)[1]
            if not is_missing and not words:
                raise
            typed = shlex.join(words[:1]) or "FILE"
            message = f"{fault.format_message().rstrip('.')}. Give each source as --source {typed}"
            raise click.UsageError(message, ctx) from None


def _is_source(param: click.Parameter | None) -> bool:
    return param is not None and param.name == "sources"


@click.command(
    "run",
    cls=RunCommand,
    arguments={},
    examples=[
        "survey-fast run --task task.json --source contract.txt",
        "survey-fast run --task task.json --source a.txt --source b.html --root runs/ --json",
        "survey-fast run --task task.json --source contract.txt --provider pattern",
        "survey-fast run --task task.json --source contract.txt --provider openai --model gpt-x",
    ],
    exits={
        0: "every source has a run; one that was read only in part says so",
        1: "at least one was refused or failed; the others have their runs",
    },
)
@click.option(
    "--task",
    "task_file",
    metavar="FILE",
    type=FILE,
    required=True,
    help="The fields to look for, the label behind which each stands (for the offline provider), "
    "and what each is a claim about.",
)
@click.option(
    "--source",
    "sources",
    metavar="FILE",
    type=FILE,
    multiple=True,
    required=True,
    help=f"A source: .txt .md .html .vtt .pdf. Give it again for more, {MOST_SOURCES} at most; "
    "each becomes a run, in this order.",
)
@click.option(
    "--root",
    metavar="DIR",
    type=FILE,
    default=Path(DEFAULT_ROOT),
    show_default=True,
    help="The folder that runs live in. One that is made is kept out of version control.",
)
@provider_option
@click.option(
    "--score-blind",
    is_flag=True,
    help="Open the round so that no reviewer is shown how sure the model was.",
)
@click.option(
    "--again",
    metavar="N",
    type=click.IntRange(1, 1 << 53),
    help="Make another run of the same beside the one there is, under this number.",
)
@source_options
@click.option("--model", type=WORDS, help="openai: the model to ask.")
@asking_options
@max_bytes
@max_items
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    task_file: Path,
    sources: tuple[Path, ...],
    root: Path,
    output: Output,
    **rest: Any,  # noqa: ANN401 - the options that say how, by name
) -> int:
    """Make a run of each source: extract, look every excerpt up, open a round and bind it.

    A run is a directory whose name follows from the source, the task and the provider. The same
    run again is not made again: the one that stands there is checked, told, and keeps what was
    decided in it. What cannot be opened later is not created.
    """
    check_provider_usage(rest)
    if len(sources) > MOST_SOURCES:
        message = f"--source is given {len(sources)} times; {MOST_SOURCES} are the most"
        raise click.UsageError(message)
    cancel = Event()
    with hinting(extraction_hints):
        recipe = _recipe(_task(task_file), canonical_instant(clock()), cancel, rest)
    listed = [_source(path, place, rest) for place, path in enumerate(sources, 1)]
    try:
        attempts = make_runs(root, listed, recipe, watch=_watch(output))
        telling = RunTelling(output, root, recipe, is_only=len(listed) == 1)
        return telling.told(attempts)
    except KeyboardInterrupt:
        # Calls that are under way look at this, so that the program can end.
        cancel.set()
        raise


def _task(path: Path) -> Task:
    source = read_source(path, limits.TASK_FILE)
    with concerning(source):
        return read_task(source.raw)


def _recipe(task: Task, created_at: str, cancel: Event, rest: Mapping[str, Any]) -> Recipe:
    caps = ImportLimits(
        envelope_bytes=capped(limits.ENVELOPE, rest["max_bytes"]), items=rest["max_items"]
    )
    provider = asked_provider(rest, task)
    return Recipe(
        task=task,
        provider=provider,
        described=described_provider(rest["provider"], provider_options(rest), provider),
        created_at=created_at,
        options=RunOptions(cancel=cancel, **run_settings(rest, caps)),
        draw=None if rest["provider"] in REPRODUCIBLE else uuid4,
        score_blind=rest["score_blind"],
        again=rest["again"],
    )


def _source(path: Path, place: int, rest: Mapping[str, Any]) -> RunSource:
    most = capped(limits.SOURCE, rest["max_bytes"])
    return RunSource(
        id=f"source-{place}",
        name=str(path),
        read=lambda: read_source(path, limits.SOURCE, most).raw,
        content_type=rest["content_type"],
    )


def _watch(output: Output) -> Watch:
    @contextmanager
    def watch(source: RunSource) -> Iterator[Callable[[int, int], None]]:
        # A function of the user's may print; standard output is the command's own.
        label = f"reading {Path(source.name).name}"
        with output.counting(label) as tell, redirect_stdout(sys.stderr):
            yield tell

    return watch
