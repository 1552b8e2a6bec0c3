"""The question put to a verifier: does this evidence support this value of this candidate?

1. Evidence is sorted by id in UTF-16 code-unit order; ids are unique. Other members of an
   evidence entry are left out, other members of the question are refused.
2. No evidence is the caller's mistake, not an abstention.
3. Every digest is ``sha256:`` over canonical JSON (``jcs``). All but the value's own are taken
   over ``{domain, payload}``, so that no digest of one kind can pass for another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from survey_fast.canon import Document, Json, data_digest, sort_names
from survey_fast.imports.verification_shape import INPUT, Members
from survey_fast.model import CandidateId, PrefixedSha256

__all__ = ["SupportInput", "domain_digest", "read_subject", "read_support_input", "value_digest"]

_DOMAIN: Final = "survey.support-verification-input/v1"
_MEMBERS: Final = ("candidateId", "value", "valueType", "evidence")


@dataclass(frozen=True, slots=True)
class SupportInput:
    """A question that was checked, with its digests.

    Attributes:
        document: the question as plain data, evidence sorted.
        candidate_id: whom it is about.
        evidence_ids: sorted; empty when the question names no evidence.
        value_digest: digest of the value.
        input_digest: digest of the question; ``None`` without evidence.
    """

    document: Members
    candidate_id: CandidateId
    evidence_ids: tuple[str, ...]
    value_digest: PrefixedSha256
    input_digest: PrefixedSha256 | None


def value_digest(value: Json) -> PrefixedSha256:
    """``sha256:`` and the SHA-256 of the canonical text (``jcs``) of a plain value.

    A ``str`` is a value here, not the text of a document. 1 and 1.0 are one value, 1 and "1" two.

    Raises:
        TypeError: the value is not plain data (dict, list, str, int, float, bool, None).
        JsonError: no document could hold the value: a number out of range, a negative zero,
            half of a surrogate pair, nesting over 128.
    """
    return PrefixedSha256(f"sha256:{data_digest(value)}")


def domain_digest(domain: str, payload: Members) -> PrefixedSha256:
    """The digest of ``payload`` under rule 3."""
    return value_digest({"domain": domain, "payload": payload})


def read_support_input(document: Document) -> SupportInput:
    """Check a question: ``{candidateId, value, valueType?, evidence}``."""
    members = INPUT.read(document)
    INPUT.require(members, "", ("candidateId", "value", "evidence"))
    return _checked(members)


def read_subject(document: Document) -> SupportInput:
    """Check a question that may lack its evidence."""
    members = INPUT.read(document)
    INPUT.require(members, "", ("candidateId", "value"))
    return _checked(members)


def _checked(members: Members) -> SupportInput:
    INPUT.close(members, "", _MEMBERS)
    candidate_id = INPUT.text(members["candidateId"], "/candidateId")
    digest = value_digest(members["value"])
    payload: Members = {"candidateId": candidate_id, "valueDigest": digest}
    if "valueType" in members:
        payload["valueType"] = INPUT.text(members["valueType"], "/valueType")
    if "evidence" not in members:
        return SupportInput(members, CandidateId(candidate_id), (), digest, None)
    evidence = _evidence(members["evidence"])
    payload["evidence"] = list(evidence.values())
    document: Members = {**members, "evidence": payload["evidence"]}
    asked = domain_digest(_DOMAIN, payload)
    return SupportInput(document, CandidateId(candidate_id), tuple(evidence), digest, asked)


def _evidence(value: Json) -> dict[str, Members]:
    """Evidence by id, sorted."""
    found: dict[str, Members] = {}
    for index, entry in enumerate(INPUT.array(value, "/evidence")):
        at = f"/evidence/{index}"
        kept = _evidence_entry(INPUT.object(entry, at), at)
        name = str(kept["id"])
        if name in found:
            message = "two entries of evidence have one id; give each passage an id of its own"
            raise INPUT.refuse(message, f"{at}/id")
        found[name] = kept
    return {name: found[name] for name in sort_names(list(found))}


def _evidence_entry(entry: Members, at: str) -> Members:
    INPUT.require(entry, at, ("id", "excerpt", "locator"))
    kept: Members = {
        "id": INPUT.text(entry["id"], f"{at}/id"),
        "excerpt": INPUT.string(entry["excerpt"], f"{at}/excerpt"),
        "locator": INPUT.text(entry["locator"], f"{at}/locator"),
    }
    if "context" in entry:
        kept["context"] = INPUT.string(entry["context"], f"{at}/context")
    return kept
