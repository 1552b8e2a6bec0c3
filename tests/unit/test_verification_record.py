"""Verification records, made and stored: 20-import.md 11.2, 11.4 and row 80.

Rows 81 and 82 are in test_verification_fold.py, row 83 in test_verification_verifier.py.
"""

import copy
import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.reference.canonical import digest

from survey_fast.errors import SurveyError, VerificationError
from survey_fast.imports.verification import (
    build_candidate_verification,
    validate_candidate_verification,
)

VERIFIER = SimpleNamespace(id="fixture-verifier", version="1.0.0", method="model")
NOON = "2026-09-28T12:00:00.000Z"
ABSENT = object()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
    max_leaves=8,
)


def question():
    return {
        "candidateId": "fee.proposed",
        "value": 48000,
        "valueType": "number",
        "evidence": [
            {
                "id": "ev-1",
                "excerpt": "Fee: 48000 per year",
                "locator": "chars:0-19",
                "context": "Fee schedule",
            },
            {"id": "ev-2", "excerpt": "Summary Fee: 48000", "locator": "chars:21-39"},
        ],
    }


def build(asked=None, verdict=None, verifier=VERIFIER, created_at=NOON):
    return build_candidate_verification(
        verifier,
        question() if asked is None else asked,
        {"result": "supported", "score": 0.8} if verdict is None else verdict,
        created_at=created_at,
    )


def rehashed(document):
    """The document with the id that its other members call for."""
    rest = {name: value for name, value in document.items() if name != "id"}
    hashed = digest({"domain": "survey.candidate-verification/v1", "payload": rest})
    return {**document, "id": f"sha256:{hashed}"}


def edited(document, pointer, value):
    """A copy with one member set, added or (ABSENT) removed."""
    document = copy.deepcopy(document)
    *path, last = pointer.split("/")[1:]
    place = document
    for step in path:
        place = place[int(step) if isinstance(place, list) else step]
    if value is ABSENT:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return document


def test_the_published_vector_has_its_four_digests():
    supported = build()
    timed_out = build(verdict={"result": "abstain", "abstainReason": "timeout"})
    assert (supported.value_digest, supported.input_digest, supported.id, timed_out.id) == (
        "sha256:5d1dbce82e135ab816d7c6d1f5f9020b94000975fa77f0a349a5b4d226d82332",
        "sha256:d5d46031fb546f343036ccd65cc3bdf3f022f9b71e03f7e3a988a02fa3a0bc9d",
        "sha256:4626e1e7692707fe342d0ac068ae635653f423ec7765f5d053721a19b5175ecf",
        "sha256:fe26941a6d19656903cac66b739dd178760eac412abcddd3d024670954b3ece8",
    )


def test_a_record_holds_exactly_the_members_of_its_format():
    assert build().to_json() == {
        "id": "sha256:4626e1e7692707fe342d0ac068ae635653f423ec7765f5d053721a19b5175ecf",
        "kind": "survey.candidate-verification",
        "schemaVersion": 1,
        "candidateId": "fee.proposed",
        "evidenceIds": ["ev-1", "ev-2"],
        "valueDigest": "sha256:5d1dbce82e135ab816d7c6d1f5f9020b94000975fa77f0a349a5b4d226d82332",
        "inputDigest": "sha256:d5d46031fb546f343036ccd65cc3bdf3f022f9b71e03f7e3a988a02fa3a0bc9d",
        "verifier": {"id": "fixture-verifier", "version": "1.0.0"},
        "method": "model",
        "result": "supported",
        "score": 0.8,
        "createdAt": NOON,
    }


def test_a_missing_score_stays_missing():
    assert "score" not in build(verdict={"result": "contradicted"}).to_json()


def test_a_stored_record_validates_as_data_text_and_bytes():
    text = json.dumps(build().to_json(), indent=2)
    for form in (json.loads(text), text, text.encode(), build()):
        assert validate_candidate_verification(form) == build()


