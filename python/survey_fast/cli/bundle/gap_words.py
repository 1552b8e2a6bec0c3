"""Gaps of a trust report, in words that say what a reviewer did.

A report says of any evidence that does not pass the same. Where that evidence restores a review,
what was decided and by whom stand in it, and are told instead. Nothing in it is trusted for that:
what does not look like a review is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["finding"]

_DISPOSITIONS: Final = {"rejected": "rejected", "could_not_confirm": "could not be confirmed"}
_NOT_ACCEPTED: Final = "review-not-accepted"
_NOT_CHOSEN: Final = "candidate-not-chosen"


def finding(gap: Mapping[str, Any], evidence: Mapping[str, Mapping[str, Any]]) -> str:
    """The words of a gap; ``evidence`` is that of the bundle by id."""
    message = str(gap["message"])
    for name in gap.get("evidenceIds", ()):
        item = evidence.get(name, {})
        decided = _decided(item) if item.get("passing") is False else None
        if decided is not None:
            return decided
    return message


def _decided(item: Mapping[str, Any]) -> str | None:
    review = _at(item, "metadata", "reviewedExtraction")
    gaps = _at(review, "gaps")
    for gap in gaps if isinstance(gaps, list) else ():
        said = _said(gap)
        if said is not None:
            reviewer = _at(review, "input", "reviewDecision", "spec", "actor", "id")
            return f"{said} by {reviewer}" if isinstance(reviewer, str) else said
    return None


def _said(gap: object) -> str | None:
    kind = _at(gap, "kind")
    if kind == _NOT_ACCEPTED:
        disposition = _at(gap, "disposition")
        return _DISPOSITIONS.get(disposition) if isinstance(disposition, str) else None
    return "passed over for another value" if kind == _NOT_CHOSEN else None


def _at(value: object, *path: str) -> object:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
