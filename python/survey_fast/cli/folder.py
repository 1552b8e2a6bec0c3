"""Writing the files of one command into a folder: all of them, or none.

1. Nothing that stands there is lost unasked: a file with other content is refused, and so is one
   that this outcome does not have. ``--force`` replaces the one and removes the other.
2. When a file cannot be published, what was published before it is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from survey_fast import limits
from survey_fast.errors import FileError, SurveyError, refusal
from survey_fast.storage import publish, read_bounded

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
    present = {name: _present(folder / name) for name in wanted}
    changed = [name for name in wanted if present[name] != wanted[name]]
    occupied = [name for name in changed if present[name] is not None]
    if occupied and not force:
        names = ", ".join(occupied)
        message = f"{folder} already holds {names} with other content; {remedy}"
        raise refusal(_OCCUPIED, message, None, {"path": str(folder), "files": occupied})
    made: list[Path] = []
    done: list[str] = []
    try:
        for name in changed:
            made = [*_make((folder / name).parent), *made]
            done.append(name)
            _put(folder / name, wanted[name])
    except BaseException:
        for name in done:
            with suppress(SurveyError):
                _put(folder / name, present[name])
        for one in made:
            with suppress(OSError):
                one.rmdir()
        raise
    return [name for name in occupied if wanted[name] is None]


def _present(path: Path) -> bytes | None:
    try:
        return read_bounded(path, limits.BUNDLE, limits.BUNDLE.ceiling)
    except FileError as error:
        if error.code == "file-not-found":
            return None
        raise


def _make(folder: Path) -> list[Path]:
    """Create ``folder`` and what it lies in; returns the new folders, innermost first."""
    missing: list[Path] = []
    with _system_errors(folder):
        for one in (folder, *folder.parents):
            if one.exists():
                break
            missing.append(one)
        folder.mkdir(parents=True, exist_ok=True)
    return missing


def _put(path: Path, content: bytes | None) -> None:
    if content is not None:
        publish(path, content)
        return
    with _system_errors(path):
        path.unlink(missing_ok=True)


@contextmanager
def _system_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        message = f"{path}: {fault.strerror or fault}"
        raise refusal("STORAGE_FAILED", message, None, {"path": str(path)}) from None
