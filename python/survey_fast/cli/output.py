"""The one place that prints.

1. With ``--json`` standard output is exactly one JSON document; text, tables and notes are
   silent. Without it people get those, and the document is not written. Where standard output is
   a file that was asked for, people get them on standard error.
2. What comes out of documents is shown with its control characters spelled out, so that no
   excerpt can move the cursor, recolour the terminal or turn the direction of writing.
3. Colour, and a sign of life during long work, appear on a terminal only.
4. A table is fitted into a terminal, and never into a pipe: there a row is a line.
5. A large answer is written a part at a time, and never held as a whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TextIO

import click

from survey_fast.cli.table import Table
from survey_fast.errors import SurveyError

__all__ = ["MOST_ROWS", "JsonText", "Output", "counted", "quoted", "visible"]

MOST_ROWS: Final = 20
"""Rows of a list shown to a person; the rest is counted."""

_NARROWEST: Final = 60
_WIDEST: Final = 100
_PATIENCE: Final = 1.0
"""Seconds of work before the terminal shows that it is going on."""

_REFRESH: Final = 0.1
"""Seconds between two looks at how far it is."""

_TOGETHER: Final = 256
"""Elements of a list that become text in one go."""

_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_STYLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "": {},
    "bad": {"fg": "red", "bold": True},
    "good": {"fg": "green", "bold": True},
    "heading": {"fg": "cyan", "bold": True},
    "quiet": {"dim": True},
}


def visible(text: str) -> str:
    """``text`` on one line, with control and direction characters spelled out."""
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def quoted(value: object, most: int = 72) -> str:
    """A value as JSON text, cut after ``most`` characters."""
    text = visible(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted(count: int, thing: str) -> str:
    """How many there are, as in ``1 item`` and ``2 items``."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


@dataclass(frozen=True, slots=True)
class JsonText:
    """The value of a member of an answer, as the JSON text that there is of it already."""

    text: bytes | memoryview


class Output:
    """Where a command puts its answer.

    Args:
        as_json: the answer is one JSON document.
        beside_document: standard output is a file that was asked for.
    """

    def __init__(self, *, as_json: bool, beside_document: bool = False) -> None:
        self.as_json = as_json
        self._beside_document = beside_document
        self.width = _width()
        self._is_answered = False

    def answer(self, body: Mapping[str, Any]) -> None:
        """The command's one JSON document; silent when people are reading."""
        if not self.as_json:
            return
        if self._is_answered:
            message = "a command gives one JSON document"
            raise RuntimeError(message)
        self._is_answered = True
        sys.stdout.flush()
        for part in _answer(body):
            sys.stdout.buffer.write(part)
        sys.stdout.flush()

    def refuse(self, error: SurveyError, body: Mapping[str, Any] | None = None) -> None:
        """A refusal: in the JSON document, with the facts of ``body``, or in red.

        People are also told what was noted on it: what helps, in the words of the command line.
        """
        self.answer({"ok": False, "error": error.to_json(), **(body or {})})
        self.note(f"survey-fast: refused ({error.code}): {error.message}", "bad")
        where = _where(error)
        if where:
            self.note(f"  {where}")
        for hint in getattr(error, "__notes__", ()):
            self.note(f"  {hint}")

    def line(self, text: str = "", style: str = "") -> None:
        """One line of text on standard output."""
        self._write(visible(text), style, self._said)

    def paragraph(self, text: str, indent: str = "", style: str = "") -> None:
        """Text broken into lines of the terminal's width."""
        wrapped = textwrap.wrap(
            visible(text),
            self.width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for part in wrapped:
            self._write(part, style, self._said)

    def note(self, text: str, style: str = "") -> None:
        """A remark beside the answer, on standard error."""
        self._write(visible(text), style, sys.stderr)

    def pairs(self, rows: Sequence[tuple[str, str]], indent: str = "  ") -> None:
        """Names with what they stand for, in two columns."""
        column = max(len(name) for name, _ in rows) + 2
        for name, text in rows:
            self.line(f"{indent}{name:<{column}}{text}")

    def table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        right: str = "",
        texts: str = "",
        keys: int = 1,
    ) -> None:
        """A table, laid out as :mod:`survey_fast.cli.table` says.

        Args:
            columns: their headings.
            rows: their cells.
            right: the headings of columns that are numbers, separated by ``|``.
            texts: likewise those of columns in which a long word may be broken.
            keys: how many columns say what a row is about.
        """
        if self.as_json:
            return
        table = Table(
            headings=columns,
            rows=[[visible(cell) for cell in row] for row in rows],
            numeric=_places(columns, right),
            texts=_places(columns, texts),
            keys=keys,
        )
        stream = self._said
        is_coloured = _takes_colour(stream)
        rule = "─" if _draws_lines(stream) else "-"
        for part, is_heading in table.lines(_table_width(stream), rule):
            text = click.style(part, bold=True) if is_heading and is_coloured else part
            # Named, because click would take a stream of its own where this one knows ASCII only.
            click.echo(text, file=stream, color=is_coloured)

    @contextmanager
    def working(self, label: str) -> Iterator[None]:
        """Around long work: after a second, a terminal shows that it goes on."""
        if self.as_json or not _takes_colour(sys.stderr):
            yield
            return
        done = threading.Event()
        sign = threading.Thread(target=_show_life, args=(label, done), daemon=True)
        sign.start()
        try:
            yield
        finally:
            done.set()
            sign.join()

    @contextmanager
    def counting(self, label: str) -> Iterator[Callable[[int, int], None]]:
        """Around long work in steps: after a second, a terminal shows how far it is.

        What is given is told how many steps are done, and of how many.
        """
        steps = _Steps()
        if self.as_json or not _takes_colour(sys.stderr):
            yield steps.tell
            return
        done = threading.Event()
        sign = threading.Thread(target=_show_steps, args=(label, steps, done), daemon=True)
        sign.start()
        try:
            yield steps.tell
        finally:
            done.set()
            sign.join()

    @property
    def _said(self) -> TextIO:
        """Where people are told the answer."""
        return sys.stderr if self._beside_document else sys.stdout

    def _write(self, text: str, style: str, stream: TextIO) -> None:
        if self.as_json:
            return
        is_coloured = _takes_colour(stream)
        styled = click.style(text, **_STYLES[style]) if is_coloured and style else text
        click.echo(styled, file=stream, color=is_coloured)


