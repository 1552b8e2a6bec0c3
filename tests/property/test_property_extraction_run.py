"""Runs over any text and any answer.

1. Every proposal's excerpt stands at its span.
2. The same input, ids and answers give the same bytes.
3. Width, batches and the time of answers change nothing.
4. Any langextract document, and any line of one, gives an extraction or a SurveyError.
5. Whatever a provider gives, and whatever it raises, ends in an envelope or a SurveyError.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.extraction.running import (
    MOMENT,
    RUN_ID,
    SCHEMA,
    Scripted,
    answer,
    propose,
    result,
    run,
    said,
)

from survey_fast.errors import SurveyError
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.envelope_check import check_produced
from survey_fast.extraction.langextract import (
    LangExtractOptions,
    extraction_of_langextract,
    read_langextract_lines,
)
from survey_fast.extraction.provider import MalformedItems, ProviderOutput, Raw
from survey_fast.imports import span_matches

TEXTS = st.text(alphabet="ab1 .\n😀é", max_size=60)
PATHS = st.sampled_from(["fee", "name", "items[0].day", "items[1].day", "nope"])
VALUES = st.sampled_from([1, 1.0, -0.0, "1", " 1", "a", True, None, [1], {"a": 1}])
PROPOSALS = st.builds(
    lambda path, value, excerpt, hint: propose(path, value, excerpt, occurrenceHint=hint),
    PATHS,
    VALUES,
    st.text(alphabet="ab1 .\n😀é", min_size=1, max_size=4),
    st.sampled_from([None, 1, 2, 9]),
)
SIZES = st.fixed_dictionaries(
    {
        "chunk_size": st.integers(1, 30),
        "chunk_overlap": st.integers(0, 10),
        "max_content": st.integers(1, 30),
    }
)


class Seeded:
    """Answers that depend on what is asked and on nothing else; late ones first."""

    name = "seeded:v1"
    capabilities = None

    def __init__(self, answers, *, is_slow=False):
        self.answers = answers
        self.is_slow = is_slow

    def extract(self, request):
        if self.is_slow:
            # Work of another length for each chunk, so that answers come in another order.
            sum(range(20_000 * ((7 - request.chunk_index) % 4)))
        place = (len(request.content) + request.chunk_index) % len(self.answers)
        return answer(*self.answers[place], raw=said(1))

    def extract_batch(self, requests):
        return [self.extract(one) for one in requests]


ANSWERS = st.lists(st.lists(PROPOSALS, max_size=6), min_size=1, max_size=4)


@given(TEXTS, ANSWERS, SIZES)
def test_every_excerpt_stands_at_its_span(text, answers, sizes):
    extraction = run(text, Seeded(answers), **sizes)
    for proposal in extraction.proposals:
        provenance = proposal["provenance"]
        place = provenance["occurrence"]["selected"]
        assert span_matches(text, place["start"], place["end"], provenance["excerpt"])
        assert provenance["locator"] == f"chars:{place['start']}-{place['end']}"
    check_produced(extraction.envelope)


@given(TEXTS, ANSWERS, SIZES, st.integers(1, 5), st.integers(1, 4))
def test_the_same_questions_give_the_same_bytes(text, answers, sizes, width, batch):
    plain = run(text, Seeded(answers), **sizes)
    again = run(text, Seeded(answers), **sizes)
    assert (again.envelope, again.report_bytes) == (plain.envelope, plain.report_bytes)
    wide = run(
        text,
        Seeded(answers, is_slow=True),
        budgets=Budgets(concurrency=width, batch_size=batch),
        **sizes,
    )
    told, expected = dict(result(wide)), dict(result(plain))
    # A batch is one call; nothing else may differ.
    told.pop("providerCalls"), expected.pop("providerCalls")
    assert told == expected


@given(TEXTS, ANSWERS, SIZES)
def test_what_is_left_out_and_what_is_kept_is_what_was_proposed(text, answers, sizes):
    provider = Seeded(answers)
    counted = []
    asked = provider.extract

    def counting(request):
        output = asked(request)
        counted.append(len(output.proposals))
        return output

    provider.extract = counting
    report = (extraction := run(text, provider, **sizes)).report
    left_out = sum(one["count"] for one in report["dropped"]) + report["duplicates"]
    assert sum(counted) == left_out + len(extraction.proposals)


class Odd(Mapping):
    def __getitem__(self, name):
        raise RecursionError(name)

    def __iter__(self):
        raise ValueError

    def __len__(self):
        raise OverflowError


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=4)
)
JUNK = st.recursive(
    SCALARS | st.sampled_from(["\ud800", 10**400, -0.0, object(), Odd()]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3)
    ),
    max_leaves=8,
)
ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "fieldPath": PATHS | JUNK,
        "candidateValue": JUNK,
        "extractor": st.just("x:1") | JUNK,
        "provenance": st.fixed_dictionaries({"excerpt": st.just("a") | JUNK}) | JUNK,
        "confidence": JUNK,
        "occurrenceHint": JUNK,
        "evidenceMatch": JUNK,
    },
)
OUTPUTS = st.builds(
    ProviderOutput,
    st.lists(ITEMS | JUNK, max_size=5) | JUNK,
    st.none() | st.builds(Raw, JUNK, JUNK, JUNK, JUNK) | JUNK,
    JUNK,
    JUNK,
    JUNK,
    JUNK,
    st.builds(MalformedItems, JUNK, JUNK) | JUNK,
)


def raising(kind, text):
    return kind(text)


ERRORS = st.builds(
    raising,
    st.sampled_from([ValueError, TimeoutError, MemoryError, RecursionError, KeyError]),
    st.text(max_size=5) | st.just("\ud800"),
)


@given(st.text(alphabet="a 😀", max_size=30), OUTPUTS | JUNK | ERRORS, st.integers(1, 3))
def test_whatever_a_provider_gives_ends_in_an_envelope_or_a_refusal(text, given_answer, width):
    options = {"budgets": Budgets(concurrency=width), "chunk_size": 10}
    try:
        extraction = run(text, Scripted(lambda _: given_answer), **options)
    except SurveyError:
        return
    check_produced(extraction.envelope)
    assert extraction.outcome.status in {"success", "partial", "failure"}


DOCUMENTS = st.fixed_dictionaries(
    {"text": st.text(alphabet="a 😀", max_size=12) | JUNK},
    optional={
        "document_id": st.just("doc:1") | JUNK,
        "extractions": st.lists(
            st.fixed_dictionaries(
                {"extraction_class": st.just("c") | JUNK, "extraction_text": st.just("a") | JUNK},
                optional={
                    "char_interval": st.fixed_dictionaries({"start_pos": JUNK, "end_pos": JUNK})
                    | JUNK,
                    "attributes": st.dictionaries(st.text(max_size=3), JUNK, max_size=2) | JUNK,
                },
            )
            | JUNK,
            max_size=4,
        )
        | JUNK,
    },
)


@given(DOCUMENTS, st.booleans())
def test_any_langextract_document_gives_an_extraction_or_a_refusal(document, rows):
    try:
        extraction = extraction_of_langextract(
            document, run_id=RUN_ID, extracted_at=MOMENT, options=LangExtractOptions(rows=rows)
        )
    except SurveyError:
        return
    check_produced(extraction.envelope)
    for proposal in extraction.proposals:
        provenance = proposal["provenance"]
        place = provenance["occurrence"]["selected"]
        text = extraction.prepared.text
        assert span_matches(text, place["start"], place["end"], provenance["excerpt"])


@given(st.binary(max_size=40) | st.lists(st.sampled_from([b"{", b"}", b"\n", b'"a":1', b"[]"])))
def test_any_lines_are_documents_or_a_refusal(lines):
    raw = lines if isinstance(lines, bytes) else b"".join(lines)
    try:
        documents = read_langextract_lines(raw)
    except SurveyError:
        return
    assert all(isinstance(one, dict) for one in documents)


def test_ten_thousand_copies_of_one_value_are_one_proposal():
    copies = [propose("fee", 1, "Fee: 1")] * 10_000
    extraction = run("Fee: 1 and so on", answer(*copies))
    assert (len(extraction.proposals), extraction.report["duplicates"]) == (1, 9_999)
    extraction = run("Fee: 1", answer(*copies * 3))
    assert (len(extraction.proposals), extraction.report["duplicates"]) == (1, 29_999)


@pytest.mark.parametrize("count", [10_001, 100_001])
def test_more_proposals_than_anybody_reads_are_refused(count):
    text = "".join(f"{at:06d}" for at in range(10_001))
    told = [propose("name", f"v{at}", f"{at % 10_001:06d}") for at in range(count)]
    assert len(run(text, answer(*told[:50]), chunk_size=10**6, max_content=10**6).proposals) == 50
    with pytest.raises(SurveyError):
        run(text, answer(*told), chunk_size=10**6, max_content=10**6)


def test_fields_of_the_schema_are_those_that_are_proposed():
    paths = {one["path"] for one in SCHEMA}
    told = [propose(path, "a", "a") for path in ("fee", "name", "items[3].day", "other")]
    assert {one["fieldPath"] for one in run("a", answer(*told)).proposals} <= paths
