"""Learning records, and what rows 1, 8 and 9 of the edge table of reviews say of them.

Left: rows 85 and 86 of the table of surfaces, since nothing drafts improvements here.
"""

import copy
import json

import pytest
from tests.unit.trust.records import (
    EXTRACTED,
    a_conflict,
    a_single,
    candidate_set,
    claim,
    decided,
    extraction,
    review,
    survey,
    without,
)

from survey_fast.errors import SurveyError
from survey_fast.review.decisions import KINDS
from survey_fast.trust.learning import derive_learning_records

ESCALATION = {
    "id": "e1",
    "target": "rent",
    "dimension": "citation",
    "reason": "two editions",
    "raisedBy": "ana",
    "raisedAt": EXTRACTED,
}
REJECTED = {"status": "rejected", "rationale": "a draft"}


def kinds(records):
    return [one["kind"] for one in records]


def one_of(survey_input):
    (record,) = derive_learning_records(survey_input)
    return record


# From decisions


def test_row_1_a_choice_tells_of_every_value_passed_over_and_not_of_the_chosen():
    records = derive_learning_records(decided(a_conflict(1, 2, 3), "select-proposed", "c-2"))
    assert kinds(records) == ["learning.rejected-candidate"] * 2
    details = [one["metadata"]["rejectedCandidate"] for one in records]
    assert [one["candidateId"] for one in details] == ["c-1", "c-3"]
    assert {one["selectedCandidateId"] for one in details} == {"c-2"}
    assert all("c-2" in one["reason"] for one in details)
    # The claim is the chosen value's, so it is not theirs.
    assert not any("claimId" in one for one in records)
    assert {one["reviewOutcomeId"] for one in records} == {"a:select-proposed:review-outcome"}


def test_row_8_rejecting_every_value_gives_one_record_for_each():
    records = derive_learning_records(decided(a_conflict(), "reject-proposed", None, "both drafts"))
    assert [one["id"] for one in records] == [
        "a.candidates.c-1.learning.rejected-candidate",
        "a.candidates.c-2.learning.rejected-candidate",
    ]
    assert {one["metadata"]["rejectedCandidate"]["reason"] for one in records} == {"both drafts"}
    assert {one["severity"] for one in records} == {"info"}
    # The review names no value, so what it is about is the set's first claim.
    assert {one["claimId"] for one in records} == {"a.claim"}


def test_row_9_what_could_not_be_confirmed_gives_one_record_and_no_rejection():
    record = one_of(decided(a_conflict(), "could-not-confirm", None))
    assert record["id"] == "a:could-not-confirm:review-outcome.learning.could-not-confirm"
    assert (record["signal"], record["severity"]) == ("could-not-confirm.reason", "attention")
    assert record["metadata"]["resolutionReason"] == "no answer on the phone"
    assert record["claimId"] == "a.claim"


def test_rejecting_a_single_value_takes_the_rationale_of_the_review():
    record = one_of(decided(a_single(), "reject-proposed", note="a draft"))
    details = record["metadata"]["rejectedCandidate"]
    assert (details["reason"], details["reviewRationale"]) == ("a draft", "a draft")
    assert "candidateReason" not in details
    assert record["claimId"] == details["claimId"] == "a.claim"


@pytest.mark.parametrize("kind", ["accept-proposed", "reject-proposed"])
def test_without_a_stated_reason_there_is_nothing_to_learn(kind):
    assert KINDS[kind]
    assert derive_learning_records(decided(a_single(), kind)) == []


# From records


def test_a_record_has_exactly_its_members():
    record = one_of(survey(reviewOutcomes=[review(**REJECTED)], claims=[claim(candidateId="c1")]))
    assert record == {
        "id": "set.rent.c1.learning.rejected-candidate",
        "kind": "learning.rejected-candidate",
        "source": "lease-intake",
        "createdAt": "2026-06-02T09:00:00.000Z",
        "reviewOutcomeId": "r1",
        "signal": "rejected-candidate.reason",
        "severity": "info",
        "target": "rent",
        "claimId": "claim.rent",
        "summary": record["summary"],
        "metadata": {
            "rejectedCandidate": {
                "candidateSetId": "set.rent",
                "candidateId": "c1",
                "reason": "a draft",
                "reviewOutcomeId": "r1",
                "reviewOutcomeStatus": "rejected",
                "claimId": "claim.rent",
                "extractionId": "x1",
                "reviewRationale": "a draft",
            }
        },
    }


