"""Canonical bytes and digests against published answers, under each of the three profiles."""

import hashlib
import json

import pytest
from tests.reference.samples import load, read, stems

from survey_fast.canon import canonical_digest, canonical_json, data_digest, sha256_hex, sort_names
from survey_fast.errors import JsonError, NotPortableError

CANONICAL = load("traverse/canonical-json.json")
ARTIFACTS = load("traverse/prepared-artifacts.json")
REF_PREFIX = "traverse-prepared-artifact:v1:sha256:"


@pytest.mark.parametrize("name", stems("jcs/input"))
def test_rfc_8785_samples(name):
    written = canonical_json(read(f"jcs/input/{name}.json"))
    assert written == read(f"jcs/output/{name}.json").rstrip(b"\n")
    assert written == bytes.fromhex(read(f"jcs/outhex/{name}.txt").decode())
    assert canonical_json(written) == written


@pytest.mark.parametrize(("text", "expected"), CANONICAL["cases"])
def test_canonical_samples(text, expected):
    assert canonical_json(text, lossless=True) == expected.encode()
    assert canonical_digest(text, lossless=True) == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize("text", CANONICAL["refused"])
def test_samples_that_lossless_reading_refuses(text):
    with pytest.raises(JsonError) as caught:
        canonical_json(text, lossless=True)
    expected = {"-": "json-negative-zero", "N": "json-syntax", "1": "json-number-range"}
    assert caught.value.code == expected.get(text[0], "json-lone-surrogate")


@pytest.mark.parametrize(
    "case", load("surface-value-digest.v1.json")["cases"], ids=lambda case: case["name"]
)
def test_value_digests(case):
    assert "sha256:" + data_digest(case["value"]) == case["valueDigest"]


@pytest.mark.parametrize("case", ARTIFACTS["cases"], ids=lambda case: case["name"])
def test_artifact_references_are_hashed_as_stored(case):
    artifact = case["artifact"]
    bound = {name: value for name, value in artifact.items() if name != "ref"}
    bound.setdefault("sourceSnapshotRef", None)
    assert canonical_json(bound, "as-stored") == case["bindingPreimage"].encode()
    assert REF_PREFIX + canonical_digest(bound, "as-stored") == artifact["ref"]
    assert sha256_hex(case["text"].encode()) == artifact["digest"]


# One document, three orders


def test_profiles_differ_in_order_only():
    text = '{"b":1.0,"10":[2],"9":"\\u0041","B":{"y":0,"X":-0}}'
    assert canonical_json(text) == b'{"10":[2],"9":"A","B":{"X":0,"y":0},"b":1}'
    assert canonical_json(text, "collated") == b'{"9":"A","10":[2],"b":1,"B":{"X":0,"y":0}}'
    assert canonical_json(text, "as-stored") == b'{"b":1,"10":[2],"9":"A","B":{"y":0,"X":0}}'


@pytest.mark.parametrize("profile", ["jcs", "collated", "as-stored"])
def test_a_digest_covers_the_canonical_bytes(profile):
    for text in ("{}", "[]", '"x"', ' {"b" : [1.50, "\\u00e9"], "a": null} '):
        expected = hashlib.sha256(canonical_json(text, profile)).hexdigest()
        assert canonical_digest(text, profile) == expected


def test_jcs_orders_names_by_utf_16_code_unit():
    # Astral characters are spelled with surrogates, which stand before U+E000 to U+FFFF.
    names = ["", "\r", "a", "aa", "\u05d0", "\ud7ff", "\U00010000", "\ue000", "\uffff"]
    assert list(json.loads(canonical_json(dict.fromkeys(reversed(names), 0)))) == names


def test_jcs_orders_astral_names_among_themselves():
    # Their UTF-8 starts with F0 to F4, and none of these is any other.
    names = ["\U0001f600", "\U0003ffff", "\U00040000", "\U000e0100", "\U0010ffff", "\uff5e"]
    assert sort_names(names[::-1]) == names
    assert list(json.loads(canonical_json(dict.fromkeys(reversed(names), 0)))) == names


# Collated order

COLLATED = [
    *("9", "10", "", "~", "$x", "a", "A", "a_b", "a-b", "a.b", "a/b", "ab", "b", "B"),
    *("candidates", "candidateSetStatus"),
]
RANKED = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def collated_names(names):
    return list(json.loads(canonical_json(dict.fromkeys(names, 0), "collated")))


