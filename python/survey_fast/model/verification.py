"""What one verifier said about one candidate. A statement, never a trust decision."""

from __future__ import annotations

from typing import Literal, TypeAlias

from survey_fast.model.names import CandidateId
from survey_fast.model.wire import Listed, MayLack, Number, PrefixedDigest, WireRecord

__all__ = [
    "AbstainReason",
    "CandidateVerification",
    "VerificationMethod",
    "VerificationResult",
    "VerifierReference",
]

VerificationMethod: TypeAlias = Literal["deterministic", "model", "human"]
VerificationResult: TypeAlias = Literal["supported", "contradicted", "not-addressed", "abstain"]
AbstainReason: TypeAlias = Literal["malformed", "empty", "timeout", "unsupported", "error"]


class VerifierReference(WireRecord):
    """Which verifier, in which version."""

    id: str
    version: str


class CandidateVerification(WireRecord):
    """The record of one answer of a verifier.

    Attributes:
        id: digest of all other members; it shows an edit and signs nothing.
        evidence_ids: unique, sorted by UTF-16 code unit, at least one.
        value_digest: digest of the value that was asked about.
        input_digest: digest of the whole question: candidate, value, type and evidence.
        abstain_reason: present exactly when ``result`` is ``abstain``.
        score: from 0 to 1, where the verifier gave one.
        created_at: UTC with milliseconds and ``Z``.
    """

    id: PrefixedDigest
    kind: Literal["survey.candidate-verification"]
    schema_version: Literal[1]
    candidate_id: CandidateId
    evidence_ids: Listed[str]
    value_digest: PrefixedDigest
    input_digest: PrefixedDigest
    verifier: VerifierReference
    method: VerificationMethod
    result: VerificationResult
    abstain_reason: MayLack[AbstainReason] = None
    score: MayLack[Number] = None
    created_at: str
