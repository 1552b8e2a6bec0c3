"""Canonical JSON, digests and the audit draw against published answers."""

import json

import pytest
from tests.reference.canonical import Refused, canonical, digest, parse
from tests.reference.draw import draw, draw_number
from tests.reference.samples import load, read, stems

# Canonical JSON and digests


@pytest.mark.parametrize("name", stems("jcs/input"))
def test_rfc_8785_samples(name):
    written = canonical(parse(read(f"jcs/input/{name}.json")))
    assert written == bytes.fromhex(read(f"jcs/outhex/{name}.txt").decode())
    assert written == read(f"jcs/output/{name}.json").rstrip(b"\n")


@pytest.mark.parametrize(("text", "expected"), load("traverse/canonical-json.json")["cases"])
def test_canonical_samples(text, expected):
    assert canonical(parse(text.encode(), lossless=True)) == expected.encode()


@pytest.mark.parametrize("text", load("traverse/canonical-json.json")["refused"])
def test_refused_samples(text):
    with pytest.raises(Refused) as caught:
        parse(text.encode(), lossless=True)
    codes = {"json-syntax", "json-number-range", "json-negative-zero", "json-lone-surrogate"}
    assert caught.value.code in codes


@pytest.mark.parametrize(
    "case", load("surface-value-digest.v1.json")["cases"], ids=lambda case: case["name"]
)
def test_value_digests(case):
    assert "sha256:" + digest(case["value"]) == case["valueDigest"]


@pytest.mark.parametrize(
    ("text", "code", "pointer"),
    [
        (b'{"a":1,"a":2}', "json-duplicate-member", "/a"),
        (b'[{"x/y":9007199254740993}]', "json-number-range", "/0/x~1y"),
        (b'{"a":["\\ud800"]}', "json-lone-surrogate", "/a/0"),
        (b'{"\\udc00":1}', "json-lone-surrogate", ""),
        (b'["\xff"]', "json-encoding", "/0"),
        (b"\xef\xbb\xbf{}", "json-encoding", ""),
        (b"[1e400]", "json-number-range", "/0"),
        (b"[01]", "json-syntax", ""),
        (b"[NaN]", "json-syntax", "/0"),
        (b"", "json-syntax", ""),
        (b"{} x", "json-syntax", ""),
        (b"[" * 129 + b"]" * 129, "json-depth", "/0" * 128),
    ],
)
def test_what_reading_refuses(text, code, pointer):
    with pytest.raises(Refused) as caught:
        parse(text)
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


def test_what_reading_accepts():
    assert canonical(parse(b"[" * 128 + b"]" * 128)) == b"[" * 128 + b"]" * 128
    assert canonical(parse(b"[100000000000000000000, -0, 1.0, 5e-324]")) == (
        b"[100000000000000000000,0,1,5e-324]"
    )
    with pytest.raises(Refused, match="json-negative-zero"):
        parse(b"-0.0", lossless=True)


COLLATED = [
    *("9", "10", "", "~", "$x", "a", "A", "a_b", "a-b", "a.b", "a/b", "ab", "b", "B"),
    *("candidates", "candidateSetStatus"),
]


def test_collated_order():
    assert list(json.loads(canonical(dict.fromkeys(sorted(COLLATED), 0), "collated"))) == COLLATED
    every = [chr(code) for code in range(0x20, 0x7F)]
    assert sorted(json.loads(canonical(dict.fromkeys(every, 0), "collated"))) == every
    assert canonical({"4294967295": 1, "01": 2, "4294967294": 3}, "collated") == (
        b'{"4294967294":3,"01":2,"4294967295":1}'
    )
    assert canonical({"b": 1, "10": 2, "9": 3}, "as-stored") == b'{"b":1,"10":2,"9":3}'


@pytest.mark.parametrize("name", ["\u00e9", "a\tb", "\x7f"])
def test_collated_order_refuses_odd_names(name):
    with pytest.raises(Refused, match="digest-not-portable"):
        canonical([{name: 1}], "collated")


def test_decision_and_snapshot_hashes():
    decision = (
        '{"apiVersion":"survey.kontourai.io/v1alpha1","kind":"ReviewDecision","metadata":'
        '{"name":"lease-7.rent-accept-proposed"},"spec":{"actor":{"id":"ana"},"candidateId":"c-1",'
        '"projection":{"reviewOutcomeId":"lease-7.rent:accept-proposed:review-outcome"},'
        '"rationale":"","reviewedAt":"2026-10-01T09:00:00.000Z",'
        '"reviewItemName":"lease-7.rent","status":"verified"},"status":{}}'
    )
    parsed = parse(decision.encode())
    assert canonical(parsed, "collated") == decision.encode()
    assert digest(parsed, "collated") == (
        "769592a98821c23d4f27641bfc351260f22389be58eb56777718ef094692c887"
    )
    assert digest(parsed).startswith("2a82299e")
    state = {
        "items": [],
        "activeItemName": "",
        "notesByItemName": {},
        "decisionsByItemName": {},
        "editedValuesByItemName": {},
        "reviewedAt": "2026-10-01T09:00:00.000Z",
        "actorId": "ana",
    }
    assert digest(state, "collated") == (
        "a0dd983e9ec5914efad2672e459bbfee53516ef4f99c672ef4cb634a310675fb"
    )
    state["presentation"] = {"scoreBlind": True}
    state["sampling"] = {"kind": "random-audit", "rate": 0.25, "seed": "q3-2026"}
    assert digest(state, "collated") == (
        "9c07c5019009afc95490097b5aa9a80633ba92b13b7d8a413fee52947b21299b"
    )


# The audit draw


@pytest.mark.parametrize(
    ("seed", "item", "digits", "number"),
    [
        ("seed-a", "item-1", "ca237fdfa5ae2", 0.7896041794789928),
        ("seed-a", "item-2", "5fb4d4663ee1e", 0.3738529920218592),
        ("seed-a", "item-3", "465b0ddb6474c", 0.2748268757463448),
        ("audit-2026-09", "public-directory-hours", "ee16a883cda63", 0.9300332376275484),
        ("audit-2026-09", "public-directory-phone", "e460a313bd9dc", 0.8920995639033356),
    ],
)
def test_draw_numbers(seed, item, digits, number):
    assert digest(["survey.random-audit.v1", seed, item]).startswith(digits)
    assert draw_number(seed, item) == number


def test_draw_keeps_input_order_and_judges_each_name_alone():
    assert draw(["item-3", "item-1", "item-2"], rate=0.5, seed="seed-a") == ["item-3", "item-2"]
    assert draw(["item-2"], rate=0.5, seed="seed-a") == ["item-2"]
    assert draw(["b", "a"], rate=1, seed="s") == ["b", "a"]


@pytest.mark.parametrize(
    ("rate", "seed", "pointer"),
    [(0, "s", "/rate"), (1.01, "s", "/rate"), (True, "s", "/rate"), (float("nan"), "s", "/rate")]
    + [(1, seed, "/seed") for seed in ("", "-a", "a b", "a\n", "a" * 257, None)],
)
def test_draw_options(rate, seed, pointer):
    with pytest.raises(Refused, match="audit-options-invalid") as caught:
        draw(["a"], rate=rate, seed=seed)
    assert caught.value.pointer == pointer


def test_draw_refuses_repeated_names():
    with pytest.raises(Refused, match="ambiguous-item-identity"):
        draw(["a", "b", "a"], rate=1, seed="s")
