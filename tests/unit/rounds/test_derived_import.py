"""Imports whose items are at hand: what is taken at its word, and what is read all the same."""

import copy
from dataclasses import replace

import pytest
from tests.unit.rounds.samples import (
    PARTIAL,
    changed,
    decision,
    fee,
    imported,
    misquoted,
    refused,
    slot,
    told,
)

from survey_fast.limits import ImportLimits
from survey_fast.rounds import DerivedImport, Slot, field_states_at_hand
from survey_fast.rounds.reference import decision_at_hand, read_decision


def derived_of(result):
    return DerivedImport.of_record(result.record, result.review_items)


def states(derived, *arguments, **records):
    return [one.to_json() for one in field_states_at_hand(derived, *arguments, **records)]


def test_a_slot_is_known_by_the_first_proposal_about_it():
    derived = derived_of(imported(fee(48000), misquoted("site"), fee(52000, 0), fee(48000, 1)))
    assert derived.of_slot == [[0, 2, 3], [1], [0, 2, 3], [0, 2, 3]]
    assert [*derived.by_slot.values()] == [[0, 2, 3], [1]]
    assert derived.first_of_items() == [0]
    assert (derived.excluded, derived.exclusions()) == ([1], {1: 1})


def test_exclusions_are_counted_slot_by_slot():
    derived = derived_of(imported(misquoted("fee"), fee(48000), misquoted("fee", "Site")))
    assert (derived.excluded, derived.exclusions()) == ([0, 2], {0: 2})
    assert derived.first_of_items() == [0]
    assert [one["signals"] for one in states(derived)] == [{"excludedProposals": 2}]


def test_rows_of_a_list_are_slots_of_their_own():
    derived = derived_of(imported(*(fee(48000, pathIndices=[row]) for row in (0, 1))))
    assert [one.path_indices for one in derived.by_slot] == [(0,), (1,)]
    assert derived.first_of_items() == [0, 1]


def test_what_the_import_says_of_its_run_is_told():
    derived = derived_of(imported(fee(), **PARTIAL))
    assert (derived.is_incomplete, derived.is_unresolved) == (True, False)
    found = states(derived, [slot("fee"), slot("unread")])
    assert [told(one) for one in found] == [
        ("fee", "value", "pending", {"incompleteRun": True}),
        ("unread", "not_covered", None, {"incompleteRun": True}),
    ]
    unresolved = replace(derived, items=[], is_unresolved=True)
    assert [one["signals"] for one in states(unresolved, [slot("fee")])] == [
        {"incompleteRun": True, "unresolvedImport": True}
    ]


def test_a_row_that_is_written_with_a_fraction_of_zero_is_the_same_row():
    given = [slot("rows", pathIndices=[1]), slot("rows", pathIndices=[1.0])]
    assert len(states(derived_of(imported(fee())), given)) == 2


def test_decisions_are_shared_and_read():
    result = imported(fee())
    derived, made = derived_of(result), decision(result.review_items[0])
    before = copy.deepcopy(made)
    [state] = states(derived, decisions=[made])
    assert (state["lifecycle"], made) == ("accepted", before)
    assert decision_at_hand(made).document is made
    assert decision_at_hand(made) == read_decision(made)


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("kind",), "ReviewEvent", "decision-malformed"),
        (("metadata", "name"), " ", "decision-malformed"),
        (("spec", "reviewItemName"), None, "decision-malformed"),
        (("spec", "candidateId"), "", "decision-malformed"),
        (("spec", "status"), "done", "decision-malformed"),
        (("spec", "resolution"), "rejected", "resolution-inconsistent"),
    ],
)
def test_a_decision_that_is_none_is_refused_where_it_stands(path, value, code):
    result = imported(fee())
    derived, made = derived_of(result), decision(result.review_items[0])
    assert states(derived, decisions=[made])
    others = [decision(changed(result.review_items[0], "metadata", "name", value="another"))]
    refusal = refused(
        field_states_at_hand, derived, decisions=[*others, changed(made, *path, value=value)]
    )
    assert refusal == (code, "/decisions/1/" + "/".join(path))


def test_two_decisions_about_one_item_are_refused():
    result = imported(fee())
    made = decision(result.review_items[0])
    assert refused(field_states_at_hand, derived_of(result), decisions=[made, made]) == (
        "field-state-input-invalid",
        "/decisions/1/spec/reviewItemName",
    )


@pytest.mark.parametrize(
    ("expected", "place"),
    [
        ([slot("a"), slot("b")], ""),
        ([slot("a", more=1)], "/0/more"),
        ([slot("a", facet="")], "/0/facet"),
        ([None], "/0"),
    ],
)
def test_expected_fields_are_read_strictly(expected, place):
    derived, one = derived_of(imported(fee())), ImportLimits(items=1)
    assert len(states(derived, [slot("a")], limits=one)) == 2
    assert refused(field_states_at_hand, derived, expected, limits=one) == (
        "field-state-input-invalid",
        f"/imports/0/expectedFields{place}",
    )


def test_half_of_a_surrogate_pair_is_no_expected_field():
    derived = derived_of(imported(fee()))
    code, pointer = refused(field_states_at_hand, derived, [slot("\ud800")])
    assert (code, pointer) == ("json-lone-surrogate", "/fieldOrBehavior")


@pytest.mark.parametrize("records", ["decisions", "verifications", "supersessions"])
def test_text_is_no_list_of_records(records):
    with pytest.raises(TypeError):
        field_states_at_hand(derived_of(imported(fee())), **{records: "[]"})


def test_slots_of_one_claim_are_equal_when_their_keys_are():
    texts = ("vendor", "1", "facet", "type", "field")
    same = Slot(*texts, None, (1, 2)), Slot(*texts, None, (1, 2))
    assert same[0] == same[1]
    assert len({one.key() for one in same}) == 1
    other = Slot(*texts), Slot(*texts, None, ()), Slot(*texts, "c"), Slot(*texts, None, (1,))
    assert len({*same, *other}) == len({one.key() for one in (*same, *other)}) == 5
