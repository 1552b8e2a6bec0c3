"""Edited values.

Proves, of the edge table of the review core, rows 22 to 32 (24 without its two warnings, which
replay gives), and of the surfaces' table rows 46 to 50 (49 without its warning). That an edit is
stored, superseded or cleared is proven with decisions and with replay: rows 21, 33, 34, 35;
surfaces 51, 53. That no editor is offered (surfaces 45) belongs to the workbench.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.unit.review.test_decision_samples import conflict, described, single, transition

from survey_fast.attest import Issue
from survey_fast.review.edits import Edit, check_edited_value, edited_value_from_editor_text
from survey_fast.review.state import ABSENT

MISMATCH = "edited-value-type-mismatch"
NUMBER = described("number")
SAFE = 2**53 - 1


def stored(item, value):
    """What is stored, and whether it was converted; or the code of the issue."""
    return _told(check_edited_value(item, value))


def typed(item, text):
    """The same for the text of an editor."""
    return _told(edited_value_from_editor_text(item, text))


def _told(found):
    if isinstance(found, Issue):
        assert found.item_name == "lease-7.rent"
        return found.code
    return (found.value, found.converted) if isinstance(found, Edit) else found


def number(text):
    """The number that a text is stored as, or nothing."""
    found = check_edited_value(NUMBER, text)
    if isinstance(found, Issue):
        assert found.code == MISMATCH
        return None
    assert found.converted
    assert type(found.value) in (int, float)
    return found.value


@pytest.mark.parametrize("value", [48000, 1, "text", None, {"a": 1}])
@pytest.mark.parametrize("spec", [{}, {"valueDescriptor": {"type": "number"}}])
def test_row_22_an_item_that_is_not_editable_takes_no_edit(value, spec):
    # Not even one that equals the value: accepting without an edit is another thing.
    assert stored(single(editable=False, **spec), value) == "edited-value-not-editable"


@pytest.mark.parametrize("spec", [{}, {"editable": True}, {"editable": None}])
def test_only_false_makes_an_item_not_editable(spec):
    assert stored(single(**spec), 7) == (7, False)


def test_row_24_a_number_that_comes_as_text_is_stored_as_a_number():
    assert stored(NUMBER, "42") == (42, True)
    assert stored(NUMBER, "\ufeff\u00a0 42\n") == (42, True)


@pytest.mark.parametrize(
    "text",
    [
        *("0x1F", "0b11", "0o7", "007", "+1", ".5", "Infinity", "1e999"),
        *("12345678901234567890", "0.1234567890123456"),
    ],
)
def test_row_25_texts_that_are_no_number(text):
    assert number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000),
        ("-2.50", -2.5),
        ("0.5", 0.5),
        ("123456789012345", 123456789012345),
        ("9007199254740991", 9007199254740991),
    ],
)
def test_row_26_texts_that_are_numbers(text, value):
    assert number(text) == value


def test_row_27_an_integer_that_no_double_holds():
    assert number("9007199254740993") is None
    assert number("9007199254740992") is None
    assert number("-9007199254740991") == -SAFE
    assert number("-9007199254740992") is None


@pytest.mark.parametrize("text", ["-0", "-0.0", "-0e5", "0e99999999999999999999", "-0.000"])
def test_row_28_zero_has_no_sign(text):
    assert number(text) == 0
    assert math.copysign(1, number(text)) == 1


@pytest.mark.parametrize("text", ["1e-400", "-1e-400", "0.00001e-320", "1.5e-324", "1.23e-322"])
def test_a_text_that_a_double_cannot_hold_is_not_rounded(text):
    # 1.5e-324 would be stored as 5e-324, and the others as zero or as a neighbour.
    assert number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e16", 1e16),
        ("10000000000000000", None),
        ("1234567890.12345", 1234567890.12345),
        ("1234567890.123450000", 1234567890.12345),
        ("0.000000123456789012345", 1.23456789012345e-07),
        ("9007199254740991.0", None),
        ("5e-324", 5e-324),
        ("1.79769313486231e308", 1.79769313486231e308),
        ("1E+2", 100),
        ("1e05", 100000),
        *((text, None) for text in ("", " ", "-", "5.", "1e", "--1", "1 000", "1_000", "1,5")),
        *(
            (text, None)
            for text in ("NaN", "-Infinity", "1e3.5", "٣", "\uff11", "1\x00", "0 1", "-.5")
        ),
        ("9" * 5000, None),
        ("1e" + "9" * 5000, None),
        ("0." + "0" * 5000 + "1e5001", 1),
    ],
)
def test_more_texts_of_numbers(text, value):
    assert number(text) == value


TEXTS = st.from_regex(
    re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?", re.ASCII),
    fullmatch=True,
) | st.from_regex(re.compile(r"[-+.0-9eEx]{0,6}", re.ASCII), fullmatch=True)


@given(TEXTS)
@example("1.5e-324")
@example("123456789012345e-330")
@example("0E400")
def test_the_number_rule_against_exact_decimals(text):
    assert number(text) == by_exact_decimals(text)


def by_exact_decimals(text):
    """The rule in exact arithmetic: grammar, then digits, then whether the value survives."""
    if re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", text, re.ASCII) is None:
        return None
    exact = Decimal(text)
    if re.fullmatch("-?[0-9]+", text, re.ASCII):
        return int(exact) if abs(exact) <= SAFE else None
    if len(re.split("[eE]", text)[0].replace(".", "").lstrip("-").strip("0")) > 15:
        return None
    value = float(exact) if exact == 0 or exact.adjusted() < 400 else math.inf
    # The shortest text of a double is the value that a reader of the record sees.
    survives = math.isfinite(value) and Decimal(repr(value)) == exact
    return value if survives else None


@pytest.mark.parametrize("text", ["1e-99999999999999999999999", "-0.5e-1000000000000000000000"])
def test_a_number_that_vanishes_is_refused_however_small_it_says_it_is(text):
    assert stored(NUMBER, "1e-5") == (1e-5, True)
    assert stored(NUMBER, text) == MISMATCH


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-SAFE, SAFE))
def test_a_finite_number_is_stored_as_it_is(value):
    assert stored(NUMBER, value) == (value, False)


@pytest.mark.parametrize("value", [True, False, None, math.inf, math.nan, 10**400, [], {}, [1]])
def test_what_is_no_number(value):
    assert stored(NUMBER, value) == MISMATCH


@pytest.mark.parametrize(
    "day", ["2026-02-31", "2025-02-29", "2026-13-01", "2026-00-10", "0050-01-01", "2026-04-00"]
)
def test_row_29_surfaces_row_47_days_that_do_not_exist(day):
    assert stored(described("date"), day) == MISMATCH


@pytest.mark.parametrize("day", ["2026-1-01", "26-01-01", "2026-01-01T00:00:00Z", "٢٠٢٦-01-01", ""])
def test_row_29_what_is_no_day_at_all(day):
    assert stored(described("date"), day) == MISMATCH
    assert stored(described("date"), 20260101) == MISMATCH


def test_row_29_a_day():
    assert stored(described("date"), "2024-02-29") == ("2024-02-29", False)
    assert stored(described("date"), " 0100-12-31\n") == ("0100-12-31", True)


def test_row_30_a_boolean_that_comes_as_text():
    boolean = described("boolean")
    assert stored(boolean, "false") == (False, True)
    assert stored(boolean, " true ") == (True, True)
    for other in ("yes", "True", "1", 1, 0, None, ""):
        assert stored(boolean, other) == MISMATCH
    assert [stored(boolean, value) for value in (False, True)] == [(False, False), (True, False)]


def test_row_31_surfaces_row_48_members_of_a_set():
    assert stored(described("enum", "open", "closed"), "ajar") == MISMATCH
    assert stored(described("enum", "open", "closed"), "open") == ("open", False)
    assert stored(described("enum", "open", "closed"), " open ") == ("open", True)
    for empty in (described("enum"), single(valueDescriptor={"type": "enum", "enumValues": []})):
        assert stored(empty, "ajar") == ("ajar", False)
        assert stored(empty, 7) == MISMATCH


def test_row_32_a_number_in_a_text_field():
    assert stored(described("string"), 7) == MISMATCH
    assert stored(described("string"), " 7 ") == (" 7 ", False)
    assert stored(described("string"), "") == ("", False)


@pytest.mark.parametrize("kind", ["string", "number", "boolean", "date", "enum"])
def test_null_is_no_value_of_a_type(kind):
    assert stored(described(kind), None) == MISMATCH


@pytest.mark.parametrize("item", [single(), described("array"), described("object")])
@pytest.mark.parametrize("value", [None, 7, "text", [1], {"a": None}, True])
def test_anything_goes_where_nothing_is_described(item, value):
    assert stored(item, value) == (value, False)


@pytest.mark.parametrize(
    "descriptor", [{"type": "money"}, {}, {"type": ["number"]}, None, "number"]
)
def test_a_type_that_nobody_knows_takes_nothing(descriptor):
    assert stored(single(valueDescriptor=descriptor), "7") == MISMATCH
    assert typed(single(valueDescriptor=descriptor), "7") == MISMATCH


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e3", (1000, True)),
        ("-0", (0, True)),
        *((text, MISMATCH) for text in ("007", ".5", "0x10", "1.234567890123456")),
    ],
)
def test_surfaces_row_46_numbers_in_an_editor(text, expected):
    assert typed(NUMBER, text) == expected


def test_surfaces_row_49_text_from_before_types_is_converted():
    assert stored(NUMBER, "42") == (42, True)


@pytest.mark.parametrize(
    ("value", "text"),
    [(48000, "48000"), (1.5, "1.5"), ("a b", "a b"), (None, "null"), ({"a": 1}, '{\n  "a": 1\n}')],
)
def test_surfaces_row_50_text_as_it_was_is_no_edit(value, text):
    assert typed(single(value), text) is ABSENT
    assert typed(single(value, editable=False), text) is ABSENT


def test_surfaces_row_50_another_spelling_of_the_value_is_no_edit():
    item = single(1, valueDescriptor={"type": "number"})
    assert typed(item, "1.0") is ABSENT
    assert typed(item, " 1 ") is ABSENT
    assert typed(item, "1.5") == (1.5, True)


def test_an_editor_reads_text_as_the_described_type():
    assert typed(described("boolean"), "true") == (True, True)
    assert typed(described("enum"), " ajar ") == ("ajar", True)
    assert typed(described("string"), " ajar ") == (" ajar ", False)
    assert typed(described("date"), "2026-02-31") == MISMATCH
    assert typed(single(48000), "52000") == ("52000", False)
    assert typed(single(editable=False), "52000") == "edited-value-not-editable"


def test_an_edit_is_compared_with_the_one_proposed_value_only():
    assert typed(transition("a", "b"), "a") == ("a", False)
    assert typed(transition("a", "b"), "b") is ABSENT
    assert typed(conflict("a", "b"), "a") == ("a", False)
