"""Deciding on a run: events are added to its log, under its lock, by the host.

1. Under the lock the run is opened with every check, the caller's revision is compared, the
   events are stamped with reviewer, time and mode, the whole history is validated, and one append
   commits all of it or none. A stamp that a client brings along is taken off first.
2. A caller hands in what is new and the token of what it saw; or the whole history, in which case
   what stands before must be what is stored, the host's stamps set aside, since a client's copy
   of its own events never learns them.
3. A run that was never bound, or lies under another name than its own, takes no decision; nor does
   one whose round is complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from survey_fast.canon import canonical_json
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.imports.verification_shape import is_canonical_instant
from survey_fast.review.apply import foreign_issues
from survey_fast.review.attribution import (
    ATTRIBUTION_KEY,
    HOST_KEYS,
    Reviewer,
    is_reviewer,
    stamp_events,
    stamp_fault,
)
from survey_fast.review.decide import Batch, Outcome, take_all
from survey_fast.review.events import EventWriter
from survey_fast.review.replay import follows, history_issues
from survey_fast.review.shape import check_events, check_new_events, require_json
from survey_fast.runs.identity import SESSION_NAME
from survey_fast.runs.layout import EVENTS_FILE, folder_name, run_errors
from survey_fast.runs.opened import Run, invalid_events, open_run, require_log, run_log
from survey_fast.storage import COMMAND_WAIT, SYSTEM, FilePath, Files, Lock, LogView, held
from survey_fast.storage.folder import opened_folder

__all__ = ["Appended", "Host", "RunDecided", "append_events", "append_history", "decide_run"]

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Appended:
    """A history that was added to.

    Attributes:
        events: the whole history, as it is stored.
        revision: the run's token now.
        added: how many events are new.
    """

    events: Sequence[Event]
    revision: str
    added: int


@dataclass(frozen=True, slots=True)
class RunDecided:
    """What became of a batch of decisions.

    Attributes:
        outcomes: one for each request, in order.
        revision: the run's token now.
        committed: how many events were added.
        run: the run as it is now, to hand in as ``known`` next time.
    """

    outcomes: Sequence[Outcome]
    revision: str
    committed: int
    run: Run = field(repr=False)

    @property
    def ok(self) -> bool:
        """Whether every request was taken."""
        return all(outcome.ok for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Host:
    """Who says who and when: the host's reviewer, its clock, its patience.

    Attributes:
        reviewer: the configured reviewer.
        now: the host's clock, one instant for the append.
        wait: seconds to wait for the lock.
        files: the file system.
    """

    reviewer: Reviewer
    now: str
    wait: float = COMMAND_WAIT
    files: Files = SYSTEM

    def __post_init__(self) -> None:
        """Refuse what could be stamped on an event and never be read back: ValueError."""
        if not is_canonical_instant(self.now):
            message = f"a host's clock gives canonical instants, not {self.now!r}"
            raise ValueError(message)
        stamp = {"actorKind": self.reviewer.kind, "mode": "individual"}
        is_known = stamp_fault({ATTRIBUTION_KEY: stamp}) is None
        if not is_known or not is_reviewer(self.reviewer.id, self.reviewer.kind):
            message = f"{self.reviewer!r} is no reviewer; see Reviewer.named"
            raise ValueError(message)


@collector_paused()
def decide_run(  # noqa: PLR0913 - one argument for each choice of a decision
    path: FilePath,
    requests: Sequence[object],
    host: Host,
    *,
    expected_revision: str | None = None,
    replace_decided: bool = False,
    skip_decided: bool = False,
    keep_going: bool = False,
    known: Run | None = None,
) -> RunDecided:
    """Decide one item of a run or many: one lock, one validation, one append.

    Args:
        path: the run directory.
        requests: plain data, one decision each.
        host: who decides, and when.
        expected_revision: refuse unless the run is still at this token.
        replace_decided: decide items again that are decided.
        skip_decided: pass over those that are decided.
        keep_going: commit the good requests where others are refused; otherwise all or none.
        known: the run as it was opened earlier in this process; see ``open_run``.

    Raises:
        RunConflictError: ``REVIEW_CONFLICT``, and as :func:`open_run`.
        RunError: ``RUN_ENVELOPE_UNBOUND``, ``INVALID_RUN`` for a renamed directory,
            ``INVALID_EVENTS``.
        ReviewBusyError, LogError, LogLimitError, FileError: as storage raises.
    """
    with _appending(path, host, known) as appending:
        run = appending.run
        _require_revision(run.log, expected_revision)
        batch = Batch(
            run.outline, run.fold, replace_decided=replace_decided, skip_decided=skip_decided
        )
        outcomes = take_all(batch, requests)
        if not all(one.is_skipped for one in outcomes):
            _require_open(run)
        if not batch.parts or (not keep_going and not all(one.ok for one in outcomes)):
            return RunDecided(outcomes, run.revision, 0, run)
        writer = EventWriter(SESSION_NAME, host.reviewer.id, host.now, sequence=run.log.count)
        committed = appending.commit(batch.events(writer))
        after = replace(run, log=committed, folded=(run.fold, run.log.count))
        added = committed.count - run.log.count
        return RunDecided(outcomes, committed.revision, added, after)


@collector_paused()
def append_events(
    path: FilePath, events: Sequence[Event], host: Host, *, expected_revision: str
) -> Appended:
    """Add what is new to a run's history.

    Args:
        path: the run directory.
        events: at least one event, numbered after the history.
        host: who decides, and when.
        expected_revision: the token of what the caller saw.

    Raises: as :func:`decide_run`.
    """
    _require_events(events)
    with _appending(path, host) as appending:
        run = appending.run
        _require_revision(run.log, expected_revision)
        _require_new(run.log, events)
        after = appending.commit(events)
        return Appended(after.events, after.revision, len(events))


@collector_paused()
def append_history(
    path: FilePath, history: Sequence[Event], host: Host, *, expected_count: int
) -> Appended:
    """Add to a run's history by handing all of it in.

    Args:
        path: the run directory.
        history: what is stored, the host's stamps aside, followed by what is new.
        host: who decides, and when.
        expected_count: how many events the caller saw.

    Raises: as :func:`decide_run`.
    """
    _require_events(history)
    with _appending(path, host) as appending:
        run = appending.run
        stored, events = run.log.events, history[expected_count:]
        if run.log.count != expected_count or not _is_prefix(stored, history):
            raise _conflict(run.log, "the history handed in is not the one that is stored")
        _require_new(run.log, events)
        after = appending.commit(events)
        return Appended(after.events, after.revision, len(events))


@contextmanager
def _appending(path: FilePath, host: Host, known: Run | None = None) -> Iterator[_Appending]:
    """Hold the lock on a run and open it under the lock."""
    with run_errors(), opened_folder(path, files=host.files) as folder:
        real = folder.path
        require_log(folder)
    with run_errors(), held(real / EVENTS_FILE, host.wait, files=host.files) as lock:
        run = open_run(real, lock=lock, files=host.files, known=known)
        _require_decidable(run)
        yield _Appending(run, lock, host)


@dataclass(frozen=True, slots=True)
class _Appending:
    """A run as it is under the lock, and one append to it."""

    run: Run
    lock: Lock
    host: Host

    def commit(self, events: Sequence[Event]) -> LogView:
        """Stamp, validate and append ``events``."""
        run, host = self.run, self.host
        _require_open(run)
        with _refused_as_events():
            check_new_events(events)
        stamped = stamp_events(
            [_unclaimed(event) for event in events],
            reviewer=host.reviewer,
            now=host.now,
            default_actor=run.outline["actorId"],
        )
        issues = foreign_issues(stamped, SESSION_NAME)
        if issues or not follows(run.fold, stamped, known=run.log.count):
            history = [*run.log.events, *stamped]
            issues += history_issues(run.outline, history, known=run.log.count)
        if issues:
            raise invalid_events("the events cannot follow the history", issues)
        log = run_log(run.artifacts, files=host.files)
        return log.append(stamped, run.revision, self.lock, known=run.log)


def _require_events(events: Sequence[Event]) -> None:
    """Hold what a client hands in to what a log can hold and a history be made of."""
    require_json(events)
    with _refused_as_events():
        check_events(events)


@contextmanager
def _refused_as_events() -> Iterator[None]:
    try:
        yield
    except SurveyError as fault:
        raise refusal("INVALID_EVENTS", fault.message, fault.pointer, fault.details) from None


def _unclaimed(event: Event) -> Event:
    """An event without a stamp of any host: only the host that appends it puts one there."""
    producer = event["metadata"].get("producer", {})
    if not any(key in producer for key in HOST_KEYS):
        return event
    kept = {name: one for name, one in producer.items() if name not in HOST_KEYS}
    return {**event, "metadata": {**event["metadata"], "producer": kept}}


def _require_decidable(run: Run) -> None:
    if run.blocked is not None:
        message = "the run never bound its envelope, so nothing is decided on it; make it again"
        raise refusal("RUN_ENVELOPE_UNBOUND", message)
    if run.is_renamed:
        name = folder_name(run.manifest.run_id)
        message = f"the directory is not called {name}; decide on the run where it was made"
        raise refusal("INVALID_RUN", message, "/runId", {"path": str(run.artifacts.path)})


def _require_open(run: Run) -> None:
    """Refuse to add to a round that a host completed."""
    if run.fold.completed is None:
        return
    message = "the round of this run is complete: nothing is decided in it any more"
    details = {
        "revision": run.revision,
        "issues": [{"code": "event-after-completion", "message": message}],
    }
    raise refusal("INVALID_EVENTS", message, None, details)


def _require_revision(log: LogView, expected: str | None) -> None:
    if expected is not None and expected != log.revision:
        raise _conflict(log, "somebody else decided since the run was read")


def _require_new(log: LogView, events: Sequence[Event]) -> None:
    if not events:
        raise _conflict(log, "there is no new event")


def _conflict(log: LogView, why: str) -> SurveyError:
    message = f"{why}; the run is at {log.revision}, read it again"
    details = {"revision": log.revision, "eventCount": log.count}
    return refusal("REVIEW_CONFLICT", message, None, details)


def _is_prefix(stored: Sequence[Event], history: Sequence[Event]) -> bool:
    return len(history) >= len(stored) and all(
        _unstamped(one) == _unstamped(other) for one, other in zip(stored, history, strict=False)
    )


_STAMPED: Final = ("actor", "occurredAt")


def _unstamped(event: Event) -> bytes:
    """Canonical text of an event without what a host writes on it."""
    spec = {name: one for name, one in event["spec"].items() if name not in _STAMPED}
    metadata = dict(event["metadata"])
    producer = {
        key: one for key, one in metadata.pop("producer", {}).items() if key not in HOST_KEYS
    }
    if producer:
        metadata["producer"] = producer
    return canonical_json({**event, "metadata": metadata, "spec": spec})