def test_row_80_an_abstention_rewritten_as_supported_is_not_its_digest():
    stored = build(verdict={"result": "abstain", "abstainReason": "timeout"}).to_json()
    assert validate_candidate_verification(stored).result == "abstain"
    del stored["abstainReason"]
    stored["result"] = "supported"
    with pytest.raises(VerificationError) as caught:
        validate_candidate_verification(stored)
    assert (caught.value.code, caught.value.pointer) == ("verification-record-invalid", "/id")


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/note", "unknown member"),
        ("/a~1b", 1),
        ("/kind", "survey.other"),
        ("/kind", ABSENT),
        ("/schemaVersion", 2),
        ("/schemaVersion", True),
        ("/schemaVersion", "1"),
        ("/candidateId", " "),
        ("/evidenceIds", []),
        ("/evidenceIds", ["ev-2", "ev-1"]),
        ("/evidenceIds", ["ev-1", "ev-1"]),
        ("/evidenceIds/1", "\u2003"),
        ("/evidenceIds/0", 1),
        ("/verifier", "fixture-verifier"),
        ("/verifier/name", "someone"),
        ("/verifier/version", ABSENT),
        ("/verifier/id", ""),
        ("/method", "guess"),
        ("/result", "maybe"),
        ("/abstainReason", "error"),
        ("/score", 1.5),
        ("/score", None),
        ("/valueDigest", "5d1dbce82e135ab816d7c6d1f5f9020b94000975fa77f0a349a5b4d226d82332"),
        ("/inputDigest", "sha256:" + "A" * 64),
        ("/inputDigest", "sha256:" + "a" * 64 + "\n"),
        ("/createdAt", "2026-09-28T12:00:00Z"),
        ("/createdAt", ABSENT),
    ],
)
def test_a_stored_record_of_the_wrong_shape_is_refused_though_its_id_fits(pointer, value):
    name = pointer.replace("~1", "\0")
    document = edited(build().to_json(), name, value)
    document = rehashed({key.replace("\0", "/"): part for key, part in document.items()})
    with pytest.raises(VerificationError) as caught:
        validate_candidate_verification(document)
    assert (caught.value.code, caught.value.pointer) == ("verification-record-invalid", pointer)


def test_an_abstention_with_a_score_is_refused_though_its_id_fits():
    stored = build(verdict={"result": "abstain", "abstainReason": "error"}).to_json()
    with pytest.raises(VerificationError) as caught:
        validate_candidate_verification(rehashed({**stored, "score": 0}))
    assert caught.value.pointer == "/score"


@pytest.mark.parametrize("value", [ABSENT, None, "", "sha256:" + "0" * 64])
def test_a_stored_record_without_its_own_id_is_refused(value):
    with pytest.raises(VerificationError) as caught:
        validate_candidate_verification(edited(build().to_json(), "/id", value))
    assert (caught.value.code, caught.value.pointer) == ("verification-record-invalid", "/id")


def test_a_record_cannot_be_changed_and_keeps_nothing_of_its_input():
    asked = question()
    record = build(asked)
    asked["evidence"].clear()
    stored = record.to_json()
    stored["evidenceIds"].append("ev-3")
    with pytest.raises(ValidationError):
        record.result = "contradicted"
    with pytest.raises(ValidationError):
        record.verifier.id = "other"
    with pytest.raises(AttributeError):
        record.evidence_ids.append("ev-3")
    assert record == build()


@pytest.mark.parametrize("record", [object(), {1: 2}, {"id": {1, 2}}])
def test_what_is_no_document_is_misuse(record):
    with pytest.raises(TypeError):
        validate_candidate_verification(record)


@given(st.sampled_from(sorted(build().to_json())), JSON)
def test_any_member_of_any_value_gives_a_record_or_a_refusal(name, value):
    document = {**build().to_json(), name: value}
    try:
        record = validate_candidate_verification(document)
    except SurveyError:
        return
    assert record == build()


@given(st.binary(max_size=200))
def test_any_bytes_give_a_refusal(raw):
    with pytest.raises(SurveyError):
        validate_candidate_verification(raw)
