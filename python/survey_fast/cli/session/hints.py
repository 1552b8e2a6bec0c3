"""What helps against a refused decision, in the words of the command line.

A name that leads nowhere is answered with the names that it may have meant, a field of several
items with these items, and a conflict with its values and their ids.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import Json
from survey_fast.cli.nearest import did_you_mean, nearest
from survey_fast.cli.output import MOST_ROWS, quoted
from survey_fast.cli.session.card import Reviewed
from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decisions import Item, item_name, proposed_candidates

__all__ = ["Showing", "hints", "located", "unknown_name"]

_UNKNOWN: Final = "unknown-review-item"
_UNFIT: Final = frozenset({"decision-not-recordable", "invalid-conflict-selection"})


@dataclass(frozen=True, slots=True)
class Showing:
    """The commands that show what is decided on.

    Attributes:
        every: lists every item.
        one: shows one item, as far as its name.
    """

    every: str
    one: str


def unknown_name(reviewed: Reviewed, member: str, name: str) -> SurveyError:
    """The refusal of a name that no item has: DecisionError (``unknown-review-item``).

    Args:
        reviewed: what holds the items.
        member: ``item`` or ``field``.
        name: the name that was given.
    """
    about = "the queue holds no item" if member == "item" else "no item is about the field"
    bare = located(refusal(_UNKNOWN, ""), {member: name}, reviewed)
    near = did_you_mean(bare.details.get("didYouMean", ()))
    message = f"{about} {name!r}" + (f"; {near}" if near else "")
    return refusal(_UNKNOWN, message, f"/{member}", bare.details)


def located(error: SurveyError, request: Json, reviewed: Reviewed) -> SurveyError:
    """The refusal of a name, with ``didYouMean`` or with ``items`` in its details."""
    if error.code != _UNKNOWN or not isinstance(request, dict):
        return error
    item, field = request.get("item"), request.get("field")
    near: list[str] = []
    if isinstance(item, str):
        near = nearest(item, reviewed.fold.items)
    elif isinstance(field, str):
        about = reviewed.rows.about(field)
        near = [] if about else reviewed.rows.near(field)
        if len(about) > 1:
            error.details["items"] = [_place(reviewed, one) for one in about[:MOST_ROWS]]
    if near:
        error.details["didYouMean"] = near
    return error


def _place(reviewed: Reviewed, item: Item) -> dict[str, str]:
    return {"item": item_name(item), "field": reviewed.rows.field(item)}


def hints(error: SurveyError, request: Json, reviewed: Reviewed, showing: Showing) -> list[str]:
    """Lines that say what to do; none where there is nothing to say."""
    if error.code == _UNKNOWN:
        return _names(error, showing)
    if error.code in _UNFIT:
        return _kinds(request if isinstance(request, dict) else {}, reviewed, showing)
    return list(_OTHERWISE.get(error.code, ()))


_OTHERWISE: Final[Mapping[str, Sequence[str]]] = {
    "ALREADY_DECIDED": ("--replace decides it again, --skip-decided passes over what is decided",),
    "edited-value-not-editable": (
        "a value that was extracted stands with the words it was read from, so it is not edited;",
        "reject it with a --note that says what is right, or have another extraction propose it",
        "(run --again N, perhaps with another --provider)",
    ),
    "json-syntax": ("a batch has one JSON object on each line",),
    "reason-missing": ("--note TEXT says it",),
}
"""What does not depend on the item."""


def _names(error: SurveyError, showing: Showing) -> list[str]:
    near: list[str] = error.details.get("didYouMean", [])
    listed: list[Mapping[str, str]] = error.details.get("items", [])
    if near:
        return [did_you_mean(near)]
    if not listed:
        return [f"{showing.every} lists items and fields"]
    if len({one["field"] for one in listed}) == len(listed):
        return ["name one:", *(f"  --field {shlex.quote(one['field'])}" for one in listed)]
    return ["name one:", *(f"  --item {one['item']}   {one['field']}" for one in listed)]


def _kinds(asked: Mapping[str, Any], reviewed: Reviewed, showing: Showing) -> list[str]:
    """Why a decision of this kind does not fit the item, and which would."""
    word = asked.get("decision")
    if word is None:
        return [f"clear takes back a decision that stands; {showing.every} lists them"]
    item = _item(asked, reviewed)
    if item is None:
        return [f"{showing.one} NAME shows the values of an item and their ids"]
    proposed = proposed_candidates(item)
    if len(proposed) > 1:
        values = [f"  --candidate {one['id']}   {quoted(one['value'])}" for one in proposed]
        more = [f"  and {len(values) - MOST_ROWS:,} more"] if len(values) > MOST_ROWS else []
        return ["select one of the values:", *values[:MOST_ROWS], *more]
    if not proposed:
        return ["nothing is proposed for this item"]
    return [f"accept takes {quoted(proposed[0]['value'])}, reject turns it down"]


def _item(asked: Mapping[str, Any], reviewed: Reviewed) -> Item | None:
    item, field = asked.get("item"), asked.get("field")
    if isinstance(item, str):
        return reviewed.fold.items.get(item)
    about = reviewed.rows.about(field) if isinstance(field, str) else ()
    return about[0] if len(about) == 1 else None
