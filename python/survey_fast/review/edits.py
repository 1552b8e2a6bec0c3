"""Edited values: what a reviewer may put in place of the value that is accepted.

The first rule that applies decides:

1. An item whose ``editable`` is false takes no edit, whatever its value.
2. Without a descriptor, or when the value already has the described type, the value stays as
   it is. Null has none of the types string, number, boolean, date and enum.
3. Text that reads as a value of the described type is converted to it.
4. A value nested more than 100 deep is refused, so that whatever it is stored in stays readable.
5. Anything else is refused. A number is never rounded: what is stored is what was typed.

The types array and object describe nothing that could be checked: they take any value.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from survey_fast.attest import Issue
from survey_fast.canon import Json
from survey_fast.canon.text import trim
from survey_fast.limits import VALUE_DEPTH
from survey_fast.review.decisions import Item, item_name, proposed_candidates
from survey_fast.review.display import display_text, same_value
from survey_fast.review.state import ABSENT, Absent

__all__ = ["Edit", "check_edited_value", "edited_value_from_editor_text"]

_DECIMAL: Final = re.compile(
    r"-?(?P<whole>0|[1-9][0-9]*)(?:\.(?P<fraction>[0-9]+))?(?P<exponent>[eE][+-]?[0-9]+)?"
)
_DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_SAFE_INTEGER: Final = 2**53 - 1
_SAFE_DIGITS: Final = 16
"""How many digits the largest safe integer has."""
_EXACT_DIGITS: Final = 15
"""So many significant digits come back from any double that is not too small."""
_FIRST_YEAR: Final = 100
"""Years below are refused: the reference system reads them as years of the last century."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that may be stored.

    Attributes:
        value: the value to store.
        converted: whether it was text that was converted.
    """

    value: Any
    converted: bool


@dataclass(frozen=True, slots=True)
class _Type:
    """A described type: whether a value has it, and how text is read as one.

    ``read`` returns ABSENT for text that is no value of the type.
    """

    has: Callable[[Any, Mapping[str, Any]], bool]
    read: Callable[[str, Mapping[str, Any]], Any]


def check_edited_value(item: Item, value: Json) -> Edit | Issue:
    """Whether ``item`` takes ``value`` as an edit; null is a value.

    Returns:
        What to store, or an issue ``edited-value-not-editable``, ``edited-value-depth`` or
        ``edited-value-type-mismatch``.
    """
    if not _is_editable(item):
        return _not_editable(item)
    if isinstance(value, dict | list) and _is_too_deep(value):
        message = f"an edited value is nested at most {VALUE_DEPTH} deep"
        return Issue("edited-value-depth", message, item_name(item))
    kind, descriptor = _described(item)
    if kind is None:
        return _mismatch(item, descriptor)
    if kind.has(value, descriptor):
        return Edit(value, converted=False)
    read = kind.read(value, descriptor) if isinstance(value, str) else ABSENT
    return _mismatch(item, descriptor) if read is ABSENT else Edit(read, converted=True)


def edited_value_from_editor_text(item: Item, text: str) -> Edit | Issue | Absent:
    """What the text of an editor amounts to.

    Returns:
        ABSENT when the text says what is proposed anyway, so that nothing was edited; else the
        edit as the described type, or the issue that refuses it.
    """
    proposed = proposed_candidates(item)
    is_single = len(proposed) == 1
    if is_single and text == display_text(proposed[0]["value"]):
        return ABSENT
    if not _is_editable(item):
        return _not_editable(item)
    kind, descriptor = _described(item)
    value = ABSENT if kind is None else kind.read(text, descriptor)
    if isinstance(value, Absent):
        return _mismatch(item, descriptor)
    if is_single and same_value(value, proposed[0]["value"]):
        return ABSENT
    return Edit(value, converted=value != text)


def _is_too_deep(value: Json) -> bool:
    """Whether more than 100 containers are nested; level by level, so that no depth overflows."""
    level: list[Any] = [value]
    for _ in range(VALUE_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level)
        level = [one for held in inner for one in held if isinstance(one, dict | list)]
        if not level:
            return False
    return True


def _is_editable(item: Item) -> bool:
    return item["spec"].get("editable") is not False


def _described(item: Item) -> tuple[_Type | None, Mapping[str, Any]]:
    spec = item["spec"]
    if "valueDescriptor" not in spec:
        return _ANYTHING, {}
    descriptor = spec["valueDescriptor"]
    if not isinstance(descriptor, Mapping):
        return None, {}
    name = descriptor.get("type")
    return (_TYPES.get(name) if isinstance(name, str) else None), descriptor


def _not_editable(item: Item) -> Issue:
    message = "this item takes its value as proposed; accept it without an edit"
    return Issue("edited-value-not-editable", message, item_name(item))


def _mismatch(item: Item, descriptor: Mapping[str, Any]) -> Issue:
    wanted = descriptor.get("type")
    allowed = descriptor.get("enumValues")
    choice = f" of {', '.join(map(str, allowed))}" if wanted == "enum" and allowed else ""
    message = f"the edited value is not of the described type: {wanted}{choice}"
    return Issue("edited-value-type-mismatch", message, item_name(item))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _read_number(text: str) -> int | float | Absent:
    plain = trim(text)
    found = _DECIMAL.fullmatch(plain)
    if found is None:
        return ABSENT
    if found["fraction"] is None and found["exponent"] is None:
        return _read_integer(plain)
    digits = (found["whole"] + (found["fraction"] or "")).strip("0")
    value = float(plain)
    if not digits:
        return 0
    # What vanishes is refused first: Decimal has no place for the exponents that can do it.
    if len(digits) > _EXACT_DIGITS or not math.isfinite(value) or value == 0:
        return ABSENT
    # Close to zero a double holds fewer digits, at last none: there the text would be rounded.
    if Decimal(plain) != Decimal(repr(value)):
        return ABSENT
    return int(value) if value.is_integer() and abs(value) <= _SAFE_INTEGER else value


def _read_integer(text: str) -> int | Absent:
    if len(text.removeprefix("-")) > _SAFE_DIGITS:
        return ABSENT
    value = int(text)
    return value if abs(value) <= _SAFE_INTEGER else ABSENT


def _read_boolean(text: str) -> bool | Absent:
    word = trim(text)
    return word == "true" if word in ("true", "false") else ABSENT


def _is_day(text: str) -> bool:
    parts = _DAY.fullmatch(text)
    if parts is None:
        return False
    year, month, day = (int(part) for part in parts.groups())
    if year < _FIRST_YEAR or not 1 <= month <= 12:  # noqa: PLR2004 - months of a year
        return False
    return 1 <= day <= monthrange(year, month)[1]


def _read_day(text: str) -> str | Absent:
    day = trim(text)
    return day if _is_day(day) else ABSENT


def _is_member(value: str, descriptor: Mapping[str, Any]) -> bool:
    allowed = descriptor.get("enumValues")
    return not allowed or value in allowed


def _read_member(text: str, descriptor: Mapping[str, Any]) -> str | Absent:
    word = trim(text)
    return word if _is_member(word, descriptor) else ABSENT


_ANYTHING: Final = _Type(lambda _, __: True, lambda text, _: text)
_TYPES: Final[Mapping[str, _Type]] = MappingProxyType(
    {
        "string": _Type(lambda value, _: isinstance(value, str), lambda text, _: text),
        "number": _Type(lambda value, _: _is_number(value), lambda text, _: _read_number(text)),
        "boolean": _Type(
            lambda value, _: isinstance(value, bool), lambda text, _: _read_boolean(text)
        ),
        "date": _Type(
            lambda value, _: isinstance(value, str) and _is_day(value),
            lambda text, _: _read_day(text),
        ),
        "enum": _Type(
            lambda value, descriptor: isinstance(value, str) and _is_member(value, descriptor),
            _read_member,
        ),
        "array": _ANYTHING,
        "object": _ANYTHING,
    }
)
