"""What people read of one item.

Proves rows 15 and 16 of the edge table below a surface: what the keep control is called and
records, and which decisions the item takes at all; the chips and buttons belong to surfaces.
"""

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.number import number_text
from tests.unit.attest.samples import KEY, imported
from tests.unit.review.test_decision_samples import (
    KINDS,
    candidate,
    conflict,
    review_item,
    single,
    transition,
)

from survey_fast.errors import JsonError
from survey_fast.review.decisions import recordability_issue
from survey_fast.review.display import (
    Control,
    ExcludedProposal,
    Exclusions,
    Unreadable,
    card_state,
    display_text,
    excluded_proposals,
    humanised,
    is_empty,
    keep_control,
    row_status,
    same_value,
)
from survey_fast.review.state import ABSENT


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ("", ""),
        (ABSENT, ""),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (1e21, "1e+21"),
        (100000000000000000000, "100000000000000000000"),
        (1e-7, "1e-7"),
        (0.1 + 0.2, "0.30000000000000004"),
        ([], "[]"),
        ({}, "{}"),
        ([[], {}], "[\n  [],\n  {}\n]"),
        ([-0.0, 1e21, "1"], '[\n  0,\n  1e+21,\n  "1"\n]'),
        (
            {"b": [1.0, "a\n\u00e9"], "a": None},
            '{\n  "b": [\n    1,\n    "a\\n\u00e9"\n  ],\n  "a": null\n}',
        ),
    ],
)
def test_the_text_of_a_value(value, text):
    assert display_text(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1))
def test_numbers_print_as_in_a_browser(value):
    assert display_text(value) == number_text(value)


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(plain)
def test_everything_else_is_json_indented_by_two(value):
    expected = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    assert display_text(value) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, [math.nan]])
def test_what_is_no_json_has_no_text(value):
    with pytest.raises(JsonError):
        display_text(value)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("vendorContract.annual_fee", "Vendor Contract.Annual Fee"),
        ("HTTPStatus2Code", "HTTPStatus2 Code"),
        ("_-_a--b__", " A B "),
        ("sites[0].name", "Sites[0].Name"),
        ("don't", "Don'T"),
        ("\u00e9tat", "\u00e9Tat"),
        ("a1B2c", "A1 B2c"),
        ("", ""),
    ],
)
def test_the_words_of_a_name(identifier, words):
    assert humanised(identifier) == words


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True),
        ("a", "a", True),
        (None, None, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (None, "null", False),
        ([1, 2], [2, 1], False),
        ("a", "A", False),
        ({}, [], False),
    ],
)
def test_when_two_values_are_one(left, right, same):
    assert same_value(left, right) is same
    assert same_value(right, left) is same


def test_what_counts_as_no_value():
    assert all(map(is_empty, [ABSENT, None, ""]))
    assert not any(map(is_empty, [0, False, " ", [], {}]))


@pytest.mark.parametrize(
    ("kind", "row", "card"),
    [
        ("accept-proposed", "resolved", "accepted"),
        ("select-proposed", "resolved", "accepted"),
        ("keep-current", "resolved", "kept"),
        ("reject-proposed", "rejected", "rejected"),
        ("could-not-confirm", "could-not-confirm", "could-not-confirm"),
    ],
)
@pytest.mark.parametrize("left", ["resolved", "escalated", "conflict"])
def test_the_decision_comes_first(kind, row, card, left):
    item = single(candidateSetStatus=left)
    assert row_status(item, kind, is_active=True) == row
    assert card_state(item, kind) == card


@pytest.mark.parametrize(
    ("left", "active", "row", "card"),
    [
        ("resolved", True, "resolved", "kept"),
        ("escalated", True, "escalated", "review"),
        ("conflict", True, "in-review", "review"),
        ("needs-review", False, "pending", "review"),
        (None, False, "pending", "review"),
    ],
)
def test_where_an_undecided_item_stands(left, active, row, card):
    item = single(**({} if left is None else {"candidateSetStatus": left}))
    assert row_status(item, None, is_active=active) == row
    assert card_state(item, None) == card


REJECT, KEEP = "reject-proposed", "keep-current"


@pytest.mark.parametrize(
    ("item", "control", "flagged"),
    [
        (single(), (REJECT, "Leave unset"), (REJECT, "Leave unset")),
        (conflict(), (REJECT, "Reject all values"), (REJECT, "Reject all values")),
        (transition(1, 2), (KEEP, "Keep current"), (REJECT, "Keep current")),
        (transition(1, 2, 3), (KEEP, "Keep current"), (REJECT, "Keep current")),
        (transition(1), (KEEP, "Keep current"), None),
        # An empty current value: what the control records is what it is called.
        (transition(None, 2), (KEEP, "Keep current"), (REJECT, "Leave unset")),
        (transition("", 2, 3), (KEEP, "Keep current"), (REJECT, "Reject all values")),
        (review_item(candidate("a", 1, "computed")), None, None),
        (review_item(candidate("a", 1, "current"), candidate("b", 2, "current")), None, None),
    ],
)
def test_the_keep_control(item, control, flagged):
    assert keep_control(item) == (control and Control(*control))
    assert keep_control(item, flag_wrong=True) == (flagged and Control(*flagged))


