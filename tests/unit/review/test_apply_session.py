"""The one-call form: rows 38, 60 and 63 of the review table, and whatever else is wrong."""

import json

import pytest
from tests.unit.review.sessions import a_conflict, a_single, session

import survey_fast as sf
from survey_fast.review.session_file import new_session, packed, read_session


def single_file(**changes):
    snapshot = session(a_single(), a_conflict(name="b"))
    root = new_session(snapshot, name="round")
    decided = {**snapshot, "decisionsByItemName": {"a": "accept-proposed"}}
    events = sf.build_review_session_events(decided, session_name="round")
    text, _ = packed(read_session(root).with_events(events, ""))
    return json.loads(text) | changes


def codes(result):
    return [issue.code for issue in result.issues]


def test_a_session_in_order_is_applied():
    result = sf.apply_review_session(single_file(), required="any")
    assert (result.ok, codes(result)) == (True, [])
    assert [one["decision"] for one in result.results] == ["accept-proposed"]
    assert sf.apply_review_session(json.dumps(single_file())).ok


def test_row_38_an_event_of_another_session_comes_first():
    document = single_file()
    document["events"][2]["spec"]["sessionName"] = "other"
    document["events"][3]["spec"]["sequence"] = 9
    result = sf.apply_review_session(document)
    assert (result.ok, codes(result), result.results) == (False, ["session-name-mismatch"], ())


def test_row_60_an_edited_queue_is_an_issue():
    document = single_file()
    document["snapshot"]["items"][0]["spec"]["candidates"][0]["value"] = "forged"
    assert codes(sf.apply_review_session(document)) == ["unattested-queue"]


def test_row_85_nothing_is_derived_from_another_state_than_the_caller_read():
    document = single_file()
    token = read_session(json.dumps(document).encode()).revision
    assert sf.apply_review_session(document, expected_revision=token).ok
    for changed in (document["events"][:-1], [*document["events"], document["events"][-1]]):
        result = sf.apply_review_session(
            {**document, "events": changed}, expected_revision=token, required="any"
        )
        assert (result.ok, codes(result)) == (False, ["stale-revision"])
        assert (result.results, result.decisions, result.replayed_session) == ((), (), None)


def test_decisions_that_the_snapshot_brought_are_checked_by_either_form():
    snapshot = session(a_single(), a_conflict(name="b"))
    seeded = snapshot | {"decisionsByItemName": {"a": "accept-proposed", "b": "select-proposed"}}
    document = {key: value for key, value in single_file().items() if key != "queueBinding"}
    read = read_session(json.dumps(document | {"snapshot": seeded, "events": []}).encode())
    for check in (read.apply, read.verify):
        with pytest.raises(sf.SurveyError) as caught:
            check()
        assert caught.value.code == "seeded-snapshot"
    assert read.verify(allow_seeded=True).issues == []
    assert codes(read.apply(allow_seeded=True)) == ["invalid-conflict-selection"]


def test_invalid_events_are_announced_and_listed():
    document = single_file()
    document["events"][2]["spec"]["status"] = "rejected"
    result = sf.apply_review_session(document)
    assert codes(result) == ["invalid-events", "decision-status-mismatch"]
    assert result.results == ()


@pytest.mark.parametrize(
    "document", [b"", "{", b"[]", {}, {"session": 1, "snapshot": 2}, {"events": []}]
)
def test_nothing_of_any_shape_escapes(document):
    result = sf.apply_review_session(document)
    assert not result.ok
    assert len(result.issues) == 1


def test_a_session_without_events_asks_for_what_is_required():
    document = single_file(events=[])
    assert codes(sf.apply_review_session(document, required="any")) == ["no-resolved-review-items"]
    assert sf.apply_review_session(document).ok


def test_the_decision_mode_of_an_item_is_enforced_when_asked():
    item = a_single(producerPolicy={"decisionMode": "keep-current"})
    snapshot = session(item)
    root = new_session(snapshot, name="round")
    decided = {**snapshot, "decisionsByItemName": {"a": "accept-proposed"}}
    events = sf.build_review_session_events(decided, session_name="round")
    document = read_session(root).with_events(events, "")
    assert sf.apply_review_session(document).ok
    result = sf.apply_review_session(document, enforce_producer_policy=True)
    assert (result.ok, codes(result)) == (False, ["decision-mode-violation"])
    assert len(result.results) == 1


def test_events_of_another_session_are_refused_wherever_they_are_checked():
    snapshot = session(a_single())
    root = new_session(snapshot, name="round")
    decided = {**snapshot, "decisionsByItemName": {"a": "accept-proposed"}}
    document = read_session(root)
    own = document.with_events(sf.build_review_session_events(decided, session_name="round"), "")
    assert own.apply().ok
    events = sf.build_review_session_events(decided, session_name="other")
    foreign = document.with_events(events, "")
    assert {issue.code for issue in foreign.apply().issues} == {"session-name-mismatch"}
    assert {issue.code for issue in foreign.verify().issues} == {"session-name-mismatch"}


def test_a_binding_of_another_session_is_refused_wherever_it_is_checked():
    members = json.loads(new_session(session(a_single()), name="round"))
    members["session"]["metadata"]["name"] = "other"
    document = read_session(json.dumps(members).encode())
    for check in (document.apply, document.verify):
        with pytest.raises(sf.SurveyError) as caught:
            check()
        assert caught.value.code == "session-name-mismatch"


def test_a_producer_block_that_is_none_is_refused_in_words():
    snapshot = session(a_single())
    snapshot["items"][0]["spec"]["candidates"][0]["producer"] = None
    with pytest.raises(sf.SurveyError) as caught:
        sf.derive_review_session_apply_result(snapshot, [])
    assert caught.value.pointer == "/items/0/spec/candidates/0/producer"
