"""What people read of one item: texts, where it stands, its keep control, rivals left out.

1. A string is its own text, a missing value is no text, null is ``null``; numbers and booleans
   print as ECMAScript prints them; arrays and objects are JSON indented by two, members where
   they are stored.
2. Two values are the same when their canonical texts are: 1 and 1.0 are, 1 and true are not.
3. A row tells the decision first: rejected, could not confirm, resolved. Undecided, it is
   resolved or escalated as the producer left it, else in review when active, else pending.
4. What the keep control is called and what it records come from one place, so that it never
   records an empty value as verified under the name of leaving the field unset.
5. A rival that was excluded at import is shown when its entry can be read and the item still
   hangs together with its import. Whatever else is stored there is counted, never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, TypeVar

from survey_fast.canon import Json, canonical_json, data_json
from survey_fast.canon.text import has_content
from survey_fast.errors import refusal
from survey_fast.review.decisions import (
    DecisionKind,
    Item,
    candidates_of,
    proposed_candidates,
)
from survey_fast.review.state import ABSENT, Absent

__all__ = [
    "EXTRACTION_KEY",
    "CardState",
    "Control",
    "ExcludedProposal",
    "Exclusions",
    "RowStatus",
    "Unreadable",
    "card_state",
    "display_text",
    "excluded_proposals",
    "humanised",
    "is_empty",
    "is_pre_resolved",
    "keep_control",
    "row_status",
    "same_value",
]

EXTRACTION_KEY: Final = "survey.kontourai.io/extraction-envelope"
"""Where an import keeps what it knows, in ``producer`` of items and of candidates."""

_SAFE_INTEGER: Final = 2**53 - 1
_JOINTS: Final = re.compile("[_-]+")
_HUMP: Final = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_WORD_START: Final = re.compile(r"\b[a-z]", re.ASCII)

UnreadableReason: TypeAlias = Literal["malformed-entries", "binding-broken"]
RowStatus: TypeAlias = Literal[
    "rejected", "could-not-confirm", "resolved", "escalated", "in-review", "pending"
]
CardState: TypeAlias = Literal["accepted", "kept", "rejected", "could-not-confirm", "review"]

State = TypeVar("State", RowStatus, CardState)

_ROWS: Final[Mapping[str, RowStatus]] = MappingProxyType(
    {
        "accept-proposed": "resolved",
        "select-proposed": "resolved",
        "keep-current": "resolved",
        "reject-proposed": "rejected",
        "could-not-confirm": "could-not-confirm",
    }
)
_CARDS: Final[Mapping[str, CardState]] = MappingProxyType(
    {
        "accept-proposed": "accepted",
        "select-proposed": "accepted",
        "keep-current": "kept",
        "reject-proposed": "rejected",
        "could-not-confirm": "could-not-confirm",
    }
)


def display_text(value: Json | Absent) -> str:
    """The text of a value under rule 1. Raises JsonError for what is no strict JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        # What no document can hold, such as endless nesting, is refused before it is walked.
        data_json(value)
        return _indented(value, "\n")
    return "" if isinstance(value, Absent) else _scalar_text(value)


def _scalar_text(value: Json) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _SAFE_INTEGER:
        return str(value)
    return canonical_json(value).decode()


def _indented(value: Json, margin: str) -> str:
    """``margin`` is a line break and the white space that the closing bracket stands behind."""
    inner = f"{margin}  "
    if isinstance(value, dict):
        lines = [f"{_quoted(name)}: {_indented(one, inner)}" for name, one in value.items()]
        return f"{{{inner}{f',{inner}'.join(lines)}{margin}}}" if lines else "{}"
    if isinstance(value, list):
        lines = [_indented(one, inner) for one in value]
        return f"[{inner}{f',{inner}'.join(lines)}{margin}]" if lines else "[]"
    return _quoted(value) if isinstance(value, str) else _scalar_text(value)


def _quoted(text: str) -> str:
    return data_json(text).decode()


def is_empty(value: Json | Absent) -> bool:
    """Whether a value counts as none at all: missing, null or the empty string."""
    return isinstance(value, Absent) or value is None or value == ""


def same_value(left: Json, right: Json) -> bool:
    """Whether two plain values are the same under rule 2."""
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return canonical_json(data_json(left)) == canonical_json(data_json(right))


@lru_cache(maxsize=256)
def humanised(identifier: str) -> str:
    """An identifier as words: ``vendorContract.annual_fee`` is ``Vendor Contract.Annual Fee``."""
    words = identifier
    if "_" in words or "-" in words:
        words = _JOINTS.sub(" ", words)
    if not words.islower():
        words = _HUMP.sub(" ", words)
    return _WORD_START.sub(_capital, words)


def _capital(letter: re.Match[str]) -> str:
    return letter[0].upper()


