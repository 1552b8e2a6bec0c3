"""Mapping results to actions: row 12 of the edge table, and every fault of a mapping."""

from __future__ import annotations

import pytest
from tests.unit.review.sessions import nested
from tests.unit.review.test_decision_samples import (
    conflict,
    decision,
    doubled,
    single,
    transition,
)

from survey_fast.errors import DecisionError, SurveyError
from survey_fast.review.actions import (
    Expectation,
    collect_actions,
    map_results_to_actions,
    result_for_item,
    result_matches,
)
from survey_fast.review.decision_record import decision_record
from survey_fast.review.results import result_record


def result(item, kind, **members):
    one = decision(kind, **members)
    return result_record(item, one, decision_record(item, one, None))


def to_text(context):
    return f"{context.item['spec']['target']} = {context.result['effectiveValue']}"


def fails(results, items, to_actions=to_text, **options):
    """The issues that a mapping is refused for."""
    with pytest.raises(DecisionError) as caught:
        map_results_to_actions(results, items, to_actions, **options)
    assert caught.value.code == "action-mapping-failed"
    return [(issue["code"], issue.get("itemName")) for issue in caught.value.details["issues"]]


def test_actions_in_the_order_of_results():
    items = [single(1, name="a"), single(2, name="b")]
    results = [result(item, "accept-proposed") for item in reversed(items)]
    found = map_results_to_actions(results, items, to_text)
    assert [one.action for one in found] == ["monthlyRent = 2", "monthlyRent = 1"]
    assert found[0].result is results[0]
    assert found[0].item is items[1]
    assert found[0].to_json() == {
        "result": results[0],
        "item": items[1],
        "action": "monthlyRent = 2",
    }


def test_a_list_is_several_actions():
    item = single()
    found = map_results_to_actions([result(item, "accept-proposed")], [item], lambda _: [1, None])
    assert [one.action for one in found] == [1, None]


@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_row_12_about_several_there_is_nothing_to_do_and_the_others_are_mapped(kind):
    items = [conflict(name="a"), single(name="b")]
    results = [result(items[0], kind, note="why"), result(items[1], "accept-proposed")]
    found = map_results_to_actions(results, items, to_text)
    assert [one.item["metadata"]["name"] for one in found] == ["b"]


def test_row_12_what_could_not_be_confirmed_asks_for_nothing():
    item = single()
    made = result(item, "could-not-confirm", note="why")
    assert made["selectedCandidateId"] == "c-1"
    assert map_results_to_actions([made], [item], to_text) == []


def test_what_is_skipped_needs_no_action():
    item = single()
    made = [result(item, "reject-proposed")]
    skip = lambda context: context.result["status"] == "rejected"  # noqa: E731
    assert map_results_to_actions(made, [item], lambda _: None, skip=skip) == []


@pytest.mark.parametrize("nothing", [None, []])
def test_what_is_not_mapped(nothing):
    item = single()
    made = [result(item, "accept-proposed")]
    assert fails(made, [item], lambda _: nothing) == [("unmapped-review-result", "lease-7.rent")]


@pytest.mark.parametrize(
    "change",
    [
        {"selectedCandidateId": "c-9"},
        {"selectedCandidateId": None},
        {"selectedCandidateRole": "current"},
        {"selectedValue": 2},
        {"selectedValue": True},
        {"selectedValue": "1"},
        {"selectedValue": None},
    ],
    ids=str,
)
def test_a_result_that_says_something_else_than_the_item(change):
    item = single(1)
    made = {**result(item, "accept-proposed"), **change}
    assert fails([made], [item]) == [("selected-candidate-mismatch", "lease-7.rent")]


def test_values_are_compared_as_json():
    item = single({"a": 1, "b": [2]})
    made = {**result(item, "accept-proposed"), "selectedValue": {"b": [2.0], "a": 1.0}}
    assert len(map_results_to_actions([made], [item], lambda _: "done")) == 1


def test_an_id_that_stands_twice_fits_nothing():
    made = result(single(), "accept-proposed")
    assert fails([made], [doubled(single())]) == [("selected-candidate-mismatch", "lease-7.rent")]


