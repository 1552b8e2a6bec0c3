"""The prepared artifact of an envelope, as reviewed evidence reads it.

1. The reference is derived from the other members, so it cannot be moved to another artifact.
2. The state says whether that artifact could be had; each state has its own members, and the
   references in it belong to this artifact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import canonical_digest
from survey_fast.canon.text import is_hex
from survey_fast.errors import SurveyError
from survey_fast.trust.evidence.shape import ARTIFACT, exactly, is_whole, members

__all__ = ["Artifact", "read_artifact"]

_PLACE: Final = "/preparedArtifact"
_STATE: Final = "/preparedArtifactState"
_REQUIRED: Final = (
    "format",
    "version",
    "digest",
    "ref",
    "preparationMode",
    "preparationVersion",
    "contentLength",
)
_HASHED: Final = (
    "format",
    "version",
    "digest",
    "preparationMode",
    "preparationVersion",
    "contentLength",
)
_BOTH: Final = ("status", "requestedRef", "canonicalRef")
_STATES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "available": _BOTH,
        "unavailable": _BOTH,
        "storage-error": _BOTH,
        "identity-mismatch": _BOTH,
        "invalid-artifact": ("status", "reason", "canonicalRef"),
        "digest-mismatch": (*_BOTH, "actualDigest", "actualContentLength"),
    }
)

ArtifactStatus: TypeAlias = Literal["available", "missing", "unavailable"]


@dataclass(frozen=True, slots=True)
class Artifact:
    """What is known of the prepared text.

    Attributes:
        status: whether there is an artifact, and whether it could be had.
        digest: SHA-256 of the prepared text, 64 hex digits; None without an artifact.
        gaps: what that leaves open, as gaps of the evidence.
    """

    status: ArtifactStatus
    digest: str | None
    gaps: tuple[Mapping[str, Any], ...]


def read_artifact(result: Mapping[str, Any], snapshot_ref: object) -> Artifact:
    """Check artifact and state of an envelope's result; ``snapshot_ref`` is its source's, or None.

    Raises EvidenceError: ``evidence-artifact-invalid``, with a pointer into the result.
    """
    if "preparedArtifact" not in result:
        if "preparedArtifactState" in result:
            message = "a state needs the artifact it is about"
            raise ARTIFACT.refuse(message, _STATE)
        gap = {"kind": "dropped-provenance", "field": "preparedArtifact"}
        return Artifact("missing", None, (gap,))
    artifact = members(result["preparedArtifact"], _PLACE, ARTIFACT)
    _check_artifact(artifact, snapshot_ref)
    if "preparedArtifactState" not in result:
        return Artifact("available", artifact["digest"], ())
    state = members(result["preparedArtifactState"], _STATE, ARTIFACT)
    _check_state(state, artifact["ref"])
    if state["status"] == "available":
        return Artifact("available", artifact["digest"], ())
    return Artifact("unavailable", artifact["digest"], (_gap(state, artifact["digest"]),))


def _check_artifact(artifact: dict[str, Any], snapshot_ref: object) -> None:
    ARTIFACT.require(artifact, _PLACE, _REQUIRED)
    ARTIFACT.close(artifact, _PLACE, (*_REQUIRED, "sourceSnapshotRef"))
    version = artifact["version"]
    if artifact["format"] != "traverse-prepared-artifact" or version is True or version != 1:
        message = "artifacts of this format or version are not read"
        raise ARTIFACT.refuse(message, f"{_PLACE}/format")
    if not isinstance(artifact["digest"], str) or not is_hex(artifact["digest"], 64):
        message = "64 lower-case hex digits belong here"
        raise ARTIFACT.refuse(message, f"{_PLACE}/digest")
    for name in ("preparationMode", "preparationVersion"):
        if not isinstance(artifact[name], str) or not artifact[name]:
            message = "text that is not empty belongs here"
            raise ARTIFACT.refuse(message, f"{_PLACE}/{name}")
    if not is_whole(artifact["contentLength"]):
        message = "a whole number of UTF-16 code units belongs here"
        raise ARTIFACT.refuse(message, f"{_PLACE}/contentLength")
    if "sourceSnapshotRef" in artifact and artifact["sourceSnapshotRef"] != snapshot_ref:
        message = "the artifact was prepared from another snapshot than the envelope names"
        raise ARTIFACT.refuse(message, f"{_PLACE}/sourceSnapshotRef")
    if artifact["ref"] != _reference(artifact):
        message = "the reference is not the one that follows from the artifact's other members"
        raise ARTIFACT.refuse(message, f"{_PLACE}/ref")


def _reference(artifact: Mapping[str, Any]) -> str:
    hashed = {name: artifact[name] for name in _HASHED}
    hashed["sourceSnapshotRef"] = artifact.get("sourceSnapshotRef")
    return f"traverse-prepared-artifact:v1:sha256:{canonical_digest(hashed, 'as-stored')}"


def _check_state(state: dict[str, Any], ref: str) -> None:
    status = state.get("status")
    if not isinstance(status, str) or status not in _STATES:
        message = f"one of {', '.join(_STATES)} belongs here"
        raise ARTIFACT.refuse(message, f"{_STATE}/status")
    exactly(state, _STATE, _STATES[status], ARTIFACT)
    if state["canonicalRef"] != ref:
        raise _elsewhere("canonicalRef")
    if status == "invalid-artifact":
        if not isinstance(state["reason"], str) or not state["reason"]:
            message = "a reason belongs here"
            raise ARTIFACT.refuse(message, f"{_STATE}/reason")
        return
    requested = state["requestedRef"]
    is_other = requested != ref
    if not isinstance(requested, str) or is_other is not (status == "identity-mismatch"):
        raise _elsewhere("requestedRef")
    if status == "digest-mismatch":
        _check_actual(state)


def _elsewhere(name: str) -> SurveyError:
    message = "the references of a state agree with the artifact, unless the mismatch is theirs"
    return ARTIFACT.refuse(message, f"{_STATE}/{name}")


def _check_actual(state: Mapping[str, Any]) -> None:
    digest = state["actualDigest"]
    if not isinstance(digest, str) or not is_hex(digest, 64):
        message = "64 lower-case hex digits belong here"
        raise ARTIFACT.refuse(message, f"{_STATE}/actualDigest")
    if not is_whole(state["actualContentLength"]):
        message = "a whole number of UTF-16 code units belongs here"
        raise ARTIFACT.refuse(message, f"{_STATE}/actualContentLength")


def _gap(state: Mapping[str, Any], digest: str) -> dict[str, Any]:
    if state["status"] == "digest-mismatch":
        return {
            "kind": "digest-mismatch",
            "requestedRef": state["requestedRef"],
            "canonicalRef": state["canonicalRef"],
            "expectedDigest": digest,
            "actualDigest": state["actualDigest"],
            "actualContentLength": state["actualContentLength"],
        }
    told = "reason" if state["status"] == "invalid-artifact" else "requestedRef"
    return {
        "kind": "artifact-unavailable",
        "status": state["status"],
        "canonicalRef": state["canonicalRef"],
        told: state[told],
    }
