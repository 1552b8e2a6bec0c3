"""Recording a decision: from what was decided on an item to a ``ReviewDecision``.

The first fault in this order is raised:

1. a kind that is none; in a whole state, first of all its session conditions;
2. could-not-confirm without a reason;
3. a kind that cannot be recorded on the item, or a choice that names no rival;
4. an edit that the item does not take;
5. a resolution that its status, reason, actor or time contradicts.

A record names the candidate it is about, or none where it is about several. It holds no member
without a value, so that it equals what comes back from its JSON. Opaque producer data is shared
with the item, not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from survey_fast.attest import Issue
from survey_fast.canon.text import has_content, trim
from survey_fast.errors import SurveyError, refusal
from survey_fast.review.conditions import check_declared_conditions, is_blind
from survey_fast.review.decisions import (
    CHOICE,
    KINDS,
    Candidate,
    Item,
    item_name,
    named_candidate,
    proposed_candidates,
)
from survey_fast.review.edits import check_edited_value
from survey_fast.review.prompt import authorizing_block
from survey_fast.review.shape import check_snapshot, require_json
from survey_fast.review.state import ABSENT, Decided, State, conditions_stamp, decided

__all__ = [
    "build_review_decision",
    "build_review_decisions",
    "decision_record",
    "resolution_issue",
]

_API_VERSION: Final = "survey.kontourai.io/v1alpha1"
_UNCONFIRMED: Final = "could_not_confirm"
_STATUSES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "accepted": ("verified", "assumed"),
        "rejected": ("rejected",),
        "held": ("verified", "assumed", "proposed"),
        _UNCONFIRMED: ("proposed", "assumed"),
    }
)
"""The statuses that each resolution agrees with."""
_OF_THE_ROUND: Final = ("actorId", "reviewedAt", "presentation", "sampling")
_BY_ITEM_NAME: Final[Mapping[str, str]] = MappingProxyType(
    {
        "decision": "decisionsByItemName",
        "note": "notesByItemName",
        "editedValue": "editedValuesByItemName",
        "selectedCandidateId": "selectedCandidateIdsByItemName",
        "attemptEvidenceIds": "attemptEvidenceIdsByItemName",
    }
)
"""The members of a one-item state that a session keeps in maps."""


def decision_record(
    item: Item, decided: Decided, stamp: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The decision on one item, as plain data.

    Args:
        item: a review item.
        decided: what was decided on it.
        stamp: the session's conditions, which were checked when it was opened or loaded.

    Raises:
        DecisionError: the first fault under the rules above.
    """
    kind = KINDS.get(decided.kind)
    if kind is None:
        raise _refused("decision-malformed", f"{decided.kind!r} is no decision kind", item)
    reason = None if kind.resolution is None else _reason(item, decided)
    candidate = named_candidate(item, decided.kind, decided.candidate_id)
    if decided.edited_value is not ABSENT:
        decided = _with_checked_edit(item, decided)
    name = item_name(item)
    spec = _members(item, name, decided, candidate)
    if reason is not None:
        spec.update(_unconfirmed_members(item, decided, reason))
        _require_agreement(spec)
    is_score_blind = stamp is not None and is_blind(stamp)
    authorizing = authorizing_block(item, decided, blind=is_score_blind)
    if authorizing is not None:
        spec["authorizing"] = authorizing
    if stamp is not None:
        spec.update({condition: dict(stamp[condition]) for condition in stamp})
    return {
        "apiVersion": _API_VERSION,
        "kind": "ReviewDecision",
        "metadata": _metadata(item, f"{name}-{decided.kind}"),
        "spec": spec,
        "status": _applied_to(candidate),
    }


def _refused(code: str, message: str, item: Item) -> SurveyError:
    return refusal(code, message, "", {"itemName": item_name(item)})


def _reason(item: Item, decided: Decided) -> str:
    reason = trim(decided.note if decided.reason is None else decided.reason)
    if not reason:
        message = "what could not be confirmed is recorded with a reason; write a note"
        raise _refused("reason-missing", message, item)
    return reason


def _with_checked_edit(item: Item, decided: Decided) -> Decided:
    """The decision with its edit as it is stored; only an accepted value can be edited."""
    if decided.kind != "accept-proposed":
        return decided._replace(edited_value=ABSENT)
    checked = check_edited_value(item, decided.edited_value)
    if isinstance(checked, Issue):
        raise _refused(checked.code, checked.message, item)
    return decided._replace(edited_value=checked.value) if checked.converted else decided


def _projection(item: Item, candidate: Candidate | None, outcome_id: str) -> dict[str, Any]:
    hints = (item["spec"] if candidate is None else candidate).get("projection")
    if not hints:
        return {"reviewOutcomeId": outcome_id}
    return {**hints, "reviewOutcomeId": hints.get("reviewOutcomeId") or outcome_id}


