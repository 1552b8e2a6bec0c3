"""Markdown as it is written while a page is walked through.

The writer is told of elements that begin and end and of the text between; it keeps no tree. Its
text says what the page shows: headings as ``#``, items as ``-`` or numbers, quotations as ``>``,
emphasis as ``*`` and ``**``, links as ``[text](href)``, code in fences, the cells of a row on one
line with `` | `` between. No character is escaped: what a reader of the page would quote has to
stand in the text.

Spaces are collapsed, no line ends in one, and outside code at most one line in a row is empty.
Marks appear with the first text that they are about, so empty elements leave none. Indentation
stops growing at eight levels. The work is linear, and nothing recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Final, TypeAlias

__all__ = ["MarkdownWriter"]

_LEVELS: Final = 8
_DIGITS: Final = 9
"""Of the number that a list starts with."""
_SPACES: Final = re.compile("[ \t\n\f\r\u00a0]+")
_TICKS: Final = re.compile("`+")
_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PARAGRAPHS: Final = _names(
    "address article aside blockquote body center details dialog div dl fieldset figure "
    "footer form header hgroup html legend main nav p section summary table"
)
_LINES: Final = _names("caption dd dt figcaption optgroup option select tbody tfoot thead")
_LISTS: Final = frozenset(["dir", "menu", "ol", "ul"])
_MARKS: Final = {"b": "**", "strong": "**", "em": "*", "i": "*"}
_NO_LINKS: Final = ("javascript:", "data:", "vbscript:")

_Attributes: TypeAlias = Callable[[], Mapping[str, str | None]]
_Leave: TypeAlias = Callable[[], None]


class _Mark:
    """A mark that is written with the first text it is about."""

    __slots__ = ("is_written", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_written = False


class _Prefix:
    """What the lines of a list item or a quotation begin with."""

    __slots__ = ("first", "rest")

    def __init__(self, first: str, rest: str) -> None:
        self.first = first
        self.rest = rest

    def take(self) -> str:
        """The beginning of the next line."""
        first, self.first = self.first, self.rest
        return first


class _Row:
    """A row of a table: separators that wait for text, and whether it has any."""

    __slots__ = ("has_cell", "has_text", "waiting")

    def __init__(self) -> None:
        self.has_cell = False
        self.has_text = False
        self.waiting = 0


def _nothing() -> None:
    """Nothing to do when an element ends."""


class MarkdownWriter:
    """Collects the Markdown of one page."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._gap = 0
        self._has_space = False
        self._prefixes: list[_Prefix] = []
        self._marks: list[_Mark] = []
        self._marked: dict[str, int] = {}
        self._lists: list[int | None] = []
        self._rows: list[_Row] = []
        self._cells = 0
        self._headings = 0
        self._verbatim: list[str] | None = None
        self._leave: list[_Leave] = []

    def begin(self, tag: str, attributes: _Attributes) -> None:
        """An element begins. ``attributes`` is called only for what needs them."""
        self._leave.append(self._enter(tag, attributes))

    def end(self) -> None:
        """The element that began last ends."""
        self._leave.pop()()

    def text(self, text: str) -> None:
        """Text of the page, white space as it stands."""
        if self._verbatim is not None:
            self._verbatim.append(text)
            return
        collapsed = _SPACES.sub(" ", text)
        inner = collapsed.strip(" ")
        self._has_space = self._has_space or collapsed.startswith(" ")
        if inner:
            self._write(inner)
            self._has_space = collapsed.endswith(" ")

    def markdown(self) -> str:
        """All of it."""
        return "".join(self._out)

    def _enter(self, tag: str, attributes: _Attributes) -> _Leave:
        if self._verbatim is not None:
            if tag == "br":
                self._verbatim.append("\n")
            return _nothing
        if tag in _PARAGRAPHS:
            return self._block(2, self._quote() if tag == "blockquote" else _nothing)
        if tag in _LINES:
            return self._block(1, _nothing)
        if tag in _MARKS:
            return self._mark(_MARKS[tag], _MARKS[tag])
        special = self._SPECIAL.get(tag)
        return _nothing if special is None else special(self, tag, attributes)

    def _block(self, gap: int, leave: _Leave) -> _Leave:
        """Stand apart from what comes before and after."""
        self._break(gap)

        def end() -> None:
            leave()
            self._break(gap)

        return end

    def _break(self, gap: int) -> None:
        if self._headings:
            self._has_space = True
        else:
            self._gap = max(self._gap, min(gap, 1) if self._cells else gap)

    def _write(self, text: str) -> None:
        """Put text after the white space, the prefixes and the marks that wait for it."""
        row = self._rows[-1] if self._rows else None
        if row is not None and row.waiting and row.has_text:
            # The next cell goes on in the line; what would begin a line is used up.
            self._line()
        else:
            self._space()
        if row is not None:
            separators = " | " * row.waiting
            self._out.append(separators if row.has_text else separators.lstrip(" "))
            row.waiting = 0
            row.has_text = True
        self._gap = 0
        self._has_space = False
        for mark in self._marks:
            mark.is_written = True
            self._out.append(mark.text)
        self._marks.clear()
        self._out.append(text)

    def _space(self) -> None:
        """The white space that waits, and the beginning of a line."""
        if not self._out:
            self._out.append(self._line())
        elif self._gap:
            if self._gap > 1:
                blank = "".join(prefix.rest for prefix in self._prefixes[:_LEVELS])
                self._out.append("\n" + blank.rstrip(" "))
            self._out.append("\n" + self._line())
        elif self._has_space:
            self._out.append(" ")

    def _line(self) -> str:
        return "".join(prefix.take() for prefix in self._prefixes[:_LEVELS])

    def _mark(self, opening: str, closing: str) -> _Leave:
        """Marks around inline text; one inside its like adds none."""
        open_already = self._marked.get(opening, 0)
        if open_already:
            return _nothing
        mark = _Mark(opening)
        self._marks.append(mark)
        self._marked[opening] = 1

        def end() -> None:
            self._marked[opening] = 0
            if mark.is_written:
                self._out.append(closing)
            else:
                self._marks.pop()

        return end

    def _quote(self) -> _Leave:
        self._prefixes.append(_Prefix("> ", "> "))
        return self._drop_prefix

    def _drop_prefix(self) -> None:
        self._prefixes.pop()

    def _heading(self, tag: str, attributes: _Attributes) -> _Leave:
        del attributes
        if self._headings or self._cells:
            return self._block(2, _nothing)
        self._break(2)
        mark = _Mark(_HEADINGS[tag])
        # Before any other mark: a line is a heading only when it begins as one.
        self._marks.insert(0, mark)
        self._headings += 1

        def end() -> None:
            self._headings -= 1
            self._has_space = False
            if not mark.is_written:
                self._marks.remove(mark)
            self._break(2)

        return end

    def _list(self, tag: str, attributes: _Attributes) -> _Leave:
        self._lists.append(_number(attributes().get("start")) if tag == "ol" else None)
        gap = 1 if self._prefixes else 2

        def end() -> None:
            self._lists.pop()

        return self._block(gap, end)

    def _item(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        number = self._lists[-1] if self._lists else None
        first = "- "
        if number is not None:
            first = f"{number}. "
            self._lists[-1] = number + 1
        self._break(1)
        self._prefixes.append(_Prefix(first, " " * len(first)))
        return self._block(1, self._drop_prefix)

    def _row(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        row = _Row()
        self._rows.append(row)

        def end() -> None:
            self._rows.pop()
            if row.has_text and self._rows:
                self._rows[-1].has_text = True

        return self._block(1, end)

    def _cell(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        row = self._rows[-1] if self._rows else _Row()
        if row.has_cell:
            row.waiting += 1
        row.has_cell = True
        if row.has_text:
            self._gap = 0
        self._has_space = False
        self._cells += 1

        def end() -> None:
            self._cells -= 1
            self._has_space = False
            if row.has_text:
                self._gap = 0

        return end

    def _line_break(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        if self._headings or self._cells:
            self._has_space = True
        else:
            self._gap = min(self._gap + 1, 2)
        return _nothing

    def _rule(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        self._break(2)
        self._write("---")
        self._break(2)
        return _nothing

    def _image(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag
        values = attributes()
        alternative = _SPACES.sub(" ", values.get("alt") or "").strip(" ")
        if alternative:
            address = _address(values.get("src"))
            self._write(f"![{alternative}]" + (f"({address})" if address else ""))
        return _nothing

    def _link(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag
        address = _address(attributes().get("href"))
        return self._mark("[", f"]({address})") if address else _nothing

    def _code(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        return self._mark("`", "`")

    def _preformatted(self, tag: str, attributes: _Attributes) -> _Leave:
        del tag, attributes
        if self._headings or self._cells:
            return self._block(1, _nothing)
        self._verbatim = []

        def end() -> None:
            text = "".join(self._verbatim or ()).strip("\n")
            self._verbatim = None
            if text.strip():
                self._fence(text)

        return self._block(2, end)

    def _fence(self, text: str) -> None:
        longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
        fence = "`" * max(3, longest + 1)
        self._write(fence)
        prefix = "".join(prefix.rest for prefix in self._prefixes[:_LEVELS])
        for line in (*text.split("\n"), fence):
            self._out.append(("\n" + prefix + line).rstrip(" \t\r"))

    _SPECIAL: ClassVar[Mapping[str, Callable[[MarkdownWriter, str, _Attributes], _Leave]]] = {
        **dict.fromkeys(_HEADINGS, _heading),
        **dict.fromkeys(_LISTS, _list),
        "li": _item,
        "tr": _row,
        "td": _cell,
        "th": _cell,
        "br": _line_break,
        "hr": _rule,
        "img": _image,
        "a": _link,
        "code": _code,
        "pre": _preformatted,
    }


def _number(start: str | None) -> int:
    text = (start or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 1


def _address(href: str | None) -> str:
    """An address on one line, or nothing where it leads to no document."""
    address = _SPACES.sub(" ", href or "").strip(" ").replace(" ", "%20")
    return "" if address.lower().startswith(_NO_LINKS) else address
