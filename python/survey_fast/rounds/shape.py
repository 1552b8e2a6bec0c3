"""Shape checks of what a round is given, each family refused under a code of its own.

1. What is not plain JSON data is misuse: TypeError. Plain data of a wrong kind is a refusal.
2. A pointer leads into the arguments of the call, read as one document: ``/items/3/slotId``.
   Of a document that is handed over alone it leads into that document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from survey_fast.canon import Document, Json, canonical_json
from survey_fast.errors import SurveyError
from survey_fast.imports.verification_shape import Members, Shape, step
from survey_fast.model import WireRecord

__all__ = [
    "CARRY_FORWARD",
    "DECISION",
    "FIELD_STATES",
    "POLICY",
    "ROUND_ITEMS",
    "SUPERSESSION",
    "Members",
    "RoundShape",
    "inside",
    "step",
]


@dataclass(frozen=True, slots=True)
class RoundShape(Shape):
    """Checks that refuse with one code."""

    def members(self, value: object, pointer: str) -> Members:
        """``value`` if it is an object; TypeError where no JSON value can stand there."""
        if isinstance(value, dict):
            return value
        if value is None or isinstance(value, list | str | int | float):
            message = "an object belongs here"
            raise self.refuse(message, pointer)
        message = f"plain data belongs at {pointer}, not {type(value).__name__}"
        raise TypeError(message)

    def listed(self, value: Json, pointer: str) -> list[Json]:
        """``value`` if it is an array, which may be empty."""
        if isinstance(value, list):
            return value
        message = "an array belongs here"
        raise self.refuse(message, pointer)

    def record(self, document: Document | WireRecord) -> Members:
        """The members of a stored record, as a copy: strict, lossless JSON."""
        return self.read(document.to_json() if isinstance(document, WireRecord) else document)

    def copy(self, document: Document) -> Members:
        """The members of a document whose digests were taken elsewhere, as a copy."""
        return self.object(json.loads(canonical_json(document)), "")


ROUND_ITEMS: Final = RoundShape("round-items-invalid")
POLICY: Final = RoundShape("carry-policy-invalid")
CARRY_FORWARD: Final = RoundShape("carry-forward-invalid")
SUPERSESSION: Final = RoundShape("supersession-invalid")
FIELD_STATES: Final = RoundShape("field-state-input-invalid")
DECISION: Final = RoundShape("decision-malformed")


@contextmanager
def inside(pointer: str) -> Iterator[None]:
    """Refusals of a part, pointing into the whole that holds it at ``pointer``."""
    try:
        yield
    except SurveyError as refused:
        place = pointer + (refused.pointer or "")
        raise type(refused)(refused.message, place, refused.details, refused.code) from None
