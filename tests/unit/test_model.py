"""Wire records: what is read is what is written; closed formats are closed."""

import copy
import json

import pytest
from pydantic import ValidationError

from survey_fast.model import (
    CandidateVerification,
    ImportRecord,
    ReviewCandidate,
    ReviewItem,
    ReviewQueueBinding,
    ReviewQueueSnapshot,
    WireRecord,
)

DIGEST = "ab" * 32
TARGET = {
    "subjectType": "lease",
    "subjectId": "7",
    "facet": "lease.terms",
    "claimType": "lease.field",
    "fieldOrBehavior": "rent",
    "impactLevel": "medium",
}


def candidate():
    return {
        "id": "c-1",
        "role": "proposed",
        "value": None,
        "confidence": 1,
        "sourceRank": 2.5,
        "rejectionReason": "too low",
        "source": {
            "sourceRef": "doc:lease-7",
            "kind": "structured-file",
            "fetchedAt": "2026-09-30T08:00:00Z",
        },
        "locator": {"scheme": "text"},
        "extraction": {"target": "rent", "model": "m", "confidence": 0.5},
        "claimTarget": {**TARGET, "claimId": "claim-1", "derivedFrom": []},
        "projection": {"claimId": "claim-1"},
        "producer": {"anything": {"goes": [1, 2.0, None, True]}},
        "verifications": [{"kind": "not even a record"}, 7],
    }


def item():
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewItem",
        "metadata": {
            "name": "lease-7.rent",
            "uid": "u-1",
            "labels": {"apiVersion": "x", "snake_case": "y"},
            "annotations": {},
            "producer": {"harbor": None},
        },
        "spec": {
            "target": "rent",
            "candidates": [candidate()],
            "candidateSetStatus": "escalated",
            "selectedCandidateId": "c-1",
            "rationale": "",
            "producerPolicy": {
                "decisionMode": "some-later-mode",
                "decision_mode": "opaque",
                "weight": {"a": [1]},
            },
            "projection": {"rawSourceId": "raw-1", "reviewOutcomeId": "o-1"},
            "valueDescriptor": {"type": "enum", "enumValues": ["a"]},
            "editable": True,
        },
        "status": {},
    }


def snapshot():
    return {
        "items": [item()],
        "activeItemName": "lease-7.rent",
        "notesByItemName": {"lease-7.rent": ""},
        "decisionsByItemName": {"lease-7.rent": "keep-current"},
        "reviewedAt": "2026-10-01T09:00:00.000Z",
        "actorId": "unattributed",
        "editedValuesByItemName": {"lease-7.rent": None},
        "attemptEvidenceIdsByItemName": {"lease-7.rent": ["e-1"]},
        "selectedCandidateIdsByItemName": {"lease-7.rent": "c-1"},
        "presentation": {"scoreBlind": True},
        "sampling": {"kind": "random-audit", "rate": 1, "seed": "s"},
    }


def binding():
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewQueueBinding",
        "spec": {
            "sessionName": "round-1",
            "snapshotHash": DIGEST,
            "itemNames": ["lease-7.rent"],
            "boundAt": "2026-10-01T09:00:00.000Z",
            "canonicalization": "rfc8785",
        },
    }


def import_record():
    finding = {"kind": "excerpt-mismatch", "proposalIndex": 0, "locator": "chars:0-3"}
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ExtractionEnvelopeImport",
        "metadata": {"name": "boats-2026", "producerNamespace": "harbor"},
        "spec": {
            "envelope": {"format": "traverse-extraction-result", "version": 1, "result": {}},
            "sourceKind": "web-page",
            "claimTargets": [TARGET],
        },
        "status": {"state": "unresolved", "provenance": "unverified", "diagnostics": [finding]},
    }


def verification():
    return {
        "id": f"sha256:{DIGEST}",
        "kind": "survey.candidate-verification",
        "schemaVersion": 1,
        "candidateId": "c-1",
        "evidenceIds": ["e-1"],
        "valueDigest": f"sha256:{DIGEST}",
        "inputDigest": f"sha256:{DIGEST}",
        "verifier": {"id": "judge", "version": "1"},
        "method": "human",
        "result": "abstain",
        "abstainReason": "unsupported",
        "createdAt": "2026-10-01T09:00:00.000Z",
    }


DOCUMENTS = [
    (ReviewItem, item()),
    (ReviewCandidate, candidate()),
    (ReviewQueueSnapshot, snapshot()),
    (ReviewQueueSnapshot, {**snapshot(), "sampling": {"kind": "queue"}}),
    (ReviewQueueBinding, binding()),
    (ImportRecord, import_record()),
    (CandidateVerification, verification()),
]
NAMES = [f"{place}-{record.__name__}" for place, (record, _) in enumerate(DOCUMENTS)]


