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
    "Gathered",
    "is_same_file",
    "name_beside",
    "open_regular",
    "publish",
    "read_bounded",
    "read_open",
    "require_regular",
    "require_replaceable",
    "storage_errors",
    "sync_folder",
    "take_free_name",
    "write_all",
    "write_pending",
]

_CHUNK = 1 << 20
_PIECE = 1 << 18
"""Small enough to be compared while it is in a cache of the processor."""
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
    files: Files,
    descriptor: int,
    status: os.stat_result,
    path: Path,
    most: tuple[int, Cap],
    *,
    known: bytes | None = None,
) -> bytes:
    """All bytes of an open regular file; ``known`` itself where these are the same.

    Args:
        files: the file system.
        descriptor: the file, at its start.
        status: what the file was when it was opened.
        path: its path.
        most: what is allowed, and by which cap.
        known: what the file held earlier. It is compared with while the file is read, and a second
            copy is made only of what differs.

    Raises:
        FileError: ``file-too-large``.
        OSError: as the system raises.
    """
    allowed, cap = most
    if status.st_size > allowed:
        raise _too_large(path, allowed, cap)
    gathered = Gathered(known if known is not None and len(known) == status.st_size else b"")
    while chunk := files.read(descriptor, gathered.room(status.st_size)):
        gathered.add(chunk)
        if gathered.length > allowed:
            raise _too_large(path, allowed, cap)
    return gathered.joined()


class Gathered:
    """Bytes that come piece by piece, and may turn out to be known.

    Args:
        known: what they may be.
    """

    def __init__(self, known: bytes) -> None:
        self.length = 0
        self._known = known
        self._parts: list[bytes] | None = None if known else []

    def room(self, expected: int) -> int:
        """How many bytes to ask for: all that are missing, or a piece to be compared."""
        if self._parts is None:
            return _PIECE
        # In one piece where the system gives one; a byte more than expected tells a file that grew.
        return max(expected + 1 - self.length, _CHUNK)

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        if self._parts is None and not self._known.startswith(piece, self.length):
            self._parts = [self._known[: self.length]]
        if self._parts is not None:
            self._parts.append(piece)
        self.length += len(piece)

    def joined(self) -> bytes:
        """All of them."""
        if self._parts is None:
            return self._known[: self.length]
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


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
    with storage_errors(path):
        require_replaceable(files, path)
        pending = write_pending(files, path, content)
        try:
            if replacing:
                files.replace(pending, path)
            else:
                take_free_name(files, pending, path)
        except BaseException:
            with suppress(OSError):
                files.unlink(pending)
            raise
        sync_folder(files, path.parent)


def name_beside(path: Path, ending: str) -> Path:
    """An unpredictable name in the folder of ``path``, short whatever the name of ``path`` is."""
    return path.parent / f".survey-fast-{secrets.token_hex(8)}.{ending}"


def write_pending(files: Files, path: Path, content: bytes) -> Path:
    """Write what is to be at ``path`` durably, under a name beside it, which is returned.

    Raises:
        FileError: ``file-not-found`` when there is no folder for it.
        OSError: to be named by :func:`storage_errors`. Nothing is left.
    """
    pending = name_beside(path, "pending")
    descriptor = _make(files, pending, path)
    try:
        try:
            write_all(files, descriptor, content)
            files.fsync(descriptor)
        finally:
            files.close(descriptor)
    except BaseException:
        with suppress(OSError):
            files.unlink(pending)
        raise
    return pending


def _make(files: Files, pending: Path, path: Path) -> int:
    """A new file, to be ``path``. Where that cannot be found, its folder is what is missing."""
    try:
        return files.open(pending, MAKE)
    except FileNotFoundError:
        why = "nothing can be made in" if path.parent.is_dir() else "there is no folder"
        message = f"{path} cannot be written: {why} {path.parent}"
        raise refusal("file-not-found", message, details={"path": str(path)}) from None


def take_free_name(files: Files, pending: Path, path: Path) -> None:
    """Give a file the name ``path`` in place of its own.

    Raises:
        FileError: ``file-exists``: the name is taken.
        OSError: to be named by :func:`storage_errors`.
    """
    try:
        files.link(pending, path)
    except FileExistsError:
        message = f"there is a {path} already"
        raise refusal("file-exists", message, None, {"path": str(path)}) from None
    with suppress(OSError):
        files.unlink(pending)


def require_replaceable(files: Files, path: Path) -> None:
    """Raise FileError (``file-refused``) where something other than a regular file stands."""
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
