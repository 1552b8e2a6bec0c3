"""Pages to Markdown and to text.

Rows of the edge cases of extraction proven here: 96 to 103 and 108. Left to other files: 104 to
106 (test_preparation_transcript), 107 and 109 (test_preparation).
"""

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from survey_fast.extraction.html_text import text_of
from survey_fast.extraction.prepare import prepare
from survey_fast.extraction.prepared_artifact import prepared_text_digest
from survey_fast.extraction.pruning import pruning_notice
from survey_fast.extraction.tree_bounds import depth_bound, tree_excess

VECTORS = Path(__file__).parents[2] / "vectors/traverse"
PAGES = {
    case["name"]: case
    for case in json.loads((VECTORS / "html-preparation.json").read_bytes())["cases"]
}


def page(html, **options):
    return prepare(html, content_type="html", **options)


def markdown(html):
    prepared = page(html)
    assert prepared.mode == "markdown"
    return prepared.text


def words(text):
    return " ".join(text.split())


def named(prepared):
    return [text for notice in prepared.warnings for text in notice.details.get("quoted", ())]


def reasons(prepared):
    return [notice.details.get("reason", notice.code) for notice in prepared.warnings]


def check(name):
    case = PAGES[name]
    prepared = page(case["html"])
    assert prepared.mode == "markdown"
    for kept in case["keep"]:
        assert words(kept) in words(prepared.text)
    for pruned in case["pruned"]:
        assert words(pruned) not in words(prepared.text)
    assert named(prepared) == case["pruned"]
    assert {notice.code for notice in prepared.warnings} <= {"navigation-pruned"}


@pytest.mark.parametrize(
    "name",
    [
        "page-header-pruned-article-header-kept",
        "aside-in-article-kept",
        "aside-in-main-outside-article-pruned",
        "footer-in-main-outside-article-pruned",
    ],
)
def test_row_96_chrome_of_an_article_stays_and_that_of_the_page_goes_and_is_named(name):
    check(name)


def test_row_97_a_form_goes_even_in_an_article():
    check("form-in-article-pruned-and-named")


def test_row_98_chrome_within_chrome_is_named_once():
    check("nested-chrome-reported-once")


def test_row_99_scripts_and_styles_go_without_a_word():
    check("script-and-style-silent")


def test_row_100_forty_thousand_nested_elements_keep_their_text_under_the_mode_that_was_used():
    prepared = page("<div>" * 40_000 + "needle" + "</div>" * 40_000)
    assert prepared.text == "needle"
    assert prepared.mode == "text"
    assert prepared.version == "survey-fast-1"
    assert reasons(prepared) == ["markdown-fallback"]


def test_five_thousand_nested_elements_still_become_markdown():
    assert markdown("<div>" * 5000 + "needle" + "</div>" * 5000) == "needle"


@pytest.mark.parametrize("name", ["bodyless-fragment", "bodyless-fragment-chrome-pruned"])
def test_row_101_a_part_of_a_page_is_a_page(name):
    check(name)


@pytest.mark.parametrize(
    "name", ["noscript-named", "link-href-survives", "heading-and-list-survive"]
)
def test_a_composed_page_keeps_and_names_what_it_says(name):
    check(name)


@pytest.mark.parametrize("name", ["entities-decoded", "empty-chrome-not-named"])
def test_a_composed_page_has_nothing_to_name(name):
    check(name)


def test_row_102_five_of_seven_pruned_parts_are_quoted_and_two_are_counted():
    parts = [f"{number} " + "x" * 70 for number in range(7)]
    prepared = page("<p>Body.</p>" + "".join(f"<nav>{part}</nav>" for part in parts))
    (notice,) = prepared.warnings
    assert prepared.text == "Body."
    assert notice.to_json()["category"] == "preparation"
    assert notice.details["elements"] == 7
    assert notice.details["more"] == 2
    assert notice.details["characters"] == 7 * 72
    assert notice.details["quoted"] == [part[:60] + "…" for part in parts[:5]]


def test_one_part_is_counted_as_one():
    assert "1 part of the page was left out" in pruning_notice(["Menu"]).message
    assert "2 parts of the page were left out" in pruning_notice(["Menu", "Home"]).message


def test_nothing_pruned_is_no_warning():
    assert pruning_notice([]) is None


