"""Sessions on disk: create, load, decide, complete.

What a file holds is :mod:`session_file`'s business, how it is read and written is storage's.
``limits`` are the caps of everything that is read and written, the log included.

A decision is made under the lock of the log, from the read before it to the commit: the revision
the caller saw, the whole history, the queue and its binding are checked there, and the events
are stamped with the host's reviewer and clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.errors import LogError, SessionError, SurveyError, refusal
from survey_fast.limits import DEFAULT, EVENTS_BYTES, QUEUE, ImportLimits
from survey_fast.review.attribution import Reviewer, stamp_events
from survey_fast.review.decide import Batch, Outcome, take_all
from survey_fast.review.events import EventWriter
from survey_fast.review.issues import EventIssue
from survey_fast.review.session_file import (
    SessionDocument,
    converted,
    new_session,
    packed,
    read_session,
)
from survey_fast.review.state import State
from survey_fast.review.stream import completion
from survey_fast.storage import (
    COMMAND_WAIT,
    SYSTEM,
    AppendLog,
    FilePath,
    Files,
    Lock,
    LogView,
    held,
    path_argument,
    publish,
    read_bounded,
)

__all__ = [
    "LOG_ENDING",
    "Decided",
    "complete_session",
    "convert_session",
    "create_session",
    "decide_session",
    "load_session",
    "log_path",
    "pack_session",
]


LOG_ENDING: Final = ".events.jsonl"
"""What the name of a log ends with."""


def log_path(path: FilePath) -> FilePath:
    """The event log beside a session file: ``NAME.events.jsonl`` for ``NAME.json``."""
    return path.with_name(f"{path.name.removesuffix('.json')}{LOG_ENDING}")


def _locked(path: FilePath, wait: float, files: Files) -> AbstractContextManager[Lock]:
    # Sessions may share a folder, so each has an owner's record of its own.
    return held(log_path(path), wait, files=files, record=f".{path.name}.review.lock")


def create_session(
    path: FilePath,
    snapshot: State,
    *,
    name: str,
    extraction_import: bytes | None = None,
    limits: ImportLimits = DEFAULT,
    files: Files = SYSTEM,
) -> SessionDocument:
    """Write a new session: its log first, then the file that makes it one.

    Raises:
        FileError: ``file-exists`` when either name is taken, ``STORAGE_FAILED``; nothing stays.
        JsonError, QueueError, SessionError, AuditError: as new_session.
    """
    path = path_argument("path", path)
    root = new_session(snapshot, name=name, extraction_import=extraction_import, limits=limits)
    return _written(path, root, [], limits, files)


def _log(root: bytes, path: FilePath, limits: ImportLimits, files: Files) -> AppendLog:
    most, events = limits.event_bytes, limits.events
    return AppendLog(root, log_path(path), max_bytes=most, max_events=events, files=files)


def _written(
    path: FilePath,
    root: bytes,
    events: Sequence[dict[str, Any]],
    limits: ImportLimits,
    files: Files,
) -> SessionDocument:
    log = _log(root, path, limits, files)
    # A creation that never came to its file leaves a log behind, which the next one takes over.
    _require_free(path)
    try:
        log.create()
    except SurveyError as refused:
        if refused.code != "file-exists":
            raise
        _require_log(log_path(path), files)
    with _locked(path, COMMAND_WAIT, files) as lock:
        _require_free(path)
        view = _own_history(log, lock, path)
        if not view.count and events:
            log.append(events, view.revision, lock)
        elif view.count not in {0, len(events)}:
            raise _taken(log_path(path), "it belongs to another session")
        publish(path, root, files=files, replacing=False)
    return load_session(path, limits=limits, files=files)


def _require_free(path: FilePath) -> None:
    if not path.parent.is_dir():
        message = f"there is no folder {path.parent}"
        raise refusal("file-not-found", message, None, {"path": str(path.parent)})
    if path.exists() or path.is_symlink():
        raise _taken(path, "a session is written once")


def _require_log(path: FilePath, files: Files) -> None:
    remains = read_bounded(path, EVENTS_BYTES, files=files)
    if remains and not remains.startswith(b'{"event":'):
        raise _taken(path, "it is no log of a session")


def _own_history(log: AppendLog, lock: Lock, path: FilePath) -> LogView:
    try:
        return log.read(lock=lock)
    except LogError:
        raise _taken(log_path(path), "it belongs to another session") from None


def _taken(path: FilePath, why: str) -> SurveyError:
    message = f"there is a {path} already: {why}"
    return refusal("file-exists", message, None, {"path": str(path)})


def load_session(
    path: FilePath, *, limits: ImportLimits = DEFAULT, files: Files = SYSTEM
) -> SessionDocument:
    """A session with its committed history.

    Its structure and its conditions are checked, nothing else yet.

    Raises:
        FileError, JsonError, SessionError, AuditError, LogError: as the readers raise.
    """
    path = path_argument("path", path)
    document = _read(path, limits, files)
    if document.is_single_file:
        return document
    view = _log(document.root, path, limits, files).read()
    return document.with_events(view.events, view.revision)


def _read(path: FilePath, limits: ImportLimits, files: Files) -> SessionDocument:
    return read_session(read_bounded(path, QUEUE, limits.queue_bytes, files=files), limits=limits)


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a batch.

    Attributes:
        outcomes: one for each request, in order.
        revision: the session's token now.
        committed: how many events were added.
    """

    outcomes: Sequence[Outcome]
    revision: str
    committed: int

    @property
    def ok(self) -> bool:
        """Whether every request was taken."""
        return all(outcome.ok for outcome in self.outcomes)


