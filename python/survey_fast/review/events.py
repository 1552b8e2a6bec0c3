"""Building events: what a decision writes into the history.

1. Per item: a ``note-changed`` when there is a note, then ``decision-changed`` and
   ``decision-submitted``. A decision event names item, decision, candidate (unless the decision
   is about several) and status, and carries the kind in its data.
2. Where the session declares conditions, every decision event is stamped with them, clear
   events included: work done sighted can then never pass for blind work.
3. Nothing is built that replay would refuse: reason, candidate and kind are checked first.
4. ``session-completed`` is written only when every item is decided or was resolved before the
   review.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon.text import has_content
from survey_fast.errors import refusal
from survey_fast.review.decisions import (
    KINDS,
    Item,
    item_name,
    kind_of,
    named_candidate,
)
from survey_fast.review.open_items import is_complete
from survey_fast.review.shape import check_snapshot, require_json
from survey_fast.review.state import ABSENT, Decided, State, conditions_stamp, decided

__all__ = [
    "EventWriter",
    "build_review_session_events",
    "clear_event_parts",
    "decision_event_parts",
]

_API_VERSION: Final = "survey.kontourai.io/v1alpha1"
Parts = tuple[str, dict[str, Any]]
"""An event type and the members of its spec that go with it."""


@dataclass(slots=True)
class EventWriter:
    """Numbers and names events of one session.

    Attributes:
        session_name: the session they belong to.
        actor_id: who; a host replaces it by its own stamp.
        occurred_at: when; likewise.
        sequence: of the last event written.
    """

    session_name: str
    actor_id: str
    occurred_at: str
    sequence: int = 0

    def write(self, parts: Parts) -> dict[str, Any]:
        """The next event."""
        self.sequence += 1
        kind, members = parts
        return {
            "apiVersion": _API_VERSION,
            "kind": "ReviewSessionEvent",
            "metadata": {"name": f"{self.session_name}-{self.sequence:04d}-{kind}"},
            "spec": {
                "sessionName": self.session_name,
                "sequence": self.sequence,
                "eventType": kind,
                "occurredAt": self.occurred_at,
                "actor": {"id": self.actor_id},
                **members,
            },
        }


def decision_event_parts(
    item: Item, decision: Decided, stamp: Mapping[str, Any] | None
) -> Iterator[Parts]:
    """The events of one decision, unnumbered.

    Raises:
        DecisionError: ``reason-missing``, ``decision-not-recordable`` or
            ``invalid-conflict-selection``; nothing was yielded then.
    """
    kind = kind_of(decision.kind)
    if kind is None:
        message = f"{decision.kind!r} is no decision kind"
        raise refusal("decision-malformed", message, "/decision", {"itemName": item_name(item)})
    reason = decision.note if decision.reason is None else decision.reason
    if kind.resolution is not None and not has_content(reason):
        message = "could-not-confirm says why: give a note that is not blank"
        raise refusal("reason-missing", message, "/note", {"itemName": item_name(item)})
    candidate = named_candidate(item, decision.kind, decision.candidate_id)
    members = _decision_members(item, decision, stamp)
    if candidate is not None:
        members["candidateId"] = candidate["id"]
    if kind.resolution is not None:
        members["resolution"] = kind.resolution
        members["resolutionReason"] = reason
        if decision.attempt_evidence_ids:
            members["attemptEvidenceIds"] = list(decision.attempt_evidence_ids)
    if decision.note:
        note = {"reviewItemName": item_name(item), "rationale": decision.note}
        yield "note-changed", note
    yield "decision-changed", members
    yield "decision-submitted", members | ({"rationale": decision.note} if decision.note else {})


def _decision_members(
    item: Item, decision: Decided, stamp: Mapping[str, Any] | None
) -> dict[str, Any]:
    data: dict[str, Any] = {"workbenchDecision": decision.kind}
    if decision.kind == "accept-proposed" and decision.edited_value is not ABSENT:
        data["workbenchEditedValue"] = decision.edited_value
    if decision.kind == "could-not-confirm" and decision.attempt_evidence_ids:
        data["attemptEvidenceIds"] = list(decision.attempt_evidence_ids)
    if stamp is not None:
        data["sessionConditions"] = dict(stamp)
    name = item_name(item)
    return {
        "reviewItemName": name,
        "reviewDecisionName": f"{name}-{decision.kind}",
        "status": KINDS[decision.kind].status,
        "data": data,
    }


def clear_event_parts(item: Item, stamp: Mapping[str, Any] | None) -> Parts:
    """The event that takes a decision back, unnumbered; the note stays."""
    data: dict[str, Any] = {"workbenchDecision": None}
    if stamp is not None:
        data["sessionConditions"] = dict(stamp)
    return "decision-changed", {"reviewItemName": item_name(item), "data": data}


def build_review_session_events(state: State, *, session_name: str) -> list[dict[str, Any]]:
    """The events that lead from the bare queue to ``state``, numbered from 1.

    Raises:
        DecisionError: a decision of the state cannot be recorded.
        SessionError: ``session-malformed``.
    """
    require_json(state)
    check_snapshot(state)
    writer = EventWriter(session_name, state["actorId"], state["reviewedAt"])
    active = state["activeItemName"]
    selected = {"activeItemName": active, "reviewItemName": active}
    events = [writer.write(("session-started", {}))]
    if active:
        events.append(writer.write(("item-selected", selected)))
    stamp = conditions_stamp(state)
    decisions = {item_name(item): one for item, one in decided(state)}
    for item in state["items"]:
        name = item_name(item)
        one = decisions.get(name)
        if one is not None:
            events.extend(writer.write(parts) for parts in decision_event_parts(item, one, stamp))
        elif note := state["notesByItemName"].get(name):
            events.append(
                writer.write(("note-changed", {"reviewItemName": name, "rationale": note}))
            )
    if state["items"] and is_complete(state):
        events.append(writer.write(("session-completed", {})))
    return events
