"""What is read of items, results and decisions, checked before anything is made of them.

Items and results come from other programs as often as from this one. After these checks no member
that is read is missing or of another type. Members that are not read are left alone, except in a
result, which is closed: a stray ``selected…`` member there would be a claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from survey_fast.trust.rules import (
    ANYTHING,
    BOOLEAN,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    arrays,
    words,
)
from survey_fast.trust.survey_shape import IMPACTS
from survey_fast.trust.tables import Listed, Member, Table

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


def _read(members: Mapping[str, Member], required: Sequence[str] = ()) -> Table:
    """An object of which only these members are read."""
    return Table(members, required, is_open=True)


_HINTS: Final = _read(
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
_CANDIDATE: Final = _read(
    {
        "id": TEXT,
        "role": words("current", "proposed", "alternative", "source-version", "computed"),
        "value": ANYTHING,
        "confidence": NUMBER,
        "sourceRank": NUMBER,
        "rejectionReason": STRING,
        "source": _read(
            {
                "sourceRef": TEXT,
                **dict.fromkeys(
                    ("sourceId", "kind", "observedAt", "fetchedAt", "checksum", "locatorScheme"),
                    STRING,
                ),
            },
            required=("sourceRef",),
        ),
        "locator": _read({"scheme": TEXT, "locator": STRING, "excerpt": STRING}, ("scheme",)),
        "extraction": _read(
            {
                "target": TEXT,
                "confidence": NUMBER,
                **dict.fromkeys(("extractionId", "extractor", "model", "extractedAt"), STRING),
            },
            required=("target",),
        ),
        "claimTarget": _read(
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
ITEM: Final = _read(
    {
        "metadata": _read({"name": TEXT}, required=("name",)),
        "spec": _read(
            {
                "target": TEXT,
                "candidates": Listed(_CANDIDATE, least=1),
                "candidateSetStatus": words(
                    "resolved", "needs-review", "conflict", "escalated", "rejected"
                ),
                "rationale": STRING,
                "projection": _HINTS,
                "editable": BOOLEAN,
                "valueDescriptor": _read({"type": STRING, "enumValues": arrays(STRING)}),
            },
            required=("target", "candidates"),
        ),
    },
    required=("metadata", "spec"),
)
"""A review item."""

DECISION: Final = _read(
    {
        "kind": words("ReviewDecision"),
        "metadata": _read({"name": TEXT}, required=("name",)),
        "spec": _read(
            {
                "reviewItemName": TEXT,
                "candidateId": TEXT,
                "status": words("verified", "assumed", "rejected", "proposed"),
                "resolution": words("accepted", "rejected", "held", "could_not_confirm"),
                "resolutionReason": STRING,
                "attemptEvidenceIds": _TEXTS,
                "actor": _read({"id": STRING}, required=("id",)),
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

_RESULT_MEMBERS: Final[Mapping[str, Member]] = {
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
RESULT: Final = Table(
    _RESULT_MEMBERS,
    required=(
        *("reviewItemName", "decision", "reviewDecision", "status", "rationale"),
        "unselectedCandidates",
    ),
)
"""A result of a review."""
