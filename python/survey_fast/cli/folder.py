"""Writing the files of one command into a folder: all of them, or none.

1. Nothing that stands there is lost unasked: a file with other content is refused, and so is one
   that this outcome does not have. ``--force`` replaces the one and removes the other.
2. A folder that is new, or empty, appears with all of its files at once: they are written into a
   folder beside it, which then takes its name. A process that dies before leaves the name free.
3. Into a folder with files in it they are published together, under a lock on the folder, so that
   two commands never mix. What completes the set is put last, so a set without it shows that a
   process died.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from survey_fast import limits
from survey_fast.errors import FileError, refusal
from survey_fast.storage import publish, read_bounded
from survey_fast.storage.files import name_beside
from survey_fast.storage.missing import folders_made
from survey_fast.storage.together import together

__all__ = ["place_all"]

_OCCUPIED: Final = "file-exists"


def place_all(
    folder: Path, wanted: Mapping[str, bytes | None], *, remedy: str, force: bool = False
) -> list[str]:
    """Make ``folder`` hold the files of ``wanted``; ``None`` stands for a file that is not there.

    Args:
        folder: made when it is missing, and so are folders in the names of files.
        wanted: content by name.
        remedy: what to tell someone in whose folder other content stands.
        force: replace and remove that content.

    Returns:
        The names that were removed, because this outcome has no such file.

    Raises:
        FileError: ``file-exists`` when other content stands there and ``force`` is not given,
            or when a link, a folder or a device has one of the names; ``STORAGE_FAILED``.
            The folder is then as it was.
    """
    content = {name: text for name, text in wanted.items() if text is not None}
    with folders_made(folder.parent):
        if _appear(folder, content):
            return []
        with _locked(folder):
            return _place_each(folder, wanted, remedy, force=force)


def _appear(folder: Path, content: Mapping[str, bytes]) -> bool:
    """Make ``folder`` with all of its files at once; false when there is something in it."""
    with _system_errors(folder):
        is_taken = folder.is_symlink() or (
            folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
        )
    if is_taken:
        return False
    staging = name_beside(folder, "pending")
    with _system_errors(folder):
        staging.mkdir(mode=0o700)
        try:
            for name, text in content.items():
                with folders_made((staging / name).parent):
                    publish(staging / name, text)
            staging.rename(folder)
        except OSError as fault:
            shutil.rmtree(staging, ignore_errors=True)
            # Another process was first; its files are judged like any others.
            if fault.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                return False
            raise
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    return True


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with _system_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with _system_errors(folder):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _place_each(
    folder: Path, wanted: Mapping[str, bytes | None], remedy: str, *, force: bool
) -> list[str]:
    present = {name: _present(folder / name) for name in wanted}
    changed = [name for name in wanted if present[name] != wanted[name]]
    occupied = [name for name in changed if present[name] is not None]
    if occupied and not force:
        names = ", ".join(occupied)
        message = f"{folder} already holds {names} with other content; {remedy}"
        raise refusal(_OCCUPIED, message, None, {"path": str(folder), "files": occupied})
    texts = {folder / name: text for name in changed if (text := wanted[name]) is not None}
    with ExitStack() as folders:
        for path in texts:
            folders.enter_context(folders_made(path.parent))
        with together(texts) as change:
            # The last file completes the set, so it goes first and comes back last.
            if changed and present[changed[-1]] is not None:
                change.remove(folder / changed[-1])
            for path in (folder / name for name in changed):
                if path in texts:
                    change.put(path)
                else:
                    change.remove(path)
    return [name for name in occupied if wanted[name] is None]


def _present(path: Path) -> bytes | None:
    try:
        return read_bounded(path, limits.BUNDLE, limits.BUNDLE.ceiling)
    except FileError as error:
        if error.code == "file-not-found":
            return None
        raise


@contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        if fault.errno in {errno.EEXIST, errno.ENOTDIR, errno.ELOOP}:
            message = f"{path} is no folder, or lies below something that is none"
            raise refusal("file-refused", message, None, {"path": str(path)}) from None
        message = f"{path}: {fault.strerror or fault}"
        raise refusal("STORAGE_FAILED", message, None, {"path": str(path)}) from None
