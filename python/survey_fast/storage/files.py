"""The one place that touches files.

1. A file is opened without following a link at its last component, and read only when it is a
   regular file: no directory, pipe or device stands in for a document.
2. Its size is bounded before it is read, and what is read is bounded again.
3. A file is published: written under an unpredictable name beside its place, flushed, then
   renamed into place, and the folder is flushed. A reader sees the old file or the new one.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from survey_fast.errors import FileError, refusal
from survey_fast.limits import Cap

__all__ = ["publish", "read_bounded"]

_CHUNK = 1 << 20


def read_bounded(path: Path, cap: Cap, most: int | None = None) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes (the cap's default if not given).

    Raises:
        FileError: ``file-not-found``, ``file-refused`` (a link, a directory, a pipe, a
            device), ``file-too-large``, ``STORAGE_FAILED``.
    """
    allowed = cap.resolve(most)
    with _system_errors(path):
        # O_NONBLOCK: opening a pipe must not wait for its other end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                message = f"{path} is no regular file"
                raise refusal("file-refused", message, details={"path": str(path)})
            if status.st_size > allowed:
                raise _too_large(path, allowed, cap)
            return _read_at_most(descriptor, status.st_size, allowed, path, cap)
        finally:
            os.close(descriptor)


def _read_at_most(descriptor: int, expected: int, allowed: int, path: Path, cap: Cap) -> bytes:
    content = bytearray()
    # One byte more than expected tells a file that grew from one that did not.
    while chunk := os.read(descriptor, min(_CHUNK, max(expected + 1 - len(content), _CHUNK))):
        content += chunk
        if len(content) > allowed:
            raise _too_large(path, allowed, cap)
    return bytes(content)


def _too_large(path: Path, allowed: int, cap: Cap) -> FileError:
    message = f"{path} has more than the {allowed} bytes allowed for {cap.name}"
    return FileError(message, None, {"path": str(path), "allowed": allowed}, "file-too-large")


def publish(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` durably, replacing a regular file that stands there.

    Raises:
        FileError: ``file-refused`` when something other than a regular file has that name,
            ``STORAGE_FAILED`` otherwise; the old file is then untouched.
    """
    folder = path.parent
    pending = folder / f".{path.name}.{secrets.token_hex(8)}.pending"
    with _system_errors(path):
        _require_replaceable(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(pending, flags, 0o600)
        try:
            try:
                _write_all(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            pending.replace(path)
        except BaseException:
            pending.unlink(missing_ok=True)
            raise
        _sync_folder(folder)


def _require_replaceable(path: Path) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        message = f"{path} is no regular file, so it is not replaced"
        raise refusal("file-refused", message, details={"path": str(path)})


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    """What the operating system says, as refusals."""
    details = {"path": str(path)}
    try:
        yield
    except FileNotFoundError:
        raise refusal("file-not-found", f"there is no {path}", details=details) from None
    except (IsADirectoryError, NotADirectoryError):
        message = f"{path} is a directory, or lies below something that is none"
        raise refusal("file-refused", message, details=details) from None
    except OSError as fault:
        # O_NOFOLLOW reports a link as ELOOP; a pipe or socket without its other end as ENXIO.
        if fault.errno in {errno.ELOOP, errno.ENXIO}:
            message = f"{path} is a link or no regular file; name the file itself"
            raise refusal("file-refused", message, details=details) from None
        message = f"{path}: {fault.strerror or fault}"
        raise refusal("STORAGE_FAILED", message, details=details) from None
