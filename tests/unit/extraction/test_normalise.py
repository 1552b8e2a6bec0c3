"""From items to drafts: paths, excerpts, values, typed rewrites, confidences.

Rows of the edge cases of extraction proven here: 59 to 62 (paths, trimming), 63 and 64 (values),
65 (confidence), 67 (own keys), 68 and 69 (typed rewrites). Left to test_run_proposals: 66, 70, and
that a drop moves no neighbour.
"""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from survey_fast.canon import canonical_json
from survey_fast.errors import SurveyError
from survey_fast.extraction.normalise import normalise
from survey_fast.extraction.paths import declared_path
from survey_fast.extraction.typed import rewritten
from survey_fast.extraction.values import UnusableValueError, plain_value

VECTORS = Path(__file__).parents[2] / "vectors/traverse"
REWRITES = json.loads((VECTORS / "value-normalization.json").read_bytes())
FIELDS = {
    one["path"]: one
    for one in (
        {"path": "name", "type": "string"},
        {"path": "fee", "type": "number"},
        {"path": "opens", "type": "date"},
        {"path": "items[].day", "type": "string"},
        {"path": "a[].b[].c", "type": "string"},
    )
}


def item(path="name", value="Acme", excerpt="Acme Ltd", **rest):
    return {
        "fieldPath": path,
        "candidateValue": value,
        "extractor": "reader",
        "provenance": {"excerpt": excerpt},
        **rest,
    }


def one(*items):
    result = normalise(items, FIELDS)
    assert result.dropped == []
    (draft,) = result.drafts
    return draft


def reason(odd):
    """Why an item between two good ones is dropped; they are kept."""
    result = normalise([item(value="before"), odd, item(value="after")], FIELDS)
    assert [draft.value for draft in result.drafts] == ["before", "after"]
    (dropped,) = result.dropped
    return dropped.reason, dropped.path


def test_row_59_a_numbered_path_becomes_the_declared_one_with_its_index():
    draft = one(item("items[1].day"))
    assert (draft.path, draft.path_indices) == ("items[].day", (1,))
    assert one(item("items[].day")).path_indices is None


def test_row_60_indices_stand_outermost_first():
    assert declared_path("a[2].b[0].c", FIELDS) == ("a[].b[].c", (2, 0))


def test_row_61_a_numbered_path_that_nobody_declared_is_dropped_under_its_own_name():
    assert reason(item("others[1].day")) == ("unknown-field", "others[1].day")


@pytest.mark.parametrize(
    "path", ["items[-1].day", "items[1.5].day", "items[x].day", "items[٣].day"]
)
def test_what_is_no_index_is_no_path(path):
    assert reason(item(path)) == ("unknown-field", path)


def test_an_index_that_no_document_can_hold_is_no_path():
    assert declared_path(f"items[{2**53 - 1}].day", FIELDS) is not None
    assert declared_path(f"items[{2**53}].day", FIELDS) is None
    assert declared_path(f"items[{'9' * 5000}].day", FIELDS) is None


def test_row_62_an_excerpt_is_trimmed_as_ecmascript_does():
    assert one(item(excerpt="\ufeff \u00a0Acme Ltd\u2028\n")).excerpt == "Acme Ltd"
    assert one(item(excerpt="\x1cAcme\x85")).excerpt == "\x1cAcme\x85"


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ("prose", ("not-an-object", None)),
        (None, ("not-an-object", None)),
        (["fieldPath", "name"], ("not-an-object", None)),
        ({}, ("field-path-blank", None)),
        (item(" \ufeff "), ("field-path-blank", None)),
        (item(7), ("field-path-blank", None)),
        (item("nope"), ("unknown-field", "nope")),
        (item("\ud800"), ("unknown-field", None)),
        (item("x" * 5000), ("unknown-field", None)),
        (item(extractor=""), ("extractor-invalid", "name")),
        (item(extractor="two words"), ("extractor-invalid", "name")),
        (item(extractor=None), ("extractor-invalid", "name")),
        (item(excerpt=" \n"), ("excerpt-blank", "name")),
        (item(excerpt=3), ("excerpt-blank", "name")),
        ({**item(), "provenance": "Acme"}, ("excerpt-blank", "name")),
        (item(excerpt="half \ud83d"), ("excerpt-ill-formed", "name")),
        ({k: v for k, v in item().items() if k != "candidateValue"}, ("value-absent", "name")),
    ],
    ids=range(17),
)
def test_an_item_is_dropped_for_the_first_thing_that_is_wrong(odd, expected):
    assert reason(odd) == expected


