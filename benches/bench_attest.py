"""A stored queue against the items that its import record derives, bytes in."""

import json

import pytest
from tests.reference import attest

from benches.baselines import orjson_digest, raw_sha256, rfc8785_digest
from benches.data import LARGE, LIMITS, SMALL, inputs, queue_in
from benches.turns import in_turns
from survey_fast import validate_review_queue_against_extraction_import
from survey_fast.canon import sha256_hex

ten_thousand = pytest.mark.benchmark(group="queue-against-import-10k")
one_thousand = pytest.mark.benchmark(group="queue-against-import-1k")


def compare(queue, record):
    """What differs between a stored queue and its record."""
    return validate_review_queue_against_extraction_import(queue, record, limits=LIMITS)


def require_refusal_of_an_edit(queue, record):
    """What is timed finds nothing, so show that it would have."""
    edited = queue.replace(b'"editable":false', b'"editable":true', 1)
    codes = [issue.code for issue in compare(edited, record)]
    assert codes == ["item-diverges-from-extraction"]


@ten_thousand
@pytest.mark.parametrize("form", ["canonical", "stored"])
def test_attest(benchmark, form):
    """The record judged, the items derived again and compared with the queue."""
    queue, record = queue_in(form, LARGE), inputs(LARGE).record
    tenth, tenth_record = queue_in(form, SMALL), inputs(SMALL).record
    others = {
        "raw": lambda: raw_sha256(queue),
        "tenth": lambda: compare(tenth, tenth_record),
    }
    assert in_turns(benchmark, lambda: compare(queue, record), others) == []
    assert compare(tenth, tenth_record) == []
    require_refusal_of_an_edit(queue, record)
    assert raw_sha256(queue) == sha256_hex(queue)


@ten_thousand
def test_attest_orjson(benchmark):
    """A part of the work only: one digest over the queue."""
    queue = inputs(LARGE).queue
    assert benchmark.pedantic(orjson_digest, [queue], rounds=2) == raw_sha256(queue)


@ten_thousand
def test_attest_rfc8785(benchmark):
    """A part of the work only: one digest over the queue."""
    queue = inputs(LARGE).queue
    assert benchmark.pedantic(rfc8785_digest, [queue], rounds=2) == raw_sha256(queue)


@one_thousand
def test_attest_1k(benchmark):
    """A tenth of the items, for the oracle to be compared with."""
    given = inputs(SMALL)
    assert benchmark(compare, given.queue, given.record) == []
    require_refusal_of_an_edit(given.queue, given.record)


@one_thousand
def test_attest_reference_1k(benchmark):
    """The oracle, which would take most of a minute for all items."""
    given = inputs(SMALL)

    def compared():
        return attest.compare(json.loads(given.queue), json.loads(given.record))

    assert benchmark.pedantic(compared, rounds=2) == ([], "jcs")