def test_kinds_stand_in_their_order():
    reviews = [
        review("r1", withinComfortZone=False, comfortZoneNote="tax law", **REJECTED),
        review(
            "r2", status="proposed", resolution="could_not_confirm", attemptEvidenceIds=["b", "a"]
        ),
    ]
    records = derive_learning_records(survey(reviewOutcomes=reviews, escalations=[ESCALATION]))
    assert kinds(records) == [
        "learning.rejected-candidate",
        "learning.could-not-confirm",
        "learning.comfort-zone",
        "learning.escalation",
    ]
    assert records[1]["metadata"]["attemptEvidenceIds"] == ["b", "a"]
    assert records[1]["metadata"]["resolutionReason"].strip()
    assert records[2]["metadata"] == {"comfortZoneNote": "tax law"}
    assert (records[3]["createdAt"], records[3]["escalationId"]) == (EXTRACTED, "e1")
    assert "reviewOutcomeId" not in records[3]


def test_a_resolved_escalation_and_a_zone_that_was_kept_are_no_signals():
    outcomes = [review(withinComfortZone=True)]
    resolved = {**ESCALATION, "resolvedBy": "ben"}
    assert derive_learning_records(survey(reviewOutcomes=outcomes, escalations=[resolved])) == []


@pytest.mark.parametrize("is_reversed", [False, True])
def test_of_several_rejections_the_latest_is_told_whatever_their_order(is_reversed):
    reviews = [
        review("r1", status="rejected", rationale="early"),
        review("r2", status="rejected", rationale="late", reviewedAt="2026-06-03T00:00:00Z"),
        review("r3", status="rejected", rationale="timeless", reviewedAt="one day"),
    ]
    if is_reversed:
        reviews.reverse()
    record = one_of(survey(reviewOutcomes=reviews))
    assert record["metadata"]["rejectedCandidate"]["reason"] == "late"
    assert record["reviewOutcomeId"] == "r2"


def test_a_reason_of_the_candidate_comes_before_that_of_a_review():
    listed = [{"id": "c1", "extractionId": "x1", "value": 1, "rejectionReason": "stale"}]
    given = survey(candidateSets=[candidate_set(*listed)], reviewOutcomes=[review(**REJECTED)])
    details = one_of(given)["metadata"]["rejectedCandidate"]
    assert (details["reason"], details["candidateReason"]) == ("stale", "stale")
    assert details["reviewRationale"] == "a draft"
    listed[0]["rejectionReason"] = " \t"
    given = survey(candidateSets=[candidate_set(*listed)], reviewOutcomes=[review(**REJECTED)])
    assert one_of(given)["metadata"]["rejectedCandidate"]["reason"] == "a draft"


def test_without_a_review_a_record_is_as_old_as_the_extraction():
    listed = [{"id": "c1", "extractionId": "x1", "value": 1, "rejectionReason": "stale"}]
    given = survey(candidateSets=[candidate_set(*listed)], reviewOutcomes=[])
    record = one_of(given)
    assert record["createdAt"] == EXTRACTED
    assert "reviewOutcomeId" not in record
    assert "claimId" not in record


def test_without_a_time_a_review_is_as_old_as_the_input():
    told = without(review(withinComfortZone=False), "reviewedAt")
    assert one_of(survey(reviewOutcomes=[told]))["createdAt"] == "2026-06-03T00:00:00.000Z"


def test_a_review_of_one_value_is_never_pinned_on_the_claim_of_another():
    listed = [
        {"id": "c1", "extractionId": "x1", "value": 1},
        {"id": "c2", "extractionId": "x2", "value": 2},
    ]
    given = survey(
        extractions=[extraction(), extraction("x2", 2)],
        candidateSets=[candidate_set(*listed)],
        reviewOutcomes=[review(candidateId="c2", withinComfortZone=False)],
        claims=[claim(candidateId="c1")],
    )
    assert "claimId" not in one_of(given)
    given["reviewOutcomes"] = [without(review(withinComfortZone=False), "candidateId")]
    assert one_of(given)["claimId"] == "claim.rent"


def test_text_and_plain_data_give_the_same_and_nothing_is_changed():
    given = survey(reviewOutcomes=[review(**REJECTED)])
    before = copy.deepcopy(given)
    assert derive_learning_records(given) == derive_learning_records(json.dumps(given))
    assert given == before


def test_a_broken_input_is_refused():
    given = survey(reviewOutcomes=[review(**REJECTED)])
    assert derive_learning_records(given)
    given["reviewOutcomes"][0]["candidateId"] = "c9"
    with pytest.raises(SurveyError) as caught:
        derive_learning_records(given)
    assert (caught.value.code, caught.value.pointer) == (
        "unknown-reference",
        "/reviewOutcomes/0/candidateId",
    )
