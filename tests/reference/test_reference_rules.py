"""Rules that the published data does not reach: credentials, edges, stored statuses."""

import copy

import pytest
from tests.reference.canonical import Refused, canonical
from tests.reference.credentials import require_identity, require_safe_reference
from tests.reference.envelope import validate_envelope
from tests.reference.importing import import_envelope, review_items, validate_import
from tests.reference.samples import (
    VENDOR,
    VENDOR_TARGET,
    available,
    import_vendor,
    load,
    vendor_envelope,
)

KEY = "survey.kontourai.io/extraction-envelope"
FEE = "success-conflicting-fee"
SIGNED_BEARER = "Bearer abc"


def fee_text():
    return load("traverse-envelopes/prepared-texts.json")[FEE]


def refusal_of(action, *arguments, **options):
    with pytest.raises(Refused) as caught:
        action(*arguments, **options)
    return caught.value.code, caught.value.pointer


@pytest.mark.parametrize(
    "text",
    [
        "https://user:pw@example.test/a",
        "https:user@example.test",
        "  https://user@example.test",
        "urn:x?token=1",
        "https://h.test/?access_token=1",
        "https://h.test/?X-Amz-Signature=1",
        "https://h.test/?api%5Fkey=1",
        "https://h.test/?next=https%3A%2F%2Fu%3Ap%40h.test",
        "a:?x=a%3A%3Fx%3Da%253A%253Fx%253D1",
        "Authorization: x",
        SIGNED_BEARER,
    ],
)
def test_references_that_carry_a_secret(text):
    assert refusal_of(require_safe_reference, text, "/r") == (
        "envelope-authorization-material",
        "/r",
    )


@pytest.mark.parametrize(
    "text",
    [
        "https://h.test/?sig=1",
        "https://h.test/?tokens=1",
        "https://h.test/#token=1",
        "bearer",
        "mailto:user:pw@x",
        "https://user:pw@bad host/",
        "https://user:pw@h.test:99999/",
        "https://user:pw@1.2.3.4.5/",
        "//user:pw@h.test",
        "https://[::1]/?a=b",
    ],
)
def test_references_that_pass(text):
    assert require_safe_reference(text, "/r") == text


@pytest.mark.parametrize("text", ["", "a b", "-a", "p" * 257, "\u00e9", 7, None])
def test_identities_out_of_shape(text):
    assert refusal_of(require_identity, text, "/i") == ("envelope-invalid-value", "/i")


@pytest.mark.parametrize("text", ["sk-x", "eyJa.eyJb", "AKIAB", "ghp_x", "https://u@h.test"])
def test_identities_that_are_secrets(text):
    assert refusal_of(require_identity, text, "/i") == ("envelope-authorization-material", "/i")


@pytest.mark.parametrize("text", ["sk-", "AKIAb", "p" * 256, "a:b@c/d+e~f"])
def test_identities_that_pass(text):
    assert require_identity(text, "/i") == text


def edited(envelope, path, value):
    """A copy with one member set."""
    result = copy.deepcopy(envelope)
    *steps, last = path
    place = result
    for step in steps:
        place = place[step]
    place[last] = value
    return result


PROPOSAL = ("result", "proposals", 0)
FIRST = "/result/proposals/0"
NEST_101 = [[]]
for _ in range(99):
    NEST_101 = [NEST_101]


@pytest.mark.parametrize(
    ("path", "value", "code", "pointer"),
    [
        ((*PROPOSAL, "confidence"), None, "envelope-invalid-value", f"{FIRST}/confidence"),
        ((*PROPOSAL, "candidateValue"), NEST_101, "import-value-depth", f"{FIRST}/candidateValue"),
        ((*PROPOSAL, "candidateValue"), -0.0, "json-negative-zero", f"{FIRST}/candidateValue"),
        ((*PROPOSAL, "candidateValue"), "\ud800", "json-lone-surrogate", f"{FIRST}/candidateValue"),
        (
            (*PROPOSAL, "producedByModel"),
            1,
            "envelope-unexpected-member",
            f"{FIRST}/producedByModel",
        ),
        (("result", "evidenceMatch"), {}, "envelope-unexpected-member", "/result/evidenceMatch"),
        (("result", "partial"), None, "envelope-inconsistent", "/result/partial"),
        (("result", "model"), None, "envelope-invalid-value", "/result/model"),
        (("result", "ocrDerived"), False, "envelope-invalid-value", "/result/ocrDerived"),
        (("result", "pdfLayout"), {}, "envelope-missing-member", "/result/pdfLayout/elements"),
        (("version",), True, "envelope-unsupported-version", "/version"),
        (("source", "ref"), SIGNED_BEARER, "envelope-authorization-material", "/source/ref"),
    ],
)
def test_edited_envelopes(path, value, code, pointer):
    assert refusal_of(validate_envelope, edited(vendor_envelope(FEE), path, value)) == (
        code,
        pointer,
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*PROPOSAL, "candidateValue"), NEST_101[0]),
        ((*PROPOSAL, "fieldPath"), " "),
        ((*PROPOSAL, "enumValues"), [""]),
        ((*PROPOSAL, "pathIndices"), []),
        ((*PROPOSAL, "valueNormalization"), {"kind": "string-to-number", "from": "48,000"}),
        (("result", "pdfPageOffsets"), [5, 999]),
        (("result", "extractedAt"), " "),
        (("version",), 1.0),
    ],
)
def test_edits_that_pass(path, value):
    envelope = edited(vendor_envelope(FEE), path, value)
    assert canonical(validate_envelope(envelope)) == canonical(envelope)


