"""Refusals as data: every code known once, every attribute kept in another process."""

import copy
import pickle

import pytest
from tests.unit.imports.samples import FIRST, put, run, text_of, vendor

from survey_fast import _core, errors
from survey_fast.errors import CODES, SurveyError, UnattestedReviewQueueError, refusal

CLASSES = [
    found
    for name in errors.__all__
    if isinstance(found := getattr(errors, name), type) and issubclass(found, SurveyError)
]


def facts(error):
    return (
        type(error),
        error.code,
        error.message,
        error.pointer,
        error.details,
        error.exit_code,
        error.http_status,
        str(error),
        error.args,
    )


def test_every_code_of_the_extension_is_known():
    codes = _core.refusal_codes()
    assert set(codes) <= set(CODES)
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_class_and_a_meaning(code):
    error = refusal(code, "a sentence", "/a/0", {"offset": 7})
    assert error.code == code
    assert isinstance(error, SurveyError)
    assert CODES[code].strip()
    assert error.to_json() == {
        "code": code,
        "message": "a sentence",
        "pointer": "/a/0",
        "details": {"offset": 7},
    }


def test_an_unknown_code_is_a_mistake():
    with pytest.raises(KeyError):
        refusal("no-such-code", "x")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_refusals_survive_pickling(cls, protocol):
    for error in (
        cls("only a sentence"),
        cls("all of it", "/a~1b", {"offset": 3, "issues": [{"code": "x"}]}, "json-depth"),
        cls("by name", pointer="", details={"a": None}, code="json-size"),
    ):
        assert facts(pickle.loads(pickle.dumps(error, protocol))) == facts(error)
        assert facts(copy.copy(error)) == facts(error)
        assert facts(copy.deepcopy(error)) == facts(error)


def refusal_of(document):
    with pytest.raises(SurveyError) as caught:
        run(document)
    return caught.value


def test_refusals_of_the_extension_survive_pickling():
    text = text_of(vendor()).replace("48000", "1e400", 1)
    for document in (text, put(vendor(), f"{FIRST}/extractor", "")):
        error = refusal_of(document)
        assert facts(pickle.loads(pickle.dumps(error))) == facts(error)


def test_refusals_of_many_findings_survive_pickling():
    issues = [
        {"code": "item-removed", "message": "one", "itemName": "a"},
        {"code": "item-added", "message": "two", "itemName": "b"},
    ]
    error = UnattestedReviewQueueError.from_issues(issues)
    assert error.code == "item-removed"
    assert facts(pickle.loads(pickle.dumps(error))) == facts(error)
    assert error.details["issues"] == issues


def test_defaults_of_a_refusal():
    error = SurveyError("a sentence")
    assert (error.code, error.pointer, error.details) == ("survey-error", None, {})
    assert error.to_json() == {"code": "survey-error", "message": "a sentence"}
    for cls in CLASSES:
        assert cls is SurveyError or cls.code in CODES


@pytest.mark.parametrize("bad", ['"\u0436"', "48000", "[0.5]"])
def test_offset_of_a_value_that_is_refused(bad):
    text = text_of(vendor()).replace('"extractor": "fixture-fee-scanner"', f'"extractor": {bad}', 1)
    text = text.replace("fixture://", "caf\u00e9\U0001f600")
    error = refusal_of(text)
    assert error.pointer == f"{FIRST}/extractor"
    assert error.details["offset"] == text.encode().index(f': {bad}, "fieldPath"'.encode()) + 2


@pytest.mark.parametrize("bad", ["1e400", "-0", "x", '"\\ud800"', '"\t"'])
def test_offset_of_text_that_cannot_be_read(bad):
    text = f'{{"caf\u00e9 \U0001f600": {bad}}}'
    offset = refusal_of(text).details["offset"]
    start = len('{"caf\u00e9 \U0001f600": '.encode())
    assert start <= offset < start + len(bad)


def test_plain_data_has_no_offsets():
    for pointer, value in (("/extractor", ""), ("/candidateValue", -0.0), ("/confidence", 2)):
        assert refusal_of(put(vendor(), FIRST + pointer, value)).details == {}
