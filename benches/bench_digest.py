"""Canonical digest of a queue snapshot, bytes in, in every layout of one document."""

import pytest

from benches.baselines import orjson_digest, raw_sha256, reference_digest, rfc8785_digest
from benches.data import FORMS, LARGE, SMALL, inputs, queue_in
from benches.turns import in_turns
from survey_fast import canonical_digest
from survey_fast.canon import sha256_hex

ten_thousand = pytest.mark.benchmark(group="digest-10k")
one_thousand = pytest.mark.benchmark(group="digest-1k")


def expected(count):
    """The answer, whatever the layout: SHA-256 of the canonical bytes."""
    return raw_sha256(inputs(count).queue)


@ten_thousand
@pytest.mark.parametrize("form", FORMS)
def test_digest(benchmark, form):
    """Strict reading, canonical order and SHA-256; beside it, SHA-256 of the very same bytes."""
    document, tenth = queue_in(form, LARGE), queue_in(form, SMALL)
    others = {
        "raw": lambda: raw_sha256(document),
        "tenth": lambda: canonical_digest(tenth),
    }
    digest = in_turns(benchmark, lambda: canonical_digest(document), others)
    assert digest == expected(LARGE)
    assert canonical_digest(tenth) == expected(SMALL)
    assert raw_sha256(document) == sha256_hex(document)


@ten_thousand
def test_digest_orjson(benchmark):
    """The quickest general serializer, with sorted members."""
    queue = inputs(LARGE).queue
    assert benchmark.pedantic(orjson_digest, [queue], rounds=2) == expected(LARGE)


@ten_thousand
def test_digest_rfc8785(benchmark):
    """The canonical writer that most Python code would use."""
    queue = inputs(LARGE).queue
    assert benchmark.pedantic(rfc8785_digest, [queue], rounds=2) == expected(LARGE)


@one_thousand
def test_digest_1k(benchmark):
    """A tenth of the items, for the oracle to be compared with."""
    assert benchmark(canonical_digest, inputs(SMALL).queue) == expected(SMALL)


@one_thousand
def test_digest_reference_1k(benchmark):
    """The oracle, which would take a quarter of a minute for all items."""
    queue = inputs(SMALL).queue
    assert benchmark.pedantic(reference_digest, [queue], rounds=2) == expected(SMALL)
