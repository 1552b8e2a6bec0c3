"""What strict reading refuses: the code, the place in the document, the byte in the text."""

import pytest

from survey_fast import limits
from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.errors import JsonError

REFUSED = {
    # Members
    "a name twice": (b'{"a":1,"b":2,"a":3}', "json-duplicate-member", "/a", 13),
    "a name twice in a row": (b'{"a":1,"a":1}', "json-duplicate-member", "/a", 7),
    "a name twice, once escaped": (b'{"\\u0061":1,"a":2}', "json-duplicate-member", "/a", 12),
    "a name twice, out of order": (b'[{"b":1,"a":{},"b":0}]', "json-duplicate-member", "/0/b", 15),
    "the empty name twice": (b'{"":1,"":2}', "json-duplicate-member", "/", 6),
    "an astral name twice": (
        b'{"\xf0\x9f\x98\x80":1,"\\ud83d\\ude00":2}',
        "json-duplicate-member",
        "/\U0001f600",
        10,
    ),
    "an escaped solidus in a name": (b'{"a/b":1,"a\\/b":2}', "json-duplicate-member", "/a~1b", 9),
    # Halves of surrogate pairs
    "a high half": (b'["\\ud800"]', "json-lone-surrogate", "/0", 2),
    "a low half": (b'{"a":"x\\udfff"}', "json-lone-surrogate", "/a", 7),
    "a pair the wrong way round": (b'["\\udc00\\ud800"]', "json-lone-surrogate", "/0", 2),
    "two high halves": (b'["\\ud83d\\ud83d"]', "json-lone-surrogate", "/0", 2),
    "a half before text": (b'["\\ud83dx"]', "json-lone-surrogate", "/0", 2),
    "a half before another escape": (b'["\\ud83d\\n"]', "json-lone-surrogate", "/0", 2),
    "a half in a name": (b'{"a":{"k\\udc00":1}}', "json-lone-surrogate", "/a", 8),
    # Numbers
    "beyond the largest double": (b"[1e400]", "json-number-range", "/0", 1),
    "beyond the smallest": (b'{"n":-1e309}', "json-number-range", "/n", 5),
    "2^53 + 1": (b"9007199254740993", "json-number-range", "", 0),
    "-(2^53 + 1)": (b"[0, -9007199254740993]", "json-number-range", "/1", 4),
    "1e21 in digits": (b"1" + b"0" * 21, "json-number-range", "", 0),
    "400 digits": (b"[" + b"9" * 400 + b"]", "json-number-range", "/0", 1),
    "NaN": (b'{"a":NaN}', "json-syntax", "/a", 5),
    "Infinity": (b"[Infinity]", "json-syntax", "/0", 1),
    "-Infinity": (b"[-Infinity]", "json-syntax", "/0", 1),
    "a leading zero": (b"[01]", "json-syntax", "/0", 1),
    "a plus sign": (b"[+1]", "json-syntax", "/0", 1),
    "a bare minus": (b"[-]", "json-syntax", "/0", 1),
    "no digit before the point": (b"[.5]", "json-syntax", "/0", 1),
    "no digit after the point": (b"[1.]", "json-syntax", "/0", 1),
    "no digit in the exponent": (b"[1e+]", "json-syntax", "/0", 1),
    "hexadecimal": (b"[0x1F]", "json-syntax", "/0", 2),
    # Bytes
    "NUL alone": (b"\x00", "json-syntax", "", 0),
    "NUL in a string": (b'["a\x00b"]', "json-syntax", "/0", 3),
    "NUL between values": (b"[1,\x002]", "json-syntax", "/1", 3),
    "NUL behind the document": (b"{}\x00", "json-syntax", "", 2),
    "a line feed in a string": (b'["a\nb"]', "json-syntax", "/0", 3),
    "a UTF-8 byte order mark": (b"\xef\xbb\xbf{}", "json-encoding", "", 0),
    "UTF-16, little end first, marked": ("\ufeff{}".encode("utf-16-le"), "json-encoding", "", 0),
    "UTF-16, big end first, marked": ("\ufeff{}".encode("utf-16-be"), "json-encoding", "", 0),
    "UTF-16 without a mark": ("{}".encode("utf-16-le"), "json-syntax", "", 1),
    "UTF-32 without a mark": ("[]".encode("utf-32-be"), "json-syntax", "", 0),
    "a character cut short": (b'["ab\xc3"]', "json-encoding", "/0", 4),
    "a character cut short at the end": (b'"\xf0\x9f\x98', "json-encoding", "", 1),
    "an overlong solidus": (b'{"p":"\xc0\xaf"}', "json-encoding", "/p", 6),
    "an overlong NUL": (b'["\xc0\x80"]', "json-encoding", "/0", 2),
    "half a pair in UTF-8": (b'["\xed\xa0\x80"]', "json-encoding", "/0", 2),
    "beyond U+10FFFF": (b'["\xf4\x90\x80\x80"]', "json-encoding", "/0", 2),
    "a continuation byte alone": (b"[\x80]", "json-encoding", "/0", 1),
    "Latin-1": (b'["caf\xe9"]', "json-encoding", "/0", 5),
    "Latin-1 in a name": (b'{"a":{"caf\xe9":1}}', "json-encoding", "/a", 10),
    "Latin-1 far inside a long string": (
        b'["' + b"x" * 70 + b"\xe9" + b"x" * 40 + b'"]',
        "json-encoding",
        "/0",
        72,
    ),
    # Grammar
    "nothing": (b"", "json-syntax", "", 0),
    "white space alone": (b" \n\t\r ", "json-syntax", "", 5),
    "a second document": (b"{} {}", "json-syntax", "", 3),
    "a closing bracket too many": (b"[1]]", "json-syntax", "", 3),
    "a comma behind the document": (b"{},", "json-syntax", "", 2),
    "a trailing comma in an array": (b"[1,]", "json-syntax", "/1", 3),
    "a trailing comma in an object": (b'{"a":1,}', "json-syntax", "", 7),
    "a missing comma": (b"[1 2]", "json-syntax", "/0", 3),
    "a missing colon": (b'{"a" 1}', "json-syntax", "", 5),
    "a name without quotes": (b"{a:1}", "json-syntax", "", 1),
    "a name that is a number": (b"{1:1}", "json-syntax", "", 1),
    "single quotes": (b"['a']", "json-syntax", "/0", 1),
    "a comment": (b"[1/*x*/]", "json-syntax", "/0", 2),
    "an array that is not closed": (b"[1", "json-syntax", "/0", 2),
    "an object that is not closed": (b'{"a":{"b":1', "json-syntax", "/a", 11),
    "a string that is not closed": (b'["ab', "json-syntax", "/0", 1),
    "an unknown escape": (b'["\\x41"]', "json-syntax", "/0", 2),
    "a short \\u": (b'["\\u12"]', "json-syntax", "/0", 2),
    "a short \\u as the low half": (b'["\\ud83d\\u12"]', "json-syntax", "/0", 8),
    "a word cut short": (b"[tru]", "json-syntax", "/0", 1),
    "a word in capitals": (b"[True]", "json-syntax", "/0", 1),
    "a no-break space": (b"[1,\xc2\xa02]", "json-syntax", "/1", 3),
    "a form feed": (b"[1,\x0c2]", "json-syntax", "/1", 3),
}


