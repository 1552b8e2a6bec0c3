"""The prepared artifact an envelope names, and what became of it when it was asked for.

1. `ref` is a fixed prefix and the SHA-256 of the artifact's other members as JSON text, in
   declaration order, with an explicit null for an absent `sourceSnapshotRef`. It must recompute.
2. `preparedArtifactState` is one of six shapes, told apart by `status`, which is judged first.
3. In a state, all values are judged before the relations: `canonicalRef` is the artifact's `ref`;
   then `requestedRef` equals it, except under `identity-mismatch`, where it must differ.
"""

from __future__ import annotations

import re

from tests.reference.canonical import digest
from tests.reference.credentials import require_safe_reference
from tests.reference.refusal import Json, join
from tests.reference.wire import (
    HEX64,
    inconsistent,
    invalid,
    missing,
    require_integer,
    require_match,
    require_members,
    require_object,
    require_text,
    require_trimmed_text,
    require_word,
)

REF_PREFIX = "traverse-prepared-artifact:v1:sha256:"
REF = re.compile(re.escape(REF_PREFIX) + "[0-9a-f]{64}")
MODES = ("text", "markdown", "transcript", "pdf-text", "image-ocr")
BOUND = (
    "format",
    "version",
    "digest",
    "preparationMode",
    "preparationVersion",
    "contentLength",
    "sourceSnapshotRef",
)
STATE_MEMBERS = {
    "available": ("status", "requestedRef", "canonicalRef"),
    "unavailable": ("status", "requestedRef", "canonicalRef"),
    "storage-error": ("status", "requestedRef", "canonicalRef"),
    "identity-mismatch": ("status", "requestedRef", "canonicalRef"),
    "invalid-artifact": ("status", "reason", "canonicalRef"),
    "digest-mismatch": (
        "status",
        "requestedRef",
        "canonicalRef",
        "actualDigest",
        "actualContentLength",
    ),
}
INVALID_REASONS = (
    "not-an-object",
    "invalid-format",
    "invalid-version",
    "invalid-digest",
    "invalid-ref",
    "invalid-preparation-mode",
    "invalid-preparation-version",
    "invalid-content-length",
    "invalid-source-snapshot-ref",
    "ill-formed-unicode",
    "invalid-resolved-text",
)


def prepared_ref(artifact: dict[str, Json]) -> str:
    """Rule 1."""
    return REF_PREFIX + digest({name: artifact.get(name) for name in BOUND}, "as-stored")


def check_prepared_artifact(value: Json, pointer: str) -> dict[str, Json]:
    artifact = require_members(
        value, pointer, [*BOUND[:-1], "ref"], optional=("sourceSnapshotRef",)
    )
    if artifact["format"] != "traverse-prepared-artifact":
        raise invalid(join(pointer, "format"), "not a prepared artifact")
    if require_integer(artifact["version"], join(pointer, "version")) != 1:
        raise invalid(join(pointer, "version"), "only version 1 is known")
    require_match(artifact["digest"], join(pointer, "digest"), HEX64)
    require_word(artifact["preparationMode"], join(pointer, "preparationMode"), MODES)
    require_trimmed_text(artifact["preparationVersion"], join(pointer, "preparationVersion"))
    require_integer(artifact["contentLength"], join(pointer, "contentLength"))
    if "sourceSnapshotRef" in artifact:
        require_text(artifact["sourceSnapshotRef"], join(pointer, "sourceSnapshotRef"))
    ref = require_match(artifact["ref"], join(pointer, "ref"), REF)
    if ref != prepared_ref(artifact):
        raise inconsistent(join(pointer, "ref"), "the reference is not that of this artifact")
    return artifact


def check_prepared_state(value: Json, pointer: str, artifact: dict[str, Json] | None) -> None:
    if artifact is None:
        raise inconsistent(pointer, "a state needs a prepared artifact")
    if "status" not in require_object(value, pointer):
        raise missing(join(pointer, "status"))
    status = require_word(value["status"], join(pointer, "status"), STATE_MEMBERS)
    state = require_members(value, pointer, STATE_MEMBERS[status])
    if status == "invalid-artifact":
        require_word(state["reason"], join(pointer, "reason"), INVALID_REASONS)
    elif status == "identity-mismatch":
        require_safe_reference(state["requestedRef"], join(pointer, "requestedRef"))
    else:
        require_match(state["requestedRef"], join(pointer, "requestedRef"), REF)
    require_match(state["canonicalRef"], join(pointer, "canonicalRef"), REF)
    if status == "digest-mismatch":
        require_match(state["actualDigest"], join(pointer, "actualDigest"), HEX64)
        require_integer(state["actualContentLength"], join(pointer, "actualContentLength"))
    if state["canonicalRef"] != artifact["ref"]:
        raise inconsistent(join(pointer, "canonicalRef"), "another artifact is named")
    if status == "invalid-artifact":
        return
    equal = state["requestedRef"] == state["canonicalRef"]
    if equal == (status == "identity-mismatch"):
        raise inconsistent(join(pointer, "requestedRef"), f"does not fit the status {status}")
