"""Whether a page may be handed to a tree builder.

HTML's own rules let a small page cost its reader the square of its size: an open element is looked
for at every tag, unclosed formatting is repeated in every paragraph, an attribute is compared with
all before it. Fifty kilobytes can ask for gigabytes. So the tags are walked first, in linear time,
and a page that could cost too much is named by the reason.

The estimate may be too high, never too low: an end tag closes something here only where the tree
builder must close it too. A page is refused for it only when it is far from anything written to be
read, and it still has a preparation that builds no tree.
"""

from __future__ import annotations

import re
from typing import Final, Literal

__all__ = ["Excess", "depth_bound", "tree_excess"]

Excess = Literal["attributes", "formatting", "nesting", "tags"]

_TAGS: Final = 2_000_000
_STEPS: Final = 50_000_000
_STEPS_A_TAG: Final = 256
_COPIES: Final = 500_000
_COPIES_A_TAG: Final = 4
_ATTRIBUTES: Final = 512
_SHORT: Final = 1024
"""A tag of fewer characters cannot hold more attributes than allowed."""

_S: Final = r"[\t\n\f\r /]"
_VALUE: Final = (
    r"""[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >"'][^\t\n\f\r >]*+)?"""
)
_ATTRIBUTE: Final = rf"[^\t\n\f\r />][^\t\n\f\r />=]*+(?:{_VALUE})?"
_TOKEN: Final = re.compile(
    rf"<(?:(?P<close>/?)(?P<name>[A-Za-z][^\t\n\f\r />]*+)(?P<rest>(?:{_S}++|{_ATTRIBUTE})*+)>"
    r"|!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
    r"|(?P<cdata>!\[CDATA\[)"
    r"|(?:[!?]|/(?![A-Za-z]))[^>]*+(?:>|\Z)"
    r"|(?P<broken>/?[A-Za-z]))"
)
_EACH_ATTRIBUTE: Final = re.compile(_ATTRIBUTE)
_START: Final = re.compile(r"<[A-Za-z]")
_CDATA_END: Final = "]]>"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VOID: Final = _names(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param "
    "source track wbr"
)
_ONCE: Final = frozenset(["body", "head", "html"])
"""A page has one of each, whatever it says, and their end tags close nothing."""
_RAW: Final = _names("iframe noembed noframes script style textarea title xmp")
_FORMATTING: Final = _names("a b big code em font i nobr s small strike strong tt u")
_FOREIGN: Final = frozenset(["math", "svg"])
_BLOCKS: Final = _names(
    "address article aside blockquote center details dialog dir div dl dd dt fieldset "
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol p "
    "pre section summary ul"
)
_ENDS_PARAGRAPH: Final = _BLOCKS | frozenset(["form", "hr", "xmp"])
_CELLS: Final = frozenset(["td", "th"])
_GROUPS: Final = frozenset(["tbody", "tfoot", "thead"])
_HEADINGS: Final = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_SIBLINGS: Final = {
    "a": frozenset(["a"]),
    "dd": frozenset(["dd", "dt"]),
    "dt": frozenset(["dd", "dt"]),
    "li": frozenset(["li"]),
    "option": frozenset(["option"]),
    **dict.fromkeys(_CELLS, _CELLS),
    "tr": _CELLS | {"tr"},
    **dict.fromkeys(_HEADINGS, _HEADINGS),
    **dict.fromkeys(_GROUPS, _CELLS | _GROUPS | {"tr"}),
}
"""What a start tag closes when it is the innermost open element."""
_PARENTS: Final = {
    **dict.fromkeys(_CELLS, _GROUPS | {"table", "tr"}),
    "tr": _GROUPS | {"table"},
    **dict.fromkeys((*_GROUPS, "caption", "colgroup"), frozenset(["table"])),
}
"""Anywhere else these tags are ignored, or move what is open."""
_IMPLIED: Final = _names("dd dt li optgroup option p rb rp rt rtc")
_SKIPPED: Final = {
    **dict.fromkeys(_BLOCKS, _IMPLIED),
    **dict.fromkeys(("button", "caption", "select", *_CELLS), _IMPLIED),
    **dict.fromkeys(("table", "tr", *_GROUPS), _CELLS | _GROUPS | _IMPLIED | {"caption", "tr"}),
    "ruby": frozenset(["rb", "rp", "rt", "rtc"]),
}
"""What an end tag closes on its way; one of another name closes the innermost element only."""
_SKIPS: Final = 16
_OPTIONS: Final = frozenset(["optgroup", "option"])
_BREAKOUT: Final = _names(
    "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head "
    "hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup "
    "table tt u ul var"
)
"""Tags that end SVG and MathML."""
_INTEGRATION: Final = _names("annotation-xml desc foreignobject mi mn mo ms mtext title")
"""Elements of SVG and MathML that hold HTML."""


