"""The identity of a prepared text, kept apart from the text.

1. The digest covers the text as UTF-8 and nothing else. The reference covers the digest, the
   length, how the text was made and from which snapshot: the JSON text of those members in one
   fixed order, with null for a snapshot that there is none of.
2. Checking an artifact gives a finding and never raises. Members that are not of the format are
   dropped.
3. A text is found by reference in a store that the caller supplies, and believed only when its
   digest and length are the artifact's. What a store says when it fails goes no further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, get_args

from survey_fast.canon import Sha256Hex, canonical_digest, sha256_hex
from survey_fast.canon.arguments import text_argument
from survey_fast.canon.text import has_content, is_hex
from survey_fast.extraction.prepare import PreparationMode
from survey_fast.extraction.units import units_of

__all__ = [
    "ArtifactCheck",
    "InMemoryPreparedStore",
    "PreparedTextStore",
    "Resolution",
    "build_prepared_artifact",
    "check_prepared_artifact",
    "prepared_text_digest",
    "resolve_prepared_artifact",
]

_FORMAT: Final = "traverse-prepared-artifact"
_VERSION: Final = 1
_REF: Final = "traverse-prepared-artifact:v1:sha256:"
_HEX: Final = 64
_SAFE: Final = 2**53 - 1
_MODES: Final[tuple[str, ...]] = get_args(PreparationMode)
_IDENTIFIED: Final = (
    "format",
    "version",
    "digest",
    "preparationMode",
    "preparationVersion",
    "contentLength",
    "sourceSnapshotRef",
)

Artifact = dict[str, Any]
"""``{format, version, digest, ref, preparationMode, preparationVersion, contentLength,
sourceSnapshotRef?}``."""

CheckStatus = Literal["valid", "invalid-artifact", "identity-mismatch"]
ResolutionStatus = Literal[
    "available",
    "unavailable",
    "storage-error",
    "identity-mismatch",
    "digest-mismatch",
    "invalid-artifact",
]


class PreparedTextStore(Protocol):
    """Where prepared texts are kept, by reference."""

    def get(self, ref: str, /) -> str | None:
        """The text, or None when it is not here. May raise anything."""


class InMemoryPreparedStore:
    """Texts in a dict."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def get(self, ref: str, /) -> str | None:
        """The text, or None."""
        return self._texts.get(ref)

    def put(self, artifact: Mapping[str, Any], text: str) -> None:
        """Keep a text under the reference of its artifact."""
        self._texts[artifact["ref"]] = text


@dataclass(frozen=True, slots=True)
class ArtifactCheck:
    """What a stored artifact is.

    Attributes:
        status: ``valid``; ``invalid-artifact`` with a reason; ``identity-mismatch`` when the
            reference is not that of the other members.
        reason: the first rule that the artifact breaks.
        artifact: its members, unless it is invalid.
        canonical_ref: the reference that its members have, unless it is invalid.
    """

    status: CheckStatus
    reason: str | None = None
    artifact: Artifact | None = None
    canonical_ref: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What came of looking a text up.

    Attributes:
        status: only ``available`` comes with the text.
        text: the text.
        reason: why the artifact, or what the store gave for it, is invalid.
        requested_ref: the reference that the artifact states.
        canonical_ref: the reference that its members have.
        actual_digest, actual_length: of the text that the store gave instead.
    """

    status: ResolutionStatus
    text: str | None = None
    reason: str | None = None
    requested_ref: str | None = None
    canonical_ref: str | None = None
    actual_digest: Sha256Hex | None = None
    actual_length: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The state as an envelope carries it, without the text."""
        members = {
            "status": self.status,
            "reason": self.reason,
            "requestedRef": None if self.status == "invalid-artifact" else self.requested_ref,
            "canonicalRef": self.canonical_ref,
            "actualDigest": self.actual_digest,
            "actualContentLength": self.actual_length,
        }
        return {name: value for name, value in members.items() if value is not None}


def prepared_text_digest(text: str) -> Sha256Hex:
    """SHA-256 over the UTF-8 of a text, 64 hex. Raises JsonError (``json-lone-surrogate``)."""
    return sha256_hex(text_argument("text", text).encode())


def build_prepared_artifact(
    text: str,
    *,
    mode: PreparationMode,
    version: str,
    source_snapshot_ref: str | None = None,
) -> Artifact:
    """The artifact of a prepared text.

    Args:
        text: the whole prepared text.
        mode: the preparation that was used.
        version: of the preparation; not blank.
        source_snapshot_ref: the snapshot that the text was made from, if one is known.

    Raises:
        JsonError: ``json-lone-surrogate``, in the text or a name.
        TypeError, ValueError: an unknown mode, a blank version, an empty reference.
    """
    artifact: Artifact = {
        "format": _FORMAT,
        "version": _VERSION,
        "digest": prepared_text_digest(text),
        "preparationMode": mode,
        "preparationVersion": text_argument("version", version),
        "contentLength": units_of(text),
    }
    if source_snapshot_ref is not None:
        artifact["sourceSnapshotRef"] = text_argument("source_snapshot_ref", source_snapshot_ref)
    artifact["ref"] = _canonical_ref(artifact)
    reason = _broken_rule(artifact)
    if reason is not None:
        message = f"these options make no artifact: {reason}"
        raise ValueError(message)
    return artifact


