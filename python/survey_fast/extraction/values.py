"""Proposed values as data that survives being written and read again.

Kept are null, booleans, well-formed text, finite numbers a double holds exactly, lists and objects
with well-formed names, nested at most 100 deep. Negative zero becomes zero. Everything else (bytes,
instants, tuples, sets, NaN, integers that would be rounded, cycles) is no value.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

from survey_fast.canon import Json
from survey_fast.limits import VALUE_DEPTH

__all__ = ["UnusableValueError", "plain_value"]

_EXACT: Final = 2**53
_LONGEST: Final = 10**21
"""From here on a canonical number has an exponent, which no integer literal has."""
_PARTS: Final = 100_000
"""Parts of one value. A few lists that hold one another twice have more parts than memory."""


class UnusableValueError(Exception):
    """A proposed value is no data, or too deep or too large; the argument is the reason."""


def plain_value(value: object) -> Json:
    """A copy of ``value``, by rule; a scalar is itself.

    Raises UnusableValueError: ``value-not-json``, ``value-too-deep`` or ``value-too-large``.
    """
    if type(value) is str and value.isascii():
        return value
    return _Copy().value(value, 0)


class _Copy:
    def __init__(self) -> None:
        self._parts = 0

    def value(self, value: Any, depth: int) -> Json:  # noqa: ANN401 - whatever was proposed
        self._parts += 1
        if self._parts > _PARTS:
            raise UnusableValueError("value-too-large")
        kind = type(value)
        if kind is list or kind is dict:
            if depth >= VALUE_DEPTH:
                raise UnusableValueError("value-too-deep")
            return self._container(value, depth + 1)
        if kind is str:
            return _text(value)
        if kind is float:
            return _fraction(value)
        if kind is int:
            return _integer(value)
        if value is None or kind is bool:
            return value  # type: ignore[no-any-return]
        raise UnusableValueError("value-not-json")

    def _container(self, value: dict[Any, Any] | list[Any], depth: int) -> Json:
        if type(value) is list:
            return [self.value(inner, depth) for inner in value]
        copy: dict[str, Json] = {}
        for name, inner in value.items():  # type: ignore[union-attr]
            if type(name) is not str:
                raise UnusableValueError("value-not-json")
            copy[_text(name)] = self.value(inner, depth)
        return copy


def _text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UnusableValueError("value-not-json") from None
    return text


def _fraction(number: float) -> Json:
    if not isfinite(number):
        raise UnusableValueError("value-not-json")
    return number or 0


def _integer(number: int) -> Json:
    if -_EXACT <= number <= _EXACT:
        return number
    # Larger ones count when their digits are those in which the nearest double is written.
    if abs(number) >= _LONGEST or str(number) != _written(float(number)):
        raise UnusableValueError("value-not-json")
    return number


def _written(number: float) -> str:
    digits, _, exponent = repr(abs(number)).partition("e+")
    whole, _, fraction = digits.partition(".")
    if exponent:
        fraction = "" if fraction == "0" else fraction
        digits = (whole + fraction).ljust(int(exponent) + 1, "0")
    else:
        digits = whole
    return f"-{digits}" if number < 0 else digits