@pytest.mark.parametrize(("text", "code", "pointer", "offset"), REFUSED.values(), ids=REFUSED)
def test_refused(text, code, pointer, offset):
    for profile in ("jcs", "as-stored"):
        for act in (canonical_json, canonical_digest):
            with pytest.raises(JsonError) as caught:
                act(text, profile)
            refusal = caught.value
            found = (refusal.code, refusal.pointer, refusal.details["offset"])
            assert found == (code, pointer, offset)


@pytest.mark.parametrize("text", [text for text, *_ in REFUSED.values()], ids=REFUSED)
def test_refused_as_another_type_of_bytes_too(text):
    def refusal_of(document):
        with pytest.raises(JsonError) as caught:
            canonical_json(document)
        return caught.value.code, caught.value.pointer, caught.value.details

    assert refusal_of(bytearray(text)) == refusal_of(memoryview(text)) == refusal_of(text)


ACCEPTED = {
    "2^53": (b"9007199254740992", b"9007199254740992"),
    "2^53 + 2": (b"9007199254740994", b"9007199254740994"),
    "2^53 + 1 as a decimal fraction": (b"9007199254740993.0", b"9007199254740992"),
    "1e20 in digits": (b"1" + b"0" * 20, b"1" + b"0" * 20),
    "-1e20 in digits": (b"-1" + b"0" * 20, b"-1" + b"0" * 20),
    "the largest double": (b"1.7976931348623157e308", b"1.7976931348623157e+308"),
    "the smallest double": (b"4.9e-324", b"5e-324"),
    "less than the smallest": (b"1e-400", b"0"),
    "1e21": (b"1E21", b"1e+21"),
    "1e-7": (b"0.0000001", b"1e-7"),
    "trailing zeros": (b"-1.500e2", b"-150"),
    "DEL and U+2028 as they are": (b'"\x7f\xe2\x80\xa8"', b'"\x7f\xe2\x80\xa8"'),
    "controls in lower case": (b'"\\u001F\\u0008\\u000b"', b'"\\u001f\\b\\u000b"'),
    "an escaped pair": (b'"\\uD83D\\uDE00"', b'"\xf0\x9f\x98\x80"'),
    "an escaped NUL": (b'["\\u0000"]', b'["\\u0000"]'),
    "an escaped byte order mark": (b'"\\ufeff"', b'"\xef\xbb\xbf"'),
    "noncharacters": (b'"\\uffff\\ufdd0"', b'"\xef\xbf\xbf\xef\xb7\x90"'),
    "white space around": (b"\r\n\t [ ]\n", b"[]"),
    "names that differ in case": (b'{"a":1,"A":2}', b'{"A":2,"a":1}'),
    "names that only look alike": (
        b'{"\xc3\xa9":1,"e\xcc\x81":2}',
        b'{"e\xcc\x81":2,"\xc3\xa9":1}',
    ),
}


