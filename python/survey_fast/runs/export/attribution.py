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
from survey_fast.review.decisions import KINDS
from survey_fast.review.stream import Event
from survey_fast.trust.export_scope import History, deciding_events

__all__ = ["require_attribution"]

Record: TypeAlias = Mapping[str, Any]


def require_attribution(results: Sequence[Record], events: History) -> None:
    """Hold every result against the event that decided it.

    Args:
        results: what a valid history came to.
        events: that history, or the events of it that decided.

    Raises:
        RunError: ``REVIEW_ATTRIBUTION_INVALID``; ``details`` names item and event.
    """
    deciding = deciding_events(events)
    for result in results:
        event = deciding.get(result["reviewItemName"])
        producer = None if event is None else event["metadata"].get("producer")
        if event is None or not producer:
            continue
        fault = stamp_fault(producer) or _disagreement(event, result)
        if fault is not None:
            raise _invalid(event, fault)


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
    kind, chosen = result["decision"], result.get("selectedCandidateId")
    is_same = spec["data"]["workbenchDecision"] == kind and kind in KINDS
    if not is_same or spec.get("candidateId", chosen) != chosen:
        return "the decision is another one than the event records"
    return None


def _invalid(event: Event, fault: str) -> SurveyError:
    name = event["metadata"]["name"]
    message = f"the host's stamp on the event {name} does not hold: {fault}"
    details = {"eventName": name, "reviewItemName": event["spec"]["reviewItemName"]}
    return refusal("REVIEW_ATTRIBUTION_INVALID", message, None, details)
