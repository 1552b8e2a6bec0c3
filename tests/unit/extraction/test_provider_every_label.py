"""The provider that takes every place of a task's labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.extraction.running import run
from tests.unit.extraction.samples_providers import found, request

from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.label_places import label_places
from survey_fast.extraction.provider import CAPABILITIES
from survey_fast.extraction.providers.every_label import (
    EVERY_LABEL_NAME,
    ROWS_OF_A_CHUNK,
    EveryLabelProvider,
)
from survey_fast.extraction.providers.offline import OfflineProvider
from survey_fast.extraction.task import Projection

CLAIM = {"subjectType": "s", "subjectId": "1", "facet": "f", "claimType": "c", "impactLevel": "low"}


def rules(*fields):
    return [Projection(path, label, CLAIM) for path, label, _ in fields]


def schema(*fields):
    return [{"path": path, "type": kind} for path, _, kind in fields]


def read(content, *fields, **more):
    asked = request(content, schema(*fields), **more)
    return EveryLabelProvider(rules(*fields)).extract(asked)


def extracted(text, *fields, provider=EveryLabelProvider, **options):
    return run(text, provider(rules(*fields)), schema=schema(*fields), **options)


def values(extraction):
    return [
        (one["fieldPath"], one["candidateValue"], one["provenance"]["locator"])
        for one in extraction.proposals
    ]


A = ("a", "A", "string")


def test_every_place_is_proposed_in_the_order_of_the_text():
    assert found(read("A: 1\nB: 2\nA: 3", A, ("b", "B", "number"))) == [
        ("a", "1", "A: 1"),
        ("b", 2, "B: 2"),
        ("a", "3", "A: 3"),
    ]


def test_a_proposal_says_which_occurrence_it_is_and_not_how_sure_it_is():
    output = read("A: 1\nA: 1", A)
    assert output.proposals == [
        {
            "fieldPath": "a",
            "candidateValue": "1",
            "extractor": EVERY_LABEL_NAME,
            "provenance": {"excerpt": "A: 1"},
            "occurrenceHint": rank,
        }
        for rank in (1, 2)
    ]
    assert (output.raw.model, output.raw.tokens_used) == (EVERY_LABEL_NAME, 0)
    assert is_identity(EVERY_LABEL_NAME)
    assert EveryLabelProvider.capabilities.supported == set(CAPABILITIES)


def test_a_second_value_is_a_rival_and_the_same_value_twice_is_two_places():
    assert values(extracted("A: 1\nA: 2\nA: 1\n", A)) == [
        ("a", "1", "chars:0-4"),
        ("a", "2", "chars:5-9"),
        ("a", "1", "chars:10-14"),
    ]


def test_places_of_a_list_are_rows_also_when_their_words_are_the_same():
    made = extracted("Item: x\nItem: y\nItem: x", ("items[]", "Item", "string"))
    assert [(one["pathIndices"], one["provenance"]["locator"]) for one in made.proposals] == [
        ([0], "chars:0-7"),
        ([1], "chars:8-15"),
        ([2], "chars:16-23"),
    ]


def test_a_list_in_a_list_has_no_row_that_could_be_told():
    made = extracted("Item: x\nItem: y", ("a[].b[]", "Item", "string"))
    assert ["pathIndices" in one for one in made.proposals] == [False, False]


def test_rows_of_another_chunk_never_take_the_number_of_one_before():
    text = "".join(f"Item: {at:02}\n" for at in range(20))
    made = extracted(text, ("items[]", "Item", "string"), chunk_size=50, chunk_overlap=20)
    rows = [one["pathIndices"][0] for one in made.proposals]
    assert len(made.proposals) == len(set(rows)) == 20
    assert rows == sorted(rows)
    assert rows[0] == 0
    assert max(rows) > ROWS_OF_A_CHUNK


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("number", "48,000.50", 48000.5),
        ("number", "EUR 48,000", "EUR 48,000"),
        ("number", "9007199254740993", "9007199254740993"),
        ("boolean", "Yes", True),
        ("boolean", "maybe", "maybe"),
        ("date", "soon", "soon"),
        ("enum", "other", "other"),
        ("array", '["a", 1]', ["a", 1]),
        ("array", "{}", "{}"),
        ("object", '{"a": 1}', {"a": 1}),
        ("object", '{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("string", " \u00a0x ", "x"),
    ],
)
def test_a_value_is_of_its_type_or_stays_the_text_that_it_is(kind, written, value):
    assert [one[1] for one in found(read(f"A: {written}", ("a", "A", kind)))] == [value]


@pytest.mark.parametrize("text", ["A: ", "A: \nA:  \t", "a: 1", "A:1", ""])
def test_what_is_no_value_is_not_proposed(text):
    assert found(read(text, A)) == []


def test_a_field_that_nobody_asked_for_is_not_proposed():
    asked = request("A: 1\nB: 2", schema(A))
    assert len(EveryLabelProvider(rules(A, ("b", "B", "string"))).extract(asked).proposals) == 1


def test_a_value_that_its_chunk_cuts_is_told():
    output = read("A: 123", A, shown_again=0)
    assert found(output) == [("a", "123", "A: 123")]
    assert len(output.warnings) == 1
    assert read("A: 123", A).warnings == ()


def test_a_place_that_the_next_chunk_shows_whole_is_left_to_it():
    assert found(read("A: 1\n😀A: 2", A, shown_again=6)) == [("a", "1", "A: 1")]
    assert found(read("A: 1\n😀A: 2", A, shown_again=3))[1:] == [("a", "2", "A: 2")]


LINES = st.lists(
    st.sampled_from(["A: 1", "A: 1", "A: 22", "x A: 3", "Item: a", "Item: b", "text", "😀"]),
    max_size=12,
)


@given(LINES, st.integers(12, 60), st.integers(10, 11))
def test_however_a_text_is_cut_every_place_is_proposed_once(lines, size, overlap):
    # No line is longer than what two chunks share, so that none is cut in both.
    text = "".join(f"{line}\n" for line in lines)
    fields = (A, ("items[]", "Item", "string"))
    made = extracted(text, *fields, chunk_size=size, chunk_overlap=overlap)
    for path, label, _ in fields:
        expected = [text[value:end] for _, value, end in label_places(text, label)]
        told = [one for one in made.proposals if one["fieldPath"] == path]
        assert [one["candidateValue"] for one in told] == expected
        rows = [tuple(one.get("pathIndices", ())) for one in told]
        assert path == "a" or len(set(rows)) == len(rows)


@given(LINES)
def test_what_offline_reads_is_among_it(lines):
    text = "\n".join(lines)
    first = values(extracted(text, A, provider=OfflineProvider))
    assert set(first) <= set(values(extracted(text, A)))
