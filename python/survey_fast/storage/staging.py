"""A new folder appears with all of its files, or not at all.

1. The files are written, durably, into a folder beside the place, under an unpredictable name that
   says what it is. Its creator holds a lock on it, which ends with the process.
2. What was written is read back by whoever will read it later; only then the folder takes its
   name. Nothing that stands there is ever replaced.
3. Whoever creates sweeps what dead creators left: folders under such names that nobody locks and
   that are an hour old.
4. The folder that runs live in appears with its ``.gitignore`` in it. It goes again when what it
   was made for fails, unless somebody put something there.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from survey_fast.errors import FileError, refusal
from survey_fast.storage.files import is_same_file, publish, storage_errors, sync_folder
from survey_fast.storage.missing import folders_made
from survey_fast.storage.seam import SYSTEM, Files
from survey_fast.storage.waiting import try_flock

__all__ = ["STAGING", "create_folder", "root_made"]

STAGING: Final = ".survey-fast-create-"
"""How the names of folders in the making begin."""
_IGNORED: Final = ".gitignore"
_OLD_SECONDS: Final = 3600
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_OCCUPIED: Final = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR})


@contextmanager
def root_made(root: Path, *, adopts: bool = False, files: Files = SYSTEM) -> Iterator[None]:
    """Have the folder that runs live in for the length of a ``with`` block and after it.

    One that is made is kept out of version control.

    Args:
        root: the folder.
        adopts: keep one that exists out of version control too, if it has no ``.gitignore``.
        files: the file system.

    Raises:
        FileError: ``file-refused`` (the name leads to no folder), ``STORAGE_FAILED``.
    """
    with storage_errors(root):
        is_there = root.is_dir()
    if is_there:
        if adopts:
            _ignore(root, files)
        yield
        return
    with folders_made(root.parent, mode=0o700, files=files):
        ours: list[os.stat_result] = []
        try:
            _appear(root, ours, files)
            yield
        except BaseException:
            if ours:
                _withdraw(root, ours[0], files)
            raise


def _appear(root: Path, ours: list[os.stat_result], files: Files) -> None:
    """Make the root; one that somebody else made meanwhile is as good.

    What ``ours`` is given tells the one made here from another.
    """
    try:
        create_folder(
            root, {_IGNORED: b"*\n"}, lambda staged: ours.append(files.lstat(staged)), files=files
        )
    except FileError as fault:
        if fault.code != "file-exists":
            raise
        with storage_errors(root):
            if not root.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None


def _ignore(root: Path, files: Files) -> None:
    with storage_errors(root / _IGNORED):
        try:
            files.lstat(root / _IGNORED)
        except FileNotFoundError:
            publish(root / _IGNORED, b"*\n", files=files)


def _withdraw(root: Path, ours: os.stat_result, files: Files) -> None:
    """Remove a root with nothing in it; what somebody puts there meanwhile stays ignored."""
    with suppress(OSError):
        if not is_same_file(files.lstat(root), ours) or files.listdir(root) != [_IGNORED]:
            return
        files.unlink(root / _IGNORED)
        try:
            files.rmdir(root)
        except OSError:
            with suppress(FileError):
                publish(root / _IGNORED, b"*\n", files=files)


def create_folder(
    target: Path,
    content: Mapping[str, bytes],
    check: Callable[[Path], None],
    *,
    files: Files = SYSTEM,
) -> None:
    """Make the folder ``target`` with the files of ``content``.

    Args:
        target: a free name in an existing folder.
        content: bytes by the name of the file.
        check: reads the folder while it still has another name, and raises when it is not sound.
        files: the file system.

    Raises:
        FileError: ``file-exists`` when the name is taken, ``STORAGE_FAILED``. Nothing is left.
    """
    root = target.parent
    _require_free(target, files)
    staging = root / f"{STAGING}{uuid.uuid4()}"
    with storage_errors(target):
        try:
            files.mkdir(staging)
            with _locked(staging, files) as now:
                _sweep(root, files, now)
                for name, text in content.items():
                    publish(staging / name, text, files=files)
                check(staging)
                _require_free(target, files)
                _rename(staging, target, files)
        except BaseException:
            _remove(staging, files)
            raise
        sync_folder(files, root)


@contextmanager
def _locked(staging: Path, files: Files) -> Iterator[float]:
    """Hold the lock that says who makes this folder; gives the file system's own time."""
    descriptor = files.open(staging, _FOLDER)
    try:
        try_flock(files, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield files.fstat(descriptor).st_mtime
    finally:
        with suppress(OSError):
            files.close(descriptor)


def _require_free(target: Path, files: Files) -> None:
    with storage_errors(target):
        try:
            files.lstat(target)
        except FileNotFoundError:
            return
    raise _taken(target)


def _taken(target: Path) -> Exception:
    message = f"there is a {target} already"
    return refusal("file-exists", message, None, {"path": str(target)})


def _rename(staging: Path, target: Path, files: Files) -> None:
    try:
        files.replace(staging, target)
    except OSError as fault:
        if fault.errno in _OCCUPIED:
            raise _taken(target) from None
        raise


def _sweep(root: Path, files: Files, now: float) -> None:
    """Remove what dead creators left; ``now`` is the file system's own time."""
    with suppress(OSError):
        for name in files.listdir(root):
            if name.startswith(STAGING):
                _remove_abandoned(root / name, files, now)


def _remove_abandoned(staging: Path, files: Files, now: float) -> None:
    with suppress(OSError):
        status = files.lstat(staging)
        if not stat.S_ISDIR(status.st_mode) or now - status.st_mtime < _OLD_SECONDS:
            return
        descriptor = files.open(staging, _FOLDER)
        try:
            if try_flock(files, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
                _remove(staging, files)
        finally:
            files.close(descriptor)


def _remove(staging: Path, files: Files) -> None:
    """Remove a folder of plain files; what cannot be removed is left to the next sweep."""
    with suppress(OSError):
        for name in files.listdir(staging):
            with suppress(OSError):
                files.unlink(staging / name)
        files.rmdir(staging)
