"""What offline passes over: further places of a label, and labels that stand in another form.

Held against a slow second way: every line is split at its label, and what was proposed there is
looked up by its place.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.extraction.running import run

from survey_fast.extraction.locator import locator_start
from survey_fast.extraction.providers.every_label import EveryLabelProvider
from survey_fast.extraction.providers.offline import OfflineProvider
from survey_fast.extraction.task import Projection
from survey_fast.extraction.units import Units, units_of
from survey_fast.extraction.unread import unread_labels

CLAIM = {"subjectType": "s", "subjectId": "1", "facet": "f", "claimType": "c", "impactLevel": "low"}
RULES = [Projection("a", "A", CLAIM), Projection("b", "Bee x", CLAIM)]
SCHEMA = [{"path": "a", "type": "string"}, {"path": "b", "type": "string"}]


def extracted(text, provider=OfflineProvider, **options):
    return run(text, provider(RULES), schema=SCHEMA, **options)


def unread(text, **options):
    made = extracted(text, **options)
    return [one.to_json() for one in unread_labels(text, RULES, made.proposals)]


def test_further_places_are_told_with_where_they_stand():
    assert unread("A: 1\nx\n😀 A: 2\nA: 3\nBee x: 1") == [
        {
            "fieldPath": "a",
            "label": "A",
            "form": "further",
            "count": 2,
            "places": ["chars:10-14", "chars:15-19"],
        }
    ]


def test_the_first_place_of_every_chunk_was_read():
    text = "A: 1\n" + "x" * 40 + "\nA: 2\nA: 3\n"
    (one, *_) = unread(text, chunk_size=44, chunk_overlap=0)
    assert (one["count"], one["places"]) == (1, ["chars:51-55"])


def test_every_place_is_counted_and_the_first_twenty_are_told():
    (one,) = unread("A: 1\n" * 100 + "Bee x: 1")
    assert (one["count"], len(one["places"])) == (99, 20)


@pytest.mark.parametrize("blank", ["A: ", "A:  ", "A: \u00a0\r", "A:"])
def test_a_place_without_a_value_is_none(blank):
    assert unread(f"A: 1\n{blank}\nBee x: 1") == []


def test_a_place_of_which_only_a_part_was_seen_was_read():
    assert unread("A: 12345678", chunk_size=6, chunk_overlap=0) == []


@pytest.mark.parametrize(
    "text", ["**A:** 1", "**A**: 1", "A:\n1", "A :1", "a: 1", "`A` : 1", "A: "], ids=range(7)
)
def test_a_label_in_another_form_is_told_where_nothing_was_proposed(text):
    (one,) = unread(f"{text}\nBee x: 1")
    assert (one["fieldPath"], one["form"], one["count"]) == ("a", "other-form", 1)


def test_where_a_field_was_read_its_label_may_stand_in_any_form():
    assert unread("A: 1\n**A:** 2\nBee x: 1") == []


def test_a_task_of_which_everything_was_read_has_nothing_unread():
    text = "A: 1\nA: 2\nBee x: 3\nBee x: 3\n"
    assert unread_labels(text, RULES, extracted(text, EveryLabelProvider).proposals) == []


@pytest.mark.parametrize("locator", [None, "", "chars:1", "chars:01-2", "chars:9-", "page:1-2", 7])
def test_what_is_no_locator_starts_nowhere(locator):
    assert locator_start(locator) is None
    found = {"fieldPath": "a", "provenance": {"locator": locator}}
    assert unread_labels("A: 1", RULES, [found])[0].count == 1


def test_a_locator_beyond_the_text_or_inside_a_pair_reads_nothing_else():
    proposals = [
        {"fieldPath": "a", "provenance": {"locator": place}}
        for place in ("chars:1-3", "chars:9999999999999999-9999999999999999")
    ]
    assert [one.count for one in unread_labels("😀A: 1", RULES, proposals)] == [1]


LINES = st.lists(
    st.sampled_from(
        ["A: 1", "A: 2", "x A: 3", "Bee x: 1", "Bee x: A: 4", "A: ", "text", "😀", "A:9", ""]
    ),
    max_size=14,
)


def slowly(text, label, path, proposals):
    """Starts of places that no proposal of the field touches."""
    starts = {
        locator_start(one["provenance"]["locator"]) for one in proposals if one["fieldPath"] == path
    }
    found, before = [], 0
    for line in text.split("\n"):
        at = line.find(f"{label}: ")
        if at >= 0 and line[at + len(label) + 2 :].strip():
            start = before + units_of(line[:at])
            end = before + units_of(line)
            if not any(start <= one < end for one in starts):
                found.append(start)
        before += units_of(line) + 1
    return found


@given(LINES, st.integers(4, 60), st.integers(0, 10))
def test_the_same_as_line_by_line(lines, size, overlap):
    text = "\n".join(lines)
    made = extracted(text, chunk_size=size, chunk_overlap=overlap)
    told = {one.field_path: one for one in unread_labels(text, RULES, made.proposals)}
    for rule in RULES:
        expected = slowly(text, rule.label, rule.field_path, made.proposals)
        one = told.get(rule.field_path)
        further = [] if one is None or one.form != "further" else one.places
        assert [locator_start(place) for place in further] == expected[:20]


@given(st.text(st.sampled_from("aé\u4e2d😀\U0010ffff"), max_size=12))
def test_an_offset_is_where_a_character_starts(text):
    units = Units(text)
    for place in range(len(text) + 1):
        assert units.at(place) == units_of(text[:place])
        assert units.character(units.at(place)) == place
