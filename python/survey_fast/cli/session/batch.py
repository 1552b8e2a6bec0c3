"""The lines of a batch of decisions: one JSON object a line, blank lines between them or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from survey_fast.canon import Json
from survey_fast.cli.reading import Source, strict_json
from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decide import Outcome

__all__ = ["Lines", "read_lines"]


@dataclass(frozen=True, slots=True)
class Lines:
    """What each line asks for, and why those that cannot be read cannot.

    Attributes:
        requests: one for each line; null, which is no request, for a line that is no JSON.
        unread: refusals by place from 0.
        numbers: the line that each stands on, counted from 1, where lines were passed over.
    """

    requests: Sequence[Json]
    unread: dict[int, SurveyError]
    numbers: Sequence[int] | None = None

    def named(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """The outcomes by line, those of unread lines with the reason why they were not read."""
        return [
            replace(
                outcome,
                line=outcome.line if self.numbers is None else self.numbers[place],
                error=self.unread.get(place, outcome.error),
            )
            for place, outcome in enumerate(outcomes)
        ]


def read_lines(source: Source) -> Lines:
    """The requests of a batch, one JSON object a line; the last line feed may be missing."""
    requests: list[Json] = []
    unread: dict[int, SurveyError] = {}
    numbers: list[int] = []
    for number, line in enumerate(source.raw.split(b"\n"), 1):
        if not line.strip(b" \t\r"):
            continue
        request: Json = None
        try:
            request = _object(strict_json(Source(source.name, line)))
        except SurveyError as refused:
            refused.details["line"] = number
            unread[len(requests)] = refused
        requests.append(request)
        numbers.append(number)
    return Lines(requests, unread, numbers)


def _object(request: Json) -> Json:
    """The request, once it is known not to be a whole batch written as one array."""
    if isinstance(request, list):
        message = "a batch has one object a line, and no array around them"
        raise refusal("decision-malformed", message, "")
    return request
