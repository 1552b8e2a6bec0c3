"""Strict reading of JSON bytes.

1. The first offence in reading order is the one reported.
2. The bytes are UTF-8 and do not start with a byte order mark (`json-encoding`); the text keeps to
   RFC 8259 (`json-syntax`).
3. A member name may occur once in an object (`json-duplicate-member`, at the member).
4. Text has no lone surrogate (`json-lone-surrogate`; in a name, the place is the object).
5. A number is a double. Overflow is `json-number-range`, and so is a literal without fraction and
   exponent that ECMAScript would not print back as it was written.
6. Lossless reading also refuses a number whose value is negative zero (`json-negative-zero`).
7. Containers nest at most 128 deep; the place of `json-depth` is the 129th.
"""

from __future__ import annotations

import math
import re

from tests.reference.number import normal, number_text
from tests.reference.refusal import ROOT, Json, Refused, join

MAX_DEPTH = 128
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"-?[0-9]+")
SURROGATE = re.compile("[\ud800-\udfff]")
HEX4 = re.compile(r"[0-9a-fA-F]{4}")
SHORT_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
WORDS: tuple[tuple[str, Json], ...] = (("true", True), ("false", False), ("null", None))


def parse(text: bytes, *, lossless: bool = False) -> Json:
    """Read one JSON document, or refuse it."""
    # A byte that is not UTF-8 becomes a surrogate, which no UTF-8 text can hold.
    decoded = text.decode("utf-8", "surrogateescape")
    if decoded.startswith("\ufeff"):
        raise Refused(ROOT, "json-encoding", "a byte order mark")
    reader = _Reader(decoded, lossless=lossless)
    value = reader.value(ROOT, 1)
    reader.skip_space()
    if reader.at != len(decoded):
        raise reader.unexpected(ROOT, "text after the document")
    return value


class _Reader:
    """One pass over the text; `at` is the next character."""

    def __init__(self, text: str, *, lossless: bool) -> None:
        self.text = text
        self.lossless = lossless
        self.at = 0

    def unexpected(self, pointer: str, message: str) -> Refused:
        """The refusal of the next character."""
        if SURROGATE.match(self.text, self.at):
            return Refused(pointer, "json-encoding", f"no UTF-8 at character {self.at}")
        return Refused(pointer, "json-syntax", f"{message} at character {self.at}")

    def skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def peek(self) -> str:
        """The next character that is not space, or nothing at the end."""
        self.skip_space()
        return self.text[self.at : self.at + 1]

    def take(self, character: str, pointer: str) -> None:
        if self.peek() != character:
            raise self.unexpected(pointer, f"expected {character!r}")
        self.at += 1

    def value(self, pointer: str, depth: int) -> Json:
        """Read one value; `depth` is the depth it has if it is a container."""
        first = self.peek()
        if first in ("{", "[") and depth > MAX_DEPTH:
            raise Refused(pointer, "json-depth", f"more than {MAX_DEPTH} nested containers")
        if first == "{":
            return self.members(pointer, depth)
        if first == "[":
            return self.elements(pointer, depth)
        if first == '"':
            return self.string(pointer)
        for word, meaning in WORDS:
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return meaning
        return self.number(pointer)

    def members(self, pointer: str, depth: int) -> dict[str, Json]:
        result: dict[str, Json] = {}
        self.take("{", pointer)
        if self.peek() == "}":
            self.at += 1
            return result
        while True:
            if self.peek() != '"':
                raise self.unexpected(pointer, "expected a member name")
            name = self.string(pointer)
            place = join(pointer, name)
            if name in result:
                raise Refused(place, "json-duplicate-member", "the name occurs twice")
            self.take(":", place)
            result[name] = self.value(place, depth + 1)
            if self.peek() == "}":
                self.at += 1
                return result
            self.take(",", pointer)

    def elements(self, pointer: str, depth: int) -> list[Json]:
        result: list[Json] = []
        self.take("[", pointer)
        if self.peek() == "]":
            self.at += 1
            return result
        while True:
            result.append(self.value(join(pointer, len(result)), depth + 1))
            if self.peek() == "]":
                self.at += 1
                return result
            self.take(",", pointer)

    def string(self, pointer: str) -> str:
        self.take('"', pointer)
        parts: list[str] = []
        while True:
            character = self.text[self.at : self.at + 1]
            if character < " " or SURROGATE.match(character):
                raise self.unexpected(pointer, "a string is not closed")
            self.at += 1
            if character == '"':
                return "".join(parts)
            parts.append(self.escape(pointer) if character == "\\" else character)

    def escape(self, pointer: str) -> str:
        """Read what follows a backslash."""
        letter = self.text[self.at : self.at + 1]
        if letter in SHORT_ESCAPES:
            self.at += 1
            return SHORT_ESCAPES[letter]
        digits = HEX4.match(self.text, self.at + 1)
        if letter != "u" or digits is None:
            raise Refused(pointer, "json-syntax", "an escape that JSON does not have")
        self.at += 5
        unit = int(digits.group(), 16)
        if not 0xD800 <= unit <= 0xDFFF:
            return chr(unit)
        if unit >= 0xDC00 or not self.text.startswith("\\u", self.at):
            raise Refused(pointer, "json-lone-surrogate", "half of a surrogate pair")
        low = HEX4.match(self.text, self.at + 2)
        if low is None:
            raise Refused(pointer, "json-syntax", "an escape that JSON does not have")
        if not 0xDC00 <= int(low.group(), 16) <= 0xDFFF:
            raise Refused(pointer, "json-lone-surrogate", "half of a surrogate pair")
        self.at += 6
        return chr(0x10000 + ((unit - 0xD800) << 10) + (int(low.group(), 16) - 0xDC00))

    def number(self, pointer: str) -> float:
        literal = NUMBER.match(self.text, self.at)
        if literal is None:
            raise self.unexpected(pointer, "expected a value")
        self.at = literal.end()
        text = literal.group()
        value = float(text)
        if math.isinf(value):
            raise Refused(pointer, "json-number-range", "beyond the largest double")
        if value == 0 and text.startswith("-"):
            if self.lossless:
                raise Refused(pointer, "json-negative-zero", "negative zero")
        elif INTEGER.fullmatch(text) and number_text(value) != text:
            raise Refused(pointer, "json-number-range", "no double holds this integer")
        return normal(value)
