"""What the property tests draw from: JSON values, their spellings, and damage to both.

Pools are small and sharp. A large pool of dull values finds less: names must meet, values must be
equal now and then, and every character here is one that some step treats apart.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tests.reference.canonical import Refused
from tests.reference.number import number_text

from survey_fast.errors import SurveyError

Json = Any

# Controls, what JSON escapes, both ends of each length of UTF-8, and the code points around which
# the orders by code point and by UTF-16 unit part.
CHARACTERS = (
    '\x00\x01\x08\t\n\x0b\x0c\r\x1f "$+-./0129:@AZ\\_`az{|}~\x7f\x80\u00e9\u0301\u05d0\u07ff\u0800'
    "\u2028\ud7ff\ue000\ufeff\uff5e\uffff\U00010000\U0001f600\U0003ffff\U00040000\U000e0100\U0010ffff"
)
ASCII = "".join(character for character in CHARACTERS if " " <= character <= "~")

texts = st.text(CHARACTERS, max_size=8) | st.text(max_size=20)
names = st.text(CHARACTERS, max_size=3)
portable_names = st.text(ASCII, max_size=3) | st.sampled_from(
    ["candidates", "candidateSetStatus", "0", "10", "9", "007", "4294967294", "4294967295"]
)
safe_integers = st.integers(-(2**53) + 1, 2**53 - 1) | st.integers(-9, 9)
finite_floats = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [1e20, 1e21, 1e22, 1e-6, 1e-7, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2.0**53, 2.0**63]
)
scalars = st.none() | st.booleans() | safe_integers | finite_floats | texts


def values(of_names: SearchStrategy[str] = names) -> SearchStrategy[Json]:
    """Any JSON value, with members named from ``of_names``."""
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(of_names, inner, max_size=5),
        max_leaves=16,
    )


def fewer(divisor: int) -> settings:
    """A share of the profile's examples, for what costs more than most."""
    return settings(max_examples=max(5, settings().max_examples // divisor))


def outcome(act: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The answer, or the code of the refusal of either side."""
    try:
        return act(*arguments, **options)
    except (SurveyError, Refused) as refusal:
        return f"refused: {refusal.code}"


# Spelling

SPACES = ("", "", "", " ", "\n", "\t", "\r\n", "    ")


def respelled(value: Json, seed: int) -> bytes:
    """One of the texts of ``value``: other order, spacing, escapes and spelling of numbers."""
    return _spell(value, Random(seed)).encode()


def shuffled(value: Json, seed: int) -> Json:
    """The same data with the members of each object in another order."""
    return json.loads(respelled(value, seed))


def _spell(value: Json, chance: Random) -> str:
    def space() -> str:
        return chance.choice(SPACES)

    if isinstance(value, str):
        return _spell_text(value, chance)
    if isinstance(value, list):
        inside = [f"{space()}{_spell(one, chance)}{space()}" for one in value]
        return f"[{','.join(inside) or space()}]"
    if isinstance(value, dict):
        members = list(value.items())
        chance.shuffle(members)
        inside = [
            f"{space()}{_spell_text(name, chance)}{space()}:{space()}{_spell(one, chance)}{space()}"
            for name, one in members
        ]
        return f"{{{','.join(inside) or space()}}}"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return _spell_number(value, chance)


def _spell_text(text: str, chance: Random) -> str:
    plain = json.dumps(text, ensure_ascii=chance.random() < 0.3)
    if "\\" in plain or chance.random() < 0.7:
        return plain
    return plain.replace("/", "\\/").replace("a", "\\u0061").replace("z", "\\u007A")


def _spell_number(value: float, chance: Random) -> str:
    plain = number_text(float(value))
    if "e" in plain or chance.random() < 0.6:
        return plain.replace("e", chance.choice("eE"))
    if "." in plain:
        return plain + "0" * chance.randrange(3)
    return plain + chance.choice((".0", "e0", "E+00", ".00e-0"))


# Damage

Place = tuple[Any, Any]


def places(value: Json) -> Iterator[Place]:
    """Every container with each of its keys."""
    steps = value if isinstance(value, dict) else range(len(value))
    for step in steps:
        yield value, step
        if isinstance(value[step], dict | list):
            yield from places(value[step])


def containers(value: Json) -> Iterator[Json]:
    yield value
    for holder, step in places(value):
        if isinstance(holder[step], dict | list):
            yield holder[step]


@st.composite
def damaged(draw: st.DrawFn, value: Json, inserts: SearchStrategy[Json] = scalars) -> Json:
    """A copy with one member deleted, replaced, inserted, moved or taken from elsewhere."""
    copied = copy.deepcopy(value)
    holder, step = draw(st.sampled_from(list(places(copied))))
    act = draw(st.sampled_from(["delete", "replace", "transplant", "insert", "repeat"]))
    if act == "delete":
        del holder[step]
    elif act == "replace":
        holder[step] = draw(inserts)
    elif act == "transplant":
        other, place = draw(st.sampled_from(list(places(value))))
        holder[step] = copy.deepcopy(other[place])
    else:
        target = draw(st.sampled_from(list(containers(copied))))
        new = copy.deepcopy(holder[step]) if act == "repeat" else draw(inserts)
        if isinstance(target, list):
            target.insert(draw(st.integers(0, len(target))), new)
        else:
            name = step if isinstance(step, str) and act == "repeat" else draw(portable_names)
            target[name] = new
    return copied


@st.composite
def damaged_bytes(draw: st.DrawFn, text: bytes) -> bytes:
    """The text with one bit turned over, or one stretch deleted, repeated or put in."""
    start = draw(st.integers(0, max(0, len(text) - 1)))
    end = min(len(text), start + draw(st.integers(1, 12)))
    act = draw(st.sampled_from(["flip", "delete", "repeat", "insert", "cut"]))
    if act == "flip" and text:
        turned = text[start] ^ (1 << draw(st.integers(0, 7)))
        return text[:start] + bytes([turned]) + text[start + 1 :]
    if act == "delete":
        return text[:start] + text[end:]
    if act == "repeat":
        return text[:end] + text[start:]
    if act == "cut":
        return text[:start]
    return text[:start] + draw(st.binary(max_size=3) | st.sampled_from(FRAGMENTS)) + text[start:]


FRAGMENTS = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"-", b".", b"e", b"0", b" "),
    *(
        b"\\ud800",
        b"\\u0000",
        b"1e400",
        b"-0",
        b"NaN",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xf4\x90",
    ),
    *(b"9007199254740993", b"null", b"\x00", b'{"a":1,"a":2}', b"[" * 130),
)
soups = st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=2), max_size=12).map(b"".join)
any_bytes = st.binary(max_size=40) | soups | values().map(lambda value: respelled(value, 7))
