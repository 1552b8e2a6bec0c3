"""An envelope becomes a record and items, every excerpt looked up in the prepared text."""

import hashlib

import pytest
from tests.reference import importing
from tests.reference.canonical import canonical

from benches.baselines import orjson_digest, raw_sha256, rfc8785_digest
from benches.data import LARGE, SMALL, inputs
from benches.turns import in_turns
from survey_fast.canon import sha256_hex
from survey_fast.cli.sample import IMPORT_OPTIONS

ten_thousand = pytest.mark.benchmark(group="import-10k")
one_thousand = pytest.mark.benchmark(group="import-1k")


def require_import(result, given):
    """Byte for byte the import that all other inputs follow from, and verified."""
    assert (result.record_bytes, result.items_bytes) == (given.record, given.items)
    assert result.is_grounded
    assert result.is_verified


@ten_thousand
def test_import(benchmark):
    """From the envelope's bytes, with the digest and the excerpts of the prepared text."""
    given, tenth = inputs(LARGE), inputs(SMALL)
    others = {"raw": lambda: raw_sha256(given.items), "tenth": tenth.imported}
    require_import(in_turns(benchmark, given.imported, others), given)
    require_import(tenth.imported(), tenth)
    assert raw_sha256(given.items) == sha256_hex(given.items)


@ten_thousand
def test_import_orjson(benchmark):
    """A part of the work only: one digest over the items."""
    items = inputs(LARGE).items
    assert benchmark.pedantic(orjson_digest, [items], rounds=2) == raw_sha256(items)


@ten_thousand
def test_import_rfc8785(benchmark):
    """A part of the work only: one digest over the items."""
    items = inputs(LARGE).items
    assert benchmark.pedantic(rfc8785_digest, [items], rounds=2) == raw_sha256(items)


@one_thousand
def test_import_1k(benchmark):
    """A tenth of the items, for the oracle to be compared with."""
    given = inputs(SMALL)
    require_import(benchmark(given.imported), given)


@one_thousand
def test_import_reference_1k(benchmark):
    """The oracle, which would take a quarter of a minute for all items."""
    given = inputs(SMALL)

    def imported():
        digest = hashlib.sha256(given.prepared.encode()).hexdigest()
        return importing.import_envelope(
            given.envelope,
            **IMPORT_OPTIONS,
            claim_targets=given.targets,
            artifact={"status": "available", "text": given.prepared, "actualDigest": digest},
        )

    _, items = benchmark.pedantic(imported, rounds=2)
    assert canonical(items) == given.items
