"""Caps of an import: lowered, raised, at their edges, and out of range."""

import pytest
from tests.reference.samples import VENDOR
from tests.unit.imports.samples import (
    FIRST,
    TARGET,
    cases,
    envelope,
    nested,
    proposal,
    put,
    refused,
    run,
    text_of,
    vendor,
)

from survey_fast import (
    ImportLimits,
    canonical_digest,
    canonical_json,
    excluded_indices,
    import_from_bound_status,
    limits,
    resolution_identity,
    review_items,
    validate_import,
)
from survey_fast.limits import Cap

TEXT = "Fee 48000."
VALUE = f"{FIRST}/candidateValue"


def many(count, field="fee"):
    """An envelope in which one field has so many proposals, each with its own value."""
    one = proposal(field, 0, TEXT, "48000")
    return envelope(TEXT, *({**one, "candidateValue": at} for at in range(count)))


def same(count):
    """So many proposals of one value."""
    return envelope(TEXT, *([proposal("fee", 48000, TEXT, "48000")] * count))


MANY = ("import-too-large", "/result/proposals")
LARGE = ("import-too-large", "")


def test_items_cap_lowered():
    assert run(same(3), limits=ImportLimits(items=3)).is_grounded
    assert refused(run, same(4), limits=ImportLimits(items=3)) == MANY


def test_items_cap_at_its_default_and_raised():
    targets = {"fee": TARGET}
    most = text_of(same(10_000))
    assert run(most, claim_targets=targets).is_grounded
    one_more = text_of(same(10_001))
    assert refused(run, one_more, claim_targets=targets) == MANY
    raised = ImportLimits(items=10_001)
    result = run(one_more, claim_targets=targets, limits=raised)
    (item,) = result.review_items
    assert len(item["spec"]["candidates"]) == 1
    # Whoever reads the record needs the same cap.
    at = ("import-too-large", "/spec/envelope/result/proposals")
    assert refused(validate_import, result) == at
    assert refused(review_items, result) == at
    assert validate_import(result, limits=raised) == result.record


def test_items_cap_raised_for_whoever_reads_a_record():
    # A record within the raised cap, and a default that is too low for it.
    raised = ImportLimits(items=10_001)
    targets = {"fee": TARGET}
    result = run(text_of(same(10_001)), claim_targets=targets, limits=raised)
    options = {**VENDOR, "claim_targets": targets, "limits": raised}
    again = import_from_bound_status(same(10_001), result.status, **options)
    assert again == result
    assert excluded_indices(result, limits=raised) == []
    assert resolution_identity(result, 10_000, new_uuid=lambda: "u", limits=raised)


@cases(
    "member ceiling",
    {
        "envelope": ("envelope_bytes", 256 * 1024 * 1024),
        "queue": ("queue_bytes", 512 * 1024 * 1024),
        "items": ("items", 100_000),
        "candidates": ("candidates", 1_024),
    },
)
def test_ceilings(member, ceiling):
    assert run(vendor(), limits=ImportLimits(**{member: ceiling})).is_grounded
    for value in (ceiling + 1, 0, -1):
        with pytest.raises(ValueError, match=str(value)):
            run(vendor(), limits=ImportLimits(**{member: value}))
    for value in (1.5, "1", True):
        with pytest.raises(TypeError):
            run(vendor(), limits=ImportLimits(**{member: value}))


def test_defaults():
    mib = 1024 * 1024
    assert limits.DEFAULT.resolve() == (64 * mib, 128 * mib, 10_000, 256)
    assert ImportLimits() == limits.DEFAULT
    assert Cap("x", 5, 9).resolve(None) == 5
    assert (limits.DEPTH, limits.VALUE_DEPTH) == (128, 100)


def test_candidates_cap():
    assert len(run(many(256)).review_items[0]["spec"]["candidates"]) == 256
    assert refused(run, many(257)) == LARGE
    assert run(many(257), limits=ImportLimits(candidates=257)).is_grounded
    assert run(same(300), limits=ImportLimits(candidates=1)).is_grounded
    assert refused(run, many(2), limits=ImportLimits(candidates=1)) == LARGE


