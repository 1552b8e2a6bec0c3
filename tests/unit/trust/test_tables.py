"""Columns of records against the rule of one record: leaves of every kind, and whole arrays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.canonical import canonical, digest
from tests.unit.trust.bundles import whole

from survey_fast import SurveyError
from survey_fast.trust.bundle_shape import ARRAYS
from survey_fast.trust.evidence.shape import value_digest
from survey_fast.trust.quoting import quoted
from survey_fast.trust.rules import BOOLEAN, NUMBER, OBJECT, STRING, TEXT, TIME, words
from survey_fast.trust.tables import Table, many
from survey_fast.trust.validation import validate_trust_bundle

LEAVES = {
    "string": STRING,
    "text": TEXT,
    "object": OBJECT,
    "boolean": BOOLEAN,
    "number": NUMBER,
    "time": TIME,
    "word": words("x", "y"),
}
TABLE = Table(LEAVES, ())
RULE = many(TABLE)
ODD = (None, "", "a", "x", 0, 1, True, 1.0, float("nan"), [], {}, {"w": 1}, "2026-01-01T00:00:00Z")
COLUMNS = st.sampled_from([*LEAVES]).flatmap(
    lambda name: st.lists(st.sampled_from(ODD), max_size=5).map(
        lambda values: [{name: value} for value in values]
    )
)


@given(COLUMNS)
def test_a_column_holds_when_each_of_its_values_does(rows):
    assert TABLE.holds_all(rows) == all(map(TABLE.rule.holds, rows)) == RULE.holds(rows)


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
