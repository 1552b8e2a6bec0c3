"""Reading a pattern of the linear language into its parts; see the module ``linear``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

__all__ = [
    "NOTHING",
    "SPECIAL",
    "CharacterSet",
    "Group",
    "Part",
    "PatternFaultError",
    "PatternReader",
    "Single",
    "beginning",
]

_REPEATS: Final = 1000
_ASCII: Final = 128
_SPACES: Final = "\t\n\v\f\r "
_WIDE_SPACES: Final = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_DIGITS: Final = "0-9"
_WORDS: Final = "A-Za-z0-9_"
_CLASSES: Final = {"d": _DIGITS, "w": _WORDS, "s": _SPACES + _WIDE_SPACES}
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
SPECIAL: Final = frozenset("\\.^$*+?{}[]()|")


class PatternFaultError(Exception):
    """A pattern is outside the language; the text says where and why."""


CharacterSet: TypeAlias = frozenset[str]
"""The ASCII characters that may belong, and one that stands for all wide white space, and one
for all other characters."""

_WIDE: Final = "\u00a0"
_OTHER: Final = "\u0100"
NOTHING: Final[CharacterSet] = frozenset()
_ALL: Final[CharacterSet] = frozenset(map(chr, range(_ASCII))) | {_WIDE, _OTHER}


@dataclass(slots=True)
class Single:
    """A character or a set, and how often: ``least`` times to ``most``, or without end."""

    source: str
    shown: str
    members: CharacterSet
    least: int
    most: int | None

    @property
    def is_fixed(self) -> bool:
        """Whether it takes one number of characters only."""
        return self.least == self.most


@dataclass(slots=True)
class Group:
    """Alternatives, each a list of parts, behind the text that opens the group."""

    alternatives: list[list[Part]]
    opening: str
    is_optional: bool = False


Part: TypeAlias = "Single | Group"


def beginning(part: Part) -> tuple[CharacterSet, bool]:
    """What a part may begin with, and whether it may match nothing."""
    if isinstance(part, Single):
        return part.members, part.least == 0
    begin, empty = NOTHING, part.is_optional
    for parts in part.alternatives:
        is_passed = True
        for one in parts:
            found, is_passed = beginning(one)
            begin |= found
            if not is_passed:
                break
        empty = empty or is_passed
    return begin, empty


class PatternReader:
    """Reads a pattern from left to right.

    Attributes:
        has_value: whether a group ``value`` was met.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self.has_value = False

    def alternatives(self, depth: int) -> list[list[Part]]:
        """Everything up to the end of the group, or of the pattern at depth 0."""
        found: list[list[Part]] = [[]]
        while self._at < len(self._pattern) and self._peek() != ")":
            if self._take("|"):
                found.append([])
                continue
            found[-1].append(self._part(depth))
        if depth == 0 and self._at < len(self._pattern):
            raise self._fault("this parenthesis closes nothing")
        return found

    def _part(self, depth: int) -> Part:
        if self._take("("):
            return self._group(depth + 1)
        start = self._at
        source, members = self._single()
        least, most = self._repeats()
        return Single(source, self._pattern[start : self._at], members, least, most)

    def _group(self, depth: int) -> Group:
        if depth > 8:  # noqa: PLR2004 - no readable pattern nests deeper
            raise self._fault("groups are nested too deep")
        opening = "(?:"
        if self._take("?P<value>"):
            if self.has_value:
                raise self._fault("there is one group named value")
            self.has_value, opening = True, "(?P<value>"
        elif not self._take("?:") and self._peek() == "?":
            raise self._fault("of groups with a question mark only (?: and (?P<value> are known")
        group = Group(self.alternatives(depth), opening)
        if not self._take(")"):
            raise self._fault("a group is not closed")
        is_empty = beginning(group)[1]
        group.is_optional = self._take("?")
        if self._peek() in {"*", "+", "{", "?"}:
            raise self._fault("a group is not repeated; repeat a character or a set")
        if is_empty and group.is_optional:
            raise self._fault("an optional group matches something")
        return group

    def _repeats(self) -> tuple[int, int | None]:
        least, most = 1, None
        if self._take("?"):
            least, most = 0, 1
        elif self._take("*"):
            least = 0
        elif self._peek() == "{":
            least, most = self._counted()
        elif not self._take("+"):
            return 1, 1
        if self._peek() in {"*", "+", "?", "{"}:
            raise self._fault("one repetition follows another")
        return least, most

    def _counted(self) -> tuple[int, int | None]:
        found = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{0,4}))?\}").match(self._pattern, self._at)
        if found is None:
            raise self._fault("a repetition is {n}, {n,} or {n,m}")
        self._at = found.end()
        least = int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if least > _REPEATS or (most is not None and not max(1, least) <= most <= _REPEATS):
            message = f"a repetition counts up to {_REPEATS}"
            raise self._fault(message)
        return least, most

    def _single(self) -> tuple[str, CharacterSet]:
        one = self._next()
        if one == ".":
            return r"[^\n]", _ALL - {"\n"}
        if one == "[":
            return self._set()
        if one == "\\":
            return self._escape()
        if one in SPECIAL:
            message = f"{one} has no place here; write \\{one} for the character"
            raise self._fault(message)
        return re.escape(one), _of(one)

    def _escape(self) -> tuple[str, CharacterSet]:
        name = self._next()
        lower = name.lower()
        if lower in _CLASSES:
            members = _class_members(lower)
            if name == lower:
                return f"[{_CLASSES[lower]}]", members
            return f"[^{_CLASSES[lower]}]", _ALL - members
        if name in _CONTROLS:
            return re.escape(_CONTROLS[name]), _of(_CONTROLS[name])
        if name.isalnum():
            raise self._fault("this escape is not known")
        return re.escape(name), _of(name)

    def _set(self) -> tuple[str, CharacterSet]:
        is_opposite = self._take("^")
        source, members, start = "", NOTHING, self._at
        while not self._take("]"):
            part, found = self._member()
            source += part
            members |= found
        if not source:
            raise self._fault("a set holds something")
        if not is_opposite:
            return f"[{source}]", members
        # A set holds all wide white space only as a class, and never all other characters.
        named = {_OTHER} if "\\s" in self._pattern[start : self._at] else {_OTHER, _WIDE}
        return f"[^{source}]", _ALL - (members - named)

    def _member(self) -> tuple[str, CharacterSet]:
        one = self._next()
        if one == "[":
            raise self._fault("a bracket inside a set is written \\[")
        if one == "\\":
            name = self._peek()
            if name in _CLASSES:
                self._at += 1
                return _CLASSES[name], _class_members(name)
            if name.lower() in _CLASSES:
                raise self._fault("an opposite class has no place in a set")
            one = self._character()
        if self._peek() != "-" or self._pattern[self._at + 1 : self._at + 2] in {"", "]"}:
            return re.escape(one), _of(one)
        self._at += 1
        last = self._next()
        last = self._character() if last == "\\" else last
        if last < one:
            raise self._fault("a range runs upwards")
        within = frozenset(map(chr, range(ord(one), min(ord(last) + 1, _ASCII))))
        beyond = {_WIDE, _OTHER} if ord(last) >= _ASCII else NOTHING
        return f"{re.escape(one)}-{re.escape(last)}", within | beyond

    def _character(self) -> str:
        name = self._next()
        if name in _CONTROLS:
            return _CONTROLS[name]
        if name.isalnum():
            raise self._fault("this escape is not known")
        return name

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        if self._at == len(self._pattern):
            raise self._fault("the pattern ends too early")
        self._at += 1
        return self._pattern[self._at - 1]

    def _take(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _fault(self, message: str) -> PatternFaultError:
        return PatternFaultError(f"{message} (character {self._at + 1} of the pattern)")


def _of(one: str) -> CharacterSet:
    if ord(one) < _ASCII:
        return frozenset(one)
    return frozenset(_WIDE if re.match(f"[{_WIDE_SPACES}]", one) else _OTHER)


def _class_members(name: str) -> CharacterSet:
    expression = re.compile(f"[{_CLASSES[name]}]")
    return frozenset(one for one in _ALL if expression.match(one))
