"""A trusted claim says what its review came to: rows 81 to 84 of the surfaces."""

import itertools

import pytest
from tests.unit.trust.records import claim, projected, review, survey, without

from survey_fast.errors import SurveyError
from survey_fast.trust.agreement import governing_review

LATER = "2026-06-02T10:00:00.000Z"


def code(given):
    with pytest.raises(SurveyError) as caught:
        projected(given)
    return caught.value.code


def edited(value, decision="accept-proposed"):
    return review(metadata={"workbenchDecision": decision, "editedValue": value})


def governs(*reviews):
    return governing_review(list(reviews), "/claims/0")["id"]


@pytest.mark.parametrize("status", ["verified", "assumed"])
def test_row_81_a_trusted_claim_has_the_status_of_its_review(status):
    assert projected(survey(claims=[claim(status=status)], reviewOutcomes=[review(status=status)]))
    for other in {"verified", "assumed", "rejected", "proposed"} - {status}:
        given = survey(claims=[claim(status=status)], reviewOutcomes=[review(status=other)])
        assert code(given) == "status-mismatch"


@pytest.mark.parametrize("status", ["proposed", "disputed", "unknown", "stale"])
def test_a_weaker_status_may_be_stated(status):
    (record,) = projected(survey(claims=[claim(status=status)]))["claims"]
    assert record["status"] == status


def test_row_82_the_latest_review_governs_in_any_order():
    later = review("r2", status="rejected", reviewedAt=LATER)
    between = review("r3", status="assumed", reviewedAt="2026-06-02T11:30:00+02:00")
    for order in itertools.permutations([review(), later, between]):
        assert governs(*order) == "r2"
    # As text this is later, as an instant it is not.
    assert governs(later, review("r4", reviewedAt="2026-06-02T10:30:00+01:00")) == "r2"


def test_the_last_digit_of_a_time_counts():
    early = review("r1", reviewedAt="2026-06-02T10:00:00.0001Z")
    late = review("r2", status="rejected", reviewedAt="2026-06-02T10:00:00.0009Z")
    assert governs(early, late) == governs(late, early) == "r2"


def test_row_83_one_instant_in_two_zones():
    same = review("r0", reviewedAt="2026-06-02T11:00:00+02:00")
    assert governs(review(), same) == governs(same, review()) == "r0"
    other = {**same, "status": "rejected"}
    assert code(survey(reviewOutcomes=[review(), other])) == "ambiguous-review-order"
    other = {**same, "metadata": {"workbenchDecision": "accept-proposed", "editedValue": None}}
    assert code(survey(reviewOutcomes=[review(), other])) == "ambiguous-review-order"


def test_ids_are_compared_by_code_unit():
    astral = review("\U0001f600", reviewedAt=LATER)
    private = review("\uffee", reviewedAt=LATER)
    assert governs(private, astral) == "\U0001f600"


@pytest.mark.parametrize("time", ["June 4 2026", "", "2026-02-30T00:00:00Z", None])
def test_a_time_that_is_none_among_several(time):
    bad = without(review("r2"), "reviewedAt")
    if time is not None:
        bad["reviewedAt"] = time
    assert governs(bad) == "r2"
    assert code(survey(reviewOutcomes=[review(), bad])) == "ambiguous-review-order"


def test_row_84_an_edit_counts_beside_an_acceptance_only():
    given = survey(claims=[claim(value=777)], reviewOutcomes=[edited(777)])
    assert projected(given)["claims"][0]["value"] == 777
    for decision in ("keep-current", "select-proposed", "reject-proposed", None):
        given["reviewOutcomes"] = [edited(777, decision)]
        assert code(given) == "value-mismatch"


def test_an_edited_value_is_the_reviewed_value():
    assert code(survey(reviewOutcomes=[edited(777)])) == "value-mismatch"
    assert code(survey(claims=[claim(value=778)], reviewOutcomes=[edited(777)])) == "value-mismatch"
    nothing = survey(claims=[claim(value=None)], reviewOutcomes=[edited(None)])
    assert projected(nothing)["claims"][0]["value"] is None


def test_values_are_compared_by_their_canonical_text():
    assert projected(survey(claims=[claim(value=52000.0)]))
    for other in ("52000", 52001, True, None, [52000]):
        assert code(survey(claims=[claim(value=other)])) == "value-mismatch"


def test_what_is_not_trusted_may_have_any_value():
    assert projected(survey(claims=[claim(value=1, status="proposed")]))
