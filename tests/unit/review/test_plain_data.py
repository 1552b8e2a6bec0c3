"""Plain Python data that no document could hold: refused where it enters, whatever it is in.

Proves the rule for every public function of review sessions that takes plain data. The rows of
the edge table say nothing of it.
"""

import copy
import json
import math

import pytest
from tests.unit.review.sessions import (
    a_conflict,
    a_described,
    a_single,
    codes_of,
    decides,
    history,
    nested,
    session,
    single_file,
)

import survey_fast as sf
from survey_fast.errors import SurveyError
from survey_fast.review.decide import read_request
from survey_fast.review.decision_record import build_review_decisions
from survey_fast.review.display import card_state, display_text, row_status
from survey_fast.review.edits import check_edited_value
from survey_fast.review.session_file import new_session

HOSTILE = {
    "half a pair": "\ud800",
    "half a pair for a name": {"\ud800": 1},
    "not a number": math.nan,
    "infinite": math.inf,
    "no double": 2**53 + 1,
    "beyond doubles": 10**400,
    "too deep": nested(128),
    "much too deep": nested(5000),
    "a number for a name": {1: 2},
    "no data": object(),
    "a set": {1},
    "a tuple": (1, 2),
}
SNAPSHOT = session(a_single(), a_conflict(name="b"))
EVENTS = history(decides("accept-proposed"), decides("select-proposed", "b", "c-2"))


def with_data(value):
    events = copy.deepcopy(EVENTS)
    events[0]["spec"]["data"]["workbenchEditedValue"] = value
    return events


def with_producer(value):
    events = copy.deepcopy(EVENTS)
    events[1]["metadata"]["producer"] = {"others": value}
    return events


def with_value(value):
    return session(a_single(value), a_conflict(name="b"))


def with_edit(value):
    edits = {"editedValuesByItemName": {"a": value}}
    return SNAPSHOT | {"decisionsByItemName": {"a": "accept-proposed"}} | edits


def seeded(snapshot):
    return sf.derive_review_session_apply_result(snapshot, EVENTS, allow_seeded=True)


def one_item(value):
    state = {"item": SNAPSHOT["items"][0], "note": "", "decision": "accept-proposed"}
    state |= {"reviewedAt": SNAPSHOT["reviewedAt"], "actorId": "ana", "editedValue": value}
    return sf.build_review_decision(state)


CALLS = {
    "derive, data": lambda v: sf.derive_review_session_apply_result(SNAPSHOT, with_data(v)),
    "derive, producer": lambda v: sf.derive_review_session_apply_result(SNAPSHOT, with_producer(v)),
    "derive, tuple": lambda v: sf.derive_review_session_apply_result(SNAPSHOT, (*with_data(v),)),
    "derive, value": lambda v: sf.derive_review_session_apply_result(with_value(v), EVENTS),
    "derive, seeded": lambda v: seeded(with_edit(v)),
    "validate": lambda v: sf.validate_review_session_events(SNAPSHOT, with_data(v)),
    "replay": lambda v: sf.replay_review_session_events(SNAPSHOT, with_data(v)),
    "replay, value": lambda v: sf.replay_review_session_events(with_value(v), EVENTS),
    "events": lambda v: sf.build_review_session_events(with_edit(v), session_name="s"),
    "decision": one_item,
    "decisions": lambda v: build_review_decisions(with_edit(v)),
    "open": lambda v: sf.open_review_queue([a_single(v)], reviewed_at="t", actor_id="a"),
    "new": lambda v: new_session(with_value(v), name="s"),
    "request": lambda v: read_request({"item": "a", "decision": "accept", "editedValue": v}),
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_no_document_can_hold_is_refused_where_it_enters(call, value):
    call("as is")
    with pytest.raises((SurveyError, TypeError)):
        call(value)


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_the_one_call_form_tells_it_as_an_issue(value):
    assert sf.apply_review_session(single_file(with_data("as is"))).ok
    try:
        result = sf.apply_review_session(single_file(with_data(value)))
    except TypeError:
        return
    assert not result.ok
    assert codes_of(result.issues)[0].startswith("json-")


def test_the_place_of_what_is_refused():
    with pytest.raises(SurveyError) as caught:
        sf.validate_review_session_events(SNAPSHOT, with_data("\ud800"))
    place = "/0/spec/data/workbenchEditedValue"
    assert (caught.value.code, caught.value.pointer) == ("json-lone-surrogate", place)


@pytest.mark.parametrize(
    "item", [{}, {"metadata": {"name": "a"}}, {"metadata": {"name": "a"}, "spec": {"target": "t"}}]
)
def test_items_that_are_none(item):
    assert sf.conflict_selection_issue(a_conflict(), "c-1") is None
    for call in (
        lambda: sf.conflict_selection_issue(item, "c-1"),
        lambda: sf.candidate_for_decision(item, "accept-proposed"),
    ):
        with pytest.raises(SurveyError) as caught:
            call()
        assert caught.value.code == "session-malformed"
    for wrong in (None, 1, []):
        with pytest.raises(TypeError):
            sf.candidate_for_decision(wrong, "accept-proposed")


def test_a_text_is_shown_of_whatever_a_document_can_hold():
    assert display_text(nested(127)).count("[") == 127
    for value in (nested(5000), {"a": nested(129)}, math.nan, ["\ud800"], 10**400):
        with pytest.raises(SurveyError):
            display_text(value)


def test_a_kind_that_is_none_has_no_state():
    item = a_single()
    for call in (lambda: card_state(item, "x"), lambda: row_status(item, [], is_active=True)):
        with pytest.raises(SurveyError) as caught:
            call()
        assert caught.value.code == "decision-malformed"


def test_an_edit_is_nested_a_hundred_deep_at_most():
    for item in (a_single(), a_described("array"), a_described("object")):
        assert check_edited_value(item, nested(100)).value == nested(100)
        assert check_edited_value(item, {"a": nested(99), "b": []}).value["b"] == []
        for deep in (nested(101), {"a": nested(100)}, [1, nested(100), 2], nested(100_000)):
            assert check_edited_value(item, deep).code == "edited-value-depth"


def test_an_edit_too_deep_is_a_finding_of_a_history():
    assert sf.validate_review_session_events(SNAPSHOT, with_data(nested(100))) == []
    found = sf.validate_review_session_events(SNAPSHOT, with_data(nested(101)))
    assert codes_of(found) == ["edited-value-depth"]


def test_the_deepest_edit_goes_all_the_way():
    events = history(decides("accept-proposed", data={"workbenchEditedValue": nested(100)}))
    document = single_file(events)
    result = sf.apply_review_session(json.dumps(document))
    assert result.ok
    assert sf.canonical_json(result.to_json())
    assert sf.canonical_json(document)
