"""Stored import records: validation, the items they derive, export and identity.

What validation cannot see: a record from which mismatch diagnostics were deleted is another
coherent record, and an edited proposal is just another proposal. Keeping a record intact is the
duty of whoever stores it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from survey_fast import _core, limits
from survey_fast.canon import Document, plain_data, reading
from survey_fast.canon.arguments import index_argument, text_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import refusal
from survey_fast.imports.result import ImportResult
from survey_fast.limits import ITEMS, ImportLimits, resolved

__all__ = [
    "RecordDocument",
    "ResolutionIdentity",
    "excluded_indices",
    "export_import",
    "reading_record",
    "reimport",
    "resolution_identity",
    "review_items",
    "span_matches",
    "validate_import",
]

RecordDocument: TypeAlias = "Document | ImportResult"
"""An import record as a document, or the result of an import, of which the record counts."""


@contextmanager
def reading_record(record: RecordDocument) -> Iterator[bytes]:
    """The bytes of a record, not validated, for as long as they are worked on."""
    if isinstance(record, ImportResult):
        yield record.record_bytes
    else:
        with reading(record) as raw:
            yield raw


def validate_import(
    record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT
) -> dict[str, Any]:
    """A copy of an import record that validates.

    Raises:
        JsonError, EnvelopeError: the record or its envelope breaks its format.
        ImportRefusedError: ``import-provenance-missing``, ``import-status-incoherent``,
            ``import-target-invalid``.
    """
    with collector_paused():
        copy: Any = plain_data(export_import(record, limits=limits))
    return dict(copy)


def review_items(
    record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT
) -> list[dict[str, Any]]:
    """The review items of a record, none when it is unresolved. Raises as validate_import."""
    with reading_record(record) as raw:
        derived = _core.record_items(raw, resolved(limits))
    with collector_paused():
        items: Any = plain_data(derived)
    return list(items)


def export_import(record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT) -> bytes:
    """The canonical text (``jcs``) of a record that validates."""
    with reading_record(record) as raw:
        return _core.check_record(raw, resolved(limits))


def reimport(text: bytes | str, *, limits: ImportLimits = limits.DEFAULT) -> dict[str, Any]:
    """The record of an exported text; the inverse of :func:`export_import`."""
    return validate_import(
        text if isinstance(text, bytes) else text_argument("text", text), limits=limits
    )


def excluded_indices(record: RecordDocument, *, limits: ImportLimits = limits.DEFAULT) -> list[int]:
    """Proposals that the import left out because their excerpt is not at its span, ascending."""
    with reading_record(record) as raw:
        return _core.excluded_proposals(raw, resolved(limits))


def span_matches(text: str, start: int, end: int, excerpt: str) -> bool:
    """Whether the UTF-16 code units ``start`` to ``end`` (exclusive) of ``text`` are ``excerpt``.

    No folding and no search elsewhere; a span that cuts a surrogate pair never matches.
    """
    bounds = index_argument("start", start), index_argument("end", end)
    if not 0 <= bounds[0] <= bounds[1] <= len(text) * 2:
        return False
    return _core.span_matches(text_argument("text", text), [(*bounds, excerpt)])[0]


@dataclass(frozen=True, slots=True)
class ResolutionIdentity:
    """Names for the evidence and the event of resolving one proposal."""

    evidence_id: str
    event_id: str


def resolution_identity(
    record: RecordDocument,
    index: int,
    *,
    new_uuid: Callable[[], str],
    limits: ImportLimits = limits.DEFAULT,
) -> ResolutionIdentity:
    """Fresh ids for resolving proposal ``index``: its own hash and one new UUID for both.

    Args:
        record: the import record.
        index: the proposal, merged or excluded as it may be.
        new_uuid: gives the text of a random UUID (version 4), such as
            ``lambda: str(uuid.uuid4())``; called once.
        limits: caps.

    Raises:
        ImportRefusedError: ``import-proposal-unknown``: there is no such proposal.
        TypeError: ``index`` is not an int.
    """
    if not 0 <= index_argument("index", index) < ITEMS.ceiling:
        message = f"no import holds a proposal of index {index}"
        raise refusal("import-proposal-unknown", message, "")
    with reading_record(record) as raw:
        base = _core.resolution_base(raw, index, resolved(limits))
    fresh = new_uuid()
    return ResolutionIdentity(
        evidence_id=f"survey.extraction.{base}.resolution-evidence.{fresh}",
        event_id=f"survey.extraction.{base}.resolution-event.{fresh}",
    )
