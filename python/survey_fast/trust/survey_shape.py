"""The closed shapes of the records of a ``SurveyInput``.

A member that may be absent is never null; only a value may be. ``true`` is no number. Required
texts are not empty. The time of a review is no time yet: it is judged where reviews are put in
order.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from survey_fast.trust.bundle_shape import STATUSES
from survey_fast.trust.rules import (
    ANYTHING,
    BOOLEAN,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    TIME,
    Rule,
    arrays,
    closed,
    leaf,
    words,
)

__all__ = ["IMPACTS", "INPUT", "RECORDS"]

IMPACTS: Final = ("low", "medium", "high", "critical")
"""Impact levels, from the least."""
_TEXTS: Final = arrays(TEXT)

_RAW_SOURCE: Final = closed(
    {
        "id": TEXT,
        "kind": words(
            *("uploaded-document", "web-page", "api-record", "manual-entry", "policy-standard"),
            *("inquiry-question", "agent-utterance", "system-schema", "structured-file"),
        ),
        "sourceRef": TEXT,
        "observedAt": TIME,
        "locatorScheme": words("pdf", "text", "html", "structured-field", "text-span"),
        "resolution": words(
            *("extraction", "testimony", "supersession", "precedence-selection"),
            *("carry-forward", "observation"),
        ),
        "fetchedAt": TIME,
        "checksum": STRING,
        "inlineText": STRING,
        "standardVersion": STRING,
        "paragraphRef": STRING,
        "metadata": OBJECT,
    },
    required=("id", "kind", "sourceRef", "observedAt", "locatorScheme"),
)
_EXTRACTION: Final = closed(
    {
        "id": TEXT,
        "sourceId": TEXT,
        "target": TEXT,
        "value": ANYTHING,
        "extractor": TEXT,
        "extractedAt": TIME,
        "confidence": NUMBER,
        "locator": STRING,
        "excerpt": STRING,
        "metadata": OBJECT,
    },
    required=("id", "sourceId", "target", "value", "extractor", "extractedAt"),
)
_CANDIDATE: Final = closed(
    {
        "id": TEXT,
        "extractionId": TEXT,
        "value": ANYTHING,
        "confidence": NUMBER,
        "sourceRank": NUMBER,
        "rejectionReason": STRING,
        "metadata": OBJECT,
    },
    required=("id", "extractionId", "value"),
)
_SET: Final = closed(
    {
        "id": TEXT,
        "target": TEXT,
        "candidates": arrays(_CANDIDATE, least=1),
        "status": words("resolved", "needs-review", "conflict", "escalated", "rejected"),
        "selectedCandidateId": TEXT,
        "rationale": STRING,
        "metadata": OBJECT,
    },
    required=("id", "target", "candidates", "status"),
)
_REVIEW: Final = closed(
    {
        "id": TEXT,
        "candidateSetId": TEXT,
        "status": words("verified", "assumed", "rejected", "proposed"),
        "candidateId": TEXT,
        "resolution": words("accepted", "rejected", "held", "could_not_confirm"),
        "resolutionReason": STRING,
        "attemptEvidenceIds": _TEXTS,
        "actor": STRING,
        "reviewedAt": STRING,
        "rationale": STRING,
        "evidenceIds": _TEXTS,
        "withinComfortZone": BOOLEAN,
        "comfortZoneNote": STRING,
        "authorizing": OBJECT,
        "metadata": OBJECT,
    },
    required=("id", "candidateSetId", "status"),
)
_EDGE: Final = closed(
    {
        "inputClaimId": TEXT,
        "method": words(
            *("sum", "max", "min", "model", "rule-application", "copy", "normalization", "manual")
        ),
        "role": TEXT,
        "supportStrength": words("weak", "moderate", "strong"),
        "rationale": TEXT,
        "sensitivity": closed(
            {"low": NUMBER, "high": NUMBER, "basis": TEXT}, required=("low", "high", "basis")
        ),
        "metadata": OBJECT,
    },
    required=("inputClaimId",),
)
_CLAIM: Final = closed(
    {
        "id": TEXT,
        "candidateSetId": TEXT,
        "subjectType": TEXT,
        "subjectId": TEXT,
        "facet": TEXT,
        "claimType": TEXT,
        "fieldOrBehavior": TEXT,
        "impactLevel": words(*IMPACTS),
        "collectedBy": TEXT,
        "candidateId": TEXT,
        "value": ANYTHING,
        "status": words(*STATUSES),
        "createdAt": TIME,
        "updatedAt": TIME,
        "evidenceType": words(
            *("source_excerpt", "test_output", "runtime_observation", "human_attestation"),
            *("attestation", "calculation_trace", "document_citation", "crawl_observation"),
            "policy_rule",
        ),
        "evidenceMethod": words(
            *("observation", "extraction", "validation", "corroboration"),
            *("attestation", "auditability", "anchoring", "monitoring"),
        ),
        "confidenceBasis": OBJECT,
        "derivedFrom": _TEXTS,
        "derivationEdges": arrays(_EDGE),
        "actor": STRING,
        "eventMethod": STRING,
        "metadata": OBJECT,
        # Ours: rows of a list are claims of their own, told apart by where they stand in it.
        "qualifiers": leaf(
            "bad-type",
            "an object of texts belongs here",
            lambda value: isinstance(value, dict) and all(map(TEXT.holds, value.values())),
        ),
    },
    required=(
        *("id", "candidateSetId", "subjectType", "subjectId", "facet", "claimType"),
        *("fieldOrBehavior", "impactLevel", "collectedBy"),
    ),
)
_ESCALATION: Final = closed(
    {
        "id": TEXT,
        "target": TEXT,
        "dimension": words("framing", "completeness", "conclusion", "citation"),
        "reason": TEXT,
        "raisedBy": TEXT,
        "raisedAt": TIME,
        "attachToClaimId": TEXT,
        "resolvedBy": TEXT,
        "metadata": OBJECT,
    },
    required=("id", "target", "dimension", "reason", "raisedBy", "raisedAt"),
)
_INTERPRETATION: Final = closed(
    {
        "id": TEXT,
        "anchorsToSourceId": TEXT,
        "ruleLocator": TEXT,
        "reading": TEXT,
        "actor": TEXT,
        "recordedAt": TIME,
        "appliesToTarget": TEXT,
        "appliesToClaimId": TEXT,
        "readingKind": words("policy-standard", "gleaned", "answerImpact"),
        "answerImpact": words("supported", "narrowed", "accepted-risk"),
        "metadata": OBJECT,
    },
    required=("id", "anchorsToSourceId", "ruleLocator", "reading", "actor", "recordedAt"),
)
INPUT: Final = closed(
    {
        "contractVersion": words("1"),
        "source": TEXT,
        "generatedAt": TIME,
        "rawSources": arrays(_RAW_SOURCE),
        "extractions": arrays(_EXTRACTION),
        "candidateSets": arrays(_SET),
        "reviewOutcomes": arrays(_REVIEW),
        "claims": arrays(_CLAIM),
        "escalations": arrays(_ESCALATION),
        "interpretations": arrays(_INTERPRETATION),
    },
    required=(
        *("source", "generatedAt", "rawSources", "extractions", "candidateSets"),
        *("reviewOutcomes", "claims"),
    ),
)
RECORDS: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "rawSources": _RAW_SOURCE,
        "extractions": _EXTRACTION,
        "candidateSets": _SET,
        "reviewOutcomes": _REVIEW,
        "claims": _CLAIM,
        "escalations": _ESCALATION,
        "interpretations": _INTERPRETATION,
    }
)
"""The shape of the records in each array of an input."""
