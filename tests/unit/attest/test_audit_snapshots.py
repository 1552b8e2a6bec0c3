"""A random-audit snapshot is attested against the draw that it declares."""

import pytest
from tests.reference.attest import compare
from tests.reference.draw import draw
from tests.unit.attest.samples import edited, findings, imported, names_of, opened

from survey_fast import (
    attest_review_queue_extraction,
    open_random_audit_session,
    validate_review_queue_against_extraction_import,
)
from survey_fast.errors import AuditError

OPENING = {"reviewed_at": "2026-10-01T09:00:00.000Z", "actor_id": "ana"}


@pytest.fixture(scope="module")
def result():
    return imported()


@pytest.fixture(scope="module")
def seed(result):
    """A seed under which a rate of a half takes some of the items and not all."""
    names = names_of(result.review_items)
    return next(seed for seed in map(str, range(99)) if len(draw(names, rate=0.5, seed=seed)) == 2)


@pytest.fixture(scope="module")
def sample(result, seed):
    return open_random_audit_session(result.review_items, rate=0.5, seed=seed, **OPENING)


def check(queue, record):
    found = findings(validate_review_queue_against_extraction_import(queue, record))
    assert found == compare(queue, record.record).issues
    return found


def test_the_sample_is_attested(result, sample):
    assert len(sample["items"]) == 2
    assert check(sample, result) == []
    assert attest_review_queue_extraction(sample, result).state == "attested"


def test_more_than_the_sample(result, sample):
    drawn = names_of(sample)
    rest = [name for name in names_of(result.review_items) if name not in drawn]
    full = {**sample, "items": result.review_items}
    assert check(full, result) == [("item-not-in-extraction", name) for name in rest]


def test_less_than_the_sample(result, sample):
    names = names_of(sample)
    less = {**sample, "items": sample["items"][1:]}
    assert check(less, result) == [("item-missing-from-queue", names[0])]
    changed = edited(sample, "items", 0, "spec", "target", value="x")
    assert check(changed, result) == [("item-diverges-from-extraction", names[0])]


def test_a_sample_that_does_not_say_so(result, sample):
    drawn = names_of(sample)
    missing = [name for name in names_of(result.review_items) if name not in drawn]
    expected = [("item-missing-from-queue", name) for name in missing]
    assert check({**sample, "sampling": {"kind": "queue"}}, result) == expected
    unsaid = {name: sample[name] for name in sample if name != "sampling"}
    assert check(unsaid, result) == expected


@pytest.mark.parametrize(
    "change", [{"rate": 1}, {"rate": 2**-52}, {"seed": "another"}], ids=["all", "none", "seed"]
)
def test_another_draw(result, sample, change):
    found = check({**sample, "sampling": {**sample["sampling"], **change}}, result)
    assert found
    assert {code for code, _ in found} <= {"item-missing-from-queue", "item-not-in-extraction"}


def test_a_queue_is_no_sample_of_itself(result):
    assert check(opened(result, sampling={"kind": "queue"}), result) == []


@pytest.mark.parametrize(
    "sampling",
    [
        None,
        "queue",
        [],
        {},
        {"kind": "manual"},
        {"kind": "queue", "rate": 1},
        {"kind": "random-audit"},
        {"kind": "random-audit", "rate": 0, "seed": "a"},
        {"kind": "random-audit", "rate": 1.5, "seed": "a"},
        {"kind": "random-audit", "rate": True, "seed": "a"},
        {"kind": "random-audit", "rate": "1", "seed": "a"},
        {"kind": "random-audit", "rate": 1, "seed": ""},
        {"kind": "random-audit", "rate": 1, "seed": "a b"},
        {"kind": "random-audit", "rate": 1, "seed": "a\n"},
        {"kind": "random-audit", "rate": 1, "seed": "a", "extra": 1},
    ],
    ids=repr,
)
def test_sampling_out_of_shape_is_refused(result, sample, sampling):
    for record in (result, None):
        with pytest.raises(AuditError) as caught:
            attest_review_queue_extraction({**sample, "sampling": sampling}, record)
        assert caught.value.code == "invalid-session-conditions"
        assert caught.value.pointer.startswith("/sampling")
