"""Everything under ``tests/vectors`` that an import reads, imported."""

import json

import pytest
from tests.reference.samples import load, read, stems
from tests.unit.imports.samples import (
    cut,
    envelope,
    newest,
    portable,
    prepared_text,
    put,
    refused,
    run,
    run_portable,
    silent,
    vendor,
)

from survey_fast import (
    available_artifact,
    canonical_json,
    export_import,
    reimport,
    review_items,
    validate_import,
)
from survey_fast.attest import attest_review_queue_extraction
from survey_fast.canon import data_digest, sha256_hex

VENDOR_NAMES = [name.removesuffix(".v1") for name in stems("traverse-envelopes", "*.v1.json")]
EXPECTED = load("expected/traverse-envelopes.unverified.json")
WIRE = [
    f"{folder}/{name}"
    for folder in ("envelopes", "envelopes-0.25.1")
    for name in stems(f"traverse/{folder}")
]
INVALID = load("traverse/envelopes-invalid.json")
ARTIFACTS = load("traverse/prepared-artifacts.json")
DIGESTS = load("surface-value-digest.v1.json")["cases"]
# A producer's validator computes annotations again and counts chunks; an importer takes them as
# they were sent.
ACCEPTED_FROM_OTHERS = {"em-old-version", "em-schema-disagrees", "cov-two-for-chunk"}


def named(cases):
    return {"argnames": "case", "argvalues": cases, "ids": [case["name"] for case in cases]}


def test_all_of_the_published_envelopes_have_an_answer():
    assert set(VENDOR_NAMES) == set(EXPECTED)
    assert len(VENDOR_NAMES) == 17
    assert len(WIRE) == 30


@pytest.mark.parametrize("name", VENDOR_NAMES)
def test_published_envelope(name):
    document = vendor(name)
    result = run(document)
    assert silent(result.status) == EXPECTED[name]["status"]
    assert result.review_items == EXPECTED[name]["reviewItems"]
    assert result.record["spec"]["envelope"] == document
    assert canonical_json(result.items_bytes) == result.items_bytes
    assert canonical_json(result.record_bytes) == result.record_bytes
    assert export_import(reimport(export_import(result))) == result.record_bytes
    assert review_items(result.record) == result.review_items


@pytest.mark.parametrize("name", VENDOR_NAMES)
def test_published_envelope_with_its_text(name):
    plain = run(vendor(name))
    result = run(vendor(name), artifact=available_artifact(prepared_text(name)))
    assert silent(result.status) == {**silent(plain.status), "provenance": "verified"}
    stripped = [
        cut(item, "/metadata/producer/survey.kontourai.io~1extraction-envelope/excerptVerification")
        for item in result.review_items
    ]
    assert stripped == plain.review_items


def test_portable_envelope():
    result = run_portable()
    expected = load("expected/portable-extraction-result.unverified.json")
    assert result.review_items == expected["reviewItems"]
    assert result.status == {"state": "grounded", "provenance": "unverified", "diagnostics": []}


def test_portable_round_trip():
    result = run_portable()
    assert export_import(result) == result.record_bytes
    assert reimport(result.record_bytes) == validate_import(result) == result.record
    assert reimport(result.record_bytes.decode()) == result.record
    assert attest_review_queue_extraction(result, result.record).state == "attested"
    # The fixture is canonical but for the line feed at its end.
    assert canonical_json(result.record["spec"]["envelope"]) + b"\n" == portable()


def test_portable_text_holds_both_excerpts():
    text = prepared_text("portable-extraction-result")
    result = run_portable(artifact=available_artifact(text))
    assert (result.is_grounded, result.is_verified) == (True, True)


@pytest.mark.parametrize("name", WIRE)
def test_wire_form(name):
    text = read(f"traverse/{name}.json")
    result = run(text)
    assert canonical_json(result.record["spec"]["envelope"]) == text
    assert validate_import(result.record_bytes) == result.record
    states = {"success": "grounded", "failure": "unresolved"}
    outcome = result.record["spec"]["envelope"]["result"]["outcome"]["status"]
    if "state-" not in name and outcome in states:
        assert result.status["state"] == states[outcome]


def test_wire_form_with_its_text():
    text = read("traverse/envelopes/success-rich.prepared.txt").decode()
    result = run(newest("success-rich"), artifact=available_artifact(text))
    assert result.status == {"state": "grounded", "provenance": "verified", "diagnostics": []}
    assert max(text) >= "\U00010000"


