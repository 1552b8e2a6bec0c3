"""Small rules about text that several formats share."""

from __future__ import annotations

from typing import Final

__all__ = ["has_content", "is_hex", "trim"]

_TRIMMED: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript trims. ``str.strip`` also takes U+001C to U+001F and U+0085, not U+FEFF."""


def trim(text: str) -> str:
    """``text`` without the white space that ECMAScript trims."""
    return text.strip(_TRIMMED)


def has_content(text: str) -> bool:
    """Whether anything is left of ``text`` after ECMAScript's trim."""
    return bool(trim(text))


def is_hex(text: str, count: int) -> bool:
    """Whether ``text`` is exactly ``count`` lower-case hexadecimal digits."""
    return len(text) == count and all(c in "0123456789abcdef" for c in text)
