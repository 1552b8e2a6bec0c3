"""The deterministic provider of a task: the first place where a label stands decides.

1. Of each projection the first ``label: value`` of a chunk is taken, value up to the line feed,
   anywhere in a line, exact case. A carriage return is part of the value's line.
2. The value is trimmed and read as the type that the field declares. One that cannot be read
   ends the run: a rule that finds something else than its field holds is a wrong task.
3. Proposals come in the order of the text, then of their field paths.
4. A line that the end of a chunk cuts is left to the next chunk, if that shows it from its label
   on. Otherwise its value is proposed as far as it was seen, with a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import trim
from survey_fast.errors import JsonError, SurveyError, refusal
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    ExtractionRequest,
    ProviderOutput,
    Raw,
    draft,
)
from survey_fast.extraction.target_schema import fits
from survey_fast.extraction.task import Projection
from survey_fast.extraction.units import units_of

__all__ = ["OFFLINE_NAME", "OfflineProvider"]

OFFLINE_NAME: Final = "survey-fast-deterministic-v1"
_RESPONSE: Final = "read by the rules of the task"


class OfflineProvider:
    """Reads by the projections of a task; no network, no chance, no clock."""

    name: str = OFFLINE_NAME
    capabilities: Capabilities | None = Capabilities(frozenset(CAPABILITIES))

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = tuple(projections)

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """One proposal at most for each projection.

        Raises:
            ExtractionError: ``EXTRACTION_FAILED``: a value is not of its field's type;
                ``details["fieldPath"]`` names the field.
        """
        fields = {one["path"]: one for one in request.target_schema}
        found: list[tuple[int, int, bytes, dict[str, Any]]] = []
        notes: list[str] = []
        for one in self._projections:
            span = _first(request.content, f"{one.label}: ")
            if span is None or one.field_path not in fields:
                continue
            start, value, end = span
            excerpt = request.content[start:end]
            if request.shown_again is not None and end == len(request.content):
                if units_of(excerpt) <= request.shown_again:
                    continue
                notes.append(
                    f"the value of {one.field_path} goes on beyond its chunk; larger chunks hold it"
                )
            proposal = draft(
                one.field_path,
                _read(trim(request.content[value:end]), fields[one.field_path]),
                excerpt,
                extractor=self.name,
                confidence=1,
            )
            path = one.field_path.encode("utf-16-be", "surrogatepass")
            found.append((start, end, path, proposal))
        found.sort(key=lambda one: one[:3])
        return ProviderOutput(
            [one[3] for one in found],
            Raw(_RESPONSE, self.name, "configured", tokens_used=0),
            tuple(notes),
        )


def _first(content: str, label: str) -> tuple[int, int, int] | None:
    """Start of the label, start and end of what follows it on its line, which is never nothing."""
    start = content.find(label)
    while start >= 0:
        value = start + len(label)
        end = content.find("\n", value)
        if end < 0:
            end = len(content)
        if end > value:
            return start, value, end
        start = content.find(label, start + 1)
    return None


def _read(written: str, field: Mapping[str, Any]) -> object:
    kind = field["type"]
    if kind in {"string", "date"}:
        return written
    value: object = written if kind == "enum" else _json(written, field)
    if not fits(value, field):
        raise _misfit(field)
    return value


def _json(written: str, field: Mapping[str, Any]) -> object:
    try:
        return plain_data(canonical_json(written))
    except JsonError:
        raise _misfit(field) from None


def _misfit(field: Mapping[str, Any]) -> SurveyError:
    message = (
        f"what stands behind a label cannot be read as {field['type']}; correct the pattern of "
        "the field, or its type"
    )
    return refusal("EXTRACTION_FAILED", message, details={"fieldPath": field["path"]})