def mutated(case):
    document = load(f"traverse/envelopes/{case['basis']}.json")
    pointer = place_of(case)
    return put(document, pointer, case["value"]) if case["op"] == "set" else cut(document, pointer)


def place_of(case):
    return "".join(f"/{step}" for step in case["path"])


# What is wrong stands further in than what was changed.
FURTHER_IN = {
    "pathIndices-negative": "/0",
    "pathIndices-float": "/0",
    "enumValues-number": "/0",
    "outcome-unknown": "/status",
    "outcome-success-extra": "/reason",
    "cov-reversed": "/end",
    "cov-order": "/1/start",
    "success-with-unread": "/0/status",
    "pdfPageOffsets-equal": "/1",
}


@pytest.mark.parametrize(**named(INVALID["mutations"]))
def test_mutated_envelope(case):
    document = mutated(case)
    if case["name"] in ACCEPTED_FROM_OTHERS:
        assert run(document).record["spec"]["envelope"] == document
        return
    code, pointer = refused(run, document)
    assert code.startswith("envelope-")
    if case["name"] == "state-without-artifact":
        assert pointer == "/result/preparedArtifactState"
    else:
        assert pointer == place_of(case) + FURTHER_IN.get(case["name"], "")


def test_the_mutations_accepted_from_others_are_in_the_list():
    assert {case["name"] for case in INVALID["mutations"]} > ACCEPTED_FROM_OTHERS


@pytest.mark.parametrize(**named(INVALID["raw"]))
def test_mutated_bytes(case):
    text = read(f"traverse/envelopes/{case['basis']}.json").decode()
    if case["replace"]:
        assert case["replace"][0] in text
        text = text.replace(*case["replace"], 1)
    text += case.get("append", "")
    codes = {
        "negative-zero": "json-negative-zero",
        "nan-token": "json-syntax",
        "infinite": "json-number-range",
        "lone-surrogate": "json-lone-surrogate",
        "trailing-garbage": "json-syntax",
    }
    code, pointer = refused(run, text)
    assert code == codes[case["name"]]
    assert pointer == "" or pointer.endswith("/candidateValue")


@pytest.mark.parametrize(**named(ARTIFACTS["cases"]))
def test_prepared_artifact(case):
    artifact = case["artifact"]
    preimage = case["bindingPreimage"].encode()
    assert sha256_hex(case["text"].encode()) == artifact["digest"]
    assert artifact["ref"].endswith(":" + sha256_hex(preimage))
    bound = [*json.loads(preimage)]
    given = {name: artifact.get(name) for name in bound}
    assert canonical_json(given, "as-stored") == preimage
    # The import computes all three again: reference, digest and length.
    document = put(envelope(case["text"]), "/result/preparedArtifact", artifact)
    result = run(document, artifact=available_artifact(case["text"]))
    assert result.status == {"state": "grounded", "provenance": "verified", "diagnostics": []}


@pytest.mark.parametrize(
    "case",
    [case for case in ARTIFACTS["invalid"] if case.get("reason") != "ill-formed-unicode"],
    ids=lambda case: case.get("reason", case.get("status")),
)
def test_malformed_prepared_artifact(case):
    (member,) = case["mutate"]
    artifact = {**ARTIFACTS["cases"][0]["artifact"], **case["mutate"]}
    document = put(envelope("Alpha then Alpha"), "/result/preparedArtifact", artifact)
    code, pointer = refused(run, document)
    # A wrong length by itself is well formed; the reference no longer recomputes.
    expected = "ref" if "status" in case else member
    assert pointer == f"/result/preparedArtifact/{expected}"
    assert code.startswith("envelope-")


def test_ill_formed_preparation_version():
    artifact = {**ARTIFACTS["cases"][0]["artifact"], "preparationVersion": "bad\ud800"}
    document = put(envelope("Alpha then Alpha"), "/result/preparedArtifact", artifact)
    expected = ("json-lone-surrogate", "/result/preparedArtifact/preparationVersion")
    assert refused(run, document) == expected


@pytest.mark.parametrize(**named(DIGESTS))
def test_value_digest(case):
    assert f"sha256:{data_digest(case['value'])}" == case["valueDigest"]
