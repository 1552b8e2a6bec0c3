"""Rows 8 to 19 of the import's edge table: the members of a proposal and its provenance.

Proven: 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19.
"""

import pytest
from tests.unit.imports.samples import (
    FIRST,
    TARGET,
    candidates,
    cases,
    cut,
    envelope,
    newest,
    proposal,
    put,
    put_all,
    refused,
    run,
    vendor,
)

PROVENANCE = f"{FIRST}/provenance"
LOCATOR = f"{PROVENANCE}/locator"
OCCURRENCE = f"{PROVENANCE}/occurrence"


@pytest.mark.parametrize(
    "value", [1.2, -0.1, 1.0000000000000002, None, "0.5", True, [0.5]], ids=str
)
def test_row_08_confidence_out_of_range(value):
    document = put(vendor(), f"{FIRST}/confidence", value)
    assert refused(run, document) == ("envelope-invalid-value", f"{FIRST}/confidence")


@pytest.mark.parametrize("value", [0, 1, 0.5, 1.0, 5e-324])
def test_row_08_confidence_at_its_ends(value):
    lead = candidates(run(put(vendor(), f"{FIRST}/confidence", value)))[0]
    assert lead["confidence"] == lead["extraction"]["confidence"] == value


def test_row_09_confidence_absent():
    lead, rival = candidates(run(cut(vendor(), f"{FIRST}/confidence")))
    assert "confidence" not in lead
    assert "confidence" not in lead["extraction"]
    assert rival["confidence"] == rival["extraction"]["confidence"] == 0.9


@cases(
    "pointer",
    {
        "proposal": (f"{FIRST}/producedByModel",),
        "provenance": (f"{PROVENANCE}/page",),
        "occurrence": (f"{OCCURRENCE}/hint",),
        "selected": (f"{OCCURRENCE}/selected/length",),
        "a name to escape": (f"{FIRST}/a~1b~0c",),
    },
)
def test_row_10_unknown_proposal_member(pointer):
    document = put(vendor(), pointer, "x")
    assert refused(run, document) == ("envelope-unexpected-member", pointer)


def test_row_11_unknown_failure_member():
    pointer = "/result/providerFailures/0/message"
    document = put(newest("failure-provider"), pointer, "x")
    assert refused(run, document) == ("envelope-unexpected-member", pointer)


def test_row_12_evidence_match_on_the_result():
    match = newest("success-rich")["result"]["proposals"][0]["evidenceMatch"]
    document = put(newest("success-rich"), "/result/evidenceMatch", match)
    assert refused(run, document) == ("envelope-unexpected-member", "/result/evidenceMatch")


@pytest.mark.parametrize(
    "locator",
    [
        "chars:00-5",
        "chars:05-10",
        "chars:5-010",
        "chars:0-5\n",
        " chars:5-10",
        "field:title",
        "chars:5",
        "chars:-10",
        "chars:5-",
        "chars:+5-10",
        "chars:5-1e1",
        "chars:\u0665-\u0661\u0660",
        "Chars:5-10",
        "",
        5,
        None,
    ],
    ids=ascii,
)
def test_row_13_malformed_locator(locator):
    document = put(vendor(), LOCATOR, locator)
    assert refused(run, document) == ("envelope-invalid-value", LOCATOR)


@pytest.mark.parametrize("locator", ["chars:5-9", "chars:5-11", "chars:5-5", "chars:10-5"])
def test_row_14_locator_of_another_length(locator):
    assert refused(run, put(vendor(), LOCATOR, locator)) == ("envelope-inconsistent", LOCATOR)


def placed_at(document, start):
    end = start + 5
    return put_all(
        document,
        {
            LOCATOR: f"chars:{start}-{end}",
            f"{OCCURRENCE}/selected/start": start,
            f"{OCCURRENCE}/selected/end": end,
        },
    )


def test_row_15_locator_beyond_the_text():
    document = placed_at(vendor(), 56)
    assert refused(run, document) == ("envelope-inconsistent", LOCATOR)
    assert run(placed_at(vendor(), 55)).is_grounded
    assert run(cut(document, "/result/preparedArtifact")).is_grounded


def test_row_16_spans_count_utf16_units():
    text = "x \U0001f600abc y"
    document = envelope(text, proposal("smile", "abc", text, "\U0001f600abc"))
    assert document["result"]["proposals"][0]["provenance"]["locator"] == "chars:2-7"
    assert run(document).is_grounded
    code_points = put(document, LOCATOR, "chars:2-6")
    assert refused(run, code_points) == ("envelope-inconsistent", LOCATOR)


