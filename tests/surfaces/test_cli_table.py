"""Tables: nothing is broken or lost, whatever the width; in a pipe a row is a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from survey_fast.cli.table import Table

STATES = Table(
    headings=("field", "item", "state", "value", "confidence"),
    rows=[
        ("lineItems[0]", "item-" + "0" * 20, "could-not-confirm", '"a value of words"', "0.9"),
        ("fee", "item-" + "1" * 20, "pending", "48000 | 52000", "0.85"),
    ],
    numeric=frozenset({4}),
    texts=frozenset({3}),
    keys=2,
)


def laid_out(table, width):
    return [text for text, _ in table.lines(width)]


def test_without_a_width_a_row_is_a_line():
    lines = laid_out(STATES, None)
    assert len(lines) == 4
    assert lines[2].split("   ")[0] == "lineItems[0]"
    assert "could-not-confirm" in lines[2]
    assert lines[1] == "-" * max(map(len, lines))


def test_numbers_stand_on_the_right():
    lines = laid_out(STATES, None)
    assert lines[2].endswith(" 0.9")
    assert lines[3].endswith(" 0.85")
    assert len({len(line) for line in lines}) == 1


def test_in_a_narrower_place_what_names_a_row_stands_above_it():
    lines = laid_out(STATES, 65)
    assert lines[:2] == [
        "field          item",
        "    state               value                confidence",
    ]
    assert lines[3:5] == [
        "lineItems[0]   item-00000000000000000000",
        '    could-not-confirm   "a value of words"          0.9',
    ]


def test_words_are_broken_at_spaces_before_a_row_takes_two_lines():
    rows = [("code", "one two three four five six seven eight nine ten")]
    lines = laid_out(Table(("code", "finding"), rows), 34)
    assert lines[2:] == [
        "code   one two three four five six",
        "       seven eight nine ten",
    ]


def test_in_the_narrowest_place_every_cell_has_a_line():
    lines = laid_out(STATES, 30)
    assert lines[:6] == [
        "field        lineItems[0]",
        "item         item-00000000000000000000",
        "state        could-not-confirm",
        'value        "a value of',
        '             words"',
        "confidence   0.9",
    ]
    assert lines[6] == ""


def test_only_a_text_is_broken_within_a_word():
    row = ("a", "x" * 30, "y" * 30)
    table = Table(("key", "state", "text"), [row], texts=frozenset({2}))
    assert laid_out(table, 60)[3:] == [
        "a",
        "    " + "x" * 30 + "   " + "y" * 23,
        "    " + " " * 30 + "   " + "y" * 7,
    ]


def test_a_line_over_all_columns_makes_none_of_them_wider():
    table = Table(("field", "value"), [("fee", "48000"), ("  " + "n" * 40, "")])
    assert laid_out(table, 80) == [
        "field   value",
        "-" * 13,
        "fee     48000",
        "  " + "n" * 40,
    ]


def test_wide_characters_take_two_cells():
    lines = laid_out(Table(("a", "b"), [("費用", "x"), ("fee", "y")]), None)
    assert lines[2:] == ["費用   x", "fee    y"]


def test_a_table_without_rows_has_a_head():
    assert laid_out(Table(("a", "b"), []), 80) == ["a   b", "-----"]


CELLS = st.text(st.sampled_from("ab費é [].-"), max_size=40).map(str.strip)


@st.composite
def tables(draw):
    columns = draw(st.integers(2, 5))
    rows = draw(st.lists(st.tuples(*[CELLS] * columns), max_size=5))
    places = st.frozensets(st.integers(1, columns - 1), max_size=columns)
    return Table(
        headings=[f"h{at}" for at in range(columns)],
        rows=rows,
        numeric=draw(places),
        texts=draw(places),
        keys=draw(st.integers(1, columns)),
    )


@given(tables(), st.one_of(st.none(), st.integers(1, 120)))
def test_no_word_is_lost_or_broken_outside_of_texts(table, width):
    lines = laid_out(table, width)
    shown = "\n".join(lines)
    for row in table.rows:
        for place, cell in enumerate(row):
            if place in table.texts:
                # In parts, but every character of it.
                assert all(character in shown for character in cell)
            else:
                assert all(word in shown for word in cell.split())


@given(tables(), st.integers(1, 120))
def test_lines_are_as_wide_as_the_place_as_far_as_words_are(table, width):
    words = [word for row in [table.headings, *table.rows] for cell in row for word in cell.split()]
    longest = max(map(cell_len, words))
    spans = [cell_len(row[0]) for row in table.rows if not any(row[1:])]
    for line in laid_out(table, width):
        # A name behind its heading, or a line over all columns, is as long as it is.
        assert cell_len(line) <= max(width, longest + 8, *spans, 0)


@given(tables())
def test_in_a_pipe_every_row_is_one_line_and_columns_stand_under_one_another(table):
    lines = laid_out(table, None)
    assert len(lines) == len(table.rows) + 2
    widths = [
        max([cell_len(row[at]) for row in table.rows if any(row[1:])] + [cell_len(heading)])
        for at, heading in enumerate(table.headings)
    ]
    for row, line in zip(table.rows, lines[2:], strict=True):
        if not any(row[1:]):
            assert line == row[0]
            continue
        cells = [
            " " * (wide - cell_len(cell)) + cell
            if at in table.numeric
            else cell + " " * (wide - cell_len(cell))
            for at, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        assert line == "   ".join(cells).rstrip()


@pytest.mark.parametrize("width", [1, 2, 10])
def test_a_place_without_room_still_shows_everything(width):
    shown = " ".join(" ".join(laid_out(STATES, width)).split())
    for row in STATES.rows:
        for cell in row:
            assert cell in shown
