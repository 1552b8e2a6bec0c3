"""What must not leave: found by rule and place, never repeated, allowed one string at a time.

Rows 79 to 81 of the edge table of runs as far as the scan goes. The corpus itself has its examples
beside it in the core, and a second implementation in ``tests/property``. Left: the scans of
creation, export and inspection, which belong to those.
"""

import json

import pytest
from tests.unit.runs.samples import refused

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.errors import JsonError
from survey_fast.runs.disclosure import (
    CORPUS,
    Allowed,
    DisclosureScanner,
    allowances,
    find_disclosures,
    require_undisclosed,
    rule_names,
)

HOME = "read from /home/dana/contract.txt"
TOKEN = "ghp_" + "0123456789abcdefghij"
AWS = "AKIAIOSFODNN7EXAMPLE"


def found(document):
    return [(one.rule, one.pointer) for one in find_disclosures(document)]


def scan(document, allowed=()):
    require_undisclosed(document, what="the export", allowed=allowed)


def test_what_may_leave_leaves():
    scan({"value": "Basel", "note": "5 CHF /month", "at": ["chars:0-14", None, 1, True]})
    assert allowances({"a": HOME}, []) == ()


@pytest.mark.parametrize(
    ("note", "rule"),
    [
        ("/etc/passwd says so", "path-posix"),
        (f"token {TOKEN}", "secret-github"),
        (f"key {AWS}", "secret-aws-id"),
        ("password=hunter2hunter2", "secret-assigned"),
    ],
)
def test_row_79_a_hostile_note_may_be_written_and_not_leave(note, rule):
    document = {"items": [{"note": note}]}
    assert (rule, "/items/0/note") in found(document)
    refused("DISCLOSURE_REFUSED", scan, document)


def test_row_80_references_spans_and_the_ledgers_own_shape_pass():
    scan(
        {
            "locator": "chars:0-14",
            "ref": "fieldwork-source:v1:own-task:" + "0" * 64,
            "artifact": "traverse-prepared-artifact:v1:sha256:" + "a1" * 32,
            "url": "https://example.invalid/a/b",
            "authorization": {"id": "a", "invocationId": "i", "outcome": "settled"},
        }
    )


@pytest.mark.parametrize("value", ["Bearer", {"id": "a", "token": "x"}, 1], ids=repr)
def test_row_81_any_other_authorization_is_refused(value):
    assert "member-authorization" in [rule for rule, _ in found({"authorization": value})]


def test_a_refusal_names_rule_corpus_and_every_place_and_repeats_nothing():
    document = {"a": {"b/c": HOME}, "d": [f"token {TOKEN}"]}
    error = refused("DISCLOSURE_REFUSED", scan, document)
    assert error.pointer == "/a/b~1c"
    assert error.details["rule"] == "path-posix"
    assert error.details["corpus"] == CORPUS
    assert error.details["findings"] == [
        {"rule": "path-posix", "pointer": "/a/b~1c"},
        {"rule": "secret-github", "pointer": "/d/0"},
    ]
    told = json.dumps(error.to_json())
    for text in (HOME, "dana", TOKEN, sha256_hex(HOME.encode())):
        assert text not in told


def test_the_name_of_a_member_is_told_by_its_object():
    document = {"a": {"/home/dana/key": 1}}
    (one,) = find_disclosures(document)
    assert (one.rule, one.pointer, one.is_name) == ("path-posix", "/a", True)
    error = refused("DISCLOSURE_REFUSED", scan, document)
    assert "dana" not in json.dumps(error.to_json())
    assert error.details["findings"] == [{"rule": "path-posix", "pointer": "/a", "isName": True}]


# Allowing


ENVELOPE = {"result": {"proposals": [{"candidateValue": HOME}, {"candidateValue": AWS}]}}
PLACE = "/result/proposals/0/candidateValue"


def test_what_is_allowed_covers_the_same_string_everywhere_and_no_other():
    allowed = allowances(ENVELOPE, [f"path-posix@{PLACE}"])
    assert allowed == (Allowed("path-posix", PLACE, sha256_hex(HOME.encode())),)
    assert allowed[0].to_json() == {
        "rule": "path-posix",
        "pointer": PLACE,
        "sha256": sha256_hex(HOME.encode()),
    }
    scan({"claims": [{"value": HOME}, {"copy": HOME}]}, allowed)
    refused("DISCLOSURE_REFUSED", scan, {"value": f"{HOME} "}, allowed)
    error = refused("DISCLOSURE_REFUSED", scan, ENVELOPE, allowed)
    assert error.pointer == "/result/proposals/1/candidateValue"


