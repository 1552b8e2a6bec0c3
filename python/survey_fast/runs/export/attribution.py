"""Each exported decision is the one that its event records, by the reviewer the host stamped.

1. The event that decided an item is the last decision event about it.
2. With a host's stamp, actor and time of the event are the ones that the decision carries, and
   kind of actor, name and mode belong together.
3. Without a stamp nothing is claimed, and nothing is held against it: the export then says that
   its actor is a stand-in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast.errors import SurveyError, refusal
from survey_fast.review.attribution import host_stamp, is_reviewer, stamp_fault
from survey_fast.review.decisions import kind_of
from survey_fast.review.shape import DECISION_EVENTS
from survey_fast.review.stream import Event

__all__ = ["require_attribution"]

Record: TypeAlias = Mapping[str, Any]


def require_attribution(results: Sequence[Record], events: Sequence[Event]) -> None:
    """Hold every result against the event that decided it.

    Args:
        results: what a valid history came to.
        events: that history.

    Raises:
        RunError: ``REVIEW_ATTRIBUTION_INVALID``; ``details`` names item and event.
    """
    deciding = _deciding(events)
    for result in results:
        event = deciding.get(result["reviewItemName"])
        if event is None:
            continue
        fault = stamp_fault(event["metadata"].get("producer") or {}) or _disagreement(event, result)
        if fault is not None:
            raise _invalid(event, fault)


def _deciding(events: Sequence[Event]) -> dict[str, Event]:
    """Rule 1. What takes a decision back decides nothing."""
    found = {}
    for event in events:
        spec = event["spec"]
        decides = spec.get("data", {}).get("workbenchDecision") is not None
        if decides and spec["eventType"] in DECISION_EVENTS and "reviewItemName" in spec:
            found[spec["reviewItemName"]] = event
    return found


def _disagreement(event: Event, result: Record) -> str | None:
    stamp = host_stamp(event)
    if stamp is None:
        return None
    spec, decision = event["spec"], result["reviewDecision"]["spec"]
    actor = spec.get("actor", {}).get("id")
    if not isinstance(actor, str) or not is_reviewer(actor, stamp["actorKind"]):
        return "it names no reviewer of the kind it states"
    if (stamp["actorKind"] == "agent") is not (stamp["mode"] == "agent"):
        return "agents decide in the mode of agents, and nobody else does"
    if decision["actor"]["id"] != actor or decision["reviewedAt"] != spec["occurredAt"]:
        return "the decision carries another actor or time"
    kind = kind_of(spec["data"]["workbenchDecision"])
    named = spec.get("candidateId", result.get("selectedCandidateId"))
    if (
        kind is None
        or kind.name != result["decision"]
        or named != result.get("selectedCandidateId")
    ):
        return "the decision is another one than the event records"
    return None


def _invalid(event: Event, fault: str) -> SurveyError:
    name = event["metadata"]["name"]
    message = f"the host's stamp on the event {name} does not hold: {fault}"
    details = {"eventName": name, "reviewItemName": event["spec"]["reviewItemName"]}
    return refusal("REVIEW_ATTRIBUTION_INVALID", message, None, details)
