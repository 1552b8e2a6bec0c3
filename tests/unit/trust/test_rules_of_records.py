"""Rules of records, judged by the core, against each rule spelled out; and their first faults."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.canonical import canonical, digest
from tests.unit.trust.bundles import whole

from survey_fast import SurveyError
from survey_fast.trust.bundle_shape import ARRAYS
from survey_fast.trust.evidence.shape import value_digest
from survey_fast.trust.instants import is_date_time
from survey_fast.trust.quoting import quoted
from survey_fast.trust.rules import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    TIME,
    arrays,
    closed,
    opened,
    require_all,
    words,
)
from survey_fast.trust.validation import validate_trust_bundle


def is_double(value):
    """A number that comes back from JSON as it was."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value) and float(value) == value
    except OverflowError:
        return False


def is_part(value):
    return isinstance(value, dict) and value.keys() == {"w"} and value["w"] in ("x", "y")


PART = closed({"w": words("x", "y")}, required=("w",))
LEAVES = {
    "any": (ANYTHING, lambda _: True),
    "string": (STRING, lambda value: isinstance(value, str)),
    "text": (TEXT, lambda value: isinstance(value, str) and value != ""),
    "object": (OBJECT, lambda value: isinstance(value, dict)),
    "boolean": (BOOLEAN, lambda value: isinstance(value, bool)),
    "number": (NUMBER, is_double),
    "integer": (INTEGER, lambda value: is_double(value) and value == int(value)),
    "time": (TIME, is_date_time),
    "word": (words("x", "y"), lambda value: isinstance(value, str) and value in ("x", "y")),
    "part": (PART, is_part),
    "texts": (
        arrays(TEXT),
        lambda value: (
            isinstance(value, list) and all(isinstance(one, str) and one for one in value)
        ),
    ),
    "parts": (
        arrays(PART, least=1),
        lambda value: isinstance(value, list) and len(value) > 0 and all(map(is_part, value)),
    ),
    "pair": (
        arrays(ANYTHING, least=2, most=2),
        lambda value: isinstance(value, list) and len(value) == 2,
    ),
}
RULES = {name: rule for name, (rule, _) in LEAVES.items()}
CLOSED, OPEN = closed(RULES, required=("any",)), opened(RULES, required=("any",))
VALUES = st.sampled_from(
    [
        *(None, "", "a", "x", 0, 1, True, 1.0, 0.5, -0.0, 2**53, 2**53 + 1, 10**400),
        *(float("nan"), float("inf"), "2026-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "\ud83d"),
        *([], ["a"], [""], [1], [{"w": "x"}], [{"w": "z"}], {}, {"w": "y"}, {"w": 1}, {"v": "x"}),
        *([1, 2], [1, 2, 3], {"w": "x", "v": 1}, [{"w": "x"}, None]),
    ]
)
RECORDS = st.one_of(
    st.dictionaries(st.sampled_from([*RULES, "more", "\ud83d"]), VALUES, max_size=4),
    st.fixed_dictionaries({"any": VALUES}),
    VALUES,
)


def is_record(value, *, is_open):
    """A record by the rules spelled out."""
    return (
        isinstance(value, dict)
        and "any" in value
        and (is_open or value.keys() <= RULES.keys())
        and all(LEAVES[name][1](one) for name, one in value.items() if name in LEAVES)
    )


@pytest.mark.parametrize("name", [*LEAVES])
@given(value=VALUES)
def test_a_leaf_holds_what_its_rule_says(name, value):
    rule, expected = LEAVES[name]
    assert rule.holds(value) == expected(value)


@given(
    st.from_regex(
        r"(2026|0000)-(0[0-3]|1[0-3])-(0[01]|2[7-9]|3[0-2])T(00|2[3-5]):(00|59|60):(00|59|60)"
        r"(\.[0-9]{2,4})?(Z|z|\+00:00|)",
        fullmatch=True,
    )
    | st.text(max_size=24)
)
def test_a_time_is_judged_as_its_rule_says_however_it_is_spelled(text):
    assert TIME.holds(text) == is_date_time(text)


@given(st.lists(RECORDS, max_size=6))
def test_records_hold_together_as_each_holds_alone(records):
    for rule, is_open in ((CLOSED, False), (OPEN, True)):
        expected = [is_record(one, is_open=is_open) for one in records]
        assert [rule.holds(one) for one in records] == expected
        assert rule.shape.holds_all(records) == arrays(rule).holds(records) == all(expected)


@given(st.lists(RECORDS, max_size=6))
def test_what_does_not_hold_is_explained_at_its_place(records):
    for rule, is_open in ((CLOSED, False), (OPEN, True)):
        first = [at for at, one in enumerate(records) if not is_record(one, is_open=is_open)][:1]
        if not first:
            require_all(rule, records, "/rows")
            continue
        with pytest.raises(SurveyError) as caught:
            require_all(rule, records, "/rows")
        place = f"/rows/{first[0]}"
        assert caught.value.pointer == place or caught.value.pointer.startswith(f"{place}/")


def test_the_first_fault_of_rows_is_told():
    rows = [
        {"any": 1, "number": 1.5},
        {"any": 2, "parts": [{"w": "x"}]},
        {"any": 3, "number": True},
    ]
    require_all(CLOSED, rows[:2], "/rows")
    with pytest.raises(SurveyError) as caught:
        require_all(CLOSED, rows, "/rows")
    assert (caught.value.code, caught.value.pointer) == ("bad-number", "/rows/2/number")


def test_a_record_that_is_no_plain_data_is_misuse():
    with pytest.raises(TypeError):
        require_all(CLOSED, [{"any": 1}, {"any": 1, "text": {1, 2}}], "/rows")
    with pytest.raises(TypeError):
        CLOSED.shape.holds_all(3)


@pytest.mark.parametrize("name", ["claims", "evidence", "events"])
def test_the_first_fault_of_many_records_is_found_where_it_is(name):
    bundle = whole(9)
    records = bundle[name]
    assert ARRAYS[name].holds(records)
    assert validate_trust_bundle(bundle)
    records += [{**records[0], "id": f"more-{at}"} for at in range(20)]
    records[17]["stray"] = 1
    assert not ARRAYS[name].holds(records)
    with pytest.raises(SurveyError) as caught:
        validate_trust_bundle(bundle)
    assert (caught.value.code, caught.value.pointer) == ("unknown-member", f"/{name}/17/stray")


@given(st.text() | st.sampled_from(['"', "\\", "\x7f", "\u2028", "\x1f", "plain", ""]))
def test_a_quoted_text_is_its_canonical_text(text):
    assert quoted(text) == canonical(text)


def test_half_of_a_pair_has_no_text():
    assert quoted("\U0001f600")
    with pytest.raises(SurveyError) as caught:
        quoted("\ud83d")
    assert caught.value.code == "json-lone-surrogate"


@given(st.text() | st.integers(-(2**53) + 1, 2**53 - 1) | st.sampled_from([True, False, None, 1.0]))
def test_the_digest_of_a_value_is_that_of_its_canonical_text(value):
    assert value_digest(value) == f"sha256:{digest(value)}"
