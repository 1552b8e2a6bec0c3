"""Shape checks that verification inputs, verdicts and stored records share.

1. A document is read strictly and lossless, and copied: nothing the caller holds is kept.
2. The first fault is refused with a pointer into the document it stands in; a member that is
   absent is pointed at where it should have been.
3. Text is blank when nothing is left after the trim of ECMAScript, which is not Python's.
"""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from survey_fast.canon import Document, Json, canonical_json
from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal

__all__ = ["INPUT", "RECORD", "Members", "Shape", "is_canonical_instant", "step"]

Members: TypeAlias = dict[str, Json]
"""The members of a JSON object."""

_INSTANT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.[0-9]{3}Z"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """Checks that refuse with one code."""

    code: str

    def refuse(self, message: str, pointer: str) -> SurveyError:
        """The refusal, to be raised."""
        return refusal(self.code, message, pointer)

    def read(self, document: Document) -> Members:
        """The object that a document holds, as a copy.

        Raises:
            TypeError: neither bytes nor text nor plain data.
            JsonError: not strict JSON, or a negative zero.
            VerificationError: JSON, but no object.
        """
        return self.object(json.loads(canonical_json(document, lossless=True)), "")

    def object(self, value: Json, pointer: str) -> Members:
        """``value`` if it is an object."""
        if isinstance(value, dict):
            return value
        message = "an object belongs here"
        raise self.refuse(message, pointer)

    def array(self, value: Json, pointer: str) -> list[Json]:
        """``value`` if it is an array with at least one element."""
        if isinstance(value, list) and value:
            return value
        message = "an array with at least one element belongs here"
        raise self.refuse(message, pointer)

    def require(self, members: Members, pointer: str, names: Collection[str]) -> None:
        """Refuse an object without one of ``names``."""
        for name in names:
            if name not in members:
                message = f"the member {name} is required"
                raise self.refuse(message, f"{pointer}/{name}")

    def close(self, members: Members, pointer: str, names: Collection[str]) -> None:
        """Refuse an object with a member that is none of ``names``."""
        for name in members:
            if name not in names:
                message = "a member that does not belong here"
                raise self.refuse(message, f"{pointer}{step(name)}")

    def string(self, value: Json, pointer: str) -> str:
        """``value`` if it is a string."""
        if isinstance(value, str):
            return value
        message = "a string belongs here"
        raise self.refuse(message, pointer)

    def text(self, value: Json, pointer: str) -> str:
        """``value`` if it is a string that is not blank."""
        text = self.string(value, pointer)
        if has_content(text):
            return text
        message = "a string that is not blank belongs here"
        raise self.refuse(message, pointer)

    def word(self, value: Json, pointer: str, words: tuple[str, ...]) -> str:
        """``value`` if it is one of ``words``."""
        if isinstance(value, str) and value in words:
            return value
        message = f"one of {', '.join(words)} belongs here"
        raise self.refuse(message, pointer)


def step(name: object) -> str:
    """A member name as one step of a pointer. Raises TypeError where no JSON has such a name."""
    if not isinstance(name, str):
        message = f"names of members are text, not {type(name).__name__}"
        raise TypeError(message)
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


INPUT: Final = Shape("verification-input-invalid")
RECORD: Final = Shape("verification-record-invalid")


@lru_cache(maxsize=64)  # a history repeats few, and one append has one
def is_canonical_instant(text: str) -> bool:
    """Whether ``text`` is a UTC instant as ECMAScript prints it: four-digit year, ms, ``Z``."""
    parts = _INSTANT.fullmatch(text)
    if parts is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in parts.groups())
    if not 1 <= month <= 12:  # noqa: PLR2004 - months of a year
        return False
    is_date = 1 <= day <= monthrange(year, month)[1]
    return is_date and hour < 24 and minute < 60 and second < 60  # noqa: PLR2004 - a clock's face
