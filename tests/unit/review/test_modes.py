"""Producer decision modes: row 84 of the edge table, and that a decision about several passes."""

from __future__ import annotations

import pytest
from tests.unit.review.test_decision_samples import (
    candidate,
    conflict,
    decision,
    review_item,
    single,
    transition,
)

from survey_fast.errors import DecisionError
from survey_fast.review.decision_record import decision_record
from survey_fast.review.modes import decision_mode_issues, require_decision_mode
from survey_fast.review.results import result_record

MODES = ("keep-current", "current-proposed", "free-select", "manual", "", None, 7, ["free-select"])


def result(item, kind, **members):
    one = decision(kind, **members)
    return result_record(item, one, decision_record(item, one, None))


def under(mode, item):
    item["spec"]["producerPolicy"] = {"decisionMode": mode, "other": True}
    return item


def codes(mode, item, kind, **members):
    item = under(mode, item)
    return [issue.code for issue in decision_mode_issues(item, result(item, kind, **members))]


def test_row_84_keep_current_takes_nothing_else():
    for kind in ("accept-proposed", "reject-proposed"):
        assert codes("keep-current", transition(1, 2), kind) == ["decision-not-allowed"]
    chosen = {"candidate_id": "c-1"}
    assert codes("keep-current", conflict(), "select-proposed", **chosen) == [
        "decision-not-allowed"
    ]
    # Rejecting every value is about none of them, but it is not keeping what is current either.
    assert codes("keep-current", conflict(), "reject-proposed") == ["decision-not-allowed"]
    assert codes("keep-current", transition(1, 2), "keep-current") == []


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_row_84_could_not_confirm_passes_every_mode(mode):
    for item in (single(), conflict()):
        assert codes(mode, item, "could-not-confirm", note="why") == []


@pytest.mark.parametrize("mode", MODES[3:], ids=str)
@pytest.mark.parametrize("kind", ["accept-proposed", "keep-current", "reject-proposed"])
def test_row_84_an_unknown_mode_takes_nothing(mode, kind):
    assert codes(mode, transition(1, 2), kind) == ["unknown-decision-mode"]


@pytest.mark.parametrize("mode", ["current-proposed", "free-select"])
def test_what_the_open_modes_take(mode):
    for kind in ("accept-proposed", "keep-current", "reject-proposed"):
        assert codes(mode, transition(1, 2), kind) == []
    assert codes(mode, conflict(), "select-proposed", candidate_id="c-1") == []
    # About several: it takes no candidate for an action.
    assert codes(mode, conflict(), "reject-proposed") == []


def test_a_candidate_of_another_role():
    item = review_item(candidate("c-1", 1), candidate("old", 2, "alternative"))
    other = {**result(item, "accept-proposed"), "selectedCandidateId": "old"}
    under("current-proposed", item)
    assert [one.code for one in decision_mode_issues(item, other)] == ["decision-not-allowed"]
    under("free-select", item)
    assert decision_mode_issues(item, other) == []


@pytest.mark.parametrize("mode", ["current-proposed", "free-select"])
def test_a_candidate_that_is_not_on_the_item(mode):
    other = {**result(single(), "accept-proposed"), "selectedCandidateId": "c-9"}
    issues = decision_mode_issues(under(mode, single()), other)
    assert [(one.code, one.item_name) for one in issues] == [
        ("candidate-not-in-item", "lease-7.rent")
    ]


@pytest.mark.parametrize("policy", [{}, {"producerPolicy": {}}, {"producerPolicy": {"a": 1}}])
def test_without_a_mode_everything_passes(policy):
    item = single(**policy)
    assert decision_mode_issues(item, result(item, "accept-proposed")) == []
    require_decision_mode(item, result(item, "accept-proposed"))


def test_what_is_not_taken_is_raised_with_all_that_was_found():
    item = under("keep-current", single())
    with pytest.raises(DecisionError) as caught:
        require_decision_mode(item, result(item, "accept-proposed"))
    assert caught.value.code == "decision-mode-violation"
    (issue,) = caught.value.details["issues"]
    assert (issue["code"], issue["itemName"]) == ("decision-not-allowed", "lease-7.rent")
