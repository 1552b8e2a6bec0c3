"""Shape checks of reviewed evidence: each kind of fault under a code of its own.

Hostile data may have any shape, so nothing is read from a value before its type is known.
Pointers lead into the document that a function speaks of; ``moved`` takes a refusal to where that
document stands inside a larger one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, TypeGuard

from survey_fast import _core, limits
from survey_fast.canon import Json
from survey_fast.errors import SurveyError
from survey_fast.imports.verification_shape import Members, Shape

__all__ = [
    "ARTIFACT",
    "CHOICE_RULES",
    "DECISION",
    "EVIDENCE",
    "ITEM",
    "RECORD",
    "SPAN",
    "exactly",
    "is_digest",
    "is_whole",
    "lossless_text",
    "members",
    "moved",
    "same_value",
    "spliced_digest",
    "value_digest",
]

EVIDENCE: Final = Shape("evidence-malformed")
RECORD: Final = Shape("evidence-record-invalid")
ARTIFACT: Final = Shape("evidence-artifact-invalid")
SPAN: Final = Shape("evidence-span-invalid")
ITEM: Final = Shape("evidence-item-mismatch")
DECISION: Final = Shape("evidence-decision-invalid")
CHOICE_RULES: Final = Shape("evidence-choice-invalid")

_LARGEST: Final = 2**53 - 1
_CAP: Final = limits.BUNDLE.ceiling
_DIGEST: Final = re.compile("sha256:[0-9a-f]{64}")


def lossless_text(value: Json) -> bytes:
    """The canonical text of plain data, which is refused where it would not come back as it was.

    Raises:
        JsonError: a negative zero, half of a surrogate pair, a number no double holds, nesting.
        TypeError: not plain data.
    """
    return _text(value, lossless=True)


def _text(value: Json, *, lossless: bool = False) -> bytes:
    return _core.plain_canonical(value, lossless)


def spliced_digest(value: Mapping[str, object]) -> str:
    """The digest of that text, of data in which bytes stand for the canonical text of a value.

    Returns: ``sha256:`` and 64 hex digits.

    Raises: as ``lossless_text``, about the data; what bytes hold is not looked at.
    """
    return f"sha256:{_core.spliced_digest(value, lossless=True)}"


def value_digest(value: Json) -> str:
    """The digest of a claim's or candidate's value: ``sha256:`` and 64 hex digits.

    Raises: as ``lossless_text``, which a negative zero passes here.
    """
    return f"sha256:{_core.sha256_hex(_text(value))}"


def same_value(left: object, right: object) -> bool:
    """Whether two plain values have one canonical text: 1 and 1.0 do, 1 and true do not."""
    if left.__class__ is str:
        return left == right and right.__class__ is str
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, dict | list) and type(left) is type(right):
        return _text(left) == _text(right) if left and right else left == right
    return left == right and type(left) is type(right)


def members(value: object, pointer: str, shape: Shape) -> dict[str, Any]:
    """``value`` if it is an object."""
    if isinstance(value, dict):
        return value
    message = "an object belongs here"
    raise shape.refuse(message, pointer)


def exactly(found: Members, pointer: str, names: Collection[str], shape: Shape) -> None:
    """Refuse an object that lacks one of ``names`` or has another member."""
    if len(found) != len(names) or not all(map(found.__contains__, names)):
        shape.require(found, pointer, names)
        shape.close(found, pointer, names)


def is_whole(value: object) -> TypeGuard[int | float]:
    """Whether a value is a whole number from 0 to 2^53 - 1, 1.0 included."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= _LARGEST
        and value == int(value)
    )


def is_digest(value: object) -> bool:
    """Whether a value is ``sha256:`` and 64 lower-case hex digits."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def moved(refused: SurveyError, pointer: str) -> SurveyError:
    """The refusal of a part, pointing into the whole that holds it at ``pointer``."""
    place = pointer + (refused.pointer or "")
    return type(refused)(refused.message, place, refused.details, refused.code)
