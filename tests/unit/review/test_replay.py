"""Validation of a history: rows 3 to 6, 14, 36, 37 and 39 to 44 of the edge table.

Of the surfaces' table: 26, 28 and 91, below a surface. Row 38, a foreign session's event, and
row 85 belong to the servers that take events from a client.
"""

import copy

import pytest
from tests.unit.review.sessions import (
    a_conflict,
    a_described,
    a_single,
    a_transition,
    an_item,
    blind,
    clears,
    codes,
    decides,
    event,
    history,
    notes,
    numbered,
    session,
)
from tests.unit.review.test_decision_samples import AUDIT, candidate, doubled

from survey_fast.errors import SessionError
from survey_fast.review.replay import replay_review_session_events, validate_review_session_events

CONDITIONS = {"sessionConditions": AUDIT}


def test_a_whole_history_is_valid():
    items = [a_single(), a_conflict(name="b"), a_transition(1, 2, name="c"), a_single(name="d")]
    events = [
        event("session-started"),
        event("item-selected", "a", activeItemName="a"),
        notes("fine"),
        decides("accept-proposed"),
        decides("accept-proposed", eventType="decision-submitted"),
        decides("select-proposed", "b", "c-2"),
        decides("keep-current", "c", "c-now"),
        decides("could-not-confirm", "d"),
        event("session-completed"),
    ]
    assert codes(session(*items), *events) == []


@pytest.mark.parametrize("named", [None, "c-9", "c-now"], ids=["no id", "unknown id", "current id"])
def test_rows_3_and_4_a_choice_that_names_no_proposed_candidate(named):
    item = a_transition(0, 1, 2)
    found = ["invalid-conflict-selection"] + ["unknown-candidate"] * (named == "c-9")
    assert codes(session(item), decides("select-proposed", candidate=named)) == found


def test_row_4_says_which_role_the_candidate_has():
    events = history(decides("select-proposed", candidate="c-now"))
    (issue,) = validate_review_session_events(session(a_transition(0, 1, 2)), events)
    assert "current" in issue.message


@pytest.mark.parametrize("item", [a_single(), a_transition(1, 2)], ids=["alone", "beside current"])
def test_row_5_a_choice_without_rivals(item):
    assert codes(session(item), decides("select-proposed")) == ["invalid-conflict-selection"]


@pytest.mark.parametrize("named", ["c-1", "c-2", None])
def test_row_6_and_26_an_acceptance_of_a_conflict(named):
    found = codes(session(a_conflict()), decides("accept-proposed", candidate=named))
    assert found == ["decision-not-recordable"]


def test_keeping_what_is_not_there():
    assert codes(session(a_single()), decides("keep-current", candidate=None)) == [
        "decision-not-recordable"
    ]


def test_an_unrecordable_decision_about_an_unknown_candidate_is_both():
    assert codes(session(a_conflict()), decides("accept-proposed", candidate="x")) == [
        "decision-not-recordable",
        "unknown-candidate",
    ]


def test_row_14_a_candidate_id_that_stands_twice():
    item = doubled(a_single())
    assert codes(session(item), decides("accept-proposed")) == ["decision-not-recordable"]
    both = an_item(candidate("c-1", 1), candidate("c-1", 2))
    assert codes(session(both), decides("select-proposed")) == ["invalid-conflict-selection"]


@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_a_decision_about_several_names_none(kind):
    snapshot = session(a_conflict())
    assert codes(snapshot, decides(kind, candidate=None)) == []
    assert codes(snapshot, decides(kind, candidate="c-1")) == ["decision-candidate-mismatch"]
    assert codes(snapshot, decides(kind, candidate="c-9")) == ["unknown-candidate"]


@pytest.mark.parametrize(
    ("sequences", "found"),
    [
        ([1, 1], ["duplicate-sequence", "non-contiguous-sequence"]),
        ([1, 3], ["non-contiguous-sequence"]),
        ([2, 1], ["non-contiguous-sequence", "non-contiguous-sequence"]),
        ([0], ["invalid-sequence"]),
        ([-1, 2], ["invalid-sequence"]),
        ([True], ["invalid-sequence"]),
        ([1.0], ["invalid-sequence"]),
        (["1"], ["invalid-sequence"]),
        ([None], ["invalid-sequence"]),
        ([2**53], ["invalid-sequence"]),
        ([2**53 - 1], ["non-contiguous-sequence"]),
    ],
    ids=str,
)
def test_rows_36_and_37_sequences(sequences, found):
    events = [numbered(number, event("session-started")) for number in sequences]
    assert codes(session(a_single()), *events) == found


@pytest.mark.parametrize(
    "kind", ["toString", "constructor", "__proto__", "accept", "Accept-Proposed", "", 1, True, []]
)
def test_rows_39_and_91_a_kind_that_is_none(kind):
    one = decides("accept-proposed", data={"workbenchDecision": kind})
    # An item whose candidate has no role let such a kind pass elsewhere.
    for item in (a_single(), an_item(candidate("c-1", 1, None))):
        assert codes(session(item), one) == ["invalid-workbench-decision"]


def test_row_40_a_decision_without_a_kind_and_a_clear_event():
    snapshot = session(a_single())
    for data in (None, {}, {"other": 1}):
        one = event("decision-changed", "a", candidateId="c-1", status="verified", data=data)
        assert codes(snapshot, one) == ["invalid-workbench-decision"]
    assert codes(snapshot, clears()) == []


