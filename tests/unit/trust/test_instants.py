"""Instants: a second implementation in exact fractions agrees, and windows are exact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_fast.trust.instants import (
    after,
    canonical_instant,
    instant,
    is_date_time,
    whole_instant,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

moments = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29))  # noqa: DTZ001 - of any zone
fractions = st.text("0123456789", min_size=1, max_size=40)
offsets = st.integers(-1439, 1439)


def spelled(moment, fraction, offset, *, lower=False):
    """The text of an instant, and its milliseconds by the standard library."""
    local = moment.replace(microsecond=0)
    sign, minutes = "-" if offset < 0 else "+", abs(offset)
    zone = f"{sign}{minutes // 60:02}:{minutes % 60:02}"
    text = f"{local.isoformat()}.{fraction}{zone}"
    seconds = (local.replace(tzinfo=UTC) - timedelta(minutes=offset) - EPOCH).total_seconds()
    exact = Fraction(int(seconds)) * 1000 + Fraction(int(fraction) * 1000, 10 ** len(fraction))
    return (text.lower() if lower else text), exact


@given(moments, fractions, offsets, st.booleans())
def test_any_instant_is_read_exactly(moment, fraction, offset, lower):
    text, exact = spelled(moment, fraction, offset, lower=lower)
    found = instant(text)
    assert Fraction(found) == exact
    assert isinstance(found, int) is (exact.denominator == 1)
    assert whole_instant(text) == exact.numerator // exact.denominator
    assert is_date_time(text) is not lower


@given(moments, st.integers(0, 999))
def test_the_usual_spelling_is_read_and_written_as_itself(moment, milliseconds):
    text = f"{moment.replace(microsecond=0).isoformat()}.{milliseconds:03}Z"
    assert canonical_instant(instant(text)) == text


@given(st.integers(-62_167_219_200_000, 253_402_300_799_999))
def test_every_millisecond_from_year_0_to_9999_has_a_text(milliseconds):
    assert instant(canonical_instant(milliseconds)) == milliseconds


@pytest.mark.parametrize("milliseconds", [-62_167_219_200_001, 253_402_300_800_000])
def test_no_text_is_written_outside_these_years(milliseconds):
    assert canonical_instant(milliseconds) is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.5Z"),
        ("2017-01-01T01:29:60+01:30", "2017-01-01T00:00:00Z"),
        ("2016-12-31t23:59:59z", "2016-12-31T23:59:59.000Z"),
        ("0000-02-29T00:00:00Z", "0000-02-29T01:00:00+01:00"),
        ("2026-01-01T00:00:00.1230000Z", "2026-01-01T00:00:00.123Z"),
    ],
)
def test_spellings_of_one_instant(text, same):
    assert instant(text) == instant(same) is not None


@pytest.mark.parametrize(
    "value",
    [
        "2016-12-31T23:58:60Z",
        "2016-12-31T23:59:61Z",
        "2016-12-31T23:59:60+01:00",
        "2026-02-30T00:00:00Z",
        "2026-02-30T00:00:00.000Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+0000",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-01T::00::00Z",
        "",
        None,
        0,
        True,
        [],
    ],
    ids=repr,
)
def test_what_is_no_instant(value):
    assert instant(value) is whole_instant(value) is None
    assert not is_date_time(value)


def test_a_window_is_as_long_as_its_shortest_text_says():
    assert after(0, 0.7, 86_400_000) == 60_480_000
    assert after(0, 0.1, 1000) == 100
    assert after(Decimal("0.5"), 1, 1000) == Decimal("1000.5")
    assert after(0, 1e-9, 1000) == Decimal("0.000001")
    assert after(10, 5e-324, 1) > 10
    assert after(0, 1.5e300, 1000) == 15 * 10**302
    for length in (float("nan"), float("inf"), True, "1", None, 10**400):
        assert after(0, length, 1000) is None
