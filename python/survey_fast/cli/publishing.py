"""Files that a command writes: new, as they were, or replaced because that was asked.

1. A file that stands there with other content is refused before any file is written. One that
   holds the same already is left alone.
2. Nothing is written into the run that is read: it would be no part of it, or destroy it. Nor is
   anything written over a file that is read, whatever was asked for.
3. Of several files all are written or none, and the folders made for them go again with them.
4. Standard output can stand for one of them. It is written before any file takes its place.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from survey_fast.cli.command import is_stdout
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE
from survey_fast.review.session_store import log_path
from survey_fast.storage import read_bounded
from survey_fast.storage.missing import folders_made
from survey_fast.storage.together import together

__all__ = ["are_one_file", "publish_files", "require_other", "require_outside", "target_name"]


def require_outside(run: Path, *targets: Path | None) -> None:
    """Refuse targets in the directory of a run: FileError (``file-refused``)."""
    folder = _real(run)
    for target in targets:
        if target is None or is_stdout(target):
            continue
        if _real(target).is_relative_to(folder):
            message = f"{target} lies in the run itself; write it somewhere else"
            raise refusal("file-refused", message, None, {"path": str(target)})


def require_other(target: Path, *inputs: Path) -> None:
    """Refuse a target that is a file that is read, or its log: FileError (``file-refused``)."""
    if is_stdout(target):
        return
    named = [one for one in inputs if one.name]
    for one in (*named, *map(log_path, named)):
        if are_one_file(target, one):
            message = f"{target} is read here and would be lost; write to another file"
            raise refusal("file-refused", message, None, {"path": str(target)})


def are_one_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, however they are written and whether it is there yet."""
    return _real(one) == _real(other) or _is_same(one, other)


def _real(path: Path) -> Path:
    """Where a path leads; a loop of links leads nowhere, and is left to whoever opens it."""
    return Path(os.path.realpath(path))


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are names of one file; a file that cannot be looked at has no other name."""
    with suppress(OSError):
        return one.samefile(other)
    return False


def target_name(target: Path) -> str:
    """What a target is called where people are told of it."""
    return "standard output" if is_stdout(target) else str(target)


def publish_files(content: Mapping[Path, bytes], *, force: bool) -> None:
    """Write each file, its folder made when it is missing, or none of them.

    Raises:
        FileError: ``file-exists`` for a file with other content, unless ``force``;
            ``file-refused`` for a place that no file can take, ``STORAGE_FAILED``.
    """
    files = {
        path: text
        for path, text in content.items()
        if not is_stdout(path) and (force or not _holds_already(path, text))
    }
    with ExitStack() as folders:
        for path in files:
            folders.enter_context(folders_made(path.parent))
        with together(files) as change:
            for path, text in content.items():
                if is_stdout(path):
                    click.echo(text, nl=False)
            for path in files:
                change.put(path, replacing=force)


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
