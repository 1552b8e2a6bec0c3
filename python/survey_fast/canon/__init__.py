"""Canonical JSON and digests; the only package that hashes."""

from survey_fast.canon.digest import (
    Profile,
    Sha256Hex,
    canonical_digest,
    canonical_json,
    data_digest,
    sha256_hex,
    sort_names,
)
from survey_fast.canon.document import (
    Document,
    Json,
    data_json,
    document_bytes,
    plain_data,
    reading,
)

__all__ = [
    "Document",
    "Json",
    "Profile",
    "Sha256Hex",
    "canonical_digest",
    "canonical_json",
    "data_digest",
    "data_json",
    "document_bytes",
    "plain_data",
    "reading",
    "sha256_hex",
    "sort_names",
]