def test_row_15_an_imported_item_has_no_current_value_to_keep():
    for item in imported().review_items:
        before = copy.deepcopy(item)
        control = keep_control(item)
        assert control.kind == "reject-proposed"
        assert recordability_issue(item, control.kind) is None
        assert recordability_issue(item, "keep-current") is not None
        assert item == before


def test_row_16_an_item_with_only_a_current_value_can_only_be_kept():
    item = transition(1)
    taken = [kind for kind in KINDS if recordability_issue(item, kind, "c-now") is None]
    assert taken == ["keep-current"]


FEE = imported().review_items[0]
RIVAL = ExcludedProposal(3, 61000, "chars:48-53", "60000", "excerpt-mismatch")
ENTRY = FEE["metadata"]["producer"][KEY]["excludedProposals"][0]


def fee(candidate_entry=ABSENT, **binding):
    """The conflict with a rival left out, its binding changed; ABSENT removes a member."""
    item = copy.deepcopy(FEE)
    entry = item["metadata"]["producer"][KEY]
    for name, value in binding.items():
        entry[name] = value
        if value is ABSENT:
            del entry[name]
    if candidate_entry is not ABSENT:
        item["spec"]["candidates"][1]["producer"] = candidate_entry
    return item


def test_a_rival_that_was_left_out_is_shown():
    assert excluded_proposals(FEE) == Exclusions((RIVAL,))
    assert excluded_proposals(single()) == Exclusions()
    assert excluded_proposals(imported().review_items[1]) == Exclusions()


def test_a_rival_is_shown_without_its_reason_too():
    bare = {name: one for name, one in ENTRY.items() if name != "reason"}
    for entry in (bare, {**bare, "reason": 7}):
        (shown,) = excluded_proposals(fee(excludedProposals=[entry])).shown
        assert shown.reason is None
    (shown,) = excluded_proposals(fee(excludedProposals=[{**ENTRY, "value": None}])).shown
    assert shown.value is None


@pytest.mark.parametrize(
    "change",
    [
        *({"proposalIndex": value} for value in (None, "3", True, 3.5)),
        *({"locator": value} for value in (None, 7)),
        *({"excerpt": value} for value in (None, ["60000"])),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_counted_beside_what_can(change):
    item = fee(excludedProposals=[{**ENTRY, **change}, ENTRY, "text", None])
    assert excluded_proposals(item) == Exclusions((RIVAL,), Unreadable("malformed-entries", 3))
    without = {name: one for name, one in ENTRY.items() if name not in change}
    assert excluded_proposals(fee(excludedProposals=[without])).unreadable.count == 1


def test_a_value_that_is_missing_is_not_null():
    without = {name: one for name, one in ENTRY.items() if name != "value"}
    found = excluded_proposals(fee(excludedProposals=[without]))
    assert found == Exclusions((), Unreadable("malformed-entries", 1))


@pytest.mark.parametrize("stored", [None, {}, "text", 7, True])
def test_entries_that_are_no_list_cannot_be_counted(stored):
    found = excluded_proposals(fee(excludedProposals=stored))
    assert found == Exclusions((), Unreadable("malformed-entries"))


BROKEN = [
    {"importName": "other"},
    {"importName": ""},
    {"importName": 7},
    {"importName": ABSENT},
    {"proposalIndices": []},
    {"proposalIndices": [True]},
    {"proposalIndices": "0"},
    {"proposalIndices": ABSENT},
    {"candidate_entry": {}},
    {"candidate_entry": {KEY: None}},
    {"candidate_entry": {KEY: {"importName": "other"}}},
    {"candidate_entry": []},
]


@pytest.mark.parametrize("change", BROKEN, ids=str)
def test_on_a_broken_binding_nothing_is_shown_and_all_is_counted(change):
    assert excluded_proposals(fee(**change)) == Exclusions((), Unreadable("binding-broken", 1))
    nothing = fee(**change, excludedProposals=[])
    assert excluded_proposals(nothing) == Exclusions()


@pytest.mark.parametrize("name", ["", " ", None, 7])
def test_an_import_without_a_name_binds_nothing(name):
    item = fee(importName=name)
    for one in item["spec"]["candidates"]:
        one["producer"][KEY]["importName"] = name
    assert excluded_proposals(item) == Exclusions((), Unreadable("binding-broken", 1))


@pytest.mark.parametrize("entry", [None, [], "text"])
def test_an_item_that_lost_its_side_of_the_binding(entry):
    item = copy.deepcopy(FEE)
    item["metadata"]["producer"][KEY] = entry
    lost = Exclusions((), Unreadable("binding-broken"))
    assert excluded_proposals(item) == lost
    del item["metadata"]["producer"]
    assert excluded_proposals(item) == lost
