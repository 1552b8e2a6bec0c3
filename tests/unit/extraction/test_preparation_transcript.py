"""WebVTT to a transcript and its times.

Rows of the edge cases of extraction proven here: 104, 105 and 106.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_fast.extraction.prepare import prepare
from survey_fast.extraction.prepared_artifact import prepared_text_digest
from survey_fast.extraction.transcript import transcript_of

VECTORS = Path(__file__).parents[2] / "vectors/traverse"
FILE = json.loads((VECTORS / "vtt-preparation.json").read_bytes())
CASES = {case["name"]: case for case in FILE["cases"]}
LOSSES = {case["name"]: case for case in FILE["upstreamDefects"]}


def cue(start, end, *lines):
    return "\n".join([f"00:0{start}.000 --> 00:0{end}.000", *lines]) + "\n\n"


@pytest.mark.parametrize("name", CASES)
def test_a_well_formed_file_gives_the_published_transcript(name):
    prepared = prepare(CASES[name]["vtt"], content_type="transcript")
    assert (prepared.text, prepared.mode) == (CASES[name]["text"], "transcript")


def test_row_104_rolling_captions_are_three_lines_with_the_pinned_digest():
    rolling = FILE["rolling"]
    raw = (VECTORS / "preparation/auto-captions.vtt").read_bytes()
    prepared = prepare(raw, content_type="transcript")
    assert prepared.text == rolling["text"]
    assert prepared_text_digest(prepared.text) == rolling["digest"]
    assert [one.to_json() for one in prepared.cue_offsets] == [
        {"start": 0, "end": 15, "cueStart": 0, "cueEnd": 2500},
        {"start": 16, "end": 25, "cueStart": 2500, "cueEnd": 5000},
        {"start": 26, "end": 42, "cueStart": 5000, "cueEnd": 7500},
    ]


def test_row_105_a_spoken_note_stays_and_a_note_block_goes():
    source = "WEBVTT\n\nNOTE\nnot spoken\n\n" + cue(0, 2, "Note the exit") + "NOTE neither\n"
    assert transcript_of(source).text == "Note the exit"


@pytest.mark.parametrize("blank", ["<c></c>", "&nbsp;", " \t", "\u00a0"])
def test_row_106_lines_after_one_without_words_stay(blank):
    assert transcript_of("WEBVTT\n\n" + cue(0, 1, blank, "hello")).text == "hello"
    assert LOSSES["tag-only-line-closes-cue"]["ours"] == "hello"


@pytest.mark.parametrize("name", LOSSES)
def test_words_that_the_reference_system_loses_are_kept(name):
    assert transcript_of(LOSSES[name]["vtt"]).text == LOSSES[name]["ours"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_lines_end_in_three_ways(end):
    source = ("WEBVTT\n\n" + cue(0, 1, "a", "b") + cue(1, 2, "c")).replace("\n", end)
    assert transcript_of(source).text == "a\nb\nc"


def test_a_cue_whose_times_cannot_be_read_keeps_its_words():
    spoken = transcript_of("WEBVTT\n\nsoon --> later\nhello\n\n" + cue(1, 2, "there"))
    assert spoken.text == "hello\nthere"
    assert [(one.start, one.end) for one in spoken.cue_offsets] == [(6, 11)]


def test_an_arrow_that_is_spoken_is_no_timing():
    spoken = transcript_of("WEBVTT\n\n" + cue(0, 1, "go --> left", "then right"))
    assert spoken.text == "go --> left\nthen right"


def test_a_timing_without_a_blank_line_before_it_begins_a_cue():
    source = "WEBVTT\n\n00:00.000 --> 00:01.000\na\n00:01.000 --> 01:00:02,500\nb\n"
    first, second = transcript_of(source).cue_offsets
    assert (first.end, second.start) == (1, 2)
    assert (second.cue_start, second.cue_end) == (1000, 3_602_500)


def test_offsets_count_utf16_code_units():
    spoken = transcript_of("WEBVTT\n\n" + cue(0, 1, "😀") + cue(1, 2, "b"))
    assert [(one.start, one.end) for one in spoken.cue_offsets] == [(0, 2), (3, 4)]


@given(st.text(alphabet="a<>/&;:.0123456789-> \r\nWEBVT", max_size=200))
def test_any_text_is_a_transcript_whose_cues_stand_in_it_in_order(source):
    spoken = transcript_of(source)
    at = 0
    for one in spoken.cue_offsets:
        assert at <= one.start < one.end <= len(spoken.text)
        at = one.end + 1