def _members(
    item: Item, name: str, decided: Decided, candidate: Candidate | None
) -> dict[str, Any]:
    """What every decision records, which candidate it is about, which it passed over."""
    members: dict[str, Any] = {
        "actor": {"id": decided.actor_id},
        "projection": _projection(item, candidate, f"{name}:{decided.kind}:review-outcome"),
        "rationale": decided.note,
        "reviewItemName": name,
        "reviewedAt": decided.decided_at,
        "status": KINDS[decided.kind].status,
    }
    if candidate is not None:
        members["candidateId"] = candidate["id"]
    if decided.edited_value is not ABSENT:
        members["editedValue"] = decided.edited_value
    if decided.kind == CHOICE:
        rivals = [one["id"] for one in proposed_candidates(item)]
        members["unselectedCandidateIds"] = [one for one in rivals if one != decided.candidate_id]
    return members


def _unconfirmed_members(item: Item, decided: Decided, reason: str) -> dict[str, Any]:
    """Why it could not be confirmed and what was tried."""
    members: dict[str, Any] = {"resolution": _UNCONFIRMED, "resolutionReason": reason}
    attempts = list(decided.attempt_evidence_ids)
    if not all(isinstance(one, str) for one in attempts):
        raise _refused("decision-malformed", "evidence that was tried on is named by id", item)
    if attempts:
        members["attemptEvidenceIds"] = attempts
    return members


def _metadata(item: Item, name: str) -> dict[str, Any]:
    about = item["metadata"]
    metadata = {"name": name}
    for member in ("labels", "producer"):
        if member in about:
            metadata[member] = about[member]
    return metadata


def _applied_to(candidate: Candidate | None) -> dict[str, Any]:
    hints = None if candidate is None else candidate.get("projection")
    claim_id = hints.get("claimId") if hints else None
    return {} if claim_id is None else {"appliedToClaimIds": [claim_id]}


def build_review_decision(state: Mapping[str, Any]) -> dict[str, Any] | None:
    """The decision of a one-item state, or nothing when none was made.

    Args:
        state: ``{item, note, decision?, reviewedAt, actorId, editedValue?, attemptEvidenceIds?,
            selectedCandidateId?, presentation?, sampling?}``, plain data.

    Raises:
        DecisionError: the decision cannot be recorded.
        AuditError: ``invalid-session-conditions``.
        SessionError: ``session-malformed``, with a pointer into the session of this one item.
        TypeError: not a dict.
    """
    return next(_decisions(_one_item_session(state)), None)


def build_review_decisions(state: State) -> list[dict[str, Any]]:
    """The decisions of a session state, one for each decided item, in queue order.

    Raises: as :func:`build_review_decision`.
    """
    return list(_decisions(state))


def _decisions(state: State) -> Iterator[dict[str, Any]]:
    require_json(state)
    check_snapshot(state)
    check_declared_conditions(state)
    stamp = conditions_stamp(state)
    for item, one in decided(state):
        yield decision_record(item, one, stamp)


def _one_item_session(state: object) -> dict[str, Any]:
    if not isinstance(state, Mapping):
        message = f"a state is a dict, not {type(state).__name__}"
        raise TypeError(message)
    item = state.get("item")
    metadata = item.get("metadata") if isinstance(item, Mapping) else None
    # An item without a name is refused with the session, whatever stands in for it here.
    name = str(metadata.get("name", "")) if isinstance(metadata, Mapping) else ""
    session = {member: state[member] for member in _OF_THE_ROUND if member in state}
    for member, by_name in _BY_ITEM_NAME.items():
        session[by_name] = {name: state[member]} if member in state else {}
    return {"activeItemName": name, "items": [item], **session}


def resolution_issue(record: Mapping[str, Any]) -> Issue | None:
    """Why the resolution of a decision or an outcome contradicts the rest of it, if it does.

    Args:
        record: the members ``status``, ``resolution``, ``resolutionReason``, ``actor`` and
            ``reviewedAt`` are read; without a resolution there is nothing to contradict.
    """
    fault = _resolution_fault(record) if "resolution" in record else None
    if fault is None:
        return None
    return Issue("resolution-inconsistent", fault, record.get("reviewItemName"))


def _resolution_fault(record: Mapping[str, Any]) -> str | None:
    resolution, status = record["resolution"], record.get("status")
    allowed = _STATUSES.get(resolution) if isinstance(resolution, str) else None
    if allowed is None:
        return f"{resolution!r} is no resolution"
    if status not in allowed:
        return f"{resolution} goes with the status {' or '.join(allowed)}, not {status}"
    if resolution != _UNCONFIRMED:
        return None
    actor = record.get("actor")
    told = {
        "reason": record.get("resolutionReason"),
        "actor": actor.get("id") if isinstance(actor, Mapping) else actor,
        "time": record.get("reviewedAt"),
    }
    for what, text in told.items():
        if not isinstance(text, str) or not has_content(text):
            return f"{resolution} is recorded with its {what}"
    return None


def _require_agreement(spec: Mapping[str, Any]) -> None:
    issue = resolution_issue(spec)
    if issue is not None:
        raise refusal(issue.code, issue.message, "", {"itemName": issue.item_name})
