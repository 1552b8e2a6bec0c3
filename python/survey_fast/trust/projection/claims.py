"""One claim target becomes a claim, its evidence and the event that its review was.

1. The candidate is the claim's own, else the one that its set selects, else the only one. A set of
   several that selects none is projected whole: see :mod:`survey_fast.trust.projection.undecided`.
2. Reviews of that candidate come before reviews of the whole set; among them the latest governs.
3. A status that is stated holds. Otherwise it is the review's; without a review a conflict is
   disputed, and everything else is proposed.
4. What could not be confirmed is projected as if nobody had reviewed it: no reviewer, no time. Only
   that the reviewer was outside of their comfort zone is kept.
5. Where a set proposes several values, the claim lists every one of them, the chosen one marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from survey_fast.canon.text import has_content
from survey_fast.errors import refusal
from survey_fast.review.state import ABSENT
from survey_fast.trust.agreement import (
    accepted_edit,
    governing_review,
    require_agreement,
    same_value,
)
from survey_fast.trust.discipline import TRUSTED, UNCONFIRMED, require_review_discipline
from survey_fast.trust.instants import is_date_time
from survey_fast.trust.projection.evidence import confidence_of, evidence_of, source_of
from survey_fast.trust.projection.identities import Identities
from survey_fast.trust.projection.policies import policy_id
from survey_fast.trust.survey_input import ReviewKey, SurveyRecords

__all__ = ["AUTO_ACCEPT_ACTOR", "Assessment", "Emitted", "Projection", "listed_candidates"]

Record: TypeAlias = Mapping[str, Any]

AUTO_ACCEPT_ACTOR: Final = "auto-accept-policy"
"""Who accepts by rule; no operator did."""
_EVENT_METHODS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "verified": "survey-review",
        "assumed": "survey-assumption",
        "rejected": "survey-rejection",
        "disputed": "candidate-conflict",
    }
)
"""Methods of events by status, ``candidate-proposal`` for any other."""
_COPIED: Final = ("derivedFrom", "derivationEdges", "qualifiers")


class Emitted(NamedTuple):
    """What one claim target came to."""

    claim: dict[str, Any]
    evidence: list[dict[str, Any]]
    event: dict[str, Any]


class Assessment(NamedTuple):
    """Status of a claim, and the review that it rests on.

    Attributes:
        status: the status.
        review: the governing review, whatever it came to.
        acting: the same where it settled something, nothing where it could not confirm.
        at: the time of the acting review, else that of the input.
    """

    status: str
    review: Record | None
    acting: Record | None
    at: str


class Projection:
    """Projects the claims of one input; what claims of one set share is derived once."""

    def __init__(
        self, records: SurveyRecords, identities: Identities, *, emit_policies: bool
    ) -> None:
        self.records = records
        self.identities = identities
        self._emit_policies = emit_policies
        self._governing: dict[ReviewKey, Record] = {}
        self._proposed: dict[str, int] = {}

    def chosen(self, target: Record) -> Record | None:
        """Rule 1: the candidate that a claim stands for, or nothing."""
        set_id = target["candidateSetId"]
        candidates = self.records.candidates[set_id]
        selected = target.get("candidateId") or self.records.sets[set_id].get("selectedCandidateId")
        if selected is not None:
            return candidates[selected]
        return next(iter(candidates.values())) if len(candidates) == 1 else None

    def emit(self, target: Record, candidate: Record, pointer: str) -> Emitted:
        """Claim, evidence and event of a claim that stands for ``candidate``.

        Raises:
            ProjectionError, DecisionError: what discipline and agreement refuse;
                ``locator-missing``; a review with a time that is none (``survey-input-invalid``).
        """
        assessed = self._assess(target, candidate, pointer)
        value = target["value"] if "value" in target else candidate["value"]
        require_agreement(
            target,
            status=assessed.status,
            value=value,
            candidate=candidate,
            review=assessed.acting,
        )
        evidence_id = self.identities.of("claim-evidence", target["id"], "evidence.source")
        evidence = evidence_of(self.records, target, candidate, evidence_id, pointer)
        claim = self._claim(target, candidate, value, assessed)
        return Emitted(claim, [evidence], self.event(target, assessed, [evidence_id]))

    def _assess(self, target: Record, candidate: Record, pointer: str) -> Assessment:
        review = self.governing(ReviewKey(target["candidateSetId"], candidate["id"]), pointer)
        if review is None:
            review = self.governing(ReviewKey(target["candidateSetId"], None), pointer)
        return self.assess(target, review, pointer)

    def assess(self, target: Record, review: Record | None, pointer: str) -> Assessment:
        """Rules 3 and 4: the status of a claim under a review, which discipline allows."""
        set_status = self.records.sets[target["candidateSetId"]]["status"]
        status = target.get("status") or _derived_status(review, set_status)
        require_review_discipline(
            status=status, set_status=set_status, review=review, pointer=pointer
        )
        acting = review
        if review is not None and review.get("resolution") == UNCONFIRMED:
            acting = None
        at = self.records.generated_at
        if acting is not None and "reviewedAt" in acting:
            at = acting["reviewedAt"]
            if not is_date_time(at):
                message = f"the review {acting['id']!r} has a time that is none"
                raise refusal("survey-input-invalid", message, pointer)
        return Assessment(status, review, acting, at)

    def governing(self, key: ReviewKey, pointer: str) -> Record | None:
        """Rule 2, for one candidate or for the whole set."""
        reviews = self.records.reviews.get(key)
        if reviews is None or len(reviews) == 1:
            return None if reviews is None else reviews[0]
        if key not in self._governing:
            self._governing[key] = governing_review(reviews, pointer)
        return self._governing[key]

    def _claim(
        self, target: Record, candidate: Record, value: object, assessed: Assessment
    ) -> dict[str, Any]:
        extraction, source = source_of(self.records, candidate)
        set_id = target["candidateSetId"]
        survey: dict[str, Any] = {
            "rawSourceId": source["id"],
            "extractionId": extraction["id"],
            "candidateSetId": set_id,
            "candidateId": candidate["id"],
        }
        if assessed.acting is not None:
            survey["reviewOutcomeId"] = assessed.acting["id"]
            _add_edit_note(survey, assessed.acting, candidate, value)
        if candidate.get("rejectionReason"):
            survey["candidate"] = {"rejectionReason": candidate["rejectionReason"]}
        candidates = self.records.candidates[set_id]
        if len(candidates) > 1 and self._proposed_count(set_id) > 1:
            survey["candidates"] = listed_candidates(candidates.values(), candidate["id"])
        confidence = confidence_of(extraction, candidate)
        claim = self.claim(target, value, assessed, confidence, survey)
        claim["createdAt"] = target.get("createdAt", extraction["extractedAt"])
        return claim

    def _proposed_count(self, set_id: str) -> int:
        """How many candidates of a set were proposed."""
        count = self._proposed.get(set_id)
        if count is None:
            count = sum(map(_is_proposed, self.records.candidates[set_id].values()))
            self._proposed[set_id] = count
        return count

    def claim(
        self,
        target: Record,
        value: object,
        assessed: Assessment,
        confidence: float | None,
        survey: dict[str, Any],
    ) -> dict[str, Any]:
        """The claim but for its ``createdAt``."""
        impact = target["impactLevel"]
        claim: dict[str, Any] = {
            "id": target["id"],
            "subjectType": target["subjectType"],
            "subjectId": target["subjectId"],
            "facet": target["facet"],
            "claimType": target["claimType"],
            "fieldOrBehavior": target["fieldOrBehavior"],
            "value": value,
            "status": assessed.status,
            "updatedAt": target.get("updatedAt") or assessed.at,
            "impactLevel": impact,
            "confidenceBasis": _confidence_basis(target, assessed, confidence),
        }
        if self._emit_policies:
            claim["verificationPolicyId"] = policy_id(target)
        for member in _COPIED:
            if member in target:
                claim[member] = target[member]
        _add_comfort_zone(claim, survey, assessed.review)
        metadata = target.get("metadata")
        if metadata is None:
            claim["metadata"] = {"survey": survey}
        else:
            own = metadata.get("survey")
            claim["metadata"] = {**metadata, "survey": {**own, **survey} if own else survey}
        return claim

    def event(
        self, target: Record, assessed: Assessment, evidence_ids: list[str]
    ) -> dict[str, Any]:
        """The event that gives a claim its status.

        Evidence that the review names stands in place of the claim's own; that it exists is checked
        when all evidence is there.
        """
        status, review = assessed.status, assessed.acting
        named: Sequence[str] = () if review is None else review.get("evidenceIds", ())
        actor = target.get("actor") or (None if review is None else review.get("actor"))
        set_record = self.records.sets[target["candidateSetId"]]
        event: dict[str, Any] = {
            "id": self.identities.of("claim-event", target["id"], f"event.{status}"),
            "claimId": target["id"],
            "status": status,
            "actor": actor or target["collectedBy"],
            "method": target.get("eventMethod") or _event_method(status, set_record["status"]),
            "evidenceIds": list(named) or evidence_ids,
            "createdAt": assessed.at,
        }
        if status in TRUSTED:
            event["verifiedAt"] = assessed.at
        notes = None if review is None else review.get("rationale")
        if not notes or not has_content(notes):
            notes = set_record.get("rationale")
        if notes and has_content(notes):
            event["notes"] = notes
        return event


def _derived_status(review: Record | None, set_status: str) -> str:
    """Rule 3 for a claim that states no status."""
    is_open = review is None or review.get("resolution") == UNCONFIRMED
    if is_open and set_status in ("conflict", "escalated"):
        return "disputed"
    if review is None:
        return "rejected" if set_status == "rejected" else "proposed"
    status: str = review["status"]
    return status


def _event_method(status: str, set_status: str) -> str:
    if status == "disputed" and set_status == "escalated":
        return "candidate-escalation"
    return _EVENT_METHODS.get(status, "candidate-proposal")


def _confidence_basis(
    target: Record, assessed: Assessment, confidence: float | None
) -> dict[str, Any]:
    authority, strength = "none", "weak"
    if assessed.status in TRUSTED and assessed.acting is not None:
        is_automatic = assessed.acting.get("actor") == AUTO_ACCEPT_ACTOR
        authority = "system" if is_automatic else "operator"
        strength = "weak" if is_automatic else "moderate"
    basis: dict[str, Any] = {"sourceQuality": "moderate"}
    if confidence is not None:
        basis["extractionConfidence"] = confidence
    basis["reviewerAuthority"] = authority
    basis["evidenceStrength"] = strength
    basis["impactLevel"] = target["impactLevel"]
    if "confidenceBasis" in target:
        basis.update(target["confidenceBasis"])
    return basis


def _add_edit_note(
    survey: dict[str, Any], review: Record, candidate: Record, value: object
) -> None:
    edit = accepted_edit(review)
    if edit is ABSENT or not same_value(edit, value):
        return
    survey["valueEdit"] = {
        "edited": True,
        "originalValue": candidate["value"],
        "reviewOutcomeId": review["id"],
    }


def _add_comfort_zone(claim: dict[str, Any], survey: dict[str, Any], review: Record | None) -> None:
    within = None if review is None else review.get("withinComfortZone")
    if review is None or within is None:
        return
    note = review.get("comfortZoneNote") or None
    zone: dict[str, Any] = {"within": within}
    if note is not None:
        zone["reason"] = note
    claim["conclusionConfidence"] = {"comfortZone": zone}
    if not within:
        survey["comfortZone"] = {"withinComfortZone": False}
        if note is not None:
            survey["comfortZone"]["note"] = note


def _is_proposed(candidate: Record) -> bool:
    metadata = candidate.get("metadata", {})
    return bool(metadata.get("candidateRole", metadata.get("role")) == "proposed")


def listed_candidates(candidates: Iterable[Record], chosen_id: str | None) -> list[dict[str, Any]]:
    """Every value of a set in set order, the chosen one marked."""
    listed = []
    for candidate in candidates:
        entry = {"candidateId": candidate["id"], "value": candidate["value"]}
        if candidate.get("rejectionReason"):
            entry["rejectionReason"] = candidate["rejectionReason"]
        if candidate["id"] == chosen_id:
            entry["selected"] = True
        listed.append(entry)
    return listed
