"""Rows 1 to 7 of the import's edge table: what reading a document accepts.

Proven: 1, 2, 3, 4, 5, 6, 7. Beside them: a member named twice is refused.
"""

import copy
import json

import pytest
from tests.unit.imports.samples import (
    FIRST,
    cases,
    newest,
    portable,
    put,
    refused,
    run,
    run_portable,
    text_of,
    vendor,
)

from survey_fast import canonical_json, export_import, reimport

VALUE = f"{FIRST}/candidateValue"


def with_value(literal):
    """The text of an envelope whose first value is this literal."""
    return text_of(put(vendor(), VALUE, "@")).replace('"@"', literal)


def test_row_01_portable_fixture():
    result = run_portable()
    assert result.is_grounded
    assert len(result.review_items) == 2
    assert reimport(export_import(result)) == result.record
    assert result.record["spec"]["envelope"] == json.loads(portable())


@pytest.mark.parametrize("name", ["success-rich", "state-available", "partial-max-chunks"])
def test_row_02_parsed_object_instead_of_text(name):
    document = newest(name)
    layout = {
        "elements": [
            {"kind": "other", "pageNumber": 1, "range": {"start": at, "end": at + 1}}
            for at in (5, 3)
        ]
    }
    document["result"]["pdfLayout"] = layout
    before = copy.deepcopy(document)
    from_object = run(document)
    assert document == before
    assert from_object == run(text_of(document)) == run(text_of(document).encode())


@cases(
    "text code pointer",
    {
        "byte order mark, text": ("\ufeff" + text_of(vendor()), "json-encoding", ""),
        "byte order mark, bytes": (b"\xef\xbb\xbf{}", "json-encoding", ""),
        "NaN": (with_value("NaN"), "json-syntax", VALUE),
        "Infinity": (with_value("-Infinity"), "json-syntax", VALUE),
        "comment": (with_value("1 // one"), "json-syntax", FIRST),
        "empty text": ("", "json-syntax", ""),
        "no bytes": (b"", "json-syntax", ""),
        "white space only": (" \t\r\n", "json-syntax", ""),
        "form feed at the end": (text_of(vendor()) + "\f", "json-syntax", ""),
        "bytes that are not UTF-8": (b'{"format":"\xff"}', "json-encoding", "/format"),
    },
)
def test_row_03_not_json(text, code, pointer):
    assert refused(run, text) == (code, pointer)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/version", 2),
        ("/version", "1"),
        ("/version", True),
        ("/version", None),
        ("/format", "traverse-extraction"),
        ("/format", 1),
    ],
)
def test_row_04_other_format_or_version(pointer, value):
    expected = ("envelope-unsupported-version", pointer)
    assert refused(run, put(vendor(), pointer, value)) == expected


@pytest.mark.parametrize("value", [1.0, 1])
def test_row_04_version_is_a_number(value):
    assert run(put(vendor(), "/version", value)) == run(vendor())


@pytest.mark.parametrize("literal", ["-0", "-0.0", "-0e7", "-1e-400"])
def test_row_05_negative_zero_in_text(literal):
    assert refused(run, with_value(literal)) == ("json-negative-zero", VALUE)


def test_row_05_negative_zero_in_data():
    assert refused(run, put(vendor(), VALUE, -0.0)) == ("json-negative-zero", VALUE)
    inside = put(vendor(), VALUE, [1, {"a": -0.0}])
    assert refused(run, inside) == ("json-negative-zero", f"{VALUE}/1/a")


@pytest.mark.parametrize(
    "literal", [r'"\ud83d"', r'"\ude00"', r'"\ude00\ud83d"', r'"\ud83dx"', r'"\ud83d\u0041"']
)
def test_row_06_lone_surrogate_in_text(literal):
    assert refused(run, with_value(literal)) == ("json-lone-surrogate", VALUE)


@pytest.mark.parametrize(
    ("value", "pointer"), [("a\ud83d", VALUE), (["\ude00"], f"{VALUE}/0"), ({"\ud83d": 1}, VALUE)]
)
def test_row_06_lone_surrogate_in_data(value, pointer):
    assert refused(run, put(vendor(), VALUE, value)) == ("json-lone-surrogate", pointer)


def test_row_06_lone_surrogate_in_a_name_and_in_raw_text():
    assert refused(run, with_value(r'{"\ud83d": 1}')) == ("json-lone-surrogate", VALUE)
    assert refused(run, with_value('"\ud83d"')) == ("json-lone-surrogate", "")


def test_row_06_a_whole_pair_is_fine():
    (candidate, *_) = run(with_value(r'"\ud83d\ude00"')).review_items[0]["spec"]["candidates"]
    assert candidate["value"] == "\U0001f600"


@pytest.mark.parametrize("literal", ["1e400", "-1e400", "9007199254740993", "1" + "0" * 23])
def test_row_07_number_beyond_a_double_in_text(literal):
    assert refused(run, with_value(literal)) == ("json-number-range", VALUE)


@pytest.mark.parametrize(
    "value", [float("inf"), float("-inf"), float("nan"), 10**400, 2**53 + 1], ids=str
)
def test_row_07_number_beyond_a_double_in_data(value):
    assert refused(run, put(vendor(), VALUE, value)) == ("json-number-range", VALUE)


@pytest.mark.parametrize(
    ("literal", "printed"),
    [
        ("100000000000000000000", b"100000000000000000000"),
        ("1e21", b"1e+21"),
        ("9007199254740991", b"9007199254740991"),
        ("0.0000001", b"1e-7"),
        ("1.0", b"1"),
    ],
)
def test_row_07_numbers_that_a_double_holds(literal, printed):
    record = run(with_value(literal)).record_bytes
    assert b'"candidateValue":' + printed + b"," in record
    assert canonical_json(record) == record


@cases(
    "text pointer",
    {
        "top": (text_of(vendor())[:-1] + ', "version": 1}', "/version"),
        "in a value": (with_value('{"a": 1, "b": 2, "a": 1}'), f"{VALUE}/a"),
        "by escape": (with_value(r'{"a": 1, "\u0061": 1}'), f"{VALUE}/a"),
    },
)
def test_a_member_named_twice_is_refused(text, pointer):
    assert refused(run, text) == ("json-duplicate-member", pointer)
