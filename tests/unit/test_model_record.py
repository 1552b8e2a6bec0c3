"""Statuses of imports, and the expected items and statuses of the shared vectors."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from survey_fast.model import ImportStatus, ReviewItem

DIGEST = "ab" * 32
FINDINGS = [
    {"kind": "artifact-unavailable", "status": "invalid-artifact", "artifactRef": "a"},
    {"kind": "artifact-unavailable", "status": "storage-error", "code": "storage-error"},
    {
        "kind": "digest-mismatch",
        "artifactRef": "a",
        "expectedDigest": DIGEST,
        "actualDigest": DIGEST,
    },
    {"kind": "extraction-failed", "category": "provider", "code": "no-usable-answer"},
    {"kind": "extraction-incomplete", "reason": "max-chunks"},
    {"kind": "excerpt-mismatch", "proposalIndex": 0, "locator": "chars:0-3"},
]
EXPECTED = Path(__file__).parents[1] / "vectors" / "expected"


def expected_imports():
    envelopes = json.loads((EXPECTED / "traverse-envelopes.unverified.json").read_text("utf-8"))
    portable = json.loads(
        (EXPECTED / "portable-extraction-result.unverified.json").read_text("utf-8")
    )
    return {**envelopes, "portable": portable}


IMPORTS = expected_imports()
ITEMS = [item for one in IMPORTS.values() for item in one["reviewItems"]]


def test_the_vectors_hold_items_and_diagnostics():
    assert len(ITEMS) == 17
    assert any(one["status"]["diagnostics"] for one in IMPORTS.values() if "status" in one)


@pytest.mark.parametrize("document", ITEMS, ids=[one["metadata"]["name"] for one in ITEMS])
def test_expected_items_come_back_as_they_were(document):
    assert ReviewItem.from_json(document).to_json() == document


def test_expected_statuses_come_back_as_they_were():
    for one in IMPORTS.values():
        if "status" in one:
            assert ImportStatus.from_json(one["status"]).to_json() == one["status"]


def status(*findings):
    return {"state": "unresolved", "provenance": "verified", "diagnostics": list(findings)}


def test_every_kind_of_finding_comes_back_with_and_without_its_message():
    spoken = [{**finding, "message": "words for a person"} for finding in FINDINGS]
    document = status(*FINDINGS, *spoken)
    assert ImportStatus.from_json(document).to_json() == document


@pytest.mark.parametrize("finding", FINDINGS, ids=[str(place) for place in range(len(FINDINGS))])
def test_a_finding_has_the_members_of_its_kind_only(finding):
    for changed in ({**finding, "unknown": 1}, {**finding, "kind": "unknown"}):
        with pytest.raises(ValidationError):
            ImportStatus.from_json(status(changed))


def test_a_status_without_provenance_is_refused():
    document = status()
    del document["provenance"]
    with pytest.raises(ValidationError):
        ImportStatus.from_json(document)
