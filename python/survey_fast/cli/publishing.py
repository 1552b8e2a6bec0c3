"""Files that a command writes: new, as they were, or replaced because that was asked.

1. A file that stands there with other content is refused before any file is written. One that
   holds the same already is left alone.
2. Nothing is written into the run that is read: it would be no part of it, or destroy it. Nor is
   anything written over a file that is read, whatever was asked for.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE
from survey_fast.review.session_store import log_path
from survey_fast.storage import publish, read_bounded

__all__ = ["publish_files", "require_other", "require_outside"]


def require_outside(run: Path, *targets: Path | None) -> None:
    """Refuse targets in the directory of a run: FileError (``file-refused``)."""
    folder = _real(run)
    for target in targets:
        if target is not None and _real(target).is_relative_to(folder):
            message = f"{target} lies in the run itself; write it somewhere else"
            raise refusal("file-refused", message, None, {"path": str(target)})


def require_other(target: Path, *inputs: Path) -> None:
    """Refuse a target that is a file that is read, or its log: FileError (``file-refused``)."""
    named = [one for one in inputs if one.name]
    for one in (*named, *map(log_path, named)):
        if _real(target) == _real(one) or _is_same(target, one):
            message = f"{target} is read here and would be lost; write to another file"
            raise refusal("file-refused", message, None, {"path": str(target)})


def _real(path: Path) -> Path:
    """Where a path leads; a loop of links leads nowhere, and is left to whoever opens it."""
    return Path(os.path.realpath(path))


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are names of one file; a file that cannot be looked at has no other name."""
    with suppress(OSError):
        return one.samefile(other)
    return False


def publish_files(content: Mapping[Path, bytes], *, force: bool) -> None:
    """Write each file, its folder made when it is missing.

    Raises:
        FileError: ``file-exists`` for a file with other content, unless ``force``; as ``publish``.
    """
    missing = {
        path: text for path, text in content.items() if force or not _holds_already(path, text)
    }
    for path, text in missing.items():
        _make_folder(path.parent)
        publish(path, text, replacing=force)


def _holds_already(path: Path, text: bytes) -> bool:
    """Rule 1."""
    try:
        stored = read_bounded(path, BUNDLE, BUNDLE.ceiling)
    except SurveyError as fault:
        if fault.code != "file-not-found":
            raise
        return False
    if stored != text:
        message = f"{path} holds something else; --force replaces it"
        raise refusal("file-exists", message, None, {"path": str(path)})
    return True


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        message = f"{folder}: {fault.strerror or fault}"
        raise refusal("STORAGE_FAILED", message, None, {"path": str(folder)}) from None