def test_json_size():
    text = text_of(vendor()).encode()
    size = len(text)
    assert run(text, limits=ImportLimits(envelope_bytes=4 * size)).is_grounded
    for document in (text, vendor()):
        cap = ImportLimits(envelope_bytes=size // 2)
        assert refused(run, document, limits=cap) == ("json-size", "")
    record = run(vendor()).record_bytes
    cap = ImportLimits(envelope_bytes=len(record) - 1)
    assert refused(validate_import, record, limits=cap) == ("json-size", "")
    assert validate_import(record, limits=ImportLimits(envelope_bytes=len(record)))


def test_import_too_large_for_its_record():
    # The record holds the envelope and more, so it is the first that could not be read again.
    text = canonical_json(vendor())
    record = run(vendor()).record_bytes
    assert len(text) < len(record)
    for cap in (len(text), len(record) - 1):
        assert refused(run, text, limits=ImportLimits(envelope_bytes=cap)) == LARGE
    assert run(text, limits=ImportLimits(envelope_bytes=len(record))).record_bytes == record


def test_import_too_large_for_a_queue():
    items = run(vendor()).items_bytes
    for cap in (1, len(items) // 2, len(items) - 10):
        assert refused(run, vendor(), limits=ImportLimits(queue_bytes=cap)) == LARGE
    assert run(vendor(), limits=ImportLimits(queue_bytes=len(items))).items_bytes == items
    # An unresolved import has no items that could be too large.
    failure = vendor("failure-no-usable-answer")
    assert run(failure, limits=ImportLimits(queue_bytes=1)).review_items == []


def with_nest(depth, kind="array"):
    value = nested(depth)
    if kind == "object":
        value = 0
        for _ in range(depth):
            value = {"a": value}
    return put(vendor(), VALUE, value)


@pytest.mark.parametrize("kind", ["array", "object"])
def test_value_depth(kind):
    result = run(with_nest(100, kind))
    assert result.is_grounded
    # What derives from it stays readable.
    assert canonical_json(result.items_bytes) == result.items_bytes
    assert validate_import(result) == result.record
    expected = ("import-value-depth", VALUE)
    assert refused(run, with_nest(101, kind)) == expected
    assert refused(run, text_of(with_nest(101, kind))) == expected


def test_value_depth_counts_containers_only():
    assert run(put(vendor(), VALUE, "[" * 200 + "{" * 200)).is_grounded
    wide = [nested(99) for _ in range(50)]
    assert run(put(vendor(), VALUE, wide)).is_grounded


def test_depth_of_an_envelope():
    # A value stands in four containers: 124 more make 128, one more is too many to read.
    assert refused(run, with_nest(124)) == ("import-value-depth", VALUE)
    code, pointer = refused(run, with_nest(125))
    assert (code, pointer) == ("json-depth", VALUE + "/0" * 124)
    assert refused(run, text_of(with_nest(125))) == (code, pointer)


def test_depth_of_a_document():
    for document in (nested(128), "[" * 128 + "]" * 128, ("[" * 128 + "]" * 128).encode()):
        assert canonical_json(document) == b"[" * 128 + b"]" * 128
    pointer = "/0" * 128
    for document in (nested(129), "[" * 129 + "]" * 129, "[" * 100_000):
        assert refused(canonical_json, document) == ("json-depth", pointer)
        assert refused(canonical_digest, document) == ("json-depth", pointer)


def test_size_of_a_document():
    assert canonical_json("[1, 2]", max_bytes=6) == b"[1,2]"
    assert refused(canonical_json, "[1, 2]", max_bytes=5) == ("json-size", "")
    with pytest.raises(ValueError, match="cap"):
        canonical_json("1", max_bytes=1024**3 + 1)