def test_what_is_allowed_is_allowed_under_its_rule_alone():
    both = f"{HOME} {TOKEN}"
    allowed = allowances({"a": both}, ["path-posix@/a"])
    error = refused("DISCLOSURE_REFUSED", scan, {"a": both}, allowed)
    assert error.details["rule"] == "secret-github"
    scan({"a": both}, allowances({"a": both}, ["path-posix@/a", "secret-github@/a"]))


@pytest.mark.parametrize(
    "asked",
    ["", "path-posix", "@", f"secret-github@{PLACE}", "path-posix@/elsewhere", f"x@{PLACE}"],
)
def test_what_allows_nothing_is_refused(asked):
    allowances(ENVELOPE, [f"path-posix@{PLACE}"])
    refused("DISCLOSURE_REFUSED", allowances, ENVELOPE, [f"path-posix@{PLACE}", asked])


def test_what_is_behind_a_thousand_allowed_findings_is_still_found():
    allowed = allowances({"a": HOME}, ["path-posix@/a"])
    document = {"list": [HOME] * 1500}
    scan(document, allowed)
    document["list"].append(f"token {TOKEN}")
    error = refused("DISCLOSURE_REFUSED", scan, document, allowed)
    assert error.pointer == "/list/1500"


def test_a_finding_behind_a_thousand_others_can_be_allowed():
    document = {"list": [f"{HOME}{number}" for number in range(1200)]}
    (allowed,) = allowances(document, ["path-posix@/list/1199"])
    assert allowed.text_digest == sha256_hex(f"{HOME}1199".encode())


def test_two_names_of_one_object_are_allowed_together():
    document = {"a": {"/home/dana/one": 1, "/home/dana/two": 2}}
    assert len(allowances(document, ["path-posix@/a"])) == 2
    scan(document, allowances(document, ["path-posix@/a"]))


def test_findings_come_in_the_order_of_the_canonical_text_from_any_form():
    document = {"b": HOME, "a": [f"token {TOKEN}", HOME]}
    expected = [("secret-github", "/a/0"), ("path-posix", "/a/1"), ("path-posix", "/b")]
    for form in (document, canonical_json(document), json.dumps(document)):
        assert found(form) == expected
    assert len(find_disclosures(document, most=2)) == 2


def test_a_refusal_lists_a_thousand_findings_at_most():
    error = refused("DISCLOSURE_REFUSED", scan, [HOME] * 1500)
    assert len(error.details["findings"]) == 1000


def test_every_rule_has_a_name_of_its_own():
    names = rule_names()
    assert len(set(names)) == len(names) > 20
    assert {"path-posix", "secret-github", "member-name"} <= set(names)


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a":1,"a":1}', b"\xff"], ids=repr)
def test_what_is_no_json_is_refused_as_such(raw):
    with pytest.raises(JsonError):
        find_disclosures(raw)


# Parts


LARGE = canonical_json(["word " * 20_000, HOME])


def test_parts_are_scanned_in_order_and_told_by_themselves():
    parts = [LARGE, b"[]", canonical_json({"a": HOME, "b": HOME}), LARGE] * 5
    with DisclosureScanner() as scanner:
        told = [one for part in parts for one in scanner.hand_in(part)]
        told += scanner.rest()
    assert told == [find_disclosures(part) for part in parts]


def test_no_more_is_looked_for_in_a_part_than_was_asked_for():
    with DisclosureScanner(most=1) as scanner:
        (found,) = scanner.hand_in(canonical_json([HOME, HOME]))
    assert [one.pointer for one in found] == ["/0"]


@pytest.mark.parametrize("raw", [b"", b"{", b"[1, 2]", b'"\xff"', b"[1]x"], ids=repr)
@pytest.mark.parametrize("before", [(), (LARGE,)], ids=["at once", "behind"])
def test_a_part_that_is_no_canonical_text_is_refused(raw, before):
    scanner = DisclosureScanner()

    def scan():
        for part in (*before, raw):
            scanner.hand_in(part)
        scanner.rest()

    with pytest.raises(JsonError):
        scan()
    assert scanner.hand_in(b"[]") == [[]]


def test_a_block_that_ends_early_waits_for_what_was_handed_in():
    scanner = DisclosureScanner()

    def ends_early():
        with scanner:
            scanner.hand_in(LARGE)
            raise KeyError

    with pytest.raises(KeyError):
        ends_early()
    assert scanner.rest() == []