def test_row_103_the_text_of_a_page_has_its_published_digest():
    goldens = json.loads((VECTORS / "preparation/preparation-goldens.v3.json").read_bytes())
    prepared = page((VECTORS / "preparation/detail.html").read_bytes(), prep="text")
    assert (prepared.mode, prepared.version) == ("text", "survey-fast-1")
    assert prepared_text_digest(prepared.text) == goldens["cases"]["html-as-text"]["digest"]


@pytest.mark.parametrize("prep", [None, "text"])
def test_row_108_an_empty_place_for_an_application_with_its_data_is_named_as_such(prep):
    prepared = page((VECTORS / "js-shell.html").read_bytes(), prep=prep)
    assert "js-shell-suspected-embedded-state-available" in reasons(prepared)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div id=root></div>" + "<!-- pad -->" * 100, ["js-shell-suspected", "empty-content"]),
        ("<p>x<script>" + "a" * 900 + "</script>", ["js-shell-suspected"]),
        ("<div id=root>served text</div>" + "<!-- pad -->" * 100, []),
        ("<p>" + "words " * 200 + "<script>" + "a" * 9000 + "</script>", []),
    ],
    ids=["empty-mount", "mostly-script", "filled-mount", "enough-text"],
)
def test_a_shell_is_suspected_only_without_text(html, expected):
    assert reasons(page(html)) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A <b>b</b></h2><p>c", "## A **b**\n\nc"),
        ("<h1></h1><p><b></b><a href=/x></a>x", "x"),
        (
            "<p>1. not a list *or* _this_ # [x](y) a|b \\",
            "1. not a list *or* _this_ # [x](y) a|b \\",
        ),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<ol start=x><li>a</ol>", "1. a"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
        ("<table><tr><th>A<th>B<tr><td><td>2<tr><td>3</table>", "A | B\n| 2\n3"),
        ("<table><tr><td>a<td><ul><li>b</ul><td><p>c<p>d</table>", "a | b | c\nd"),
        ("<pre>a\n  b ```</pre>", "````\na\n  b ```\n````"),
        ("<p>run <code>x  y</code>", "run `x y`"),
        ("<a href=/f><h2>Card</h2></a>", "## [Card](/f)"),
        ("<a href='javascript:x'>go</a> <a>to</a>", "go to"),
        ("<img alt='A  b' src=p.png><img src=q.png><img alt=c src=data:x>", "![A b](p.png)![c]"),
        ("<p>a&nbsp;b <i> c </i> d", "a b *c* d"),
        ("<b>x <b>y</b></b> <i></i>z", "**x y** z"),
        ("a<!-- no -->b<svg><text>no</text></svg><template>no</template>", "ab"),
        ("<ul><li><li>x<li></ul>", "- x"),
        ("<frameset><frame></frameset>", ""),
    ],
)
def test_markdown_says_what_the_page_shows_and_escapes_nothing(html, expected):
    assert markdown(html) == expected


def test_nested_lists_and_quotations_stop_being_indented():
    html = "<ul><li>x<blockquote>y" * 500
    text = markdown(html)
    assert text.count("x") == text.count("y") == 500
    assert max(map(len, text.split("\n"))) < 40


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<p>b</p>c<br>d", "a b\nc\nd"),
        ("2 < 3 and 5 > 4", "2 < 3 and 5 > 4"),
        ("x<script>no</SCRIPT >y<script>kept", "x y kept"),
        ("<nav>a<nav>b</nav>c</nav>d", "c d"),
        ("&AMP;lt; &copy; &#39;&#xA0;x&hellip;", "&lt; &copy; ' x…"),
        ("<p>a</p><unclosed b", "a\n<unclosed b"),
        ("<headers>a</headers>", "a"),
        ("a \t b\r\n\r\n  c  ", "a b\nc"),
        ("", ""),
    ],
)
def test_text_of_a_page_reads_tags_and_sixteen_references(html, expected):
    assert text_of(html) == expected


