"""Queues whose values are objects: the identities of another program rest on its member order."""

import itertools

import pytest
from tests.reference.attest import compare
from tests.reference.importing import import_envelope as slow_import
from tests.reference.importing import review_items as slow_items
from tests.reference.samples import VENDOR, available
from tests.unit.attest.samples import (
    TEXT,
    edited,
    findings,
    imported,
    names_of,
    opened,
    targets_of,
    with_value,
)

from survey_fast import attest_review_queue_extraction

# In "jcs" Z stands before every other letter here, in "collated" behind them.
OBJECTS = ({"a_b": 1, "aB": 2, "Z": 3}, [0, {"b": [], "a": {"y": 1, "Z": 2}}])


def attest(queue, record):
    attestation = attest_review_queue_extraction(queue, record)
    if attestation.state == "attested":
        assert attestation.issues == ()
    return attestation.state, attestation.profile, findings(attestation.issues)


def theirs(document):
    """The items that the other order derives."""
    options = {**VENDOR, "claim_targets": targets_of(document), "artifact": available(TEXT)}
    return slow_import(document, profile="collated", **options)[1]


def test_the_two_orders_give_other_candidates_of_the_same_items():
    result = imported(with_value(*OBJECTS))
    ours, foreign = result.review_items, theirs(with_value(*OBJECTS))
    assert foreign == slow_items(result.record, "collated")
    assert names_of(ours) == names_of(foreign)
    for mine, other in zip(ours, foreign, strict=True):
        assert mine["spec"]["candidates"][0]["id"] != other["spec"]["candidates"][0]["id"]


@pytest.mark.parametrize("value", OBJECTS, ids=["object", "object in an array"])
def test_a_queue_of_the_other_order_is_attested_by_name(value):
    result = imported(with_value(value, "text"))
    foreign = theirs(with_value(value, "text"))
    assert attest(result, result) == ("attested", "jcs", [])
    for queue in (foreign, opened(foreign), foreign[::-1]):
        assert attest(queue, result) == ("attested", "collated", [])


def test_an_order_has_to_match_the_whole_queue():
    result = imported(with_value(*OBJECTS))
    ours, foreign = result.review_items, theirs(with_value(*OBJECTS))
    names = names_of(ours)
    for at, name in enumerate(names):
        mixed = [*ours[:at], foreign[at], *ours[at + 1 :]]
        expected = [("item-diverges-from-extraction", name)]
        assert attest(mixed, result) == ("diverges", None, expected)
        assert compare(mixed, result.record) == (expected, None)


def test_an_edit_is_found_under_both_orders():
    result = imported(with_value(*OBJECTS))
    names = names_of(result.review_items)
    for queue in (result.review_items, theirs(with_value(*OBJECTS))):
        assert attest(queue[1:], result)[0] == "diverges"
        changed = edited(queue, 0, "spec", "candidates", 0, "value", "Z", value=4)
        state, profile, found = attest(changed, result)
        assert (state, profile) == ("diverges", None)
        assert ("item-diverges-from-extraction", names[0]) in found
        assert found == compare(changed, result.record).issues


def test_values_without_objects_have_no_second_chance():
    # What is compared is text, so the order in which a queue is stored cannot matter.
    result = imported(with_value("{", ["Z", "a"], 1))
    changed = edited(result.review_items, 0, "spec", "target", value="x")
    assert attest(changed, result)[2] == [
        ("item-diverges-from-extraction", names_of(result.review_items)[0])
    ]


ODD = {
    "accent": "\u00e9",
    "combining": "e\u0301",
    "tab": "a\tb",
    "DEL": "\x7f",
    "astral": "\U0001f600",
}


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_odd_names_attest_under_our_order(name):
    result = imported(with_value({name: 1, "a": 2}))
    assert attest(result, result) == ("attested", "jcs", [])


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_odd_names_never_become_a_tamper_verdict(name):
    result = imported(with_value({name: 1, "a": 2}, "text"))
    items = result.review_items
    new = edited(items[0], "metadata", "name", value="new")
    for queue in (edited(items, 0, "spec", "target", value="x"), items[1:], [*items, new]):
        assert attest(queue, result)[2] == [("digest-not-portable", None)]


def test_odd_names_beside_the_items_do_not_spoil_the_other_order():
    # Only items are compared, so a note's name has no say in their order.
    result = imported(with_value(*OBJECTS))
    snapshot = opened(theirs(with_value(*OBJECTS)))
    assert attest(snapshot, result) == ("attested", "collated", [])
    snapshot["notesByItemName"] = {"\u00e9": ""}
    assert compare(snapshot, result.record) == ([], "collated")
    assert attest(snapshot, result) == ("attested", "collated", [])


def test_every_pair_of_names_is_told_apart():
    # A value stays the same value however its members stand in the queue.
    result = imported(with_value(OBJECTS[0]))
    for order in itertools.permutations(OBJECTS[0]):
        turned = {name: OBJECTS[0][name] for name in order}
        queue = edited(result.review_items, 0, "spec", "candidates", 0, "value", value=turned)
        assert attest(queue, result) == ("attested", "jcs", [])
