"""``survey-fast extract``: values proposed for the fields of a task, each with its words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Final
from uuid import uuid4

import click

from survey_fast import limits
from survey_fast.canon import Json, canonical_json, data_digest, sha256_hex
from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, INSTANT, NAMED, WORDS, SurveyCommand, capped, max_bytes
from survey_fast.cli.extract_options import (
    asked_provider,
    asking_options,
    check_provider_usage,
    provider_option,
    refuse_given,
    run_settings,
    source_options,
)
from survey_fast.cli.extract_provider import OFFLINE, REPRODUCIBLE
from survey_fast.cli.extract_summary import FILES, contents_of, failed, summary, tell, tell_next
from survey_fast.cli.folder import place_all
from survey_fast.cli.hints import extraction_hints, hinting, noted
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_source
from survey_fast.errors import SurveyError
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.langextract import (
    LangExtractOptions,
    extraction_of_langextract,
    read_langextract_lines,
)
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.prepare import content_type_of
from survey_fast.extraction.provider import ExtractionProvider
from survey_fast.extraction.run import extract
from survey_fast.extraction.run_id import derived_run_id, run_id_of
from survey_fast.extraction.source_ref import local_source_ref
from survey_fast.extraction.task import Projection, Task, read_task
from survey_fast.extraction.usable import require_usable
from survey_fast.limits import ImportLimits

__all__ = ["command"]

_REMEDY: Final = (
    "choose another --out, or give --force to discard what is there (the same extraction gives the "
    "same files only with the same --extracted-at)"
)
_TASK: Final = r"""A task file that offline reads "Rent: 1250" by:

  {"apiVersion": "fieldwork.kontourai.io/v1alpha1",
   "kind": "FieldworkTask",
   "metadata": {"name": "lease"},
   "spec": {
     "traverse": {"version": "1", "targetSchema": [
       {"path": "rent", "type": "number", "inferenceType": "explicit"}]},
     "projections": [{
       "fieldPath": "rent", "pattern": "Rent: ([^\\n]+)",
       "claim": {"subjectType": "contract", "subjectId": "lease-1",
         "facet": "terms", "claimType": "amount", "impactLevel": "high"}}]}}
""".replace("\n\n", "\n\n\b\n", 1)
_OF_SOURCES: Final = (
    *("task_file", "provider", "content_type", "charset", "errors", "truncate"),
    *("base_url", "key_env", "no_key", "allow_plain_http", "mode", "timeout", "retries"),
    *("concurrency", "max_calls", "max_tokens", "max_chunks", "chunk_size", "chunk_overlap"),
    "wire",
)

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Job:
    """One source: what it is called, how it is extracted from, and where its files go.

    Attributes:
        projections: those that a provider goes by which reads behind labels.
    """

    name: str
    run: Callable[[Tell], Extraction]
    folder: Path | None
    targets: Mapping[str, Any] | None = None
    projections: Sequence[Projection] = ()
    cancel: Event = field(default_factory=Event)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options come to for every source."""

    task: Task
    provider: ExtractionProvider
    provider_name: str
    content_type: str | None
    extracted_at: str
    options: Mapping[str, Any]
    most_bytes: int | None


