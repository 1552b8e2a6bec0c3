"""The prepared text of a run is the one that its envelope was extracted from.

Every one of these holds, or the run is refused: the text is UTF-8; its digest and its length in
UTF-16 code units are those of the manifest and of the envelope's artifact; manifest and artifact
name one reference; manifest, artifact and source name one capture; the artifact was available.
"""

from __future__ import annotations

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError, refusal
from survey_fast.runs.envelope_facts import EnvelopeFacts
from survey_fast.runs.manifest import Manifest

__all__ = ["check_identity", "check_prepared"]


def check_prepared(manifest: Manifest, envelope: EnvelopeFacts, prepared: bytes) -> str:
    """The prepared text, when it is the one that the envelope was extracted from.

    Args:
        manifest: the run's manifest.
        envelope: what the envelope tells.
        prepared: the bytes of the prepared text.

    Raises:
        RunError: ``RUN_PREPARED_MISMATCH``.
    """
    try:
        text = prepared.decode()
    except UnicodeDecodeError as fault:
        details = {"offset": fault.start}
        message = "the prepared text is no UTF-8"
        raise refusal("RUN_PREPARED_MISMATCH", message, None, details) from None
    units = len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
    check_identity(manifest, envelope, sha256_hex(prepared), units)
    return text


def check_identity(manifest: Manifest, envelope: EnvelopeFacts, digest: str, units: int) -> None:
    """The same of a text that is UTF-8, by its digest and its length in code units."""
    source, artifact, state = envelope.source, envelope.artifact, envelope.artifact_state
    stored = manifest.prepared
    told = {"digest": digest, "contentLength": units, "ref": artifact.get("ref")}
    for member, value in told.items():
        if stored[member] != value or artifact.get(member) != value:
            raise _mismatch(member, "is another one")
    captured = [artifact.get("sourceSnapshotRef"), source.get("snapshotRef"), source.get("ref")]
    if captured != 3 * [manifest.document["source"]["ref"]]:
        raise _mismatch("sourceSnapshotRef", "is of another capture")
    if state and (
        state.get("status") != "available"
        or [state.get("requestedRef"), state.get("canonicalRef")] != 2 * [stored["ref"]]
    ):
        raise _mismatch("status", "says that it was not there")


def _mismatch(member: str, why: str) -> SurveyError:
    message = f"the prepared text is not the one that was extracted from: its {member} {why}"
    return refusal("RUN_PREPARED_MISMATCH", message)
