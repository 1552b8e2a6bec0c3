"""Every place where a label of a task stands: where ``offline`` takes the first of a chunk.

1. Every ``label: value`` is proposed, value up to the line feed, anywhere in a line, exact case.
   Where a label stands again with another value, both are proposed, and the item is a conflict.
2. A place belongs to the last chunk that shows where its label begins, so each is proposed once.
   A value that the end of its chunk cuts is proposed as far as it was seen, with a note.
3. Places of a field with one ``[]`` in its path are rows, numbered from 0 in the order of the text.
   A chunk does not know how many rows there were before it, so the rows of the second chunk start
   at 10,000, those of the third at 20,000.
4. A number may have grouping commas, and yes and no are true and false; what does not read as its
   type stays the text that it is, and says so in its evidence. A blank value is none.
5. Proposals come in the order of the text, then of their field paths; no confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import trim
from survey_fast.errors import JsonError
from survey_fast.extraction.label_places import label_places
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    DraftProposal,
    ExtractionRequest,
    ProviderOutput,
    Raw,
    draft,
)
from survey_fast.extraction.providers.pattern import Ranks, read_as, reading_of
from survey_fast.extraction.target_schema import fits
from survey_fast.extraction.task import Projection
from survey_fast.extraction.units import Units

__all__ = ["EVERY_LABEL_NAME", "ROWS_OF_A_CHUNK", "EveryLabelProvider"]

EVERY_LABEL_NAME: Final = "survey-fast-every-label-v1"
ROWS_OF_A_CHUNK: Final = 10_000
"""More than the shortest label and value find room for in what is sent of a chunk."""

_RESPONSE: Final = "read by the rules of the task"
_STRUCTURED: Final = frozenset({"array", "object"})


class EveryLabelProvider:
    """Reads by the projections of a task, every place of each; no network, no chance, no clock."""

    name: str = EVERY_LABEL_NAME
    capabilities: Capabilities | None = Capabilities(frozenset(CAPABILITIES))

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = tuple(projections)

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """A proposal for each place that belongs to the chunk. Raises nothing."""
        fields = {one["path"]: one for one in request.target_schema}
        chunk = _Chunk(request)
        found: list[tuple[int, int, bytes, DraftProposal]] = []
        for one in self._projections:
            if one.field_path in fields:
                path = one.field_path.encode("utf-16-be", "surrogatepass")
                places = chunk.proposed(one, fields[one.field_path], self.name)
                found += [(start, end, path, proposal) for start, end, proposal in places]
        found.sort(key=lambda one: one[:3])
        return ProviderOutput(
            [one[3] for one in found],
            Raw(_RESPONSE, self.name, "configured", tokens_used=0),
            tuple(chunk.notes),
        )


class _Chunk:
    """One chunk, and what is to be said about it."""

    def __init__(self, request: ExtractionRequest) -> None:
        self._content = request.content
        self._ranks = Ranks(request.content)
        self._first_row = request.chunk_index * ROWS_OF_A_CHUNK
        self._is_cut = request.shown_again is not None
        self._own_end = _own_end(request)
        self.notes: list[str] = []

    def proposed(
        self, one: Projection, field: Mapping[str, Any], extractor: str
    ) -> Iterator[tuple[int, int, DraftProposal]]:
        """Start, end and proposal of each place of a field."""
        is_row = one.field_path.count("[]") == 1
        row = self._first_row
        for start, value, end in label_places(self._content, one.label):
            if start >= self._own_end:
                return
            written = trim(self._content[value:end])
            if not written:
                continue
            if self._is_cut and end == len(self._content):
                self.notes.append(
                    f"the value of {one.field_path} goes on beyond its chunk; larger chunks hold it"
                )
            path = one.field_path.replace("[]", f"[{row}]") if is_row else one.field_path
            row += 1
            quoted = self._content[start:end]
            excerpt = trim(quoted)
            rank = self._ranks.rank(excerpt, start + quoted.index(excerpt))
            rest = {} if rank is None else {"occurrenceHint": rank}
            read = _read(written, field)
            yield start, end, draft(path, read, excerpt, extractor=extractor, **rest)


def _own_end(request: ExtractionRequest) -> int:
    """Rule 2: the index of the character at which the next chunk begins."""
    content = request.content
    if not request.shown_again:
        return len(content)
    units = Units(content)
    return units.character(units.whole(max(0, units.length - request.shown_again)))


def _read(written: str, field: Mapping[str, Any]) -> object:
    if field["type"] not in _STRUCTURED:
        return read_as(written, reading_of(field["type"]))
    try:
        value = plain_data(canonical_json(written))
    except JsonError:
        return written
    return value if fits(value, field) else written
