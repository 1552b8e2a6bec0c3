"""Import, derivation and attestation of a large extraction: one thread or several, one answer."""

import json
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import fewer
from tests.reference import importing
from tests.unit.imports.samples import envelope, proposal, put

from survey_fast import ImportLimits, _core
from survey_fast.canon import canonical_json, data_json
from survey_fast.errors import SurveyError

CAPS = ImportLimits().resolve()
COUNTS = (2, 3, 8)
# A thread is worth starting for 256 items, so this is work for eight.
SLOTS = 2200
TEXT = "Fee 48000 or 52000."
TARGET = {
    "subjectType": "vendor",
    "subjectId": "1",
    "facet": "vendor.contract",
    "claimType": "vendor.field",
    "impactLevel": "medium",
}


@cache
def extraction():
    """The envelope with targets aligned; every tenth slot has a conflict with an object."""
    found = []
    for number in range(SLOTS):
        found.append(proposal(f"field-{number}", number, TEXT, "48000"))
        if number % 10 == 0:
            value = {"B": number, "a": [{"Z": 1, "y": 2}]}
            found.append(proposal(f"field-{number}", value, TEXT, "52000"))
    targets = [{**TARGET, "fieldOrBehavior": one["fieldPath"]} for one in found]
    return envelope(TEXT, *found), targets


@cache
def stored():
    """The record and its items, as bytes."""
    document, targets = extraction()
    return imported(data_json(document), data_json(targets), 1)


def imported(document, targets, threads, caps=CAPS):
    return _core.import_envelope(
        envelope=document,
        source_kind="web-page",
        targets=targets,
        targets_by="index",
        import_name=None,
        producer_namespace=None,
        artifact=None,
        bound_status=None,
        caps=caps,
        threads=threads,
    )


def judged(act):
    """The answer of one thread, which those of several have to equal."""

    def answer(threads):
        try:
            return act(threads)
        except SurveyError as refusal:
            return refusal.code, refusal.pointer, refusal.details

    alone = answer(1)
    for threads in COUNTS:
        assert answer(threads) == alone
    return alone


numbers = st.integers(0, SLOTS - 1)


def test_a_large_import():
    document, targets = map(data_json, extraction())
    record, items = judged(lambda threads: imported(document, targets, threads))
    assert (record, items) == stored()
    assert len(json.loads(items)) == SLOTS
    assert judged(lambda threads: _core.check_record(record, CAPS, threads)) == record
    assert judged(lambda threads: _core.record_items(record, CAPS, threads)) == items


@given(numbers, st.sampled_from(["confidence", "extractor", "extra", "fieldPath"]))
@fewer(20)
def test_a_large_import_with_a_bad_proposal(number, member):
    document, targets = extraction()
    broken = put(document, f"/result/proposals/{number}/{member}", None)
    raw, targets = data_json(broken), data_json(targets)
    refusal = judged(lambda threads: imported(raw, targets, threads))
    assert refusal[1] == f"/result/proposals/{number}/{member}"
    assert judged(lambda threads: _core.check_envelope(raw, CAPS, threads)) == refusal


@given(numbers, numbers)
@fewer(20)
def test_a_large_import_with_conflicting_targets(number, other):
    document, targets = extraction()
    changed = [dict(target) for target in targets]
    for at in (number, other):
        changed[at] = {**changed[at], "claimId": "one", "fieldOrBehavior": "fee"}
    changed[number]["impactLevel"] = "low"
    raw, chosen = data_json(document), data_json(changed)
    found = judged(lambda threads: imported(raw, chosen, threads))
    assert (found[0] == "import-target-conflict") == (number != other)


@given(st.integers(1, SLOTS // 10), st.integers(10_000, 9_000_000))
@fewer(20)
def test_a_large_import_over_its_caps(number, most):
    document, targets = map(data_json, extraction())
    for caps in ((CAPS[0], most, *CAPS[2:]), (*CAPS[:3], 1), (*CAPS[:2], number, CAPS[3])):
        judged(lambda threads, caps=caps: imported(document, targets, threads, caps))


@given(numbers, st.sampled_from(["edit", "drop", "repeat", "move", "rename"]))
@fewer(20)
def test_a_large_queue_against_its_record(number, act):
    record, items = stored()
    queue = json.loads(items)
    name = queue[number]["metadata"]["name"]
    expected = []
    if act == "edit":
        queue[number]["spec"]["target"] = "other"
        expected = [("item-diverges-from-extraction", name)]
    elif act == "drop":
        del queue[number]
        expected = [("item-missing-from-queue", name)]
    elif act == "repeat":
        queue.append(queue[number])
        expected = [("ambiguous-item-identity", name)]
    elif act == "rename":
        queue[number]["metadata"]["name"] = "new"
        expected = [("item-missing-from-queue", name), ("item-not-in-extraction", "new")]
    else:
        queue.insert(0, queue.pop(number))
    raw = data_json({"items": queue, "activeItemName": name})
    facts, profile, refused, *_ = judged(
        lambda threads: _core.compare_queue(raw, record, CAPS, threads)
    )
    assert [(code, item) for code, item, *_ in facts] == expected
    assert (profile, refused) == (None if expected else "jcs", None)


def test_a_large_queue_of_the_other_order():
    record, _ = stored()
    foreign = data_json(importing.review_items(json.loads(record), "collated"))
    found = judged(lambda threads: _core.compare_queue(foreign, record, CAPS, threads))
    assert found[:3] == ([], "collated", None)


@given(numbers, st.sampled_from(["jcs", "collated"]), st.booleans())
@fewer(20)
def test_the_outline_of_a_large_queue(number, profile, odd):
    queue = json.loads(stored()[1])
    if odd:
        queue[number]["\u00e9"] = 1
    raw = data_json({"items": queue})
    digest, names, twice, imported = judged(
        lambda threads: _core.queue_outline(raw, profile, CAPS, threads)
    )
    assert names == [item["metadata"]["name"] for item in queue]
    assert (twice, imported) == (None, SLOTS)
    if odd and profile == "collated":
        assert digest is None
    else:
        assert digest == _core.sha256_hex(canonical_json({"items": queue}, profile))
