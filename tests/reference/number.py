"""ECMAScript number text.

1. Every JSON number is an IEEE-754 double; `1.0` and `1` are one value and print as `1`.
2. The digits are the shortest that read back as the same double.
3. With the decimal exponent in -7 < e < 21 the text is plain decimal, otherwise one digit, an
   optional fraction, `e`, an explicit sign and an exponent without padding.
4. Negative zero prints `0`.
5. A number stands for an exact integer only up to 2^53 - 1.
"""

from __future__ import annotations

import math

SAFE_INTEGER = 2**53 - 1


def number_text(value: float) -> str:
    """The text ECMAScript prints for a finite double."""
    if not math.isfinite(value):
        message = f"{value} has no JSON text"
        raise ValueError(message)
    if value == 0:
        return "0"
    if value < 0:
        return "-" + number_text(-value)
    # `repr` gives the shortest digits; only its layout differs from ECMAScript's.
    mantissa, _, exponent = repr(float(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # `point` counts the digits before the decimal point when the digits are read as 0.digits.
    point = len(whole) + int(exponent or "0") - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"


def normal(value: float) -> float:
    """The double as an int when it is a safe integer other than negative zero."""
    if value.is_integer() and abs(value) <= SAFE_INTEGER:
        if value == 0 and math.copysign(1.0, value) < 0:
            return value
        return int(value)
    return value


def is_number(value: object) -> bool:
    """Is this a JSON number? `True` and `False` are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
