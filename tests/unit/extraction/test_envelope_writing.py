"""Writing envelopes: what leaves the process, the older form, and the check before it.

Rows of the edge cases of extraction proven here: 82, 83, 95 (what is valid is written unchanged),
88 and 89 at the writer, 91 (nothing in process leaves it). Left to test_run_proposals: 92, 93. Left
to test_run_outcomes: 94. Left to test_produce_envelopes: 84 to 87, 90.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.extraction.running import (
    BIG,
    MOMENT,
    RUN_ID,
    STAMP,
    answer,
    propose,
    result,
    run,
    said,
)

from survey_fast.canon import canonical_json
from survey_fast.errors import SurveyError
from survey_fast.extraction.coverage import Range
from survey_fast.extraction.envelope import RunFacts, envelope_document, write_envelope
from survey_fast.extraction.envelope_check import check_produced
from survey_fast.extraction.failure import ProviderCallError
from survey_fast.extraction.outcome import SUCCESS, Ended, Partial, RunOutcome
from survey_fast.extraction.prepared_artifact import build_prepared_artifact
from survey_fast.extraction.source_name import check_source_name
from survey_fast.imports import available_artifact, import_envelope

VECTORS = Path(__file__).parents[2] / "vectors"
FACTS = RunFacts("file:a.txt", RUN_ID, MOMENT, "p", Ended(SUCCESS))
STORED = sorted((VECTORS / "traverse/envelopes").glob("*.json"))
OLDER = sorted((VECTORS / "traverse/envelopes-0.25.1").glob("*.json"))


def refused(call, code, pointer):
    with pytest.raises(SurveyError) as caught:
        call()
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


def test_the_smallest_envelope_is_canonical_and_whole():
    raw, document = write_envelope(FACTS)
    assert raw == canonical_json(document)
    assert document == {
        "format": "traverse-extraction-result",
        "version": 1,
        "source": {"ref": "file:a.txt"},
        "result": {
            "proposals": [],
            "provider": "p",
            "runId": RUN_ID,
            "raw": {},
            "outcome": {"status": "success"},
            "extractedAt": MOMENT,
            "providerCalls": 0,
            "totalTokensUsed": 0,
        },
    }


def test_row_82_the_published_envelope_is_what_would_be_written():
    raw = (VECTORS / "portable-extraction-result.v1.json").read_bytes().rstrip(b"\n")
    check_produced(raw)
    assert canonical_json(raw, lossless=True) == raw


@pytest.mark.parametrize("path", STORED, ids=[one.stem for one in STORED])
def test_row_83_a_valid_envelope_is_written_unchanged(path):
    raw = path.read_bytes()
    check_produced(raw)
    assert canonical_json(json.loads(raw), lossless=True) == raw


@pytest.mark.parametrize("path", OLDER, ids=[one.stem for one in OLDER])
def test_row_95_an_older_envelope_is_valid_as_it_is(path):
    check_produced(path.read_bytes())


def test_row_88_a_loss_without_a_range_is_not_written_and_a_stop_is():
    artifact = build_prepared_artifact("x" * 9, mode="text", version="3")
    lost = Range(1, 0, 9, "unread", "provider-failure")

    def facts(reason, *coverage):
        ended = Ended(RunOutcome("partial", reason), Partial(reason, 1, 0))
        return replace(FACTS, ended=ended, artifact=artifact, coverage=coverage)

    write_envelope(facts("provider-failure", lost))
    write_envelope(facts("max-chunks"))
    refused(
        lambda: write_envelope(facts("provider-failure")),
        "envelope-inconsistent",
        "/result/coverage",
    )


def test_row_89_two_snapshots_are_not_written():
    artifact = build_prepared_artifact("x", mode="text", version="3", source_snapshot_ref="snap:1")
    _, document = write_envelope(replace(FACTS, artifact=artifact))
    assert document["source"]["snapshotRef"] == "snap:1"
    with pytest.raises(SurveyError) as caught:
        write_envelope(replace(FACTS, artifact=artifact, snapshot_ref="snap:2"))
    assert caught.value.code == "envelope-inconsistent"


def test_row_91_texts_stay_in_the_process():
    extraction = run(
        "Fee: 1", answer(propose("fee", 1, "Fee: 1"), raw=said(), warnings=("a note",))
    )
    assert result(extraction)["warningClassifications"] == [
        {"category": "provider", "code": "provider-warning"}
    ]
    assert extraction.warnings[0].message == "a note"
    assert result(extraction)["raw"] == {}
    assert b"note" not in extraction.envelope
    assert extraction.prepared.text not in json.dumps(
        {k: v for k, v in result(extraction).items() if k != "proposals"}
    )


@pytest.mark.parametrize(
    "name",
    [
        "/home/me/contract.txt",
        "file:/home/me/contract.txt",
        "file:///home/me/contract.txt",
        "FILE:///x",
        "C:\\Users\\me\\x.txt",
        "c:/x.txt",
        "file:C:/x.txt",
        "\\\\server\\share\\x",
        "~/x.txt",
        "",
        " \ufeff",
    ],
)
def test_a_path_from_a_root_is_no_name_of_a_source(name):
    write_envelope(FACTS)
    refused(
        lambda: write_envelope(replace(FACTS, source_ref=name)),
        "envelope-invalid-value",
        "/source/ref",
    )


@pytest.mark.parametrize(
    "name", ["https://x.org/a?sig=abc", "https://x.org/a?b=1&KEY=abc", "https://x.org/a?token=abc"]
)
def test_an_address_that_opens_what_it_names_is_not_written(name):
    write_envelope(replace(FACTS, source_ref="https://x.org/a?page=2"))
    refused(
        lambda: write_envelope(replace(FACTS, source_ref=name)),
        "envelope-authorization-material",
        "/source/ref",
    )


@pytest.mark.parametrize(
    "name", ["file:notes.txt", "doc:acme-2026", "notes/a.txt", "fieldwork-source:v1:t:" + "a" * 64]
)
def test_relative_and_logical_names_are_taken(name):
    assert check_source_name(name) == name


@pytest.mark.parametrize(
    "instant", ["", "yesterday", "2026-10-02T09:30:00", "2026-13-02T09:30:00Z"]
)
def test_the_instant_has_a_date_a_time_and_a_zone(instant):
    refused(
        lambda: write_envelope(replace(FACTS, extracted_at=instant)),
        "envelope-invalid-value",
        "/result/extractedAt",
    )


@pytest.mark.parametrize(
    "odd",
    [
        {"run_id": "run:1"},
        {"provider": "two words"},
        {"model": "two words"},
        {"tokens": -1},
        {"calls": -1},
        {"task_digest": "abc"},
        {"page_offsets": [0, 0]},
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_whatever_makes_no_valid_envelope_is_not_written(odd):
    with pytest.raises(SurveyError) as caught:
        write_envelope(replace(FACTS, **odd))
    assert caught.value.code.startswith("envelope-")


def test_the_older_form_leaves_out_what_it_does_not_know():
    text = "Fee: 1" + "." * 14
    script = [
        answer(propose("fee", 1, "Fee: 1", confidence=0.5), raw=said(3)),
        ProviderCallError("down", status=500, code="E1"),
    ]
    options = {"chunk_size": 10, "chunk_overlap": 0, "max_chunks": 2}
    extraction = run(text + "." * 10, script, wire="0.25", **options)
    told = result(extraction)
    assert told["outcome"] == {"status": "partial", "reason": "max-chunks"}
    assert set(told["proposals"][0]) & {"evidenceMatch", "producedBy"} == set()
    assert "coverage" not in told
    assert set(told["providerFailures"][0]) == {"provider", "kind", "retryable"}
    current = run(text + "." * 10, script, **options)
    assert {"coverage"} == set(result(current)) - set(told)


def test_the_older_form_cannot_say_that_a_confidence_is_missing_or_that_text_was_lost():
    proposed = answer(propose("fee", 1, "Fee: 1"))
    run("Fee: 1", proposed)
    refused(
        lambda: run("Fee: 1", proposed, wire="0.25"),
        "envelope-missing-member",
        "/result/proposals/0/confidence",
    )
    refused(
        lambda: run(BIG, [answer(), answer(truncated=True), answer()], wire="0.25"),
        "envelope-invalid-value",
        "/result/outcome/reason",
    )


def test_there_are_two_forms():
    with pytest.raises(ValueError, match="wire"):
        write_envelope(FACTS, wire="1.0")


def test_what_is_written_imports_as_verified():
    extraction = run("😀 Fee: 1", answer(propose("fee", 1, "Fee: 1")))
    target = {"subjectType": "s", "subjectId": "1", "facet": "f", "claimType": "c"}
    imported = import_envelope(
        extraction.envelope,
        source_kind="uploaded-document",
        claim_targets={"fee": {**target, "impactLevel": "low"}},
        artifact=available_artifact(extraction.prepared.text),
    )
    assert imported.record["status"]["provenance"] == "verified"
    assert len(imported.review_items) == 1


def test_the_stamp_stands_in_the_envelope():
    stamp = replace(STAMP, source_ref="doc:1", snapshot_ref="snap:1")
    extraction = run("Fee: 1", answer(), stamp=stamp)
    assert extraction.document["source"] == {"ref": "doc:1", "snapshotRef": "snap:1"}
    assert result(extraction)["preparedArtifact"]["sourceSnapshotRef"] == "snap:1"
    assert envelope_document(FACTS)["source"] == {"ref": "file:a.txt"}
