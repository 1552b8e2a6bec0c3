"""Rules of one's own, and the language of their patterns.

Proven: the pattern provider of the extraction's section 7.7. Of its edge table nothing is decided
here; spans, evidence and identical bytes are proven with the run.
"""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.extraction.samples_providers import FIELDS, found, request

from survey_fast.errors import ExtractionError
from survey_fast.extraction.providers.linear import (
    PatternFaultError,
    escaped,
    linear_pattern,
)
from survey_fast.extraction.providers.pattern import (
    LINE_CHARACTERS,
    PATTERN_NAME,
    Constant,
    PatternProvider,
    Rule,
    label_provider,
)

FEE = r"Fee: (?P<value>[0-9.,]+)"


def read(content, *rules, fields=FIELDS):
    return PatternProvider({"fee": rules}).extract(request(content, fields))


def test_a_match_gives_its_line_and_its_value():
    output = read("Intro\n  Fee: 12.50 EUR \nend", Rule(FEE, value="number"))
    assert output.proposals == [
        {
            "fieldPath": "fee",
            "candidateValue": 12.5,
            "extractor": PATTERN_NAME,
            "provenance": {"excerpt": "Fee: 12.50 EUR"},
            "occurrenceHint": 1,
        }
    ]
    assert (output.raw.model, output.raw.model_source) == (PATTERN_NAME, "configured")
    assert output.raw.tokens_used is None


def test_an_excerpt_is_the_match_when_that_is_asked_for():
    output = read("x Fee: 1 y", Rule(FEE, excerpt="match"))
    assert found(output) == [("fee", "1", "Fee: 1")]


def test_without_a_value_group_the_match_is_the_value():
    assert found(read("x Fee y", Rule("Fee ", excerpt="match"))) == [("fee", "Fee", "Fee")]


def test_the_hint_is_the_rank_among_equal_excerpts():
    output = read("Fee: 1\nFee: 2\nFee: 1\nFee: 1", Rule(FEE))
    assert [one["occurrenceHint"] for one in output.proposals] == [1, 1, 2, 3]


def test_the_rank_counts_occurrences_that_overlap_or_stand_inside_a_line():
    output = read("aaa\na a", Rule("a a|a{2}$", excerpt="match"))
    assert [(one["provenance"]["excerpt"], one["occurrenceHint"]) for one in output.proposals] == [
        ("aa", 2),
        ("a a", 1),
    ]


def test_in_a_very_long_chunk_the_rank_is_left_to_the_run():
    (proposal,) = read("\n" * 63_994 + "Fee: 1", Rule(FEE)).proposals
    assert proposal["occurrenceHint"] == 1
    (proposal,) = read("\n" * 63_995 + "Fee: 1", Rule(FEE)).proposals
    assert "occurrenceHint" not in proposal


def test_on_each_line_the_first_rule_that_finds_anything_counts():
    output = read("Fee: 1\nCost 2\nFee: 3, Cost 4", Rule(FEE), Rule("Cost (?P<value>[0-9])"))
    assert [value for _, value, _ in found(output)] == ["1", "2", "3,"]


def test_fields_come_in_the_order_of_the_schema():
    provider = PatternProvider({"fee": [Rule("x")], "state": [Rule("x")], "none": [Rule("x")]})
    for fields in (FIELDS, FIELDS[::-1]):
        output = provider.extract(request("x", fields))
        assert [path for path, *_ in found(output)] == [one["path"] for one in fields]


@pytest.mark.parametrize(
    ("reading", "text", "value"),
    [
        ("text", " a ", "a"),
        ("number", "1,234,567.5", 1234567.5),
        ("number", "-3", -3),
        ("number", "12,34", "12,34"),
        ("number", "007", "007"),
        ("number", "1e400", "1e400"),
        ("number", "9007199254740993", "9007199254740993"),
        ("number", "true", "true"),
        ("number", "\u0663", "\u0663"),
        ("bool", "Yes", True),
        ("bool", "FALSE", False),
        ("bool", "maybe", "maybe"),
        ("date", "3 March 2026", "3 March 2026"),
        (Constant({"a": None}), "whatever", {"a": None}),
    ],
    ids=range(14),
)
def test_a_value_is_read_or_left_as_text(reading, text, value):
    ((_, read_value, _),) = found(read(f"v={text}", Rule("v=(?P<value>.+)", value=reading)))
    assert read_value == value
    assert type(read_value) is type(value)


def test_line_ends_are_no_part_of_a_line():
    assert found(read("Fee: 1\r\nFee: 2\r\n", Rule("[0-9]$"))) == [
        ("fee", "1", "Fee: 1"),
        ("fee", "2", "Fee: 2"),
    ]


def test_a_very_long_line_is_searched_up_to_the_bound_and_told():
    content = "x" * LINE_CHARACTERS + "Fee: 1\nFee: 2"
    output = read(content, Rule(FEE))
    assert found(output) == [("fee", "2", "Fee: 2")]
    assert len(output.warnings) == 1
    assert read("x" * LINE_CHARACTERS, Rule(FEE)).warnings == ()


def test_blank_matches_propose_nothing():
    assert found(read("\u00a0\u2028", Rule(r"\s+"))) == []


def test_the_same_text_gives_the_same_answer():
    provider = PatternProvider({"fee": [Rule(FEE)]})
    assert provider.extract(request("Fee: 1")) == provider.extract(request("Fee: 1"))


