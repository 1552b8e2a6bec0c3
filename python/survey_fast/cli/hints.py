"""What helps against a refusal, in the words of the command line.

A refusal itself speaks of data: it is the same in a program that has no options. What a person can
type is noted on it here, and shown below it; the JSON document does not hold it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from survey_fast.cli.output import MOST_ROWS, quoted
from survey_fast.errors import SurveyError

__all__ = [
    "Hints",
    "blind_run_hints",
    "disclosure_hints",
    "extraction_hints",
    "hinting",
    "noted",
    "open_items_hints",
    "run_hints",
]

Hints: TypeAlias = Callable[[SurveyError], Iterable[str]]
"""What helps against a refusal: lines, perhaps none."""

_MANIFEST: Final = "run.json"
_OF_AN_EXPORT: Final = ("/bundle", "/reviewRound", "/reviewedGrounding")
_OF_AN_INSPECTION: Final = ("/spec",)
"""Pointers into what is made of an envelope; nothing there can be allowed by its place."""


@contextmanager
def hinting(*sources: Hints) -> Iterator[None]:
    """Note on every refusal that is raised inside what helps against it."""
    try:
        yield
    except SurveyError as refused:
        noted(refused, *sources)
        raise


def noted(refused: SurveyError, *sources: Hints) -> SurveyError:
    """The refusal itself, with what helps against it noted on it."""
    for hints in sources:
        for hint in hints(refused):
            refused.add_note(hint)
    return refused


def extraction_hints(refused: SurveyError) -> Iterator[str]:
    """What helps when a source gives no extraction."""
    details = refused.details
    if refused.code == "EXTRACTION_FAILED" and "label" in details and "text" in details:
        yield f"the text there is {quoted(details['text'])}"
        yield "--provider pattern proposes such a value as the text that it is, for review"
    if refused.code == "INVALID_SOURCE" and {"charset", "offset"} <= details.keys():
        yield "--charset NAME says what the bytes are; --errors replace puts U+FFFD in their place"
    if refused.code == "provider-options-invalid" and details.get("about") in _ABOUT:
        yield _ABOUT[details["about"]]


_ABOUT: Final = {
    "key": "--key-env NAME names the variable that holds the key; --no-key sends none",
    "plain-http": "--no-key sends no key; --allow-plain-http sends it where others can read it",
}


def blind_run_hints(path: Path) -> Hints:
    """What helps when the scores of the run at ``path`` are withheld."""

    def hints(refused: SurveyError) -> Iterator[str]:
        if refused.code == "scores-withheld":
            yield f"{_typed('complete', path)} ends the round; it needs everything decided"

    return hints


def open_items_hints(path: Path) -> Hints:
    """What helps when items of the run at ``path`` are open."""

    def hints(refused: SurveyError) -> Iterator[str]:
        if refused.code in _OPEN:
            yield f"{_typed('decide', path)} lists what is open"

    return hints


def run_hints(path: Path) -> Hints:
    """What helps when a run is given where a file belongs."""

    def hints(refused: SurveyError) -> Iterator[str]:
        if refused.code == "file-refused" and _is_run(path):
            yield f"this is a run: {_typed('decide', path)}, and likewise verify, complete, export"

    return hints


def _is_run(path: Path) -> bool:
    """Whether there is a run; a folder that cannot be looked at is none."""
    with suppress(OSError, ValueError):
        return (path / _MANIFEST).is_file()
    return False


_OPEN: Final = frozenset({"unresolved-review-item", "EXPORT_UNDECIDED", "EXPORT_FIELD_UNSETTLED"})


def disclosure_hints(refused: SurveyError) -> Iterator[str]:
    """What lets the findings of a scan leave, as options that can be typed."""
    if refused.code != "DISCLOSURE_REFUSED":
        return
    findings: list[dict[str, Any]] = refused.details.get("findings", [])
    decided = [one for one in findings if one["pointer"].startswith(_OF_AN_EXPORT)]
    inspected = [one for one in findings if one["pointer"].startswith(_OF_AN_INSPECTION)]
    if decided:
        yield (
            "what was decided cannot be allowed: decide again with another note "
            "(decide --replace --note TEXT)"
        )
    if inspected:
        yield (
            "leave out --include-prepared-text or --include-excerpts, or allow what export names "
            "as options: inspect takes the same"
        )
    apart = {id(one) for one in (*decided, *inspected)}
    yield from _as_options([one for one in findings if id(one) not in apart])


def _as_options(findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Findings in an envelope, each as the option that lets it leave."""
    if not findings:
        return
    yield (
        "what was extracted goes along as evidence, also of a value that is rejected: extract "
        "again without the text, or let it leave with"
    )
    for one in findings[:MOST_ROWS]:
        yield f"  --allow-disclosure {shlex.quote(one['rule'] + '@' + one['pointer'])}"
    if len(findings) > MOST_ROWS:
        yield f"  and {len(findings) - MOST_ROWS:,} more; --json lists all"


def _typed(word: str, path: Path) -> str:
    return shlex.join(["survey-fast", word, str(path)])
