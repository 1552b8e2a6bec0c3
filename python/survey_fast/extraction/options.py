"""What the caller of a run says: names and instants, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from survey_fast.extraction.chunk import CHUNK_OVERLAP, CHUNK_SIZE
from survey_fast.extraction.decoding import Errors
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.envelope import Wire
from survey_fast.extraction.proposal_identity import RowKey
from survey_fast.extraction.provider import Cancellation, ContentType
from survey_fast.limits import DEFAULT, ImportLimits

__all__ = ["CONTENT_UNITS", "RunOptions", "Stamp"]

CONTENT_UNITS: Final = 32_000
"""UTF-16 code units of a chunk that are sent, unless asked for otherwise."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a run cannot know by itself.

    Attributes:
        run_id: ``traverse-extraction-run:`` and a UUID of version 4, lower case.
        extracted_at: the instant, ISO 8601 with a zone.
        source_ref: what the source is called; relative or logical, never a path from a root.
        snapshot_ref: the snapshot that the source was taken from, if there is one.
    """

    run_id: str
    extracted_at: str
    source_ref: str
    snapshot_ref: str | None = None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is made. Sizes of text are UTF-16 code units.

    Attributes:
        content_type: what the source is.
        prep, charset, errors, truncate: as :func:`~survey_fast.extraction.prepare.prepare` takes
            them; unused when the source is prepared already.
        chunk_size, chunk_overlap: of the windows.
        max_chunks: windows to be read; ``None`` is all.
        max_content: of a chunk that are sent; the rest is reported as not read.
        budgets: how much may be asked, and how much of it at once.
        field_hints: a hint for some field paths.
        cancel: the sign to stop.
        on_answer: told how many chunks were asked about, and of how many.
        keep_prepared: given the artifact and the text; what it raises is a warning.
        row_key: what tells rows of a list apart, instead of the numbers in their paths.
        wire: the form of the envelope.
        limits: caps of the envelope.
    """

    content_type: ContentType = "text"
    prep: Literal["text"] | None = None
    charset: str | None = None
    errors: Errors = "strict"
    truncate: bool = False
    chunk_size: int = CHUNK_SIZE
    chunk_overlap: int = CHUNK_OVERLAP
    max_chunks: int | None = None
    max_content: int = CONTENT_UNITS
    budgets: Budgets = field(default_factory=Budgets)
    field_hints: Mapping[str, str] | None = None
    cancel: Cancellation | None = None
    on_answer: Callable[[int, int], object] | None = None
    keep_prepared: Callable[[Mapping[str, Any], str], object] | None = None
    row_key: RowKey | None = None
    wire: Wire = "current"
    limits: ImportLimits = DEFAULT
