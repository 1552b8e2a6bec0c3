"""The usual ways to hash a document, which ours are compared with. All take and give the same."""

from __future__ import annotations

import hashlib
import json

import orjson
import rfc8785
from tests.reference import canonical

__all__ = ["orjson_digest", "raw_sha256", "reference_digest", "rfc8785_digest"]


def raw_sha256(document: bytes) -> str:
    """SHA-256 of the bytes as they are: the least that any digest of a document can cost."""
    return hashlib.sha256(document).hexdigest()


def rfc8785_digest(document: bytes) -> str:
    """The PyPI package `rfc8785`, from bytes. It reads leniently: duplicate members pass."""
    return hashlib.sha256(rfc8785.dumps(json.loads(document))).hexdigest()


def orjson_digest(document: bytes) -> str:
    """`orjson` with sorted members, from bytes.

    No canonical JSON in general (numbers, and the order of names outside ASCII, differ), but the
    same bytes for these documents.
    """
    return hashlib.sha256(
        orjson.dumps(orjson.loads(document), option=orjson.OPT_SORT_KEYS)
    ).hexdigest()


def reference_digest(document: bytes) -> str:
    """The oracle of the tests: strict reading and canonical writing in plain Python."""
    return canonical.digest(canonical.parse(document, lossless=False))
