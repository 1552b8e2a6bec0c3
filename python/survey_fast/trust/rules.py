"""What may stand in one place of a bundle: a quick test, and a slow explanation of its failure.

A rule says in one call whether a value holds. Only when it does not is the value walked again,
member by member in the order of the table, to find the first fault and where it stands. Both
come from one table, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, TypeAlias

from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.instants import is_date_time

__all__ = [
    "ABSENT",
    "ANYTHING",
    "BOOLEAN",
    "INTEGER",
    "NUMBER",
    "OBJECT",
    "STRING",
    "TEXT",
    "TIME",
    "Rule",
    "arrays",
    "at_least",
    "closed",
    "leaf",
    "step",
    "words",
]

Holds: TypeAlias = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A test, and the refusal for a value that fails it (or for ``ABSENT``) at a pointer.

    Attributes:
        holds: the test.
        explain: makes the refusal.
        allowed: the strings that hold, where these are a closed set and nothing else holds.
    """

    holds: Holds
    explain: Callable[[Any, str], SurveyError]
    allowed: frozenset[str] | None = None


ABSENT: Final = object()
"""Stands for a member that is not there."""


def step(name: str) -> str:
    """A member name as one step of a pointer."""
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def leaf(code: str, message: str, holds: Holds) -> Rule:
    """A value without parts; ``null`` is refused as such."""

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        return _null(pointer) if value is None else refusal(code, message, pointer)

    return Rule(holds, explain)


def words(*allowed: str) -> Rule:
    """One of a closed set of words."""
    known = frozenset(allowed)
    listed = ", ".join(allowed)
    rule = leaf(
        "bad-enum",
        f"one of {listed} belongs here",
        lambda value: isinstance(value, str) and value in known,
    )
    return Rule(rule.holds, rule.explain, known)


def at_least(least: int, *, whole: bool) -> Rule:
    """A number that is not less than ``least``, and perhaps an integer."""
    number = INTEGER if whole else NUMBER
    kind = "an integer" if whole else "a number"
    return leaf(
        "bad-number",
        f"{kind} of {least} or more belongs here",
        lambda value: number.holds(value) and value >= least,
    )


def arrays(entry: Rule, least: int = 0, most: int | None = None) -> Rule:
    """An array whose elements all hold."""
    test = entry.holds
    amount = "an array" if most is None else f"an array of {most}"
    message = f"{amount} belongs here" if not least or most else f"{least} or more belong here"

    def is_array(value: object) -> bool:
        if not isinstance(value, list) or len(value) < least:
            return False
        return most is None or len(value) <= most

    def holds(value: Any) -> bool:  # noqa: ANN401 - plain data
        if not is_array(value):
            return False
        # A loop, because all() would make a generator for each of very many short arrays.
        for one in value:  # noqa: SIM110
            if not test(one):
                return False
        return True

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        if value is None:
            return _null(pointer)
        if not is_array(value):
            return refusal("missing-array", message, pointer)
        at, one = next((at, one) for at, one in enumerate(value) if not test(one))
        return entry.explain(one, f"{pointer}/{at}")

    return Rule(holds, explain)


def closed(members: Mapping[str, Rule], required: Collection[str] = ()) -> Rule:
    """An object with these members and no others; faults are found in the order of ``members``."""
    tests = {name: rule.holds for name, rule in members.items()}
    test_of = tests.get
    # Most members are text or words. Judged here, they cost no call.
    texts = frozenset(name for name, rule in members.items() if rule.holds is _is_text)
    words_of = {name: rule.allowed for name, rule in members.items() if rule.allowed}
    no_words: frozenset[str] = frozenset()
    needed = frozenset(required)

    def holds(value: object) -> bool:
        if not isinstance(value, dict):
            return False
        for name, member in value.items():
            if member.__class__ is str and (
                (name in texts and member) or member in words_of.get(name, no_words)
            ):
                continue
            test = test_of(name)
            if test is None or not test(member):
                return False
        return needed <= value.keys()

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        if not isinstance(value, dict):
            return OBJECT.explain(value, pointer)
        for name in value:
            if name not in members:
                message = "a member that does not belong here"
                return refusal("unknown-member", message, f"{pointer}{step(name)}")
        faulty = (
            name
            for name, test in tests.items()
            if (not test(value[name]) if name in value else name in needed)
        )
        name = next(faulty)
        return members[name].explain(value.get(name, ABSENT), f"{pointer}/{name}")

    return Rule(holds, explain)


def _null(pointer: str) -> SurveyError:
    message = "null stands for no value; leave the member out"
    return refusal("null-member", message, pointer)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_number(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    # An integer that no double holds is another number on the other side.
    return -_SAFE <= value <= _SAFE or (value.bit_length() < _LARGEST and float(value) == value)


def _is_integer(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or float.is_integer(value))  # type: ignore[arg-type]


_SAFE: Final = 2**53
_LARGEST: Final = 1024
"""Bits of an integer that is beyond every double."""

ANYTHING: Final = Rule(
    lambda _: True,
    lambda _, pointer: refusal("bad-type", "a value is required here; null is one", pointer),
)
TEXT: Final = leaf(
    "missing-string",
    "a string that is not empty belongs here",
    _is_text,
)
STRING: Final = leaf(
    "missing-string", "a string belongs here", lambda value: isinstance(value, str)
)
"""A text that may be empty."""
TIME: Final = leaf(
    "bad-time",
    "an instant with a date that exists, a time and a zone belongs here",
    is_date_time,
)
OBJECT: Final = leaf("bad-type", "an object belongs here", lambda value: isinstance(value, dict))
BOOLEAN: Final = leaf(
    "bad-type", "true or false belongs here", lambda value: isinstance(value, bool)
)
NUMBER: Final = leaf("bad-number", "a number belongs here", _is_number)
INTEGER: Final = leaf("bad-number", "an integer belongs here", _is_integer)
