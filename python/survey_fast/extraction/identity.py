"""Stable identities: names of providers, models, extractors and codes.

A letter or digit, then up to 255 letters, digits and ``. _ : @ / + ~ -``, and no credential. The
core decides for documents that are read; here names are made, and refused before any work.
"""

from __future__ import annotations

import re
from typing import Final

from survey_fast.limits import IDENTITY

__all__ = ["FAILURE_CODE", "as_identity", "is_identity"]

FAILURE_CODE: Final = 128
"""Characters of the code of a failed call."""

_FORM: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]*")
_OUTSIDE: Final = re.compile(r"[^A-Za-z0-9._:@/+~-]")
_CREDENTIAL: Final = re.compile(
    r"gh[pousr]_|sk-[A-Za-z0-9]|(?:AKIA|ASIA)[A-Z0-9]|eyJ[^.]*\.eyJ|(?i:.*authorization:)"
)
_USER_INFO: Final = re.compile(
    r"(?:(?:https?|wss?|ftp):/*|[a-z][a-z0-9+.-]*://)[^/]+@", re.IGNORECASE
)


def is_identity(value: object, longest: int = IDENTITY) -> bool:
    """Whether ``value`` is the text of a stable identity of at most ``longest`` characters."""
    return (
        isinstance(value, str)
        and len(value) <= longest
        and _FORM.fullmatch(value) is not None
        and _CREDENTIAL.match(value) is None
        and _USER_INFO.match(value) is None
    )


def as_identity(text: str) -> str:
    """``text`` with ``-`` for every character that no identity holds, cut to the length of one.

    The result can still be none: when nothing is left, or a credential stands in it.
    """
    return _OUTSIDE.sub("-", text)[:IDENTITY]
