"""Arguments of a wrong Python type are misuse: TypeError, before anything is read.

The parameters are ``object`` on purpose: annotations promise a type, callers without a type
checker break the promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from survey_fast.canon.document import text_bytes

__all__ = ["index_argument", "mapping_argument", "sequence_argument", "text_argument"]


def text_argument(name: str, value: object) -> str:
    """``value`` if it is a str.

    Raises JsonError (``json-lone-surrogate``) where no UTF-8 text can hold it.
    """
    if not isinstance(value, str):
        raise _misuse(name, "a str", value)
    if not value.isascii():
        text_bytes(value)
    return value


def index_argument(name: str, value: object) -> int:
    """``value`` if it is an int; a bool is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _misuse(name, "an int", value)


def mapping_argument(name: str, value: object) -> dict[str, Any]:
    """``value`` if it is a mapping, as a dict whose own mappings are dicts as well."""
    if isinstance(value, Mapping):
        return {
            key: dict(inner) if isinstance(inner, Mapping) else inner
            for key, inner in value.items()
        }
    raise _misuse(name, "a mapping", value)


def sequence_argument(name: str, value: object) -> Sequence[Any]:
    """``value`` if it is a sequence of things, which text and bytes are not."""
    is_text = isinstance(value, str | bytes | bytearray | memoryview)
    if isinstance(value, Sequence) and not is_text:
        return value
    raise _misuse(name, "a sequence", value)


def _misuse(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} is {wanted}, not {type(value).__name__}")
