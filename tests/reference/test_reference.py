"""Envelopes and imports against published answers."""

import hashlib

import pytest
from tests.reference.attest import compare
from tests.reference.canonical import Refused, canonical, parse
from tests.reference.envelope import validate_envelope
from tests.reference.importing import import_with_status, reimport, review_items
from tests.reference.prepared import check_prepared_artifact, prepared_ref
from tests.reference.record import export_import
from tests.reference.samples import (
    VENDOR,
    available,
    import_portable,
    import_vendor,
    load,
    read,
    stems,
    vendor_envelope,
    vendor_targets,
    without_messages,
)
from tests.reference.wire import utf16_length

PREFIX = "extraction-envelope."
ENVELOPES = [
    f"{folder}/{stem}"
    for folder in ("envelopes", "envelopes-0.25.1")
    for stem in stems(f"traverse/{folder}")
]
VENDOR_NAMES = [stem.removesuffix(".v1") for stem in stems("traverse-envelopes", "*.v1.json")]
# Wrong for a producer, whose annotations are computed again; a reader takes them as annotations.
ACCEPTED_FROM_OTHERS = {"em-old-version", "em-schema-disagrees", "cov-two-for-chunk"}


@pytest.mark.parametrize("name", ENVELOPES)
def test_valid_envelopes(name):
    text = read(f"traverse/{name}.json")
    envelope = parse(text, lossless=True)
    assert canonical(validate_envelope(envelope)) == canonical(envelope) == text


def test_spans_count_utf16_units():
    text = read("traverse/envelopes/success-rich.prepared.txt").decode()
    envelope = parse(read("traverse/envelopes/success-rich.json"), lossless=True)
    record, items = import_vendor(envelope, artifact=available(text))
    assert record["status"] == {"state": "grounded", "provenance": "verified", "diagnostics": []}
    assert [len(item["spec"]["candidates"]) for item in items] == [1, 2, 1, 2, 1, 1, 1, 1, 2, 1]


def mutated(mutation):
    envelope = load(f"traverse/envelopes/{mutation['basis']}.json")
    *path, last = mutation["path"]
    place = envelope
    for step in path:
        place = place[step]
    if mutation["op"] == "set":
        place[last] = mutation["value"]
    else:
        del place[last]
    return envelope


def test_mutated_envelopes():
    mutations = load("traverse/envelopes-invalid.json")["mutations"]
    verdicts = {mutation["name"]: verdict_on(mutated(mutation)) for mutation in mutations}
    accepted = {name for name, verdict in verdicts.items() if verdict == "accepted"}
    assert accepted == ACCEPTED_FROM_OTHERS
    refused = set(verdicts.values()) - {"accepted"}
    assert all(code.startswith("envelope-") for code in refused)


def verdict_on(envelope):
    try:
        validate_envelope(envelope)
    except Refused as refusal:
        return refusal.code
    return "accepted"


@pytest.mark.parametrize(
    "case", load("traverse/envelopes-invalid.json")["raw"], ids=lambda case: case["name"]
)
def test_mutated_bytes(case):
    text = read(f"traverse/envelopes/{case['basis']}.json").decode()
    if case["replace"]:
        assert case["replace"][0] in text
        text = text.replace(*case["replace"], 1)
    text += case.get("append", "")
    with pytest.raises(Refused, match="json-"):
        parse(text.encode(), lossless=True)


@pytest.mark.parametrize(
    "case", load("traverse/prepared-artifacts.json")["cases"], ids=lambda case: case["name"]
)
def test_prepared_artifacts(case):
    artifact = case["artifact"]
    assert prepared_ref(artifact) == artifact["ref"]
    assert hashlib.sha256(case["text"].encode()).hexdigest() == artifact["digest"]
    assert utf16_length(case["text"]) == artifact["contentLength"]


