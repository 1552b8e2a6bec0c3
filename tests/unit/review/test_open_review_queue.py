"""Opening a round: which items it takes and what the snapshot of it holds."""

import json
from types import MappingProxyType

import pytest
from tests.reference.canonical import digest
from tests.unit.attest.samples import edited, imported, names_of

from survey_fast import open_review_queue
from survey_fast.canon import canonical_digest
from survey_fast.errors import JsonError, QueueError, SurveyError
from survey_fast.limits import ImportLimits

AT = "2026-10-01T09:00:00.000Z"
OPENING = {"reviewed_at": AT, "actor_id": "ana"}


@pytest.fixture(scope="module")
def result():
    return imported()


def test_the_snapshot(result):
    items = result.review_items
    snapshot = open_review_queue(items, **OPENING)
    assert snapshot == {
        "activeItemName": names_of(items)[0],
        "actorId": "ana",
        "decisionsByItemName": {},
        "editedValuesByItemName": {},
        "items": items,
        "notesByItemName": {},
        "reviewedAt": AT,
    }
    assert list(snapshot) == sorted(snapshot)
    assert canonical_digest(snapshot) == digest(snapshot)


def test_an_empty_round_has_the_published_hash():
    snapshot = open_review_queue([], **OPENING)
    assert snapshot["activeItemName"] == ""
    assert canonical_digest(snapshot, "collated") == (
        "a0dd983e9ec5914efad2672e459bbfee53516ef4f99c672ef4cb634a310675fb"
    )
    blind = open_review_queue(
        [],
        presentation={"scoreBlind": True},
        sampling={"kind": "random-audit", "rate": 0.25, "seed": "q3-2026"},
        **OPENING,
    )
    assert list(blind) == sorted(blind)
    assert canonical_digest(blind, "collated") == (
        "9c07c5019009afc95490097b5aa9a80633ba92b13b7d8a413fee52947b21299b"
    )


def test_every_kind_of_input_gives_the_same(result):
    items = result.review_items
    expected = open_review_queue(result, **OPENING)
    text = json.dumps(items, indent=1)
    frozen = tuple(MappingProxyType(item) for item in items)
    for given in (items, result.items_bytes, text, text.encode(), bytearray(text.encode()), frozen):
        assert open_review_queue(given, **OPENING) == expected
    assert expected["items"] == items


def test_the_snapshot_is_a_copy(result):
    items = result.review_items
    before = json.dumps(items)
    open_review_queue(items, **OPENING)["items"][0]["spec"]["target"] = "changed"
    assert json.dumps(items) == before


@pytest.mark.parametrize(
    ("items", "code", "pointer"),
    [
        ("null", "queue-malformed", ""),
        ({"a": 1}, "queue-malformed", "/items"),
        ({"items": []}, "queue-malformed", ""),
        ([{}], "queue-malformed", "/0/metadata/name"),
        ([[]], "queue-malformed", "/0/metadata/name"),
        ([{"metadata": {"name": "\ufeff "}}], "queue-malformed", "/0/metadata/name"),
        ([{"metadata": {"name": "a"}}] * 2, "ambiguous-item-identity", ""),
        (
            [{"metadata": {"name": "a"}, "spec": {"candidates": [{"id": "c"}, {"id": "c"}]}}],
            "ambiguous-candidate-identity",
            "",
        ),
    ],
    ids=["null", "no items", "snapshot", "no name", "list", "blank", "item twice", "candidate"],
)
def test_what_cannot_be_opened(items, code, pointer):
    with pytest.raises(QueueError) as caught:
        open_review_queue(items, **OPENING)
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


def test_candidates_of_two_items_may_share_an_id():
    candidates = {"candidates": [{"id": "c"}]}
    items = [{"metadata": {"name": name}, "spec": candidates} for name in "ab"]
    assert names_of(open_review_queue(items, **OPENING)) == ["a", "b"]


def test_items_are_read_strictly(result):
    with pytest.raises(JsonError, match="json-duplicate-member"):
        open_review_queue('[{"metadata":{"name":"a","name":"b"}}]', **OPENING)
    with pytest.raises(JsonError, match="json-number-range"):
        open_review_queue(edited(result.review_items, 0, "x", value=float("nan")), **OPENING)
    with pytest.raises(QueueError, match="queue-malformed"):
        open_review_queue(result, limits=ImportLimits(items=2), **OPENING)
    with pytest.raises(JsonError, match="json-size"):
        open_review_queue(result, limits=ImportLimits(queue_bytes=2), **OPENING)


def test_arguments_of_a_wrong_type_are_misuse():
    for options in ({**OPENING, "reviewed_at": None}, {**OPENING, "actor_id": 7}):
        with pytest.raises(TypeError, match="is a str"):
            open_review_queue([], **options)
    with pytest.raises(TypeError):
        open_review_queue([{"metadata": {"name": {1}}}], **OPENING)
    with pytest.raises(TypeError):
        open_review_queue(object(), **OPENING)


@pytest.mark.parametrize("member", ["reviewed_at", "actor_id"])
def test_half_a_surrogate_pair_is_refused(member):
    # No text could hold the snapshot, so it is refused before there is one.
    with pytest.raises(SurveyError):
        open_review_queue([], **{**OPENING, member: "\ud800"})