def test_row_16_a_character_of_the_basic_plane_counts_one():
    text = "\uffff\u20ac\u00e9a"
    document = envelope(text, proposal("all", 1, text, text))
    assert document["result"]["proposals"][0]["provenance"]["locator"] == "chars:0-4"
    assert run(document).is_grounded


def test_row_17_white_space_is_text():
    text = "a     b"
    document = envelope(text, proposal(" ", "x", text, " " * 5), extractedAt=" ")
    (item,) = run(document, claim_targets=[TARGET]).review_items
    assert item["spec"]["target"] == " "
    (candidate,) = item["spec"]["candidates"]
    assert candidate["locator"]["excerpt"] == " " * 5
    assert candidate["source"]["observedAt"] == candidate["extraction"]["extractedAt"] == " "


@pytest.mark.parametrize(
    "pointer", [f"{FIRST}/fieldPath", f"{PROVENANCE}/excerpt", "/result/extractedAt"]
)
def test_row_17_but_nothing_is_not(pointer):
    assert refused(run, put(vendor(), pointer, "")) == ("envelope-invalid-value", pointer)


@cases(
    "changes code pointer",
    {
        "hint used in source order": (
            {"hintUsed": True},
            "envelope-inconsistent",
            "hintUsed",
        ),
        "hint not used though chosen by hint": (
            {"selection": "occurrence-hint"},
            "envelope-inconsistent",
            "hintUsed",
        ),
        "two, yet not ambiguous": ({"ambiguous": False}, "envelope-inconsistent", "ambiguous"),
        "one, yet ambiguous": ({"count": 1}, "envelope-inconsistent", "ambiguous"),
        "index equal to count": (
            {"selected": {"index": 2, "start": 5, "end": 10}},
            "envelope-inconsistent",
            "selected/index",
        ),
        "count of zero": ({"count": 0}, "envelope-invalid-value", "count"),
        "count with a fraction": ({"count": 1.5}, "envelope-invalid-value", "count"),
        "count that is text": ({"count": "2"}, "envelope-invalid-value", "count"),
        "count beyond exact integers": ({"count": 2**53}, "envelope-invalid-value", "count"),
        "index below zero": (
            {"selected": {"index": -1, "start": 5, "end": 10}},
            "envelope-invalid-value",
            "selected/index",
        ),
        "truth as text": ({"hintUsed": "false"}, "envelope-invalid-value", "hintUsed"),
        "truth as a number": ({"ambiguous": 1}, "envelope-invalid-value", "ambiguous"),
        "another resolver": (
            {"resolverVersion": "exact-occurrence-v2"},
            "envelope-invalid-value",
            "resolverVersion",
        ),
        "another selection": ({"selection": "fuzzy"}, "envelope-invalid-value", "selection"),
    },
)
def test_row_18_occurrence_that_contradicts_itself(changes, code, pointer):
    document = put_all(vendor(), {f"{OCCURRENCE}/{name}": changes[name] for name in changes})
    assert refused(run, document) == (code, f"{OCCURRENCE}/{pointer}")


def test_row_18_occurrence_chosen_by_hint():
    chosen = {f"{OCCURRENCE}/selection": "occurrence-hint", f"{OCCURRENCE}/hintUsed": True}
    assert run(put_all(vendor(), chosen)).is_grounded


@pytest.mark.parametrize(("name", "value"), [("start", 4), ("end", 11), ("start", 34), ("end", 5)])
def test_row_19_occurrence_elsewhere_than_the_locator(name, value):
    pointer = f"{OCCURRENCE}/selected/{name}"
    assert refused(run, put(vendor(), pointer, value)) == ("envelope-inconsistent", pointer)


@pytest.mark.parametrize(
    "pointer",
    [
        f"{FIRST}/fieldPath",
        f"{FIRST}/candidateValue",
        f"{FIRST}/provenance",
        f"{FIRST}/extractor",
        f"{PROVENANCE}/excerpt",
        LOCATOR,
        OCCURRENCE,
        f"{OCCURRENCE}/count",
        f"{OCCURRENCE}/selected/index",
    ],
)
def test_required_members_of_a_proposal(pointer):
    assert refused(run, cut(vendor(), pointer)) == ("envelope-missing-member", pointer)
