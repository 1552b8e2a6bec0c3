"""Inspecting a run: where its values stand, redacted unless asked, never a decision.

Rows of the edge table of runs: 33, 35 (the chunks of it), 52, 55, 57 and 12 as far as inspection
goes. Left: layout of PDF pages, which no provider of ours tells yet, and 61.
"""

import json

import pytest
from tests.unit.runs.exporting import made, typed
from tests.unit.runs.samples import (
    UPSTREAM,
    conflict,
    content,
    decided,
    example,
    nothing,
    partial,
    rival_misquoted,
    sample_of,
    stays_refused,
    task_document,
)
from tests.unit.runs.test_import_run import Upstream, unbound

from survey_fast.canon import canonical_json
from survey_fast.runs.export.inspection import inspect_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run

BOTH = {"include_prepared_text": True, "include_excerpts": True}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def spec_of(path, **asked):
    return inspect_run(path, **asked).document["spec"]


def test_text_and_words_are_redacted_each_unless_it_is_asked_for(root):
    path = decided(root, conflict())
    before = content(path)
    for text in (False, True):
        for words in (False, True):
            found = inspect_run(path, include_prepared_text=text, include_excerpts=words)
            spec = found.document["spec"]
            assert spec["redaction"] == {"preparedTextIncluded": text, "excerptsIncluded": words}
            source, candidates = spec["sources"][0], spec["candidates"]
            assert (source["preparedText"] == "[redacted]") is not text
            assert {one["excerpt"] == "[redacted]" for one in candidates} == {not words}
            assert (b"Basel" in found.text) is (text or words)
    assert content(path) == before


def test_it_is_canonical_and_says_where_each_value_stands(root):
    path = conflict().create(root).path
    found = inspect_run(path, **BOTH)
    assert found.text == canonical_json(found.document) + b"\n"
    assert found.document["apiVersion"] == "survey.kontourai.io/v1alpha1"
    assert found.document["kind"] == "ExtractionInspectorExport"
    spec = found.document["spec"]
    run = open_run(path)
    key = f"survey-fast:{run.manifest.import_name}:0"
    assert spec["sources"][0]["key"] == key
    names = [item["metadata"]["name"] for item in run.state["items"]]
    assert [
        (one["id"], one["field"], one["start"], one["end"], one["reviewItemName"])
        for one in spec["candidates"]
    ] == [
        (f"{key}:proposal:0", "fee", 0, 10, names[0]),
        (f"{key}:proposal:1", "fee", 23, 33, names[0]),
        (f"{key}:proposal:2", "city", 11, 22, names[1]),
    ]
    text = spec["sources"][0]["preparedText"]
    assert all(text[one["start"] : one["end"]] == one["excerpt"] for one in spec["candidates"])
    assert {one["alignment"] for one in spec["candidates"]} == {"aligned"}


def test_decisions_values_and_scores_are_never_told(root):
    sample = example()
    undecided = inspect_run(sample.create(root).path).text
    assert inspect_run(decided(root.parent / "others", sample)).text == undecided
    for word in (b"confidence", b"candidateValue", b"decision", b"reviewer"):
        assert word not in undecided


def test_a_blind_round_in_progress_can_be_inspected(root):
    blind = conflict().with_order(score_blind=True).create(root).path
    sighted = conflict().create(root.parent / "others").path
    assert inspect_run(blind, **BOTH).text == inspect_run(sighted, **BOTH).text


def test_row_12_places_are_utf_16_code_units(root):
    text = "Note: 🙂\nFee: 48000\n"
    spec = spec_of(sample_of(task_document("fee"), text).create(root).path, **BOTH)
    one = spec["candidates"][0]
    units = text.encode("utf-16-le")[2 * one["start"] : 2 * one["end"]]
    assert units.decode("utf-16-le") == one["excerpt"] == "Fee: 48000"
    assert spec["sources"][0]["alignment"] == "aligned"


def test_a_proposal_that_was_left_out_is_said_and_not_listed(root):
    spec = spec_of(decided(root, rival_misquoted()), **BOTH)
    source = spec["sources"][0]
    assert (source["alignment"], source["posture"]) == ("aligned", "proposals-excluded")
    assert [one["proposalIndex"] for one in spec["candidates"]] == [0, 2]
    assert source["preparedText"].startswith("Fee: 48000")


def test_row_33_a_run_that_never_bound_its_envelope_says_so(root, tmp_path):
    path = import_run(UPSTREAM, root).artifacts.path
    assert "reviewBlocked" not in spec_of(path)
    closed = import_run(unbound(Upstream(tmp_path / "theirs")), tmp_path / "others").artifacts.path
    assert spec_of(closed)["reviewBlocked"]["reason"] == "unbound-envelope"


def test_words_nobody_looked_up_that_are_not_there_withhold_the_text(root, tmp_path):
    theirs = Upstream(tmp_path / "theirs")
    proposal = theirs.envelope["result"]["proposals"][0]
    excerpt = proposal["provenance"]["excerpt"]
    proposal["provenance"]["excerpt"] = excerpt[:-1] + "~"
    theirs.review["events"].clear()
    spec = spec_of(import_run(unbound(theirs), root).artifacts.path, **BOTH)
    source = spec["sources"][0]
    assert (source["alignment"], source["preparedText"]) == ("excerpt-mismatch", None)
    assert {one["alignment"] for one in spec["candidates"]} == {"excerpt-mismatch"}
    assert spec_of(root / source_folder(root))["sources"][0]["preparedText"] == "[redacted]"


def source_folder(root):
    return next(one.name for one in root.iterdir() if one.name.startswith("run-"))


def test_row_55_a_text_that_was_read_in_part_is_counted_by_chunk(root):
    extraction = spec_of(partial().create(root).path)["extraction"]
    assert extraction["outcome"] == {"status": "partial", "reason": "max-chunks"}
    assert extraction["coverageSummary"] == {"chunkCount": 4, "incompleteChunkCount": 3}
    assert extraction["partial"]["remainingChunks"] == 3
    assert len(extraction["coverage"]) == 4
    assert [one["code"] for one in extraction["warningClassifications"]] == ["max-chunks"]


def test_row_57_a_run_in_which_nothing_was_found(root):
    spec = spec_of(nothing().create(root).path)
    assert spec["candidates"] == []
    assert spec["extraction"] == {"outcome": {"status": "success"}, "warningClassifications": []}


@pytest.mark.parametrize(("kind", "text"), [("date", "14 March 2026"), ("number", "2.1")])
def test_row_52_a_value_that_was_rewritten_is_said_to_be(root, kind, text):
    extraction = spec_of(typed(kind, text, text).create(root).path)["extraction"]
    assert [one["category"] for one in extraction["warningClassifications"]] == ["normalization"]


def test_what_must_not_leave_is_refused_only_where_it_would_leave(root):
    path = made(root, typed("string", "/srv/share/x", "/srv/share/x"), ("it", "accept"))
    inspect_run(path)
    for asked in BOTH:
        found = stays_refused("DISCLOSURE_REFUSED", path, inspect_run, **{asked: True})
        assert found.pointer.startswith("/spec/")
        assert "share" not in json.dumps([found.message, found.details])
    allowed = [
        "path-posix@/result/proposals/0/provenance/excerpt",
        "path-posix@/result/proposals/0/candidateValue",
    ]
    spec = spec_of(path, **BOTH, allow_disclosure=allowed)
    assert spec["candidates"][0]["excerpt"] == "It: /srv/share/x"
