"""Making runs of sources: each is extracted from, imported, and becomes a directory.

1. Which run a source makes follows from its bytes, the task and the provider; of the way the
   extraction was made, what can change the answer is recorded, and nothing else. What is recorded
   holds no secret.
2. A failed extraction makes no run, and is refused with what it failed of. One that read a part
   makes a run, also when that part proposed nothing.
3. What must not leave a run is told when it is made, and refused only when it would leave.
4. Of several sources each stands alone: they are made in their order, one that is refused leaves
   the others as they are, and what is wrong with the list itself is found before the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias
from uuid import UUID

from survey_fast.canon import canonical_json, data_digest, plain_data, sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.misfit import misfits
from survey_fast.extraction.options import RunOptions, Stamp
from survey_fast.extraction.plan import Wanted
from survey_fast.extraction.prepare import ContentType, content_type_of
from survey_fast.extraction.provider import ExtractionProvider
from survey_fast.extraction.run import extract
from survey_fast.extraction.run_id import run_id_of
from survey_fast.extraction.task import Task
from survey_fast.extraction.unread import unread_labels
from survey_fast.extraction.usable import require_usable
from survey_fast.limits import ENVELOPE
from survey_fast.runs.create import Created, Extracted, Order, create_run
from survey_fast.runs.disclosure import CORPUS, Disclosure, find_disclosures
from survey_fast.runs.identity import RunIdentity, local_source
from survey_fast.runs.layout import folder_name
from survey_fast.runs.stored_report import NO_REPORT, read_report
from survey_fast.storage import SYSTEM, FilePath, Files
from survey_fast.storage.files import storage_errors

__all__ = [
    "MOST_SOURCES",
    "Attempt",
    "Made",
    "Recipe",
    "RunSource",
    "Watch",
    "attempt_run",
    "check_sources",
    "free_number",
    "make_run",
    "make_runs",
    "recorded_settings",
]

MOST_SOURCES: Final = 128
"""Sources of one list."""
_NUMBERS: Final = 1000
"""Numbers of other runs of the same that are looked at."""
_SOURCE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,255}")
_DEFAULTS: Final = RunOptions()
_BY_LABELS: Final = frozenset({"offline", "pattern"})
"""Kinds of providers that read behind the labels of a task."""
_REPORTED: Final = ("dropped", "duplicates", "malformedToolItems", "notFound", "truncatedAt")

Steps: TypeAlias = "Callable[[int, int], object]"
"""Told how many chunks were asked about, and of how many."""
Watch: TypeAlias = "Callable[[RunSource], AbstractContextManager[Steps]]"
"""Stands around the work on one source, and is told how far it is."""


@dataclass(frozen=True, slots=True)
class RunSource:
    """One source.

    Attributes:
        id: what it is called in a list; ``source-1`` and so on where nobody says otherwise.
        name: the name of its file; the extension says what it is.
        read: gives its bytes.
        content_type: what it is, instead of going by the extension.
    """

    id: str
    name: str
    read: Callable[[], bytes] = field(repr=False)
    content_type: ContentType | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What runs are made with, the same for every source.

    Attributes:
        task: the task.
        provider: who proposes.
        described: the provider as a run keeps it, ``{kind, name, model?, options}``, with
            settings of its own and without those of ``options``.
        created_at: the time that the runs carry, an instant.
        options: how it is extracted. What it is, and whom to tell how far it is, are the source's.
        draw: draws the UUID of an extraction. Without it that follows from the run's identity, as
            is right for a provider that is a function of its input.
        score_blind: open the rounds score-blind.
        again: the number of another run of the same.
    """

    task: Task
    provider: ExtractionProvider
    described: Mapping[str, Any]
    created_at: str
    options: RunOptions = _DEFAULTS
    draw: Callable[[], UUID] | None = None
    score_blind: bool = False
    again: int | None = None

    def record(self) -> dict[str, Any]:
        """The provider with everything that tells this run from another.

        Raises ValueError for options that no run can record.
        """
        options = {**self.described["options"], **recorded_settings(self.options)}
        if self.again is not None:
            options["again"] = self.again
        return {**self.described, "options": options}