@click.command(
    "extract",
    cls=SurveyCommand,
    arguments={"[FILE]...": "Sources: .txt .md .html .vtt .pdf; each becomes an extraction."},
    examples=[
        "survey-fast extract contract.txt --task task.json --out extraction/",
        "survey-fast extract notes/*.txt --task task.json --provider openai --model gpt-x \\",
        "    --base-url http://localhost:8000/v1 --key-env MY_KEY --concurrency 4 --out all/",
        "survey-fast extract page.html --task task.json --provider my_models:propose --out x/",
        "survey-fast extract --from-langextract results.jsonl --out extraction/",
    ],
    exits={
        0: "every source was extracted from; one that was read only in part says so",
        1: "at least one was refused or failed; the others are written",
    },
    epilog=_TASK,
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FILE)
@click.option(
    "--task",
    "task_file",
    metavar="FILE",
    type=FILE,
    help="The fields to look for, the label behind which each stands (for the offline provider), "
    "and what each is a claim about.",
)
@provider_option
@click.option(
    "--from-langextract",
    metavar="FILE",
    type=FILE,
    help="Instead of sources: documents that langextract saved, one JSON object a line. Every "
    "interval is checked; an extraction whose exact text stands nowhere is left out and counted.",
)
@click.option(
    "--rows",
    is_flag=True,
    help="With --from-langextract: each extraction is a row of its own, and its attributes belong "
    "to it. Without, extractions of one class are rival values of one field.",
)
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    type=NAMED,
    help="Folder for extraction-envelope.json, prepared.txt, extraction-report.json and, with a "
    "task, targets.json; for several sources a folder with one for each. Without it nothing is "
    "written.",
)
@click.option("--force", is_flag=True, help="Replace what these files hold already.")
@source_options
@click.option("--model", type=WORDS, help="openai: the model to ask. langextract: the one asked.")
@asking_options
@click.option(
    "--wire",
    type=click.Choice(("current", "0.25")),
    default="current",
    show_default=True,
    help="Form of the envelope; 0.25 for readers of that release.",
)
@click.option(
    "--extracted-at", metavar="INSTANT", type=INSTANT, help="The instant to state  [default: now]"
)
@max_bytes
@click.option(
    "--max-items",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="Most proposals of one envelope, instead of 10000.",
)
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    files: tuple[Path, ...],
    task_file: Path | None,
    from_langextract: Path | None,
    folder: Path | None,
    force: bool,
    output: Output,
    **rest: Any,  # noqa: ANN401 - the options that say how, by name
) -> int:
    """Have values proposed for the fields of a task, and place each one in its source.

    A provider reads the prepared text chunk by chunk and proposes values with the words they were
    read from. Each excerpt is looked up exactly; what stands nowhere is left out, and the report
    says so. Nothing is accepted here: import the envelope next, and review it.
    """
    _check_usage(files, from_langextract, folder, force=force, rest=rest)
    instant = rest["extracted_at"] or canonical_instant(clock())
    caps = ImportLimits(
        envelope_bytes=capped(limits.ENVELOPE, rest["max_bytes"]), items=rest["max_items"]
    )
    if from_langextract is not None:
        jobs = list(_langextract_jobs(from_langextract, folder, instant, caps, rest))
    else:
        with hinting(extraction_hints):
            asked = _asked(files, task_file, instant, caps, rest)
        jobs = [
            _source_job(asked, path, place)
            for path, place in zip(files, _folders(folder, files), strict=True)
        ]
    return _work(output, jobs, force=force)


def _check_usage(
    files: Sequence[Path],
    from_langextract: Path | None,
    folder: Path | None,
    *,
    force: bool,
    rest: Mapping[str, Any],
) -> None:
    """An option that would change nothing is wrong usage: somebody expects something of it."""
    if force and folder is None:
        message = "--force is about the files in --out, and without that nothing is written"
        raise click.UsageError(message)
    if from_langextract is not None:
        if files:
            message = "--from-langextract takes the place of sources"
            raise click.UsageError(message)
        refuse_given(_OF_SOURCES, "has no meaning with --from-langextract")
        return
    refuse_given(("rows",), "needs --from-langextract")
    check_provider_usage(rest)


def _asked(
    files: Sequence[Path],
    task_file: Path | None,
    instant: str,
    caps: ImportLimits,
    rest: Mapping[str, Any],
) -> Asked:
    if not files:
        message = "name at least one source, or give --from-langextract"
        raise click.UsageError(message)
    if task_file is None:
        message = "--task says what to look for; survey-fast extract --help shows an example"
        raise click.UsageError(message)
    source = read_source(task_file, limits.TASK_FILE)
    with concerning(source):
        task = read_task(source.raw)
    options = {**run_settings(rest, caps), "wire": rest["wire"]}
    return Asked(
        task=task,
        provider=asked_provider(rest, task),
        provider_name=rest["provider"],
        content_type=rest["content_type"],
        extracted_at=instant,
        options=options,
        most_bytes=capped(limits.SOURCE, rest["max_bytes"]),
    )


def _source_job(asked: Asked, path: Path, folder: Path | None) -> Job:
    cancel = Event()

    def run(tell: Tell) -> Extraction:
        source = read_source(path, limits.SOURCE, asked.most_bytes)
        ref = local_source_ref(asked.task.name, sha256_hex(source.raw))
        content_type: Any = asked.content_type or content_type_of(path.name)
        options = RunOptions(
            content_type=content_type, cancel=cancel, on_answer=tell, **asked.options
        )
        with concerning(source):
            return extract(
                source.raw,
                wanted=Wanted(task=asked.task.task_spec),
                provider=asked.provider,
                stamp=Stamp(_run_id(asked, ref, options), asked.extracted_at, ref, ref),
                options=options,
            )

    task = asked.task
    by_labels = task.projections if asked.provider_name in REPRODUCIBLE else ()
    return Job(str(path), run, folder, task.claim_targets(), by_labels, cancel)


