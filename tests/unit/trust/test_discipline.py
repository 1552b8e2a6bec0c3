"""What a claim owes before it is trusted, rule by rule, and what a rule may accept.

Row 80 of the surfaces (accepting by rule) is proven here.
"""

import pytest
from tests.unit.trust.records import (
    candidate_set,
    claim,
    projected,
    review,
    statuses,
    survey,
    without,
)

from survey_fast.errors import SurveyError
from survey_fast.trust.auto_accept import auto_accept
from survey_fast.trust.discipline import require_review_discipline

AT = "2026-06-02T09:00:00.000Z"
UNCONFIRMED = {"resolution": "could_not_confirm", "resolutionReason": "illegible"}


def code(action, *arguments, **options):
    with pytest.raises(SurveyError) as caught:
        action(*arguments, **options)
    return caught.value.code


def judged(status, outcome, set_status="resolved"):
    require_review_discipline(
        status=status, set_status=set_status, review=outcome, pointer="/claims/0"
    )


@pytest.mark.parametrize("status", ["verified", "assumed"])
def test_trust_needs_a_review_that_says_who_and_when(status):
    judged(status, review(status=status))
    assert code(judged, status, None) == "review-missing"
    for member, expected in (
        ("actor", "review-actor-missing"),
        ("reviewedAt", "review-time-missing"),
    ):
        assert code(judged, status, without(review(), member)) == expected
        assert code(judged, status, review(**{member: " "})) == expected


@pytest.mark.parametrize("status", ["proposed", "disputed", "rejected", "unknown"])
def test_what_is_not_trusted_needs_no_review(status):
    judged(status, None)


@pytest.mark.parametrize(
    ("resolution", "status", "is_consistent"),
    [
        ("accepted", "verified", True),
        ("accepted", "assumed", True),
        ("accepted", "rejected", False),
        ("accepted", "proposed", False),
        ("rejected", "rejected", True),
        ("rejected", "verified", False),
        ("held", "proposed", True),
        ("held", "rejected", False),
    ],
)
def test_resolution_and_status_agree(resolution, status, is_consistent):
    outcome = review(status=status, resolution=resolution)
    if is_consistent:
        judged(status, outcome)
    else:
        assert code(judged, status, outcome) == "resolution-inconsistent"


@pytest.mark.parametrize("member", ["resolutionReason", "actor", "reviewedAt"])
def test_could_not_confirm_is_complete(member):
    outcome = review(status="proposed", **UNCONFIRMED)
    judged("proposed", outcome)
    assert code(judged, "proposed", {**outcome, member: ""}) == "resolution-inconsistent"
    assert code(judged, "proposed", without(outcome, member)) == "resolution-inconsistent"


@pytest.mark.parametrize("status", ["verified", "rejected"])
def test_what_could_not_be_confirmed_is_not_settled(status):
    outcome = review(status="proposed", **UNCONFIRMED)
    assert code(judged, status, outcome) == "resolution-status-conflict"


@pytest.mark.parametrize("set_status", ["conflict", "escalated"])
def test_a_conflict_that_could_not_be_confirmed_stays_disputed(set_status):
    outcome = review(status="proposed", **UNCONFIRMED)
    judged("disputed", outcome, set_status)
    assert code(judged, "proposed", outcome, set_status) == "conflict-not-disputed"
    judged("proposed", outcome, "needs-review")


def test_the_order_of_the_rules():
    outcome = review(status="rejected", **UNCONFIRMED)
    assert code(judged, "verified", outcome, "conflict") == "resolution-inconsistent"
    outcome = review(status="proposed", **UNCONFIRMED)
    assert code(judged, "verified", outcome, "conflict") == "resolution-status-conflict"


def test_an_unreviewed_claim_cannot_be_stated_as_trusted():
    given = survey(claims=[claim(status="verified")])
    assert statuses(projected(given)) == {"claim.rent": "verified"}
    given["reviewOutcomes"] = []
    assert code(projected, given) == "review-missing"
    given["candidateSets"] = [candidate_set(status="conflict")]
    assert code(projected, given) == "review-missing"


# Accepting by rule


def accepted(evidence, keys=("a",), bar=0.9):
    return auto_accept(evidence, equivalence_keys=keys, min_confidence=bar, fallback_reviewed_at=AT)


def test_row_80_the_bar_itself_is_enough():
    decision = accepted({"confidence": 0.9})
    assert (decision["accepted"], decision["status"]) == (True, "assumed")
    assert decision["actor"] == "auto-accept-policy"
    assert decision["withinComfortZone"] is True
    assert accepted({"confidence": 0.8999})["accepted"] is False
    assert accepted({})["accepted"] is False
    assert "confidence" not in accepted({})


def test_row_80_a_conflict_is_never_accepted():
    decision = accepted({"confidence": 1}, keys=("a", "b"))
    assert (decision["accepted"], decision["status"]) == (False, "proposed")
    assert accepted({"confidence": 1}, keys=("a", "a"))["accepted"] is True


def test_row_80_a_rationale_is_appended_even_when_it_is_empty():
    bare = accepted({"confidence": 1})["rationale"]
    assert accepted({"confidence": 1, "rationale": "seen twice"})["rationale"].endswith(
        "seen twice"
    )
    assert accepted({"confidence": 1, "rationale": ""})["rationale"] != bare


def test_the_time_of_a_rule_says_where_it_comes_from():
    assert accepted({"confidence": 1})["reviewedAtSource"] == "fallback"
    decision = accepted({"confidence": 1, "proposedAt": "2026-01-01T00:00:00Z"})
    assert (decision["reviewedAt"], decision["reviewedAtSource"]) == (
        "2026-01-01T00:00:00Z",
        "proposedAt",
    )


@pytest.mark.parametrize(
    ("evidence", "bar"),
    [
        ({"confidence": True}, 0.9),
        ({"confidence": None}, 0.9),
        ({"confidence": float("nan")}, 0.9),
        ({"confidence": 1}, float("nan")),
        ({"confidence": 1}, "0.9"),
        ({"confidence": 1, "proposedAt": "yesterday"}, 0.9),
        ({"confidence": 1, "proposedAt": None}, 0.9),
        ({"confidence": 1, "rationale": None}, 0.9),
        ({"confidence": 1, "rationale": ["seen"]}, 0.9),
        # More than certain is no confidence, and a bar below 0 would be none.
        ({"confidence": 95}, 0.9),
        ({"confidence": 10**400}, 0.9),
        ({"confidence": -0.1}, 0.9),
        ({"confidence": 1}, 1.1),
        ({"confidence": 1}, -1),
    ],
)
def test_what_is_no_confidence_or_time_is_refused(evidence, bar):
    assert accepted({"confidence": 1})
    assert code(accepted, evidence, bar=bar) == "auto-accept-options-invalid"


@pytest.mark.parametrize("keys", ["ab", b"cd", None, 3, [[]], ["a", None], [{}]])
def test_keys_that_are_no_texts_are_misuse(keys):
    assert accepted({"confidence": 1}, keys=("ab",))["accepted"] is True
    with pytest.raises(TypeError):
        accepted({"confidence": 1}, keys=keys)


def test_evidence_that_is_no_mapping_is_misuse():
    with pytest.raises(TypeError):
        accepted(["confidence"])
