"""Verification records: what is written about an answer, and how a stored record is checked.

1. A verdict is supported, contradicted or not-addressed, with a score or without; or it
   abstains, says why and has no score. A score is never made up.
2. A record names candidate, value and question by digest, and its id is the digest of all its
   other members. That shows an edit; it is no signature.
3. Records are closed and, once made, cannot be changed.
"""

from __future__ import annotations

import json
import re
from typing import Final, Protocol, get_args

from survey_fast.canon import Document, Json, canonical_json, data_json, sort_names
from survey_fast.imports.support_input import SupportInput, domain_digest, read_support_input
from survey_fast.imports.verification_shape import (
    INPUT,
    RECORD,
    Members,
    Shape,
    is_canonical_instant,
)
from survey_fast.model import (
    AbstainReason,
    CandidateVerification,
    VerificationMethod,
    VerificationResult,
)

__all__ = [
    "VerifierIdentity",
    "build_candidate_verification",
    "new_record",
    "read_instant",
    "read_verdict",
    "read_verifier",
    "validate_candidate_verification",
]

_KIND: Final = "survey.candidate-verification"
_DOMAIN: Final = f"{_KIND}/v1"
_METHODS: Final[tuple[str, ...]] = get_args(VerificationMethod)
_RESULTS: Final[tuple[str, ...]] = get_args(VerificationResult)
_REASONS: Final[tuple[str, ...]] = get_args(AbstainReason)
_VERDICT: Final = ("result", "abstainReason", "score")
_REQUIRED: Final = (
    "id",
    "kind",
    "schemaVersion",
    "candidateId",
    "evidenceIds",
    "valueDigest",
    "inputDigest",
    "verifier",
    "method",
    "result",
    "createdAt",
)
_DIGEST: Final = re.compile("sha256:[0-9a-f]{64}")


class VerifierIdentity(Protocol):
    """Who answers. ``id`` and ``version`` are not blank; a new prompt or model is a new version."""

    @property
    def id(self) -> str:
        """A stable name."""

    @property
    def version(self) -> str:
        """What distinguishes its answers from those of other states of the same verifier."""

    @property
    def method(self) -> VerificationMethod:
        """``deterministic``, ``model`` or ``human``."""


def build_candidate_verification(
    verifier: VerifierIdentity,
    verification_input: Document,
    verdict: Json,
    *,
    created_at: str,
) -> CandidateVerification:
    """Record a verdict that is already known.

    Args:
        verifier: who answered; only id, version and method are read.
        verification_input: ``{candidateId, value, valueType?, evidence}`` with evidence
            ``[{id, excerpt, locator, context?}, …]``, as bytes, text or plain data.
        verdict: ``{result, score?}`` or ``{result: "abstain", abstainReason}``, plain data.
        created_at: UTC instant such as ``2026-09-28T12:00:00.000Z``.

    Raises:
        VerificationError: ``verification-input-invalid``. The pointer leads into the input, or
            into the verdict; for the verifier and the time it is ``/verifier/…``, ``/method`` or
            ``/createdAt``, where their text would stand in the record.
        JsonError: the input or the verdict is not lossless JSON.
        TypeError: an argument is of a wrong Python type.
    """
    identity = read_verifier(verifier)
    asked = read_support_input(verification_input)
    return new_record(identity, asked, read_verdict(verdict), read_instant(created_at))


def validate_candidate_verification(
    record: Document | CandidateVerification,
) -> CandidateVerification:
    """Check a stored record against its format and its own digest.

    Args:
        record: bytes, text or plain data; a record of this package is checked all the same.

    Returns:
        The record as an immutable copy; ``to_json()`` gives the document again.

    Raises:
        VerificationError: ``verification-record-invalid``, with a pointer.
        JsonError: not lossless JSON.
        TypeError: neither a document nor a record.
    """
    stored = record.to_json() if isinstance(record, CandidateVerification) else record
    members = RECORD.read(stored)
    RECORD.require(members, "", _REQUIRED)
    RECORD.close(members, "", (*_REQUIRED, *_VERDICT))
    _check_format(members)
    _check_evidence_ids(members["evidenceIds"])
    for name in ("id", "valueDigest", "inputDigest"):
        if _DIGEST.fullmatch(RECORD.string(members[name], f"/{name}")) is None:
            message = "sha256: and 64 lower-case hex digits belong here"
            raise RECORD.refuse(message, f"/{name}")
    _check_verdict(RECORD, {name: members[name] for name in _VERDICT if name in members})
    rest = {name: value for name, value in members.items() if name != "id"}
    if domain_digest(_DOMAIN, rest) != members["id"]:
        message = "the id is not the digest of the record; it was edited"
        raise RECORD.refuse(message, "/id")
    return CandidateVerification.from_json(members)


