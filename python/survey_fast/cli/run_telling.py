"""What ``survey-fast run`` says about each source, and in the end."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from survey_fast.cli.extract_summary import tell_lost
from survey_fast.cli.hints import Hints, extraction_hints, noted
from survey_fast.cli.output import MOST_ROWS, Output, counted
from survey_fast.errors import SurveyError
from survey_fast.runs.make import Attempt, Recipe, free_number

__all__ = ["RunTelling"]

_NEXT: Final = ("decide", "verify", "export")


class RunTelling:
    """What became of each source, as it comes."""

    def __init__(self, output: Output, root: Path, recipe: Recipe, *, is_only: bool) -> None:
        self._output = output
        self._root = root
        self._recipe = recipe
        self._is_only = is_only
        self._made: dict[str, Mapping[str, Any]] = {}
        """The source that each run directory was made of."""

    def told(self, attempts: Iterator[Attempt]) -> int:
        """Answer and tell; the exit code."""
        bodies: list[dict[str, Any]] = []
        errors: list[SurveyError] = []
        for attempt in attempts:
            body = attempt.to_json()
            if attempt.error is not None:
                errors.append(noted(attempt.error, extraction_hints, self._another(attempt)))
            else:
                self._tell_twice(body)
            bodies.append(body)
            self._tell(attempt, body)
        _tell_next(self._output, [one["run"] for one in bodies if one["ok"]])
        counts: dict[str, Any] = {
            "items": bodies,
            "succeeded": len(bodies) - len(errors),
            "failed": len(errors),
        }
        if errors:
            self._output.refuse(errors[0], None if self._is_only else counts)
            return errors[0].exit_code
        self._output.answer({"ok": True, **(bodies[0]["run"] if self._is_only else counts)})
        return 0

    def _tell_twice(self, body: dict[str, Any]) -> None:
        """A source whose bytes another one had is the same run, which ``sameAs`` says."""
        first = self._made.setdefault(body["run"]["runDirectory"], body)
        if first is not body:
            body["sameAs"] = first["id"]
            is_given_twice = first["source"] == body["source"]
            why = "given twice" if is_given_twice else f"its bytes are those of {first['source']}"
            self._output.line(f"{body['source']}: {why}, so it is the same run")

    def _tell(self, attempt: Attempt, body: Mapping[str, Any]) -> None:
        """One source, for people."""
        output = self._output
        if not body["ok"]:
            if not self._is_only:
                error = body["error"]
                output.line(f"{body['source']}: {error['code']}: {error['message']}", "bad")
            return
        run = body["run"]
        if "sameAs" in body:
            return
        output.line(f"{body['source']}: {_came_to(run)}", "good")
        output.line(f"  {run['runDirectory']}")
        if run["reused"] and not output.as_json:
            for hint in self._numbered(attempt):
                output.line(f"  {hint}")
        tell_lost(output, run)
        _tell_disclosures(output, run["disclosures"]["findings"])

    def _another(self, attempt: Attempt) -> Hints:
        """What helps when something else stands in the place of the run."""

        def hints(refused: SurveyError) -> Iterator[str]:
            if refused.code == "RUN_EXISTS_DIFFERENT" and not self._output.as_json:
                yield from self._numbered(attempt)

        return hints

    def _numbered(self, attempt: Attempt) -> Iterator[str]:
        """How to make another run of the same, where that can be said."""
        with suppress(SurveyError):
            number = free_number(self._root, attempt.source, self._recipe)
            if number is not None:
                yield f"--again {number} makes another of the same beside it, with these options"


def _tell_disclosures(output: Output, findings: Sequence[Mapping[str, Any]]) -> None:
    if not findings:
        return
    count = counted(len(findings), "text")
    output.line(f"  {count} must not leave this machine; an export will be refused:", "bad")
    for one in findings[:MOST_ROWS]:
        output.line(f"    {one['rule']} at {one['pointer']}")
    if len(findings) > MOST_ROWS:
        output.line(f"    and {len(findings) - MOST_ROWS:,} more; --json lists all")
    first = findings[0]
    allowed = shlex.quote(f"{first['rule']}@{first['pointer']}")
    output.line(f"  export --allow-disclosure RULE@POINTER lets one leave, such as {allowed}")


def _came_to(run: Mapping[str, Any]) -> str:
    items = counted(run["itemCount"], "item")
    conflicts = f", {run['conflicts']:,} of them in conflict" if run["conflicts"] else ""
    to_review = f"{items} to review{conflicts}" if run["itemCount"] else "nothing to review"
    found = f"{counted(run['proposalCount'], 'proposal')}, {to_review}"
    again = f", again {run['again']}" if "again" in run else ""
    if not run["reused"]:
        return f"{found}{again}"
    events = counted(int(run["revision"].partition(":")[0]), "event")
    return f"this run was made before ({found}{again}; {events}); nothing was extracted"


def _tell_next(output: Output, runs: Sequence[Mapping[str, Any]]) -> None:
    """What can be done with the first run in which there is something to decide."""
    paths = list(dict.fromkeys(run["runDirectory"] for run in runs if run["itemCount"]))
    if not paths:
        return
    output.line()
    output.line("Next:")
    for word in _NEXT:
        output.line(f"  {shlex.join(['survey-fast', word, paths[0]])}")
    if len(paths) > 1:
        output.line(f"  and likewise for the other {len(paths) - 1}")
