"""Two rewrites of a text into the type its field declares, both free of loss.

1. ``number``: plain decimal notation that is exactly how the number would be written again. So
   ``2.10``, ``007`` and ``1,234`` stay texts.
2. ``date``: a whole text like ``21 March 2013`` or ``Mar. 21, 2013``, with an English month, a day
   that exists and a year from 1000 to 2999, becomes ``2013-03-21``.

Everything else stays as it was proposed; the evidence check says what is wrong with it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import trim
from survey_fast.errors import SurveyError

__all__ = ["Rewritten", "rewritten"]

_LONGEST: Final = 64
"""Characters of a text worth looking at: no number or date that qualifies has as many."""
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_SPACE: Final = r"[\t\n\v\f\r \u2028\u2029]+"
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_MONTH: Final = r"(?P<month>[a-z]+)(?:\.)?"
_YEAR: Final = r"(?P<year>[12][0-9]{3})"
_DATES: Final = (
    re.compile(f"{_MONTH}{_SPACE}{_DAY},?{_SPACE}{_YEAR}"),
    re.compile(f"{_DAY}{_SPACE}{_MONTH},?{_SPACE}{_YEAR}"),
)
_NAMES: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_SHORT: Final = 3
_MONTHS: Final = {
    **{name: place for place, name in enumerate(_NAMES, 1)},
    **{name[:_SHORT]: place for place, name in enumerate(_NAMES, 1)},
    "sept": 9,
}


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A value in its declared type, and the text it was proposed as."""

    value: Any
    kind: Literal["string-to-number", "date-to-iso"]
    original: str


def rewritten(value: object, declared: str) -> Rewritten | None:
    """``value`` in the type that its field declares, or ``None`` when it stays as it is."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    if declared == "number":
        return _number(value)
    return _date(value) if declared == "date" else None


def _number(text: str) -> Rewritten | None:
    written = trim(text)
    if _DECIMAL.fullmatch(written) is None:
        return None
    try:
        again = canonical_json(written)
    except SurveyError:
        return None
    if again != written.encode():
        return None
    return Rewritten(plain_data(again), "string-to-number", text)


def _date(text: str) -> Rewritten | None:
    written = trim(unicodedata.normalize("NFKC", text)).lower()
    found = next((match for form in _DATES if (match := form.fullmatch(written))), None)
    month = _MONTHS.get(found["month"]) if found else None
    if found is None or month is None:
        return None
    try:
        day = date(int(found["year"]), month, int(found["day"]))
    except ValueError:
        return None
    return Rewritten(day.isoformat(), "date-to-iso", text)
