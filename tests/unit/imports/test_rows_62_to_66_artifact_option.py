"""Rows 62 to 66 of the import's edge table: a prepared text that does not fit, or is none.

Proven: 62, 63, 64, 65, 66.
"""

from tests.unit.imports.samples import (
    artifact_of,
    cases,
    cut,
    envelope,
    prepared_text,
    proposal,
    put,
    refused,
    run,
    sha256,
    silent,
    vendor,
    with_ref,
)

from survey_fast import available_artifact

ARTIFACT = "/result/preparedArtifact"
REF = vendor()["result"]["preparedArtifact"]["ref"]
OWN_DIGEST = vendor()["result"]["preparedArtifact"]["digest"]


def unresolved(diagnostic):
    return {"state": "unresolved", "provenance": "unverified", "diagnostics": [diagnostic]}


TAMPERED = prepared_text().replace("52000", "92000")


@cases(
    "artifact actual",
    {
        "honest digest": (available_artifact(TAMPERED), sha256(TAMPERED)),
        "expected digest": (
            {"status": "available", "text": TAMPERED, "actualDigest": OWN_DIGEST},
            sha256(TAMPERED),
        ),
        "right text, wrong report": (
            {"status": "available", "text": prepared_text(), "actualDigest": "0" * 64},
            OWN_DIGEST,
        ),
        "no text, another digest": (
            {"status": "digest-mismatch", "actualDigest": "f" * 64},
            "f" * 64,
        ),
        "no text, even the same digest": (
            {"status": "digest-mismatch", "actualDigest": OWN_DIGEST},
            OWN_DIGEST,
        ),
    },
)
def test_row_62_another_text(artifact, actual):
    result = run(vendor(), artifact=artifact)
    expected = {
        "kind": "digest-mismatch",
        "artifactRef": REF,
        "expectedDigest": OWN_DIGEST,
        "actualDigest": actual,
    }
    assert silent(result.status) == unresolved(expected)
    assert result.review_items == []


@cases(
    "code reported",
    {
        "access denied": ("access-denied", "unavailable"),
        "not found": ("not-found", "unavailable"),
        "unknown": ("unknown", "unavailable"),
        "storage error": ("storage-error", "storage-error"),
        "invalid artifact": ("invalid-artifact", "invalid-artifact"),
    },
)
def test_row_63_text_that_cannot_be_had(code, reported):
    result = run(vendor(), artifact={"status": "unavailable", "code": code})
    expected = {
        "kind": "artifact-unavailable",
        "status": reported,
        "artifactRef": REF,
        "code": code,
    }
    assert silent(result.status) == unresolved(expected)
    assert result.review_items == []


def test_row_64_text_of_another_length():
    document = with_ref(put(vendor(), f"{ARTIFACT}/contentLength", 61))
    expected = {
        "kind": "artifact-unavailable",
        "status": "invalid-artifact",
        "artifactRef": document["result"]["preparedArtifact"]["ref"],
    }
    result = run(document, artifact=available_artifact(prepared_text()))
    assert silent(result.status) == unresolved(expected)
    assert result.review_items == []


def test_row_64_length_is_in_utf16_units():
    text = "\U0001f600 Fee: 48000."
    document = envelope(text, proposal("fee", 48000, text, "48000"))
    given = available_artifact(text)
    assert run(document, artifact=given).is_verified
    shorter = put(document, ARTIFACT, artifact_of(text, contentLength=len(text)))
    assert not run(shorter, artifact=given).is_verified


def test_row_65_text_for_an_envelope_without_artifact():
    document = cut(vendor(), ARTIFACT)
    for artifact in (
        available_artifact(prepared_text()),
        {"status": "unavailable", "code": "unknown"},
        {"status": "digest-mismatch", "actualDigest": OWN_DIGEST},
    ):
        assert refused(run, document, artifact=artifact) == ("artifact-option-invalid", "")


@cases(
    "artifact pointer",
    {
        "no digest": ({"status": "available", "text": ""}, "/actualDigest"),
        "no text": ({"status": "available", "actualDigest": OWN_DIGEST}, "/text"),
        "short digest": ({"status": "digest-mismatch", "actualDigest": "0"}, "/actualDigest"),
        "text that is none": (
            {"status": "available", "text": 1, "actualDigest": OWN_DIGEST},
            "/text",
        ),
        "unknown code": ({"status": "unavailable", "code": "gone"}, "/code"),
        "extra member": ({"status": "unavailable", "code": "unknown", "why": "x"}, "/why"),
        "text with a mismatch": (
            {"status": "digest-mismatch", "actualDigest": OWN_DIGEST, "text": "x"},
            "/text",
        ),
        "unknown status": ({"status": "lost"}, "/status"),
        "no status": ({}, "/status"),
        "null status": ({"status": None}, "/status"),
    },
)
def test_row_66_artifact_out_of_shape(artifact, pointer):
    assert refused(run, vendor(), artifact=artifact) == ("artifact-option-invalid", pointer)
    # The shape is judged before the question whether the envelope names an artifact at all.
    bare = cut(vendor(), ARTIFACT)
    assert refused(run, bare, artifact=artifact) == ("artifact-option-invalid", pointer)
