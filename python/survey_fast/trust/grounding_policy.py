"""What a grounding policy asks, and what it is asked about.

The claims that must be grounded come from what the caller states, never from the evidence: what
nobody hands over could otherwise not be missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import step
from survey_fast.trust.evidence.sidecars import reviewed_part

__all__ = ["GroundingPolicy", "index_claims", "index_reviewed", "read_policy"]

_FLAGS: Final = (
    "requireExactLocator",
    "requirePreparedArtifact",
    "requireAcceptedReview",
    "requireValidatedStructure",
    "requireCurrentSource",
    "requireVerifiedExcerpts",
    "refuseExcludedRivals",
    "refuseChosenOverRivals",
)


@dataclass(frozen=True, slots=True)
class GroundingPolicy:
    """A policy that was read.

    Attributes:
        id: its name.
        action: what it is to allow.
        required: the claims that must be grounded, each once.
        flags: the names of the rules that are on.
    """

    id: str
    action: str
    required: tuple[str, ...]
    flags: frozenset[str]

    def asks(self, flag: str) -> bool:
        """Whether a rule is on."""
        return flag in self.flags


def read_policy(policy: object) -> GroundingPolicy:
    """Check a policy ``{id, action, requiredClaimIds}`` with perhaps a boolean for each rule.

    Raises EvidenceError: ``grounding-input-malformed``, with a pointer into ``/policy``.
    """
    found = _object(policy, "/policy")
    for name in found:
        if name not in _FLAGS and name not in {"id", "action", "requiredClaimIds"}:
            message = "a member that no policy has"
            raise _malformed(message, "/policy" + step(str(name)))
    for name in ("id", "action"):
        if not isinstance(found.get(name), str) or not found[name]:
            message = "text that is not empty belongs here"
            raise _malformed(message, f"/policy/{name}")
    required = found.get("requiredClaimIds")
    if not isinstance(required, list) or not all(isinstance(one, str) and one for one in required):
        message = "an array of claim ids belongs here"
        raise _malformed(message, "/policy/requiredClaimIds")
    for name in _FLAGS:
        if not isinstance(found.get(name, False), bool):
            message = "a rule is on or off: true or false"
            raise _malformed(message, f"/policy/{name}")
    flags = frozenset(name for name in _FLAGS if found.get(name))
    return GroundingPolicy(found["id"], found["action"], tuple(dict.fromkeys(required)), flags)


def index_claims(claims: Sequence[object]) -> dict[str, Any]:
    """The value of each claim ``{id, value}``; other members are not read.

    Raises EvidenceError: ``grounding-input-malformed``: no id, no value, or an id twice.
    """
    values: dict[str, Any] = {}
    for index, claim in enumerate(claims):
        claim_id = claim.get("id") if isinstance(claim, dict) else None
        if not isinstance(claim, dict) or not isinstance(claim_id, str) or claim_id in values:
            message = "a claim is an object with an id of its own"
            raise _malformed(message, f"/claims/{index}")
        if "value" not in claim:
            message = "a claim has a value"
            raise _malformed(message, f"/claims/{index}/value")
        values[claim_id] = claim["value"]
    return values


def index_reviewed(evidence: Sequence[object]) -> dict[str, list[dict[str, Any]]]:
    """Items of reviewed evidence by the claim they are for, in order.

    Raises EvidenceError: ``grounding-input-malformed``: evidence that is no object, names no
    claim or has no id of its own.
    """
    by_claim: dict[str, list[dict[str, Any]]] = {}
    seen: set[str] = set()
    for index, item in enumerate(evidence):
        if not isinstance(item, dict) or not isinstance(item.get("claimId"), str):
            message = "an item of evidence is an object that names its claim"
            raise _malformed(message, f"/evidence/{index}")
        evidence_id = item.get("id")
        if not isinstance(evidence_id, str) or evidence_id in seen:
            message = "an item of evidence has an id of its own"
            raise _malformed(message, f"/evidence/{index}/id")
        seen.add(evidence_id)
        if reviewed_part(item) is not None:
            by_claim.setdefault(item["claimId"], []).append(item)
    return by_claim


def _object(value: object, pointer: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    message = "an object belongs here"
    raise _malformed(message, pointer)


def _malformed(message: str, pointer: str) -> SurveyError:
    return refusal("grounding-input-malformed", message, pointer)
