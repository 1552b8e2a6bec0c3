"""Shapes of many records at once: judged column by column, explained record by record.

The members of ten thousand records repeat: the same names in the same order, the same kinds,
times and references. Records are therefore grouped by the members they have, each group is cut
into columns, and a rule looks at the distinct values of a column. Whether a shape holds is decided
here; where it does not, the records are walked one by one under the very same rules to find the
first fault, and these have the last word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from operator import itemgetter
from typing import Any, TypeAlias

from survey_fast.canon import data_json
from survey_fast.errors import SurveyError
from survey_fast.trust.rules import (
    ANYTHING,
    NUMBER,
    OBJECT,
    STRING,
    TEXT,
    Rule,
    arrays,
    closed,
)

__all__ = ["Listed", "Member", "Table", "fault", "many", "require_all"]

Rows: TypeAlias = Sequence[Any]


@dataclass(frozen=True)
class Table:
    """The shape of one kind of record.

    Attributes:
        members: what each member has to be, in the order in which faults are looked for.
        required: members that have to be there.
        is_open: whether there may be others, which are not looked at.
    """

    members: Mapping[str, Member]
    required: Sequence[str]
    is_open: bool = False
    rule: Rule = field(init=False)
    _known: frozenset[str] = field(init=False)
    _judged: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        rules = {name: _rule(member) for name, member in self.members.items()}
        make = _opened if self.is_open else closed
        object.__setattr__(self, "rule", make(rules, self.required))
        object.__setattr__(self, "_known", frozenset(self.members))
        judged = {name for name, member in self.members.items() if member is not ANYTHING}
        object.__setattr__(self, "_judged", frozenset(judged))

    def holds_all(self, rows: Rows) -> bool:
        """Whether every row is an object of this shape."""
        if not rows:
            return True
        if set(map(type, rows)) != {dict}:
            return False
        needed = set(self.required)
        columns: dict[str, list[Any]] = {}
        for names, cut in _columns(rows):
            if not needed.issubset(names) or not (self.is_open or self._known.issuperset(names)):
                return False
            for name, column in zip(names, cut, strict=True):
                if name in self._judged:
                    columns.setdefault(name, []).extend(column)
        return all(_column_holds(self.members[name], column) for name, column in columns.items())


def _columns(rows: Rows) -> Iterator[tuple[tuple[Any, ...], Rows]]:
    """For every make of row its members and, for each of them, the values in all such rows."""
    first = tuple(rows[0])
    cut = None
    if set(map(len, rows)) == {len(first)}:
        # As many members as the first row, and all of the first row's: then it is of its make.
        with suppress(KeyError):
            cut = _cut(first, rows)
    if cut is not None:
        yield first, cut
        return
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        groups.setdefault(tuple(row), []).append(row)
    for names, group in groups.items():
        yield names, _cut(names, group)


def _cut(names: tuple[Any, ...], rows: Rows) -> Rows:
    """The columns of rows of one make. Each row is visited once, which is what takes the time."""
    if not names:
        return ()
    # With one name alone a getter returns the value and no tuple.
    return list(zip(*map(itemgetter(*names, names[0]), rows), strict=True))[:-1]


@dataclass(frozen=True)
class Listed:
    """An array of records of one shape."""

    table: Table
    least: int = 0


Member: TypeAlias = "Rule | Table | Listed"


def _rule(member: Member) -> Rule:
    if isinstance(member, Table):
        return member.rule
    if isinstance(member, Listed):
        return arrays(member.table.rule, member.least)
    return member


def _column_holds(member: Member, column: Rows) -> bool:
    if isinstance(member, Table):
        return member.holds_all(column)
    types = set(map(type, column))
    if isinstance(member, Listed):
        if types != {list} or (member.least and not all(column)):
            return False
        return member.table.holds_all(list(chain.from_iterable(column)))
    if len(types) == 1:
        known = _column_of_one_type(member, column, types.pop())
        if known is not None:
            return known
    return all(map(member.holds, column))


def _column_of_one_type(member: Rule, column: Rows, kind: type) -> bool | None:
    """Whether a rule holds for values of one type, where that is said sooner than one by one."""
    if kind is not str:
        if kind is float and member is NUMBER:
            return all(map(isfinite, column))
        return True if kind is dict and member is OBJECT else None
    if member is STRING:
        return True
    if member is TEXT:
        return "" not in column
    if member.allowed is not None:
        return member.allowed.issuperset(column)
    # Texts that are equal are one to every rule. Numbers are not: true equals 1.
    return all(map(member.holds, set(column)))


def many(table: Table) -> Rule:
    """An array of very many records of one shape."""
    each = arrays(table.rule)

    def holds(value: object) -> bool:
        return isinstance(value, list) and (table.holds_all(value) or each.holds(value))

    return Rule(holds, each.explain)


def require_all(table: Table, rows: Rows, place: str) -> None:
    """Refuse the first of some records that is not of a shape.

    Raises:
        SurveyError: with a pointer that starts at ``place``.
        TypeError: a record that is no plain data.
    """
    if table.holds_all(rows):
        return
    holds = table.rule.holds
    for at, row in enumerate(rows):
        if not holds(row):
            raise fault(table, row, f"{place}/{at}")


def fault(table: Table, row: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
    """Why a record is not of a shape, which it is not. Raises TypeError for no plain data."""
    with suppress(SurveyError):
        data_json(row)
    return table.rule.explain(row, pointer)


def _opened(members: Mapping[str, Rule], required: Sequence[str]) -> Rule:
    """An object of which only these members are read."""
    known = closed(members, required)

    def read(value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {name: value[name] for name in members if name in value}

    def explain(value: Any, pointer: str) -> SurveyError:  # noqa: ANN401 - plain data
        return known.explain(read(value), pointer)

    return Rule(lambda value: known.holds(read(value)), explain)
