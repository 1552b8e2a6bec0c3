"""How an export judges its own reviewed claims, and what follows for each.

1. An export asks for an exact locator, a prepared artifact, an accepted review, a structure that
   holds, and excerpts that were looked up; it refuses excluded rivals. A value chosen over rivals
   is allowed, since the choice is on record.
2. Of a claim that its review verified, a reason that is only about structure leaves the claim
   *unchecked*: nothing contradicts it. Any other reason *refuses* it.
3. A value that breaks its declared type, by its own form or by what the extractor recorded, is a
   schema mismatch. It refuses the claim.
4. A refusal over a rival or over the schema disputes the claim: two things on record disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.trust.evidence.derivation import Derivation
from survey_fast.trust.evidence.item import binding_of
from survey_fast.trust.grounding import Grounding

__all__ = [
    "EXPORT_ACTION",
    "EXPORT_POLICY_ID",
    "GroundingSplit",
    "dispute_reasons",
    "evidence_id",
    "export_policy",
    "split_grounding",
]

EXPORT_ACTION: Final = "survey-fast/reviewed-export"
"""The action an export asks for, the collector of its evidence, the actor of its disputes."""
EXPORT_POLICY_ID: Final = "survey-fast/reviewed-export-grounding/v1"

_STRUCTURAL: Final = frozenset({"evidence-not-entailing", "structure-not-validated", "profile-gap"})
_SCHEMA: Final = "schema-mismatch"
_DISPUTING: Final = frozenset(
    {"excluded-rival-unresolved", "hidden-conflict", "chosen-over-rival-unresolved", _SCHEMA}
)
_MISMATCHES: Final = ("type-mismatch", "enum-mismatch", "format-invalid")


def evidence_id(item_name: str) -> str:
    """The id of the reviewed evidence of an item."""
    return f"{item_name}.reviewed-extraction-evidence"


def export_policy(required_claim_ids: Iterable[str]) -> dict[str, Any]:
    """The policy of rule 1, for the claims that an export states."""
    return {
        "id": EXPORT_POLICY_ID,
        "action": EXPORT_ACTION,
        "requiredClaimIds": list(required_claim_ids),
        "requireExactLocator": True,
        "requirePreparedArtifact": True,
        "requireAcceptedReview": True,
        "requireValidatedStructure": True,
        "requireVerifiedExcerpts": True,
        "refuseExcludedRivals": True,
    }


@dataclass(frozen=True, slots=True)
class GroundingSplit:
    """Rules 2 to 4 applied.

    Attributes:
        receipt: the decision with the schema mismatches among its gaps.
        refused: claims whose grounding is refused: ``{claimId, fieldPath, gaps, evidenceIds,
            schemaMatch?}``, ``gaps`` being kinds.
        unchecked: claims of which only the structure could not be checked, of the same shape.
    """

    receipt: dict[str, Any]
    refused: list[dict[str, Any]]
    unchecked: list[dict[str, Any]]


def split_grounding(grounding: Grounding, verified: Mapping[str, str]) -> GroundingSplit:
    """Split the claims that their review verified.

    Args:
        grounding: the evaluation under :func:`export_policy`.
        verified: field path by claim id, of the claims whose status is ``verified``, in order.
    """
    decision = grounding.decision
    by_claim: dict[str, list[dict[str, Any]]] = {}
    for gap in decision["gaps"]:
        if "claimId" in gap:
            by_claim.setdefault(gap["claimId"], []).append(gap)
    recorded: dict[str, tuple[str, str]] = {}
    for dimension in decision["dimensions"]:
        word = _recorded_mismatch(grounding.restored[dimension["evidenceId"]])
        if word is not None:
            recorded.setdefault(dimension["claimId"], (dimension["evidenceId"], word))
    split = GroundingSplit({}, [], [])
    mismatches: list[dict[str, Any]] = []
    for claim_id, field_path in verified.items():
        gaps = by_claim.get(claim_id, [])
        mismatch = _mismatch(claim_id, gaps, recorded.get(claim_id))
        if mismatch is not None:
            mismatches.append(mismatch)
            gaps = [*gaps, mismatch]
        if not gaps:
            continue
        entry = _entry(claim_id, field_path, gaps)
        is_structural = _STRUCTURAL.issuperset(entry["gaps"])
        (split.unchecked if is_structural else split.refused).append(entry)
    receipt = {
        "apiVersion": "survey-fast/v1",
        "kind": "ReviewedGroundingEvaluation",
        **decision,
        "gaps": [*decision["gaps"], *mismatches],
    }
    if mismatches:
        receipt["outcome"] = "refused"
    return GroundingSplit(receipt, split.refused, split.unchecked)


def _mismatch(
    claim_id: str, gaps: Sequence[Mapping[str, Any]], recorded: tuple[str, str] | None
) -> dict[str, Any] | None:
    """Rule 3, as a gap."""
    if recorded is not None:
        named, word = recorded
        return {"kind": _SCHEMA, "claimId": claim_id, "evidenceId": named, "schemaMatch": word}
    for gap in gaps:
        if gap["kind"] == "structure-not-validated" and gap["structuralTrust"] == "invalid":
            return {"kind": _SCHEMA, "claimId": claim_id, "evidenceId": gap["evidenceId"]}
    return None


def _recorded_mismatch(found: Derivation) -> str | None:
    """What the extractor recorded about form, on the proposal or on the candidate for it."""
    holders: list[object] = [found.proposal.raw]
    if found.item is not None:
        for candidate in found.item.candidates:
            binding = binding_of(candidate)
            if found.choice is None or candidate["id"] == found.choice.cited:
                holders.append(binding)
    for holder in holders:
        match = holder.get("evidenceMatch") if isinstance(holder, dict) else None
        word = match.get("schema") if isinstance(match, dict) else None
        if isinstance(word, str) and word in _MISMATCHES:
            return word
    return None


def _entry(claim_id: str, field_path: str, gaps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    named = dict.fromkeys(gap["evidenceId"] for gap in gaps if "evidenceId" in gap)
    entry: dict[str, Any] = {
        "claimId": claim_id,
        "fieldPath": field_path,
        "gaps": list(dict.fromkeys(gap["kind"] for gap in gaps)),
        "evidenceIds": list(named),
    }
    words = [gap["schemaMatch"] for gap in gaps if "schemaMatch" in gap]
    if words:
        entry["schemaMatch"] = words[0]
    return entry


def dispute_reasons(entry: Mapping[str, Any]) -> list[str]:
    """What a refused claim is disputed for under rule 4, one text each; empty when it is not."""
    word = entry.get("schemaMatch", "invalid")
    return [
        f"{kind} ({word})" if kind == _SCHEMA else kind
        for kind in entry["gaps"]
        if kind in _DISPUTING
    ]
