"""Reading reviewed evidence back: every check again, then the same item once more.

1. The record comes from whoever was asked for it, else from the item itself. Wherever it comes
   from, it has the digest that the item names; a record on the item is compared in any case.
2. The proposal that the item quotes is the record's.
3. What was derived again has the profile digest, and is, member for member, what the item holds.
   So there is no place in an item where something could be changed or added unseen.

The digest is no signature: who rewrites input, anchors and digest together makes other evidence.
What stops that is a record or a bundle kept elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import inside, step
from survey_fast.trust.evidence.derivation import Derivation, derive
from survey_fast.trust.evidence.profiles import CHOICE, EMBEDDED, REFERENCE, EvidenceProfile
from survey_fast.trust.evidence.project import preimage
from survey_fast.trust.evidence.record import RecordContext, read_record, record_digest
from survey_fast.trust.evidence.shape import (
    EVIDENCE,
    exactly,
    is_digest,
    members,
    moved,
    same_value,
)
from survey_fast.trust.evidence.sidecars import sidecar_mismatch

__all__ = ["Resolver", "restore_reviewed_extraction_evidence"]

Resolver: TypeAlias = Callable[[str], RecordContext | None]
"""Gives the import record of a digest, or None; a RecordResolver, or a host's own."""

_PART: Final = "/metadata/reviewedExtraction"
_INPUT: Final = f"{_PART}/input"
_SIDECAR: Final = f"{_PART}/importRecord"
_METADATA: Final = ("reviewedExtraction",)
_MEMBERS: Final = ("profile", "profileDigest", "input", "gaps")
_ALLOWED: Final[Mapping[EvidenceProfile, frozenset[str]]] = MappingProxyType(
    {
        EMBEDDED: frozenset(_MEMBERS),
        REFERENCE: frozenset((*_MEMBERS, "importRecord")),
        CHOICE: frozenset((*_MEMBERS, "choice", "importRecord")),
    }
)

_PLAIN: Final = frozenset({str, bool, dict})
"""Types in an item. Of these, none equals a value of another, as True and 1 do to Python."""
_QUOTED: Final = b',"proposal":'


def restore_reviewed_extraction_evidence(
    evidence: object, resolver: Resolver | None = None
) -> Derivation:
    """Read an item of reviewed evidence and make sure that it is what its input gives.

    Args:
        evidence: the item as plain data.
        resolver: asked for the import record before the item's own is used.

    Returns:
        What the checks found: record, proposal, item, decision, gaps, anchors.

    Raises:
        EvidenceError: ``import-record-unresolved``, ``sidecar-mismatch``, ``evidence-tampered``,
            or the code of a check that the input fails. The pointer leads into the item; that
            of a record's fault to where the record rides, or would.
        JsonError: not lossless JSON.
        TypeError: not plain data.
    """
    item = members(evidence, "", EVIDENCE)
    metadata = members(item.get("metadata"), "/metadata", EVIDENCE)
    exactly(metadata, "/metadata", _METADATA, EVIDENCE)
    part = members(metadata["reviewedExtraction"], _PART, EVIDENCE)
    profile = _profile(part)
    stored = members(part["input"], _INPUT, EVIDENCE)
    given = stored.copy()
    if profile == EMBEDDED:
        place = f"{_INPUT}/importRecord"
        context = _read(given.pop("importRecord", None), place)
    else:
        place = _SIDECAR
        context = _resolved(part, given.pop("importRecordDigest", None), resolver)
        if given.pop("proposal", None) is None:
            message = "the cited proposal belongs to the input"
            raise EVIDENCE.refuse(message, f"{_INPUT}/proposal")
    found = _derived(context, given, profile, place)
    try:
        hashed = preimage(found, stored)
    except SurveyError as refused:
        raise moved(refused, _INPUT) from None
    if profile != EMBEDDED:
        _check_proposal(hashed, found)
    if part["profileDigest"] != f"sha256:{sha256_hex(hashed)}":
        raise _tampered(_PART, "profileDigest")
    _compare(item, part, found)
    return found


