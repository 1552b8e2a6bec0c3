"""What may stand in one place of a bundle: a quick test, and a slow explanation of its failure.

A rule says in one call of the core whether a value holds. Only when it does not is the value walked
again, member by member in the order of the table, to find the first fault and where it stands. Both
come from one table, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from survey_fast._core import Shape
from survey_fast.canon import data_json
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
    "fault",
    "leaf",
    "opened",
    "require_all",
    "step",
    "words",
]

Holds: TypeAlias = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A test, and the refusal for a value that fails it (or for ``ABSENT``) at a pointer.

    Attributes:
        shape: what the core judges by.
        explain: makes the refusal.
        members: of an object, the rule of each member.
        required: of an object, the members that have to be there.
        holds: the test of ``shape``.
    """

    shape: Shape
    explain: Callable[[Any, str], SurveyError]
    members: Mapping[str, Rule] = field(default_factory=dict)
    required: Sequence[str] = ()
    holds: Holds = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "holds", self.shape.holds)


ABSENT: Final = object()
"""Stands for a member that is not there."""


def step(name: str) -> str:
    """A member name as one step of a pointer."""
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def leaf(code: str, message: str, holds: Holds | Shape) -> Rule:
    """A value without parts; ``null`` is refused as such."""

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        return _null(pointer) if value is None else refusal(code, message, pointer)

    return Rule(holds if isinstance(holds, Shape) else Shape.tested(holds), explain)


def words(*allowed: str) -> Rule:
    """One of a closed set of words."""
    message = f"one of {', '.join(allowed)} belongs here"
    return leaf("bad-enum", message, Shape.words(list(allowed)))


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
    limits = (least,) if most is None else (least, most)
    amount = "an array" if most is None else f"an array of {most}"
    message = f"{amount} belongs here" if not least or most else f"{least} or more belong here"

    def is_array(value: object) -> bool:
        if not isinstance(value, list) or len(value) < least:
            return False
        return most is None or len(value) <= most

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        if value is None:
            return _null(pointer)
        if not is_array(value):
            return refusal("missing-array", message, pointer)
        at, one = next((at, one) for at, one in enumerate(value) if not entry.holds(one))
        return entry.explain(one, f"{pointer}/{at}")

    return Rule(Shape.array(entry.shape, *limits), explain)


def closed(members: Mapping[str, Rule], required: Sequence[str] = ()) -> Rule:
    """An object with these members and no others; faults are found in the order of ``members``."""
    return _record(members, required, is_open=False)


def opened(members: Mapping[str, Rule], required: Sequence[str] = ()) -> Rule:
    """An object of which only these members are read; others are not looked at."""
    return _record(members, required, is_open=True)


def _record(members: Mapping[str, Rule], required: Sequence[str], *, is_open: bool) -> Rule:
    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        if not isinstance(value, dict):
            return OBJECT.explain(value, pointer)
        for name in () if is_open else value:
            if name not in members:
                message = "a member that does not belong here"
                return refusal("unknown-member", message, f"{pointer}{step(name)}")
        faulty = (
            name
            for name, rule in members.items()
            if (not rule.holds(value[name]) if name in value else name in required)
        )
        name = next(faulty)
        return members[name].explain(value.get(name, ABSENT), f"{pointer}/{name}")

    shapes = [(name, rule.shape) for name, rule in members.items()]
    return Rule(Shape.record(shapes, list(required), is_open), explain, members, required)


def require_all(rule: Rule, rows: Sequence[Any], place: str) -> None:
    """Refuse the first of some records that does not hold.

    Raises:
        SurveyError: with a pointer that starts at ``place``.
        TypeError: a record that is no plain data.
    """
    if rule.shape.holds_all(rows if isinstance(rows, list) else list(rows)):
        return
    at, row = next((at, row) for at, row in enumerate(rows) if not rule.holds(row))
    raise fault(rule, row, f"{place}/{at}")


def fault(rule: Rule, row: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
    """Why a record does not hold, which it does not. Raises TypeError for no plain data."""
    with suppress(SurveyError):
        data_json(row)
    return rule.explain(row, pointer)


def _null(pointer: str) -> SurveyError:
    message = "null stands for no value; leave the member out"
    return refusal("null-member", message, pointer)


def _is_double(value: int) -> bool:
    """Whether a double holds an integer: of one that none holds, the other side sees another."""
    return value.bit_length() < _LARGEST and float(value) == value


def _is_integer(value: object) -> bool:
    return NUMBER.holds(value) and (isinstance(value, int) or float.is_integer(value))  # type: ignore[arg-type]


_LARGEST: Final = 1024
"""Bits of an integer that is beyond every double."""

ANYTHING: Final = Rule(
    Shape.anything(),
    lambda _, pointer: refusal("bad-type", "a value is required here; null is one", pointer),
)
TEXT: Final = leaf(
    "missing-string",
    "a string that is not empty belongs here",
    Shape.text(),
)
STRING: Final = leaf("missing-string", "a string belongs here", Shape.string())
"""A text that may be empty."""
TIME: Final = leaf(
    "bad-time",
    "an instant with a date that exists, a time and a zone belongs here",
    Shape.time(is_date_time),
)
OBJECT: Final = leaf("bad-type", "an object belongs here", Shape.object())
BOOLEAN: Final = leaf("bad-type", "true or false belongs here", Shape.boolean())
NUMBER: Final = leaf("bad-number", "a number belongs here", Shape.number(_is_double))
INTEGER: Final = leaf("bad-number", "an integer belongs here", _is_integer)
