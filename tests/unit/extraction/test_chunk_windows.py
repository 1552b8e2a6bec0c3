"""The windows in which a text is read.

Rows of the edge cases of extraction proven here: 25, 26 and 28, and of 27 the windows; what a run
makes of windows that were capped is proven with the run.
"""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from survey_fast.errors import SurveyError
from survey_fast.extraction.chunk import CHUNK_OVERLAP, CHUNK_SIZE, chunk_windows
from survey_fast.extraction.units import Units, units_of

VECTORS = Path(__file__).parents[2] / "vectors"
FILE = json.loads((VECTORS / "traverse/chunk-windows.json").read_bytes())
LONG = VECTORS / "fieldwork-examples/conformance/long-input"


def spans(windows):
    return [[one.start, one.end] for one in windows]


def divided(text, **options):
    windows = chunk_windows(text, **options)
    return spans(windows.read), spans(windows.capped)


def units(text):
    return text.encode("utf-16-le")


@pytest.mark.parametrize("at", range(len(FILE["cases"])))
def test_windows_are_the_published_ones(at):
    case = FILE["cases"][at]
    windows = chunk_windows(
        "x" * case["length"],
        chunk_size=case["chunkSize"],
        chunk_overlap=case["chunkOverlap"],
        max_chunks=case["maxChunks"],
    )
    assert spans(windows.read) == case["chunks"]
    assert spans(windows.capped) == [one[:2] for one in case["capped"]]
    numbers = [one.number for one in (*windows.read, *windows.capped)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_defaults_are_the_published_ones():
    assert FILE["defaults"]["chunkSize"] == CHUNK_SIZE
    assert FILE["defaults"]["chunkOverlap"] == CHUNK_OVERLAP


def test_row_25_a_text_of_the_size_is_one_window_and_one_unit_more_is_two():
    assert divided("x" * 100, chunk_size=100, chunk_overlap=20) == ([[0, 100]], [])
    assert len(divided("x" * 101, chunk_size=100, chunk_overlap=20)[0]) == 2


def test_row_26_thirty_thousand_units_are_three_windows():
    assert divided("x" * 30_000) == ([[0, 12_000], [11_800, 23_800], [23_600, 30_000]], [])


def test_row_27_one_window_is_read_and_two_are_kept_beside_it():
    read, capped = divided("x" * 30_000, max_chunks=1)
    assert read == [[0, 12_000]]
    assert capped == [[11_800, 23_800], [23_600, 30_000]]


def test_row_28_an_overlap_of_the_size_or_more_is_one_less():
    for overlap in (3, 99):
        assert divided("x" * 6, chunk_size=3, chunk_overlap=overlap)[0] == [
            [0, 3],
            [1, 4],
            [2, 5],
            [3, 6],
        ]


def test_numbers_out_of_range_are_brought_into_it():
    assert divided("xy", chunk_size=-5, chunk_overlap=-1, max_chunks=0) == ([[0, 1]], [[1, 2]])


@pytest.mark.parametrize("name", ["chunk_size", "chunk_overlap", "max_chunks"])
@pytest.mark.parametrize("value", [1.0, float("nan"), "5", True])
def test_what_is_no_whole_number_is_misuse(name, value):
    with pytest.raises(TypeError):
        chunk_windows("x", **{name: value})


def test_half_of_a_pair_is_refused():
    assert chunk_windows("x").read
    with pytest.raises(SurveyError) as caught:
        chunk_windows("x\ud800")
    assert caught.value.code == "json-lone-surrogate"


def test_an_edge_that_would_split_a_pair_moves_back_and_so_does_the_next_start():
    windows = chunk_windows("ab😀cd", chunk_size=3, chunk_overlap=0)
    assert [(one.start, one.end, one.text) for one in windows.read] == [
        (0, 2, "ab"),
        (2, 6, "😀cd"),
    ]


def test_windows_smaller_than_a_pair_still_hold_all_of_it():
    windows = chunk_windows("a😀😀b", chunk_size=1, chunk_overlap=0)
    assert [one.text for one in windows.read] == ["a", "😀", "😀", "b"]
    assert [one.number for one in windows.read] == [1, 2, 3, 4]


def test_the_long_conformance_text_keeps_what_stands_at_a_border():
    spec = json.loads((LONG / "source-spec.json").read_bytes())
    characters = [""] * spec["sourceLength"]
    for filler in spec["fillers"]:
        for at in range(filler["from"], filler["to"]):
            characters[at] = filler["character"]
    for segment in spec["segments"]:
        for at, character in enumerate(segment["text"], segment["offset"]):
            characters[at] = character
    text = "".join(characters)
    windows = chunk_windows(text).read
    assert spans(windows)[-1][1] == spec["sourceLength"]
    for segment in spec["segments"]:
        assert any(segment["text"] in one.text for one in windows)


texts = st.lists(st.sampled_from(["a", "é", "\uffff", "😀", "😀😀😀", "bcd"]), max_size=30).map(
    "".join
)


@given(texts, st.integers(1, 12), st.integers(0, 12), st.integers(1, 40))
@example("😀", 1, 0, 1)
@example("a😀", 2, 1, 1)
def test_windows_cover_the_text_in_order_and_split_no_pair(text, size, overlap, most):
    windows = chunk_windows(text, chunk_size=size, chunk_overlap=overlap, max_chunks=most)
    every = [*windows.read, *windows.capped]
    raw = units(text)
    assert len(windows.read) == min(most, len(every))
    reached = 0
    for one in every:
        assert one.start <= reached
        assert one.end >= reached
        assert 0 < one.end - one.start <= size + 1
        assert units(one.text) == raw[2 * one.start : 2 * one.end]
        reached = one.end
    assert reached == len(raw) // 2


@given(texts)
def test_units_count_and_cut_as_utf16_does(text):
    addressed = Units(text)
    raw = units(text)
    assert addressed.length == units_of(text) == len(raw) // 2
    for offset in range(addressed.length + 1):
        head = raw[: 2 * offset].decode("utf-16-le", "ignore")
        splits = len(units(head)) != 2 * offset
        assert addressed.splits_pair(offset) == splits
        assert addressed.slice(0, addressed.whole(offset)) == head
