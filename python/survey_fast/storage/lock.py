"""The lock on an event log: one holder among the processes of a machine.

1. ``flock`` on the log itself decides, and is held for the whole section. It ends with its
   process, so nothing has to be broken between local processes.
2. Under it, the owner's record is published beside the log, for people and for whoever does not
   see the flock (:mod:`survey_fast.storage.record`).
3. A record that stands there already is removed only when its owner is known to be dead
   (:mod:`survey_fast.storage.owner`), and only while it is the file that was looked at. A link,
   a directory, too much text, an owner elsewhere: left untouched, and the lock is busy.
4. What dead processes left under pending names is swept under the lock.
5. Release removes the record if it is still ours and closes the log. A fault there is no fault
   of the section, which is over.

Local file systems only.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from survey_fast.errors import FileError, SurveyError, refusal
from survey_fast.storage.files import is_same_file, open_regular, storage_errors
from survey_fast.storage.owner import Machine
from survey_fast.storage.record import OwnerRecord
from survey_fast.storage.seam import SYSTEM, Files
from survey_fast.storage.waiting import CLOCK, Clock, attempts, try_flock

__all__ = ["RECORD", "Lock", "busy", "held", "log_errors"]

RECORD: Final = ".review.lock"
"""The name of the owner's record, beside the log."""

_REASONS: Final = {
    "writer": "another process is writing to the log",
    "live-owner": "its owner is alive",
    "other-host": "its owner is on another machine",
    "other-boot": "its owner is of another start of this machine, or of another machine",
    "young": "it is no record, and so young that it may be in the making",
    "no-record": "it is a link, a folder, or larger than a record",
    "unreadable": "it cannot be read",
    "changing": "it changed while it was looked at",
}
_FOR_PEOPLE: Final = {"other-host", "other-boot", "no-record", "unreadable"}


class Lock:
    """The right to append to one log, for as long as :func:`held` lasts."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor: int | None = descriptor

    @property
    def descriptor(self) -> int:
        """The open log. Raises ValueError after release."""
        if self._descriptor is None:
            message = f"the lock on {self.path} was released"
            raise ValueError(message)
        return self._descriptor

    def release(self, files: Files, record: OwnerRecord) -> None:
        """Remove the record, then let the next one in. Once is enough."""
        descriptor = self.descriptor
        self._descriptor = None
        try:
            record.withdraw()
        finally:
            with suppress(OSError):
                files.close(descriptor)


@contextmanager
def held(
    log: Path,
    wait_seconds: float,
    *,
    files: Files = SYSTEM,
    clock: Clock = CLOCK,
    machine: Machine | None = None,
    record: str = RECORD,
) -> Iterator[Lock]:
    """Hold the lock on ``log`` for the length of a ``with`` block.

    Args:
        log: an existing event log.
        wait_seconds: how long to try; 0 tries once.
        files: the file system.
        clock: the clock to wait by.
        machine: this machine and process, unless a test plays another.
        record: name of the owner's record. Logs that share a folder need one each.

    Raises:
        ReviewBusyError: ``REVIEW_BUSY``; ``details["reason"]`` is ``writer`` when another process
            holds the log, else what was found of a record that stands in the way.
        StorageUnsupportedError: no locks or no hard links here.
        LogError: ``RUN_EVENTS_BROKEN`` when there is no log.
        FileError: ``file-refused`` (the log is a link, a directory, a pipe), ``STORAGE_FAILED``.
    """
    owner = OwnerRecord(log.parent / record, files, clock, machine or Machine())
    lock = _acquired(log, wait_seconds, files, clock, owner)
    try:
        yield lock
    finally:
        lock.release(files, owner)


def _acquired(
    log: Path, wait_seconds: float, files: Files, clock: Clock, owner: OwnerRecord
) -> Lock:
    reason = "writer"
    for _ in attempts(clock, wait_seconds):
        with log_errors(log):
            answer = _attempt(log, files, owner)
        if isinstance(answer, Lock):
            return answer
        reason = answer
    raise busy(log if reason == "writer" else owner.path, reason)


def _attempt(log: Path, files: Files, owner: OwnerRecord) -> Lock | str:
    """The lock, or why there is none."""
    descriptor, status = open_regular(files, log, os.O_RDWR)
    reason: str | None = "writer"
    try:
        if try_flock(files, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
            is_there = is_same_file(files.lstat(log), status)
            reason = owner.publish() if is_there else "changing"
    finally:
        if reason is not None:
            with suppress(OSError):
                files.close(descriptor)
    return reason or Lock(log, descriptor)


def busy(path: Path, reason: str) -> SurveyError:
    """The refusal of who waited in vain for what ``path`` stands for."""
    advice = "; remove it once its owner is known to be gone" if reason in _FOR_PEOPLE else ""
    message = f"{path}: {_REASONS[reason]}{advice}"
    return refusal("REVIEW_BUSY", message, None, {"path": str(path), "reason": reason})


@contextmanager
def log_errors(log: Path) -> Iterator[None]:
    """What the operating system says about a log, as refusals."""
    try:
        with storage_errors(log):
            yield
    except FileError as fault:
        if fault.code != "file-not-found":
            raise
        message = f"there is no event log at {log}"
        raise refusal("RUN_EVENTS_BROKEN", message, None, {"path": str(log)}) from None