REFUSED = [
    "",
    "x" * 513,
    "(a+)+$",
    "(a*)*",
    "(?:a|b)+",
    "(?:a?)?",
    "x*",
    "a|",
    ".*kg",
    "[a-z]*a",
    "a?a",
    "a{1,3}a",
    r"\w+\d",
    r"\s*.+",
    "(?:ab)?a",
    "[^\u00e9]+\u00e9",
    r"(a)\1",
    "(?=a)",
    "(?<!a)b",
    "(?i)a",
    "(?P<other>a)",
    "(?P<value>a)(?P<value>b)",
    r"\b",
    r"\pL",
    r"\x41",
    "a++",
    "a*?",
    "a{2001}",
    "a{3,2}",
    "a{,3}",
    "a{0}",
    "a{0,0}",
    "a{",
    "(a",
    "a)",
    "[",
    "[]",
    "[^]",
    "[b-a]",
    "[[]",
    r"[\S]",
    "a\\",
    "*a",
    "a^b",
    "a$b",
    "a]",
    "a}",
    "(" * 9 + "a" + ")" * 9,
    "(?:a|a)" * 5,
]


@pytest.mark.parametrize("pattern", REFUSED, ids=range(len(REFUSED)))
def test_patterns_outside_the_language(pattern):
    assert read("Fee: 1", Rule(FEE)).proposals
    with pytest.raises(ExtractionError) as caught:
        PatternProvider({"a/b~": [Rule(FEE), Rule(pattern)]})
    assert caught.value.code == "provider-options-invalid"
    assert caught.value.pointer == "/a~1b~0/1"


TAKEN = [
    (r"[0-9]+ kg", "12 kg", "12 kg"),
    (r"(?:January|February|March|June|July|August) [0-9]{1,2}(?:st|nd|rd|th)?", "July 4th", None),
    (r"\$?[0-9]+(?:\.[0-9]{2})?", "$5.20", None),
    (r"\s*\S+", "\u3000a", None),
    (r"a{2,}b", "aaab", None),
    (r"\d\w\s", "1_\ufeff", None),
    (r"[^\s,]+,", "ab,", None),
    (r"[\d.-]+x", "1.-2x", None),
    (r"\D\W\S", "a-b", None),
    (r"a\$", "a$", None),
    (r"^a$", "a", None),
    (r"(?:a|ab)?c", "abc", None),
    (r"\\$", "a\\", "\\"),
    (r"\t", "\t", None),
    ("\u00e9+x", "\u00e9\u00e9x", None),
]


@pytest.mark.parametrize(("pattern", "text", "match"), TAKEN, ids=range(len(TAKEN)))
def test_patterns_of_the_language(pattern, text, match):
    assert linear_pattern(pattern).expression.search(text)[0] == (match or text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"\d", "\u0663"), (r"\w", "\u00e9"), (r"\s", "\u0085"), (r"\s", "\x1c"), (".", "\n")],
    ids=range(5),
)
def test_classes_are_those_of_ascii_and_ecmascript(pattern, text):
    assert linear_pattern(pattern).expression.search(text) is None


@given(st.text(alphabet="ab01. $^\\[](){}*+?|,-d", max_size=12), st.text("ab01. ", max_size=12))
def test_a_pattern_finds_what_the_general_engine_finds(pattern, text):
    try:
        checked = linear_pattern(pattern)
    except PatternFaultError:
        return
    general = re.compile(pattern, re.ASCII)
    assert [one.span() for one in checked.expression.finditer(text)] == [
        one.span() for one in general.finditer(text)
    ]


@given(st.text(max_size=20))
def test_any_text_is_a_pattern_or_refused(pattern):
    with contextlib.suppress(PatternFaultError):
        linear_pattern(pattern).expression.search(pattern)


@given(st.text(min_size=1, max_size=20).filter(lambda one: "\n" not in one))
def test_escaped_text_matches_itself(text):
    assert linear_pattern(escaped(text)).expression.fullmatch(text)


def test_labels_come_from_hint_description_or_path():
    fields = [
        {"path": "a.fee", "type": "number", "description": "Monthly (net)"},
        {"path": "a.paid", "type": "boolean"},
        {"path": "rows[].when", "type": "date"},
        {"path": "rows[]", "type": "array"},
    ]
    content = "Monthly (net): 1,200\n\tpaid :\u00a0yes\nDue: 2026-01-01\nrows: [x"
    output = label_provider(fields, hints={"rows[].when": "Due"}).extract(request(content, fields))
    assert found(output) == [
        ("a.fee", 1200, "Monthly (net): 1,200"),
        ("a.paid", True, "paid :\u00a0yes"),
        ("rows[].when", "2026-01-01", "Due: 2026-01-01"),
        ("rows[]", "[x", "rows: [x"),
    ]


def test_a_label_stands_at_the_start_of_its_line_and_has_a_value():
    output = label_provider(FIELDS).extract(request("The state: on\nstate:\nstate: off"))
    assert found(output) == [("state", "off", "state: off")]


@pytest.mark.parametrize("name", ["", "two words", "sk-abc", "n" * 257])
def test_a_name_that_is_no_identity(name):
    with pytest.raises(ExtractionError) as caught:
        PatternProvider({}, name=name)
    assert caught.value.code == "provider-options-invalid"


@pytest.mark.parametrize("rule", [Rule("a", excerpt="page"), Rule("a", value="float")])
def test_a_rule_of_unknown_words_is_misuse(rule):
    with pytest.raises(ValueError, match=r"page|float"):
        PatternProvider({"a": [rule]})
