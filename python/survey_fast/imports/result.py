"""What an import gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
        record: dict[str, Any] = json.loads(self.record_bytes)
        return record

    @cached_property
    def review_items(self) -> list[dict[str, Any]]:
        """The review items as plain data, in the order of their first proposal."""
        items: list[dict[str, Any]] = json.loads(self.items_bytes)
        return items

    @property
    def status(self) -> dict[str, Any]:
        """``state`` (grounded or unresolved), ``provenance`` and ``diagnostics``."""
        status: dict[str, Any] = self.record["status"]
        return status

    @property
    def is_grounded(self) -> bool:
        """Whether the items may be reviewed."""
        return bool(self.status["state"] == "grounded")

    @property
    def is_verified(self) -> bool:
        """Whether every excerpt was looked up in the prepared text."""
        return bool(self.status["provenance"] == "verified")
