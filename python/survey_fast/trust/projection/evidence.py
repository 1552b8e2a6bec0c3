"""Evidence of one extraction: what kind it is, where it stands, what it quotes.

1. The type follows from the kind of source and from how a value came to be the one that holds.
2. An excerpt is never empty. A policy standard is quoted by its own text; where nothing was quoted
   a sentence says what was read from what, and the locator stands beside it all the same.
3. Metadata of source, extraction and candidate are joined, later ones winning, and facts about the
   source are put over them. Their values are shared with the input, not copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from survey_fast.trust.discipline import require_locator
from survey_fast.trust.survey_input import SurveyRecords

__all__ = ["anchor_type", "confidence_of", "evidence_of", "source_of"]

Record: TypeAlias = Mapping[str, Any]

_UNRESOLVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "uploaded-document": "document_citation",
        "structured-file": "document_citation",
        "web-page": "crawl_observation",
        "policy-standard": "policy_rule",
    }
)
"""Types without a resolution, ``attestation`` for every other kind."""
_STATED: Final[Mapping[str, str]] = MappingProxyType({**_UNRESOLVED, "manual-entry": "attestation"})
"""Types of what was extracted, chosen or carried, ``source_excerpt`` for every other kind."""
_STANDARD_MEMBERS: Final = ("inlineText", "standardVersion", "paragraphRef")


def anchor_type(source: Record) -> str:
    """The type of evidence that a source is, whatever was read from it."""
    return _UNRESOLVED.get(source["kind"], "attestation")


def _evidence_type(source: Record) -> str:
    kind: str = source["kind"]
    match source.get("resolution"):
        case None:
            return _UNRESOLVED.get(kind, "attestation")
        case "extraction" | "precedence-selection" | "carry-forward":
            return _STATED.get(kind, "source_excerpt")
        case "observation":
            return "crawl_observation" if kind == "web-page" else "source_excerpt"
        case _:  # testimony and supersession are somebody's word
            return "attestation"


def source_of(records: SurveyRecords, candidate: Record) -> tuple[Record, Record]:
    """Extraction and source behind a candidate."""
    extraction = records.extractions[candidate["extractionId"]]
    return extraction, records.sources[extraction["sourceId"]]


def evidence_of(
    records: SurveyRecords, target: Record, candidate: Record, evidence_id: str, pointer: str
) -> dict[str, Any]:
    """The evidence that a candidate is for a claim.

    Args:
        records: the input.
        target: the claim target.
        candidate: one candidate of its set.
        evidence_id: the id it is to have.
        pointer: leads to the claim target.

    Raises:
        ProjectionError: ``locator-missing``.
    """
    extraction, source = source_of(records, candidate)
    locator = extraction.get("locator")
    require_locator(source["kind"], locator, pointer)
    evidence: dict[str, Any] = {
        "id": evidence_id,
        "claimId": target["id"],
        "evidenceType": target.get("evidenceType") or _evidence_type(source),
        "method": target.get("evidenceMethod", "extraction"),
        "sourceRef": source["sourceRef"],
        "excerptOrSummary": _excerpt(target, extraction, source),
        "observedAt": source["observedAt"],
        "collectedBy": target["collectedBy"],
        "metadata": _metadata(extraction, source, candidate),
    }
    if locator:
        evidence["sourceLocator"] = locator
    checksum = source.get("checksum")
    if checksum:
        evidence["integrityRef"] = checksum
    return evidence


def _excerpt(target: Record, extraction: Record, source: Record) -> str:
    quoted = source.get("inlineText") if source["kind"] == "policy-standard" else None
    text: str = quoted or extraction.get("excerpt") or ""
    return text or f"Extracted {target['fieldOrBehavior']} from {source['kind']}."


def _metadata(extraction: Record, source: Record, candidate: Record) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for holder in (source, extraction, candidate):
        if "metadata" in holder:
            metadata.update(holder["metadata"])
    if source["kind"] == "policy-standard" and "policyStandard" not in metadata:
        standard = {one: source[one] for one in _STANDARD_MEMBERS if one in source}
        if standard:
            metadata["policyStandard"] = standard
    metadata["rawSourceKind"] = source["kind"]
    metadata["locatorScheme"] = source["locatorScheme"]
    if "resolution" in source:
        metadata["provenanceResolution"] = source["resolution"]
    confidence = confidence_of(extraction, candidate)
    if confidence is not None:
        metadata["confidence"] = confidence
    return metadata


def confidence_of(extraction: Record, candidate: Record) -> float | None:
    """The candidate's own confidence, else that of its extraction."""
    confidence: float | None = candidate.get("confidence", extraction.get("confidence"))
    return confidence
