"""What values and excerpts say about each other: the vectors, and the edge rows about evidence.

Rows proven here, of the edge cases of extraction: 71 to 81. Left to test_produce_envelopes: that
what is written has to agree with it. The tables of Unicode are pinned at the end.
"""

import pytest
from tests.reference.extraction import resolve, schema, value_in_excerpt
from tests.reference.samples import load

from survey_fast.errors import EnvelopeError
from survey_fast.extraction.evidence import CHECKER_VERSION, evidence_match
from survey_fast.extraction.occurrence import resolve_drafts

VECTORS = load("traverse/evidence-match.json")


def says(value, kind, excerpt, **rest):
    """What is found in the excerpt; the reference has to agree."""
    found = evidence_match(value, excerpt, value_type=kind, **rest)
    draft = {
        "fieldPath": "f",
        "value": value,
        "excerpt": excerpt,
        "valueType": kind,
        "enumValues": list(rest.get("enum_values", ())),
        "inferenceType": "explicit",
    }
    expected = resolve(excerpt, [draft])[0]["evidenceMatch"]
    assert found == {name: expected[name] for name in found}
    assert found["checkerVersion"] == CHECKER_VERSION
    return found["valueInExcerpt"]


def form(value, kind, **rest):
    return evidence_match(value, "x", value_type=kind, **rest)["schema"]


def numbered(cases):
    return {"argvalues": cases, "ids": [f"{at}-{case['type']}" for at, case in enumerate(cases)]}


def options(case):
    explicit = case.get("inferenceType") == "explicit"
    return {
        "value_type": case["type"],
        "enum_values": case.get("enumValues") or (),
        "explicit": explicit,
    }


@pytest.mark.parametrize("case", **numbered(VECTORS["valueInExcerpt"]))
def test_vectors_in_excerpt(case):
    found = evidence_match(case["value"], case["excerpt"], **options(case))
    assert found["valueInExcerpt"] == case["expected"]
    # The reference that random examples are compared with has to know them too.
    parts = (case["value"], case["type"], case["excerpt"], case["inferenceType"])
    assert value_in_excerpt(*parts) == case["expected"]


@pytest.mark.parametrize("case", **numbered(VECTORS["schema"]))
def test_vectors_of_form(case):
    assert evidence_match(case["value"], "x", **options(case))["schema"] == case["expected"]
    allowed = case.get("enumValues", [])
    assert schema(case["value"], case["type"], allowed) == case["expected"]


@pytest.mark.parametrize("case", VECTORS["tokenBoundary"], ids=lambda case: case["text"])
def test_vectors_of_edges(case):
    assert is_bounded(case["text"], case["start"], case["end"]) is case["expected"]


def is_bounded(text, start, end):
    draft = {"fieldPath": "f", "value": "x", "excerpt": text[start:end], "valueType": "string"}
    [found] = resolve_drafts(text, [{**draft, "window": [start, end]}])
    return found["evidenceMatch"]["tokenBoundary"]


def test_all_vectors_are_read():
    assert VECTORS["checkerVersion"] == CHECKER_VERSION
    counts = [len(VECTORS[part]) for part in ("valueInExcerpt", "schema", "tokenBoundary")]
    assert counts == [53, 27, 5]


def test_row_71_a_number_is_read_whole():
    assert says(45, "number", "$45.00") == "match"
    assert says(3, "number", "Built 2023") == "mismatch"
    assert says(46, "number", "$45.00") == "mismatch"
    assert says(5, "number", "1.5.2 and 1,23") == "not-evaluated"


def test_row_72_a_word_is_no_part_of_a_word():
    assert says("open", "string", "Reopened") == "mismatch"
    assert says("open", "string", "no longer open") == "not-evaluated"
    assert says("open", "string", "not in any way open") == "match"


def test_row_73_signs_belong_to_their_word():
    assert says("C++", "string", "Written in C++.") == "match"
    assert says("C++", "string", "Written in C#.") == "not-evaluated"
    assert says("A+", "enum", "A-", enum_values=["A+", "A-"]) == "not-evaluated"


def test_row_74_no_before_a_number_may_be_an_abbreviation():
    assert says(5, "number", "Ticket No. 5") == "match"
    assert says(5, "number", "No: 5") == "match"
    assert says(3, "number", "no 3-bedroom units") == "not-evaluated"
    assert says(5, "number", "piano. 5") == "match"


def test_row_75_both_answers_decide_nothing():
    for value, excerpt, expected in (
        (True, "Yes, no refunds", "not-evaluated"),
        (True, "Yes", "match"),
        (False, "Yes", "mismatch"),
        (False, "No", "match"),
        (True, "This isn't true", "not-evaluated"),
    ):
        assert says(value, "boolean", excerpt) == expected


