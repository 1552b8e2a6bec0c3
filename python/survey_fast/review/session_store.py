"""Sessions on disk: create, load, decide.

What a file holds is :mod:`session_file`'s business, how it is read and written is storage's.

A decision is made under the lock of the log, from the read before it to the commit: the revision
the caller saw, the whole history, the queue and its binding are checked there, and the events
are stamped with the host's reviewer and clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from survey_fast.errors import LogError, SessionError, SurveyError, refusal
from survey_fast.limits import EVENTS_BYTES, QUEUE
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
from survey_fast.storage import (
    COMMAND_WAIT,
    SYSTEM,
    AppendLog,
    FilePath,
    Files,
    Lock,
    LogView,
    held,
    publish,
    read_bounded,
)

__all__ = [
    "Decided",
    "convert_session",
    "create_session",
    "decide_session",
    "load_session",
    "log_path",
    "pack_session",
]


def log_path(path: FilePath) -> FilePath:
    """The event log beside a session file: ``NAME.events.jsonl`` for ``NAME.json``."""
    return path.with_name(f"{path.name.removesuffix('.json')}.events.jsonl")


def _locked(path: FilePath, wait: float, files: Files) -> AbstractContextManager[Lock]:
    # Sessions may share a folder, so each has an owner's record of its own.
    return held(log_path(path), wait, files=files, record=f".{path.name}.review.lock")


def create_session(
    path: FilePath,
    snapshot: State,
    *,
    name: str,
    extraction_import: bytes | None = None,
    files: Files = SYSTEM,
) -> SessionDocument:
    """Write a new session: its log first, then the file that makes it one.

    Raises:
        FileError: ``file-exists`` when either name is taken, ``STORAGE_FAILED``; nothing stays.
        QueueError, SessionError: as new_session.
    """
    root = new_session(snapshot, name=name, extraction_import=extraction_import)
    return _written(path, root, [], files)


def _written(
    path: FilePath, root: bytes, events: Sequence[dict[str, Any]], files: Files
) -> SessionDocument:
    log = AppendLog(root, log_path(path), files=files)
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
    return load_session(path, files=files)


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
    path: FilePath, *, max_bytes: int | None = None, files: Files = SYSTEM
) -> SessionDocument:
    """A session with its committed history; its structure is checked, nothing else yet.

    Raises:
        FileError, JsonError, SessionError, LogError: as the readers raise.
    """
    document = read_session(read_bounded(path, QUEUE, max_bytes, files=files), max_bytes=max_bytes)
    if document.is_single_file:
        return document
    view = AppendLog(document.root, log_path(path), files=files).read()
    return document.with_events(view.events, view.revision)


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
    keep_going: bool = False,
    wait: float = COMMAND_WAIT,
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
        keep_going: commit the good requests where others are refused; otherwise all or none.
        wait: seconds to wait for the lock.
        files: the file system.

    Raises:
        SessionError: ``session-single-file``, ``seeded-snapshot``, ``invalid-events``.
        StaleRevisionError, ReviewBusyError, LogError, FileError: as storage raises.
        UnattestedReviewQueueError, UnattestedExtractionQueueError: the queue is another one.
    """
    document = read_session(read_bounded(path, QUEUE, files=files))
    if document.is_single_file:
        message = "this session holds its events in one file; convert it before deciding"
        raise refusal("session-single-file", message, "", {"path": str(path)})
    log = AppendLog(document.root, log_path(path), files=files)
    with _locked(path, wait, files) as lock:
        view = log.read(lock=lock)
        _require_revision(view.revision, expected_revision)
        document = document.with_events(view.events, view.revision)
        batch = Batch(document.state, document.current(), replace_decided=replace_decided)
        outcomes = take_all(batch, requests)
        if not batch.parts or (not keep_going and not all(one.ok for one in outcomes)):
            return Decided(outcomes, view.revision, 0)
        writer = EventWriter(document.name, reviewer.id, now, sequence=view.count)
        events = stamp_events(
            batch.events(writer),
            reviewer=reviewer,
            now=now,
            default_actor=document.state["actorId"],
        )
        after = document.with_events([*view.events, *events], view.revision)
        _require_valid(after.verify().issues)
        committed = log.append(events, view.revision, lock, known=view)
        return Decided(outcomes, committed.revision, len(events))


def _require_revision(current: str, expected: str | None) -> None:
    if expected is not None and expected != current:
        message = f"the session is at {current}; read it again before deciding"
        raise refusal("stale-revision", message, None, {"revision": current})


def _require_valid(issues: Sequence[EventIssue]) -> None:
    if issues:
        raise SessionError.from_issues([issue.to_json() for issue in issues])


def convert_session(
    source: FilePath, target: FilePath, *, files: Files = SYSTEM
) -> SessionDocument:
    """Make a session of ours of one in a single file; the source stays.

    Raises: as load_session and create_session; SessionError (``session-malformed``) when the
        source is none in a single file.
    """
    document = load_session(source, files=files)
    if not document.is_single_file:
        message = "this session keeps its events in a log already"
        raise refusal("session-malformed", message, "", {"path": str(source)})
    _require_valid(document.apply(allow_seeded=True).issues)
    root, events = converted(document)
    return _written(target, root, [dict(event) for event in events], files)


def pack_session(source: FilePath, target: FilePath, *, files: Files = SYSTEM) -> str:
    """Write a session in the reference system's form; returns its revision token there."""
    document = load_session(source, files=files)
    text, revision = packed(document)
    publish(target, text, files=files, replacing=False)
    return revision
