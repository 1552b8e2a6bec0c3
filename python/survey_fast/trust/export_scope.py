"""What an export covers: who decided each claim, what was left out, and what did not hold.

1. ``complete`` is true when nothing was left out. What their evidence does not carry is listed
   beside it, since the claim was exported all the same.
2. A decision is attributed to the actor of the host's stamp on its own event. Without a stamp the
   round's own actor and time stand in, and the kind of actor says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from survey_fast.review.attribution import host_stamp
from survey_fast.review.shape import DECISION_EVENTS
from survey_fast.review.stream import Event
from survey_fast.trust.reviewed_export import ReviewedExport
from survey_fast.trust.settled import Exclusion

__all__ = [
    "History",
    "attributed_decisions",
    "deciding_events",
    "export_document",
    "export_scope",
]

Record: TypeAlias = Mapping[str, Any]
History: TypeAlias = Sequence[Event] | Mapping[str, Event]
"""Events in order, or of each item the one that decided it."""
_API_VERSION: Final = "survey-fast/v1"
_SYNTHETIC: Final = "legacy-synthetic-actor"


def attributed_decisions(
    results: Sequence[Record], claim_ids: Mapping[str, str], events: History
) -> list[dict[str, Any]]:
    """``{reviewItemName, claimId, actor, decidedAt, mode?}`` for each result that is exported.

    Args:
        results: results of a valid history.
        claim_ids: the claim of each exported item; other results are passed over.
        events: that history, in order, or the events of it that decided.
    """
    deciding = deciding_events(events)
    decisions = []
    for result in results:
        name = result["reviewItemName"]
        claim_id = claim_ids.get(name)
        if claim_id is None:
            continue
        spec, event = result["reviewDecision"]["spec"], deciding.get(name)
        stamp = None if event is None else host_stamp(event)
        entry: dict[str, Any] = {
            "reviewItemName": name,
            "claimId": claim_id,
            "actor": {
                "id": spec["actor"]["id"],
                "kind": _SYNTHETIC if stamp is None else stamp["actorKind"],
            },
            "decidedAt": spec["reviewedAt"],
        }
        if stamp is not None:
            entry["mode"] = stamp["mode"]
        decisions.append(entry)
    return decisions


def deciding_events(events: History) -> Mapping[str, Event]:
    """The event that decided each item: the last decision event about it.

    What takes a decision back decides nothing. Who asks twice of one history hands in the answer,
    which is its own.
    """
    if isinstance(events, Mapping):
        return events
    found: dict[str, Event] = {}
    for event in events:
        spec = event["spec"]
        if spec["eventType"] not in DECISION_EVENTS or "reviewItemName" not in spec:
            continue
        if "data" in spec and spec["data"].get("workbenchDecision") is not None:
            found[spec["reviewItemName"]] = event
    return found


def export_scope(
    export: ReviewedExport,
    *,
    revision: str,
    event_count: int,
    excluded: Sequence[Exclusion],
    decisions: Sequence[Record],
) -> dict[str, Any]:
    """The ``reviewRound`` member of an export."""
    scope: dict[str, Any] = {
        "apiVersion": _API_VERSION,
        "kind": "ReviewedExportScope",
        "revision": revision,
        "eventCount": event_count,
        "complete": not excluded,
        "excluded": [one.to_json() for one in excluded],
    }
    if export.refused:
        scope["groundingRefused"] = list(export.refused)
    if export.unchecked:
        scope["groundingUnchecked"] = list(export.unchecked)
    scope["decisions"] = list(decisions)
    return scope


def export_document(export: ReviewedExport, scope: Record) -> dict[str, Any]:
    """The bundle with its receipt and its scope around it; nothing is added to the bundle."""
    return {
        "apiVersion": _API_VERSION,
        "kind": "ReviewedExport",
        "bundle": export.bundle,
        "reviewedGrounding": export.grounding,
        "reviewRound": dict(scope),
    }
