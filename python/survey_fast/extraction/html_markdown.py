"""A page to Markdown: the tree that HTML's rules give, without what is no content, written out.

The Markdown converters that were tried do not serve: one drops everything below a thousand levels
without saying so and escapes what looks like markup even when told not to, the other recurses.
The tree comes from a library; the walk is ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from survey_fast.canon.text import trim
from survey_fast.extraction.markdown import MarkdownWriter
from survey_fast.extraction.pruning import SILENT, is_removed
from survey_fast.extraction.tree_bounds import Excess, tree_excess

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

__all__ = ["LIBRARY", "Conversion", "convert_page"]

LIBRARY = "selectolax"
"""The distribution whose version can change the text."""
_TEXT = "-text"


@dataclass(frozen=True, slots=True)
class Conversion:
    """The Markdown of a page, and the text of each part that was left out, in page order."""

    text: str
    removed: list[str]


def convert_page(html: str) -> Conversion | Excess:
    """The Markdown of a page or a part of one; or why no tree is built of it."""
    # Loaded when the first page is prepared: most of the package never needs it.
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

    excess = tree_excess(html)
    if excess is not None:
        return excess
    tree = LexborHTMLParser(html)
    start = tree.body or tree.root
    return Conversion("", []) if start is None else _walk(start)


def _walk(start: LexborNode) -> Conversion:
    writer = MarkdownWriter()
    removed: list[str] = []
    articles = 0
    open_nodes: list[LexborNode] = []
    node = start.child
    while True:
        if node is None:
            if not open_nodes:
                return Conversion(trim(writer.markdown()), removed)
            ended = open_nodes.pop()
            articles -= ended.tag == "article"
            writer.end()
            node = ended.next
            continue
        tag = node.tag or ""
        if tag == _TEXT:
            writer.text(node.text_content or "")
        elif _is_element(tag):
            if is_removed(tag, in_article=articles > 0):
                removed.extend(_words(node))
            else:
                articles += tag == "article"
                writer.begin(tag, partial(_attributes, node))
                open_nodes.append(node)
                node = node.child
                continue
        node = node.next


def _attributes(node: LexborNode) -> dict[str, str | None]:
    return node.attributes


def _is_element(tag: str) -> bool:
    """Whether a node is an element that can have words: comments and their like have none."""
    return not tag.startswith(("-", "!")) and tag not in SILENT


def _words(node: LexborNode) -> Iterator[str]:
    """The text of an element on one line, if there is any."""
    words = " ".join("".join(_texts(node)).split())
    if words:
        yield words


def _texts(start: LexborNode) -> Iterator[str]:
    open_nodes: list[LexborNode] = []
    node = start.child
    while True:
        if node is None:
            if not open_nodes:
                return
            node = open_nodes.pop().next
            continue
        tag = node.tag or ""
        if tag == _TEXT:
            yield node.text_content or ""
        elif _is_element(tag):
            open_nodes.append(node)
            node = node.child
            continue
        node = node.next
