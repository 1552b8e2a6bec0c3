"""How much of its text an extraction read, counted by chunk.

A text longer than one call can take is cut into chunks. A chunk counts once, however many records
are about it, and is incomplete when any of them says so. Chunks that a limit kept from being sent
are either listed or only counted; those that are only counted are *dropped*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from survey_fast.errors import refusal

__all__ = ["coverage_summary", "require_whole_extraction"]

_COMPLETE: Final = "complete"
_UNREAD: Final = "unread"


def coverage_summary(result: Mapping[str, Any]) -> dict[str, int] | None:
    """``{chunkCount, incompleteChunkCount, droppedChunkCount?}``; nothing without coverage.

    Args:
        result: the ``result`` of an envelope that was checked.
    """
    listed = result.get("coverage")
    if not listed:
        return None
    chunks = {one["chunk"] for one in listed}
    incomplete = {one["chunk"] for one in listed if one["status"] != _COMPLETE}
    unread = {one["chunk"] for one in listed if one["status"] == _UNREAD}
    remaining = result.get("partial", {}).get("remainingChunks", 0)
    dropped = max(0, remaining - len(unread))
    summary = {
        "chunkCount": len(chunks) + dropped,
        "incompleteChunkCount": len(incomplete) + dropped,
    }
    return summary | {"droppedChunkCount": dropped} if dropped else summary


def require_whole_extraction(result: Mapping[str, Any]) -> None:
    """Refuse what was extracted from a part of the text.

    Raises:
        ExportError: ``EXPORT_COVERAGE_INCOMPLETE``; ``details`` holds ``reasons`` and, where the
            envelope tells it, the summary of :func:`coverage_summary`.
    """
    outcome, failures = result["outcome"], result.get("providerFailures", [])
    reasons = []
    if outcome["status"] != "success":
        reasons.append(outcome.get("reason") or outcome.get("code") or outcome["status"])
    if failures:
        reasons.append("provider-failure")
    if not reasons:
        return
    details: dict[str, Any] = {"reasons": list(dict.fromkeys(reasons))}
    summary = coverage_summary(result)
    if summary is not None:
        details["coverage"] = summary
    message = (
        f"the extraction did not read all of the text ({', '.join(details['reasons'])}), so what "
        "is missing cannot be told from what is not there; extract the whole text in a new run"
    )
    raise refusal("EXPORT_COVERAGE_INCOMPLETE", message, None, details)
