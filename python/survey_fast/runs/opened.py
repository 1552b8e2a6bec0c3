"""Opening a run: every artifact is read, and every claim it makes about another is checked.

In this order, and the first thing wrong is the one reported:

1. the directory and its files are what they seem; ``run.json`` names itself;
2. the event log chains to it;
3. the parts agree, as :mod:`survey_fast.runs.agreement` has it;
4. the events are a valid history of the queue.

Nothing is skipped because somebody else checked it. Who needs no prepared text reads the run
without it and learns less: the stored status of the import is then taken at its word.

What step 3 looks at first is begun while the log is read. It is judged when its turn comes, and
nobody hears of it when the log is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Final, Literal, TypeAlias

from survey_fast.attest import Attestation
from survey_fast.canon import canonical_json, data_json, plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.imports import ImportResult
from survey_fast.limits import ENVELOPE, QUEUE
from survey_fast.review.apply import foreign_issues
from survey_fast.review.fold import Fold
from survey_fast.review.issues import EventIssue
from survey_fast.review.replay import are_edits_fit, follows, history_issues
from survey_fast.review.shape import check_events
from survey_fast.runs.agreement import Agreed, check_agreement
from survey_fast.runs.ahead import begun
from survey_fast.runs.derived_round import DerivedImport, DerivedRound, derived_round
from survey_fast.runs.identity import SESSION_NAME
from survey_fast.runs.layout import (
    ENVELOPE_FILE,
    EVENTS_FILE,
    MANIFEST_FILE,
    PREPARED_FILE,
    QUEUE_FILE,
    REPORT_FILE,
    artifacts_in,
    folder_name,
    read_file,
    run_errors,
)
from survey_fast.runs.manifest import Manifest, read_manifest
from survey_fast.runs.stored_round import StoredRound
from survey_fast.storage import (
    SERVER_WAIT,
    SYSTEM,
    AppendLog,
    FilePath,
    Files,
    Lock,
    LogView,
)
from survey_fast.storage.folder import Folder, opened_folder

__all__ = [
    "Artifacts",
    "Blocked",
    "Metadata",
    "Records",
    "Run",
    "export_queue",
    "invalid_events",
    "open_metadata",
    "open_run",
    "require_log",
    "run_log",
]

Blocked: TypeAlias = Literal["unbound-envelope"]
"""Why a run is only read: its envelope was never bound."""


@dataclass(frozen=True, slots=True)
class Records:
    """The bytes of a run that never change, but for those about its text.

    Attributes:
        path: the real path of the directory.
        manifest: ``run.json``.
        queue: the base snapshot.
        envelope: the portable envelope.
    """

    path: FilePath
    manifest: Manifest
    queue: bytes
    envelope: bytes


@dataclass(frozen=True, slots=True)
class Artifacts(Records):
    """The bytes of a run that never change, as they were read.

    Attributes:
        prepared: the prepared text as UTF-8.
        report: the extraction report; nothing in a run that never bound its envelope.
    """

    prepared: bytes
    report: bytes | None


@dataclass(frozen=True)
class Metadata:
    """A run that was read without its prepared text, every check passed that needs none.

    Attributes:
        artifacts: what never changes.
        log: the committed events.
        agreed: the snapshot, what the envelope tells, the attestation.
        blocked: why the run can only be read, if so.
        is_renamed: whether the directory has another name than its run.
    """

    artifacts: Records
    agreed: Agreed
    log: LogView
    blocked: Blocked | None
    is_renamed: bool

    @property
    def manifest(self) -> Manifest:
        """``run.json``."""
        return self.artifacts.manifest

    @property
    def imported(self) -> ImportResult:
        """What the envelope imports to."""
        return self.agreed.imported

    @property
    def attestation(self) -> Attestation:
        """How the queue follows from the import."""
        return self.agreed.attestation

    @property
    def outline(self) -> Mapping[str, Any]:
        """The base snapshot, items without what judging a history does not read."""
        return self.agreed.round.outline

    @property
    def state(self) -> Mapping[str, Any]:
        """The base snapshot as plain data, built when it is first asked for."""
        return self.agreed.round.state

    @property
    def item_count(self) -> int:
        """How many items the queue has."""
        names = self.agreed.round.names
        return len(self.outline["items"] if names is None else names)

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The outcome of the extraction."""
        return self.agreed.envelope.outcome

    @property
    def proposal_count(self) -> int:
        """How many proposals the extraction made."""
        return self.agreed.envelope.proposals

    @property
    def revision(self) -> str:
        """The token of exactly this history."""
        return self.log.revision


