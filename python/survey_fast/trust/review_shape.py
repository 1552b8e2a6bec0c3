"""What is read of items, results and decisions, checked before anything is made of them.

Items and results come from other programs as often as from this one. After these checks no member
that is read is missing or of another type. Members that are not read are left alone, except in a
result, which is closed: a stray ``selected…`` member there would be a claim.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from survey_fast.trust.rules import (
    ANYTHING,
    BOOLEAN,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    Rule,
    arrays,
    closed,
    opened,
    words,
)
from survey_fast.trust.survey_shape import IMPACTS

__all__ = ["DECISION", "ITEM", "RESULT", "SELECTED"]

SELECTED: Final = (
    "selectedCandidate",
    "selectedCandidateId",
    "selectedCandidateRole",
    "selectedValue",
    "selectedDisplayValue",
    "editedValue",
    "effectiveValue",
    "effectiveDisplayValue",
)
"""Members of a result that only a decision about one candidate has."""


_HINTS: Final = opened(
    dict.fromkeys(
        (
            "rawSourceId",
            "extractionId",
            "candidateSetId",
            "candidateId",
            "reviewOutcomeId",
            "claimId",
        ),
        TEXT,
    )
)
_TEXTS: Final = arrays(TEXT)
_CANDIDATE: Final = opened(
    {
        "id": TEXT,
        "role": words("current", "proposed", "alternative", "source-version", "computed"),
        "value": ANYTHING,
        "confidence": NUMBER,
        "sourceRank": NUMBER,
        "rejectionReason": STRING,
        "source": opened(
            {
                "sourceRef": TEXT,
                **dict.fromkeys(
                    ("sourceId", "kind", "observedAt", "fetchedAt", "checksum", "locatorScheme"),
                    STRING,
                ),
            },
            required=("sourceRef",),
        ),
        "locator": opened({"scheme": TEXT, "locator": STRING, "excerpt": STRING}, ("scheme",)),
        "extraction": opened(
            {
                "target": TEXT,
                "confidence": NUMBER,
                **dict.fromkeys(("extractionId", "extractor", "model", "extractedAt"), STRING),
            },
            required=("target",),
        ),
        "claimTarget": opened(
            {
                "subjectType": TEXT,
                "subjectId": TEXT,
                "facet": TEXT,
                "claimType": TEXT,
                "fieldOrBehavior": TEXT,
                "impactLevel": words(*IMPACTS),
                **dict.fromkeys(("claimId", "evidenceType", "evidenceMethod", "collectedBy"), TEXT),
                "derivedFrom": _TEXTS,
            },
            required=(
                *("subjectType", "subjectId", "facet", "claimType"),
                *("fieldOrBehavior", "impactLevel"),
            ),
        ),
        "projection": _HINTS,
        "producer": OBJECT,
    },
    required=("id", "value", "source", "extraction", "claimTarget"),
)
ITEM: Final = opened(
    {
        "metadata": opened({"name": TEXT}, required=("name",)),
        "spec": opened(
            {
                "target": TEXT,
                "candidates": arrays(_CANDIDATE, least=1),
                "candidateSetStatus": words(
                    "resolved", "needs-review", "conflict", "escalated", "rejected"
                ),
                "rationale": STRING,
                "projection": _HINTS,
                "editable": BOOLEAN,
                "valueDescriptor": opened({"type": STRING, "enumValues": arrays(STRING)}),
            },
            required=("target", "candidates"),
        ),
    },
    required=("metadata", "spec"),
)
"""A review item."""

DECISION: Final = opened(
    {
        "kind": words("ReviewDecision"),
        "metadata": opened({"name": TEXT}, required=("name",)),
        "spec": opened(
            {
                "reviewItemName": TEXT,
                "candidateId": TEXT,
                "status": words("verified", "assumed", "rejected", "proposed"),
                "resolution": words("accepted", "rejected", "held", "could_not_confirm"),
                "resolutionReason": STRING,
                "attemptEvidenceIds": _TEXTS,
                "actor": opened({"id": STRING}, required=("id",)),
                "reviewedAt": STRING,
                "rationale": STRING,
                "evidenceIds": _TEXTS,
                "withinComfortZone": BOOLEAN,
                "comfortZoneNote": STRING,
                "authorizing": OBJECT,
                "projection": _HINTS,
                "editedValue": ANYTHING,
                "unselectedCandidateIds": _TEXTS,
                "presentation": OBJECT,
                "sampling": OBJECT,
            },
            required=("reviewItemName", "status"),
        ),
    },
    required=("kind", "metadata", "spec"),
)
"""A review decision."""

_RESULT_MEMBERS: Final[Mapping[str, Rule]] = {
    "reviewItemName": TEXT,
    "decision": TEXT,
    "reviewDecision": DECISION,
    "status": TEXT,
    "rationale": STRING,
    "unselectedCandidates": arrays(OBJECT),
    "selectedCandidate": OBJECT,
    "selectedCandidateId": TEXT,
    "selectedCandidateRole": TEXT,
    "selectedValue": ANYTHING,
    "selectedDisplayValue": STRING,
    "editedValue": ANYTHING,
    "effectiveValue": ANYTHING,
    "effectiveDisplayValue": STRING,
}
RESULT: Final = closed(
    _RESULT_MEMBERS,
    required=(
        *("reviewItemName", "decision", "reviewDecision", "status", "rationale"),
        "unselectedCandidates",
    ),
)
"""A result of a review."""
