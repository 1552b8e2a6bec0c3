"""Opening a queue: the snapshot of a round before anything is decided."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast import _core, limits
from survey_fast.attest.issue import sentence
from survey_fast.canon import Document, reading
from survey_fast.canon.arguments import text_argument
from survey_fast.errors import refusal
from survey_fast.imports import ImportResult
from survey_fast.limits import ImportLimits, resolved
from survey_fast.review.conditions import check_conditions

__all__ = ["open_review_queue"]

ItemsDocument: TypeAlias = "Document | Sequence[Mapping[str, Any]] | ImportResult"


def open_review_queue(
    items: ItemsDocument,
    *,
    reviewed_at: str,
    actor_id: str,
    presentation: Mapping[str, Any] | None = None,
    sampling: Mapping[str, Any] | None = None,
    limits: ImportLimits = limits.DEFAULT,
) -> dict[str, Any]:
    """The snapshot that a review round starts from.

    Args:
        items: the review items: plain data, the bytes of an array, or an import.
        reviewed_at: the time the round is opened under; nothing here reads a clock.
        actor_id: who reviews; ``unattributed`` where no reviewer is known.
        presentation: ``{"scoreBlind": bool}`` or nothing.
        sampling: ``{"kind": "queue"}``, or random-audit with rate and seed, or nothing.
        limits: caps.

    Returns:
        The snapshot as plain data, members in canonical order. It may be empty: a round
        without items can be opened, and cannot be bound.

    Raises:
        QueueError: an item or a candidate is named twice, or this is no array of items.
        AuditError: ``invalid-session-conditions``.
    """
    for name, value in (("reviewed_at", reviewed_at), ("actor_id", actor_id)):
        text_argument(name, value)
    check_conditions(presentation, sampling)
    with reading(items.items_bytes if isinstance(items, ImportResult) else _listed(items)) as raw:
        _, names, ambiguity, _ = _core.queue_outline(raw, "jcs", resolved(limits))
    if ambiguity is not None:
        code, item, twice = ambiguity
        raise refusal(code, sentence(code, item, twice), "")
    opened = json.loads(raw)
    if not isinstance(opened, list):
        message = "a round is opened over an array of items; this is a snapshot already"
        raise refusal("queue-malformed", message, "")
    snapshot: dict[str, Any] = {
        "activeItemName": names[0] if names else "",
        "actorId": actor_id,
        "decisionsByItemName": {},
        "editedValuesByItemName": {},
        "items": opened,
        "notesByItemName": {},
    }
    if presentation is not None:
        snapshot["presentation"] = dict(presentation)
    snapshot["reviewedAt"] = reviewed_at
    if sampling is not None:
        snapshot["sampling"] = dict(sampling)
    return snapshot


def _listed(items: Document | Sequence[Mapping[str, Any]]) -> Document:
    """Items in a tuple or another sequence as a plain list."""
    if isinstance(items, Sequence) and not isinstance(items, str | bytes | bytearray | memoryview):
        return [dict(item) if isinstance(item, Mapping) else item for item in items]
    return items
