"""The lines of a batch of decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from survey_fast.canon import Json
from survey_fast.cli.reading import Source, strict_json
from survey_fast.errors import SurveyError
from survey_fast.review.decide import Outcome

__all__ = ["Lines", "read_lines"]


@dataclass(frozen=True, slots=True)
class Lines:
    """What each line asks for, and why those that cannot be read cannot.

    Attributes:
        requests: one for each line; null, which is no request, for a line that is no JSON.
        unread: refusals by place from 0.
    """

    requests: Sequence[Json]
    unread: dict[int, SurveyError]

    def named(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The outcomes, those of unread lines with the reason why they were not read."""
        return [
            replace(outcome, error=self.unread[place]) if place in self.unread else outcome
            for place, outcome in enumerate(outcomes)
        ]


def read_lines(source: Source) -> Lines:
    """The requests of a batch, one JSON document a line; the last line feed may be missing."""
    lines = source.raw.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    requests: list[Json] = []
    unread: dict[int, SurveyError] = {}
    for place, line in enumerate(lines):
        request: Json = None
        try:
            request = strict_json(Source(source.name, line))
        except SurveyError as refused:
            refused.details["line"] = place + 1
            unread[place] = refused
        requests.append(request)
    return Lines(requests, unread)