def test_row_41_an_acceptance_that_names_the_current_candidate():
    assert codes(session(a_transition(1, 2)), decides("accept-proposed", candidate="c-now")) == [
        "decision-candidate-mismatch"
    ]
    assert codes(session(a_transition(1, 2)), decides("accept-proposed", candidate=None)) == [
        "decision-candidate-mismatch"
    ]


def test_row_42_an_acceptance_of_an_unknown_candidate():
    assert codes(session(a_single()), decides("accept-proposed", candidate="x")) == [
        "unknown-candidate"
    ]


def test_row_43_a_status_of_another_kind():
    snapshot = session(a_single())
    for status in ("rejected", "proposed", "assumed", None):
        assert codes(snapshot, decides("accept-proposed", status=status)) == [
            "decision-status-mismatch"
        ]


def test_a_resolution_of_another_kind_and_a_missing_reason():
    snapshot = session(a_single())
    mismatch = ["decision-resolution-mismatch"]
    assert codes(snapshot, decides("accept-proposed", resolution="accepted")) == mismatch
    assert codes(snapshot, decides("could-not-confirm", resolution="held")) == mismatch
    assert codes(snapshot, decides("could-not-confirm", resolution=None)) == mismatch
    for reason in (None, "", " \n\t", "\u3000\u00a0\ufeff"):
        one = decides("could-not-confirm", resolutionReason=reason)
        assert codes(snapshot, one) == ["missing-resolution-reason"]


def test_row_44_an_item_that_is_not_in_the_queue():
    snapshot = session(a_single())
    assert codes(snapshot, decides("accept-proposed", "zz")) == ["unknown-review-item"]
    assert codes(snapshot, event("item-selected", "zz", activeItemName="yy")) == [
        "unknown-active-item",
        "unknown-review-item",
    ]
    assert codes(snapshot, decides("accept-proposed", None)) == ["missing-review-item"]


def test_a_decision_about_no_item_is_still_judged_on_the_active_one():
    one = decides("accept-proposed", None, "x", activeItemName="a")
    assert codes(session(a_single()), one) == ["missing-review-item", "unknown-candidate"]


@pytest.mark.parametrize("member", ["notesByItemName", "constructor", "__class__"])
def test_an_item_named_like_a_member_is_not_found_by_accident(member):
    assert codes(session(a_single()), notes("x", member)) == ["unknown-review-item"]


def test_the_order_of_findings_within_one_event():
    worst = decides(
        "could-not-confirm",
        "a",
        "c-9",
        activeItemName="zz",
        status="verified",
        resolution="held",
        resolutionReason=" ",
        data=CONDITIONS,
    )
    assert codes(session(a_conflict()), worst) == [
        "unknown-active-item",
        "session-conditions-mismatch",
        "decision-status-mismatch",
        "decision-resolution-mismatch",
        "missing-resolution-reason",
        "unknown-candidate",
    ]


def test_sequence_findings_of_the_whole_stream_come_first():
    events = [
        numbered(5, notes("x", "zz")),
        numbered(5, decides("accept-proposed", status="rejected")),
    ]
    assert codes(session(a_single()), *events) == [
        "non-contiguous-sequence",
        "duplicate-sequence",
        "non-contiguous-sequence",
        "unknown-review-item",
        "decision-status-mismatch",
    ]


def test_what_a_finding_says():
    events = history(notes("x"), decides("accept-proposed", candidate="x"))
    (issue,) = validate_review_session_events(session(a_single()), events)
    body = issue.to_json()
    assert body.pop("message")
    assert body == {
        "code": "unknown-candidate",
        "eventName": "s1-0002-decision-changed",
        "sequence": 2,
        "reviewItemName": "a",
        "candidateId": "x",
    }


def test_replay_raises_the_first_code_and_carries_all():
    events = history(notes("x", "zz"), decides("accept-proposed", candidate="x"))
    with pytest.raises(SessionError) as caught:
        replay_review_session_events(session(a_single()), events)
    assert caught.value.code == "unknown-review-item"
    found = [issue["code"] for issue in caught.value.details["issues"]]
    assert found == ["unknown-review-item", "unknown-candidate"]


def test_nothing_given_is_changed():
    snapshot, events = blind(a_single()), history(decides("accept-proposed", data=CONDITIONS))
    before = copy.deepcopy((snapshot, events))
    replay_review_session_events(snapshot, events)
    assert (snapshot, events) == before


@pytest.mark.parametrize("kind", ["number", "boolean"])
def test_only_the_final_edit_of_an_item_is_judged(kind):
    snapshot = session(a_described(kind))
    bad = decides("accept-proposed", data={"workbenchEditedValue": "nonsense"})
    assert codes(snapshot, bad) == ["edited-value-type-mismatch"]
    assert codes(snapshot, bad, bad) == ["edited-value-type-mismatch"]
    for later in (decides("reject-proposed"), clears(), decides("accept-proposed")):
        assert codes(snapshot, bad, later) == []
    fixed = session({**a_single(), "spec": {**a_single()["spec"], "editable": False}})
    assert codes(fixed, bad) == ["edited-value-not-editable"]
