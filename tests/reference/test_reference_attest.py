"""A queue against its import and against its binding."""

import copy

import pytest
from tests.reference.attest import compare, validate_binding
from tests.reference.canonical import digest
from tests.reference.draw import draw
from tests.reference.importing import review_items
from tests.reference.samples import import_vendor, vendor_envelope

VENDOR_OBJECT = {"a_b": 1, "aB": 2, "Z": 3}


def plans():
    return import_vendor(vendor_envelope("success-navigation-pruned"))


def names_of(items):
    return [item["metadata"]["name"] for item in items]


def with_object(value):
    """An import whose only value is an object."""
    envelope = vendor_envelope("success-no-confidence")
    del envelope["result"]["proposals"][0]["valueType"]
    envelope["result"]["proposals"][0]["candidateValue"] = value
    return import_vendor(envelope)[0]


def test_differences_are_found_in_both_directions():
    record, items = plans()
    names = names_of(items)
    assert compare({"items": items}, record) == ([], "jcs")
    assert compare([], record) == ([("empty-queue", None)], None)
    assert compare([*items, items[2], items[1]], record) == (
        [("ambiguous-item-identity", names[2])],
        None,
    )
    changed = copy.deepcopy(items)
    changed[1]["spec"]["candidates"][0]["value"] = 1
    changed[2]["metadata"]["name"] = "other"
    del changed[3]
    assert compare(changed, record).issues == [
        ("item-diverges-from-extraction", names[1]),
        ("item-missing-from-queue", names[2]),
        ("item-missing-from-queue", names[3]),
        ("item-not-in-extraction", "other"),
    ]


def test_an_import_that_is_not_grounded_attests_nothing():
    record, _ = import_vendor(vendor_envelope("failure-no-usable-answer"))
    _, items = plans()
    assert compare(items, record).issues == [("import-not-grounded", None)]


def test_an_audit_sample_is_drawn_again():
    record, items = plans()
    seed = next(
        seed
        for seed in map(str, range(99))
        if 0 < len(draw(names_of(items), rate=0.5, seed=seed)) < 4
    )
    drawn = draw(names_of(items), rate=0.5, seed=seed)
    sample = [item for item in items if item["metadata"]["name"] in drawn]
    sampling = {"kind": "random-audit", "rate": 0.5, "seed": seed}
    assert compare({"items": sample, "sampling": sampling}, record) == ([], "jcs")
    assert compare({"items": items, "sampling": sampling}, record).issues == [
        ("item-not-in-extraction", name) for name in names_of(items) if name not in drawn
    ]
    assert compare({"items": sample, "sampling": {"kind": "queue"}}, record).issues == [
        ("item-missing-from-queue", name) for name in names_of(items) if name not in drawn
    ]


def test_object_values_may_be_derived_under_either_order():
    record = with_object(VENDOR_OBJECT)
    ours, theirs = review_items(record), review_items(record, "collated")
    assert names_of(ours) == names_of(theirs)
    assert ours != theirs
    assert compare(ours, record) == ([], "jcs")
    assert compare(theirs, record) == ([], "collated")
    theirs[0]["spec"]["target"] = "other"
    assert compare(theirs, record).profile is None


def test_odd_names_are_not_called_tampering():
    record = with_object({"\u00e9": 1})
    items = review_items(record)
    assert compare(items, record) == ([], "jcs")
    items[0]["spec"]["target"] = "other"
    assert compare(items, record) == ([("digest-not-portable", None)], None)


def bind(snapshot, profile):
    spec = {
        "sessionName": "s1",
        "snapshotHash": digest(snapshot, profile),
        "itemNames": sorted(names_of(snapshot["items"])),
        "boundAt": "2026-10-01T09:00:00.000Z",
    }
    if profile == "jcs":
        spec["canonicalization"] = "rfc8785"
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewQueueBinding",
        "spec": spec,
    }


@pytest.mark.parametrize("profile", ["jcs", "collated"])
def test_binding_findings_are_collected(profile):
    snapshot = {"items": plans()[1], "activeItemName": ""}
    names = names_of(snapshot["items"])
    binding = bind(snapshot, profile)
    assert validate_binding(binding, snapshot, "s1") == []
    changed = copy.deepcopy(snapshot)
    changed["items"][0]["metadata"]["name"] = "other"
    changed["items"].append(changed["items"][1])
    assert validate_binding(binding, changed, "s2") == [
        ("session-name-mismatch", None),
        ("ambiguous-item-identity", names[1]),
        ("item-removed", names[0]),
        ("item-added", "other"),
        ("snapshot-hash-mismatch", None),
    ]


def test_a_hash_that_cannot_be_portable_is_named():
    snapshot = {"items": plans()[1], "notesByItemName": {"\u00e9": ""}}
    assert validate_binding(bind(snapshot, "jcs"), snapshot) == []
    binding = bind({**snapshot, "notesByItemName": {}}, "collated")
    assert validate_binding(binding, snapshot) == [("digest-not-portable", None)]


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("snapshotHash", "0"),
        ("itemNames", []),
        ("itemNames", ["b", "a"]),
        ("itemNames", ["a", "a"]),
        ("boundAt", ""),
        ("sessionName", " "),
        ("canonicalization", "other"),
        ("extra", 1),
    ],
)
def test_malformed_bindings(member, value):
    snapshot = {"items": plans()[1]}
    binding = bind(snapshot, "jcs")
    binding["spec"][member] = value
    assert validate_binding(binding, snapshot) == [("binding-malformed", None)]
    assert validate_binding(None, snapshot) == [("binding-malformed", None)]