def test_collated_order_probe():
    assert collated_names(sorted(COLLATED)) == COLLATED
    assert collated_names(reversed(COLLATED)) == COLLATED


def test_collated_order_ranks_every_printable_character():
    letters = [case for letter in "abcdefghijklmnopqrstuvwxyz" for case in (letter, letter.upper())]
    # Single digits are array indices, so they come first; behind a letter they rank as digits.
    assert collated_names([chr(code) for code in range(0x7E, 0x1F, -1)]) == [
        *"0123456789",
        *RANKED,
        *letters,
    ]
    assert collated_names(["xa", "x9", "x$", "x0", "x_", "x"]) == [
        "x",
        "x_",
        "x$",
        "x0",
        "x9",
        "xa",
    ]


def test_collated_order_puts_array_indices_first():
    names = ["0", "7", "10", "4294967294", "00", "01", "4294967295", "99999999999", "a"]
    assert collated_names(names[::-1]) == names


def test_collated_order_looks_at_case_last():
    assert collated_names(["AB", "Ab", "aB", "ab", "aC", "Aa"]) == [
        *("Aa", "ab", "aB", "Ab", "AB", "aC"),
    ]


DECISION = (
    '{"apiVersion":"survey.kontourai.io/v1alpha1","kind":"ReviewDecision","metadata":'
    '{"name":"lease-7.rent-accept-proposed"},"spec":{"actor":{"id":"ana"},"candidateId":"c-1",'
    '"projection":{"reviewOutcomeId":"lease-7.rent:accept-proposed:review-outcome"},'
    '"rationale":"","reviewedAt":"2026-10-01T09:00:00.000Z",'
    '"reviewItemName":"lease-7.rent","status":"verified"},"status":{}}'
)
EMPTY_STATE = {
    "items": [],
    "activeItemName": "",
    "notesByItemName": {},
    "decisionsByItemName": {},
    "editedValuesByItemName": {},
    "reviewedAt": "2026-10-01T09:00:00.000Z",
    "actorId": "ana",
}
AUDIT_STATE = {
    **EMPTY_STATE,
    "presentation": {"scoreBlind": True},
    "sampling": {"kind": "random-audit", "rate": 0.25, "seed": "q3-2026"},
}


def test_a_decision_that_stands_in_collated_order():
    assert canonical_json(DECISION, "collated") == DECISION.encode()
    assert canonical_digest(DECISION, "collated") == (
        "769592a98821c23d4f27641bfc351260f22389be58eb56777718ef094692c887"
    )
    assert canonical_digest(DECISION).startswith("2a82299e")


@pytest.mark.parametrize(
    ("state", "digest"),
    [
        (EMPTY_STATE, "a0dd983e9ec5914efad2672e459bbfee53516ef4f99c672ef4cb634a310675fb"),
        (AUDIT_STATE, "9c07c5019009afc95490097b5aa9a80633ba92b13b7d8a413fee52947b21299b"),
    ],
)
def test_published_snapshot_hashes(state, digest):
    assert canonical_digest(state, "collated") == digest


@pytest.mark.parametrize("name", ["\u00e9", "e\u0301", "a\tb", "\x1f", "\x7f", "\U0001f600"])
def test_a_name_without_a_place_in_collated_order(name):
    text = json.dumps({"ok": 1, "in": [{name: 1}]}, ensure_ascii=False).encode()
    for act in (canonical_json, canonical_digest):
        with pytest.raises(NotPortableError) as caught:
            act(text, "collated")
        assert caught.value.code == "digest-not-portable"
        assert caught.value.details["offset"] == text.index(b"[") + 2
    assert caught.value.pointer in ("/in/0", f"/in/0/{name}")
    assert canonical_json(text) != canonical_json(text, "as-stored")


def test_odd_characters_in_values_have_a_place():
    text = '{"a":"\u00e9\\u0001\u2028"}'
    assert canonical_json(text, "collated") == canonical_json(text)


def test_an_unknown_profile_is_misuse():
    for profile in ("JCS", "rfc8785", ""):
        with pytest.raises(ValueError, match="profile"):
            canonical_json("{}", profile)
        with pytest.raises(ValueError, match="profile"):
            canonical_digest("{}", profile)
