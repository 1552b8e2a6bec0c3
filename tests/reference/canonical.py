"""Canonical JSON: one writer, three orders of member names.

1. No white space; strings escape only `"`, `\\`, the five short escapes and the other controls
   below U+0020 as lower-case `\\u00xx`; numbers are ECMAScript text; the bytes are UTF-8.
2. Profile `jcs` (RFC 8785) orders names by UTF-16 code unit.
3. Profile `collated` puts names that are array indices (0 to 4294967294, no leading zero) first in
   numeric order, then the rest: compare the primary rank position by position (case ignored), then
   the shorter name first, then lower case first at the first position where only case differs.
   A name with a control character or anything outside ASCII has no exact place in that order:
   `digest-not-portable`, at the member.
4. Profile `as-stored` keeps the order the object has.
5. A value that reading would refuse is refused here too, with the reader's code; -0 prints `0`.
6. A digest is the SHA-256 of the canonical bytes, 64 lower-case hex digits.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable

from tests.reference.number import is_number, normal, number_text
from tests.reference.refusal import ROOT, Json, Refused, join
from tests.reference.strict_json import MAX_DEPTH, parse

__all__ = ["Refused", "canonical", "checked_copy", "digest", "parse", "same", "utf16_order"]

RANKS = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
RANK = {character: rank for rank, character in enumerate(RANKS)}
INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
LARGEST_INDEX = 2**32 - 2
SURROGATE = re.compile("[\ud800-\udfff]")
CollatedKey = tuple[int, int, tuple[int, ...], tuple[bool, ...]]


def utf16_order(text: str) -> bytes:
    """The sort key of UTF-16 code-unit order."""
    return text.encode("utf-16-be")


def collated_order(name: str) -> CollatedKey:
    """The sort key of rule 3, for a printable ASCII name."""
    if INDEX.fullmatch(name) and int(name) <= LARGEST_INDEX:
        return (0, int(name), (), ())
    # Tuples compare element by element and a proper prefix comes first: the rule as it stands.
    ranks = tuple(RANK[character] for character in name.lower())
    return (1, 0, ranks, tuple(character.isupper() for character in name))


def canonical(value: Json, profile: str = "jcs") -> bytes:
    """The canonical bytes of a JSON value."""
    orders: dict[str, Callable[[dict[str, Json], str], list[str]]] = {
        "jcs": lambda members, _: sorted(members, key=utf16_order),
        "collated": _collated_names,
        "as-stored": lambda members, _: list(members),
    }
    return _text(checked_copy(value, lossless=False), orders[profile], ROOT).encode("utf-8")


def digest(value: Json, profile: str = "jcs") -> str:
    """SHA-256 of the canonical bytes, bare lower-case hex."""
    return hashlib.sha256(canonical(value, profile)).hexdigest()


def same(left: Json, right: Json) -> bool:
    """Are these one JSON value? Order of members and spelling of numbers do not matter."""
    return canonical(left) == canonical(right)


def _collated_names(members: dict[str, Json], pointer: str) -> list[str]:
    for name in members:
        if any(not " " <= character <= "~" for character in name):
            place = join(pointer, name)
            raise Refused(place, "digest-not-portable", "a name outside printable ASCII")
    return sorted(members, key=collated_order)


def _text(value: Json, order: Callable[[dict[str, Json], str], list[str]], pointer: str) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        parts = (_text(part, order, join(pointer, at)) for at, part in enumerate(value))
        return "[" + ",".join(parts) + "]"
    if isinstance(value, dict):
        names = order(value, pointer)
        pairs = (
            f"{_text(name, order, pointer)}:{_text(value[name], order, join(pointer, name))}"
            for name in names
        )
        return "{" + ",".join(pairs) + "}"
    return number_text(float(value))


def checked_copy(value: Json, pointer: str = ROOT, depth: int = 1, *, lossless: bool) -> Json:
    """A deep copy of plain JSON data, refused where reading its text would be.

    Raises:
        Refused: a string, number or depth that the reader refuses.
        TypeError: an object that is not JSON at all.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _checked_text(value, pointer)
    if is_number(value):
        return _checked_number(value, pointer, lossless=lossless)
    if not isinstance(value, (dict, list)):
        message = f"{type(value).__name__} is not JSON data"
        raise TypeError(message)
    if depth > MAX_DEPTH:
        raise Refused(pointer, "json-depth", f"more than {MAX_DEPTH} nested containers")
    if isinstance(value, list):
        return [
            checked_copy(part, join(pointer, at), depth + 1, lossless=lossless)
            for at, part in enumerate(value)
        ]
    result: dict[str, Json] = {}
    for name, member in value.items():
        if not isinstance(name, str):
            message = f"{type(name).__name__} is no member name"
            raise TypeError(message)
        place = join(pointer, _checked_text(name, pointer))
        result[name] = checked_copy(member, place, depth + 1, lossless=lossless)
    return result


def _checked_text(text: str, pointer: str) -> str:
    if SURROGATE.search(text):
        raise Refused(pointer, "json-lone-surrogate", "half of a surrogate pair")
    return text


def _checked_number(value: float, pointer: str, *, lossless: bool) -> float:
    try:
        double = float(value)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise Refused(pointer, "json-number-range", "not a finite double")
    if isinstance(value, int) and number_text(double) != str(value):
        raise Refused(pointer, "json-number-range", "no double prints as this integer")
    if lossless and double == 0 and math.copysign(1.0, double) < 0:
        raise Refused(pointer, "json-negative-zero", "negative zero")
    return normal(double)
