"""The records of a bundle as closed tables.

A table names every member and what may stand there, in the order in which faults are looked for.
The tables are the stricter of the two descriptions that exist, the published JSON Schemas and the
reference system's own validator, for ``schemaVersion`` 5 and later. Versions 2 to 4 keep two
freedoms: a claim may hold ``surface``, the old name of ``facet``, and a time to live may be any
number.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from survey_fast._core import Shape
from survey_fast.trust.rules import (
    ANYTHING,
    BOOLEAN,
    INTEGER,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    Rule,
    arrays,
    at_least,
    closed,
    leaf,
    words,
)

__all__ = [
    "ARRAYS",
    "CHECK_TYPES",
    "INCONCLUSIVE_REASONS",
    "LEGACY_ARRAYS",
    "PROOF",
    "READABLE",
    "REQUIRED_ARRAYS",
    "ROOT",
    "STATUSES",
]

READABLE: Final = range(2, 10)
"""The values of ``schemaVersion`` that are read."""
REQUIRED_ARRAYS: Final = ("claims", "evidence", "policies", "events")
ROOT: Final = (
    *("schemaVersion", "source", "producerId", *REQUIRED_ARRAYS),
    *("identityLinks", "claimGroups", "authorityTrace", "proof"),
)
"""The members of a bundle."""

STATUSES: Final = (
    *("unknown", "proposed", "assumed", "verified", "stale"),
    *("disputed", "superseded", "rejected", "revoked"),
)
CHECK_TYPES: Final = frozenset({"test_output", "calculation_trace", "runtime_observation"})
"""Evidence types that are the outcome of a check, which passed or did not."""
INCONCLUSIVE_REASONS: Final = ("unreachable", "tool_error", "permission_denied", "timeout", "other")

_STATUS: Final = words(*STATUSES)
_IMPACT: Final = words("low", "medium", "high", "critical")
_EVIDENCE_TYPE: Final = words(
    *("source_excerpt", "test_output", "runtime_observation", "human_attestation", "attestation"),
    *("calculation_trace", "document_citation", "crawl_observation", "policy_rule"),
)
_METHOD: Final = words(
    *("observation", "extraction", "validation", "corroboration"),
    *("attestation", "auditability", "anchoring", "monitoring"),
)
_TEXTS: Final = arrays(TEXT)

_ANCHOR: Final = closed(
    {
        "id": TEXT,
        "algorithm": TEXT,
        "value": TEXT,
        "sourceRef": TEXT,
        "kind": words(
            "hash", "signature", "transparency_log", "timestamp", "external_ref", "other"
        ),
        "observedAt": TIME,
        "verifiedAt": TIME,
        "verificationStatus": words("unverified", "verified", "failed", "not_applicable"),
        "verifiedBy": TEXT,
        "metadata": OBJECT,
    },
    required=("id", "algorithm", "value", "sourceRef", "kind"),
)
_SUBJECT: Final = closed(
    {"subjectType": TEXT, "subjectId": TEXT}, required=("subjectType", "subjectId")
)
PROOF: Final = closed({"anchors": arrays(_ANCHOR), "metadata": OBJECT})


# Claims

_PROBABILITY: Final = leaf(
    "confidence-shape",
    "a number from 0 to 1 belongs here",
    lambda value: NUMBER.holds(value) and 0 <= value <= 1,
)
_CONFIDENCE: Final = closed(
    {
        "value": _PROBABILITY,
        "method": TEXT,
        "interval": closed({"low": NUMBER, "high": NUMBER}, required=("low", "high")),
        "comfortZone": closed({"within": BOOLEAN, "reason": TEXT}, required=("within",)),
        "calibration": closed(
            {
                "tableRef": TEXT,
                "tableVersion": TEXT,
                "method": TEXT,
                "sampleSize": at_least(1, whole=True),
                "boundMethod": TEXT,
            },
            required=("tableRef", "tableVersion"),
        ),
    }
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
_FRESHNESS: Final = closed(
    {"asOf": TIME, "expiresAt": TIME, "stale": BOOLEAN}, required=("asOf", "stale")
)


def _are_qualifiers(value: object) -> bool:
    return isinstance(value, dict) and all(TEXT.holds(one) for one in value.values())


_QUALIFIERS: Final = leaf(
    "bad-type", "an object whose values are strings that are not empty", _are_qualifiers
)
_CLAIM_MEMBERS: Final[Mapping[str, Rule]] = {
    "id": TEXT,
    "subjectType": TEXT,
    "subjectId": TEXT,
    "claimType": TEXT,
    "fieldOrBehavior": TEXT,
    "value": ANYTHING,
    "createdAt": TIME,
    "updatedAt": TIME,
    "status": _STATUS,
    "impactLevel": _IMPACT,
    "materiality": words("low", "medium", "high"),
    "facet": TEXT,
    "expiresAt": TIME,
    "ttlSeconds": at_least(0, whole=True),
    "currentIntegrityRef": TEXT,
    "currentIntegrityAnchor": _ANCHOR,
    "verificationPolicyId": TEXT,
    "confidenceBasis": OBJECT,
    "conclusionConfidence": _CONFIDENCE,
    "subjectAliases": arrays(_SUBJECT),
    "derivedFrom": _TEXTS,
    "derivationEdges": arrays(_EDGE),
    "qualifiers": _QUALIFIERS,
    "metadata": OBJECT,
    "producerStatus": _STATUS,
    "freshness": _FRESHNESS,
}
_CLAIM_REQUIRED: Final = (
    *("id", "subjectType", "subjectId", "claimType", "fieldOrBehavior", "value"),
    *("createdAt", "updatedAt"),
)
_CLAIM: Final = closed(_CLAIM_MEMBERS, _CLAIM_REQUIRED)
_LEGACY_CLAIM: Final = closed(
    {**_CLAIM_MEMBERS, "ttlSeconds": at_least(0, whole=False), "surface": TEXT}, _CLAIM_REQUIRED
)


# Evidence, events, policies

_EXECUTION: Final = closed(
    {
        "label": TEXT,
        "runner": words("bash", "mcp"),
        "exitCode": INTEGER,
        "isError": BOOLEAN,
        "durationMs": NUMBER,
        "environment": words("test", "staging", "production"),
        "metadata": OBJECT,
    },
    required=("label", "runner"),
)
_EVIDENCE: Final = closed(
    {
        "id": TEXT,
        "claimId": TEXT,
        "sourceRef": TEXT,
        "excerptOrSummary": TEXT,
        "collectedBy": TEXT,
        "observedAt": TIME,
        "evidenceType": _EVIDENCE_TYPE,
        "method": _METHOD,
        "supportStrength": words("cited", "entails"),
        "sourceLocator": TEXT,
        "integrityRef": TEXT,
        "integrityAnchor": _ANCHOR,
        "passing": BOOLEAN,
        "blocking": BOOLEAN,
        "execution": _EXECUTION,
        "metadata": OBJECT,
        # Judged with the rules of version 9, which name what they expect.
        "inconclusive": leaf("null-member", "", lambda value: value is not None),
        "collectedByKind": words("human", "deterministic", "model"),
    },
    required=(
        *("id", "claimId", "sourceRef", "excerptOrSummary", "collectedBy"),
        *("observedAt", "evidenceType", "method"),
    ),
)
_EVENT: Final = closed(
    {
        "id": TEXT,
        "claimId": TEXT,
        "actor": TEXT,
        "method": TEXT,
        "createdAt": TIME,
        "status": _STATUS,
        "evidenceIds": _TEXTS,
        "verifiedAt": TIME,
        "type": words("verification", "invalidation"),
        "notes": TEXT,
        "authorityRef": TEXT,
        "resolvesDispute": leaf(
            "bad-enum",
            "only true belongs here; leave it out otherwise",
            lambda value: value is True,
        ),
    },
    required=("id", "claimId", "actor", "method", "createdAt", "status", "evidenceIds"),
)
_VALIDITY_MEMBERS: Final = {
    "kind": words("duration", "commit", "historical", "manual"),
    "durationDays": NUMBER,
}
_ANY_VALIDITY: Final = closed(_VALIDITY_MEMBERS, required=("kind",))
_WINDOW: Final = closed(_VALIDITY_MEMBERS, required=("kind", "durationDays"))


def _validity(value: object) -> Rule:
    is_window = isinstance(value, dict) and value.get("kind") == "duration"
    return _WINDOW if is_window else _ANY_VALIDITY


_VALIDITY: Final = Rule(
    Shape.tested(lambda value: _validity(value).holds(value)),
    lambda value, pointer: _validity(value).explain(value, pointer),
)
_POLICY: Final = closed(
    {
        "id": TEXT,
        "claimType": TEXT,
        "reviewAuthority": TEXT,
        "impactLevel": _IMPACT,
        "requiredEvidence": arrays(_EVIDENCE_TYPE),
        "acceptanceCriteria": _TEXTS,
        "stalenessTriggers": _TEXTS,
        "conflictRules": _TEXTS,
        "validityRule": _VALIDITY,
        "parentType": TEXT,
        "requiredMethods": arrays(_METHOD),
        "requiresCorroboration": BOOLEAN,
        "incompatibleValues": arrays(
            closed(
                {"values": arrays(ANYTHING, least=2, most=2), "message": TEXT},
                required=("values",),
            )
        ),
        "incompatibleStatuses": arrays(
            closed(
                {"statuses": arrays(_STATUS, least=2, most=2), "message": TEXT},
                required=("statuses",),
            )
        ),
    },
    required=(
        *("id", "claimType", "reviewAuthority", "impactLevel", "requiredEvidence"),
        *("acceptanceCriteria", "stalenessTriggers", "conflictRules", "validityRule"),
    ),
)


# What stands beside them

_LINK: Final = closed(
    {
        "subjects": arrays(_SUBJECT, least=2),
        "id": TEXT,
        "reason": TEXT,
        "attestedBy": TEXT,
        "relation": words("equivalent", "subsumes", "converts"),
        "conversion": closed({"factor": NUMBER, "offset": NUMBER, "note": TEXT}),
        "mappingClaimId": TEXT,
    },
    required=("subjects",),
)
_STRATEGY: Final = closed(
    {
        "requiredEvidence": arrays(_EVIDENCE_TYPE),
        "requiredMethods": arrays(_METHOD),
        "requiresCorroboration": BOOLEAN,
        "acceptanceCriteria": _TEXTS,
        "reviewAuthority": TEXT,
        "notes": TEXT,
        "metadata": OBJECT,
    }
)
_REQUIREMENT: Final = closed(
    {
        "id": TEXT,
        "title": TEXT,
        "claimIds": _TEXTS,
        "required": BOOLEAN,
        "severity": _IMPACT,
        "validationStrategy": _STRATEGY,
        "metadata": OBJECT,
    },
    required=("id", "title", "claimIds"),
)
_GROUP: Final = closed(
    {
        "id": TEXT,
        "title": TEXT,
        "kind": words("claimGroup", "framework", "requirement-set"),
        "description": TEXT,
        "claimIds": _TEXTS,
        "requirements": arrays(_REQUIREMENT),
        "rollupPolicy": closed(
            {
                "mode": words("all-required", "any-required"),
                "requiredRequirementIds": _TEXTS,
                "optionalRequirementIds": _TEXTS,
            },
            required=("mode",),
        ),
        "metadata": OBJECT,
    },
    required=("id", "title", "kind"),
)
_TRACE: Final = closed(
    {
        "id": TEXT,
        "actorRef": TEXT,
        "authorityRef": TEXT,
        "sourceRef": TEXT,
        "subject": _SUBJECT,
        "observedAt": TIME,
        "authorityType": words(
            *("role", "permission", "credential", "system", "organization", "policy", "other")
        ),
        "evidenceIds": _TEXTS,
        "claimIds": _TEXTS,
        "validFrom": TIME,
        "validUntil": TIME,
        "revokedAt": TIME,
        "integrityRef": TEXT,
        "integrityAnchor": _ANCHOR,
        "metadata": OBJECT,
    },
    required=(
        *("id", "actorRef", "authorityRef", "sourceRef", "subject"),
        *("observedAt", "authorityType"),
    ),
)

ARRAYS: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "claims": arrays(_CLAIM),
        "evidence": arrays(_EVIDENCE),
        "policies": arrays(_POLICY),
        "events": arrays(_EVENT),
        "identityLinks": arrays(_LINK),
        "claimGroups": arrays(_GROUP),
        "authorityTrace": arrays(_TRACE),
    }
)
"""The records of a bundle, in the order in which they are checked."""
LEGACY_ARRAYS: Final[Mapping[str, Rule]] = MappingProxyType(
    {**ARRAYS, "claims": arrays(_LEGACY_CLAIM)}
)
"""The same for versions 2 to 4."""