def recorded_settings(options: RunOptions) -> dict[str, Any]:
    """The settings that can change what is extracted, where they are not the default.

    Raises ValueError for a key of rows, which is a function and has no name.
    """
    if options.row_key is not None:
        message = "a run tells rows apart by their numbers; a function cannot be recorded"
        raise ValueError(message)
    budgets = options.budgets
    settings = {
        "prep": options.prep,
        "charset": options.charset,
        "errors": _unless(options.errors, _DEFAULTS.errors),
        "truncate": options.truncate or None,
        "chunkSize": _unless(options.chunk_size, _DEFAULTS.chunk_size),
        "chunkOverlap": _unless(options.chunk_overlap, _DEFAULTS.chunk_overlap),
        "maxChunks": options.max_chunks,
        "maxContent": _unless(options.max_content, _DEFAULTS.max_content),
        "maxProviderCalls": budgets.max_provider_calls,
        "maxTotalTokens": budgets.max_total_tokens,
        "fieldHints": data_digest(dict(options.field_hints)) if options.field_hints else None,
        "wire": _unless(options.wire, _DEFAULTS.wire),
    }
    return {name: one for name, one in settings.items() if one is not None}


def _unless(value: object, default: object) -> object:
    return None if value == default else value


@dataclass(frozen=True, slots=True)
class Made:
    """A run that is there now.

    Attributes:
        created: the run, and whether it was there before.
        extraction: what was extracted for it; nothing when it was there before.
        disclosures: what of its envelope must not leave.
    """

    created: Created
    extraction: Extraction | None
    disclosures: Sequence[Disclosure]

    def to_json(self) -> dict[str, Any]:
        """The facts of the run, as plain data; ``warnings`` only of a run that is new."""
        created = self.created
        run = created.run
        provider = run.manifest.document["provider"]
        result, report = self._stored()
        warnings = () if self.extraction is None else self.extraction.warnings
        return {
            "runDirectory": str(created.path),
            "runId": run.manifest.run_id,
            "runResource": run.manifest.resource,
            "reused": created.is_reused,
            **({"again": provider["options"]["again"]} if "again" in provider["options"] else {}),
            "provider": provider["name"],
            "revision": run.revision,
            "outcome": dict(result["outcome"]),
            **({"partial": result["partial"]} if "partial" in result else {}),
            "proposalCount": len(result["proposals"]),
            "itemCount": len(run.state["items"]),
            "conflicts": sum(
                one["spec"].get("candidateSetStatus") == "conflict" for one in run.state["items"]
            ),
            **{name: report[name] for name in _REPORTED if name in report},
            **self._remarks(result["proposals"]),
            "warnings": [{**one.classification(), "message": one.message} for one in warnings],
            "disclosures": {
                "corpus": CORPUS,
                "findings": [one.to_json() for one in self.disclosures],
            },
        }

    def _remarks(self, proposals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What a reader of the proposals alone would not see, where there is something."""
        run = self.created.run
        told = {"misfits": misfits(proposals)}
        if run.manifest.document["provider"]["kind"] in _BY_LABELS:
            text, projections = run.artifacts.prepared.decode(), run.manifest.task.projections
            unread = unread_labels(text, projections, proposals)
            told["unreadLabels"] = [one.to_json() for one in unread]
        return {name: listed for name, listed in told.items() if listed}

    def _stored(self) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """The result of the envelope and the report, as they are stored."""
        artifacts = self.created.run.artifacts
        envelope: Any = plain_data(canonical_json(artifacts.envelope, max_bytes=ENVELOPE.ceiling))
        report = NO_REPORT if artifacts.report is None else read_report(artifacts.report)
        return envelope["result"], report


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one source: a run, or the refusal of one."""

    source: RunSource
    made: Made | None = None
    error: SurveyError | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a run."""
        return self.error is None

    def to_json(self) -> dict[str, Any]:
        """``{id, source, ok, run}`` or ``{id, source, ok, error}``."""
        body: dict[str, Any] = {"id": self.source.id, "source": self.source.name, "ok": self.ok}
        if self.made is not None:
            body["run"] = self.made.to_json()
        if self.error is not None:
            body["error"] = self.error.to_json()
        return body


def make_runs(
    root: FilePath,
    sources: Sequence[RunSource],
    recipe: Recipe,
    *,
    watch: Watch | None = None,
    files: Files = SYSTEM,
) -> Iterator[Attempt]:
    """Make a run of every source, one after the other as the iterator goes on.

    Args:
        root: the folder that runs live in; made when it is missing.
        sources: 1 to 128.
        recipe: what they are made with.
        watch: stands around the work on each.
        files: the file system.

    Returns:
        One attempt for each source, in their order. A refusal of one is in its attempt.

    Raises:
        ValueError: at once, for a list that :func:`check_sources` refuses or options that no
            run can record.
    """
    check_sources(sources)
    recipe.record()
    return (
        attempt_run(root, source, recipe, watch=watch or _unwatched, files=files)
        for source in sources
    )


def check_sources(sources: Sequence[RunSource]) -> None:
    """Refuse a list of no sources, of more than 128, or with ids that are none or come twice.

    Raises ValueError.
    """
    if not 1 <= len(sources) <= MOST_SOURCES:
        message = f"runs are made of 1 to {MOST_SOURCES} sources, not {len(sources)}"
        raise ValueError(message)
    seen: set[str] = set()
    for source in sources:
        if _SOURCE_ID.fullmatch(source.id) is None or source.id in seen:
            message = f"{source.id!r} is no id of a source, or that of two"
            raise ValueError(message)
        seen.add(source.id)


def attempt_run(
    root: FilePath,
    source: RunSource,
    recipe: Recipe,
    *,
    watch: Watch | None = None,
    files: Files = SYSTEM,
) -> Attempt:
    """:func:`make_run`, with its refusal as part of the answer."""
    try:
        with (watch or _unwatched)(source) as tell:
            return Attempt(source, made=make_run(root, source, recipe, tell=tell, files=files))
    except SurveyError as refused:
        refused.details.setdefault("path", source.name)
        return Attempt(source, error=refused)


def make_run(
    root: FilePath,
    source: RunSource,
    recipe: Recipe,
    *,
    tell: Steps | None = None,
    files: Files = SYSTEM,
) -> Made:
    """Make the run of one source, or open it where it was made before.

    Args:
        root: the folder that runs live in; made when it is missing.
        source: what is extracted from.
        recipe: what the run is made with.
        tell: told how many chunks were asked about, and of how many.
        files: the file system.

    Raises:
        ExtractionError: ``EXTRACTION_FAILED`` with category and code of the outcome,
            ``EXTRACTION_UNGROUNDED``, and why a source cannot be prepared.
        RunConflictError: ``RUN_EXISTS_DIFFERENT``.
        SurveyError: as ``source.read`` and :func:`~survey_fast.runs.create.create_run` raise.
            Nothing is stored then.
        ValueError: options that no run can record.
    """
    raw = source.read()
    order = _order(source, raw, recipe)
    identity, kind = order.source, order.source["contentType"]
    extractions: list[Extraction] = []

    def work(run: RunIdentity) -> Extracted:
        drawn = run.envelope_run_id if recipe.draw is None else run_id_of(recipe.draw())
        extraction = extract(
            raw,
            wanted=Wanted(task=recipe.task.task_spec),
            provider=recipe.provider,
            stamp=Stamp(drawn, recipe.created_at, identity["ref"], identity["ref"]),
            options=replace(recipe.options, content_type=kind, on_answer=tell),
        )
        extractions.append(require_usable(extraction))
        return _Extracted(extraction)

    created = create_run(root, order, work, files=files)
    return Made(
        created=created,
        extraction=None if created.is_reused else extractions[0],
        disclosures=find_disclosures(created.run.artifacts.envelope, max_bytes=ENVELOPE.ceiling),
    )


def _order(source: RunSource, raw: bytes, recipe: Recipe) -> Order:
    kind = source.content_type or content_type_of(source.name)
    return Order(
        task=recipe.task,
        source=local_source(task_name=recipe.task.name, digest=sha256_hex(raw), content_type=kind),
        provider=recipe.record(),
        created_at=recipe.created_at,
        score_blind=recipe.score_blind,
        limits=recipe.options.limits,
    )


def free_number(
    root: FilePath, source: RunSource, recipe: Recipe, *, files: Files = SYSTEM
) -> int | None:
    """The lowest number from 2 under which no other run of the same stands.

    Args:
        root: the folder that runs live in.
        source: what the run is made of; it is read.
        recipe: what the run is made with; its own number is set aside.
        files: the file system.

    Returns:
        Nothing when the first thousand are taken.

    Raises:
        FileError: ``STORAGE_FAILED``; and as ``source.read`` raises.
    """
    order = _order(source, source.read(), recipe)
    for number in range(2, _NUMBERS + 1):
        again = replace(order, provider=replace(recipe, again=number).record())
        path = root / folder_name(again.identity().run_id)
        with storage_errors(path):
            try:
                files.lstat(path)
            except FileNotFoundError:
                return number
    return None


class _Extracted:
    """An extraction that is usable, as a creation takes it."""

    def __init__(self, extraction: Extraction) -> None:
        assert extraction.prepared is not None  # noqa: S101 - without a text it would have failed
        self.envelope = extraction.envelope
        self.prepared = extraction.prepared.text
        self.report = extraction.report_bytes


def _unwatched(source: RunSource) -> AbstractContextManager[Steps]:
    del source
    return nullcontext(lambda done, total: None)  # noqa: ARG005
