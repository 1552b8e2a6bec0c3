"""What a decision makes of an item: why values do not hold, its candidate set, review and claim.

1. A set that could not be confirmed keeps the status it had. Otherwise it is resolved, or rejected
   where nothing was chosen.
2. A blank note says nothing: the producer's rationale stands.
3. A review that was carried has the earlier reviewer and time, and neither the conditions nor the
   evidence of the earlier round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from survey_fast.canon.text import has_content, trim
from survey_fast.review.state import ABSENT
from survey_fast.trust.discipline import UNCONFIRMED
from survey_fast.trust.reviewed_item import Reviewed
from survey_fast.trust.reviewed_names import NOTHING, Hints

__all__ = [
    "CARRY",
    "EVIDENCE_HINTS",
    "IDENTITY",
    "candidate_set_of",
    "claim_of",
    "collector_of",
    "rejection_reasons",
    "review_of",
]

Record: TypeAlias = Mapping[str, Any]

_EVERY_VALUE_REJECTED: Final = "every proposed value was rejected"
_OF_THE_DECISION: Final = (
    "resolution",
    "resolutionReason",
    "attemptEvidenceIds",
    "withinComfortZone",
    "comfortZoneNote",
    "authorizing",
)
_OF_THE_ROUND: Final = ("presentation", "sampling")
IDENTITY: Final = (
    *("subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior", "impactLevel"),
)
"""What a claim is about."""
EVIDENCE_HINTS: Final = ("evidenceType", "evidenceMethod", "derivedFrom")
"""What a claim target says about evidence."""
CARRY: Final = "carry-forward"


def rejection_reasons(one: Reviewed, candidates: list[Record], ids: list[str]) -> Mapping[str, str]:
    """Why a candidate without a reason of its own does not hold, by candidate id."""
    if one.chosen is not None:
        if not one.rivals:
            return NOTHING
        chosen = next(name for name, two in zip(ids, candidates, strict=True) if two is one.chosen)
        return dict.fromkeys(one.rivals, f"not chosen; the reviewer chose {chosen}")
    if one.kind.status != "rejected":
        return NOTHING
    text = trim(one.spec.get("rationale", "")) or _EVERY_VALUE_REJECTED
    role = one.kind.role
    return {two["id"]: text for two in candidates if two.get("role") == role}


def candidate_set_of(
    one: Reviewed, set_id: str, listed: list[dict[str, Any]], chosen_id: str | None
) -> dict[str, Any]:
    """The candidate set of an item, ``listed`` being its candidates (rules 1 and 2)."""
    spec = one.item["spec"]
    if one.kind.resolution == UNCONFIRMED:
        status = spec.get("candidateSetStatus", "needs-review")
    else:
        status = "rejected" if chosen_id is None else "resolved"
    record: dict[str, Any] = {
        "id": set_id,
        "target": spec["target"],
        "candidates": listed,
        "status": status,
    }
    if chosen_id is not None:
        record["selectedCandidateId"] = chosen_id
    for rationale in (one.spec.get("rationale"), spec.get("rationale")):
        if rationale and has_content(rationale):
            record["rationale"] = rationale
            break
    return record


def review_of(
    one: Reviewed, set_id: str, chosen_id: str | None, ids: list[str], hints: Hints
) -> dict[str, Any]:
    """The review that a decision was (rule 3), ``ids`` being those of the item's candidates."""
    spec = one.spec
    record: dict[str, Any] = {
        "id": _review_id(one, hints),
        "candidateSetId": set_id,
        "status": spec["status"],
    }
    if chosen_id is not None:
        record["candidateId"] = chosen_id
    if spec.get("actor"):
        record["actor"] = spec["actor"]["id"]
    if spec.get("reviewedAt"):
        record["reviewedAt"] = spec["reviewedAt"]
    rationale = spec.get("rationale")
    if rationale and has_content(rationale):
        record["rationale"] = rationale
    for member in _OF_THE_DECISION:
        if member in spec:
            record[member] = spec[member]
    if one.carried is None and spec.get("evidenceIds"):
        # What an earlier round called evidence is none of this one's.
        record["evidenceIds"] = spec["evidenceIds"]
    record["metadata"] = _review_metadata(one, ids)
    return record


def _review_id(one: Reviewed, hints: Hints) -> str:
    if one.carried is not None:
        return f"{one.name}:{CARRY}:review-outcome"
    holder = hints.of_item if one.chosen is None else one.chosen.get("projection") or NOTHING
    return (
        hints.of_decision.get("reviewOutcomeId")
        or holder.get("reviewOutcomeId")
        or f"{one.name}.{one.kind.name}.review-outcome"
    )


def _review_metadata(one: Reviewed, ids: list[str]) -> dict[str, Any]:
    metadata: dict[str, Any] = {"workbenchDecision": one.kind.name}
    if one.edit is not ABSENT:
        metadata["editedValue"] = one.edit
    if one.rivals:
        passed_over = set(one.rivals)
        metadata["unselectedCandidateIds"] = [
            name
            for name, two in zip(ids, one.item["spec"]["candidates"], strict=True)
            if two["id"] in passed_over
        ]
    if one.carried is None:
        # A carried decision was not made under the conditions of this round.
        for member in _OF_THE_ROUND:
            if member in one.spec:
                metadata[member] = one.spec[member]
    return metadata


def claim_of(
    one: Reviewed, claim_id: str, candidate_set: Record, chosen_id: str | None
) -> dict[str, Any]:
    """The claim target, but for its time and its collector."""
    status = one.spec["status"]
    is_unconfirmed = one.kind.resolution == UNCONFIRMED
    if is_unconfirmed and candidate_set["status"] in ("conflict", "escalated"):
        status = "disputed"
    holder = one.item["spec"]["candidates"][0] if one.chosen is None else one.chosen
    target = holder["claimTarget"]
    record: dict[str, Any] = {"id": claim_id, "candidateSetId": candidate_set["id"]}
    for member in IDENTITY:
        record[member] = target[member]
    record["value"] = one.value
    record["status"] = status
    if chosen_id is not None:
        record["candidateId"] = chosen_id
    for member in EVIDENCE_HINTS:
        if member in target:
            record[member] = target[member]
    if one.spec.get("actor") and not is_unconfirmed:
        # What could not be confirmed is projected as if nobody had reviewed it.
        record["actor"] = one.spec["actor"]["id"]
    return record


def collector_of(one: Reviewed, candidates: list[Record]) -> str | None:
    """The collector that is named, else the extractor that all relevant candidates share."""
    holders = candidates if one.chosen is None else [one.chosen]
    named: str | None = holders[0]["claimTarget"].get("collectedBy")
    if named:
        return named
    shared = {holder["extraction"]["extractor"] for holder in holders}
    return next(iter(shared)) if len(shared) == 1 else None
