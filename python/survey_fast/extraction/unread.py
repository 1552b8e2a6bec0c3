"""Labels of a task that stand in a text and were not read: what ``offline`` passes over.

1. A label is *further* where ``label: value`` stands, the value not blank, and no proposal for its
   field was read there: the first of each chunk is taken, and the rest is not.
2. A label of a field for which nothing was proposed stands in *another form* where a colon follows
   it and ``label: value`` does not: the emphasis of a page between the two, no value on its line,
   other letters' case.
3. Everything follows from the text, the task and the proposals, so a stored extraction tells it as
   a new one does. Nothing is judged here and nothing is refused.

Places are ``chars:START-END`` of the prepared text, in UTF-16 code units.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon.text import has_content
from survey_fast.extraction.label_places import label_places
from survey_fast.extraction.locator import locator_start
from survey_fast.extraction.task import Projection
from survey_fast.extraction.units import Units

__all__ = ["Form", "Unread", "unread_labels"]

Form: TypeAlias = Literal["further", "other-form"]
_PLACES: Final = 20
"""Places that are kept of one label; the others are counted."""
_FOLLOWED: Final = r"[*_`~]{0,3}[ \t]{0,3}:"
"""What may stand between a label and its colon in another form."""


@dataclass(frozen=True, slots=True)
class Unread:
    """One label that was passed over.

    Attributes:
        field_path: the field.
        label: its label.
        form: ``further`` or ``other-form``.
        count: how often it stands there.
        places: the first of these places.
    """

    field_path: str
    label: str
    form: Form
    count: int
    places: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        """``{fieldPath, label, form, count, places}``."""
        return {
            "fieldPath": self.field_path,
            "label": self.label,
            "form": self.form,
            "count": self.count,
            "places": list(self.places),
        }


@dataclass(slots=True)
class _Found:
    count: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        self.count += 1
        if len(self.places) < _PLACES:
            self.places.append((start, end))


def unread_labels(
    text: str, projections: Sequence[Projection], proposals: Iterable[Mapping[str, Any]]
) -> list[Unread]:
    """What of the labels of a task was not read, in the order of the task.

    Args:
        text: the prepared text.
        projections: of the task.
        proposals: those of the envelope.
    """
    units = Units(text)
    read: dict[str, list[int]] = {}
    for one in proposals:
        starts = read.setdefault(one["fieldPath"], [])
        start = locator_start(one["provenance"].get("locator"))
        if start is not None and start <= units.length:
            starts.append(units.character(units.whole(start)))
    unread: list[Unread] = []
    for rule in projections:
        form: Form = "further"
        found = _further(text, rule.label, sorted(read.get(rule.field_path, ())))
        if rule.field_path not in read and not found.count:
            form, found = "other-form", _other_form(text, rule.label)
        if found.count:
            places = [f"chars:{units.at(start)}-{units.at(end)}" for start, end in found.places]
            unread.append(Unread(rule.field_path, rule.label, form, found.count, places))
    return unread


def _further(text: str, label: str, starts: Sequence[int]) -> _Found:
    """Rule 1: places in which no start of a proposal lies; both come in order."""
    found, read = _Found(), iter([*starts, len(text) + 1])
    following = next(read)
    for start, value, end in label_places(text, label):
        while following < start:
            following = next(read)
        if following >= end and has_content(text[value:end]):
            found.add(start, end)
    return found


def _other_form(text: str, label: str) -> _Found:
    """Rule 2."""
    found = _Found()
    for one in re.finditer(re.escape(label) + _FOLLOWED, text, re.IGNORECASE):
        found.add(one.start(), one.end())
    return found
