"""Figures of reviewers, from decisions that were applied and from decisions written by hand."""

import pytest
from tests.unit.review.sessions import decides, derived, notes
from tests.unit.review.test_decision_samples import session
from tests.unit.trust.records import a_conflict, a_single, candidate, item

from survey_fast.errors import SurveyError
from survey_fast.trust.oversight import derive_oversight

NOW = "2026-10-03T00:00:00.000Z"


def decision(minute, actor="ana", status="verified", **spec):
    at = f"2026-10-02T09:{minute:02}:00.000Z"
    return {
        "kind": "ReviewDecision",
        "metadata": {"name": "d"},
        "spec": {
            "reviewItemName": "a",
            "status": status,
            "reviewedAt": at,
            **({} if actor is None else {"actor": {"id": actor}}),
            **spec,
        },
    }


def applied():
    """One decision of each kind, the first with a note."""
    kept = item(candidate("c-now", 1, "current"), candidate("c-1", 2), name="c")
    snapshot = session(
        a_single(name="a"), a_conflict(name="b"), kept, a_single(name="d"), a_single(name="e")
    )
    events = [
        notes("as printed"),
        decides("accept-proposed", "a"),
        decides("select-proposed", "b", "c-2"),
        decides("keep-current", "c", "c-now"),
        decides("reject-proposed", "d"),
        decides("could-not-confirm", "e"),
    ]
    return list(derived(snapshot, *events, required="all").decisions)


def test_a_kept_value_is_an_override_and_what_could_not_be_confirmed_is_no_agreement():
    overall = derive_oversight(applied(), now=NOW).overall
    assert overall.decision_count == 5
    assert overall.override_rate == 2 / 4
    assert overall.typed_rationale_rate == 1 / 5


def test_another_candidate_than_the_projection_names_is_an_override():
    told = [decision(0, candidateId="c-2", projection={"candidateId": "c-1"}), decision(1)]
    assert derive_oversight(told, now=NOW).overall.override_rate == 0.5


def test_pace_is_counted_between_first_and_last():
    overall = derive_oversight([decision(at) for at in (0, 10, 30)], now=NOW).overall
    assert overall.decisions_per_hour == 6.0
    assert overall.median_inter_decision_seconds == 900.0
    alone = derive_oversight([decision(0)], now=NOW).overall
    assert (alone.decisions_per_hour, alone.median_inter_decision_seconds) == (0.0, None)
    together = derive_oversight([decision(0), decision(0)], now=NOW).overall
    assert (together.decisions_per_hour, together.median_inter_decision_seconds) == (0.0, 0.0)


def test_figures_stand_for_every_reviewer_in_order_of_name():
    told = [decision(0, "ben"), decision(1, None), decision(2, "ana"), decision(3, "ben")]
    found = derive_oversight(told, now=NOW)
    assert [(one.actor, one.decision_count) for one in found.by_actor] == [
        ("ana", 1),
        ("ben", 2),
        ("unknown", 1),
    ]
    assert derive_oversight(told[::-1], now=NOW) == found


def test_coverage_is_told_only_where_it_was_asked_for():
    told = [decision(0)]
    assert derive_oversight(told, now=NOW).overall.sampling_coverage is None
    assert derive_oversight(told, now=NOW, presented_count=4).overall.sampling_coverage == 0.25
    assert derive_oversight(told, now=NOW, presented_count=0).overall.sampling_coverage == 0.0


def test_a_window_leaves_out_what_is_older_or_has_no_time():
    told = [decision(0), decision(1, reviewedAt="2026-09-01T00:00:00Z"), decision(2)]
    told[2]["spec"]["reviewedAt"] = "soon"
    found = derive_oversight(told, now=NOW, window_days=2).to_json()
    assert (found["inputDecisionCount"], found["overall"]["decisionCount"]) == (3, 1)
    assert (found["windowStart"], found["windowEnd"]) == ("2026-10-01T00:00:00.000Z", NOW)
    assert "windowStart" not in derive_oversight(told, now=NOW).to_json()


def test_without_decisions_there_is_nothing_to_measure():
    assert derive_oversight([], now=NOW).to_json()["overall"] == {
        "decisionCount": 0,
        "decisionsPerHour": 0.0,
    }


@pytest.mark.parametrize(
    ("broken", "pointer"),
    [(1, "/1"), ({}, "/1"), ({"spec": []}, "/1"), ({"spec": {"status": None}}, "/1/spec/status")],
    ids=str,
)
def test_what_is_no_decision_is_refused(broken, pointer):
    assert derive_oversight([decision(0)], now=NOW).input_decision_count == 1
    with pytest.raises(SurveyError) as caught:
        derive_oversight([decision(0), broken], now=NOW)
    assert (caught.value.code, caught.value.pointer) == ("decision-malformed", pointer)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"now": "soon"}, ValueError),
        ({"now": 1}, TypeError),
        ({"now": NOW, "window_days": -1}, ValueError),
        ({"now": NOW, "window_days": True}, TypeError),
        ({"now": NOW, "presented_count": -1}, ValueError),
        ({"now": NOW, "presented_count": 1.5}, TypeError),
        ({"now": "0001-01-01T00:00:00Z", "window_days": 36_525}, ValueError),
    ],
    ids=str,
)
def test_wrong_options_are_misuse(options, error):
    with pytest.raises(error):
        derive_oversight([], **options)
