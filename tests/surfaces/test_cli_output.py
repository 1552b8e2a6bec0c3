"""What people are shown: nothing that moves the cursor, colour on terminals only."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_fast.cli.output import JsonText, Output, quoted, visible


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """What a terminal shows of what a function writes."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def on_terminal(write):
        stream = Terminal()
        with redirect_stdout(stream):
            write(Output(as_json=False))
        return stream.getvalue()

    return on_terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 𠮷", "plain é 𠮷"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\udcff", "\\udcff"),
    ],
)
def test_control_and_direction_characters_are_spelled_out(text, shown):
    assert visible(text) == shown


def test_a_long_value_is_cut():
    assert quoted("x" * 100, 10) == '"xxxxxxxx…'


def test_a_terminal_is_coloured(on_terminal):
    shown = on_terminal(lambda output: output.line("done", "good"))
    assert shown == "\x1b[32m\x1b[1mdone\x1b[0m\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", ""), ("TERM", "dumb")])
def test_colour_can_be_declined(on_terminal, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    line = on_terminal(lambda output: output.line("done", "good"))
    table = on_terminal(lambda output: output.table(("code", "finding"), [("a", "b")]))
    assert line == "done\n"
    assert "finding" in table
    assert "\x1b" not in table


def test_a_table_shows_cells_as_they_are(on_terminal):
    row = ("[red]x[/red] :smile:", "\x1b[31m")
    shown = on_terminal(lambda output: output.table(("a", "b"), [row]))
    assert "[red]x[/red] :smile:   \\x1b[31m" in shown


def test_a_command_answers_once():
    output = Output(as_json=True)
    output.answer({})
    with pytest.raises(RuntimeError):
        output.answer({})


def answered(body):
    """The bytes of an answer."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with redirect_stdout(stream):
        Output(as_json=True).answer(body)
    return stream.buffer.getvalue()


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def whole(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@given(st.dictionaries(st.text(max_size=3), PLAIN, max_size=4))
def test_an_answer_in_parts_is_the_answer_in_one(body):
    assert answered(body) == whole(body) + b"\n"


@pytest.mark.parametrize("count", [0, 1, 255, 256, 257, 512, 1000])
def test_a_long_list_is_written_some_elements_at_a_time(count):
    body = {"ok": True, "rows": [{"n": n, "é": [n]} for n in range(count)], "last": []}
    assert answered(body) == whole(body) + b"\n"


@pytest.mark.parametrize("kind", [bytes, memoryview])
def test_text_that_is_there_already_stands_as_it_is(kind):
    body = {"ok": True, "export": JsonText(kind(b'{"a":1.0}')), "n": 1}
    assert answered(body) == b'{"ok":true,"export":{"a":1.0},"n":1}\n'


def test_half_a_surrogate_pair_becomes_the_replacement_character_and_a_whole_one_is_joined():
    body = {"\udcff": ["\udcff" * 3, "\ud842\udfb7"], "x": "é"}
    assert json.loads(answered(body)) == {"\ufffd": ["\ufffd" * 3, "𠮷"], "x": "é"}


def test_where_standard_output_is_a_document_people_are_told_on_standard_error(capsys):
    output = Output(as_json=False, beside_document=True)
    output.line("a line")
    output.paragraph("a paragraph")
    output.pairs([("a", "pair")])
    output.table(("a", "b"), [("a", "table")])
    output.note("a note")
    said = capsys.readouterr()
    assert said.out == ""
    assert all(one in said.err for one in ("line", "paragraph", "pair", "table", "note"))