def _answer(body: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """The text of an answer: a long list some elements at a time, and a line feed at its end."""
    lead = b"{"
    for name, value in body.items():
        yield lead + _json(name) + b":"
        if isinstance(value, JsonText):
            yield value.text
        elif isinstance(value, list):
            yield from _listed(value)
        else:
            yield _json(value)
        lead = b","
    yield b"}\n" if body else b"{}\n"


def _listed(value: Sequence[Any]) -> Iterator[bytes]:
    lead = b"["
    for first in range(0, len(value), _TOGETHER):
        yield lead + _json(value[first : first + _TOGETHER])[1:-1]
        lead = b","
    yield b"]" if value else b"[]"


def _json(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A file name can hold half a surrogate pair, which no JSON reader has to accept.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return whole.encode()


def _places(columns: Sequence[str], named: str) -> frozenset[int]:
    """The places of those columns whose headings stand in ``named``."""
    headings = named.split("|")
    return frozenset(at for at, heading in enumerate(columns) if heading and heading in headings)


def _where(error: SurveyError) -> str:
    """File, place in its text, and pointer, as far as they are known."""
    details = error.details
    path = str(details.get("path", ""))
    parts = [] if path in error.message else ["standard input" if path == "-" else path]
    if "line" in details:
        column = f", column {details['column']}" if "column" in details else ""
        parts.append(f"line {details['line']}{column}")
    if "offset" in details:
        parts.append(f"byte {details['offset']}")
    if error.pointer:
        parts.append(f"at {error.pointer}")
    return ", ".join(parts)


def _show_life(label: str, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console

    with Console(stderr=True).status(label):
        done.wait()


class _Steps:
    """How far some work is; told by one thread and read by another."""

    def __init__(self) -> None:
        self.done: tuple[int, int | None] = (0, None)

    def tell(self, done: int, total: int) -> None:
        self.done = (done, total)


def _show_steps(label: str, steps: _Steps, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    described = TextColumn("{task.description}", markup=False)
    columns = (described, BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        shown = bar.add_task(visible(label), total=None)
        while not done.wait(_REFRESH):
            completed, total = steps.done
            bar.update(shown, completed=completed, total=total)


def _width() -> int:
    columns = shutil.get_terminal_size((_WIDEST, 24)).columns
    return max(_NARROWEST, min(columns, _WIDEST))


def _table_width(stream: TextIO) -> int | None:
    """The width of the terminal that a stream is, or nothing where it is none."""
    if not stream.isatty():
        return None
    return max(1, shutil.get_terminal_size((_WIDEST, 24)).columns)


def _takes_colour(stream: TextIO) -> bool:
    is_plain = "NO_COLOR" in os.environ or os.environ.get("TERM", "dumb") in {"dumb", "unknown"}
    return stream.isatty() and not is_plain


def _draws_lines(stream: TextIO) -> bool:
    is_dumb = stream.isatty() and os.environ.get("TERM", "dumb") in {"dumb", "unknown"}
    return not is_dumb and (stream.encoding or "").lower().replace("-", "") == "utf8"
