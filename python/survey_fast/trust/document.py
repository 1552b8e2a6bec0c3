"""Reading a trust bundle as a document, before anything is said about its content."""

from __future__ import annotations

from typing import Any

from survey_fast import limits
from survey_fast.canon import Document, canonical_json, plain_data, reading
from survey_fast.canon.collector import collector_paused
from survey_fast.canon.document import require_plain
from survey_fast.errors import refusal

__all__ = ["read_document"]


def read_document(document: Document, max_bytes: int | None = None) -> dict[str, Any]:
    """The object that a document holds: parsed strictly, or the caller's own plain data.

    Plain data is held to what strict JSON text can say and used as it is. Nothing here changes it.

    Args:
        document: UTF-8 bytes, the text of a document, or plain data.
        max_bytes: cap on a text, 256 MiB unless given, 1 GiB at most.

    Raises:
        JsonError: not strict JSON, or a text larger than the cap.
        BundleError: ``bundle-not-object``.
        TypeError, ValueError: not a document; a cap out of range.
    """
    cap = limits.BUNDLE.resolve(max_bytes)
    if isinstance(document, bytes | bytearray | memoryview | str):
        with collector_paused(), reading(document) as raw:
            content = plain_data(canonical_json(raw, "as-stored", max_bytes=cap))
    else:
        content = document
        require_plain(document)
    if not isinstance(content, dict):
        message = "a trust bundle is an object"
        raise refusal("bundle-not-object", message, "")
    return content