def _profile(part: dict[str, Any]) -> EvidenceProfile:
    """Check the members of the part; its profile."""
    if not all(map(part.__contains__, _MEMBERS)):
        EVIDENCE.require(part, _PART, _MEMBERS)
    profile = part["profile"]
    allowed = _ALLOWED.get(profile) if isinstance(profile, str) else None  # type: ignore[call-overload]
    if allowed is None:
        message = "evidence of this profile is not read"
        raise refusal("evidence-profile-unsupported", message, f"{_PART}/profile")
    if not allowed.issuperset(part):
        EVIDENCE.close(part, _PART, allowed)
    return profile  # type: ignore[no-any-return]


def _read(record: object, place: str) -> RecordContext:
    with inside(place):
        return read_record(members(record, "", EVIDENCE))


def _resolved(part: Mapping[str, Any], digest: object, resolver: Resolver | None) -> RecordContext:
    """Rule 1."""
    if not isinstance(digest, str) or not is_digest(digest):
        message = "sha256: and 64 lower-case hex digits belong here"
        raise EVIDENCE.refuse(message, f"{_INPUT}/importRecordDigest")
    context = None
    try:
        context = None if resolver is None else resolver(digest)
    except SurveyError as refused:
        raise moved(refused, _SIDECAR) from None
    if "importRecord" in part:
        context = _compared(part["importRecord"], digest, context)
    if context is None:
        message = "the import record is needed; hand over a resolver that holds it"
        details = {"importRecordDigest": digest}
        raise refusal("import-record-unresolved", message, _SIDECAR, details)
    if context.digest != digest:
        raise sidecar_mismatch(digest, _SIDECAR)
    return context


def _compared(carried: object, digest: str, context: RecordContext | None) -> RecordContext:
    """The record that rides on an item, read unless it is at hand; it is the one named."""
    if context is None:
        context = _read(carried, _SIDECAR)
        found = context.digest
    else:
        with inside(_SIDECAR):
            found = record_digest(members(carried, "", EVIDENCE))
    if found != digest:
        raise sidecar_mismatch(digest, _SIDECAR)
    return context


def _derived(
    context: RecordContext, given: dict[str, Any], profile: EvidenceProfile, record_place: str
) -> Derivation:
    try:
        return derive(context, given, profile)
    except SurveyError as refused:
        pointer = refused.pointer or ""
        place = f"{_INPUT}{pointer}"
        if pointer.startswith("/importRecord/"):
            place = record_place + pointer.removeprefix("/importRecord")
        raise type(refused)(refused.message, place, refused.details, refused.code) from None


def _check_proposal(hashed: bytes, found: Derivation) -> None:
    """Rule 2, by the text that was hashed.

    The members before the proposal are strings, and no string holds an unescaped quotation mark;
    so the mark stands where it is sought, and what follows is the proposal's canonical text.
    """
    at = hashed.index(_QUOTED, hashed.index(b',"input":{')) + len(_QUOTED)
    if not hashed.startswith(found.proposal.text + b',"proposalIndex":', at):
        raise _tampered(_INPUT, "proposal")


def _compare(item: Mapping[str, Any], part: Mapping[str, Any], found: Derivation) -> None:
    """Rule 3, for what the digest covers and what stands beside it."""
    if not (found.anchors.items() <= item.items() and _PLAIN.issuperset(map(type, item.values()))):
        for name, wanted in found.anchors.items():
            value = item.get(name)
            if value is not wanted and (value != wanted or type(value) is not type(wanted)):
                raise _tampered("", name)
    if len(item) != len(found.anchors) + 1:
        extra = next(name for name in item if name not in found.anchors and name != "metadata")
        raise _tampered("", extra)
    if part["gaps"] != [] or found.gaps:
        _compare_part(part, "gaps", found.gaps)
    if found.choice is not None:
        _compare_part(part, "choice", found.choice.to_json())
    elif "choice" in part:
        raise _tampered(_PART, "choice")


def _compare_part(part: Mapping[str, Any], name: str, wanted: list[Any] | dict[str, Any]) -> None:
    """A member beside the digest, which may hold anything, even what no JSON text can."""
    with inside(f"{_PART}/{name}"):
        is_same = name in part and same_value(part[name], wanted)
    if not is_same:
        raise _tampered(_PART, name)


def _tampered(place: str, name: str) -> SurveyError:
    message = "the evidence is not what its own input gives; it was edited after it was written"
    return refusal("evidence-tampered", message, place + step(name))