def tree_excess(html: str) -> Excess | None:
    """Why building a tree of ``html`` could cost too much, or nothing."""
    return _Bounds(html).walk()


def depth_bound(html: str) -> int:
    """How deep a tree of ``html`` can get, implied elements aside."""
    bounds = _Bounds(html)
    bounds.walk()
    return bounds.deepest


class _Bounds:
    """One walk over the tags.

    ``_open`` are the elements that are open for certain, since the last end tag that closed
    something else than the innermost. Everything older, and every tag that may have been
    ignored, only counts.
    """

    def __init__(self, html: str) -> None:
        self.deepest = 0
        self._html = html
        self._open: list[str] = []
        self._older = 0
        self._formatting = 0
        self._foreign = 0
        self._forms = 0
        self._selects = 0
        self._is_odd = False
        """Whether SVG or MathML was mixed with HTML, so that a tag may be of either."""
        self._tags = 0
        self._steps = 0
        self._copies = 0
        self._root_attributes = 0

    def walk(self) -> Excess | None:
        html, at = self._html, 0
        while found := _TOKEN.search(html, at):
            at = found.end()
            if found["name"] is not None:
                excess, at = self._tag(found)
                if excess is not None:
                    return excess
            elif found["cdata"] is not None:
                if self._is_odd:
                    return "nesting"
                end = html.find(_CDATA_END if self._is_foreign() else ">", at)
                if end < 0:
                    break
                at = end + 1
            elif found["broken"] is not None:
                # The page ends within this tag, which is then none.
                break
        return None

    def _tag(self, found: re.Match[str]) -> tuple[Excess | None, int]:
        name, at = _lower(found["name"]), found.end()
        uncertain = 0
        if found["close"]:
            self._end(name)
        else:
            rest = found["rest"]
            if self._has_many_attributes(name, rest):
                return "attributes", at
            is_raw = name in _RAW and not self._is_foreign()
            self._start(name, is_closed=rest.endswith("/"))
            if is_raw:
                at, uncertain = self._after_raw(name, at)
        return self._count(1 + uncertain), at

    def _count(self, tags: int) -> Excess | None:
        """Count tags at the present depth, and say whether it is too much by now."""
        depth = len(self._open) + self._older
        self.deepest = max(self.deepest, depth)
        self._tags += tags
        self._steps += depth * tags
        self._copies += self._formatting * tags
        if self._steps > _STEPS + _STEPS_A_TAG * self._tags:
            return "nesting"
        if self._copies > _COPIES + _COPIES_A_TAG * self._tags:
            return "formatting"
        return "tags" if self._tags > _TAGS else None

    def _has_many_attributes(self, name: str, rest: str) -> bool:
        if name in _ONCE:
            # Attributes of every further one are added to the first.
            self._root_attributes += sum(1 for _ in _EACH_ATTRIBUTE.finditer(rest))
            return self._root_attributes > _ATTRIBUTES
        if len(rest) < _SHORT:
            return False
        return sum(1 for _ in _EACH_ATTRIBUTE.finditer(rest)) > _ATTRIBUTES

    def _is_foreign(self) -> bool:
        """Whether the tree builder is certainly inside SVG or MathML."""
        return bool(self._foreign and not self._is_odd and self._open[-1] not in _INTEGRATION)

    def _start(self, name: str, *, is_closed: bool) -> None:
        if self._is_odd:
            self._doubt(name)
        elif self._foreign:
            self._start_in_foreign(name, is_closed=is_closed)
        elif name not in _VOID and name not in _ONCE and not (is_closed and name in _FOREIGN):
            self._close_before(name)
            if self._may_be_ignored(name):
                self._doubt(name)
            else:
                self._push(name)

    def _start_in_foreign(self, name: str, *, is_closed: bool) -> None:
        if name in _BREAKOUT or self._open[-1] in _INTEGRATION:
            self._is_odd = True
            self._doubt(name)
        elif not is_closed:
            self._push(name)

    def _may_be_ignored(self, name: str) -> bool:
        if self._selects and name not in _OPTIONS:
            return True
        parents = _PARENTS.get(name)
        if parents is not None:
            return not self._open or self._open[-1] not in parents
        return name == "frameset" or (name == "form" and self._forms > 0)

    def _close_before(self, name: str) -> None:
        """What a start tag closes, as far as it is innermost."""
        if name in _ENDS_PARAGRAPH and self._open and self._open[-1] == "p":
            self._pop()
        closed = _SIBLINGS.get(name)
        while closed and self._open and self._open[-1] in closed:
            self._pop()

    def _end(self, name: str) -> None:
        if name in _ONCE:
            return
        skipped = _SKIPPED.get(name, frozenset())
        at = len(self._open) - 1
        last = max(0, at - _SKIPS)
        while at > last and self._open[at] != name and self._open[at] in skipped:
            at -= 1
        if at >= 0 and self._open[at] == name:
            while len(self._open) > at:
                self._pop()
        else:
            self._age()

    def _age(self) -> None:
        """Nothing that is open now will be seen to close."""
        self._older += len(self._open)
        self._open.clear()
        self._is_odd = self._is_odd or self._foreign > 0

    def _doubt(self, name: str) -> None:
        """Count a tag that may open something; what is around it stays as uncertain as it is."""
        self._age()
        self._older += 1
        self._formatting += name in _FORMATTING
        # In a set of frames most tags are skipped, as they are in a select; it never closes here.
        self._selects += name in {"frameset", "select"}
        self._is_odd = self._is_odd or name in _FOREIGN

    def _push(self, name: str) -> None:
        self._open.append(name)
        self._formatting += name in _FORMATTING
        self._foreign += name in _FOREIGN
        self._forms += name == "form"
        self._selects += name == "select"

    def _pop(self) -> None:
        name = self._open.pop()
        self._formatting -= name in _FORMATTING
        self._foreign -= name in _FOREIGN
        self._forms -= name == "form"
        self._selects -= name == "select"

    def _after_raw(self, name: str, at: int) -> tuple[int, int]:
        """Where the content of an element without tags ends, and the tags if it is none."""
        end = _script_end(self._html, at) if name == "script" else _raw_end(self._html, name, at)
        if not self._is_odd and not self._selects:
            return end, 0
        tags = sum(1 for _ in _START.finditer(self._html, at, end))
        self._older += tags
        return end, tags


def _lower(name: str) -> str:
    """In lower case as HTML has it: letters of ASCII only."""
    return name.lower() if name.isascii() else name.translate(_LOWER)


_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_RAW_ENDS: Final = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in _RAW
}
_SCRIPT_MARKS: Final = re.compile(
    r"<!--(?:-?>)?|-->|<(?P<close>/?)script(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII
)


def _raw_end(html: str, name: str, at: int) -> int:
    found = _RAW_ENDS[name].search(html, at)
    return len(html) if found is None else found.start()


def _script_end(html: str, at: int) -> int:
    """A script that was commented out may hold another script with its end tag."""
    is_comment = is_inner = False
    for found in _SCRIPT_MARKS.finditer(html, at):
        mark = found[0]
        if mark == "<!--":
            is_comment = True
        elif mark.endswith(">"):
            is_comment = is_inner = False
        elif not found["close"]:
            is_inner = is_comment
        elif is_inner:
            is_inner = False
        else:
            return found.start()
    return len(html)
