r"""Patterns that are matched in one go: a small regular language in which nothing is tried twice.

Allowed are characters, escapes (``\d \w \s`` and their opposites, ASCII digits and letters,
white space as ECMAScript has it), ``.``, sets, groups with ``|``, the group ``(?P<value>…)``, and
``? * + {m,n}`` behind a single character or set; behind a group only ``?``. ``^`` may stand first
and ``$`` last. There is no nested repetition, no reference, no lookaround.

What is repeated or optional has to end by itself: nothing that it matches may also begin what
follows it. ``[0-9]+ kg`` holds, ``.*kg`` does not. A match from one place therefore never goes
back, and a line of n characters costs n squared steps at the very worst, whatever stands in it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from math import prod
from typing import Final

from survey_fast.extraction.providers.pattern_reader import (
    NOTHING,
    SPECIAL,
    CharacterSet,
    Group,
    Part,
    PatternFaultError,
    PatternReader,
    Single,
    beginning,
)

__all__ = ["LinearPattern", "PatternFaultError", "escaped", "linear_pattern"]

_LONGEST: Final = 512
_WAYS: Final = 16


@dataclass(frozen=True, slots=True)
class LinearPattern:
    """A pattern that holds, ready to be searched with.

    Attributes:
        expression: what is searched with, line by line.
        has_value: whether there is a group ``value``.
    """

    expression: re.Pattern[str]
    has_value: bool


def escaped(text: str) -> str:
    """A pattern that matches exactly ``text``."""
    return "".join(f"\\{one}" if one in SPECIAL else one for one in text)


def linear_pattern(pattern: str) -> LinearPattern:
    """Check and compile a pattern. Raises PatternFaultError."""
    if not 0 < len(pattern) <= _LONGEST:
        message = f"a pattern has 1 to {_LONGEST} characters"
        raise PatternFaultError(message)
    is_anchored, is_ended = pattern.startswith("^"), _ends_with_dollar(pattern)
    reader = PatternReader(pattern[is_anchored : len(pattern) - is_ended])
    parts = reader.alternatives(depth=0)
    whole = Group(parts, "(?:")
    if _ways(whole) > _WAYS:
        message = "too many alternatives begin alike; write what they share before them"
        raise PatternFaultError(message)
    _require_progress(whole)
    _check(whole, NOTHING)
    source = ("^" if is_anchored else "") + _written(whole) + (r"\Z" if is_ended else "")
    return LinearPattern(re.compile(source), reader.has_value)


def _ends_with_dollar(pattern: str) -> bool:
    head = pattern.removesuffix("$")
    slashes = len(head) - len(head.rstrip("\\"))
    return head != pattern and slashes % 2 == 0


def _require_progress(whole: Group) -> None:
    if beginning(whole)[1]:
        message = "a pattern that matches nothing at all finds it everywhere"
        raise PatternFaultError(message)


def _check(part: Part, follow: CharacterSet) -> None:
    """Raises PatternFaultError where a repetition could hand back what it took.

    ``follow`` is what may come after the part.
    """
    if isinstance(part, Single):
        if not part.is_fixed and part.members & follow:
            message = (
                f"what {part.shown} repeats may also begin what follows it; "
                "name the character that ends it, such as [^,]+,"
            )
            raise PatternFaultError(message)
        return
    if part.is_optional and beginning(part)[0] & follow:
        message = "an optional group begins like what follows it"
        raise PatternFaultError(message)
    for parts in part.alternatives:
        after = follow
        for one in reversed(parts):
            _check(one, after)
            begin, is_empty = beginning(one)
            after = begin | after if is_empty else begin


def _ways(part: Part) -> int:
    """In how many ways a text can be read, at most: alternatives that begin alike, combined."""
    if isinstance(part, Single):
        return 1
    begin: Counter[str] = Counter()
    empty = 0
    for parts in part.alternatives:
        found, is_empty = beginning(Group([parts], ""))
        begin.update(found)
        empty += is_empty
    inner = prod(_ways(one) for parts in part.alternatives for one in parts)
    return inner * max(1, max(begin.values(), default=0) + empty)


def _written(part: Part) -> str:
    if isinstance(part, Group):
        inner = "|".join("".join(map(_written, parts)) for parts in part.alternatives)
        return f"{part.opening}{inner}){'?' if part.is_optional else ''}"
    if part.is_fixed:
        return part.source if part.least == 1 else f"{part.source}{{{part.least}}}"
    # Possessive: going back is never of use here, so the engine is not to try it either.
    most = "" if part.most is None else part.most
    return f"{part.source}{{{part.least},{most}}}+"
