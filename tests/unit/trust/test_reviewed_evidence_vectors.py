"""Published and composed vectors of reviewed evidence, and digests of values.

Proves rows P1, P5, P6, P7, D1, D2 and D3. Vectors that deviate by design are named: the structural
trust that is derived here, the model of a single proposal, and the empty excerpt.
"""

import hashlib
import json

import pytest
from tests.reference.samples import load
from tests.unit.trust.evidence_samples import edited, golden, without_record

from survey_fast import SurveyError
from survey_fast.canon import canonical_json
from survey_fast.trust.evidence import (
    EMBEDDED,
    REFERENCE,
    project_evidence,
    project_reviewed_extraction_evidence,
    read_record,
    restore_reviewed_extraction_evidence,
)
from survey_fast.trust.evidence.shape import value_digest

VECTORS = load("surface-bundles/composed-reviewed-extraction-vectors.json")["vectors"]
NEWEST = {
    "declared array": [{"kind": "structural-trust", "status": "unvalidated"}],
    "no valueType": [{"kind": "structural-trust", "status": "unvalidated"}],
    "enum outside its values": [{"kind": "structural-trust", "status": "invalid"}],
    "enum without enumValues": [{"kind": "structural-trust", "status": "unvalidated"}],
    "producedBy names the model": [],
}
OURS = {"empty excerpt at an empty span": "empty-excerpt"}
CODES = {
    "structuralTrust yes": ("evidence-malformed", "/structuralTrust"),
    "confidence above 1": ("evidence-record-invalid", "P/confidence"),
    "candidate confidence differs": ("evidence-item-mismatch", "C/confidence"),
    "candidate locator differs": ("evidence-item-mismatch", "C/locator/locator"),
    "candidate checksum differs": ("evidence-item-mismatch", "C/source/checksum"),
    "item editable": ("evidence-item-mismatch", "/reviewItem/spec/editable"),
    "item without editable member": ("evidence-item-mismatch", "/reviewItem/spec/editable"),
    "decision verified with resolution rejected": ("evidence-decision-invalid", "D/resolution"),
    "accepted without actor": ("evidence-decision-invalid", "D/actor"),
    "editedValue present": ("evidence-decision-invalid", "D/editedValue"),
    "decision names an absent candidate": ("evidence-decision-invalid", "D/candidateId"),
    "actor id with space": ("evidence-malformed", "D/actor/id"),
    "source ref with a token query": ("evidence-reference-unsafe", "E/source/ref"),
    "source ref with credentials": ("evidence-reference-unsafe", "E/source/ref"),
    "locator leading zero": ("evidence-span-invalid", "P/provenance/locator"),
    "locator length differs from excerpt": ("evidence-span-invalid", "P/provenance/locator"),
    "astral excerpt counted in code points": ("evidence-span-invalid", "P/provenance/locator"),
    "empty excerpt at an empty span": ("empty-excerpt", "P/provenance/excerpt"),
    "occurrence extra member": ("evidence-span-invalid", "P/provenance/occurrence/x"),
    "occurrence selected index equals count": (
        "evidence-span-invalid",
        "P/provenance/occurrence/selected/index",
    ),
    "artifact state unavailable on a grounded import": (
        "evidence-record-invalid",
        "/importRecord/status/state",
    ),
    "unresolved import without diagnostics": (
        "evidence-record-invalid",
        "/importRecord/status/state",
    ),
    "grounded import without review resources": ("evidence-review-missing", "/reviewItem"),
    "extractedAt without offset": ("evidence-record-invalid", "E/result/extractedAt"),
    "proposalIndex past the end": ("evidence-proposal-unknown", "/proposalIndex"),
}
PLACES = {
    "E": "/importRecord/spec/envelope",
    "P": "/importRecord/spec/envelope/result/proposals/0",
    "C": "/reviewItem/spec/candidates/0",
    "D": "/reviewDecision/spec",
}
PINNED = {
    "v1": (
        EMBEDDED,
        False,
        "sha256:42b11897b9014f7af8a891893b380260a28ce00fb1e9ec19ff9e70e7b9ceb4ea",
        "70b5c3c7c9fb420aec0d1768cce6f9774b2ed647c99fe3d2c7a59d9e3e451feb",
    ),
    "v2": (
        REFERENCE,
        False,
        "sha256:769fe7ed74400255330f49adaf889d848283e73999ad5234b369005b7eb084bc",
        "533fcbab19a651f90c3b3a3b850ca7afc89db67315b0d3df4c05a03842a2d384",
    ),
    "v2 with its record": (
        REFERENCE,
        True,
        "sha256:769fe7ed74400255330f49adaf889d848283e73999ad5234b369005b7eb084bc",
        "77bcafe8cef2e1580c0b37e8aa4a2b842c6cd46e37685db5504283eb17cdc3d1",
    ),
}


def vectors(accepted):
    chosen = [one for one in VECTORS if is_accepted(one) is accepted]
    return pytest.mark.parametrize("vector", chosen, ids=[one["name"] for one in chosen])


