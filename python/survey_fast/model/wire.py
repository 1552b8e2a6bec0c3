"""What all wire records share.

1. Members are camelCase in documents and snake_case in Python. Code may build a record by
   either; :meth:`WireRecord.from_json` reads the wire names only.
2. A member that the format does not know is refused, unless the record says that it is open.
3. Absent is not null: a member that may be absent reads as ``None`` and comes back absent, and
   ``null`` in its place is refused.
4. Nothing is converted: ``true`` is no number, ``1`` stays ``1`` and ``1.0`` stays ``1.0``.

A record is a view of a document that was validated elsewhere. It cannot be assigned to, and its
lists are tuples; the opaque objects inside it (``value``, ``producer``) are plain data that the
record does not guard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, Strict
from pydantic.alias_generators import to_camel

from survey_fast.model.names import PrefixedSha256, Sha256Hex

__all__ = ["HexDigest", "Listed", "MayLack", "Number", "PrefixedDigest", "WireRecord"]

_Value = TypeVar("_Value")


def _refuse_null(value: object) -> object:
    if value is None:
        message = "null stands where a value belongs; leave the member out instead"
        raise ValueError(message)
    return value


MayLack: TypeAlias = Annotated[_Value | None, BeforeValidator(_refuse_null)]
"""A member that may be absent, and is never null. Declare it with the default ``None``."""

Listed: TypeAlias = Annotated[tuple[_Value, ...], Strict(strict=False)]
"""An array; a tuple here, a list in the document."""

Number: TypeAlias = int | float
"""A JSON number, kept as it was written."""

HexDigest: TypeAlias = Annotated[Sha256Hex, Field(pattern="^[0-9a-f]{64}$")]
PrefixedDigest: TypeAlias = Annotated[PrefixedSha256, Field(pattern="^sha256:[0-9a-f]{64}$")]


class WireRecord(BaseModel):
    """A frozen record of a closed format."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    @classmethod
    def from_json(cls, document: Mapping[str, JsonValue]) -> Self:
        """The record of a plain JSON object with wire names.

        Raises pydantic.ValidationError, a ValueError, for an object that is no such record: read
        what others wrote with the validating function of its format first.
        """
        return cls.model_validate(document, by_alias=True, by_name=False)

    def to_json(self) -> dict[str, Any]:
        """The wire document as plain data: the members that were given, under their wire names."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