def test_a_drop_names_the_declared_path_of_a_numbered_one():
    assert reason(item("items[4].day", excerpt="")) == ("excerpt-blank", "items[].day")


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        b"bytes",
        dt.date(2026, 1, 1),
        (1, 2),
        {1, 2},
        {"a": {1: 2}},
        ["\udc00"],
        {"\udc00": 1},
        2**53 + 1,
        -(10**400),
        10**21,
        object(),
    ],
    ids=range(13),
)
def test_row_63_what_is_no_data_is_dropped(value):
    assert reason(item(value=value)) == ("value-not-json", "name")


def test_values_are_bounded_in_depth_and_in_parts():
    assert plain_value(deep(100)) == deep(100)
    assert reason(item(value=deep(101))) == ("value-too-deep", "name")
    endless = []
    endless.append(endless)
    assert reason(item(value=endless)) == ("value-too-deep", "name")
    doubling = [1]
    for _ in range(90):
        doubling = [doubling, doubling]
    assert reason(item(value=doubling)) == ("value-too-large", "name")


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**20, 2**70 // 10**9 * 10**9, 123 * 10**16])
def test_a_large_integer_is_kept_when_a_double_is_written_like_it(number):
    try:
        is_kept = canonical_json(str(number)) == str(number).encode()
    except SurveyError:
        is_kept = False
    try:
        assert plain_value(number) == number
    except UnusableValueError:
        assert not is_kept
    else:
        assert is_kept


def test_row_64_negative_zero_becomes_zero_at_any_depth():
    value = one(item(value={"a": [-0.0, {"b": -0.0}]})).value
    assert json.dumps(value) == '{"a": [0, {"b": 0}]}'
    assert json.dumps(one(item("fee", -0.0)).value) == "0"


@pytest.mark.parametrize(
    ("told", "kept", "noisy", "clamped"),
    [
        (None, None, 0, False),
        (0.4, 0.4, 0, False),
        (1, 1, 0, False),
        ("high", None, 1, False),
        (True, None, 1, False),
        (float("nan"), None, 1, False),
        (float("inf"), None, 1, False),
        (1.4, 1, 0, True),
        (10**400, 1, 0, True),
        (-3, 0, 0, True),
        (-0.0, 0, 0, False),
    ],
    ids=range(11),
)
def test_row_65_a_confidence_is_kept_clamped_or_left_out_and_drops_nothing(
    told, kept, noisy, clamped
):
    result = normalise([item(confidence=told)], FIELDS)
    (draft,) = result.drafts
    assert (draft.confidence, result.unreadable_confidences, draft.is_clamped) == (
        kept,
        noisy,
        clamped,
    )
    assert str(draft.confidence) != "-0.0"


def test_an_absent_confidence_is_absent_and_silent():
    result = normalise([item()], FIELDS)
    assert (result.drafts[0].confidence, result.unreadable_confidences) == (None, 0)


def test_row_67_a_member_named_proto_is_data():
    assert one(item(value={"__proto__": {"x": 1}})).value == {"__proto__": {"x": 1}}


@pytest.mark.parametrize(
    ("hint", "used"),
    [
        (1, 1),
        (2.0, 2),
        (0, None),
        (-1, None),
        (1.5, None),
        ("2", None),
        (True, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (None, None),
    ],
    ids=range(11),
)
def test_a_hint_counts_when_it_is_a_whole_number_from_1(hint, used):
    assert one(item(occurrenceHint=hint)).hint == used


def test_row_68_a_text_that_is_exactly_a_number_becomes_one():
    for text, number in REWRITES["number"]["rewritten"]:
        found = rewritten(text, "number")
        assert (found.value, found.kind, found.original) == (number, "string-to-number", text)
        assert type(found.value) is type(number)
    for text in REWRITES["number"]["unchanged"]:
        assert rewritten(text, "number") is None, text


def test_row_69_a_text_that_is_wholly_a_day_becomes_iso():
    for text, day in REWRITES["date"]["rewritten"]:
        found = rewritten(text, "date")
        assert (found.value, found.kind, found.original) == (day, "date-to-iso", text)
    for text in REWRITES["date"]["unchanged"]:
        assert rewritten(text, "date") is None, text


def test_other_types_and_other_values_are_never_rewritten():
    for declared, text in REWRITES["otherTypes"]:
        assert rewritten(text, declared) is None
    assert rewritten(2.5, "number") is None
    assert rewritten("9" * 100_000, "number") is None


def test_a_draft_holds_the_rewritten_value_and_the_text_it_was():
    draft = one(item("fee", " 48 "))
    assert (draft.value, draft.rewrite.original) == (48, " 48 ")


def test_what_a_provider_says_about_places_and_evidence_is_not_read():
    told = item(evidenceMatch=1, producedBy="x", valueNormalization={})
    told["provenance"] |= {"locator": "chars:9-3"}
    assert one(told) == one(item())
