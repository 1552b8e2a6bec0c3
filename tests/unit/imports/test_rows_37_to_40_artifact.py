"""Rows 37 to 40 of the import's edge table: the prepared artifact and what became of it.

Proven: 37, 38, 39, 40.
"""

from tests.unit.imports.samples import (
    cases,
    cut,
    newest,
    prepared_text,
    put,
    put_all,
    refused,
    run,
    silent,
    vendor,
    with_ref,
)

from survey_fast import available_artifact

INVALID = "envelope-invalid-value"
SECRET = "envelope-authorization-material"
ARTIFACT = "/result/preparedArtifact"
STATE = "/result/preparedArtifactState"
OTHER_REF = "traverse-prepared-artifact:v1:sha256:" + "0" * 64


@cases(
    "changes",
    {
        "another reference": ({f"{ARTIFACT}/ref": OTHER_REF},),
        "another length": ({f"{ARTIFACT}/contentLength": 61},),
        "another digest": ({f"{ARTIFACT}/digest": "0" * 64},),
        "another mode": ({f"{ARTIFACT}/preparationMode": "markdown"},),
        "another version": ({f"{ARTIFACT}/preparationVersion": "4"},),
        "a snapshot more": ({f"{ARTIFACT}/sourceSnapshotRef": "snapshot:1"},),
    },
)
def test_row_37_reference_that_does_not_recompute(changes):
    document = put_all(vendor(), changes)
    assert refused(run, document) == ("envelope-inconsistent", f"{ARTIFACT}/ref")
    assert run(with_ref(document)).is_grounded


@cases(
    "member value",
    {
        "upper-case digest": ("digest", "A" * 64),
        "prefixed digest": ("digest", "sha256:" + "a" * 64),
        "unknown mode": ("preparationMode", "html"),
        "blank version": ("preparationVersion", " \ufeff"),
        "length below zero": ("contentLength", -1),
        "length with a fraction": ("contentLength", 59.5),
        "empty snapshot": ("sourceSnapshotRef", ""),
        "null snapshot": ("sourceSnapshotRef", None),
        "bare reference": ("ref", "0" * 64),
        "reference and more": ("ref", OTHER_REF + "\n"),
    },
)
def test_row_37_artifact_out_of_shape(member, value):
    pointer = f"{ARTIFACT}/{member}"
    assert refused(run, put(vendor(), pointer, value)) == (INVALID, pointer)


@cases(
    "name changes pointer",
    {
        "available, asked for by another name": (
            "state-available",
            {"requestedRef": OTHER_REF},
            "requestedRef",
        ),
        "another artifact": ("state-available", {"canonicalRef": OTHER_REF}, "canonicalRef"),
        "another artifact, invalid": (
            "state-invalid-artifact",
            {"canonicalRef": OTHER_REF},
            "canonicalRef",
        ),
        "digest mismatch under another name": (
            "state-digest-mismatch",
            {"requestedRef": OTHER_REF},
            "requestedRef",
        ),
    },
)
def test_row_38_state_that_contradicts_the_artifact(name, changes, pointer):
    document = put_all(newest(name), {f"{STATE}/{member}": changes[member] for member in changes})
    assert refused(run, document) == ("envelope-inconsistent", f"{STATE}/{pointer}")


def test_row_38_identity_mismatch_with_equal_references():
    document = newest("state-identity-mismatch")
    canonical = document["result"]["preparedArtifactState"]["canonicalRef"]
    document = put(document, f"{STATE}/requestedRef", canonical)
    assert refused(run, document) == ("envelope-inconsistent", f"{STATE}/requestedRef")


@cases(
    "name changes code pointer",
    {
        "unknown status": ("state-available", {"status": "lost"}, INVALID, "/status"),
        "text inside": ("state-available", {"text": "x"}, "envelope-unexpected-member", "/text"),
        "unknown reason": ("state-invalid-artifact", {"reason": "rust"}, INVALID, "/reason"),
        "secret in the name asked for": (
            "state-identity-mismatch",
            {"requestedRef": "https://u:p@h/"},
            SECRET,
            "/requestedRef",
        ),
        "bare digest": ("state-digest-mismatch", {"actualDigest": "0"}, INVALID, "/actualDigest"),
    },
)
def test_row_38_state_out_of_shape(name, changes, code, pointer):
    document = put_all(newest(name), {f"{STATE}/{member}": changes[member] for member in changes})
    assert refused(run, document) == (code, STATE + pointer)


def test_row_38_state_without_an_artifact():
    document = cut(newest("state-available"), ARTIFACT)
    assert refused(run, document) == ("envelope-inconsistent", STATE)


def in_state(status, **members):
    """An envelope with proposals whose producer says this about its prepared text."""
    ref = vendor()["result"]["preparedArtifact"]["ref"]
    return put(vendor(), STATE, {"status": status, "canonicalRef": ref, **members})


OWN_REF = in_state("")["result"]["preparedArtifact"]["ref"]


@cases(
    "status members ref",
    {
        "unavailable": ("unavailable", {"requestedRef": OWN_REF}, OWN_REF),
        "storage error": ("storage-error", {"requestedRef": OWN_REF}, OWN_REF),
        "identity mismatch": ("identity-mismatch", {"requestedRef": "shelf:9"}, "shelf:9"),
        "invalid artifact": ("invalid-artifact", {"reason": "invalid-ref"}, OWN_REF),
    },
)
def test_row_39_artifact_not_available(status, members, ref):
    result = run(in_state(status, **members))
    expected = {"kind": "artifact-unavailable", "status": status, "artifactRef": ref}
    assert silent(result.status) == {
        "state": "unresolved",
        "provenance": "unverified",
        "diagnostics": [expected],
    }
    assert result.review_items == []
    verified = run(in_state(status, **members), artifact=available_artifact(prepared_text()))
    assert silent(verified.status) == {**silent(result.status), "provenance": "verified"}
    assert verified.review_items == []


def test_row_39_artifact_available():
    assert run(in_state("available", requestedRef=OWN_REF)).is_grounded


def test_row_40_artifact_of_another_digest():
    other = {"actualDigest": "f" * 64, "actualContentLength": 0}
    result = run(in_state("digest-mismatch", requestedRef=OWN_REF, **other))
    expected = {
        "kind": "digest-mismatch",
        "artifactRef": OWN_REF,
        "expectedDigest": vendor()["result"]["preparedArtifact"]["digest"],
        "actualDigest": "f" * 64,
    }
    assert silent(result.status) == {
        "state": "unresolved",
        "provenance": "unverified",
        "diagnostics": [expected],
    }
    assert result.review_items == []