@pytest.mark.parametrize(("text", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text, expected):
    assert canonical_json(text) == canonical_json(text, lossless=True) == expected
    assert canonical_json(expected) == expected


@pytest.mark.parametrize("zero", ["-0", "-0.0", "-0e5", "-0.000E-3", "-1e-400"])
def test_negative_zero_in_both_modes(zero):
    assert canonical_json(f"[{zero}]") == b"[0]"
    with pytest.raises(JsonError) as caught:
        canonical_json(f'{{"a":[1,{zero}]}}', lossless=True)
    refusal = caught.value
    assert (refusal.code, refusal.pointer) == ("json-negative-zero", "/a/1")
    assert refusal.details == {"offset": 8}
    with pytest.raises(JsonError, match="json-negative-zero"):
        canonical_digest(zero, lossless=True)


def nested(depth, opening=b"[", closing=b"]", kernel=b""):
    return opening * depth + kernel + closing * depth


@pytest.mark.parametrize(
    ("opening", "closing", "step"), [(b"[", b"]", "/0"), (b'{"a":', b"}", "/a")]
)
def test_depth_is_bounded(opening, closing, step):
    kernel = b"" if opening == b"[" else b"0"
    deepest = nested(128, opening, closing, kernel)
    assert canonical_json(deepest) == deepest
    for depth in (129, 100_000):
        with pytest.raises(JsonError) as caught:
            canonical_json(nested(depth, opening, closing, kernel))
        refusal = caught.value
        assert (refusal.code, refusal.pointer) == ("json-depth", step * 128)
        assert refusal.details["offset"] == 128 * len(opening)


def test_depth_counts_what_is_open_and_not_what_was():
    assert canonical_json(b"[" + b"[],{}," * 500 + nested(127) + b"]")
    with pytest.raises(JsonError) as caught:
        canonical_json(b"[[],{}," + nested(128) + b"]")
    assert caught.value.pointer == "/2" + "/0" * 127


def test_a_text_over_its_cap_is_not_read():
    text = b'{"a":"\xff"}'
    with pytest.raises(JsonError, match="json-encoding"):
        canonical_json(text, max_bytes=len(text))
    for act in (canonical_json, canonical_digest):
        with pytest.raises(JsonError) as caught:
            act(text, max_bytes=len(text) - 1)
        refusal = caught.value
        assert (refusal.code, refusal.pointer) == ("json-size", "")
        assert refusal.details["offset"] == len(text) - 1


def test_the_cap_itself_has_bounds():
    ceiling = limits.BUNDLE.ceiling
    assert canonical_json("{}", max_bytes=ceiling) == b"{}"
    for cap in (0, -1, ceiling + 1):
        with pytest.raises(ValueError, match="cap"):
            canonical_json("{}", max_bytes=cap)
    for cap in (True, 1.5, "9"):
        with pytest.raises(TypeError, match="cap"):
            canonical_json("{}", max_bytes=cap)