def objects(document, record):
    """Every object of a document that a record describes, with the path to it."""
    yield ()
    for name, member in document.items():
        field = getattr(record, alias_names(record).get(name, ""), None)
        if isinstance(field, WireRecord) and not field.model_extra:
            yield from ((name, *rest) for rest in objects(member, field))
        elif isinstance(field, tuple):
            for place, (part, one) in enumerate(zip(member, field, strict=True)):
                if isinstance(one, WireRecord):
                    yield from ((name, place, *rest) for rest in objects(part, one))


def alias_names(record):
    return {field.alias: name for name, field in type(record).model_fields.items()}


@pytest.mark.parametrize(("record", "document"), DOCUMENTS, ids=NAMES)
def test_a_document_with_every_member_comes_back_as_it_was(record, document):
    dumped = record.from_json(document).to_json()
    assert dumped == document
    # As text too: True is not 1, and 1 is not 1.0.
    assert json.dumps(dumped, sort_keys=True) == json.dumps(document, sort_keys=True)


@pytest.mark.parametrize(("record", "document"), DOCUMENTS, ids=NAMES)
def test_an_unknown_member_is_refused_in_every_closed_object(record, document):
    paths = list(objects(document, record.from_json(document)))
    for path in paths:
        changed = copy.deepcopy(document)
        place = changed
        for step in path:
            place = place[step]
        place["unknown"] = 1
        with pytest.raises(ValidationError):
            record.from_json(changed)


@pytest.mark.parametrize(("record", "document"), DOCUMENTS, ids=NAMES)
def test_python_names_are_no_wire_names(record, document):
    member = next(name for name in document if not name.islower())
    field = alias_names(record.from_json(document))[member]
    renamed = {field if name == member else name: value for name, value in document.items()}
    with pytest.raises(ValidationError):
        record.from_json(renamed)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("metadata/uid", None),
        ("spec/rationale", None),
        ("spec/editable", None),
        ("spec/editable", 1),
        ("spec/producerPolicy", None),
        ("spec/candidates/0/confidence", True),
        ("spec/candidates/0/confidence", "0.5"),
        ("spec/candidates/0/confidence", float("inf")),
        ("spec/candidates/0/role", "judge"),
        ("spec/candidates/0/claimTarget/impactLevel", "huge"),
        ("spec/candidates/0/claimTarget/derivedFrom", None),
        ("spec/candidates", "ab"),
        ("status", None),
        ("status/observedCandidateCount", True),
        ("kind", "ReviewDecision"),
        ("apiVersion", "survey.kontourai.io/v2"),
    ],
)
def test_null_and_values_of_another_type_are_refused(pointer, value):
    document = item()
    *path, last = pointer.split("/")
    place = document
    for step in path:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value
    with pytest.raises(ValidationError):
        ReviewItem.from_json(document)


def test_null_is_a_value_where_any_value_is_allowed():
    read = ReviewQueueSnapshot.from_json(snapshot())
    assert read.edited_values_by_item_name == {"lease-7.rent": None}
    assert read.items[0].spec.candidates[0].value is None


def test_absent_members_read_as_none_and_stay_absent():
    document = item()
    del document["status"], document["spec"]["editable"]
    read = ReviewItem.from_json(document)
    assert (read.status, read.spec.editable) == (None, None)
    assert read.to_json() == document


def test_a_candidate_without_value_is_refused():
    document = candidate()
    del document["value"]
    with pytest.raises(ValidationError):
        ReviewCandidate.from_json(document)


@pytest.mark.parametrize("digest", [f"sha256:{DIGEST}", DIGEST.upper(), DIGEST + "\n", DIGEST[:-1]])
def test_a_bare_digest_is_64_lower_case_hex_digits(digest):
    document = binding()
    document["spec"]["snapshotHash"] = digest
    with pytest.raises(ValidationError):
        ReviewQueueBinding.from_json(document)


def test_a_binding_of_the_reference_system_has_no_canonicalization():
    document = binding()
    del document["spec"]["canonicalization"]
    assert ReviewQueueBinding.from_json(document).to_json() == document


def test_a_record_cannot_be_assigned_to():
    read = ReviewItem.from_json(item())
    for record, name in [
        (read, "kind"),
        (read.spec, "candidates"),
        (read.spec.candidates[0], "value"),
    ]:
        with pytest.raises(ValidationError):
            setattr(record, name, None)
    assert isinstance(read.spec.candidates, tuple)


def test_the_deepest_value_that_an_import_takes_is_read_and_written():
    value = 1
    for _ in range(100):
        value = [value]
    document = {**candidate(), "value": value}
    assert ReviewCandidate.from_json(document).to_json() == document


def test_a_refusal_does_not_repeat_the_document():
    with pytest.raises(ValidationError) as caught:
        ReviewCandidate.from_json({**candidate(), "role": "sentinel-value"})
    assert "sentinel-value" not in str(caught.value)
