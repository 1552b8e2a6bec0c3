"""What a binding is taken over, and what it says of a queue later.

Proves the rows 56, 57 and 58 of the edge table.
"""

import pytest
from tests.reference.attest import validate_binding
from tests.unit.attest.samples import (
    AT,
    SESSION,
    bound,
    edited,
    findings,
    imported,
    names_of,
    opened,
)

from survey_fast import (
    assert_review_queue_binding,
    bind_review_queue,
    validate_review_queue_binding,
)
from survey_fast.canon import canonical_digest, data_json
from survey_fast.errors import JsonError, QueueError, SurveyError, UnattestedReviewQueueError


@pytest.fixture(scope="module")
def snapshot():
    return opened(imported())


@pytest.fixture(scope="module")
def binding(snapshot):
    return bound(snapshot)


def check(binding, snapshot, session_name=SESSION):
    return findings(validate_review_queue_binding(binding, snapshot, session_name=session_name))


def test_what_a_binding_holds(snapshot, binding):
    assert binding == {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewQueueBinding",
        "spec": {
            "sessionName": SESSION,
            "snapshotHash": canonical_digest(snapshot),
            "itemNames": sorted(names_of(snapshot)),
            "boundAt": AT,
            "canonicalization": "rfc8785",
        },
    }
    assert check(binding, snapshot) == check(binding, snapshot, None) == []
    assert assert_review_queue_binding(binding, snapshot, session_name=SESSION) is None


def test_names_are_sorted_by_code_unit():
    names = ["\uffff", "\U0001f600", "b", "B", "a"]
    snapshot = {"items": [{"metadata": {"name": name}} for name in names]}
    binding = bound(snapshot)
    assert binding["spec"]["itemNames"] == ["B", "a", "b", "\U0001f600", "\uffff"]
    assert check(binding, snapshot) == []


@pytest.mark.parametrize("blank", ["", " ", "\t\u3000\ufeff"])
def test_row_56_no_name_or_time(snapshot, blank):
    for options in (
        {"session_name": blank, "bound_at": AT},
        {"session_name": SESSION, "bound_at": blank},
    ):
        with pytest.raises(UnattestedReviewQueueError) as caught:
            bind_review_queue(snapshot, **options)
        assert caught.value.code == "binding-malformed"


@pytest.mark.parametrize("member", ["session_name", "bound_at"])
def test_half_a_surrogate_pair_is_refused(snapshot, member):
    # No text could hold the binding, so it is refused before there is one.
    with pytest.raises(SurveyError):
        bind_review_queue(snapshot, **{"session_name": SESSION, "bound_at": AT, member: "\ud800"})


def test_row_56_empty_queue():
    for empty in ([], {"items": []}, opened([])):
        with pytest.raises(UnattestedReviewQueueError) as caught:
            bound(empty)
        assert caught.value.code == "empty-queue"


def test_row_56_duplicate_names(snapshot):
    items = snapshot["items"]
    with pytest.raises(QueueError) as caught:
        bound({**snapshot, "items": [*items, items[1]]})
    assert caught.value.code == "ambiguous-item-identity"
    twice = edited(items, 0, "spec", "candidates", 1, value=items[0]["spec"]["candidates"][0])
    with pytest.raises(QueueError) as caught:
        bound({**snapshot, "items": twice})
    assert caught.value.code == "ambiguous-candidate-identity"


@pytest.mark.parametrize(
    ("queue", "pointer"),
    [
        (None, ""),
        ("7", ""),
        ({}, "/items"),
        ({"items": {}}, "/items"),
        ([{}], "/0/metadata/name"),
        ([{"metadata": {"name": " "}}], "/0/metadata/name"),
        ({"items": [{"metadata": {"name": "a"}}, 1]}, "/items/1/metadata/name"),
    ],
)
def test_what_is_no_queue_is_refused(binding, queue, pointer):
    for act in (bound, lambda queue: check(binding, queue)):
        with pytest.raises(QueueError) as caught:
            act(queue)
        assert (caught.value.code, caught.value.pointer) == ("queue-malformed", pointer)
    with pytest.raises(JsonError, match="json-syntax"):
        check(binding, b"{")


def test_arguments_of_a_wrong_type_are_misuse(snapshot):
    with pytest.raises(TypeError, match="session_name"):
        bind_review_queue(snapshot, session_name=None, bound_at=AT)
    with pytest.raises(TypeError, match="bound_at"):
        bind_review_queue(snapshot, session_name=SESSION, bound_at=1)
    with pytest.raises(TypeError):
        bound((1, 2))


def test_row_57_edited_value(snapshot, binding):
    changed = edited(snapshot, "items", 0, "spec", "candidates", 0, "value", value=48001)
    assert check(binding, changed) == [("snapshot-hash-mismatch", None)]
    for member in ("reviewedAt", "actorId", "activeItemName"):
        assert check(binding, {**snapshot, member: "x"}) == [("snapshot-hash-mismatch", None)]


def test_row_57_dropped_item(snapshot, binding):
    for at, name in enumerate(names_of(snapshot)):
        rest = [item for item in snapshot["items"] if item["metadata"]["name"] != name]
        assert len(rest) == len(snapshot["items"]) - 1, at
        expected = [("item-removed", name), ("snapshot-hash-mismatch", None)]
        assert check(binding, {**snapshot, "items": rest}) == expected


