"""The record of an import: the envelope as it came, the claim targets, what the import found.

Diagnostics differ by ``kind``. Their ``message`` is for people and never compared.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from survey_fast.model.item import ApiVersion, ClaimTarget, SourceKind
from survey_fast.model.wire import HexDigest, Listed, MayLack, WireRecord

__all__ = [
    "ArtifactUnavailable",
    "Diagnostic",
    "DigestMismatch",
    "ExcerptMismatch",
    "ExtractionFailed",
    "ExtractionIncomplete",
    "ImportMetadata",
    "ImportRecord",
    "ImportSpec",
    "ImportStatus",
]


class ArtifactUnavailable(WireRecord):
    """The prepared text could not be read, by the extraction or by the import."""

    kind: Literal["artifact-unavailable"]
    status: Literal["unavailable", "storage-error", "identity-mismatch", "invalid-artifact"]
    artifact_ref: MayLack[str] = None
    code: MayLack[
        Literal["not-found", "storage-error", "access-denied", "invalid-artifact", "unknown"]
    ] = None
    message: MayLack[str] = None


class DigestMismatch(WireRecord):
    """The prepared text at hand is another text; the digests are bare hex."""

    kind: Literal["digest-mismatch"]
    artifact_ref: str
    expected_digest: HexDigest
    actual_digest: HexDigest
    message: MayLack[str] = None


class ExtractionFailed(WireRecord):
    """The run ended without an answer."""

    kind: Literal["extraction-failed"]
    category: str
    code: str
    message: MayLack[str] = None


class ExtractionIncomplete(WireRecord):
    """The run stopped early and proposed nothing."""

    kind: Literal["extraction-incomplete"]
    reason: str
    message: MayLack[str] = None


class ExcerptMismatch(WireRecord):
    """The excerpt of one proposal is not at its span; the proposal is left out of the queue."""

    kind: Literal["excerpt-mismatch"]
    proposal_index: int
    locator: str
    message: MayLack[str] = None


Diagnostic: TypeAlias = Annotated[
    ArtifactUnavailable
    | DigestMismatch
    | ExtractionFailed
    | ExtractionIncomplete
    | ExcerptMismatch,
    Field(discriminator="kind"),
]
"""One finding of an import."""


class ImportStatus(WireRecord):
    """Whether the import derives items, whether excerpts were looked up, and the findings."""

    state: Literal["grounded", "unresolved"]
    provenance: Literal["verified", "unverified"]
    diagnostics: Listed[Diagnostic]


class ImportMetadata(WireRecord):
    """The names under which the import's identities are hashed."""

    name: str
    producer_namespace: str


class ImportSpec(WireRecord):
    """The envelope as plain data, and one claim target for each of its proposals, in order."""

    envelope: dict[str, JsonValue]
    source_kind: SourceKind
    claim_targets: Listed[ClaimTarget]


class ImportRecord(WireRecord):
    """An import as it is stored. It never holds the prepared text."""

    api_version: ApiVersion
    kind: Literal["ExtractionEnvelopeImport"]
    metadata: ImportMetadata
    spec: ImportSpec
    status: ImportStatus
