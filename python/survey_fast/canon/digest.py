"""Canonical JSON and SHA-256.

Rules:

1. Text is read strictly: duplicate members, halves of surrogate pairs, numbers a double cannot
   hold, more than 128 nested containers and bytes that are not UTF-8 are refused by name.
2. ``jcs`` is RFC 8785 and serves everything this package writes or identifies. ``collated`` is
   the order in which the reference system wrote its queue digests and only verifies those.
   ``as-stored`` keeps the members where they are.
3. A digest covers the bytes that were read, never a document that was parsed and dumped again.
"""

from __future__ import annotations

from typing import Literal, NewType, TypeAlias

from survey_fast import _core, limits
from survey_fast.canon.document import Document, Json, reading
from survey_fast.errors import refusal

__all__ = [
    "Profile",
    "Sha256Hex",
    "canonical_digest",
    "canonical_json",
    "data_digest",
    "sha256_hex",
    "sort_names",
]

Profile: TypeAlias = Literal["jcs", "collated", "as-stored"]
Sha256Hex = NewType("Sha256Hex", str)
"""64 lower-case hex digits, no prefix."""


def canonical_json(
    document: Document,
    profile: Profile = "jcs",
    *,
    lossless: bool = False,
    max_bytes: int | None = None,
) -> bytes:
    """The canonical text of ``document`` as UTF-8, without a final newline.

    Args:
        document: UTF-8 bytes, the text of a document (``str``), or plain data.
        profile: the order of members; ``jcs`` unless an older digest is being verified.
        lossless: refuse negative zero, which would come back as zero.
        max_bytes: cap on the text, 256 MiB unless given, 1 GiB at most.

    Raises:
        JsonError: the text is not strict JSON; ``details["offset"]`` is a byte offset.
        NotPortableError: under ``collated``, a member name outside printable ASCII.
        TypeError, ValueError: not a document, an unknown profile, a cap out of range.
    """
    cap = limits.BUNDLE.resolve(max_bytes)
    if profile == "jcs" and not isinstance(document, bytes | bytearray | memoryview | str):
        return _within(_core.plain_canonical(document, lossless), cap)
    with reading(document) as raw:
        return _core.canonical_json(raw, profile, lossless, cap)


def _within(text: bytes, cap: int) -> bytes:
    if len(text) > cap:
        message = f"the document has more than the {cap} bytes allowed"
        raise refusal("json-size", message, "")
    return text


def canonical_digest(
    document: Document,
    profile: Profile = "jcs",
    *,
    lossless: bool = False,
    max_bytes: int | None = None,
) -> Sha256Hex:
    """SHA-256 over the canonical text, as 64 lower-case hex digits without a prefix.

    Arguments and refusals are those of :func:`canonical_json`. A large text is hashed while it
    is written and never held a second time.
    """
    cap = limits.BUNDLE.resolve(max_bytes)
    with reading(document) as raw:
        return Sha256Hex(_core.canonical_digest(raw, profile, lossless, cap))


def data_digest(value: Json, *, lossless: bool = True) -> Sha256Hex:
    """SHA-256 over the canonical text of a plain value, a bare ``str`` included."""
    return sha256_hex(_core.plain_canonical(value, lossless))


def sha256_hex(raw: bytes) -> Sha256Hex:
    """SHA-256 over bytes as they are."""
    return Sha256Hex(_core.sha256_hex(raw))


def sort_names(names: list[str]) -> list[str]:
    """Names sorted by UTF-16 code unit, the order of every sorted list in a document."""
    return _core.sort_names(names)
