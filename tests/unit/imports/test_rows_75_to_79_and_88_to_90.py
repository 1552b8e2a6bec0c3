"""Rows 75 to 79 and 88 to 90 of the import's edge table.

Proven: 75, 76, 77, 78, 79, 88, 89, 90.

Not here:

* rows 80 to 83, the candidate verification: ``tests/unit/test_verification.py``;
* rows 84 (edit on an imported item), 85 (number text), 86 (dates) and 87 (decision mode): they
  come with decisions on a review session.
"""

import pytest
from tests.unit.imports.samples import (
    FIRST,
    TARGET,
    cases,
    cut,
    envelope,
    producer,
    proposal,
    put,
    refused,
    run,
    text_of,
    vendor,
)

from survey_fast import available_artifact, canonical_json
from survey_fast.attest import (
    assert_review_queue_against_extraction_import,
    attest_review_queue_extraction,
    validate_review_queue_against_extraction_import,
)
from survey_fast.errors import UnattestedExtractionQueueError

TEXT = "Fee 48000, fee 48000."


@cases(
    "document collated jcs",
    {
        "row 75": (
            '{"b":1,"10":2,"9":3}',
            '{"9":3,"10":2,"b":1}',
            '{"10":2,"9":3,"b":1}',
        ),
        "row 76": (
            '{"candidateSetStatus":1,"candidates":2}',
            '{"candidates":2,"candidateSetStatus":1}',
            '{"candidateSetStatus":1,"candidates":2}',
        ),
        "row 77": (
            '{"a":1,"B":2,"_":3,"Z":{"y":1,"X":2}}',
            '{"_":3,"a":1,"B":2,"Z":{"X":2,"y":1}}',
            '{"B":2,"Z":{"X":2,"y":1},"_":3,"a":1}',
        ),
    },
)
def test_row_75_76_77_orders_of_members(document, collated, jcs):
    assert canonical_json(document, "collated") == collated.encode()
    assert canonical_json(document, "jcs") == jcs.encode()
    assert canonical_json(document, "as-stored") == document.encode()


def values_in_one_slot(*literals):
    """The envelope, as text, whose proposals give one field these values."""
    document = envelope(TEXT, *(proposal("fee", f"@{at}", TEXT, "48000") for at in (0, 1)))
    text = text_of(document)
    for at, literal in enumerate(literals):
        text = text.replace(f'"@{at}"', literal)
    return text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0"),
        ("100", "1e2"),
        ("0.1", "0.10000000000000001"),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1.0}'),
        (r'"A"', r'"\u0041"'),
        ("null", "null"),
    ],
)
def test_row_78_one_value(one, other):
    (item,) = run(values_in_one_slot(one, other)).review_items
    assert len(item["spec"]["candidates"]) == 1
    assert item["spec"]["candidateSetStatus"] == "needs-review"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"1"', "1"),
        ('"A"', '"a"'),
        ("1", "true"),
        ("0", "false"),
        ("null", '"null"'),
        ("[1, 2]", "[2, 1]"),
        ("[]", "{}"),
        (r'"\u00e9"', r'"e\u0301"'),
        ("0.1", "0.10000000000000002"),
        ('"a"', '"a "'),
    ],
)
def test_row_78_two_values(one, other):
    (item,) = run(values_in_one_slot(one, other)).review_items
    assert len(item["spec"]["candidates"]) == 2
    assert item["spec"]["candidateSetStatus"] == "conflict"


def test_row_79_null_and_a_string():
    (item,) = run(values_in_one_slot("null", '"text"')).review_items
    assert item["spec"]["candidateSetStatus"] == "conflict"
    assert [one["value"] for one in item["spec"]["candidates"]] == [None, "text"]
    assert item["spec"]["valueDescriptor"] == {"type": "object"}
    types = [producer(one)["valueType"] for one in item["spec"]["candidates"]]
    assert types == [
        {"type": "object", "origin": "inferred"},
        {"type": "string", "origin": "inferred"},
    ]


@pytest.mark.parametrize(
    ("literal", "name"),
    [
        ("[]", "array"),
        ("{}", "object"),
        ("true", "boolean"),
        ("1.5", "number"),
        ('"2026-10-05"', "string"),
    ],
)
def test_row_79_type_of_the_leading_value(literal, name):
    (item,) = run(values_in_one_slot(literal, "null")).review_items
    assert item["spec"]["valueDescriptor"] == {"type": name}


