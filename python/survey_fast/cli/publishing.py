"""Files that a command writes of a run: new, as they were, or replaced because that was asked.

1. A file that stands there with other content is refused before any file is written. One that
   holds the same already is left alone.
2. Nothing is written into the run that is read: it would be no part of it, or destroy it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE
from survey_fast.storage import publish, read_bounded

__all__ = ["publish_files", "require_outside"]


def require_outside(run: Path, *targets: Path | None) -> None:
    """Refuse targets in the directory of a run: FileError (``file-refused``)."""
    folder = run.resolve()
    for target in targets:
        if target is not None and target.resolve().is_relative_to(folder):
            message = f"{target} lies in the run itself; write it somewhere else"
            raise refusal("file-refused", message, None, {"path": str(target)})


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