@pytest.mark.parametrize(
    ("html", "excess"),
    [
        ("<div>" * 20_000, "nesting"),
        ("<svg>" + "<g>" * 20_000, "nesting"),
        ("".join(f"<p><i a={number}>" for number in range(2_000)), "formatting"),
        ("<a " + "x " * 1_000 + ">", "attributes"),
        ("".join(f"<html a{number}>" for number in range(600)), "attributes"),
        ("<ul><svg><p><![CDATA[</ul>]]>", "nesting"),
    ],
    ids=["nested", "drawing", "formatting", "attributes", "roots", "doubtful"],
)
def test_a_page_that_asks_for_too_much_is_named_and_becomes_text(html, excess):
    assert tree_excess(html[: len(html) // 500]) is None
    assert tree_excess(html) == excess
    prepared = page(html + "needle")
    assert prepared.mode == "text"
    assert prepared.warnings[0].details == {"reason": "markdown-fallback", "excess": excess}
    assert "needle" in prepared.text


@pytest.mark.parametrize(
    "html",
    [
        "<p>x" * 30_000,
        "<ul>" + "<li>x" * 30_000,
        "<table>" + "<tr><td>a<td>b" * 10_000,
        "<div><svg viewBox=0><title>t</title><path d=x/><g><path/></g></svg>x</div>" * 5_000,
        "<p>x<br>y<img src='data:image/png;base64," + "/x" * 5_000 + "'>",
        "<script>" + "if (a<b) '</div><div>'" * 5_000 + "</script>",
        "<script><!-- document.write('<script></script>') --></script>" * 2_000,
        "<select>" + "<option>x" * 5_000 + "</select><div>y</div>" * 100,
        "<!-- <div> -->" * 30_000,
        "<h2>x<h3>y" * 10_000,
    ],
    ids=[
        "paragraphs",
        "items",
        "rows",
        "drawings",
        "data-address",
        "script",
        "script-in-comment",
        "options",
        "comments",
        "headings",
    ],
)
def test_large_pages_as_they_are_written_build_a_tree(html):
    assert tree_excess(html) is None


WORDS = (
    "a b div p li ul dd dt table tr td svg g path title script style select option span i button"
    " form template math mi foreignObject noscript textarea h1 optgroup object tbody caption font"
    " x-y ruby rt br image input frameset body html head iframe col desc nobr"
)
NAMES = WORDS.split()
pieces = st.one_of(
    st.sampled_from(NAMES).map("<{}>".format),
    st.sampled_from(NAMES).map("</{}>".format),
    st.sampled_from(NAMES).map("<{}/>".format),
    st.sampled_from(["<!--", "-->", "<!-->", "<![CDATA[", "]]>", "x", "<", "</", "<a b='", '">']),
)


def tree_depth(html):
    deepest, open_nodes = 0, [(LexborHTMLParser(html).root, 1)]
    while open_nodes:
        node, depth = open_nodes.pop()
        deepest = max(deepest, depth)
        child = node.child
        while child is not None:
            if not child.tag.startswith("-"):
                open_nodes.append((child, depth + 1))
            child = child.next
    return deepest


@given(st.lists(pieces, max_size=3), st.lists(pieces, min_size=1, max_size=12))
@example(["<svg>"], ["<foreignObject>", "<math>", "<script>", "<script>"])
@example([], ["</x-y>", "<td/>", "<optgroup>", "</td>"])
@example([], ["<div>", "<ul>", "</div>", "<li>", "<dd>", "</ul>", "</div>"])
@example([], ["<div>", "<script>", "<!--", "<script>", "</script>", "</div>", "-->", "</script>"])
@example([], ["<select>", "<style>", "</select>", "<div>"])
@example([], ["<b>", "<li>", "</b>", "<b>", "<dd>", "</b>"])
@example(["<div>"], ["<table>", "</div>", "</table>", "<div>"])
def test_no_tree_is_deeper_than_its_bound(before, unit):
    html = "".join(before) + "".join(unit) * 40
    if tree_excess(html) is None:
        # A table implies two elements for a tag of its own; a page has three of its own.
        assert tree_depth(html) <= 3 * depth_bound(html) + 6


@given(
    st.lists(pieces | st.text(max_size=4), max_size=40).map("".join),
    st.sampled_from([None, "text"]),
)
@example("\x00<", None)
@example("<p>\ufeff", "text")
def test_any_page_has_a_text(html, prep):
    prepared = page(html, prep=prep)
    prepared.text.encode()
    assert prepared.text == prepared.text.strip(" \n")
    if prepared.mode == "markdown":
        assert " \n" not in prepared.text