def test_layout_is_checked_and_sorted():
    pages = [
        {"pageNumber": number, "width": 10, "height": 10, "unit": "points"} for number in (2, 1)
    ]
    elements = [
        {"kind": "paragraph", "pageNumber": 2, "range": {"start": 10, "end": 20}},
        {"kind": "heading", "pageNumber": 1, "range": {"start": 0, "end": 10}},
    ]
    layout = {"pages": pages, "elements": elements}
    envelope = edited(vendor_envelope(FEE), ("result", "pdfLayout"), layout)
    assert validate_envelope(envelope)["result"]["pdfLayout"] == {
        "pages": pages[::-1],
        "elements": elements[::-1],
    }
    place = ("result", "pdfLayout", "elements", 0)
    wide = {"x": 1, "y": 0, "width": 10, "height": 1}
    for path, value, pointer in [
        (("pageNumber",), 3, "pageNumber"),
        (("range", "end"), 61, "range/end"),
        (("bounds",), wide, "bounds"),
    ]:
        assert refusal_of(validate_envelope, edited(envelope, (*place, *path), value)) == (
            "envelope-inconsistent",
            f"/result/pdfLayout/elements/0/{pointer}",
        )


def test_an_excluded_rival_stays_on_the_item_of_its_slot():
    envelope = vendor_envelope(FEE)
    rival = envelope["result"]["proposals"][2]
    rival["candidateValue"] = 52001
    rival["provenance"]["excerpt"] = "52001"
    record, (item,) = import_vendor(envelope, artifact=available(fee_text()))
    assert record["status"]["state"] == "grounded"
    assert item["metadata"]["name"] == "extraction-envelope.2a292e74fe0d74c002f7"
    assert item["spec"]["candidateSetStatus"] == "needs-review"
    assert [one["id"].split(".")[1] for one in item["spec"]["candidates"]] == [
        "49759f73cd5e9c28c95a"
    ]
    assert item["metadata"]["producer"][KEY]["excludedProposals"] == [
        {
            "proposalIndex": 2,
            "value": 52001,
            "locator": "chars:54-59",
            "excerpt": "52001",
            "reason": "excerpt-mismatch",
        }
    ]
    # What a stored status may and may not say.
    emptied = edited(record, ("status", "diagnostics"), [])
    assert len(review_items(emptied)[0]["spec"]["candidates"]) == 2
    mismatch = record["status"]["diagnostics"][0]
    for path, value in [
        (("diagnostics",), [mismatch, mismatch]),
        (("diagnostics", 0, "proposalIndex"), 7),
        (("diagnostics", 0, "extra"), 1),
        (("provenance",), "unverified"),
        (("state",), "unresolved"),
    ]:
        assert refusal_of(validate_import, edited(record, ("status", *path), value)) == (
            "import-status-incoherent",
            "/status",
        )
    assert validate_import(edited(record, ("status", "diagnostics", 0, "message"), "other"))


@pytest.mark.parametrize(
    ("artifact", "kind", "code"),
    [
        (
            {"status": "unavailable", "code": "access-denied"},
            "artifact-unavailable",
            "access-denied",
        ),
        ({"status": "digest-mismatch", "actualDigest": "0" * 64}, "digest-mismatch", None),
        (available("another text"), "digest-mismatch", None),
    ],
)
def test_text_that_cannot_be_used(artifact, kind, code):
    record, items = import_vendor(vendor_envelope(FEE), artifact=artifact)
    (diagnostic,) = record["status"]["diagnostics"]
    assert (diagnostic["kind"], diagnostic.get("code")) == (kind, code)
    assert (record["status"]["state"], record["status"]["provenance"]) == (
        "unresolved",
        "unverified",
    )
    assert items == []


def test_import_options_are_judged():
    envelope = vendor_envelope(FEE)

    def verdict(**options):
        defaults = {**VENDOR, "claim_targets": {"fee": VENDOR_TARGET}}
        return refusal_of(import_envelope, envelope, **{**defaults, **options})

    targets = [{**VENDOR_TARGET, "fieldOrBehavior": "fee"} for _ in range(3)]
    low = edited(targets, (2, "impactLevel"), "low")
    at = "/spec/claimTargets"
    assert verdict(claim_targets={}) == ("import-target-invalid", f"{at}/0")
    assert verdict(claim_targets=targets[:2]) == ("import-target-invalid", at)
    assert verdict(claim_targets=edited(targets, (1, "claimId"), " ")) == (
        "import-target-invalid",
        f"{at}/1/claimId",
    )
    assert verdict(claim_targets=low) == ("import-target-conflict", f"{at}/2")
    assert verdict(import_name=" ") == ("envelope-invalid-value", "/metadata/name")
    assert verdict(source_kind="fax") == ("envelope-invalid-value", "/spec/sourceKind")
    assert verdict(artifact={"status": "available", "text": ""}) == (
        "artifact-option-invalid",
        "/artifact/actualDigest",
    )
    record, _ = import_vendor(envelope)
    del record["status"]["provenance"]
    assert refusal_of(validate_import, record) == (
        "import-provenance-missing",
        "/status/provenance",
    )