def test_row_76_a_telephone_number_is_its_digits():
    assert says("303.555.1234", "string", "(303) 555-1234") == "match"
    assert says("-303.555.1234", "string", "(303) 555-1234") == "not-evaluated"


@pytest.mark.parametrize(
    ("value", "excerpt"),
    [
        (45, "45%"),
        (45, "45 %"),
        (5, "(5)"),
        (-5, "(5)"),
        (4.2, "$4.2 million"),
        (1, "1/2"),
        (10, "10:30"),
    ],
    ids=str,
)
def test_row_77_what_stands_around_a_number_may_change_it(value, excerpt):
    assert says(value, "number", excerpt) == "not-evaluated"
    assert says(value, "number", f"{excerpt} or {value} as such") == "match"


def test_row_78_a_day_is_read_when_its_order_is_certain():
    for excerpt in ("June 9, 2026", "9th of none, 9 June 2026", "Jun. 9 2026", "2026-06-09"):
        assert says("2026-06-09", "date", excerpt) == "match"
    assert says("2026-06-09", "date", "June 10, 2026") == "mismatch"
    for excerpt in ("06/09/2026", "30 February 2026", "2026-06-09T10:00"):
        assert says("2026-06-09", "date", excerpt) == "not-evaluated"


def test_row_79_an_enum_without_values_is_text():
    assert form("gold", "enum") == "ok"
    assert form("gold", "enum", enum_values=["silver"]) == "enum-mismatch"
    assert form(1, "enum") == "type-mismatch"
    assert says("gold", "enum", "Gold!") == "match"


def test_row_80_a_date_has_to_exist():
    assert form("2026-02-29", "date") == "format-invalid"
    assert form("2024-02-29", "date") == "ok"
    assert form("2024-02-29\n", "date") == "format-invalid"
    for text in ("2026", "2026-06", "2026-06-09T10:30", "2026-06-09T23:59:59.25-05:30"):
        assert form(text, "date") == "ok"
    for text in ("0", "26", "2026-00", "2026-06-09T24:00", "2026-06-09T10:30z", "2026-06-09T10"):
        assert form(text, "date") == "format-invalid"


def test_row_81_an_edge_inside_a_word_is_none():
    text = "Established 2023 in e\u0301t\u00e9 a_b"
    assert not is_bounded(text, 15, 16)
    assert is_bounded(text, 12, 16)
    assert not is_bounded(text, 20, 21)
    assert not is_bounded(text, 25, 26)


def test_nothing_is_said_about_values_that_do_not_stand_in_the_text():
    found = evidence_match(45, "46", value_type="number", explicit=False)
    assert found["valueInExcerpt"] == "not-applicable"
    for value, kind in (([], "array"), ({}, "object")):
        assert says(value, kind, "x") == "not-applicable"
    for value, kind in (("45", "number"), (45, "string"), (None, "boolean"), (1, "date")):
        assert says(value, kind, "45") == "not-evaluated"


def test_characters_beyond_ascii_are_compared_by_what_they_mean():
    assert says("STRASSE", "string", "\uff33\uff34\uff32\uff21\uff33\uff33\uff25") == "match"
    assert says("\u039f\u0394\u039f\u03a3", "string", "\u03bf\u03b4\u03bf\u03c2") == "match"
    assert says("caf\u00e9", "string", "cafe\u0301") == "match"
    assert says(-3, "number", "\u22123") == "match"
    assert says(12, "number", "\uff11\uff12") == "match"
    assert says(3, "number", "\u0663") == "not-evaluated"


def test_letters_that_unicode_has_since_its_version_16_are_letters():
    assert evidence_match("\u1c89", "\u1c8a", value_type="string")["valueInExcerpt"] == "match"
    assert says("open", "string", "reopen\u1c89") == "mismatch"


def test_long_texts_are_compared_in_linear_time():
    words = "5 " * 200_000
    found = evidence_match(words[:-2] + "6", words, value_type="string")
    assert found["valueInExcerpt"] == "mismatch"
    assert evidence_match(6, words, value_type="number")["valueInExcerpt"] == "mismatch"
    for text in ("no. " * 200_000, "june " * 200_000, "(" * 400_000, "1,1" * 200_000):
        for value, kind in (("x", "string"), (7, "number"), (True, "boolean")):
            evidence_match(value, text, value_type=kind)
        evidence_match("2026-06-09", text, value_type="date")


def test_what_is_no_type_is_refused():
    with pytest.raises(EnvelopeError):
        evidence_match(1, "1", value_type="integer")
    with pytest.raises(EnvelopeError):
        evidence_match("a", "a", value_type="enum", enum_values=[1])
    with pytest.raises(ValueError, match="words"):
        evidence_match(1, "", value_type="number")
