"""What becomes of proposals in a run: places, duplicates, producers, evidence.

Rows of the edge cases of extraction proven here, each in a whole run: 14, 19, 21 to 24 (occurrences
across chunks), 29 to 32 (overlap and duplicates), 61 to 63 (drops), 66, 70 (duplicates and
rewrites), 92 (producers), 93 (codes of failures). Left to the tests of the resolver: 13, 15 to 18,
20. Left to test_normalise: 59, 60, 64, 65, 67 to 69.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.extraction.running import (
    NAME,
    Scripted,
    answer,
    codes,
    propose,
    result,
    run,
    said,
    spans,
)

from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.failure import ProviderCallError
from survey_fast.extraction.provider import request_digest

VECTORS = Path(__file__).parents[2] / "vectors/traverse"


def places(extraction):
    return [one["provenance"]["locator"] for one in extraction.proposals]


def test_row_14_alike_proposals_take_one_place_after_the_other():
    again = [propose("fee", 1, "Fee: 1")] * 4
    extraction = run("Fee: 1 Fee: 1 Fee: 1", answer(*again))
    assert places(extraction) == ["chars:0-6", "chars:7-13", "chars:14-20"]
    assert extraction.report["duplicates"] == 1


def test_row_19_a_place_that_a_hint_took_is_taken():
    hinted = propose("fee", 1, "Fee: 1", occurrenceHint=1)
    extraction = run("Fee: 1 Fee: 1", answer(hinted, propose("fee", 1, "Fee: 1")))
    found = [one["provenance"]["occurrence"] for one in extraction.proposals]
    assert [one["selected"]["index"] for one in found] == [0, 1]
    assert [one["hintUsed"] for one in found] == [True, False]


def test_row_21_what_a_chunk_shows_once_is_proposed_once():
    text = "Fee: 1" + "." * 14 + "Fee: 1"
    again = answer(propose("fee", 1, "Fee: 1"), propose("fee", 1, "Fee: 1"))
    extraction = run(text, [again, answer()], chunk_size=20, chunk_overlap=0)
    assert places(extraction) == ["chars:0-6"]
    assert extraction.report["duplicates"] == 1


def test_row_22_and_46_words_that_were_not_sent_are_not_found():
    text = "x" * 20 + "Fee: 1"
    extraction = run(text, answer(propose("fee", 1, "Fee: 1")), max_content=20)
    assert extraction.proposals == []
    assert extraction.report["dropped"] == [
        {"reason": "excerpt-not-found", "fieldPath": "fee", "chunk": 1, "count": 1}
    ]


@pytest.mark.parametrize("excerpt", ["the fee is 1", "fee: 1", "Fee:  1", "Fee:\n1"])
def test_row_23_words_that_differ_in_anything_are_not_found(excerpt):
    extraction = run("Fee: 1", answer(propose("fee", 1, excerpt), propose("fee", 2, "Fee: 1")))
    assert spans(extraction) == [("fee", 2, "chars:0-6")]
    assert codes(extraction) == [("normalization", "proposal-normalization")]


def test_row_24_places_count_code_units():
    extraction = run("😀😀 Fee: 1", answer(propose("fee", 1, "Fee: 1")))
    assert places(extraction) == ["chars:5-11"]


def test_row_29_words_in_an_overlap_are_proposed_once():
    text = "x" * 14 + "Fee: 1" + "y" * 14
    extraction = run(text, answer(propose("fee", 1, "Fee: 1")), chunk_size=20, chunk_overlap=6)
    assert places(extraction) == ["chars:14-20"]
    assert codes(extraction) == [
        ("normalization", "proposal-normalization"),
        ("content", "content-chunking"),
    ]
    assert extraction.report["duplicates"] == 1


def test_row_30_words_across_an_edge_are_found_once_in_the_overlap():
    text = "x" * 17 + "Fee: 1" + "y" * 11

    def find(request):
        has = "Fee: 1" in request.content
        return answer(*[propose("fee", 1, "Fee: 1")] * has)

    extraction = run(text, find, chunk_size=20, chunk_overlap=10)
    assert places(extraction) == ["chars:17-23"]


def test_row_31_one_value_at_two_places_is_two_proposals():
    same = [propose("fee", 1, "Fee: 1"), propose("fee", 1, "fee 1")]
    assert len(run("Fee: 1, fee 1", answer(*same)).proposals) == 2


def test_row_32_two_values_or_fields_at_one_place_are_two_proposals():
    rivals = [
        propose("fee", 1, "Fee: 1"),
        propose("fee", 2, "Fee: 1"),
        propose("name", 1, "Fee: 1"),
    ]
    assert len(run("Fee: 1", answer(*rivals)).proposals) == 3


def test_rows_of_a_list_are_no_duplicates():
    rows = [propose(f"items[{row}].day", "Mon", "Mon") for row in (0, 1, 1)]
    extraction = run("Mon", answer(*rows))
    assert [one["pathIndices"] for one in extraction.proposals] == [[0], [1]]


def test_row_61_62_and_63_what_is_dropped_moves_no_neighbour():
    odd = [propose("nope", 1, "Fee: 1"), propose("fee", float("nan"), "Fee: 1")]
    kept = propose("fee", 1, "\ufeff Fee: 1\n")
    extraction = run("Fee: 1 Fee: 1", answer(odd[0], odd[1], kept))
    assert spans(extraction) == [("fee", 1, "chars:0-6")]
    assert [(one["reason"], one["fieldPath"]) for one in extraction.report["dropped"]] == [
        ("unknown-field", "nope"),
        ("value-not-json", "fee"),
    ]


def test_row_66_a_later_duplicate_with_more_confidence_changes_nothing():
    first = propose("fee", 1, "Fee: 1", confidence=0.2)
    extraction = run("Fee: 1", answer(first, propose("fee", 1, "Fee: 1", confidence=0.9)))
    (kept,) = extraction.proposals
    assert kept["confidence"] == 0.2


@pytest.mark.parametrize("is_reversed", [False, True])
def test_row_70_a_value_in_its_type_beats_a_rewritten_one(is_reversed):
    both = [propose("fee", " 12 ", "Fee: 12"), propose("fee", 12, "Fee: 12", confidence=0.5)]
    extraction = run("Fee: 12", answer(*(both[::-1] if is_reversed else both)))
    (kept,) = extraction.proposals
    assert (kept["candidateValue"], kept["confidence"]) == (12, 0.5)
    # The duplicate is told; that a text was rewritten is not, for it did not survive.
    assert len(codes(extraction)) == 1


@pytest.mark.parametrize(
    "texts", [(" 12", "12"), ("12", " 12")], ids=["small-first", "large-first"]
)
def test_between_two_rewritten_ones_the_order_does_not_matter(texts):
    both = [propose("fee", text, "Fee: 12", confidence=len(text) / 4) for text in texts]
    extraction = run("Fee: 12", answer(*both))
    (kept,) = extraction.proposals
    assert kept["confidence"] == 0.75
    assert len(codes(extraction)) == 2


def test_a_rewritten_value_is_told_and_leaves_no_trace_in_the_envelope():
    extraction = run("Fee: 12", answer(propose("fee", "12", "Fee: 12")))
    assert extraction.proposals[0]["candidateValue"] == 12
    assert codes(extraction) == [("normalization", "proposal-normalization")]
    assert b"valueNormalization" not in extraction.envelope


def test_one_and_true_and_the_text_one_are_three_values():
    values = [1, True, "1", 1.0, [1], [True], {"a": 1}]
    proposals = [propose("name", value, "Fee: 1") for value in values]
    extraction = run("Fee: 1", answer(*proposals))
    assert len(extraction.proposals) == 6


def test_row_92_a_producer_is_named_only_when_all_of_it_is_known():
    provider = Scripted(answer(propose("fee", 1, "Fee: 1"), raw=said()))
    (known,) = run("Fee: 1", provider).proposals
    assert known["producedBy"] == {
        "model": "fixture-model",
        "modelSource": "configured",
        "requestDigest": request_digest(provider.requests[0]),
    }
    extraction = run("Fee: 1", answer(propose("fee", 1, "Fee: 1"), raw=said(source=None)))
    assert "producedBy" not in extraction.proposals[0]
    assert result(extraction)["model"] == "fixture-model"


def test_the_model_of_a_proposal_is_that_of_its_chunk_and_the_run_has_the_last():
    script = [
        answer(propose("fee", 1, "Fee: 1"), raw=said(3, "one", "configured")),
        answer(propose("fee", 2, "Fee: 2"), raw=said(4, "two", "provider-reported")),
    ]
    extraction = run("Fee: 1....Fee: 2", script, chunk_size=10, chunk_overlap=0)
    assert [one["producedBy"]["model"] for one in extraction.proposals] == ["one", "two"]
    assert (result(extraction)["model"], result(extraction)["raw"]) == ("two", {"tokensUsed": 4})
    assert result(extraction)["totalTokensUsed"] == 7


@pytest.mark.parametrize(("length", "is_kept"), [(128, True), (129, False)])
def test_row_93_a_code_of_a_failure_has_128_characters_at_most(length, is_kept):
    error = ProviderCallError("down", status=500, code="x" * length)
    (failure,) = result(run("Fee: 1", error))["providerFailures"]
    assert ("code" in failure) is is_kept


def test_a_proposal_says_what_its_field_and_its_words_say():
    schema = [
        {"path": "a", "type": "enum", "enumValues": ["on", "off"], "inferenceType": "explicit"},
        {"path": "b", "type": "string", "enumValues": [], "required": True, "description": "d"},
    ]
    extraction = run(
        "It is on.", answer(propose("a", "on", "is on"), propose("b", "It", "It")), schema=schema
    )
    first, second = extraction.proposals
    assert (first["valueType"], first["enumValues"], first["inferenceType"]) == (
        "enum",
        ["on", "off"],
        "explicit",
    )
    assert first["evidenceMatch"] == {
        "checkerVersion": "evidence-match-v4",
        "schema": "ok",
        "valueInExcerpt": "match",
        "tokenBoundary": True,
    }
    assert first["extractor"] == NAME
    assert "enumValues" not in second
    assert "inferenceType" not in second
    assert second["evidenceMatch"]["valueInExcerpt"] == "not-applicable"


def test_nothing_in_process_is_in_the_bytes():
    secret = ProviderCallError("secret words", status=500)
    one = answer(
        propose("fee", 1, "Fee: 1", occurrenceHint=1), raw=said(), warnings=("secret note",)
    )
    extraction = run("Fee: 1" + "." * 14, [one, secret], chunk_size=10, chunk_overlap=0)
    for word in (b"secret", b"the response", b"occurrenceHint", b"Fee: 1..."):
        assert word not in extraction.envelope
    assert "secret note" in {one.message for one in extraction.warnings}
    assert "secret words" in {one.message for one in extraction.warnings}


def test_what_is_asked_is_the_same_whatever_the_concurrency():
    text = "".join(f"Fee: {at}. ".ljust(20) for at in range(40))

    def find(request):
        words = [one + "." for one in request.content.split(".") if "Fee" in one]
        return answer(
            *[propose("fee", one.strip()[5:-1], one.strip()) for one in words], raw=said(2)
        )

    options = {"chunk_size": 50, "chunk_overlap": 10}
    plain = run(text, find, **options)
    assert len(plain.proposals) == 40
    wide = run(text, find, budgets=Budgets(concurrency=7), **options)
    assert (wide.envelope, wide.report) == (plain.envelope, plain.report)


CORPUS = json.loads((VECTORS / "upstream/corpus.v1.json").read_bytes())["cases"]


def corpus_answer(case):
    """What the case's provider proposes, or finds of its terms in what it is sent."""
    told = [
        propose(
            one["fieldPath"],
            one["candidateValue"],
            one["excerpt"],
            **{k: one[k] for k in ("confidence", "occurrenceHint") if k in one},
        )
        for one in case.get("providerProposals", ())
    ]
    (path,) = {one["path"] for one in case["schema"]} if "scanTerms" in case else ("",)

    def scan(request):
        terms = [term for term in case["scanTerms"] if term in request.content]
        return answer(*[propose(path, term, term) for term in terms])

    return scan if "scanTerms" in case else answer(*told)


@pytest.mark.parametrize("case", CORPUS, ids=[case["id"] for case in CORPUS])
def test_a_case_of_the_corpus_is_grounded_as_its_gold_says(case):
    # Texts that an extractor would read from a PDF or an image are taken as they are.
    kind = "html" if case["contentType"] == "html" else "text"
    sizes = {
        name: case[key]
        for name, key in (("chunk_size", "chunkSize"), ("chunk_overlap", "chunkOverlap"))
        if key in case
    }
    extraction = run(
        case.get("content") or case["binaryText"],
        corpus_answer(case),
        schema=case["schema"],
        content_type=kind,
        **sizes,
    )
    found = [
        (
            one["fieldPath"],
            one["candidateValue"],
            one["provenance"]["excerpt"],
            one["provenance"]["occurrence"]["selected"]["index"] + 1,
        )
        for one in extraction.proposals
    ]
    assert found == [
        (one["fieldPath"], one["candidateValue"], one["excerpt"], one["occurrence"])
        for one in case["gold"]
    ]
