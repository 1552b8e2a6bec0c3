"""The folder that runs live in, given where a run was meant.

A root is a folder without a ``run.json`` in which some folder has one. What is found there is
only named, or handed to what opens it with every check.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from survey_fast.errors import SurveyError, refusal
from survey_fast.runs.layout import MANIFEST_FILE

__all__ = ["holding", "naming_runs", "runs_below"]

_NAMED: Final = 5
"""Runs that a message names; the rest is counted."""


def runs_below(path: Path) -> list[Path]:
    """The runs in a root, by name; none where ``path`` is a run itself, or nothing of the kind."""
    try:
        if (path / MANIFEST_FILE).exists():
            return []
        return sorted(
            one
            for one in path.iterdir()
            if not one.name.startswith(".") and (one / MANIFEST_FILE).is_file()
        )
    except OSError:
        return []


def holding(path: Path) -> str:
    """What a root holds, as the rest of a sentence; nothing where it holds no run."""
    runs = runs_below(path)
    if not runs:
        return ""
    named = ", ".join(one.name for one in runs[:_NAMED])
    more = f" and {len(runs) - _NAMED:,} more" if len(runs) > _NAMED else ""
    count = "1 run" if len(runs) == 1 else f"{len(runs):,} runs"
    return f"it holds {count}: {named}{more}"


@contextmanager
def naming_runs(path: Path) -> Iterator[None]:
    """Around opening one run: where ``path`` is a root, the refusal names the runs in it."""
    try:
        yield
    except SurveyError as fault:
        held = holding(path)
        if not held:
            raise
        message = f"{path} is no run; {held}"
        raise refusal(fault.code, message, fault.pointer, fault.details) from None