def row_status(item: Item, kind: str | None, *, is_active: bool) -> RowStatus:
    """Where an item stands in the queue under rule 3, ``kind`` being its decision if any."""
    if kind is not None:
        return _of_kind(_ROWS, kind)
    if is_pre_resolved(item):
        return "resolved"
    if item["spec"].get("candidateSetStatus") == "escalated":
        return "escalated"
    return "in-review" if is_active else "pending"


def card_state(item: Item, kind: str | None) -> CardState:
    """What the card of an item shows, ``kind`` being its decision if any."""
    if kind is not None:
        return _of_kind(_CARDS, kind)
    return "kept" if is_pre_resolved(item) else "review"


def _of_kind(table: Mapping[str, State], kind: object) -> State:
    if not isinstance(kind, str) or kind not in table:
        message = f"{kind!r} is no decision kind"
        raise refusal("decision-malformed", message, "/decision")
    return table[kind]


def is_pre_resolved(item: Item) -> bool:
    """Whether the producer calls the item resolved."""
    status: object = item["spec"].get("candidateSetStatus")
    return status == "resolved"


@dataclass(frozen=True, slots=True)
class Control:
    """A button: what it records and what it is called."""

    kind: DecisionKind
    label: str


def keep_control(item: Item, *, flag_wrong: bool = False) -> Control | None:
    """The control that leaves things as they are, if the item has one.

    Args:
        item: the review item; a current candidate is never made up for it.
        flag_wrong: the reviewer calls the proposal wrong, which rejects it.
    """
    current = [one for one in candidates_of(item) if one.get("role") == "current"]
    rivals = len(proposed_candidates(item))
    if flag_wrong or not current:
        if not rivals:
            return None
        if any(not is_empty(one["value"]) for one in current):
            return Control("reject-proposed", "Keep current")
        return Control("reject-proposed", "Reject all values" if rivals > 1 else "Leave unset")
    return Control("keep-current", "Keep current") if len(current) == 1 else None


@dataclass(frozen=True, slots=True)
class ExcludedProposal:
    """A rival that is no candidate, because the import left it out."""

    proposal_index: int
    value: Any
    locator: str
    excerpt: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Exclusions that are stored but cannot be shown.

    Attributes:
        reason: ``malformed-entries``, or ``binding-broken`` where item and candidates do not
            point at one import.
        count: how many, where there is something to count.
    """

    reason: UnreadableReason
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The rivals of an item that were left out at import."""

    shown: tuple[ExcludedProposal, ...] = ()
    unreadable: Unreadable | None = None


_NONE: Final = Exclusions()


def excluded_proposals(item: Item) -> Exclusions:
    """What the import left out for this item, under rule 5."""
    binding = _extraction(item["metadata"])
    if binding is ABSENT:
        bound = any(_extraction(one) is not ABSENT for one in candidates_of(item))
        return Exclusions(unreadable=Unreadable("binding-broken")) if bound else _NONE
    if not isinstance(binding, Mapping):
        return Exclusions(unreadable=Unreadable("binding-broken"))
    stored = binding.get("excludedProposals", [])
    if stored == []:
        return _NONE
    count = len(stored) if isinstance(stored, list) else None
    if not _is_intact(item, binding):
        return Exclusions(unreadable=Unreadable("binding-broken", count))
    if count is None:
        return Exclusions(unreadable=Unreadable("malformed-entries"))
    shown = tuple(found for entry in stored if (found := _entry(entry)) is not None)
    unread = count - len(shown)
    return Exclusions(shown, Unreadable("malformed-entries", unread) if unread else None)


def _extraction(holder: Mapping[str, Any]) -> object:
    producer = holder.get("producer")
    return producer.get(EXTRACTION_KEY, ABSENT) if isinstance(producer, Mapping) else ABSENT


def _is_intact(item: Item, binding: Mapping[str, Any]) -> bool:
    """Whether the item's entry is well formed and every candidate points at the same import."""
    name = binding.get("importName")
    indices = binding.get("proposalIndices")
    if not isinstance(name, str) or not has_content(name):
        return False
    if not isinstance(indices, list) or not indices or not all(map(_is_index, indices)):
        return False
    entries = [_extraction(one) for one in candidates_of(item)]
    return bool(entries) and all(
        isinstance(entry, Mapping) and entry.get("importName") == name for entry in entries
    )


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _entry(entry: object) -> ExcludedProposal | None:
    if not isinstance(entry, Mapping) or "value" not in entry:
        return None
    index, locator, excerpt = (entry.get(name) for name in ("proposalIndex", "locator", "excerpt"))
    if not isinstance(index, int) or isinstance(index, bool):
        return None
    if not isinstance(locator, str) or not isinstance(excerpt, str):
        return None
    reason = entry.get("reason")
    named = reason if isinstance(reason, str) else None
    return ExcludedProposal(index, entry["value"], locator, excerpt, named)
