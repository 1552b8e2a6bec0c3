"""Published and composed bundles, and a valid one of every kind of record that tests edit."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from survey_fast.errors import SurveyError

Json = dict[str, Any]

VECTORS = Path(__file__).parents[2] / "vectors"
BUNDLES = VECTORS / "surface-bundles"
SCHEMAS = VECTORS / "surface-schemas"
NOW = "2026-06-10T00:00:00.000Z"
AT = "2026-06-01T00:00:00.000Z"
ABSENT = object()


def stored(name: str) -> Any:
    return json.loads((BUNDLES / name).read_bytes())


VALIDATION = {one["name"]: one for one in stored("composed-validation-vectors.json")["vectors"]}
STATUS = {one["name"]: one for one in stored("composed-status-vectors.json")["vectors"]}
EXAMPLES = sorted(path.name for path in (BUNDLES / "examples").glob("*.json"))
HACHURE = sorted(path.name for path in (BUNDLES / "hachure-0.15-vectors").glob("*.json"))


def vector_input(vector: Json) -> Json:
    return vector["input"] if "input" in vector else vector["bundle"]


def base() -> Json:
    """One claim, one piece of evidence, one policy and one event: verified in every version."""
    return copy.deepcopy(vector_input(VALIDATION["valid base"]))


ANCHOR = {
    "id": "a",
    "kind": "hash",
    "algorithm": "sha256",
    "value": "00",
    "sourceRef": "src",
    "observedAt": AT,
    "verifiedAt": AT,
    "verificationStatus": "verified",
    "verifiedBy": "ann",
    "metadata": {},
}


def whole(version: int = 7) -> Json:
    """A valid bundle that holds every member its version knows."""
    bundle = base() | {
        "schemaVersion": version,
        "producerId": "survey-fast",
        "proof": {"anchors": [ANCHOR], "metadata": {"x": 1}},
    }
    bundle["claims"] = [whole_claim(version), {**bundle["claims"][0], "id": "d"}]
    bundle["evidence"] = [whole_evidence(version)]
    bundle["policies"] = [whole_policy()]
    bundle["events"][0] |= {
        "verifiedAt": AT,
        "type": "verification",
        "notes": "looked at",
        "authorityRef": "role:judge",
        "resolvesDispute": True,
    }
    bundle["identityLinks"] = [
        {
            "id": "l",
            "subjects": [
                {"subjectType": "contract", "subjectId": "acme-1"},
                {"subjectType": "contract", "subjectId": "acme-2"},
            ],
            "reason": "same",
            "attestedBy": "ann",
            "relation": "converts",
            "conversion": {"factor": 2, "offset": 0.5, "note": "n"},
            "mappingClaimId": "c",
        }
    ]
    bundle["claimGroups"] = [whole_group()]
    bundle["authorityTrace"] = [whole_trace()]
    return copy.deepcopy(bundle)


def whole_claim(version: int) -> Json:
    confidence: Json = {
        "value": 0.5,
        "method": "m",
        "interval": {"low": 0.25, "high": 0.75},
        "comfortZone": {"within": True, "reason": "r"},
    }
    if version >= 8:
        confidence["calibration"] = {
            "tableRef": "t",
            "tableVersion": "1",
            "method": "m",
            "sampleSize": 10,
            "boundMethod": "b",
        }
    return base()["claims"][0] | {
        "status": "verified",
        "materiality": "low",
        "expiresAt": "2027-01-01T00:00:00Z",
        "ttlSeconds": 60,
        "currentIntegrityRef": "sha256:aa",
        "currentIntegrityAnchor": ANCHOR,
        "verificationPolicyId": "p",
        "confidenceBasis": {"sourceQuality": "strong"},
        "conclusionConfidence": confidence,
        "subjectAliases": [{"subjectType": "contract", "subjectId": "acme-3"}],
        "derivedFrom": ["d"],
        "derivationEdges": [
            {
                "inputClaimId": "d",
                "method": "sum",
                "role": "r",
                "supportStrength": "weak",
                "rationale": "why",
                "sensitivity": {"low": 1, "high": 2, "basis": "b"},
                "metadata": {},
            }
        ],
        "qualifiers": {"pathIndices": "1.2"},
        "metadata": {"any": None},
        "producerStatus": "verified",
        "freshness": {"asOf": AT, "expiresAt": AT, "stale": False},
    }


def whole_evidence(version: int) -> Json:
    item = base()["evidence"][0] | {
        "supportStrength": "entails",
        "integrityRef": "sha256:aa",
        "integrityAnchor": ANCHOR,
        "passing": True,
        "blocking": False,
        "execution": {
            "runner": "bash",
            "label": "l",
            "exitCode": 0,
            "isError": False,
            "durationMs": 1.5,
            "environment": "test",
            "metadata": {},
        },
        "metadata": {"any": [None]},
    }
    if version >= 9:
        del item["passing"]
        item |= {
            "supportStrength": "cited",
            "inconclusive": {"reason": "other", "detail": "why"},
            "collectedByKind": "model",
        }
    return item


def whole_policy() -> Json:
    return base()["policies"][0] | {
        "parentType": "field",
        "requiredMethods": ["extraction"],
        "requiresCorroboration": False,
        "validityRule": {"kind": "duration", "durationDays": 30},
        "stalenessTriggers": ["a new version"],
        "conflictRules": ["ask"],
        "incompatibleValues": [{"values": [1, None], "message": "m"}],
        "incompatibleStatuses": [{"statuses": ["verified", "rejected"], "message": "m"}],
    }


def whole_group() -> Json:
    return {
        "id": "g",
        "title": "t",
        "kind": "framework",
        "description": "d",
        "claimIds": ["c"],
        "requirements": [
            {
                "id": "r",
                "title": "t",
                "claimIds": ["c", "d"],
                "required": True,
                "severity": "low",
                "validationStrategy": {
                    "requiredEvidence": ["test_output"],
                    "requiredMethods": ["validation"],
                    "requiresCorroboration": True,
                    "acceptanceCriteria": ["x"],
                    "reviewAuthority": "a",
                    "notes": "n",
                    "metadata": {},
                },
                "metadata": {},
            }
        ],
        "rollupPolicy": {
            "mode": "any-required",
            "requiredRequirementIds": ["r"],
            "optionalRequirementIds": [],
        },
        "metadata": {},
    }


def whole_trace() -> Json:
    return {
        "id": "t",
        "subject": {"subjectType": "person", "subjectId": "ann"},
        "actorRef": "r",
        "authorityType": "role",
        "authorityRef": "role:judge",
        "sourceRef": "hr",
        "observedAt": AT,
        "evidenceIds": ["e"],
        "claimIds": ["c"],
        "validFrom": AT,
        "validUntil": "2027-01-01T00:00:00Z",
        "revokedAt": "2026-12-01T00:00:00Z",
        "integrityRef": "sha256:aa",
        "integrityAnchor": ANCHOR,
        "metadata": {},
    }


def edited(bundle: Json, *edits: tuple[str, Any]) -> Json:
    """A copy with the member at each pointer set, or taken away (``ABSENT``)."""
    copied = copy.deepcopy(bundle)
    for pointer, value in edits:
        *path, last = pointer.removeprefix("/").split("/")
        holder: Any = copied
        for name in path:
            holder = holder[int(name) if isinstance(holder, list) else name]
        key: Any = int(last) if isinstance(holder, list) else last
        if value is ABSENT:
            del holder[key]
        elif isinstance(holder, list) and key == len(holder):
            holder.append(value)
        else:
            holder[key] = value
    return copied


def refused(action: Any, *arguments: Any, **options: Any) -> tuple[str, str | None]:
    """Code and pointer of the refusal that the call ends in."""
    with pytest.raises(SurveyError) as caught:
        action(*arguments, **options)
    return caught.value.code, caught.value.pointer
