"""Disputes of refused grounding; row B8 of the edge table of bundles."""

import copy

import pytest
from tests.unit.trust.records import candidate_set, claim, projected, review, statuses, survey

from survey_fast.errors import SurveyError
from survey_fast.trust.dispute import Dispute, dispute_claims
from survey_fast.trust.validation import validate_trust_bundle

REFUSED = Dispute("claim.rent", ("claim.rent.evidence.source",), ("excluded-rival-unresolved",))


def bundle(**members):
    return projected(survey(reviewOutcomes=[review(**members)]))


def code(*arguments):
    with pytest.raises(SurveyError) as caught:
        dispute_claims(*arguments)
    return caught.value.code


def test_row_b8_a_dispute_is_the_newest_event_whatever_any_clock_says():
    given = bundle(reviewedAt="2026-07-01T10:00:00.5+02:00")
    before = copy.deepcopy(given)
    disputed = dispute_claims(given, [REFUSED])
    assert given == before
    event = disputed["events"][-1]
    assert event["createdAt"] == "2026-07-01T08:00:00.501Z"
    assert event["id"] == "claim.rent.reviewed-grounding-dispute"
    assert (event["actor"], event["method"]) == (
        "survey-fast/reviewed-export",
        "survey-fast/reviewed-export-grounding/v1",
    )
    assert "excluded-rival-unresolved" in event["notes"]
    assert disputed["claims"][0]["status"] == "disputed"
    assert validate_trust_bundle(disputed, writing=True)
    for version in "234":
        assert statuses(disputed, version) == {"claim.rent": "disputed"}


def test_other_claims_are_shared_and_not_touched():
    sets = [candidate_set(), candidate_set(name="set.b")]
    claims = [claim(), claim("b", candidateSetId="set.b")]
    reviews = [review(), review("r2", candidateSetId="set.b")]
    given = projected(survey(claims=claims, candidateSets=sets, reviewOutcomes=reviews))
    disputed = dispute_claims(given, [REFUSED])
    assert disputed["claims"][1] is given["claims"][1]
    assert statuses(disputed) == {"claim.rent": "disputed", "b": "verified"}
    assert dispute_claims(given, []) == given


def test_the_newest_of_all_times_counts():
    given = bundle()
    given["events"][0]["verifiedAt"] = "2026-08-01T00:00:00.0009Z"
    disputed = dispute_claims(given, [REFUSED])
    assert disputed["events"][-1]["createdAt"] == "2026-08-01T00:00:00.001Z"


def test_what_cannot_be_disputed():
    given = bundle()
    assert dispute_claims(given, [REFUSED])
    assert code(given, [REFUSED._replace(claim_id="zz")]) == "unknown-reference"
    assert code(given, [REFUSED._replace(evidence_ids=("zz",))]) == "unknown-evidence"
    assert code(given, [REFUSED, REFUSED]) == "projection-id-conflict"
    assert code(dispute_claims(given, [REFUSED]), [REFUSED]) == "projection-id-conflict"
    last = bundle(reviewedAt="9999-12-31T23:59:59.9999Z")
    assert code(last, [REFUSED]) == "projection-time-out-of-range"
