"""Target fields: what is looked for, under which path, and of which type.

Beyond its shape a schema is refused for a path that repeats or is blank and for more than 128
fields. An array level is written ``[]`` in a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from survey_fast import limits
from survey_fast.extraction.task_shape import array, closed, invalid_task, text, word

__all__ = ["FIELD_TYPES", "check_target_schema", "fits"]

FIELD_TYPES: Final = ("string", "number", "boolean", "date", "enum", "array", "object")
_OPTIONAL: Final = ("enumValues", "description", "required", "inferenceType")


def check_target_schema(schema: object, pointer: str = "") -> list[dict[str, Any]]:
    """``schema`` if it is a list of target fields, as plain data.

    Raises:
        ExtractionError: ``INVALID_TASK`` with a pointer that starts with ``pointer``.
    """
    fields = array(schema, pointer, limits.TARGET_FIELDS)
    paths: set[str] = set()
    for index, one in enumerate(fields):
        _check_field(one, f"{pointer}/{index}")
        if one["path"] in paths:
            message = "an earlier field has this path already"
            raise invalid_task(message, f"{pointer}/{index}/path")
        paths.add(one["path"])
    return fields


def _check_field(one: object, pointer: str) -> None:
    members = closed(one, pointer, ("path", "type"), _OPTIONAL)
    text(members["path"], f"{pointer}/path", blank=False)
    word(members["type"], f"{pointer}/type", FIELD_TYPES)
    for place, value in enumerate(array(members.get("enumValues", []), f"{pointer}/enumValues")):
        text(value, f"{pointer}/enumValues/{place}")
    text(members.get("description", ""), f"{pointer}/description")
    if not isinstance(members.get("required", False), bool):
        message = "true or false belongs here"
        raise invalid_task(message, f"{pointer}/required")
    if "inferenceType" in members:
        word(members["inferenceType"], f"{pointer}/inferenceType", ("explicit", "inferred"))


def fits(value: object, field: Mapping[str, Any]) -> bool:
    """Whether a value is of the JSON type that a field declares, and one of its words.

    A date is a string; whether it is the text of a day is for the evidence check to say.
    """
    match field["type"]:
        case "number":
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            return is_whole or (isinstance(value, float) and isfinite(value))
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "enum" if field.get("enumValues"):
            return isinstance(value, str) and value in field["enumValues"]
        case _:
            return isinstance(value, str)
