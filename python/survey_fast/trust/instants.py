"""Instants as bundles write them: which texts are accepted, and what they compare as.

1. A bundle is accepted with ``YYYY-MM-DDTHH:MM:SS``, perhaps a fraction, then ``Z`` or an offset
   with a colon. The day has to exist, the hour is at most 23, the second at most 59.
2. Reading is wider, because statuses are derived from bundles that nobody validated as well: ``t``
   and ``z`` may stand in lower case, and second 60 is read where UTC has 23:59:60, as the second
   that follows. Whatever else is found is no instant, and no time zone is ever assumed.
3. An instant is a number of milliseconds since 1970: an ``int``, or a ``Decimal`` where the text
   has a finer fraction. Both compare exactly, whatever the number of digits.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import lru_cache
from math import floor, isfinite
from typing import Final, TypeAlias

__all__ = ["Instant", "after", "canonical_instant", "instant", "is_date_time", "whole_instant"]

Instant: TypeAlias = "int | Decimal"
"""Milliseconds since the start of 1970 in UTC."""

_SAFE: Final = 2**53
"""Up to here a double with a whole value has its own digits."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Sums and products without rounding; nothing is ever divided in it."""
_LAST: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
_FIRST: Final = -62_167_219_200_000
"""The first millisecond of the year 0, as ECMAScript counts it."""

_ACCEPTED: Final = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_COMMON: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{3})?Z")
_READ: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_USUAL: Final = 40
"""Longer texts of instants are not kept."""
_MONTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY: Final = 86_400
_MINUTES: Final = 60
_HOURS: Final = 24
_LEAP_SECOND: Final = 60


def is_date_time(value: object) -> bool:
    """Whether a bundle may hold ``value`` where an instant belongs."""
    if not isinstance(value, str):
        return False
    return _is_usual(value) if len(value) <= _USUAL else _is_accepted(value)


@lru_cache(maxsize=1024)
def _is_usual(text: str) -> bool:
    """Remembered, since one time stands on very many records of a run."""
    return _is_accepted(text)


def _is_accepted(text: str) -> bool:
    if _ACCEPTED.fullmatch(text) is None:
        return False
    # Every month has 28 days.
    return text[8:10] <= "28" or _has_day(int(text[:4]), int(text[5:7]), int(text[8:10]))


def instant(value: object) -> Instant | None:
    """The instant that ``value`` spells, exact; ``None`` when it spells none."""
    if not isinstance(value, str):
        return None
    if _COMMON.fullmatch(value):
        try:
            return (datetime.fromisoformat(value) - _EPOCH) // _MILLISECOND
        except ValueError:
            pass  # the year 0, a leap second, or a day that does not exist
    parts = _READ.fullmatch(value)
    return None if parts is None else _counted(parts)


def whole_instant(value: object) -> int | None:
    """The same without what is finer than a millisecond."""
    exact = instant(value)
    return exact if exact is None or isinstance(exact, int) else floor(exact)


def after(start: Instant, length: object, unit: int) -> Instant | None:
    """``length`` times ``unit`` milliseconds after ``start``, exact.

    A length is a number that a double holds; its shortest decimal text is what counts, so 0.7
    days are 60,480,000 ms. ``None`` for anything else.
    """
    if isinstance(length, bool) or not isinstance(length, int | float):
        return None
    if isinstance(length, float):
        if not isfinite(length):
            return None
        if not length.is_integer() or abs(length) > _SAFE:
            window = _EXACT.multiply(Decimal(repr(length)), unit)
            return _EXACT.add(Decimal(start), window)
    elif length.bit_length() > 1023:  # noqa: PLR2004 - no double reaches further
        return None
    window_ms = int(length) * unit
    return start + window_ms if isinstance(start, int) else _EXACT.add(start, window_ms)


def canonical_instant(moment: Instant) -> str | None:
    """``YYYY-MM-DDTHH:MM:SS.mmmZ``, cut to milliseconds; ``None`` outside the years 0 to 9999."""
    milliseconds = moment if isinstance(moment, int) else floor(moment)
    if not _FIRST <= milliseconds <= _LAST:
        return None
    seconds, fraction = divmod(milliseconds, 1000)
    days, second = divmod(seconds, _DAY)
    year, month, day = _date(days)
    hour, minute = divmod(second // _MINUTES, _MINUTES)
    time = f"{hour:02}:{minute:02}:{second % _MINUTES:02}.{fraction:03}"
    return f"{year:04}-{month:02}-{day:02}T{time}Z"


def _counted(parts: re.Match[str]) -> Instant | None:
    """The instant of a text that has the shape of one."""
    year, month, day, hour, minute, second = (int(part) for part in parts.groups()[:6])
    offset = _offset(parts)
    if offset is None or not 1 <= month <= len(_MONTHS) or not _has_day(year, month, day):
        return None
    if hour >= _HOURS or minute >= _MINUTES or second > _LEAP_SECOND:
        return None
    minutes = _days(year, month, day) * _HOURS * _MINUTES + hour * _MINUTES + minute - offset
    if second == _LEAP_SECOND and (minutes + 1) % (_HOURS * _MINUTES):
        return None
    seconds = minutes * 60 + second
    fraction = (parts[7] or "").rstrip("0")
    if len(fraction) <= 3:  # noqa: PLR2004 - digits of a millisecond
        return seconds * 1000 + int(f"{fraction:0<3}")
    return _EXACT.add(Decimal(seconds * 1000), _EXACT.create_decimal(f".{fraction}e3"))


def _offset(parts: re.Match[str]) -> int | None:
    """Minutes that the text's clock is ahead of UTC; ``None`` when no clock is that far off."""
    if parts[8] is None:
        return 0
    hours, minutes = int(parts[9]), int(parts[10])
    if hours >= _HOURS or minutes >= _MINUTES:
        return None
    ahead = hours * _MINUTES + minutes
    return ahead if parts[8] == "+" else -ahead


def _has_day(year: int, month: int, day: int) -> bool:
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _MONTHS[month - 1] + (is_leap and month == 2)  # noqa: PLR2004 - February


# Both count in years that start with March, so that the leap day is the last of its year, and in
# cycles of 400 years, which all have 146,097 days. The standard library knows no year 0.


def _days(year: int, month: int, day: int) -> int:
    """Days from the start of 1970 to a date."""
    shifted = year - (month < 3)  # noqa: PLR2004 - January and February
    cycle, within = divmod(shifted, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return cycle * 146_097 + within * 365 + within // 4 - within // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    """The date that many days after the start of 1970."""
    cycle, of_cycle = divmod(days + 719_468, 146_097)
    within = (of_cycle - of_cycle // 1460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * within + within // 4 - within // 100)
    shifted = (5 * of_year + 2) // 153
    day = of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9  # noqa: PLR2004 - March to December
    return within + cycle * 400 + (month < 3), month, day  # noqa: PLR2004
