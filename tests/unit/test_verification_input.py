"""What is asked and answered, before it becomes a record: 20-import.md 11.1 and 11.2."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from survey_fast.errors import JsonError, VerificationError
from survey_fast.imports.verification import (
    build_candidate_verification,
    validate_candidate_verification,
    value_digest,
)

VECTORS = Path(__file__).parents[1] / "vectors"
SURFACE = json.loads((VECTORS / "surface-value-digest.v1.json").read_text("utf-8"))["cases"]
VERIFIER = SimpleNamespace(id="fixture-verifier", version="1.0.0", method="model")
NOON = "2026-09-28T12:00:00.000Z"
ABSENT = object()


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


@pytest.mark.parametrize("case", SURFACE, ids=[case["name"] for case in SURFACE])
def test_value_digests_are_those_of_the_shared_vectors(case):
    assert value_digest(case["value"]) == case["valueDigest"]


def test_a_string_is_digested_as_a_value_and_not_read_as_json():
    assert value_digest("48000") != value_digest(48000)
    assert value_digest("not json").startswith("sha256:")


def test_one_and_one_point_zero_are_one_value():
    assert value_digest(1) == value_digest(1.0)


def test_a_value_that_is_not_plain_data_is_misuse():
    with pytest.raises(TypeError):
        value_digest((1, 2))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (-0.0, "json-negative-zero"),
        (float("nan"), "json-number-range"),
        (2**53 + 1, "json-number-range"),
        ("\ud800", "json-lone-surrogate"),
    ],
)
def test_a_value_that_no_document_can_hold_is_refused(value, code):
    with pytest.raises(JsonError) as caught:
        build(edited(question(), "/value", value))
    assert caught.value.code == code


def test_order_and_foreign_members_of_evidence_do_not_change_the_record():
    asked = question()
    asked["evidence"].reverse()
    asked["evidence"][0]["page"] = 3
    assert build(asked) == build()


def test_evidence_is_sorted_by_code_unit_and_not_by_code_point():
    # U+1F600 is written D83D DE00, which comes before U+FF5E.
    entries = [{"id": name, "excerpt": "", "locator": "p"} for name in ("\uff5e", "\U0001f600")]
    record = build(edited(question(), "/evidence", entries))
    assert record.evidence_ids == ("\U0001f600", "\uff5e")
    assert validate_candidate_verification(record) == record


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/candidateId", ABSENT),
        ("/candidateId", "\u00a0\ufeff"),
        ("/candidateId", None),
        ("/value", ABSENT),
        ("/valueType", None),
        ("/valueType", " "),
        ("/valuetype", "number"),
        ("/evidence", ABSENT),
        ("/evidence", []),
        ("/evidence", {}),
        ("/evidence/0", "ev-1"),
        ("/evidence/1/id", "ev-1"),
        ("/evidence/0/id", "\t"),
        ("/evidence/0/locator", ""),
        ("/evidence/0/locator", ABSENT),
        ("/evidence/0/excerpt", None),
        ("/evidence/0/context", None),
        ("/evidence/0/context", 7),
    ],
)
def test_an_input_of_the_wrong_shape_is_refused_where_it_is_wrong(pointer, value):
    with pytest.raises(VerificationError) as caught:
        build(edited(question(), pointer, value))
    assert (caught.value.code, caught.value.pointer) == ("verification-input-invalid", pointer)


def test_null_is_a_value_and_an_empty_excerpt_is_evidence():
    asked = edited(edited(question(), "/value", None), "/evidence/0/excerpt", "")
    assert build(asked).value_digest == value_digest(None)


@pytest.mark.parametrize("text", ["\x1c", "\x85"])
def test_characters_that_ecmascript_does_not_trim_are_not_blank(text):
    assert build(edited(question(), "/candidateId", text)).candidate_id == text


@pytest.mark.parametrize(
    ("verdict", "pointer"),
    [
        ({"result": "supported", "score": 7}, "/score"),
        ({"result": "supported", "score": -0.1}, "/score"),
        ({"result": "supported", "score": True}, "/score"),
        ({"result": "supported", "score": None}, "/score"),
        ({"result": "supported", "abstainReason": "error"}, "/abstainReason"),
        ({"result": "supported", "note": ""}, "/note"),
        ({"result": "Supported"}, "/result"),
        ({"score": 1}, "/result"),
        ({"result": "abstain"}, "/abstainReason"),
        ({"result": "abstain", "abstainReason": "tired"}, "/abstainReason"),
        ({"result": "abstain", "abstainReason": "error", "score": None}, "/score"),
        (["supported"], ""),
        ('{"result":"supported"}', ""),
    ],
)
def test_an_inconsistent_verdict_is_refused(verdict, pointer):
    with pytest.raises(VerificationError) as caught:
        build(verdict=verdict)
    assert (caught.value.code, caught.value.pointer) == ("verification-input-invalid", pointer)


@pytest.mark.parametrize(
    ("name", "value", "pointer"),
    [
        ("id", " ", "/verifier/id"),
        ("version", "", "/verifier/version"),
        ("method", "guess", "/method"),
    ],
)
def test_a_verifier_without_identity_is_refused(name, value, pointer):
    with pytest.raises(VerificationError) as caught:
        build(verifier=SimpleNamespace(**{**vars(VERIFIER), name: value}))
    assert (caught.value.code, caught.value.pointer) == ("verification-input-invalid", pointer)


INSTANTS = [
    "2026-09-28T12:00:00Z",
    "2026-09-28T12:00:00.000+00:00",
    "2026-09-28T12:00:00.000000Z",
    "2026-09-28 12:00:00.000Z",
    "2026-09-28T12:00:00.000Z\n",
    "2026-02-29T12:00:00.000Z",
    "2026-13-01T12:00:00.000Z",
    "2026-09-28T24:00:00.000Z",
    "2026-09-28T23:59:60.000Z",
    "\u0662026-09-28T12:00:00.000Z",
    "",
]


@pytest.mark.parametrize("text", INSTANTS)
def test_a_time_that_would_not_print_the_same_again_is_refused(text):
    with pytest.raises(VerificationError) as caught:
        build(created_at=text)
    assert (caught.value.code, caught.value.pointer) == ("verification-input-invalid", "/createdAt")


@pytest.mark.parametrize("text", ["2024-02-29T23:59:59.999Z", "0000-02-29T00:00:00.000Z"])
def test_leap_days_are_days(text):
    assert build(created_at=text).created_at == text


@pytest.mark.parametrize("name", ["id", "version", "method"])
def test_a_verifier_without_text_for_its_identity_is_misuse(name):
    with pytest.raises(TypeError):
        build(verifier=SimpleNamespace(**{**vars(VERIFIER), name: 1}))


def test_a_time_that_is_no_text_is_misuse():
    with pytest.raises(TypeError):
        build(created_at=1_790_000_000)