def decide_session(  # noqa: PLR0913 - one argument for each choice of a decision
    path: FilePath,
    requests: Sequence[object],
    *,
    reviewer: Reviewer,
    now: str,
    expected_revision: str | None = None,
    replace_decided: bool = False,
    skip_decided: bool = False,
    keep_going: bool = False,
    wait: float = COMMAND_WAIT,
    limits: ImportLimits = DEFAULT,
    files: Files = SYSTEM,
) -> Decided:
    """Decide one item or many: one lock, one validation, one write.

    Args:
        path: the session file.
        requests: plain data, one decision each.
        reviewer: who the host says decides.
        now: the host's clock.
        expected_revision: refuse unless the session is still at this token.
        replace_decided: decide items again that are decided.
        skip_decided: pass over those that are decided.
        keep_going: commit the good requests where others are refused; otherwise all or none.
        wait: seconds to wait for the lock.
        limits: caps of the session and its log.
        files: the file system.

    Raises:
        SessionError: ``session-single-file``, ``seeded-snapshot``, ``event-after-completion``,
            or the first code that is wrong with the events.
        StaleRevisionError, ReviewBusyError, LogError, FileError: as storage raises.
        UnattestedReviewQueueError, UnattestedExtractionQueueError: the queue is another one.
    """
    with _opened(path, expected_revision, wait, limits, files) as opened:
        document = opened.document
        batch = Batch(
            document.state,
            document.current(),
            replace_decided=replace_decided,
            skip_decided=skip_decided,
        )
        outcomes = take_all(batch, requests)
        if not batch.parts or (not keep_going and not all(one.ok for one in outcomes)):
            return Decided(outcomes, document.revision, 0)
        events = batch.events(opened.writer(reviewer, now))
        return Decided(outcomes, opened.append(events, reviewer, now), len(events))


def complete_session(  # noqa: PLR0913 - as a decision
    path: FilePath,
    *,
    reviewer: Reviewer,
    now: str,
    expected_revision: str | None = None,
    wait: float = COMMAND_WAIT,
    limits: ImportLimits = DEFAULT,
    files: Files = SYSTEM,
) -> str:
    """End a round: the host stamps its completion, and nothing can be decided in it any more.

    Arguments and further refusals are those of :func:`decide_session`.

    Returns:
        The session's token now.

    Raises:
        SessionError: ``unresolved-review-item`` while an item is neither decided nor resolved
            before the review, ``event-after-completion`` when it was completed before.
    """
    with _opened(path, expected_revision, wait, limits, files) as opened:
        event = opened.writer(reviewer, now).write(("session-completed", {}))
        return opened.append([event], reviewer, now)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A session that is held under its lock."""

    document: SessionDocument
    log: AppendLog
    view: LogView
    lock: Lock

    def writer(self, reviewer: Reviewer, now: str) -> EventWriter:
        return EventWriter(self.document.name, reviewer.id, now, sequence=self.view.count)

    def append(self, events: Sequence[dict[str, Any]], reviewer: Reviewer, now: str) -> str:
        """The revision after events that make a valid history, stamped and written."""
        actor, view = self.document.state["actorId"], self.view
        stamped = stamp_events(events, reviewer=reviewer, now=now, default_actor=actor)
        after = self.document.with_events([*view.events, *stamped], view.revision)
        _require_valid(after.verify().issues)
        return self.log.append(stamped, view.revision, self.lock, known=view).revision


@contextmanager
def _opened(
    path: FilePath, expected: str | None, wait: float, limits: ImportLimits, files: Files
) -> Iterator[_Opened]:
    """The session under its lock, at the expected revision and not completed."""
    path = path_argument("path", path)
    document = _read(path, limits, files)
    if document.is_single_file:
        message = "this session holds its events in one file; convert it before deciding"
        raise refusal("session-single-file", message, "", {"path": str(path)})
    log = _log(document.root, path, limits, files)
    with _locked(path, wait, files) as lock:
        view = log.read(lock=lock)
        _require_revision(view.revision, expected)
        document = document.with_events(view.events, view.revision)
        if completion(document.events, stamped=True) is not None:
            message = "the round was completed, so nothing can be decided in it any more"
            raise SessionError(message, None, {"path": str(path)}, "event-after-completion")
        yield _Opened(document, log, view, lock)


def _require_revision(current: str, expected: str | None) -> None:
    if expected is not None and expected != current:
        message = f"the session is at {current}; read it again before deciding"
        raise refusal("stale-revision", message, None, {"revision": current})


def _require_valid(issues: Sequence[EventIssue]) -> None:
    if issues:
        raise SessionError.from_issues([issue.to_json() for issue in issues])


def convert_session(
    source: FilePath,
    target: FilePath,
    *,
    limits: ImportLimits = DEFAULT,
    files: Files = SYSTEM,
) -> SessionDocument:
    """Make a session of ours of one in a single file; the source stays.

    Raises: as load_session and create_session; SessionError (``session-malformed``) when the
        source is none in a single file.
    """
    source, target = path_argument("source", source), path_argument("target", target)
    document = load_session(source, limits=limits, files=files)
    if not document.is_single_file:
        message = "this session keeps its events in a log already"
        raise refusal("session-malformed", message, "", {"path": str(source)})
    _require_valid(document.apply(allow_seeded=True).issues)
    root, events = converted(document)
    return _written(target, root, [dict(event) for event in events], limits, files)


def pack_session(
    source: FilePath,
    target: FilePath,
    *,
    limits: ImportLimits = DEFAULT,
    files: Files = SYSTEM,
) -> str:
    """Write a session in the reference system's form; returns its revision token there."""
    document = load_session(source, limits=limits, files=files)
    text, revision = packed(document)
    publish(path_argument("target", target), text, files=files, replacing=False)
    return revision