@dataclass(frozen=True)
class Run(Metadata):
    """A run that was opened, every check passed; the import was made against its text.

    Attributes:
        folded: what the first events come to, and how many they are, where that is known.
    """

    artifacts: Artifacts
    folded: tuple[Fold, int] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def fold(self) -> Fold:
        """What the history comes to; for reading, never for applying events to."""
        if self.folded is None:
            return Fold(self.outline).apply(self.log.events)
        known, count = self.folded
        return known.extended(self.log.events[count:])


def open_run(  # noqa: PLR0913 - one argument for each fact about who opens it
    path: FilePath,
    *,
    lock: Lock | None = None,
    read_shared_lock: bool = False,
    wait: float = SERVER_WAIT,
    files: Files = SYSTEM,
    known: Run | None = None,
    is_shown: bool = False,
) -> Run:
    """Open the run in the directory ``path``, with every check.

    Args:
        path: the run directory.
        known: the same run as it was opened earlier in this process. All of it is read again; what
            was found of the same bytes is not found out a second time.
        lock: read as the holder of the lock on its log.
        read_shared_lock: keep writers out while the log is read.
        wait: seconds to wait for that.
        files: the file system.
        is_shown: whether items and events will be asked for as data, which they then become while
            the checks go on.

    Raises:
        RunNotFoundError: ``RUN_NOT_FOUND``.
        RunError: ``INVALID_RUN``, ``RUN_PATH_REFUSED``, ``RUN_ENVELOPE_INVALID``,
            ``RUN_PREPARED_MISMATCH``, ``INVALID_EVENTS``.
        RunConflictError: ``REVIEW_BINDING_BROKEN``, ``RUN_ENVELOPE_MISMATCH``,
            ``RUN_EXTRACTION_MISMATCH``, ``REVIEW_QUEUE_UNATTESTED``.
        LogError, LogLimitError, ReviewBusyError, FileError: as storage raises.
    """
    with run_errors(), opened_folder(path, files=files) as folder:
        artifacts = _artifacts(folder, known)
        if known is not None and known.artifacts != artifacts:
            known = None
        with _begun(artifacts, artifacts.prepared, known) as derived:
            log = run_log(artifacts, files=files)
            require_log(folder)
            view = log.read(
                lock=lock,
                read_shared_lock=read_shared_lock,
                wait_seconds=wait,
                known=None if known is None else known.log,
            )
            folder.require_unmoved()
            if lock is not None or is_shown:
                # Who holds the lock is going to decide, and that takes the events as data.
                _ = view.events
            state = _unchecked(artifacts.queue) if is_shown and known is None else None
    if known is not None:
        return _again(artifacts, view, known)
    run = _checked(artifacts, view, derived)
    if state is not None and isinstance(run.imported, DerivedImport):
        # The queue was seen to be canonical as stored, so this is what it says.
        run.agreed.round.take_state(state)
    return run


@collector_paused()
def _unchecked(queue: bytes) -> object:
    """Plain data of a queue that may turn out to be none; nothing where it cannot be read."""
    try:
        return plain_data(queue)
    except ValueError:
        return None


def open_metadata(path: FilePath, *, files: Files = SYSTEM) -> Metadata:
    """Read the run in ``path`` without its prepared text and its report.

    Raises: as :func:`open_run`, but for what only the prepared text shows.
    """
    with run_errors(), opened_folder(path, files=files) as folder:
        records = _records(folder)
        with _begun(records, None) as derived:
            require_log(folder)
            view = run_log(records, files=files).read()
            folder.require_unmoved()
    return _checked_metadata(records, view, derived)


def run_log(records: Records, *, files: Files = SYSTEM) -> AppendLog:
    """The event log of a run."""
    return AppendLog(records.manifest.raw, records.path / EVENTS_FILE, files=files)


def require_log(folder: Folder) -> None:
    """Refuse a run whose log is missing, or is no file of its own."""
    try:
        folder.require_own(EVENTS_FILE)
    except SurveyError as fault:
        if fault.code == "file-not-found":
            message = f"{folder.path} has no event log, not even an empty one"
            raise refusal("RUN_EVENTS_BROKEN", message, None, fault.details) from None
        raise


def _records(folder: Folder, known: Run | None = None) -> Records:
    """``run.json`` is checked, the others are only read."""
    before = None if known is None else known.artifacts
    raw = read_file(folder, MANIFEST_FILE)
    is_known = before is not None and before.manifest.raw == raw
    with artifacts_in(folder.path):
        manifest = before.manifest if before is not None and is_known else read_manifest(raw)
    return Records(
        path=folder.path,
        manifest=manifest,
        queue=read_file(
            folder,
            QUEUE_FILE,
            most=QUEUE.ceiling,
            known=None if before is None else before.queue,
        ),
        envelope=read_file(
            folder,
            ENVELOPE_FILE,
            most=ENVELOPE.ceiling,
            known=None if before is None else before.envelope,
        ),
    )