def is_accepted(vector):
    name = vector["name"]
    return name in NEWEST or (vector["surface320"]["accepted"] and name not in OURS)


def test_every_vector_is_told_apart():
    assert len(VECTORS) == 40
    assert {one["name"] for one in VECTORS if not is_accepted(one)} == set(CODES)
    assert {one["name"] for one in VECTORS if "newestSurface" in one} == set(NEWEST)


@vectors(accepted=True)
def test_an_accepted_vector_gives_the_evidence_that_was_measured(vector):
    evidence_input = edited(golden(), *vector["ops"])
    evidence = project_reviewed_extraction_evidence(evidence_input, profile=EMBEDDED)
    part = evidence["metadata"]["reviewedExtraction"]
    found = {name: evidence[name] for name in ("supportStrength", "passing", "blocking")}
    found |= {"gaps": part["gaps"], "profileDigest": part["profileDigest"]}
    expected = {name: value for name, value in vector["surface320"].items() if name != "accepted"}
    if vector["name"] in NEWEST:
        gaps = NEWEST[vector["name"]]
        assert part["gaps"] == gaps
        assert found["supportStrength"] == ("cited" if gaps else "entails")
    else:
        assert found == expected
    restore_reviewed_extraction_evidence(evidence)


@vectors(accepted=False)
def test_a_refused_vector_is_refused_by_name_and_place(vector):
    project_reviewed_extraction_evidence(golden(), profile=EMBEDDED)
    code, place = CODES[vector["name"]]
    with pytest.raises(SurveyError) as refused:
        project_reviewed_extraction_evidence(edited(golden(), *vector["ops"]), profile=EMBEDDED)
    assert (refused.value.code, refused.value.pointer) == (
        code,
        PLACES.get(place[0], place[0]) + place[1:],
    )


@pytest.mark.parametrize("pin", list(PINNED.values()), ids=list(PINNED))
def test_row_p1_the_golden_input_gives_the_pinned_digests_and_bytes(pin):
    profile, carry_record, digest, text_hash = pin
    evidence = project_reviewed_extraction_evidence(
        golden(), profile=profile, carry_record=carry_record
    )
    assert evidence["metadata"]["reviewedExtraction"]["profileDigest"] == digest
    assert hashlib.sha256(canonical_json(evidence, "as-stored")).hexdigest() == text_hash
    written = project_evidence(
        read_record(golden()["importRecord"]),
        without_record(golden()),
        profile=profile,
        carry_record=carry_record,
    )
    assert written.evidence == evidence


def test_row_p5_a_span_counts_utf16_units():
    astral = "A\U0001f600B"
    operations = next(
        one["ops"] for one in VECTORS if one["name"] == "astral excerpt counted in code points"
    )
    as_units = json.loads(json.dumps(operations).replace("chars:0-3", "chars:0-4"))
    as_units[-1][-1] = 4
    evidence = project_reviewed_extraction_evidence(edited(golden(), *as_units))
    assert evidence["excerptOrSummary"] == astral
    with pytest.raises(SurveyError) as refused:
        project_reviewed_extraction_evidence(edited(golden(), *operations))
    assert refused.value.code == "evidence-span-invalid"


def test_row_p6_an_item_without_editable_is_refused():
    with pytest.raises(SurveyError) as refused:
        project_reviewed_extraction_evidence(edited(golden(), ["del", "reviewItem/spec/editable"]))
    assert refused.value.pointer == "/reviewItem/spec/editable"


def test_row_p7_a_candidate_checksum_has_no_prefix():
    place = "reviewItem/spec/candidates/0/source/checksum"
    digest = golden()["reviewItem"]["spec"]["candidates"][0]["source"]["checksum"]
    with pytest.raises(SurveyError) as refused:
        project_reviewed_extraction_evidence(edited(golden(), ["set", place, f"sha256:{digest}"]))
    assert (refused.value.code, refused.value.pointer) == ("evidence-item-mismatch", f"/{place}")


@pytest.mark.parametrize(
    "case",
    load("surface-value-digest.v1.json")["cases"],
    ids=[one["name"] for one in load("surface-value-digest.v1.json")["cases"]],
)
def test_row_d1_a_value_has_the_pinned_digest(case):
    assert value_digest(case["value"]) == case["valueDigest"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (123456789012345680000, "123456789012345680000"),
        (-0.0, "0"),
    ],
    ids=["large", "small", "padded", "negative zero"],
)
def test_row_d2_numbers_are_hashed_as_ecmascript_prints_them(value, text):
    assert canonical_json(value).decode() == text
    assert value_digest(value) == f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_row_d3_members_are_ordered_by_utf16_code_unit():
    text = '{"\U0001f600":1,"\ufffd":2}'
    assert canonical_json({"\ufffd": 2, "\U0001f600": 1}).decode() == text
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert value_digest({"\ufffd": 2, "\U0001f600": 1}) == digest
