"""A reading of a source in the light of a claim: evidence and metadata, never an event.

An event that repeated the status of the claim at a later time would hide an unresolved escalation
and renew a window of validity that nobody renewed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.projection.escalations import in_order
from survey_fast.trust.projection.evidence import anchor_type
from survey_fast.trust.projection.identities import Identities
from survey_fast.trust.survey_input import SurveyRecords

__all__ = ["Reading", "readings_by_claim"]

Record: TypeAlias = Mapping[str, Any]


class Reading(NamedTuple):
    """What one interpretation adds to its claim."""

    note: dict[str, Any]
    evidence: dict[str, Any]


def readings_by_claim(records: SurveyRecords, identities: Identities) -> dict[str, list[Reading]]:
    """The readings of each claim in the order in which they were recorded.

    Raises:
        ProjectionError: ``interpretation-target``, ``interpretation-anchor``.
    """
    if not records.interpretations:
        return {}
    by_target: dict[str, list[str]] = {}
    for claim_id, claim in records.claims.items():
        by_target.setdefault(_target_of(records, claim), []).append(claim_id)
    found: dict[str, list[Record]] = {}
    for at, one in enumerate(records.interpretations):
        claim_id = _claim_of(records, by_target, one, f"/interpretations/{at}")
        _require_anchor(records, one, f"/interpretations/{at}")
        found.setdefault(claim_id, []).append(one)
    return {
        claim_id: [
            _reading(records, one, claim_id, identities) for one in in_order(ones, "recordedAt")
        ]
        for claim_id, ones in found.items()
    }


def _claim_of(
    records: SurveyRecords, by_target: Mapping[str, list[str]], one: Record, pointer: str
) -> str:
    target = one.get("appliesToTarget")
    hits: list[str] = by_target.get(target, []) if target is not None else []
    claim_id = one.get("appliesToClaimId")
    claim = None if claim_id is None else records.claims.get(claim_id)
    if claim_id is not None:
        is_hit = claim is not None and target in (None, _target_of(records, claim))
        hits = [claim_id] if is_hit else []
    if len(hits) != 1:
        message = f"an interpretation applies to exactly one claim; this one meets {len(hits)}"
        raise refusal("interpretation-target", message, pointer)
    return hits[0]


def _target_of(records: SurveyRecords, claim: Record) -> str:
    """What the candidates of a claim are values of."""
    target: str = records.sets[claim["candidateSetId"]]["target"]
    return target


def _require_anchor(records: SurveyRecords, one: Record, pointer: str) -> None:
    kind = records.sources[one["anchorsToSourceId"]]["kind"]
    if one.get("readingKind", "policy-standard") == "policy-standard" and kind != "policy-standard":
        message = f"a policy standard is read from a source of that kind, not from a {kind}"
        raise refusal("interpretation-anchor", message, f"{pointer}/anchorsToSourceId")


def _reading(records: SurveyRecords, one: Record, claim_id: str, identities: Identities) -> Reading:
    source = records.sources[one["anchorsToSourceId"]]
    evidence_id = identities.of("interpretation-evidence", one["id"], "evidence.anchor")
    note = {
        "id": one["id"],
        "reading": one["reading"],
        "readingKind": one.get("readingKind", "policy-standard"),
        "ruleLocator": one["ruleLocator"],
        "actor": one["actor"],
        "recordedAt": one["recordedAt"],
        "evidenceId": evidence_id,
        "edges": [
            {"relation": "appliesTo", "claimId": claim_id},
            {"relation": "anchorsTo", "rawSourceId": source["id"]},
        ],
    }
    for member in ("answerImpact", "metadata"):
        if member in one:
            note[member] = one[member]
    evidence = {
        "id": evidence_id,
        "claimId": claim_id,
        "evidenceType": anchor_type(source),
        "method": "anchoring",
        "sourceRef": source["sourceRef"],
        "sourceLocator": one["ruleLocator"],
        "excerptOrSummary": source.get("inlineText") or one["reading"],
        "observedAt": source["observedAt"],
        "collectedBy": one["actor"],
        "metadata": {"rawSourceKind": source["kind"], "locatorScheme": source["locatorScheme"]},
    }
    if source.get("checksum"):
        evidence["integrityRef"] = source["checksum"]
    return Reading(note, evidence)