def _artifacts(folder: Folder, known: Run | None) -> Artifacts:
    one = _records(folder, known)
    is_bound = one.manifest.extraction is not None
    return Artifacts(
        path=one.path,
        manifest=one.manifest,
        queue=one.queue,
        envelope=one.envelope,
        prepared=read_file(
            folder, PREPARED_FILE, known=None if known is None else known.artifacts.prepared
        ),
        report=read_file(folder, REPORT_FILE) if is_bound else None,
    )


def _begun(
    records: Records, prepared: bytes | None, known: Run | None = None
) -> AbstractContextManager[Callable[[], DerivedRound | None]]:
    """The look at queue and envelope, begun while the log is read; none where all is known."""
    if known is not None:
        return nullcontext(lambda: None)
    size = len(records.queue) + len(records.envelope)
    look = partial(
        derived_round,
        records.manifest,
        queue=records.queue,
        envelope=records.envelope,
        prepared=prepared,
    )
    return begun(look, is_worthwhile=size >= _WORTHWHILE)


_WORTHWHILE: Final = 1 << 18
"""Bytes below which starting a thread costs more than it saves."""


def _again(artifacts: Artifacts, view: LogView, known: Run) -> Run:
    """The run again, of which nothing but the log can have changed."""
    count = known.log.count if known.log.is_continued(view.text) else 0
    folded = (known.fold, count) if count else None
    facts = _facts(artifacts, known.agreed, view, folded)
    return Run(artifacts, **facts, folded=folded)


@collector_paused()
def _checked(
    artifacts: Artifacts, view: LogView, derived: Callable[[], DerivedRound | None]
) -> Run:
    with artifacts_in(artifacts.path):
        agreed = check_agreement(
            artifacts.manifest,
            queue=artifacts.queue,
            envelope=artifacts.envelope,
            report=artifacts.report,
            prepared=artifacts.prepared,
            derived=derived(),
        )
    return Run(artifacts, **_facts(artifacts, agreed, view))


@collector_paused()
def _checked_metadata(
    records: Records, view: LogView, derived: Callable[[], DerivedRound | None]
) -> Metadata:
    with artifacts_in(records.path):
        agreed = check_agreement(
            records.manifest,
            queue=records.queue,
            envelope=records.envelope,
            report=None,
            prepared=None,
            derived=derived(),
        )
    return Metadata(records, **_facts(records, agreed, view))


def _facts(
    records: Records, agreed: Agreed, view: LogView, folded: tuple[Fold, int] | None = None
) -> dict[str, Any]:
    manifest = records.manifest
    _require_valid(agreed.round, view, folded)
    return {
        "agreed": agreed,
        "log": view,
        "blocked": "unbound-envelope" if manifest.extraction is None else None,
        "is_renamed": records.path.name != folder_name(manifest.run_id),
    }


def _require_valid(queue: StoredRound, view: LogView, folded: tuple[Fold, int] | None) -> None:
    """Judge the events behind those that were folded, which were found valid before."""
    known = 0 if folded is None else folded[1]
    try:
        if folded is None:
            if _is_sound(queue, view):
                return
            events = check_events(view.events)
        else:
            events = check_events(view.events[known:])
            if follows(folded[0], events, known=known) and not foreign_issues(events, SESSION_NAME):
                return
        issues = [
            *foreign_issues(events, SESSION_NAME),
            *history_issues(queue.outline, view.events, known=known),
        ]
    except SurveyError as fault:
        message = f"the events are no valid history of the queue: {fault.message}"
        raise refusal("INVALID_EVENTS", message, fault.pointer, fault.details) from None
    if issues:
        raise invalid_events("the events are no valid history of the queue", issues)


def _is_sound(queue: StoredRound, view: LogView) -> bool:
    """Whether the history is seen to be valid without being walked through."""
    edits = queue.edits_of_sound(view.text, SESSION_NAME)
    return edits is not None and (not edits or are_edits_fit(queue.outline, view.events, edits))


def invalid_events(what: str, issues: Sequence[EventIssue]) -> SurveyError:
    """The refusal of events with findings; the first is told."""
    found = [issue.to_json() for issue in issues]
    return refusal("INVALID_EVENTS", f"{what}: {found[0]['message']}", None, {"issues": found})


def export_queue(queue: Mapping[str, Any]) -> bytes:
    """Canonical text of a snapshot, with a final line feed, as a run stores it."""
    return canonical_json(data_json(dict(queue)), max_bytes=QUEUE.ceiling) + b"\n"
