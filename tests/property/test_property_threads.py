"""Several threads give the bytes, or the refusal, of one.

A large array is cut where its elements seem to start. These documents are made to mislead that:
elements that look like their own inside, text that looks like elements, faults and repeated names
before, in and behind the array, members in any order, white space anywhere.
"""

import json
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.strategies import fewer

from survey_fast import _core
from survey_fast.errors import SurveyError

CAP = 1 << 30
LEAST = 300 * 1024
COUNTS = (2, 3, 8)


def answer(act, *arguments):
    try:
        return act(*arguments)
    except SurveyError as refusal:
        return refusal.code, refusal.pointer, refusal.details


def judged(text, profile="jcs", *, lossless=False):
    """The answer of one thread, which those of several have to equal."""
    alone = answer(_core.canonical_json, text, profile, lossless, CAP, 1)
    digest = answer(_core.canonical_digest, text, profile, lossless, CAP, 1)
    if isinstance(alone, bytes):
        assert digest == _core.sha256_hex(alone)
    for threads in COUNTS:
        assert answer(_core.canonical_json, text, profile, lossless, CAP, threads) == alone
        assert answer(_core.canonical_digest, text, profile, lossless, CAP, threads) == digest
    return alone


# Elements; # is the number of each.

ELEMENTS = {
    "objects": '{"kind":"a long beginning","n":#,"text":"x"}',
    "members out of order": '{"kind":"a long beginning","b":#,"a":[{"z":1,"y":2}]}',
    "spelled otherwise": '{ "kind" : "a long beginning","\\u006e":#.0,"e":1E2 }',
    "objects in objects": '{"kind":[{"kind":[{"kind":[#,{"kind":[]}]}]}]}',
    "siblings inside": '{"k":[{"k":[0]},{"k":[0]},{"k":[0]},{"k":[#]}, {"k":[0]}]}',
    "arrays in arrays": "[[1],[1],[1],[1],[1],[#],[[1],[1],[1]]]",
    "numbers": "1,1,1,1,1,1,1,1,#",
    "numbers in text": '1,1,1,1,1,1,1,1,1,"1,1,1,1,1,1,1,1,1,1,1,1,#"',
    "commas in quotes": '",",",",",",","',
    "quotes in text": '"},{\\"kind\\":\\"a long beginning\\",",{"kind":"a long","n":#}',
    "empty": "{},[],{},[],{}",
    "words": "true,false,null",
    "long text": '{"kind":"a long beginning' + "x" * 3000 + '","n":#}',
    "wide text": '{"kind":"\U0001f600\u00e9\uffff","\U00040000":#,"\uffff":1}',
    "members in order": '{"a":#,"b":{"a":"x","b":[]}}',
}
# What an element is replaced with.
FAULTS = (
    *('{"a":1,"a":2}', '{"b":1,"a":2,"b":3}', "01", "1e400", '"\\ud800"', "[1,]", "]", "}", ","),
    *(
        '"\x00"',
        "[" * 130,
        '"',
        "9007199254740993",
        "-0",
        "NaN",
        "",
        '{"kind":"a long beginning",}',
    ),
)
SEPARATORS = (",", ",", ", ", " ,\n\t", "\n\n,")
# Documents; @ is the array.
FRAMES = (
    "@",
    '{"z":1,"items":@,"a":2}',
    '{"items":@,"b":{"d":1,"c":2},"a":{"y":0,"x":[]}}',
    '{"z":{"y":{"x":@,"w":0},"a":0},"b":[1,2]}',
    ' [ 0 , @ , {"b":1,"a":2} ] ',
    '{"items":@,"more":@,"a":[@]}',
    '{"b":"{\\"kind\\":\\"a long beginning\\"","a":@,"\\u0063":1}',
    '{"items":@,"b":1,"items":2}',
    '{"items":@,"b":1,"a":2,"b":3}',
    '{"items":@,"b":1e400}',
    '{"items":@} x',
    '{"items":@',
    '{"a":-0,"items":@,"b":"\\udc00"}',
)


def document(element, frame, seed, fault=None):
    """A document over the least size; ``fault`` is what to put where, from 0 to 1."""
    chance = Random(seed)
    template = ELEMENTS[element]
    # Mostly two or three chunks, now and then enough to go round eight threads.
    size = LEAST * (9 if seed % 10 == 9 else 1)
    parts = [template.replace("#", str(n)) for n in range(size // len(template) + 1)]
    if fault is not None:
        what, where = fault
        parts[min(len(parts) - 1, int(where * len(parts)))] = what
    opening, closing = chance.choice(("[", "[ ", "[\n")), chance.choice(("]", " ]"))
    array = opening + chance.choice(SEPARATORS).join(parts) + closing
    return frame.replace("@", array).encode()


elements = st.sampled_from(list(ELEMENTS))
frames = st.sampled_from(FRAMES)
seeds = st.integers(0, 99)
faults = st.tuples(st.sampled_from(FAULTS), st.floats(0, 1))


@given(elements, frames, seeds, st.sampled_from(["jcs", "collated", "as-stored"]))
def test_documents_made_to_mislead(element, frame, seed, profile):
    text = document(element, frame, seed)
    written = judged(text, profile)
    if isinstance(written, bytes):
        assert json.loads(written) == json.loads(text)
        assert judged(written, profile) == written


@given(elements, frames, seeds, faults)
@example("objects", "@", 0, ('{"a":1,"a":2}', 1.0))
@example("numbers", FRAMES[1], 0, ("1e400", 0.999))
def test_documents_with_a_fault(element, frame, seed, fault):
    judged(document(element, frame, seed, fault), lossless=seed % 2 == 0)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("frame", range(len(FRAMES)))
def test_every_frame_with_every_element(element, frame):
    judged(document(element, FRAMES[frame], frame))


ENDS = st.sampled_from([b"", b"]", b"}", b'"', b"\xff", b"\\"])


@given(elements, seeds, st.integers(0, 400), ENDS)
@fewer(2)
def test_documents_cut_off(element, seed, short, end):
    text = document(element, FRAMES[1], seed)
    judged(text[: len(text) - short] + end)


@given(elements, seeds, st.integers(0, LEAST), st.integers(0, 7))
@fewer(2)
def test_documents_with_a_bit_turned_over(element, seed, place, bit):
    text = bytearray(document(element, FRAMES[1], seed))
    text[place] ^= 1 << bit
    judged(bytes(text))


def test_a_document_of_one_long_string_and_one_long_name():
    long = "x" * (2 * LEAST)
    space = " " * LEAST
    for text in (f'["{long}"]', f'{{"{long}":1,"a":[2]}}', f"[{space}1]", f"[1{space}]"):
        assert isinstance(judged(text.encode()), bytes)


def test_a_large_array_of_small_arrays():
    # Looking for a place to cut costs something at every array, and there are many here.
    text = f"[{','.join(f'[{number}]' for number in range(150_000))}]".encode()
    assert judged(text) == text
