"""What an import gives back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import ENVELOPE

__all__ = ["ImportResult"]


@dataclass(frozen=True)
class ImportResult:
    """An import record and the review items it derives.

    The two byte strings are the import: canonical JSON (``jcs``), no final newline. The plain
    data below is read from them when it is first asked for; changing it changes neither.

    Attributes:
        record_bytes: the import record.
        items_bytes: the array of review items; ``[]`` when the import is unresolved.
    """

    record_bytes: bytes
    items_bytes: bytes

    @cached_property
    def record(self) -> dict[str, Any]:
        """The import record as plain data."""
        with collector_paused():
            record: Any = plain_data(self.record_bytes)
        return dict(record)

    @cached_property
    def review_items(self) -> list[dict[str, Any]]:
        """The review items as plain data, in the order of their first proposal."""
        with collector_paused():
            items: Any = plain_data(self.items_bytes)
        return list(items)

    @cached_property
    def status(self) -> dict[str, Any]:
        """``state`` (grounded or unresolved), ``provenance`` and ``diagnostics``."""
        # The rest of a record is large and not asked for.
        text = _core.member_texts(self.record_bytes, ["status"], ENVELOPE.ceiling)[0]
        status: Any = plain_data(text or b"{}")
        return dict(status)

    @property
    def is_grounded(self) -> bool:
        """Whether the items may be reviewed."""
        return bool(self.status["state"] == "grounded")

    @property
    def is_verified(self) -> bool:
        """Whether every excerpt was looked up in the prepared text."""
        return bool(self.status["provenance"] == "verified")
