"""Learning records: what reviewers told about an extraction, for those who improve it.

In this order, each in input order:

1. one for each value that was turned down for a stated reason;
2. one for each review that could not confirm a value;
3. one for each review made outside of the reviewer's comfort zone;
4. one for each escalation that nobody resolved.

Of several rejections of one value the latest is told. A record names the claim of the value
itself; the first claim of a set only where the review names no value. Records are derived, never
stored, and never enter a bundle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from survey_fast.canon import Document, canonical_json, plain_data, sort_names
from survey_fast.canon.text import has_content
from survey_fast.trust.discipline import UNCONFIRMED
from survey_fast.trust.instants import instant, is_date_time
from survey_fast.trust.survey_input import ReviewKey, SurveyRecords, read_survey_input

__all__ = ["derive_learning_records"]

Record: TypeAlias = Mapping[str, Any]

_NO_REASON: Final = "no reason was recorded"
_REJECTED: Final = "rejected"


def derive_learning_records(survey_input: Document) -> list[dict[str, Any]]:
    """The learning records of a survey input.

    Args:
        survey_input: bytes, text or plain data.

    Returns:
        ``{id, kind, source, createdAt, target?, claimId?, reviewOutcomeId?, escalationId?, signal,
        severity, summary, metadata}`` for each, as plain data.

    Raises:
        SurveyError: as for a survey input that is projected.
        TypeError: not a document.
    """
    if isinstance(survey_input, bytes | bytearray | memoryview | str):
        survey_input = plain_data(canonical_json(survey_input))
    records = read_survey_input(survey_input)
    top = cast("Mapping[str, Sequence[Record]]", survey_input)  # anything else was refused
    learned = _Learning(records, top["reviewOutcomes"])
    return [
        *learned.rejected_candidates(),
        *learned.unconfirmed(),
        *learned.outside_comfort_zone(),
        *learned.unresolved(),
    ]


class _Learning:
    """What was told in one input, each look-up prepared once."""

    def __init__(self, records: SurveyRecords, reviews: Sequence[Record]) -> None:
        self._records = records
        self._reviews = reviews
        self._of_set: dict[str, list[Record]] = {}
        for review in self._reviews:
            self._of_set.setdefault(review["candidateSetId"], []).append(review)
        self._claims: dict[ReviewKey, str] = {}
        self._first_claims: dict[str, str] = {}
        for claim in records.claims.values():
            set_id, candidate_id = claim["candidateSetId"], claim.get("candidateId")
            self._first_claims.setdefault(set_id, claim["id"])
            if candidate_id is not None:
                self._claims.setdefault(ReviewKey(set_id, candidate_id), claim["id"])

    def rejected_candidates(self) -> Iterator[dict[str, Any]]:
        """Rule 1."""
        for set_id, candidates in self._records.candidates.items():
            for candidate in candidates.values():
                own = self._records.reviews.get(ReviewKey(set_id, candidate["id"]), ())
                rejection = _latest([one for one in own if one["status"] == _REJECTED])
                stated = candidate.get("rejectionReason")
                reason = stated if _is_told(stated) else (rejection or {}).get("rationale")
                if _is_told(reason):
                    review = rejection or self._deciding(set_id)
                    yield self._rejected(set_id, candidate, review, reason)

    def _deciding(self, set_id: str) -> Record | None:
        """The review that turned a value down without naming it: of the set, or of its rival."""
        return _latest(
            [
                one
                for one in self._of_set.get(set_id, ())
                if one.get("resolution") != UNCONFIRMED and one["status"] != "proposed"
            ]
        )

    def _rejected(
        self, set_id: str, candidate: Record, review: Record | None, reason: object
    ) -> dict[str, Any]:
        held, name = self._records.sets[set_id], candidate["id"]
        extraction = self._records.extractions[candidate["extractionId"]]
        claim_id = self._claims.get(ReviewKey(set_id, name))
        if claim_id is None and review is not None and "candidateId" not in review:
            claim_id = self._first_claims.get(set_id)
        details: dict[str, Any] = {
            "candidateSetId": set_id,
            "candidateId": name,
            "reason": reason,
            "reviewOutcomeId": None if review is None else review["id"],
            "reviewOutcomeStatus": None if review is None else review["status"],
            "claimId": claim_id,
            "extractionId": extraction["id"],
            "selectedCandidateId": held.get("selectedCandidateId"),
            "candidateReason": candidate.get("rejectionReason"),
            "reviewRationale": None if review is None else review.get("rationale"),
        }
        return self._record(
            "rejected-candidate",
            f"{set_id}.{name}",
            "info",
            review=review,
            created_at=_first_time(
                None if review is None else review.get("reviewedAt"), extraction["extractedAt"]
            ),
            target=extraction["target"],
            claimId=claim_id,
            summary=f"a value proposed for {extraction['target']} was turned down",
            metadata={"rejectedCandidate": _present(details)},
        )

    def unconfirmed(self) -> Iterator[dict[str, Any]]:
        """Rule 2."""
        for review in self._reviews:
            if review.get("resolution") == UNCONFIRMED:
                reason = review.get("resolutionReason")
                details = {
                    "resolutionReason": reason if _is_told(reason) else _NO_REASON,
                    "attemptEvidenceIds": review.get("attemptEvidenceIds"),
                }
                yield self._of_review(
                    "could-not-confirm", review, "could not be confirmed", _present(details)
                )

    def outside_comfort_zone(self) -> Iterator[dict[str, Any]]:
        """Rule 3."""
        for review in self._reviews:
            if review.get("withinComfortZone") is False:
                details = {"comfortZoneNote": review.get("comfortZoneNote")}
                said = "was reviewed outside of the reviewer's comfort zone"
                yield self._of_review("comfort-zone", review, said, _present(details))

    def _of_review(
        self, name: str, review: Record, said: str, metadata: dict[str, Any]
    ) -> dict[str, Any]:
        set_id, candidate_id = review["candidateSetId"], review.get("candidateId")
        claim_id = (
            self._first_claims.get(set_id)
            if candidate_id is None
            else self._claims.get(ReviewKey(set_id, candidate_id))
        )
        target = self._records.sets[set_id]["target"]
        return self._record(
            name,
            review["id"],
            "attention",
            review=review,
            created_at=_first_time(review.get("reviewedAt")),
            target=target,
            claimId=claim_id,
            summary=f"{target} {said}",
            metadata=metadata,
        )

    def unresolved(self) -> Iterator[dict[str, Any]]:
        """Rule 4."""
        for raised in self._records.escalations:
            if "resolvedBy" not in raised:
                told = ("dimension", "reason", "raisedBy")
                yield self._record(
                    "escalation",
                    raised["id"],
                    "attention",
                    created_at=raised["raisedAt"],
                    target=raised["target"],
                    claimId=raised.get("attachToClaimId"),
                    escalationId=raised["id"],
                    summary=f"{raised['target']} was escalated, and nobody resolved it",
                    metadata={member: raised[member] for member in told},
                )

    def _record(
        self,
        name: str,
        owner: str,
        severity: str,
        *,
        created_at: str | None,
        review: Record | None = None,
        **members: Any,  # noqa: ANN401 - members of the record
    ) -> dict[str, Any]:
        kind = f"learning.{name}"
        return _present(
            {
                "id": f"{owner}.{kind}",
                "kind": kind,
                "source": self._records.source,
                "createdAt": created_at or self._records.generated_at,
                "reviewOutcomeId": None if review is None else review["id"],
                "signal": _SIGNALS[name],
                "severity": severity,
                **members,
            }
        )


_SIGNALS: Final = {
    "rejected-candidate": "rejected-candidate.reason",
    "could-not-confirm": "could-not-confirm.reason",
    "comfort-zone": "comfort-zone.outside",
    "escalation": "escalation.unresolved",
}


def _is_told(text: object) -> bool:
    return isinstance(text, str) and has_content(text)


def _present(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _first_time(*texts: object) -> str | None:
    return next((text for text in texts if isinstance(text, str) and is_date_time(text)), None)


def _latest(reviews: Sequence[Record]) -> Record | None:
    """The latest of some reviews; one without a time comes first, a low id last of an instant."""
    if not reviews:
        return None
    times = [instant(one.get("reviewedAt")) for one in reviews]
    known = [at for at in times if at is not None]
    last = max(known) if known else None
    tied = [one for one, at in zip(reviews, times, strict=True) if at == last]
    lowest = sort_names([one["id"] for one in tied])[0]
    return next(one for one in tied if one["id"] == lowest)
