"""HTML to plain text without building a tree.

1. Script, style, noscript, nav, header and footer go with all they hold; of one that is never
   closed only the tag goes.
2. The end of a paragraph, division, list item, row, heading, section or article, and a line
   break, start a new line. Any other tag becomes a space.
3. Sixteen character references are read, all others stay as they are written.
4. Spaces are collapsed, lines trimmed, empty lines dropped.

A ``<`` that no tag name follows is text. The work is linear in the input, whatever it is: every
search goes on from where the last one ended, and one that found nothing is not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from survey_fast.canon.text import trim

__all__ = ["collapse", "decode_references", "element_spans", "text_of"]

_FLAGS: Final = re.IGNORECASE | re.ASCII
_DROPPED: Final = ("script", "style", "noscript", "nav", "header", "footer")
_NAME_END: Final = r"(?=[\s/>])"
_TAG: Final = re.compile(r"<(?:/?[a-z]|[!?])", _FLAGS)
_BREAK: Final = re.compile(
    rf"<(?:/(?:p|div|li|tr|h[1-6]|section|article){_NAME_END}|/?br{_NAME_END})", _FLAGS
)
_SPACES: Final = re.compile(r"[ \t]+")
_REFERENCES: Final = {
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "quot": '"',
    "#39": "'",
    "apos": "'",
    # An ordinary space: what is quoted from a page seldom keeps the other kind.
    "nbsp": " ",
    "#160": " ",
    "#xa0": " ",
    "ndash": "\u2013",
    "mdash": "\u2014",
    "lsquo": "\u2018",
    "rsquo": "\u2019",
    "ldquo": "\u201c",
    "rdquo": "\u201d",
    "hellip": "\u2026",
}
_REFERENCE: Final = re.compile(f"&({'|'.join(_REFERENCES)});", _FLAGS)


def text_of(html: str) -> str:
    """The text of a page or a part of one."""
    for name in _DROPPED:
        html = _without(html, name)
    text = collapse(decode_references("".join(_pieces(html))))
    return trim("\n".join(line for line in map(trim, text.split("\n")) if line))


def decode_references(text: str) -> str:
    """``text`` with the sixteen character references read, in any case."""
    if "&" not in text:
        return text
    return _REFERENCE.sub(lambda found: _REFERENCES[found.group(1).lower()], text)


def collapse(text: str) -> str:
    """``text`` with one space for each run of spaces and tabs."""
    return _SPACES.sub(" ", text)


def element_spans(html: str, name: str) -> Iterator[tuple[int, int, int, int]]:
    """Where the elements of one name stand: start, end of the tag, end of the content, end.

    An element ends at the first end tag of its name. Of one without, all three ends are the end
    of its tag.
    """
    opening = re.compile(f"<{name}{_NAME_END}", _FLAGS)
    closing = re.compile(rf"</{name}\s*>", _FLAGS)
    at, may_close = 0, True
    while found := opening.search(html, at):
        tag_end = html.find(">", found.end()) + 1
        if not tag_end:
            return
        end = closing.search(html, tag_end) if may_close else None
        may_close = end is not None
        at = tag_end if end is None else end.end()
        yield found.start(), tag_end, tag_end if end is None else end.start(), at


def _without(html: str, name: str) -> str:
    kept, at = [], 0
    for start, _, _, end in element_spans(html, name):
        kept.append(html[at:start])
        at = end
    return " ".join([*kept, html[at:]]) if kept else html


def _pieces(html: str) -> Iterator[str]:
    """The text, with a line feed or a space in the place of each tag."""
    at = 0
    while found := _TAG.search(html, at):
        start = found.start()
        end = html.find(">", found.end()) + 1
        if not end:
            break
        yield html[at:start]
        yield "\n" if _BREAK.match(html, start) else " "
        at = end
    yield html[at:]