def test_every_fault_is_told():
    items = [single(1, name="a"), single(2, name="b"), single(2, name="b")]
    results = [
        result(single(name="x"), "accept-proposed"),
        {**result(items[0], "accept-proposed"), "selectedValue": 7},
        result(conflict(name="y"), "reject-proposed"),
    ]
    found = fails(results, items, require_unique_targets=True)
    assert found == [
        ("ambiguous-item-identity", "b"),
        ("duplicate-review-target", None),
        ("unknown-review-item", "x"),
        ("selected-candidate-mismatch", "a"),
        ("unknown-review-item", "y"),
    ]


def test_targets_may_repeat_unless_asked():
    items = [single(1, name="a"), single(2, name="b"), single(3, name="c", target="deposit")]
    results = [result(item, "accept-proposed") for item in items]
    assert len(map_results_to_actions(results, items, to_text)) == 3
    assert fails(results, items, require_unique_targets=True) == [("duplicate-review-target", None)]


def test_faults_do_not_hide_the_actions_beside_them():
    items = [single(1, name="a"), single(2, name="b")]
    results = [result(item, "accept-proposed") for item in items]
    actions, issues = collect_actions(
        [*results, {**results[0], "reviewItemName": "x"}], items, to_text
    )
    assert len(actions) == 2
    assert [one.code for one in issues] == ["unknown-review-item"]


def test_the_one_result_of_an_item():
    results = [result(single(name=name), "accept-proposed") for name in "abb"]
    assert result_for_item(results, "a") is results[0]
    for name, code in (("c", "unmapped-review-result"), ("b", "ambiguous-item-identity")):
        with pytest.raises(DecisionError, match="action-mapping-failed") as caught:
            result_for_item(results, name)
        assert caught.value.details["issues"][0]["code"] == code


@pytest.mark.parametrize(
    ("expected", "matches"),
    [
        (Expectation(), True),
        (Expectation(decision="accept-proposed", status="verified", role="proposed"), True),
        (Expectation(candidate_id="c-1", selected_value=2.0), True),
        (Expectation(decision="keep-current"), False),
        (Expectation(status="rejected"), False),
        (Expectation(role="current"), False),
        (Expectation(candidate_id="c-now"), False),
        (Expectation(selected_value="2"), False),
        (Expectation(selected_value=None), False),
    ],
)
def test_what_was_expected(expected, matches):
    assert result_matches(result(transition(1, 2), "accept-proposed"), expected) is matches


def test_values_are_compared_as_the_caller_likes():
    made = result(single("A"), "accept-proposed")
    expected = Expectation(selected_value="a")
    assert not result_matches(made, expected)
    assert result_matches(made, expected, lambda left, right: left.lower() == right)
    about_several = result(conflict(), "reject-proposed")
    assert not result_matches(about_several, expected, lambda *_: True)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"reviewItemName": 1}, "/results/0/reviewItemName"),
        ({"decision": None}, "/results/0/decision"),
        ({"selectedValue": ...}, "/results/0/selectedValue"),
    ],
)
def test_what_is_no_result_is_refused_in_words(change, pointer):
    item = single(1, name="a")
    made = {**result(item, "accept-proposed"), **change}
    made = {name: value for name, value in made.items() if value is not ...}
    with pytest.raises(DecisionError, match="decision-malformed") as caught:
        map_results_to_actions([made], [item], to_text)
    assert caught.value.pointer == pointer
    with pytest.raises(DecisionError, match="decision-malformed"):
        result_for_item([made], "a")


def test_what_is_no_item_or_holds_no_json_is_refused_in_words():
    item, deep = single(1, name="a"), nested(5000)
    made = result(item, "accept-proposed")
    with pytest.raises(SurveyError, match="session-malformed"):
        map_results_to_actions([made], [{**item, "spec": {}}], to_text)
    with pytest.raises(SurveyError, match="json-depth"):
        map_results_to_actions([{**made, "selectedValue": deep}], [item], to_text)
    for wrong in (None, 1, [made]):
        with pytest.raises(TypeError):
            map_results_to_actions([wrong], [item], to_text)
