"""Bytes, text and plain data are one document; what is no plain data is misuse."""

import copy
import enum
import json
import math
import pickle
from collections import OrderedDict
from decimal import Decimal
from types import MappingProxyType

import pytest

from survey_fast.canon import canonical_digest, canonical_json, data_digest, data_json
from survey_fast.errors import JsonError, SurveyError

DOCUMENT = {
    "z": [1, 2.5, -0.0, 1e21, 2**53 - 1, 10**20],
    "a": {"\u00e9": '\x01"\\/\u2028', "\U0001f600": None, "": [True, False, {}, []]},
    "10": "ten",
    "9": "nine",
}


@pytest.mark.parametrize("profile", ["jcs", "as-stored"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_every_kind_of_input_gives_the_same(profile, indent, ensure_ascii):
    text = json.dumps(DOCUMENT, indent=indent, ensure_ascii=ensure_ascii)
    raw = text.encode()
    expected = canonical_json(DOCUMENT, profile)
    for document in (text, raw, bytearray(raw), memoryview(raw), memoryview(b"x" + raw)[1:]):
        assert canonical_json(document, profile) == expected
        assert canonical_digest(document, profile) == canonical_digest(DOCUMENT, profile)
    assert canonical_json(expected, profile) == expected


def test_the_input_is_not_changed():
    before = copy.deepcopy(DOCUMENT)
    canonical_json(DOCUMENT)
    assert repr(DOCUMENT) == repr(before)


def test_a_bare_str_is_text_of_a_document_and_a_value_goes_another_way():
    assert canonical_json('"x"') == b'"x"'
    with pytest.raises(JsonError, match="json-syntax"):
        canonical_json("x")
    assert data_json("x") == b'"x"'
    assert data_digest("x") == canonical_digest('"x"')


def test_true_is_never_a_number():
    assert canonical_json([True, False, 1, 0]) == b"[true,false,1,0]"
    assert canonical_json({"a": True}) != canonical_json({"a": 1})
    assert data_digest(True) != data_digest(1)  # noqa: FBT003 - the value is the point
    assert data_digest(False) != data_digest(0)  # noqa: FBT003


def test_one_and_one_point_zero_are_one_value():
    assert canonical_json([1, 1.0, 1e0]) == b"[1,1,1]"
    assert canonical_json(0.1 + 0.2) == b"0.30000000000000004"
    assert canonical_json(float(2**53)) == b"9007199254740992"


class Mapping(dict):
    pass


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Fraction(float):
    pass


class Array(list):
    pass


class Word(enum.StrEnum):
    ONE = "one"


MISUSES = {
    "a tuple": (1, 2),
    "a set": {1},
    "a generator": iter([1]),
    "a dict subclass": Mapping(a=1),
    "an OrderedDict": OrderedDict(a=1),
    "a read-only mapping": MappingProxyType({"a": 1}),
    "a list subclass": Array([1]),
    "a str subclass": Text("a"),
    "a str enum": Word.ONE,
    "an int subclass": Whole(1),
    "a float subclass": Fraction(1.0),
    "a Decimal": Decimal(1),
    "a complex number": 1j,
    "bytes inside": b"a",
    "an object": object(),
    "a type": dict,
    "Ellipsis": ...,
}


@pytest.mark.parametrize("value", MISUSES.values(), ids=MISUSES)
def test_what_is_no_plain_data(value):
    with pytest.raises(TypeError, match="/a/1"):
        canonical_json({"a": [0, value]})
    with pytest.raises(TypeError):
        data_json(value)


@pytest.mark.parametrize("name", [1, None, True, 1.5, (), b"a", Text("t"), Word.ONE], ids=repr)
def test_a_member_name_is_a_str(name):
    with pytest.raises(TypeError, match="/0"):
        canonical_json([{name: 1}])


def cyclic_list():
    loop = [1]
    loop.append({"again": loop})
    return loop


def cyclic_dict():
    loop = {}
    loop["self"] = loop
    return loop


@pytest.mark.parametrize("make", [cyclic_list, cyclic_dict])
def test_a_cycle_is_misuse(make):
    with pytest.raises(TypeError, match="holds itself"):
        canonical_json(make())


def test_the_same_container_twice_is_no_cycle():
    shared = {"a": 1}
    assert canonical_json([shared, shared, [shared]]) == b'[{"a":1},{"a":1},[{"a":1}]]'


def refusal_of(document, **options):
    with pytest.raises(JsonError) as caught:
        canonical_json(document, **options)
    return caught.value.code, caught.value.pointer


BEYOND = {
    "NaN": math.nan,
    "infinity": math.inf,
    "-infinity": -math.inf,
    "2^53 + 1": 2**53 + 1,
    "-(2^53 + 1)": -(2**53) - 1,
    "1e21 in digits": 10**21,
    "309 digits": 10**308,
    "401 digits": 10**400,
    "more digits than Python prints": -(10**5000),
}


@pytest.mark.parametrize("number", BEYOND.values(), ids=BEYOND)
def test_numbers_without_a_double(number):
    assert refusal_of({"a/b": [0, number]}) == ("json-number-range", "/a~1b/1")
    assert refusal_of([number], lossless=True) == ("json-number-range", "/0")


@pytest.mark.parametrize("number", [2**53, 2**53 + 2, -(10**20), 2**63, -(2**63), 2**64, 1e300])
def test_large_numbers_that_are_doubles(number):
    if number in {2**63, -(2**63), 2**64}:
        # Their doubles print with zeros at the end, so the digits would change.
        assert refusal_of([number]) == ("json-number-range", "/0")
    else:
        assert json.loads(canonical_json([number])) == [number]


def test_negative_zero_in_both_modes():
    assert canonical_json([-0.0]) == b"[0]"
    assert refusal_of({"a": [-0.0]}, lossless=True) == ("json-negative-zero", "/a/0")
    with pytest.raises(JsonError, match="json-negative-zero"):
        data_digest(-0.0)
    assert data_digest(-0.0, lossless=False) == data_digest(0)


def test_halves_of_surrogate_pairs():
    assert refusal_of({"a": ["x", "\ud800"]}) == ("json-lone-surrogate", "/a/1")
    assert refusal_of({"a": {"\udc00": 1}}) == ("json-lone-surrogate", "/a")
    with pytest.raises(JsonError) as caught:
        canonical_json('{"\u00e9":"\ud800"}')
    assert caught.value.code == "json-lone-surrogate"
    assert caught.value.details == {"offset": 7}


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_bounded():
    assert canonical_json(nested(128)) == b"[" * 128 + b"]" * 128
    assert refusal_of(nested(129)) == ("json-depth", "/0" * 128)
    assert refusal_of(nested(100_000)) == ("json-depth", "/0" * 128)
    assert refusal_of({"a": nested(128)}) == ("json-depth", "/a" + "/0" * 127)


def test_the_cap_holds_for_plain_data_too():
    assert canonical_json(["x" * 10], max_bytes=14) == b'["xxxxxxxxxx"]'
    with pytest.raises(JsonError, match="json-size"):
        canonical_json(["x" * 10], max_bytes=13)


def test_a_refusal_survives_pickling_and_copying():
    with pytest.raises(SurveyError) as caught:
        canonical_json('{"a":[1e400]}')
    refusal = caught.value
    for twin in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal), copy.deepcopy(refusal)):
        assert type(twin) is JsonError
        assert str(twin) == str(refusal)
        assert twin.to_json() == refusal.to_json()
    assert refusal.to_json() == {
        "code": "json-number-range",
        "message": refusal.message,
        "pointer": "/a/0",
        "details": {"offset": 6},
    }
