"""From the items of an answer to drafts that can be looked up in the text.

Every check that drops an item stands here, before anything is looked up: a dropped item must not
take an occurrence away from its neighbour. The first reason counts:

========================  ====================================================
not-an-object             the item is no mapping
field-path-blank          no field path
unknown-field             no declared field, also after reading ``[2]`` as ``[]``
extractor-invalid         the extractor is no stable identity
excerpt-blank             nothing is left of the excerpt after trimming
excerpt-ill-formed        the excerpt holds half of a surrogate pair
value-absent              there is no value; null is one
value-not-json            the value is no data, or would not survive being written
value-too-deep            the value is nested more than 100 deep
value-too-large           the value has more than 100,000 parts
excerpt-not-found         the excerpt does not stand in the text that was sent (found later)
run-too-large             with it the run would hold more than an envelope can (found later)
========================  ====================================================

A confidence is kept, clamped into 0 to 1, or left out with a note; it never drops an item. What a
provider says about places, evidence or who produced the item is not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final, TypeAlias

from survey_fast.canon import Json
from survey_fast.canon.text import trim
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.paths import declared_path
from survey_fast.extraction.typed import Rewritten, rewritten
from survey_fast.extraction.values import UnusableValueError, plain_value

__all__ = ["EXCERPT_NOT_FOUND", "Draft", "Dropped", "Fields", "Normalised", "normalise"]

EXCERPT_NOT_FOUND: Final = "excerpt-not-found"
_LARGEST_HINT: Final = 2**53
_LONGEST_PATH: Final = 4096
"""Characters of a path that is repeated in a report."""

Fields: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The target fields by path, checked."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An item that names a field, a value and an excerpt; where that stands is not known yet.

    Attributes:
        field: the target field, as declared.
        path_indices: the numbers of its path, outermost first.
        value: plain data in the declared type where that was possible without loss.
        excerpt: trimmed, not empty.
        extractor: a stable identity.
        confidence: from 0 to 1, or ``None``: not reported.
        hint: which occurrence in the text that was sent, from 1; ``None`` when none was usable.
        rewrite: how the value got into its type.
        is_clamped: the confidence was outside 0 to 1.
    """

    field: Mapping[str, Any]
    path_indices: tuple[int, ...] | None
    value: Json
    excerpt: str
    extractor: str
    confidence: int | float | None = None
    hint: int | None = None
    rewrite: Rewritten | None = None
    is_clamped: bool = False

    @property
    def path(self) -> str:
        """The declared path."""
        declared: str = self.field["path"]
        return declared


@dataclass(frozen=True, slots=True)
class Dropped:
    """An item that was left out: why, and its path as far as it had one."""

    reason: str
    path: str | None


@dataclass(slots=True)
class Normalised:
    """What became of the items of one answer."""

    drafts: list[Draft] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unreadable_confidences: int = 0


class _Drop(Exception):  # noqa: N818 - it never leaves this module
    pass


def normalise(items: Sequence[object], fields: Fields) -> Normalised:
    """Check the items of one answer, in order.

    An item may be any object. What its own code raises when it is read is not caught here.
    """
    result = Normalised()
    for item in items:
        if not isinstance(item, Mapping):
            result.dropped.append(Dropped("not-an-object", None))
            continue
        path = item.get("fieldPath")
        try:
            draft, has_noise = _draft(item, path, fields)
        except _Drop as drop:
            result.dropped.append(Dropped(str(drop), _shown(path, fields)))
        else:
            result.drafts.append(draft)
            result.unreadable_confidences += has_noise
    return result


def _draft(item: Mapping[str, Any], path: object, fields: Fields) -> tuple[Draft, bool]:
    if not isinstance(path, str) or not trim(path):
        raise _Drop("field-path-blank")
    # A path is taken as it is; trimming only decides whether there is one.
    declared = declared_path(path, fields) or declared_path(trim(path), fields)
    if declared is None:
        raise _Drop("unknown-field")
    target = fields[declared[0]]
    extractor = item.get("extractor")
    extractor = trim(extractor) if isinstance(extractor, str) else ""
    if not is_identity(extractor):
        raise _Drop("extractor-invalid")
    excerpt = _excerpt(item)
    if "candidateValue" not in item:
        raise _Drop("value-absent")
    try:
        value = plain_value(item["candidateValue"])
    except UnusableValueError as fault:
        raise _Drop(str(fault)) from None
    rewrite = rewritten(value, target["type"])
    confidence, is_clamped, has_noise = _confidence(item.get("confidence"))
    draft = Draft(
        field=target,
        path_indices=declared[1],
        value=value if rewrite is None else rewrite.value,
        excerpt=excerpt,
        extractor=extractor,
        confidence=confidence,
        hint=_hint(item.get("occurrenceHint")),
        rewrite=rewrite,
        is_clamped=is_clamped,
    )
    return draft, has_noise


def _excerpt(item: Mapping[str, Any]) -> str:
    provenance = item.get("provenance")
    excerpt = provenance.get("excerpt") if isinstance(provenance, Mapping) else None
    excerpt = trim(excerpt) if isinstance(excerpt, str) else ""
    if not excerpt:
        raise _Drop("excerpt-blank")
    if not _is_well_formed(excerpt):
        raise _Drop("excerpt-ill-formed")
    return excerpt


def _confidence(value: object) -> tuple[int | float | None, bool, bool]:
    """The confidence, whether it was clamped, and whether it was no number at all."""
    if value is None:
        return None, False, False
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and not isfinite(value)):
        return None, False, True
    if value > 1:  # type: ignore[operator]
        return 1, True, False
    if value < 0:  # type: ignore[operator]
        return 0, True, False
    # Equal to zero is negative zero too.
    return (value or 0), False, False  # type: ignore[return-value]


def _hint(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 1 <= value <= _LARGEST_HINT or value != int(value):
        return None
    return int(value)


def _is_well_formed(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(path: object, fields: Fields) -> str | None:
    """The path for a report: the declared one where there is one, else as it was given."""
    if not isinstance(path, str) or not trim(path):
        return None
    declared = declared_path(path, fields) or declared_path(trim(path), fields)
    if declared is not None:
        return declared[0]
    return path if len(path) <= _LONGEST_PATH and _is_well_formed(path) else None