def test_row_57_added_item(snapshot, binding):
    new = edited(snapshot["items"][0], "metadata", "name", value="extra")
    expected = [("item-added", "extra"), ("snapshot-hash-mismatch", None)]
    for place in (0, 1, len(snapshot["items"])):
        items = list(snapshot["items"])
        items.insert(place, new)
        assert check(binding, {**snapshot, "items": items}) == expected


def test_row_57_emptied_queue(snapshot, binding):
    removed = [("item-removed", name) for name in binding["spec"]["itemNames"]]
    assert check(binding, {**snapshot, "items": []}) == [
        ("empty-queue", None),
        *removed,
        ("snapshot-hash-mismatch", None),
    ]


def test_row_57_other_session(snapshot, binding):
    assert check(binding, snapshot, "round-2") == [("session-name-mismatch", None)]
    assert check(binding, snapshot, "") == [("session-name-mismatch", None)]


def test_row_57_everything_at_once(snapshot, binding):
    items = snapshot["items"]
    renamed = edited(items[0], "metadata", "name", value="other")
    changed = {**snapshot, "items": [renamed, *items[1:], items[2]]}
    expected = [
        ("session-name-mismatch", None),
        ("ambiguous-item-identity", items[2]["metadata"]["name"]),
        ("item-removed", items[0]["metadata"]["name"]),
        ("item-added", "other"),
        ("snapshot-hash-mismatch", None),
    ]
    assert check(binding, changed, "round-2") == expected
    with pytest.raises(UnattestedReviewQueueError) as caught:
        assert_review_queue_binding(binding, changed, session_name="round-2")
    refusal = caught.value
    assert refusal.code == "session-name-mismatch"
    found = [(issue["code"], issue.get("itemName")) for issue in refusal.details["issues"]]
    assert found == expected
    assert all(issue["message"].strip() for issue in refusal.details["issues"])


def test_an_item_that_was_added_twice_is_one_finding(snapshot, binding):
    new = edited(snapshot["items"][0], "metadata", "name", value="extra")
    changed = {**snapshot, "items": [*snapshot["items"], new, new]}
    expected = [
        ("ambiguous-item-identity", "extra"),
        ("item-added", "extra"),
        ("snapshot-hash-mismatch", None),
    ]
    assert validate_binding(binding, changed, SESSION) == expected
    assert check(binding, changed) == expected


MALFORMED = {
    "null": lambda _: None,
    "a list": lambda binding: [binding],
    "a string": lambda _: '"binding"',
    "no JSON": lambda _: b"{",
    "a member twice": lambda binding: data_json(binding)[:-1] + b',"kind":"ReviewQueueBinding"}',
    "half a pair": lambda binding: edited(binding, "spec", "sessionName", value="\ud800"),
    "wrong kind": lambda binding: edited(binding, "kind", value="ReviewItem"),
    "wrong version": lambda binding: edited(binding, "apiVersion", value="v1"),
    "an extra member": lambda binding: {**binding, "status": {}},
    "no spec": lambda binding: {name: binding[name] for name in ("apiVersion", "kind")},
    "spec null": lambda binding: edited(binding, "spec", value=None),
    "an extra member of the spec": lambda binding: edited(binding, "spec", "x", value=1),
    "hash null": lambda binding: edited(binding, "spec", "snapshotHash", value=None),
    "hash short": lambda binding: edited(binding, "spec", "snapshotHash", value="0" * 63),
    "hash in capitals": lambda binding: edited(binding, "spec", "snapshotHash", value="A" * 64),
    "hash with a line feed": lambda binding: edited(
        binding, "spec", "snapshotHash", value="0" * 64 + "\n"
    ),
    "hash with a prefix": lambda binding: edited(
        binding, "spec", "snapshotHash", value="sha256:" + "0" * 64
    ),
    "no names": lambda binding: edited(binding, "spec", "itemNames", value=[]),
    "names no array": lambda binding: edited(binding, "spec", "itemNames", value={}),
    "a name null": lambda binding: edited(binding, "spec", "itemNames", 0, value=None),
    "a blank name": lambda binding: edited(binding, "spec", "itemNames", value=["\u3000"]),
    "unsorted": lambda binding: edited(binding, "spec", "itemNames", value=["b", "a"]),
    "sorted by code point": lambda binding: edited(
        binding, "spec", "itemNames", value=["\uffff", "\U0001f600"]
    ),
    "repeated": lambda binding: edited(binding, "spec", "itemNames", value=["a", "a"]),
    "empty time": lambda binding: edited(binding, "spec", "boundAt", value=""),
    "time no string": lambda binding: edited(binding, "spec", "boundAt", value=1),
    "empty session": lambda binding: edited(binding, "spec", "sessionName", value=""),
    "session blank": lambda binding: edited(binding, "spec", "sessionName", value=" \ufeff"),
    "another canonicalization": lambda binding: edited(
        binding, "spec", "canonicalization", value="collated"
    ),
    "canonicalization null": lambda binding: edited(
        binding, "spec", "canonicalization", value=None
    ),
}


@pytest.mark.parametrize("damage", MALFORMED.values(), ids=MALFORMED)
def test_row_58_malformed_binding(snapshot, binding, damage):
    broken = damage(binding)
    for queue in (snapshot, {**snapshot, "items": []}):
        assert check(broken, queue, "other") == [("binding-malformed", None)]
    with pytest.raises(UnattestedReviewQueueError) as caught:
        assert_review_queue_binding(broken, snapshot)
    assert caught.value.code == "binding-malformed"
