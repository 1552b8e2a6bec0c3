"""The report of a run, and the identities of its proposals.

Proven here: what is left out is counted with field and reason; when a field counts as not found;
slot and version ids; cue offsets. Left to tests of runs: ids of items that carry.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.unit.extraction.running import BIG, STAMP, answer, propose, run, said

from survey_fast.canon import canonical_digest, canonical_json, data_digest
from survey_fast.errors import SurveyError
from survey_fast.extraction.proposal_identity import (
    candidate_version_id,
    item_slot_id,
    proposal_identities,
)
from survey_fast.extraction.provider import MalformedItems

TWO = [{"path": "fee", "type": "number"}, {"path": "name", "type": "string"}]
ROWS = [{"path": "items[].day", "type": "string"}]


def ids(extraction, **options):
    return proposal_identities(extraction.envelope, **options)


def test_the_report_is_closed_canonical_and_about_its_envelope():
    extraction = run("Fee: 1", answer(propose("fee", 1, "Fee: 1")), schema=TWO)
    assert set(extraction.report) == {
        "format",
        "schemaVersion",
        "runId",
        "envelopeDigest",
        "preparedLength",
        "truncatedAt",
        "prunedText",
        "dropped",
        "duplicates",
        "malformedToolItems",
        "notFound",
        "identities",
    }
    assert extraction.report["schemaVersion"] == 1
    assert extraction.report["envelopeDigest"] == canonical_digest(extraction.envelope)
    raw = extraction.report_bytes
    assert raw == canonical_json(extraction.report) + b"\n"
    assert json.loads(raw) == extraction.report


def test_drops_are_counted_by_chunk_reason_and_field():
    text = "x" * 20
    odd = [
        propose("fee", 1, "no"),
        propose("fee", 2, "no"),
        propose("nope", 1, "x"),
        "prose",
        propose("name", object(), "x"),
    ]
    extraction = run(text, answer(*odd), chunk_size=10, chunk_overlap=0)
    rows = [tuple(one.values()) for one in extraction.report["dropped"]]
    expected = [
        ("unknown-field", "nope", 1),
        ("not-an-object", None, 1),
        ("value-not-json", "name", 1),
        ("excerpt-not-found", "fee", 2),
    ]
    assert rows == [
        (reason, path, chunk, count) for chunk in (1, 2) for reason, path, count in expected
    ]


def test_a_field_without_a_proposal_is_not_found_after_a_success():
    extraction = run("Fee: 1", answer(propose("fee", 1, "Fee: 1")), schema=TWO)
    assert extraction.report["notFound"] == ["name"]
    assert run("Fee: 1", answer(), schema=TWO).report["notFound"] == ["fee", "name"]
    dropped = answer(propose("name", "x", "elsewhere"))
    assert run("Fee: 1", dropped, schema=TWO).report["notFound"] == ["fee"]


@pytest.mark.parametrize(
    "odd",
    [
        answer(propose("nope", 1, "Fee: 1")),
        answer("prose"),
        answer(malformed_items=MalformedItems(1, 2)),
        answer(truncated=True),
        answer(missing_tool_call=True),
        answer(unusable=True),
    ],
    ids=range(6),
)
def test_nothing_is_said_about_missing_fields_when_something_may_be_missing(odd):
    assert "notFound" in run("Fee: 1", answer(), schema=TWO).report
    assert "notFound" not in run("Fee: 1", odd, schema=TWO).report


def test_a_capped_run_says_nothing_about_missing_fields():
    assert "notFound" not in run(BIG, answer(), schema=TWO, max_chunks=1).report


def test_a_transcript_brings_its_times_along():
    vtt = b"WEBVTT\n\n00:01.000 --> 00:02.500\nFee: 1\n"
    extraction = run(vtt, answer(propose("fee", 1, "Fee: 1")), content_type="transcript")
    assert extraction.report["cueOffsets"] == [
        {"start": 0, "end": 6, "cueStart": 1000, "cueEnd": 2500}
    ]
    assert b"cueOffsets" not in extraction.envelope


def test_what_a_page_lost_is_told():
    page = b"<html><body><nav>Home</nav><p>Fee: 1</p></body></html>"
    extraction = run(page, answer(propose("fee", 1, "Fee: 1")), content_type="html")
    assert extraction.report["prunedText"] == {"elements": 1, "chars": 4}


def test_slot_and_version_are_digests_of_what_the_rule_names():
    extraction = run("Fee: 1", answer(propose("fee", 1, "Fee: 1")), schema=TWO)
    (one,) = ids(extraction)
    slot = "slot:sha256:" + data_digest(["file:big.txt", "fee", None])
    ref = extraction.document["result"]["preparedArtifact"]["ref"]
    version = "version:sha256:" + data_digest([slot, 1, "Fee: 1", "chars:0-6", ref])
    assert (one.slot_id, one.version_id) == (slot, version)
    assert extraction.report["identities"] == [
        {"proposalIndex": 0, "slotId": slot, "versionId": version}
    ]


def test_a_version_changes_with_what_was_read_and_with_nothing_else():
    def first(text="Fee: 1 Fee: 1", value=1, excerpt="Fee: 1", hint=1, confidence=None, **rest):
        told = propose("fee", value, excerpt, occurrenceHint=hint, confidence=confidence)
        return ids(run(text, answer(told, raw=said(**rest)), schema=TWO))[0]

    base = first()
    assert first(confidence=0.5, model="other", tokens=9) == base
    for other in (
        first(value=2),
        first(hint=2),
        first(excerpt="Fee"),
        first(text="Fee: 1 Fee: 1 "),
    ):
        assert (other.slot_id, other.version_id == base.version_id) == (base.slot_id, False)


def test_another_source_is_another_slot():
    told = answer(propose("fee", 1, "Fee: 1"))
    here = ids(run("Fee: 1", told, schema=TWO))[0]
    there = ids(run("Fee: 1", told, schema=TWO, stamp=replace(STAMP, source_ref="doc:2")))[0]
    assert here.slot_id != there.slot_id


def test_rows_of_several_chunks_have_no_ids_unless_the_caller_tells_them_apart():
    one, two = propose("items[0].day", "Mon", "Mon"), propose("items[0].day", "Tue", "Tue")
    whole = run("Mon, Tue", answer(one, two), schema=ROWS)
    assert [found is None for found in ids(whole)] == [False, False]
    parted = run("Mon, Tue", [answer(one), answer(two)], schema=ROWS, chunk_size=5, chunk_overlap=0)
    assert ids(parted) == [None, None]
    assert parted.report["identities"] == []
    keyed = ids(parted, key=lambda proposal, _: proposal["candidateValue"])
    assert len({one.slot_id for one in keyed}) == 2
    with_key = run(
        "Mon, Tue",
        [answer(one), answer(two)],
        schema=ROWS,
        chunk_size=5,
        chunk_overlap=0,
        row_key=lambda proposal, _: proposal["candidateValue"],
    )
    assert with_key.report["identities"] == [one.to_json() for one in keyed]


def test_fields_without_rows_have_ids_in_every_run():
    told = answer(propose("fee", 1, "Fee: 1"))
    parted = run("Fee: 1....", [told, answer()], schema=TWO, chunk_size=6, chunk_overlap=0)
    assert ids(parted)[0].slot_id == ids(run("Fee: 1....", told, schema=TWO))[0].slot_id


def test_an_item_has_the_slot_on_which_its_proposals_agree():
    assert item_slot_id(["a", "a"]) == "a"
    assert item_slot_id(["a", "b"]) is None
    assert item_slot_id(["a", None]) is None
    assert item_slot_id([None]) is None
    assert item_slot_id([]) is None


def test_a_candidate_has_one_version_over_all_that_say_its_value():
    assert candidate_version_id(["b", "a"]) == candidate_version_id(["a", "b"])
    assert candidate_version_id(["a"]) != candidate_version_id(["a", "b"])
    assert candidate_version_id(["a"]) == "version:sha256:" + data_digest(["a"])


def test_identities_are_those_of_a_valid_envelope():
    with pytest.raises(SurveyError):
        proposal_identities({"result": {"proposals": []}})
