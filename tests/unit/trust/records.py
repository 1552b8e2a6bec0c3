"""Survey inputs small enough to be read, and the way from a decided item to its claim."""

from __future__ import annotations

import copy
from typing import Any

from tests.unit.review.sessions import AT, decides, derived, notes, session
from tests.unit.review.test_decision_samples import candidate as bare_candidate
from tests.unit.review.test_decision_samples import review_item

from survey_fast.trust.projection import build_survey_trust_bundle
from survey_fast.trust.reviewed_input import build_canonical_reviewed_trust_input
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

Json = dict[str, Any]

EXTRACTED = "2026-06-01T01:00:00.000Z"
REVIEWED = "2026-06-02T09:00:00.000Z"
GENERATED = "2026-10-02T12:00:00.000Z"
NOW = "2026-10-03T00:00:00.000Z"
CONTEXT = "session-1"


# From items


def candidate(name: str, value: Any = 48000, role: str | None = "proposed", **members: Any) -> Json:
    """A candidate that says where its value comes from."""
    full = {
        "confidence": 0.7,
        "source": {
            "sourceRef": "doc:lease-7",
            "sourceId": "s-7",
            "kind": "uploaded-document",
            "observedAt": EXTRACTED,
            "checksum": "sha256:" + "ab" * 32,
            "locatorScheme": "text-span",
        },
        "locator": {"scheme": "text-span", "locator": "chars:0-5", "excerpt": str(value)},
        "extraction": {
            "target": "monthlyRent",
            "extractor": "rent-reader",
            "extractedAt": EXTRACTED,
            "model": "m-1",
        },
        **members,
    }
    return bare_candidate(name, value, role, **full)


def item(*candidates: Json, name: str = "a", **spec: Any) -> Json:
    return review_item(*candidates, name=name, **spec)


def a_single(value: Any = 48000, name: str = "a", **spec: Any) -> Json:
    return item(candidate("c-1", value), name=name, **spec)


def a_conflict(*values: Any, name: str = "a", **spec: Any) -> Json:
    given = values or (48000, 52000)
    rivals = [candidate(f"c-{place}", value) for place, value in enumerate(given, 1)]
    return item(*rivals, name=name, candidateSetStatus="conflict", **spec)


def result_of(
    held: Json, kind: str, chosen: str | None = "c-1", note: str = "", **data: Any
) -> Json:
    """The result of deciding one item, from events; it shares nothing with ``held``."""
    snapshot = session(held)
    events = [notes(note, held["metadata"]["name"])] if note else []
    events.append(decides(kind, held["metadata"]["name"], chosen, **data))
    applied = derived(snapshot, *events, required="all")
    assert applied.ok, applied.issues
    return copy.deepcopy(applied.results[0])


def built(items: list[Json], results: list[Json], **options: Any) -> Json:
    """The reviewed input of some items, as a user asks for it."""
    given = {
        "source": "lease-intake",
        "generated_at": GENERATED,
        "projection_context_id": CONTEXT,
        **options,
    }
    return build_canonical_reviewed_trust_input(items=items, results=results, **given)


def survey_of(held: Json, result: Json, **options: Any) -> Json:
    return built([held], [result], **options)["surveyInput"]


def decided(held: Json, kind: str, chosen: str | None = "c-1", note: str = "", **data: Any) -> Json:
    """The survey input of one decided item."""
    return survey_of(held, result_of(held, kind, chosen, note, **data))


# From survey inputs


def survey(**arrays: Any) -> Json:
    """One accepted claim ``claim.rent`` over the only candidate ``c1``; arrays replace its own."""
    return {
        "contractVersion": "1",
        "source": "lease-intake",
        "generatedAt": "2026-06-03T00:00:00.000Z",
        "rawSources": [source()],
        "extractions": [extraction()],
        "candidateSets": [candidate_set()],
        "reviewOutcomes": [review()],
        "claims": [claim()],
        **arrays,
    }


def source(**members: Any) -> Json:
    return {
        "id": "s1",
        "kind": "uploaded-document",
        "sourceRef": "src:lease",
        "observedAt": "2026-06-01T00:00:00.000Z",
        "locatorScheme": "text-span",
        **members,
    }


def extraction(name: str = "x1", value: Any = 52000, **members: Any) -> Json:
    return {
        "id": name,
        "sourceId": "s1",
        "target": "rent",
        "value": value,
        "locator": "chars:10-15",
        "excerpt": "52000",
        "extractor": "rules-v1",
        "extractedAt": EXTRACTED,
        **members,
    }


def candidate_set(*candidates: Json, name: str = "set.rent", **members: Any) -> Json:
    listed = list(candidates) or [{"id": "c1", "extractionId": "x1", "value": 52000}]
    return {"id": name, "target": "rent", "status": "resolved", "candidates": listed, **members}


def review(name: str = "r1", **members: Any) -> Json:
    return {
        "id": name,
        "candidateSetId": "set.rent",
        "candidateId": "c1",
        "status": "verified",
        "actor": "reviewer:ann",
        "reviewedAt": REVIEWED,
        **members,
    }


def claim(name: str = "claim.rent", **members: Any) -> Json:
    return {
        "id": name,
        "candidateSetId": "set.rent",
        "subjectType": "lease",
        "subjectId": "L-1",
        "facet": "lease.terms",
        "claimType": "lease-field",
        "fieldOrBehavior": "rent",
        "impactLevel": "high",
        "collectedBy": "importer",
        **members,
    }


def without(record: Json, *members: str) -> Json:
    return {name: value for name, value in record.items() if name not in members}


# Bundles


def projected(survey_input: Json, **options: Any) -> Json:
    """The bundle of an input, which every bundle has to be valid."""
    bundle = build_survey_trust_bundle(survey_input, **options)
    validate_trust_bundle(bundle, writing=True)
    return bundle


def statuses(bundle: Json, version: str = "3", now: str = NOW) -> Json:
    return derive_claim_statuses(bundle, now=now, version=version)


__all__ = ["AT", "Json", "decides", "derived", "notes", "session"]
