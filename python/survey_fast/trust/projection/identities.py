"""Ids of evidence and events.

1. Without a context an id is the owner's id, a dot and a suffix. With one, the owner's id gives way
   to a digest of kind, owner and context, so that two projections of one claim can be merged.
2. Claim ids never change.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from survey_fast.canon import sha256_hex
from survey_fast.errors import refusal
from survey_fast.trust.quoting import quoted

__all__ = ["Identities", "OwnerKind", "require_context_id"]

OwnerKind: TypeAlias = Literal[
    "claim-evidence",
    "claim-event",
    "interpretation-evidence",
    "interpretation-event",
    "escalation-event",
]
_CONTEXT_ID: Final = re.compile("[A-Za-z0-9][A-Za-z0-9._:-]*")
_SCOPE: Final = b"survey-projection-context-v1"
_PREFIX: Final = "survey.projection.v1"


def require_context_id(context_id: object) -> str:
    """``context_id`` if it is one.

    Raises:
        ProjectionError: ``projection-context-invalid``.
        TypeError: not a str.
    """
    if not isinstance(context_id, str):
        message = f"a projection context id is a str, not {type(context_id).__name__}"
        raise TypeError(message)
    if _CONTEXT_ID.fullmatch(context_id) is None:
        message = (
            "a projection context id starts with a letter or digit, and letters, digits and "
            ". _ : - follow"
        )
        raise refusal("projection-context-invalid", message, "")
    return context_id


class Identities:
    """Makes the ids of one projection."""

    def __init__(self, context_id: str | None) -> None:
        self._context = None if context_id is None else require_context_id(context_id).encode()

    def of(self, kind: OwnerKind, owner: str, suffix: str) -> str:
        """The id of something that belongs to ``owner``.

        Raises JsonError for an owner that holds half of a surrogate pair.
        """
        context = self._context
        if context is None:
            return f"{owner}.{suffix}"
        text = b'["%b","%b",%b,"%b"]' % (_SCOPE, kind.encode(), quoted(owner), context)
        return f"{_PREFIX}.{sha256_hex(text)}.{suffix}"