# The row about ill-formed text cannot be written down as JSON; the JSON tests cover it.
@pytest.mark.parametrize(
    "case",
    [
        case
        for case in load("traverse/prepared-artifacts.json")["invalid"]
        if case.get("reason") != "ill-formed-unicode"
    ],
    ids=lambda case: case.get("reason", "identity-mismatch"),
)
def test_malformed_prepared_artifacts(case):
    artifact = load("traverse/prepared-artifacts.json")["cases"][0]["artifact"]
    check_prepared_artifact(artifact, "")
    (member,) = case["mutate"]
    with pytest.raises(Refused, match="envelope-") as caught:
        check_prepared_artifact({**artifact, **case["mutate"]}, "")
    # A wrong length alone is well formed; the reference shows it.
    assert caught.value.pointer == ("/ref" if "status" in case else f"/{member}")


# Import


@pytest.mark.parametrize("name", VENDOR_NAMES)
def test_expected_imports(name):
    expected = load("expected/traverse-envelopes.unverified.json")[name]
    record, items = import_vendor(vendor_envelope(name))
    assert canonical(without_messages(record["status"])) == canonical(expected["status"])
    assert canonical(items) == canonical(expected["reviewItems"])
    assert canonical(review_items(record, "collated")) == canonical(items)
    assert canonical(reimport(export_import(record))) == canonical(record)
    if items:
        assert compare(items, record) == ([], "jcs")


def test_expected_portable_import():
    record, items = import_portable()
    expected = load("expected/portable-extraction-result.unverified.json")
    assert canonical(items) == canonical(expected["reviewItems"])
    assert record["status"] == {
        "state": "grounded", "provenance": "unverified", "diagnostics": []
    }  # fmt: skip


@pytest.mark.parametrize("name", VENDOR_NAMES)
def test_verified_imports_keep_item_names(name):
    text = load("traverse-envelopes/prepared-texts.json")[name]
    plain, items = import_vendor(vendor_envelope(name))
    record, verified = import_vendor(vendor_envelope(name), artifact=available(text))
    assert record["status"]["provenance"] == "verified"
    assert record["status"]["state"] == plain["status"]["state"]
    assert [item["metadata"]["name"] for item in verified] == [
        item["metadata"]["name"] for item in items
    ]
    envelope = record["spec"]["envelope"]
    options = {**VENDOR, "claim_targets": vendor_targets(envelope)}
    assert import_with_status(envelope, record["status"], **options) == (record, verified)


def identities(items):
    return [
        (
            item["metadata"]["name"].removeprefix(PREFIX),
            [candidate["id"].split(".")[1] for candidate in item["spec"]["candidates"]],
            [
                producer["evidenceId"].split(".")[2]
                for candidate in item["spec"]["candidates"]
                for block in candidate["producer"].values()
                for producer in [block, *block.get("sameValueProposals", [])]
            ],
        )
        for item in items
    ]


def test_golden_identities():
    assert identities(import_vendor(vendor_envelope("success-conflicting-fee"))[1]) == [
        (
            "2a292e74fe0d74c002f7",
            ["49759f73cd5e9c28c95a", "5e7291743b4d029a4212"],
            ["15254a73bd7617c42ec6", "59a407f8afe6b4a9fe5d", "f3491a240e613bc12faf"],
        )
    ]
    assert identities(import_vendor(vendor_envelope("success-no-confidence"))[1]) == [
        ("d38620030fb0e7da2ea1", ["c75709360bfed1b023e2"], ["35ccdce807a04e2405eb"])
    ]
    assert identities(import_vendor(vendor_envelope("partial-provider-failure"))[1]) == [
        ("8246cc92d14e1fc4b85c", ["9a6c803079341d6d39a9"], ["b9d7376ae4cf8eb58a5f"])
    ]
    assert identities(import_portable()[1]) == [
        ("f9f9dfeba90bf57de640", ["f18e5051efcac2c5a31e"], ["babd58586069470e4cad"]),
        ("733e8062c24ce3c63e8c", ["fde5f0524a220b30e8fa"], ["2a8c392e71ae090523df"]),
    ]
