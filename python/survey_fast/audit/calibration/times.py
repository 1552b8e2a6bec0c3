"""Times of judgements, as far as calibration compares them.

A time has a date, a time of day and a zone; anything else is none. It compares as microseconds
since 1970.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Final, NamedTuple

from survey_fast.canon.arguments import text_argument

__all__ = ["Window", "read_time", "window_of"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)
_DAY: Final = 86_400_000_000
_LONGEST: Final = 36_525
"""Days of a window: a hundred years."""
_DATE_LENGTH: Final = len("2026-01-31T")


def read_time(text: object) -> int | None:
    """The time that ``text`` spells, in microseconds; None when it spells none."""
    if not isinstance(text, str) or text[_DATE_LENGTH - 1 : _DATE_LENGTH] not in {"T", "t"}:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else (moment - _EPOCH) // _TICK


class Window(NamedTuple):
    """The last days before a time; ``since`` in microseconds, the ends as texts."""

    since: int
    start: str
    end: str
    days: float


def window_of(now: object, days: object) -> Window | None:
    """The window of ``days`` before ``now``, or None when no days are given.

    Raises:
        TypeError: wrong Python types.
        ValueError: days without a now, a now that is no time, days that are none or too many.
    """
    if now is not None and read_time(text_argument("now", now)) is None:
        message = "now is an instant, as in 2026-01-31T09:00:00Z"
        raise ValueError(message)
    if days is None:
        return None
    if isinstance(days, bool) or not isinstance(days, int | float):
        message = f"window_days is a number, not {type(days).__name__}"
        raise TypeError(message)
    end = read_time(now)
    if end is None:
        message = "a window ends now: window_days needs now"
        raise ValueError(message)
    if not isfinite(days) or not 0 < days <= _LONGEST:
        message = f"window_days lies above 0 and up to {_LONGEST}"
        raise ValueError(message)
    since = end - round(days * _DAY)
    try:
        return Window(since, _written(since), _written(end), days)
    except OverflowError:
        message = "the window starts before the year 1"
        raise ValueError(message) from None


def _written(microseconds: int) -> str:
    moment = (_EPOCH + timedelta(microseconds=microseconds)).replace(tzinfo=None)
    return f"{moment.isoformat(timespec='milliseconds')}Z"
