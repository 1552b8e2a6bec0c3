"""A claim over several candidates of which none was selected.

1. No review of such a set names a candidate, and the claim is neither verified nor assumed.
2. Its value is the one that the target states, null included, else null. Every candidate is listed
   and is evidence of its own, and the event cites all of them.
3. It was created when the first of them was extracted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.discipline import TRUSTED
from survey_fast.trust.instants import instant
from survey_fast.trust.projection.claims import Emitted, Projection, listed_candidates
from survey_fast.trust.projection.evidence import evidence_of
from survey_fast.trust.survey_input import ReviewKey, SurveyRecords

__all__ = ["emit_undecided"]

Record: TypeAlias = Mapping[str, Any]


def emit_undecided(projection: Projection, target: Record, pointer: str) -> Emitted:
    """Claim, evidence and event of a claim whose set selects nothing.

    Raises:
        ProjectionError: ``candidate-not-selected``, ``status-mismatch``, ``locator-missing``, and
            what discipline refuses.
    """
    records = projection.records
    set_id = target["candidateSetId"]
    candidates = records.candidates[set_id]
    if any(ReviewKey(set_id, name) in records.reviews for name in candidates):
        message = "a review names one candidate of a set that selects none of them"
        raise refusal("candidate-not-selected", message, pointer)
    review = projection.governing(ReviewKey(set_id, None), pointer)
    assessed = projection.assess(target, review, pointer)
    if assessed.status in TRUSTED:
        message = f"a claim over several values of which none was selected is not {assessed.status}"
        raise refusal("status-mismatch", message, pointer, {"claimId": target["id"]})
    evidence = []
    for name, candidate in candidates.items():
        suffix = f"evidence.source.{name}"
        evidence_id = projection.identities.of("claim-evidence", target["id"], suffix)
        one = evidence_of(records, target, candidate, evidence_id, pointer)
        one["metadata"]["candidateId"] = name
        evidence.append(one)
    survey: dict[str, Any] = {
        "candidateSetId": set_id,
        "candidateSetStatus": records.sets[set_id]["status"],
        "candidates": listed_candidates(candidates.values(), None),
    }
    if assessed.acting is not None:
        survey["reviewOutcomeId"] = assessed.acting["id"]
    claim = projection.claim(target, target.get("value"), assessed, None, survey)
    claim["createdAt"] = target.get("createdAt") or _first_extracted(records, candidates)
    event = projection.event(target, assessed, [one["id"] for one in evidence])
    return Emitted(claim, evidence, event)


def _first_extracted(records: SurveyRecords, candidates: Mapping[str, Record]) -> str:
    """The earliest time of extraction; of equal instants the text that sorts first."""
    times: list[str] = [
        records.extractions[one["extractionId"]]["extractedAt"] for one in candidates.values()
    ]
    return min(times, key=lambda text: (instant(text) or 0, text))
