"""Several files change together: each takes its place, or every place is as it was.

1. All of them are written, durably, under pending names before the first takes its place. A disk
   that fills, a name that is too long, a folder that nobody may write to: met while nothing has
   changed yet.
2. What stood in a place has a second name until all is done, and is given its own name back when a
   later file cannot take its place. Nothing has to be written again for that, so a full disk is no
   hindrance.
3. Each single file is seen as it was or as it is to be, also when the process dies; which of them
   then were first is for the caller's order to tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from survey_fast.storage.files import (
    is_same_file,
    name_beside,
    require_replaceable,
    storage_errors,
    sync_folder,
    take_free_name,
    write_pending,
)
from survey_fast.storage.seam import SYSTEM, Files

__all__ = ["Together", "together"]


class _Change(NamedTuple):
    """A place that is no longer certain to be as it was.

    Attributes:
        path: the place.
        aside: the second name of what stood there, if anything did.
    """

    path: Path
    aside: Path


class Together:
    """The files of one :func:`together` block."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._pending: dict[Path, tuple[Path, os.stat_result]] = {}
        self._changes: list[_Change] = []

    def write(self, path: Path, content: bytes) -> None:
        """Write what is to be at ``path`` under a pending name."""
        with storage_errors(path):
            require_replaceable(self._files, path)
            pending = write_pending(self._files, path, content)
            try:
                self._pending[path] = pending, self._files.lstat(pending)
            except BaseException:
                with suppress(OSError):
                    self._files.unlink(pending)
                raise

    def put(self, path: Path, *, replacing: bool = True) -> None:
        """Let what was written for ``path`` take its place.

        Raises:
            FileError: ``file-exists`` when the place has to be free and is not,
                ``STORAGE_FAILED``.
        """
        pending, _ = self._pending[path]
        with storage_errors(path):
            aside = self._note(path)
            if not replacing:
                take_free_name(self._files, pending, path)
                return
            with suppress(FileNotFoundError):
                self._keep(path, aside)
            self._files.replace(pending, path)

    def remove(self, path: Path) -> None:
        """Let nothing be at ``path``. Raises FileError (``STORAGE_FAILED``)."""
        with storage_errors(path):
            aside = self._note(path)
            with suppress(FileNotFoundError):
                self._files.replace(path, aside)

    def settle(self) -> None:
        """Flush every folder in which a place changed; what stood there loses its second name."""
        for folder in dict.fromkeys(one.path.parent for one in self._changes):
            with storage_errors(folder):
                sync_folder(self._files, folder)
        for one in self._changes:
            with suppress(OSError):
                self._files.unlink(one.aside)

    def undo(self) -> None:
        """Let every place be as it was."""
        for one in reversed(self._changes):
            with suppress(OSError):
                self._undo(one)

    def clear(self) -> None:
        """Remove what never took its place."""
        for pending, _ in self._pending.values():
            with suppress(OSError):
                self._files.unlink(pending)

    def _note(self, path: Path) -> Path:
        """The second name for what stands at ``path``, noted before it is given."""
        aside = name_beside(path, "replaced")
        self._changes.append(_Change(path, aside))
        return aside

    def _keep(self, path: Path, aside: Path) -> None:
        """Give what stands at ``path`` its second name."""
        try:
            self._files.link(path, aside)
        except FileNotFoundError:
            raise
        except OSError:
            # No hard links here: for a moment, nothing stands in the place.
            self._files.replace(path, aside)

    def _undo(self, change: _Change) -> None:
        try:
            self._files.replace(change.aside, change.path)
        except FileNotFoundError:
            # Nothing was put aside. What stands there now goes only if it is ours.
            ours = self._pending.get(change.path)
            if ours and is_same_file(self._files.lstat(change.path), ours[1]):
                self._files.unlink(change.path)
        else:
            # Two names of one file are both kept by a renaming.
            with suppress(OSError):
                self._files.unlink(change.aside)


@contextmanager
def together(content: Mapping[Path, bytes], *, files: Files = SYSTEM) -> Iterator[Together]:
    """Write every file of ``content``, then let each take its place inside a ``with`` block.

    Args:
        content: bytes by path. Each path leads to another place, whose folder exists.
        files: the file system.

    Raises:
        FileError: ``file-refused`` when something other than a regular file stands in a place,
            ``file-not-found`` when there is no folder for it, ``STORAGE_FAILED``. After these, or
            whatever is raised inside the block, every place is as it was.
    """
    change = Together(files)
    try:
        try:
            for path, text in content.items():
                change.write(path, text)
            yield change
            change.settle()
        except BaseException:
            change.undo()
            raise
    finally:
        change.clear()
