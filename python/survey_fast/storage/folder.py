"""A folder whose files belong together, read through one handle.

1. The folder itself is no link. Its path is made real once, and from then on every file is opened
   by name through the handle, so that nobody can slip another folder under a later read.
2. A name is one component. What has it is a regular file with no second name: no link, folder,
   pipe or device, and nothing that could be changed from elsewhere under another name.
3. After reading, the path still leads to the folder that was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from survey_fast.errors import refusal
from survey_fast.limits import Cap
from survey_fast.storage.arguments import path_argument
from survey_fast.storage.files import is_same_file, read_open, require_regular, storage_errors
from survey_fast.storage.seam import SYSTEM, Files

__all__ = ["Folder", "opened_folder"]

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class Folder:
    """An open folder.

    Attributes:
        path: its real path.
    """

    def __init__(self, path: Path, descriptor: int, files: Files) -> None:
        self.path = path
        self._descriptor = descriptor
        self._files = files

    def read(
        self, name: str, cap: Cap, most: int | None = None, *, known: bytes | None = None
    ) -> bytes:
        """The bytes of the file ``name``, at most ``most`` of them; ``known`` if it holds these.

        Raises:
            FileError: ``file-not-found``, ``file-refused``, ``file-too-large``,
                ``STORAGE_FAILED``.
        """
        path = self.path / _component(name)
        allowed = cap.resolve(most)
        with storage_errors(path):
            descriptor = self._files.open_at(self._descriptor, name, _FILE)
            try:
                status = self._files.fstat(descriptor)
                _require_own(path, status)
                return read_open(self._files, descriptor, status, path, (allowed, cap), known=known)
            finally:
                self._files.close(descriptor)

    def require_own(self, name: str) -> None:
        """Refuse what is no regular file of this folder alone; for files that others read.

        Raises:
            FileError: ``file-not-found``, ``file-refused``, ``STORAGE_FAILED``.
        """
        path = self.path / _component(name)
        with storage_errors(path):
            _require_own(path, self._files.lstat_at(self._descriptor, name))

    def require_unmoved(self) -> None:
        """Refuse when the path leads to another folder by now: ``file-refused``."""
        with storage_errors(self.path):
            here = self._files.lstat(self.path)
            if not is_same_file(here, self._files.fstat(self._descriptor)):
                message = f"{self.path} is another folder by now; read it again"
                raise refusal("file-refused", message, None, {"path": str(self.path)})


def _component(name: str) -> str:
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        message = f"{name!r} is no name of a file in a folder"
        raise ValueError(message)
    return name


def _require_own(path: Path, status: os.stat_result) -> None:
    require_regular(path, status)
    if status.st_nlink != 1:
        message = f"{path} has a second name, under which it could be changed"
        raise refusal("file-refused", message, None, {"path": str(path)})


@contextmanager
def opened_folder(path: Path | str, *, files: Files = SYSTEM) -> Iterator[Folder]:
    """Open the folder at ``path`` for the length of a ``with`` block.

    Raises:
        TypeError: ``path`` is no path.
        FileError: ``file-not-found``, ``file-refused`` (a link, or no folder),
            ``STORAGE_FAILED``.
    """
    path = path_argument("path", path)
    with storage_errors(path):
        try:
            descriptor = files.open(path, _FOLDER)
        except NotADirectoryError:
            message = f"{path} is a link or no folder; name the folder itself"
            raise refusal("file-refused", message, None, {"path": str(path)}) from None
    try:
        with storage_errors(path):
            real = path.resolve(strict=True)
            if not is_same_file(files.lstat(real), files.fstat(descriptor)):
                message = f"{path} is another folder by now; read it again"
                raise refusal("file-refused", message, None, {"path": str(path)})
        yield Folder(real, descriptor, files)
    finally:
        with suppress(OSError):
            files.close(descriptor)