def test_row_79_declared_type_comes_first():
    document = put(vendor(), f"{FIRST}/valueType", "enum")
    document = put(document, f"{FIRST}/inferenceType", "explicit")
    (item,) = run(document).review_items
    assert item["spec"]["valueDescriptor"] == {"type": "enum"}
    lead = producer(item["spec"]["candidates"][0])
    assert lead["valueType"] == {"type": "enum", "origin": "explicit"}


def unresolved():
    """A verified import and, of the same envelope, one whose text was another."""
    grounded = run(vendor())
    other = run(vendor(), artifact=available_artifact("another text"))
    return grounded, other


def test_row_88_queue_against_an_unresolved_import():
    queue, record = unresolved()
    (issue,) = validate_review_queue_against_extraction_import(queue, record)
    assert issue.code == "import-not-grounded"
    assert record.status["diagnostics"][0]["message"] in issue.message
    told = attest_review_queue_extraction(queue, record)
    assert (told.state, [one.code for one in told.issues]) == ("diverges", ["import-not-grounded"])
    with pytest.raises(UnattestedExtractionQueueError) as caught:
        assert_review_queue_against_extraction_import(queue, record)
    assert caught.value.code == "import-not-grounded"


def test_row_88_the_message_of_a_stored_record_is_quoted():
    queue, record = unresolved()
    record = put(record.record, "/status/diagnostics/0/message", "in another program's words")
    (issue,) = validate_review_queue_against_extraction_import(queue, record)
    assert "in another program's words" in issue.message


def test_row_88_even_an_empty_queue_is_first_of_all_unresolved():
    _, record = unresolved()
    for queue in ([], {"items": []}):
        (issue,) = validate_review_queue_against_extraction_import(queue, record)
        assert issue.code == "import-not-grounded"
    (issue,) = validate_review_queue_against_extraction_import([], run(vendor("success-empty")))
    assert issue.code == "empty-queue"


REWRITE = {"kind": "string-to-number", "from": "2.1"}


def test_row_89_value_normalization_is_carried():
    document = put(put(vendor(), f"{FIRST}/candidateValue", 2.1), f"{FIRST}/valueNormalization", {})
    document = put(document, f"{FIRST}/valueNormalization", REWRITE)
    result = run(document)
    assert result.record["spec"]["envelope"] == document
    lead, *others = result.review_items[0]["spec"]["candidates"]
    assert producer(lead)["valueNormalization"] == REWRITE
    assert all("valueNormalization" not in producer(one) for one in others)
    plain = run(cut(document, f"{FIRST}/valueNormalization"))
    assert lead["id"] != plain.review_items[0]["spec"]["candidates"][0]["id"]


@cases(
    "value code pointer",
    {
        "unknown kind": (
            {"kind": "string-to-date", "from": "x"},
            "envelope-invalid-value",
            "/kind",
        ),
        "number": ({"kind": "date-to-iso", "from": 1}, "envelope-invalid-value", "/from"),
        "extra": ({**REWRITE, "to": 2.1}, "envelope-unexpected-member", "/to"),
        "incomplete": ({"kind": "date-to-iso"}, "envelope-missing-member", "/from"),
        "null": (None, "envelope-invalid-value", ""),
    },
)
def test_row_89_value_normalization_out_of_shape(value, code, pointer):
    place = f"{FIRST}/valueNormalization"
    assert refused(run, put(vendor(), place, value)) == (code, place + pointer)


def test_row_90_empty_path_indices_are_another_slot_than_none():
    document = envelope(
        TEXT,
        proposal("fee", 48000, TEXT, "48000"),
        proposal("fee", 48000, TEXT, "48000", pathIndices=[]),
        proposal("fee", 48000, TEXT, "48000", 1, pathIndices=[]),
    )
    first, second = run(document, claim_targets=[TARGET] * 3).review_items
    assert first["metadata"]["name"] != second["metadata"]["name"]
    assert producer(first)["proposalIndices"] == [0]
    assert producer(second)["proposalIndices"] == [1, 2]


@cases(
    "value pointer",
    {
        "null": (None, ""),
        "below zero": ([0, -1], "/1"),
        "fraction": ([0.5], "/0"),
        "text": (["0"], "/0"),
        "truth": ([True], "/0"),
        "beyond exact integers": ([2**53], "/0"),
    },
)
def test_row_90_path_indices_out_of_shape(value, pointer):
    place = f"{FIRST}/pathIndices"
    expected = ("envelope-invalid-value", place + pointer)
    assert refused(run, put(vendor(), place, value)) == expected
