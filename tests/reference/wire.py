"""The checks that every closed wire record shares.

1. A record is an object with exactly the members its table lists. The order of checks is: it is an
   object; no unexpected member (stored order); no missing member (table order); then the values.
   `null` is a value, never an absent member.
2. A wrong type, an unknown word, a bad format and a value out of range are `envelope-invalid-value`
   at that member. Two members that disagree are `envelope-inconsistent`, at the one that is
   checked last.
3. An integer is a whole number from 0 to 2^53 - 1; `True` is not a number.
4. Wire text is non-empty, white space included. Trimmed text has something left after the
   ECMAScript trim. Lengths are UTF-16 code units.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tests.reference.number import SAFE_INTEGER, is_number
from tests.reference.refusal import Json, Refused, join

ECMASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
HEX64 = re.compile(r"[0-9a-f]{64}")
PREFIXED_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def invalid(pointer: str, message: str) -> Refused:
    return Refused(pointer, "envelope-invalid-value", message)


def inconsistent(pointer: str, message: str) -> Refused:
    return Refused(pointer, "envelope-inconsistent", message)


def missing(pointer: str) -> Refused:
    return Refused(pointer, "envelope-missing-member", "a required member is absent")


def require_object(value: Json, pointer: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise invalid(pointer, "must be an object")
    return value


def require_members(
    value: Json, pointer: str, required: Sequence[str], optional: Collection[str] = ()
) -> dict[str, Json]:
    """Rule 1, up to the values."""
    members = require_object(value, pointer)
    for name in members:
        if name not in required and name not in optional:
            raise Refused(join(pointer, name), "envelope-unexpected-member", "not in this record")
    for name in required:
        if name not in members:
            raise missing(join(pointer, name))
    return members


def require_array(value: Json, pointer: str) -> list[Json]:
    if not isinstance(value, list):
        raise invalid(pointer, "must be an array")
    return value


def require_text(value: Json, pointer: str) -> str:
    """Wire non-empty."""
    if not isinstance(value, str) or value == "":
        raise invalid(pointer, "must be non-empty text")
    return value


def require_trimmed_text(value: Json, pointer: str) -> str:
    if not is_trimmed_text(value):
        raise invalid(pointer, "must hold more than white space")
    return str(value)


def require_match(value: Json, pointer: str, pattern: re.Pattern[str]) -> str:
    """Text that matches the pattern from its first to its last character."""
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise invalid(pointer, f"must match {pattern.pattern}")
    return value


def require_word(value: Json, pointer: str, words: Collection[str]) -> str:
    if not isinstance(value, str) or value not in words:
        raise invalid(pointer, f"must be one of {', '.join(sorted(words))}")
    return value


def require_boolean(value: Json, pointer: str) -> bool:
    if not isinstance(value, bool):
        raise invalid(pointer, "must be true or false")
    return value


def require_integer(value: Json, pointer: str, least: int = 0) -> int:
    if not is_number(value) or value != value // 1 or not least <= value <= SAFE_INTEGER:
        raise invalid(pointer, f"must be a whole number from {least} to 2^53 - 1")
    return int(value)


def require_number(value: Json, pointer: str) -> float:
    if not is_number(value):
        raise invalid(pointer, "must be a number")
    return float(value)


def is_trimmed_text(value: Json) -> bool:
    return isinstance(value, str) and value.strip(ECMASCRIPT_SPACE) != ""


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
