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
from survey_fast.extraction.label_places import label_places
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
from survey_fast.extraction.units import Units, units_of

__all__ = ["OFFLINE_NAME", "OfflineProvider"]

OFFLINE_NAME: Final = "survey-fast-deterministic-v1"
_RESPONSE: Final = "read by the rules of the task"
_SHOWN: Final = 60
"""Characters of a value that are told of one that cannot be read."""
_SAID: Final[Mapping[str, str]] = {
    "number": "a number",
    "boolean": "true or false",
    "enum": "a text",
    "array": "a JSON array",
    "object": "a JSON object",
}


class OfflineProvider:
    """Reads by the projections of a task; no network, no chance, no clock."""

    name: str = OFFLINE_NAME
    capabilities: Capabilities | None = Capabilities(frozenset(CAPABILITIES))

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = tuple(projections)

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """One proposal at most for each projection.

        Raises:
            ExtractionError: ``EXTRACTION_FAILED``: a value is not of its field's type; ``details``
                holds ``fieldPath``, ``label``, ``type``, ``locator`` in the prepared text, and the
                ``text``, its first 60 characters if it is longer.
        """
        fields = {one["path"]: one for one in request.target_schema}
        found: list[tuple[int, int, bytes, dict[str, Any]]] = []
        notes: list[str] = []
        for one in self._projections:
            place = next(label_places(request.content, one.label), None)
            if place is None or one.field_path not in fields:
                continue
            start, value, end = place
            excerpt = request.content[start:end]
            if request.shown_again is not None and end == len(request.content):
                if units_of(excerpt) <= request.shown_again:
                    continue
                notes.append(
                    f"the value of {one.field_path} goes on beyond its chunk; larger chunks hold it"
                )
            field = fields[one.field_path]
            written = trim(request.content[value:end])
            try:
                read = _read(written, field)
            except _MisfitError:
                raise _misfit(one.label, field, written, (request, start, end)) from None
            proposal = draft(one.field_path, read, excerpt, extractor=self.name, confidence=1)
            path = one.field_path.encode("utf-16-be", "surrogatepass")
            found.append((start, end, path, proposal))
        found.sort(key=lambda one: one[:3])
        return ProviderOutput(
            [one[3] for one in found],
            Raw(_RESPONSE, self.name, "configured", tokens_used=0),
            tuple(notes),
        )


class _MisfitError(Exception):
    pass


def _read(written: str, field: Mapping[str, Any]) -> object:
    kind = field["type"]
    if kind in {"string", "date"}:
        return written
    value: object = written if kind == "enum" else _json(written)
    if not fits(value, field):
        raise _MisfitError
    return value


def _json(written: str) -> object:
    try:
        return plain_data(canonical_json(written))
    except JsonError:
        raise _MisfitError from None


def _misfit(
    label: str, field: Mapping[str, Any], written: str, place: tuple[ExtractionRequest, int, int]
) -> SurveyError:
    request, start, end = place
    units = Units(request.content)
    locator = f"chars:{request.start + units.at(start)}-{request.start + units.at(end)}"
    kind = field["type"]
    is_listed = kind == "enum" and bool(field.get("enumValues"))
    what = "none of the words that it may be" if is_listed else f"not {_SAID[kind]}"
    message = (
        f"the value of {field['path']}, behind {label!r} at {locator}, is {what}; correct the "
        "label of the field, or its type"
    )
    details = {
        "fieldPath": field["path"],
        "label": label,
        "type": kind,
        "locator": locator,
        "text": written if len(written) <= _SHOWN else f"{written[: _SHOWN - 1]}…",
    }
    return refusal("EXTRACTION_FAILED", message, details=details)
