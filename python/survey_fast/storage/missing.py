"""Folders that are missing are made, and go again when what they were made for fails.

Only what was made here goes, and only while nothing is in it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from survey_fast.storage.files import storage_errors, sync_folder
from survey_fast.storage.seam import SYSTEM, Files

__all__ = ["folders_made"]


@contextmanager
def folders_made(folder: Path, *, mode: int = 0o777, files: Files = SYSTEM) -> Iterator[None]:
    """Have ``folder``, and all that it lies in, for the length of a ``with`` block and after it.

    Args:
        folder: the folder.
        mode: permissions of folders that are made, as far as the process's mask allows them.
        files: the file system.

    Raises:
        FileError: ``file-refused`` where something that is no folder has one of the names,
            ``STORAGE_FAILED``.
    """
    made: list[Path] = []
    try:
        with storage_errors(folder):
            missing = [one for one in (folder, *folder.parents) if not one.exists()]
            for one in reversed(missing):
                _make(one, mode, made, files)
            _require_folder(folder)
        yield
    except BaseException:
        for one in reversed(made):
            with suppress(OSError):
                files.rmdir(one)
        raise


def _make(folder: Path, mode: int, made: list[Path], files: Files) -> None:
    """Make a folder durably; one that somebody else made meanwhile is as good."""
    made.append(folder)
    try:
        files.mkdir(folder, mode)
    except FileExistsError:
        made.pop()
        _require_folder(folder)
    sync_folder(files, folder.parent)


def _require_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
