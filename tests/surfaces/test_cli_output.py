"""What people are shown: nothing that moves the cursor, colour on terminals only."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from survey_fast.cli.output import Output, quoted, visible


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
