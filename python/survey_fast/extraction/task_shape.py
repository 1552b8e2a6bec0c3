"""Shapes inside a task: closed objects, arrays and texts of a bounded length.

Every fault is ``INVALID_TASK`` with a pointer. Lengths are UTF-16 code units.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.units import units_of

__all__ = ["TEXT", "array", "closed", "invalid_task", "text", "word"]

TEXT: Final = 4096
"""UTF-16 code units of a text inside a task file."""


def invalid_task(message: str, pointer: str) -> SurveyError:
    """The refusal of a task."""
    return refusal("INVALID_TASK", message, pointer)


def closed(
    value: object, pointer: str, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """``value`` if it is an object of all required members and no unknown one."""
    if not isinstance(value, dict):
        message = "an object belongs here"
        raise invalid_task(message, pointer)
    for name in required:
        if name not in value:
            message = f"{name} is missing here"
            raise invalid_task(message, pointer)
    if len(value) > len(required):
        known = {*required, *optional}
        if not value.keys() <= known:
            message = f"only these members belong here: {', '.join(sorted(known))}"
            raise invalid_task(message, pointer)
    return value


def array(value: object, pointer: str, most: int | None = None, least: int = 0) -> list[Any]:
    """``value`` if it is an array of ``least`` to ``most`` elements."""
    if not isinstance(value, list):
        message = "an array belongs here"
        raise invalid_task(message, pointer)
    if len(value) < least or (most is not None and len(value) > most):
        message = f"an array of {least} to {most} elements belongs here, not of {len(value)}"
        raise invalid_task(message, pointer)
    return value


def text(value: object, pointer: str, longest: int | None = None, *, blank: bool = True) -> str:
    """``value`` if it is a string; with ``longest`` given, one of at least one character."""
    if not isinstance(value, str):
        message = "a string belongs here"
        raise invalid_task(message, pointer)
    if longest is not None and not 1 <= units_of(value) <= longest:
        message = f"a text of 1 to {longest} characters belongs here"
        raise invalid_task(message, pointer)
    if not blank and not has_content(value):
        message = "this text must not be blank"
        raise invalid_task(message, pointer)
    return value


def word(value: object, pointer: str, allowed: Collection[str]) -> str:
    """``value`` if it is one of a few words."""
    if not isinstance(value, str) or value not in allowed:
        message = f"one of these belongs here: {', '.join(allowed)}"
        raise invalid_task(message, pointer)
    return value
