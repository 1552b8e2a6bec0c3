"""A run's queue and the envelope that it derives from, held against one another in one call.

The native core looks at both at once, while the interpreter is free, and says what it found when
the queue is, to the byte, what the envelope imports to and both are canonical as stored: nothing
that was read or derived for one check is read or derived again for the next. In every other case
it says nothing, and the parts are read one after another, in the order in which faults are told.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.attest.binding import CANONICALIZATION
from survey_fast.canon import data_json, plain_data
from survey_fast.imports import ImportResult
from survey_fast.limits import resolved
from survey_fast.runs.caps import RAISED
from survey_fast.runs.identity import SOURCE_KIND
from survey_fast.runs.manifest import Manifest

__all__ = ["DerivedImport", "DerivedRound", "derived_round"]

DerivedRound = _core.DerivedRound
"""What is known of a queue and its envelope."""


def derived_round(
    manifest: Manifest, *, queue: bytes, envelope: bytes, prepared: bytes | None
) -> DerivedRound | None:
    """What is known of a queue that is what its envelope derives, if that is seen at once.

    Args:
        manifest: what the run is. Its digests and names are held against nothing yet.
        queue: the snapshot, as stored.
        envelope: the envelope, as stored.
        prepared: the prepared text, where it was read.
    """
    bound, binding = manifest.extraction, manifest.binding
    if bound is None or binding is None:
        return None
    if binding["spec"].get("canonicalization") != CANONICALIZATION:
        return None
    targets: dict[str, Any] = dict(manifest.task.claim_targets())
    status = data_json(bound["importStatus"]) if prepared is None else None
    return _core.derived_round(
        queue,
        envelope,
        prepared,
        SOURCE_KIND,
        data_json(targets),
        manifest.import_name,
        manifest.namespace,
        status,
        resolved(RAISED),
    )


class DerivedImport(ImportResult):
    """The import of an envelope whose items stand in a queue; written out when it is asked for."""

    _derived: DerivedRound

    def __init__(self, derived: DerivedRound) -> None:
        object.__setattr__(self, "_derived", derived)

    @cached_property
    def record_bytes(self) -> bytes:
        """The import record."""
        return self._derived.record

    @cached_property
    def items_bytes(self) -> bytes:
        """The array of review items."""
        return self._derived.items

    @cached_property
    def status(self) -> dict[str, Any]:
        """``state`` (grounded or unresolved), ``provenance`` and ``diagnostics``."""
        status: Any = plain_data(self._derived.status)
        return dict(status)
