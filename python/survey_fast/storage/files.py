"""Whole files: read within bounds, published durably.

1. A file is opened without following a link at its last component, and used only when it is a
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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from survey_fast.errors import FileError, refusal
from survey_fast.limits import Cap
from survey_fast.storage.seam import SYSTEM, Content, Files

__all__ = [
    "MAKE",
    "is_same_file",
    "open_regular",
    "publish",
    "read_bounded",
    "read_open",
    "require_regular",
    "storage_errors",
    "sync_folder",
    "write_all",
]

_CHUNK = 1 << 20
# O_NONBLOCK: opening a pipe must not wait for its other end.
_EXISTING: Final = os.O_NOFOLLOW | os.O_NONBLOCK
MAKE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
"""Flags for a file that must not exist yet."""


def read_bounded(path: Path, cap: Cap, most: int | None = None, *, files: Files = SYSTEM) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes (the cap's default if not given).

    Raises:
        FileError: ``file-not-found``, ``file-refused`` (a link, a directory, a pipe, a
            device), ``file-too-large``, ``STORAGE_FAILED``.
    """
    allowed = cap.resolve(most)
    with storage_errors(path):
        descriptor, status = open_regular(files, path, os.O_RDONLY)
        try:
            return read_open(files, descriptor, status, path, (allowed, cap))
        finally:
            files.close(descriptor)


def read_open(
    files: Files, descriptor: int, status: os.stat_result, path: Path, most: tuple[int, Cap]
) -> bytes:
    """All bytes of an open regular file; ``most`` is what is allowed, and by which cap."""
    allowed, cap = most
    if status.st_size > allowed:
        raise _too_large(path, allowed, cap)
    # In one piece where the system gives one; a byte more than expected tells a file that grew.
    parts: list[bytes] = []
    length = 0
    while chunk := files.read(descriptor, max(status.st_size + 1 - length, _CHUNK)):
        parts.append(chunk)
        length += len(chunk)
        if length > allowed:
            raise _too_large(path, allowed, cap)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_large(path: Path, allowed: int, cap: Cap) -> FileError:
    message = f"{path} has more than the {allowed} bytes allowed for {cap.name}"
    return FileError(message, None, {"path": str(path), "allowed": allowed}, "file-too-large")


def publish(path: Path, content: bytes, *, files: Files = SYSTEM, replacing: bool = True) -> None:
    """Put ``content`` at ``path`` durably.

    Args:
        path: the file.
        content: its bytes.
        files: the file system.
        replacing: take the place of a regular file that stands there; otherwise the name has to
            be free, and of two who publish at once only one succeeds.

    Raises:
        FileError: ``file-refused`` when something other than a regular file has that name,
            ``file-exists`` when it has to be free, ``STORAGE_FAILED`` otherwise; what stood
            there is then untouched.
    """
    pending = path.parent / f".{path.name}.{secrets.token_hex(8)}.pending"
    with storage_errors(path):
        _require_replaceable(files, path)
        descriptor = _make(files, pending, path)
        try:
            try:
                write_all(files, descriptor, content)
                files.fsync(descriptor)
            finally:
                files.close(descriptor)
            if replacing:
                files.replace(pending, path)
            else:
                _take_name(files, pending, path)
        except BaseException:
            with suppress(OSError):
                files.unlink(pending)
            raise
        sync_folder(files, path.parent)


def _make(files: Files, pending: Path, path: Path) -> int:
    """A new file, to be ``path``. Where that cannot be found, its folder is what is missing."""
    try:
        return files.open(pending, MAKE)
    except FileNotFoundError:
        message = f"{path} cannot be written: there is no folder {path.parent}"
        raise refusal("file-not-found", message, details={"path": str(path)}) from None


def _take_name(files: Files, pending: Path, path: Path) -> None:
    try:
        files.link(pending, path)
    except FileExistsError:
        message = f"there is a {path} already"
        raise refusal("file-exists", message, None, {"path": str(path)}) from None
    with suppress(OSError):
        files.unlink(pending)


def _require_replaceable(files: Files, path: Path) -> None:
    try:
        status = files.lstat(path)
    except FileNotFoundError:
        return
    require_regular(path, status)


def open_regular(files: Files, path: Path, flags: int) -> tuple[int, os.stat_result]:
    """A descriptor of an existing regular file, and what the file is.

    Raises:
        FileError: ``file-refused``.
        OSError: to be named by :func:`storage_errors`.
    """
    descriptor = files.open(path, flags | _EXISTING)
    try:
        status = files.fstat(descriptor)
        require_regular(path, status)
    except BaseException:
        with suppress(OSError):
            files.close(descriptor)
        raise
    return descriptor, status


def require_regular(path: Path, status: os.stat_result) -> None:
    """Raise FileError (``file-refused``) for anything but a regular file."""
    if not stat.S_ISREG(status.st_mode):
        message = f"{path} is no regular file"
        raise refusal("file-refused", message, details={"path": str(path)})


def is_same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether both describe one file."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def write_all(files: Files, descriptor: int, content: bytes) -> None:
    """Write every byte, in as many turns as it takes. Raises OSError."""
    rest: Content = memoryview(content)
    while rest:
        taken = files.write(descriptor, rest)
        if not taken:
            raise OSError(errno.EIO, "nothing was written")
        rest = rest[taken:]


def sync_folder(files: Files, folder: Path) -> None:
    """Flush the names in ``folder``. Raises OSError."""
    descriptor = files.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        files.fsync(descriptor)
    finally:
        files.close(descriptor)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
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
