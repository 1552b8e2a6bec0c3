"""The append log: events that are only ever added, by one writer at a time.

1. The form of the log is that of :mod:`survey_fast.storage.chain`; it belongs to a root file,
   whose digest the first line carries.
2. An append is under the lock: read to the commit point, compare the revision, cut a tail off,
   write, flush, look whether the name still leads to this file, and only then acknowledge.
3. When that fails, the file is cut back to the commit point: nothing was changed. When that
   fails as well, nobody knows, and the refusal says so. No flush is tried a second time.
4. A reader needs no lock. It reads the size the file has when it starts. Since a writer may cut
   a tail off meanwhile, a chain that looks broken is read once more under a shared lock before
   it is refused.

Whole appends that somebody removes from the end leave a log that is valid and shorter; only a
revision kept elsewhere tells.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from survey_fast.canon import sha256_hex
from survey_fast.canon.lines import BrokenLineError
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import EVENTS, EVENTS_BYTES
from survey_fast.storage.chain import (
    Event,
    LogView,
    empty_view,
    extended,
    line_count,
    read_chain,
)
from survey_fast.storage.files import (
    MAKE,
    Gathered,
    is_same_file,
    open_regular,
    sync_folder,
    write_all,
)
from survey_fast.storage.lock import Lock, busy, log_errors
from survey_fast.storage.seam import SYSTEM, Files
from survey_fast.storage.waiting import CLOCK, SERVER_WAIT, Clock, attempts, try_flock

__all__ = ["AppendLog"]


class AppendLog:
    """The log at ``path`` that belongs to the root file with the bytes ``root``.

    Args:
        root: the bytes of the root file.
        path: where the log is.
        max_bytes: the most that the file may have.
        max_events: the most events.
        files: the file system.
        clock: the clock to wait by.
    """

    def __init__(
        self,
        root: bytes,
        path: Path,
        *,
        max_bytes: int | None = None,
        max_events: int | None = None,
        files: Files = SYSTEM,
        clock: Clock = CLOCK,
    ) -> None:
        self.path = path
        self._empty = empty_view(sha256_hex(root))
        self._max_bytes = EVENTS_BYTES.resolve(max_bytes)
        self._max_events = EVENTS.resolve(max_events)
        self._files = files
        self._clock = clock

    def create(self) -> None:
        """Make the log, without events. Raises FileError, also when the name is taken."""
        with self._errors():
            try:
                descriptor = self._files.open(self.path, MAKE)
            except FileExistsError:
                message = f"{self.path} exists already"
                details = {"path": str(self.path)}
                raise refusal("file-exists", message, None, details) from None
            try:
                try:
                    self._files.fsync(descriptor)
                finally:
                    self._files.close(descriptor)
                sync_folder(self._files, self.path.parent)
            except BaseException:
                with suppress(OSError):
                    self._files.unlink(self.path)
                raise

    def read(
        self,
        *,
        lock: Lock | None = None,
        read_shared_lock: bool = False,
        wait_seconds: float = SERVER_WAIT,
        known: LogView | None = None,
    ) -> LogView:
        """What is committed now.

        Args:
            lock: read as the holder of the lock.
            read_shared_lock: keep writers out from the start, for a verdict that has to hold.
            wait_seconds: how long to wait for the shared lock.
            known: an earlier view of this log; what has not changed is not parsed again.

        Raises:
            LogError: ``RUN_EVENTS_BROKEN``; ``details`` holds ``line`` (from 1) and ``offset``.
            LogLimitError: ``RUN_FILE_TOO_LARGE``.
            ReviewBusyError: no shared lock in the time allowed.
            FileError: ``file-refused`` (a link, a directory, a pipe), ``STORAGE_FAILED``.
        """
        with self._errors():
            if lock is not None:
                return self._locked_view(self._own(lock), known)
            descriptor, status = open_regular(self._files, self.path, os.O_RDONLY)
            try:
                if not read_shared_lock:
                    with suppress(BrokenLineError):
                        return self._view(descriptor, status.st_size, known)
                self._share(descriptor, wait_seconds)
                return self._locked_view(descriptor, known)
            finally:
                self._files.close(descriptor)

    def append(
        self,
        events: Sequence[Event],
        expected_revision: str,
        lock: Lock,
        *,
        known: LogView | None = None,
    ) -> LogView:
        """Add ``events`` as one append: all of them or none. Returns the log after it.

        Args:
            events: plain data, at least one.
            expected_revision: the revision that the caller read and decided on.
            lock: from :func:`survey_fast.storage.held`.
            known: as for :meth:`read`.

        Raises:
            StaleRevisionError: ``stale-revision``.
            LogLimitError: ``RUN_EVENTS_FULL``, and as :meth:`read`.
            JsonError: an event that is no JSON. TypeError when it is no dict of plain data.
            FileError: ``STORAGE_FAILED``; nothing was changed.
            CommitUnknownError: ``RUN_COMMIT_UNKNOWN``.
        """
        if not events:
            message = "an append takes at least one event"
            raise ValueError(message)
        with self._errors():
            before = self._locked_view(self._own(lock), known)
            self._require_revision(before, expected_revision)
            after = extended(before, events)
            self._require_room(after)
            self._commit(lock.descriptor, before, after.text[len(before.text) :])
        return after

    def _commit(self, descriptor: int, before: LogView, lines: bytes) -> None:
        point = len(before.text)
        try:
            if before.tail_bytes:
                # Flushed on its own: after a power cut no remains of the tail may stand among
                # what is written next.
                self._files.ftruncate(descriptor, point)
                self._files.fsync(descriptor)
            self._files.lseek(descriptor, point)
            write_all(self._files, descriptor, lines)
            self._files.fsync(descriptor)
            self._require_name(descriptor)
        except OSError as fault:
            self._take_back(descriptor, point, fault)
            raise self._failed(fault.strerror or str(fault)) from None
        except BaseException as fault:
            self._take_back(descriptor, point, fault)
            raise

    def _take_back(self, descriptor: int, point: int, fault: BaseException) -> None:
        try:
            self._files.ftruncate(descriptor, point)
            self._files.fsync(descriptor)
        except OSError:
            if not isinstance(fault, Exception):
                return
            message = f"{self.path}: an append failed and could not be taken back; read it again"
            raise refusal("RUN_COMMIT_UNKNOWN", message, None, {"path": str(self.path)}) from fault

    def _require_name(self, descriptor: int) -> None:
        opened = self._files.fstat(descriptor)
        if not is_same_file(self._files.lstat(self.path), opened):
            raise self._failed("another file has this name now")

    def _failed(self, why: str) -> SurveyError:
        message = f"{self.path}: {why}; nothing was added"
        return refusal("STORAGE_FAILED", message, None, {"path": str(self.path)})

    def _require_revision(self, view: LogView, expected: str) -> None:
        if view.revision != expected:
            message = f"the log is at {view.revision}; read it again before deciding"
            details = {"path": str(self.path), "revision": view.revision, "count": view.count}
            raise refusal("stale-revision", message, None, details)

    def _require_room(self, view: LogView) -> None:
        if view.count > self._max_events or len(view.text) > self._max_bytes:
            raise self._over("RUN_EVENTS_FULL")

    def _over(self, code: str) -> SurveyError:
        allowed = {"maxEvents": self._max_events, "maxBytes": self._max_bytes}
        message = f"{self.path}: at most {self._max_events} events in {self._max_bytes} bytes"
        return refusal(code, message, None, {"path": str(self.path), **allowed})

    def _own(self, lock: Lock) -> int:
        if lock.path != self.path:
            message = f"the lock is on {lock.path}, not on {self.path}"
            raise ValueError(message)
        return lock.descriptor

    def _share(self, descriptor: int, wait_seconds: float) -> None:
        for _ in attempts(self._clock, wait_seconds):
            if try_flock(self._files, descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB):
                return
        raise busy(self.path, "writer")

    def _locked_view(self, descriptor: int, known: LogView | None) -> LogView:
        return self._view(descriptor, self._files.fstat(descriptor).st_size, known)

    def _view(self, descriptor: int, size: int, known: LogView | None) -> LogView:
        """The committed part of the first ``size`` bytes of an open log."""
        if size > self._max_bytes:
            raise self._over("RUN_FILE_TOO_LARGE")
        before = known if known is not None and known.root == self._empty.root else self._empty
        data = self._bytes(descriptor, size, before.text)
        if line_count(data, before) > self._max_events:
            raise self._over("RUN_FILE_TOO_LARGE")
        return read_chain(data, before)

    def _bytes(self, descriptor: int, size: int, known: bytes) -> bytes:
        gathered = Gathered(known if len(known) <= size else b"")
        while gathered.length < size:
            most = min(size - gathered.length, gathered.room(size))
            part = self._files.pread(descriptor, most, gathered.length)
            if not part:
                break
            gathered.add(part)
        return gathered.joined()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with log_errors(self.path):
                yield
        except BrokenLineError as broken:
            message = f"{self.path}, line {broken.line}: {broken.why}"
            details = {"path": str(self.path), "line": broken.line, "offset": broken.offset}
            raise refusal("RUN_EVENTS_BROKEN", message, None, details) from None
