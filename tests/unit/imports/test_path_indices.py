"""Rows of an import are those of its record, proposal by proposal."""

from __future__ import annotations

import pytest
from tests.unit.imports.samples import run, vendor
from tests.unit.runs.samples import many

from survey_fast.imports.path_indices import proposal_rows
from survey_fast.runs.opened import open_run


def test_the_rows_are_those_of_the_record(tmp_path):
    made = open_run(many(12).create(tmp_path / "runs").path).imported
    told = proposal_rows(made.record_bytes)
    record = made.record
    proposals = record["spec"]["envelope"]["result"]["proposals"]
    assert told.import_name == record["metadata"]["name"]
    assert list(told.indices) == [tuple(one["pathIndices"]) for one in proposals]
    assert len(set(told.indices)) == 12


def test_a_field_in_no_list_has_none():
    told = proposal_rows(run(vendor()).record_bytes)
    assert set(told.indices) == {None}


@pytest.mark.parametrize("record", [b"{}", b'{"metadata":{},"spec":{"envelope":{}}}'])
def test_a_record_without_proposals_has_no_rows(record):
    assert proposal_rows(record).indices == ()
