"""The generated extractions that the demonstration and the benchmarks measure on."""

from __future__ import annotations

import json

import pytest

from survey_fast.cli.sample import IMPORT_OPTIONS, proposals_for, sample_extraction
from survey_fast.imports import available_artifact, import_envelope


def imported(count):
    envelope, prepared, targets = sample_extraction(count)
    artifact = available_artifact(prepared)
    return import_envelope(envelope, claim_targets=targets, artifact=artifact, **IMPORT_OPTIONS)


@pytest.mark.parametrize("count", [0, 1, 49, 50, 51, 52, 101, 102, 500])
def test_it_has_as_many_proposals_as_asked_for(count):
    envelope, _, targets = sample_extraction(count)
    proposals = json.loads(envelope)["result"]["proposals"]
    assert len(proposals) == count
    assert {one["fieldPath"] for one in proposals} == set(targets)
    assert len(targets) == count - count // 51


@pytest.mark.parametrize("items", [50, 99, 100, 510])
def test_every_fiftieth_slot_is_a_conflict(items):
    result = imported(proposals_for(items))
    statuses = [item["spec"]["candidateSetStatus"] for item in result.review_items]
    conflicts = [place for place, status in enumerate(statuses) if status == "conflict"]
    assert len(statuses) == items
    assert conflicts == list(range(49, items, 50))


def test_every_excerpt_stands_at_its_place():
    result = imported(510)
    assert result.status == {"state": "grounded", "provenance": "verified", "diagnostics": []}


def test_every_excerpt_occurs_once_as_it_says():
    envelope, prepared, _ = sample_extraction(300)
    for proposal in json.loads(envelope)["result"]["proposals"]:
        assert prepared.count(proposal["provenance"]["excerpt"]) == 1


def test_offsets_count_utf16_units():
    envelope, prepared, _ = sample_extraction(300)
    length = json.loads(envelope)["result"]["preparedArtifact"]["contentLength"]
    assert length == len(prepared.encode("utf-16-le")) // 2
    assert length > len(prepared)


def test_the_same_size_gives_the_same_bytes():
    assert sample_extraction(120) == sample_extraction(120)


def test_an_item_is_of_realistic_size():
    result = imported(510)
    assert 3_100 < len(result.items_bytes) / len(result.review_items) < 3_500
