"""Rows 41 to 45 of the import's edge table: what may stand in a reference, an identity, a digest.

Proven: 41, 42, 43, 44, 45.
"""

import pytest
from tests.unit.imports.samples import (
    DIGEST,
    FIRST,
    artifact_of,
    cases,
    prepared_text,
    put,
    put_all,
    refused,
    run,
    vendor,
)

INVALID = "envelope-invalid-value"
SECRET = "envelope-authorization-material"


def nested_url(levels):
    """A URL in the query of a URL, and so on; nothing in them is secret."""
    escaped = "x:y"
    for _ in range(levels):
        escaped = "x:y?a=" + escaped.replace("%", "%25").replace("?", "%3F").replace("=", "%3D")
    return escaped


@pytest.mark.parametrize(
    "ref",
    [
        "https://user:pw@example.test/a",
        "https://user@example.test/a",
        "https://:pw@example.test/a",
        "https:user:pw@example.test/a",
        "https:/user@example.test",
        "  https://user:pw@example.test/a",
        "\x00https://user@example.test",
        "ht\ntps://user@example.test",
        "urn:x?token=1",
        "https://h/?access_token",
        "https://h/?access_token=1",
        "https://h/?X-Amz-Signature=1",
        "https://h/?api%5Fkey=1",
        "https://h/?API-KEY=1",
        "https://h/?a=1&client_secret=2#x",
        "https://h/?next=https%3A%2F%2Fu%3Ap%40h%2F",
        "https://h/?next=x%3Ay%3Ftoken%3D1",
        "https://h/?a=Bearer+abc",
        nested_url(3),
        "Authorization: x",
        "see authorization = x",
        "AUTHORIZATION\u00a0:x",
        "Bearer abc",
        "a bearer\tx",
    ],
    ids=ascii,
)
def test_row_41_reference_with_authorization_material(ref):
    for pointer in ("/source/ref", "/source/snapshotRef"):
        assert refused(run, put(vendor(), pointer, ref)) == (SECRET, pointer)


@pytest.mark.parametrize(
    "ref",
    [
        "https://h/?sig=1",
        "https://h/?tokens=1",
        "https://h/#token=1",
        "https://h/token=1",
        "bearer",
        "bearer ",
        "authorization",
        "mailto:user:pw@x",
        "//user:pw@h/",
        "https://user:pw@bad host/",
        nested_url(2),
        "caf\u00e9",
        " ",
    ],
    ids=ascii,
)
def test_row_42_reference_without_authorization_material(ref):
    assert run(put(vendor(), "/source/ref", ref)).is_grounded
    (item,) = run(put(vendor(), "/source/snapshotRef", ref)).review_items
    assert item["spec"]["candidates"][0]["source"]["sourceId"] == ref


PLACES_OF_IDENTITIES = ["/result/provider", "/result/model", f"{FIRST}/extractor"]


@cases(
    "value code",
    {
        "space": ("a b", INVALID),
        "leading hyphen": ("-a", INVALID),
        "leading slash": ("/a", INVALID),
        "257 characters": ("p" * 257, INVALID),
        "not ASCII": ("caf\u00e9", INVALID),
        "query": ("p?a=1", INVALID),
        "line feed": ("a\n", INVALID),
        "empty": ("", INVALID),
        "number": (7, INVALID),
        "issued token": ("ghp_x", SECRET),
        "secret key": ("sk-x", SECRET),
        "access key": ("AKIAB", SECRET),
        "web token": ("eyJa.eyJb", SECRET),
        "user info": ("https://u@h", SECRET),
    },
)
def test_row_43_identity_refused(value, code):
    for pointer in PLACES_OF_IDENTITIES:
        assert refused(run, put(vendor(), pointer, value)) == (code, pointer)


@pytest.mark.parametrize("value", ["sk-", "AKIAb", "p" * 256, "7", "a._:@/+~-", "eyJa.b"])
def test_row_43_identity_accepted(value):
    for pointer in PLACES_OF_IDENTITIES:
        assert run(put(vendor(), pointer, value)).is_grounded


@cases(
    "pointer value",
    {
        "null model": ("/result/model", None),
        "upper-case task digest": ("/result/taskDigest", "sha256:" + "A" * 64),
        "bare task digest": ("/result/taskDigest", "a" * 64),
        "short task digest": ("/result/taskDigest", "sha256:" + "a" * 63),
        "null task digest": ("/result/taskDigest", None),
        "bare example digest": ("/result/exampleDigests/0", "a" * 64),
        "run id of another version": (
            "/result/runId",
            "traverse-extraction-run:00000000-0000-1000-8000-000000000001",
        ),
        "run id in upper case": (
            "/result/runId",
            "traverse-extraction-run:00000000-0000-4000-8000-00000000000A",
        ),
        "ocr mark that is false": ("/result/ocrDerived", False),
        "warning of an unknown category": (
            "/result/warningClassifications/0/category",
            "weather",
        ),
    },
)
def test_row_44_members_of_the_run(pointer, value):
    document = put_all(
        vendor(),
        {
            "/result/exampleDigests": [DIGEST],
            "/result/warningClassifications": [{"category": "other", "code": "a"}],
        },
    )
    assert run(document).is_grounded
    assert refused(run, put(document, pointer, value)) == (INVALID, pointer)


def test_row_45_two_snapshots():
    artifact = artifact_of(prepared_text(), sourceSnapshotRef="snapshot:1")
    document = put(vendor(), "/result/preparedArtifact", artifact)
    assert run(document).is_grounded
    assert run(put(document, "/source/snapshotRef", "snapshot:1")).is_grounded
    other = put(document, "/source/snapshotRef", "snapshot:2")
    assert refused(run, other) == ("envelope-inconsistent", "/source/snapshotRef")