def new_record(
    identity: Members, asked: SupportInput, verdict: Members, created_at: str
) -> CandidateVerification:
    """The record of checked parts."""
    rest: Members = {
        "kind": _KIND,
        "schemaVersion": 1,
        "candidateId": asked.candidate_id,
        "evidenceIds": list(asked.evidence_ids),
        "valueDigest": asked.value_digest,
        "inputDigest": asked.input_digest,
        "verifier": {"id": identity["id"], "version": identity["version"]},
        "method": identity["method"],
        **verdict,
        "createdAt": created_at,
    }
    return CandidateVerification.from_json({"id": domain_digest(_DOMAIN, rest), **rest})


def read_verifier(verifier: VerifierIdentity) -> Members:
    """Check who answers: ``{id, version, method}``, read once."""
    identity: Members = {}
    for name in ("id", "version", "method"):
        text = getattr(verifier, name, None)
        if not isinstance(text, str):
            message = f"a verifier's {name} is a str, not {type(text).__name__}"
            raise TypeError(message)
        identity[name] = text
    identity = json.loads(canonical_json(identity))
    INPUT.text(identity["id"], "/verifier/id")
    INPUT.text(identity["version"], "/verifier/version")
    INPUT.word(identity["method"], "/method", _METHODS)
    return identity


def read_verdict(verdict: Json) -> Members:
    """Check a verdict. A ``str`` is a string here, never the text of one."""
    members = INPUT.read(data_json(verdict))
    INPUT.close(members, "", _VERDICT)
    INPUT.require(members, "", ("result",))
    _check_verdict(INPUT, members)
    return members


def read_instant(created_at: object) -> str:
    """Check the time of a new record."""
    if not isinstance(created_at, str):
        message = f"the time of a record is a str, not {type(created_at).__name__}"
        raise TypeError(message)
    _check_instant(INPUT, created_at)
    return created_at


def _check_format(members: Members) -> None:
    RECORD.word(members["kind"], "/kind", (_KIND,))
    version = members["schemaVersion"]
    if isinstance(version, bool) or version != 1:
        message = "only version 1 of this format is read here"
        raise RECORD.refuse(message, "/schemaVersion")
    RECORD.text(members["candidateId"], "/candidateId")
    verifier = RECORD.object(members["verifier"], "/verifier")
    RECORD.require(verifier, "/verifier", ("id", "version"))
    RECORD.close(verifier, "/verifier", ("id", "version"))
    RECORD.text(verifier["id"], "/verifier/id")
    RECORD.text(verifier["version"], "/verifier/version")
    RECORD.word(members["method"], "/method", _METHODS)
    _check_instant(RECORD, members["createdAt"])


def _check_evidence_ids(value: Json) -> None:
    listed = RECORD.array(value, "/evidenceIds")
    names = [RECORD.text(name, f"/evidenceIds/{index}") for index, name in enumerate(listed)]
    if len(set(names)) < len(names) or names != sort_names(names):
        message = "evidence ids stand once each, in UTF-16 code-unit order"
        raise RECORD.refuse(message, "/evidenceIds")


def _check_verdict(shape: Shape, verdict: Members) -> None:
    """Rule 1, for members that are known to hold ``result``."""
    if shape.word(verdict["result"], "/result", _RESULTS) == "abstain":
        shape.require(verdict, "", ("abstainReason",))
        shape.word(verdict["abstainReason"], "/abstainReason", _REASONS)
        shape.close(verdict, "", ("result", "abstainReason"))
        return
    shape.close(verdict, "", ("result", "score"))
    score = verdict.get("score", 0)
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        message = "a number from 0 to 1 belongs here"
        raise shape.refuse(message, "/score")


def _check_instant(shape: Shape, value: Json) -> None:
    if not is_canonical_instant(shape.string(value, "/createdAt")):
        message = "a UTC instant like 2026-09-28T12:00:00.000Z belongs here"
        raise shape.refuse(message, "/createdAt")