def _run_id(asked: Asked, source_ref: str, options: RunOptions) -> str:
    """The same for the same work when the provider is the same function of its input."""
    if asked.provider_name not in REPRODUCIBLE:
        return run_id_of(uuid4())
    budgets = options.budgets
    identity: list[Json] = [
        source_ref,
        sha256_hex(asked.task.canonical),
        options.content_type,
        options.truncate,
        [options.chunk_size, options.chunk_overlap, options.max_chunks],
        [budgets.max_provider_calls, budgets.max_total_tokens],
    ]
    if options.charset is not None or options.errors != "strict":
        identity.append([options.charset, options.errors])
    if asked.provider_name != OFFLINE:
        identity.append({"provider": asked.provider.name})
    return derived_run_id(data_digest(identity))


def _langextract_jobs(
    path: Path,
    folder: Path | None,
    instant: str,
    caps: ImportLimits,
    rest: Mapping[str, Any],
) -> Iterator[Job]:
    source = read_source(path, limits.BUNDLE, capped(limits.BUNDLE, rest["max_bytes"]))
    with concerning(source):
        documents = read_langextract_lines(source.raw)
    options = LangExtractOptions(model=rest["model"], rows=rest["rows"], limits=caps)
    names = [Path(f"document-{number}") for number in range(1, len(documents) + 1)]
    for document, name, place in zip(documents, names, _folders(folder, names), strict=True):

        def run(tell: Tell, document: Json = document) -> Extraction:
            del tell
            run_id = derived_run_id(data_digest([document, rest["model"], rest["rows"]]))
            return extraction_of_langextract(
                document, run_id=run_id, extracted_at=instant, options=options
            )

        yield Job(f"{path} {name}" if len(documents) > 1 else str(path), run, place)


def _folders(folder: Path | None, sources: Sequence[Path]) -> list[Path | None]:
    """Where the files of each source go: into the folder, or into one of its own below it."""
    if folder is None or len(sources) == 1:
        return [folder] * len(sources)
    taken: set[str] = set()
    places: list[Path | None] = []
    for source in sources:
        stem = source.stem or "source"
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        places.append(folder / name)
    return places


def _work(output: Output, jobs: Sequence[Job], *, force: bool) -> int:
    bodies: list[dict[str, Any]] = []
    errors: list[SurveyError] = []
    for job in jobs:
        try:
            extraction = _extracted(output, job)
            body = _finished(job, extraction, force=force)
        except SurveyError as error:
            errors.append(noted(error, extraction_hints))
            body = failed(job.name, error)
        bodies.append(body)
        tell(output, body, is_only=len(jobs) == 1)
    tell_next(output, bodies)
    counts = {"extracted": len(jobs) - len(errors), "failed": len(errors), "sources": bodies}
    if not errors:
        output.answer({"ok": True, **counts})
        return 0
    output.refuse(errors[0], counts)
    return errors[0].exit_code


def _extracted(output: Output, job: Job) -> Extraction:
    try:
        label = f"extracting from {Path(job.name).name}"
        # A function of the user's may print; standard output is the command's own.
        with output.counting(label) as tell_steps, redirect_stdout(sys.stderr):
            return job.run(tell_steps)
    except KeyboardInterrupt:
        # Calls that are under way look at this, so that the program can end.
        job.cancel.set()
        raise


def _finished(job: Job, extraction: Extraction, *, force: bool) -> dict[str, Any]:
    """The facts of one extraction; its files are written, unless it failed."""
    try:
        require_usable(extraction)
    except SurveyError as error:
        error.details.setdefault("path", job.name)
        raise
    targets = None if job.targets is None else canonical_json(dict(job.targets)) + b"\n"
    removed: list[str] = []
    if job.folder is not None:
        wanted = dict(zip(FILES, contents_of(extraction, targets), strict=True))
        removed = place_all(job.folder, wanted, remedy=_REMEDY, force=force)
    told = summary(
        job.name,
        extraction,
        job.folder,
        has_targets=targets is not None,
        projections=job.projections,
    )
    return told | {"removed": removed}
