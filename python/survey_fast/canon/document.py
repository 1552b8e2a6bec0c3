"""One kind of input: whole documents as bytes, as JSON text, or as plain Python data.

Plain data is made of exactly dict, list, str, int, float, bool and None. Since a bare ``str``
is JSON *text*, a value that happens to be a string goes through :func:`data_json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from survey_fast import _core
from survey_fast.errors import SurveyError, refusal

__all__ = [
    "Document",
    "Json",
    "data_json",
    "document_bytes",
    "plain_data",
    "reading",
    "require_plain",
    "text_bytes",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
"""Plain JSON data."""

Document: TypeAlias = "bytes | bytearray | memoryview | str | Json"
"""A whole document: UTF-8 bytes, the text of one, or plain data."""


def document_bytes(document: Document) -> bytes:
    """The bytes of a document: as they are, as UTF-8, or as written from plain data.

    Raises:
        TypeError: neither bytes nor text nor plain data.
        JsonError: half of a surrogate pair, a number that is not finite, nesting over 128.
    """
    if isinstance(document, bytes):
        return document
    if isinstance(document, bytearray | memoryview):
        return bytes(document)
    if isinstance(document, str):
        return text_bytes(document)
    return data_json(document)


@contextmanager
def reading(document: Document) -> Iterator[bytes]:
    """The bytes of a document, for as long as they are worked on.

    A refusal keeps its byte offset only when the document was text: an offset into a text that
    was written from plain data would lead nowhere.
    """
    raw = document_bytes(document)
    try:
        yield raw
    except SurveyError as refused:
        if isinstance(document, str) and refused.details.get("offset") == 0:
            message = f"{refused.message} (a str is read as JSON text, not as the name of a file)"
            raise refusal(refused.code, message, refused.pointer, refused.details) from None
        if not isinstance(document, bytes | bytearray | memoryview | str):
            refused.details.pop("offset", None)
        raise


def data_json(data: Json) -> bytes:
    """JSON text of plain data, a bare ``str`` included. Not canonical; members stand as stored.

    Raises: as :func:`document_bytes`.
    """
    return _core.json_text(data)


def require_plain(data: object) -> None:
    """Hold plain data to what strict JSON text can say, without writing it.

    Raises: as :func:`document_bytes`, and JsonError (``json-number-range``) for an integer that no
        double holds exactly.
    """
    _core.require_plain(data)


def plain_data(text: bytes) -> Json:
    """Plain data of JSON text that was read strictly before, as canonical text always was.

    What is wrong with a text is said by :func:`reading` and the native core, never here.
    """
    # Only those who turn text into data wait for this parser to load.
    from pydantic_core import from_json  # noqa: PLC0415

    data: Json = from_json(text, cache_strings="keys")
    return data


def text_bytes(text: str) -> bytes:
    """UTF-8 of a text. Raises JsonError (``json-lone-surrogate``) where there is none."""
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        offset = len(text[: fault.start].encode())
        message = "half of a surrogate pair is no character; write the pair or drop it"
        raise refusal("json-lone-surrogate", message, "", {"offset": offset}) from None