def check_prepared_artifact(value: object) -> ArtifactCheck:
    """What ``value``, plain data from anywhere, is as an artifact. Never raises."""
    if not isinstance(value, dict | list):
        return ArtifactCheck("invalid-artifact", "not-an-object")
    members: Artifact = value if isinstance(value, dict) else {}
    reason = _broken_rule(members)
    if reason is not None:
        return ArtifactCheck("invalid-artifact", reason)
    artifact: Artifact = {name: members[name] for name in (*_IDENTIFIED, "ref") if name in members}
    artifact |= {"version": _VERSION, "contentLength": int(members["contentLength"])}
    ref = _canonical_ref(artifact)
    status: CheckStatus = "valid" if ref == artifact["ref"] else "identity-mismatch"
    return ArtifactCheck(status, None, artifact, ref)


def resolve_prepared_artifact(value: object, store: PreparedTextStore | None) -> Resolution:
    """Look the text of an artifact up.

    Args:
        value: the artifact as it was stored.
        store: where texts are; none is like one that fails. It is asked only for an artifact
            that is valid and has its own reference.
    """
    check = check_prepared_artifact(value)
    if check.artifact is None:
        return Resolution("invalid-artifact", reason=check.reason)
    ref = str(check.artifact["ref"])
    refs: dict[str, Any] = {"requested_ref": ref, "canonical_ref": check.canonical_ref}
    if check.status == "identity-mismatch":
        return Resolution("identity-mismatch", **refs)
    try:
        text: object = store.get(ref) if store is not None else _NO_STORE
    except Exception:  # noqa: BLE001 - a store is the caller's, and so is what it raises
        text = _NO_STORE
    if text is _NO_STORE:
        return Resolution("storage-error", **refs)
    if text is None:
        return Resolution("unavailable", **refs)
    return _compared(check.artifact, text, refs)


_NO_STORE: Final = object()


def _compared(artifact: Artifact, text: object, refs: dict[str, Any]) -> Resolution:
    if not isinstance(text, str) or not _is_well_formed(text):
        return Resolution("invalid-artifact", reason="invalid-resolved-text", **refs)
    digest, length = prepared_text_digest(text), units_of(text)
    if digest != artifact["digest"] or length != artifact["contentLength"]:
        return Resolution("digest-mismatch", actual_digest=digest, actual_length=length, **refs)
    return Resolution("available", text, **refs)


def _canonical_ref(artifact: Artifact) -> str:
    identified = {name: artifact.get(name) for name in _IDENTIFIED}
    return _REF + canonical_digest(identified, "as-stored")


def _broken_rule(members: Artifact) -> str | None:
    """The first rule that an artifact breaks, its identity aside."""
    for reason, is_kept in _RULES:
        if not is_kept(members):
            return reason
    return None


def _is_count(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= _SAFE and value == int(value)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and is_hex(value, _HEX)


def _is_ref(value: object) -> bool:
    return isinstance(value, str) and value.startswith(_REF) and is_hex(value[len(_REF) :], _HEX)


def _is_well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _is_well_formed_or_absent(value: object) -> bool:
    return not isinstance(value, str) or _is_well_formed(value)


def _is_one(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value == _VERSION


def _is_filled(value: object) -> bool:
    return isinstance(value, str) and has_content(value)


_RULES: Final[tuple[tuple[str, Callable[[Artifact], bool]], ...]] = (
    ("invalid-format", lambda one: one.get("format") == _FORMAT),
    ("invalid-version", lambda one: _is_one(one.get("version"))),
    ("invalid-digest", lambda one: _is_digest(one.get("digest"))),
    ("invalid-ref", lambda one: _is_ref(one.get("ref"))),
    ("invalid-preparation-mode", lambda one: one.get("preparationMode") in _MODES),
    ("invalid-preparation-version", lambda one: _is_filled(one.get("preparationVersion"))),
    ("invalid-content-length", lambda one: _is_count(one.get("contentLength"))),
    (
        "invalid-source-snapshot-ref",
        lambda one: (
            "sourceSnapshotRef" not in one
            or (isinstance(one["sourceSnapshotRef"], str) and one["sourceSnapshotRef"] != "")
        ),
    ),
    (
        "ill-formed-unicode",
        lambda one: (
            _is_well_formed_or_absent(one["preparationVersion"])
            and _is_well_formed_or_absent(one.get("sourceSnapshotRef"))
        ),
    ),
)
