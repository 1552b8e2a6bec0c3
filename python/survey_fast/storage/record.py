"""The owner's record as a file: put beside the log while the log is locked, and taken away.

It is filled and flushed under a pending name, then hard-linked into place. Nobody ever sees part
of one, and none replaces another.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Final

from survey_fast.errors import FileError, refusal
from survey_fast.storage.files import MAKE, open_regular, storage_errors, write_all
from survey_fast.storage.owner import RECORD_BYTES, Machine, objection, owner_record
from survey_fast.storage.seam import Files
from survey_fast.storage.waiting import Clock

__all__ = ["OwnerRecord"]

_NO_LINKS: Final = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}
_UUID: Final = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# Tokens whose record this process could not remove on release.
_ABANDONED: Final[set[str]] = set()


class OwnerRecord:
    """The record of one holder. Every method is called by who holds the flock."""

    def __init__(self, path: Path, files: Files, clock: Clock, machine: Machine) -> None:
        self.path = path
        self._files = files
        self._clock = clock
        self._machine = machine
        self._token = str(uuid.uuid4())
        self._text = b""

    def publish(self) -> str | None:
        """Put the record in place, or say what stands there and may not be removed.

        Raises:
            StorageUnsupportedError: no hard links here.
            FileError: ``STORAGE_FAILED``. Nothing of ours is left, unless removing it failed too.
        """
        # The log itself is sound: what failed is the record, so that is what is named.
        with storage_errors(self.path):
            self._sweep()
            return self._clear(self.path) or self._put()

    def _put(self) -> str | None:
        self._text = owner_record(self._machine, self._token, self._clock.now())
        pending = self.path.with_name(f"{self.path.name}.{uuid.uuid4()}.pending")
        descriptor = self._files.open(pending, MAKE)
        try:
            try:
                write_all(self._files, descriptor, self._text)
                self._files.fsync(descriptor)
            finally:
                self._files.close(descriptor)
            reason = self._link(pending)
            self._files.unlink(pending)
        except BaseException:
            with suppress(OSError):
                self._files.unlink(pending)
            self.withdraw()
            raise
        return reason

    def _link(self, pending: Path) -> str | None:
        try:
            self._files.link(pending, self.path)
        except FileExistsError:
            return "changing"
        except OSError as fault:
            if fault.errno in _NO_LINKS:
                message = "this file system has no hard links; keep reviews on a local disk"
                raise refusal("STORAGE_UNSUPPORTED", message) from None
            raise
        return None

    def withdraw(self) -> None:
        """Remove the record if it is ours. A fault is remembered, not raised."""
        try:
            status = self._files.lstat(self.path)
            if _may_be_record(status) and self._read(self.path) == self._text:
                self._remove(self.path, status)
        except FileNotFoundError:
            return
        except (OSError, FileError):
            _ABANDONED.add(self._token)

    def _sweep(self) -> None:
        """Remove what dead processes left under pending names."""
        pending = re.compile(rf"{re.escape(self.path.name)}\.{_UUID}\.pending")
        with suppress(OSError):
            for name in self._files.listdir(self.path.parent):
                if pending.fullmatch(name):
                    self._clear(self.path.with_name(name))

    def _clear(self, path: Path) -> str | None:
        """Remove a record that stands for nobody. Returns why it stays if it does."""
        try:
            status = self._files.lstat(path)
            if not _may_be_record(status):
                return "no-record"
            text = self._read(path)
        except FileNotFoundError:
            return None
        except (OSError, FileError):
            return "unreadable"
        age = self._clock.now() - status.st_mtime
        return objection(text, age, self._machine, _ABANDONED) or self._remove(path, status)

    def _read(self, path: Path) -> bytes:
        descriptor, _ = open_regular(self._files, path, os.O_RDONLY)
        try:
            return self._files.read(descriptor, RECORD_BYTES)
        finally:
            self._files.close(descriptor)

    def _remove(self, path: Path, seen: os.stat_result) -> str | None:
        """Remove a record, but only while it is the file that was seen before it was read."""
        try:
            status = self._files.lstat(path)
        except FileNotFoundError:
            return None
        if _signature(status) != _signature(seen):
            return "changing"
        self._files.unlink(path)
        return None


def _may_be_record(status: os.stat_result) -> bool:
    """A regular file of a record's size, under its name and perhaps still its pending name."""
    is_file = stat.S_ISREG(status.st_mode)
    return is_file and status.st_size <= RECORD_BYTES and status.st_nlink in {1, 2}


def _signature(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
