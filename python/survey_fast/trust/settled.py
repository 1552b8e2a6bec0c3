"""Which items of a round an export can speak for, and why it leaves the others out.

Claim by claim, in this order; an item may be left out for more than one reason:

1. an item that nobody decided (``EXPORT_UNDECIDED``);
2. one whose selected candidate stands nowhere, unless a person entered it
   (``EXPORT_UNGROUNDED_SELECTION``);
3. every decided item of a claim for which two different values were accepted
   (``EXPORT_CONFLICTING_DECISIONS``);
4. the decided items of a claim of which another item is not decided (``EXPORT_FIELD_UNSETTLED``).

What was rejected or could not be confirmed asserts no value, and contradicts none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.rounds.slots import Slot
from survey_fast.trust.agreement import same_value
from survey_fast.trust.evidence.item import binding_of
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.review_shape import ITEM, RESULT
from survey_fast.trust.tables import require_all

__all__ = ["Exclusion", "Settled", "lost_fields", "proposal_index", "settled_items"]

Result: TypeAlias = Mapping[str, Any]
_BY_HAND: Final = "manual-entry"


class Exclusion(NamedTuple):
    """Items of one claim that are left out, and why."""

    field_path: str
    item_names: tuple[str, ...]
    code: str

    def to_json(self) -> dict[str, Any]:
        """The exclusion as plain data, wire names."""
        return {
            "fieldPath": self.field_path,
            "itemNames": list(self.item_names),
            "code": self.code,
        }


@dataclass(frozen=True, slots=True)
class Settled:
    """A round, divided.

    Attributes:
        items: the items to export, in queue order.
        results: their results, likewise.
        excluded: what is left out.
    """

    items: list[Item]
    results: list[Result]
    excluded: list[Exclusion]


def settled_items(
    items: Sequence[Item], results: Sequence[Result], context: RecordContext | None = None
) -> Settled:
    """Divide a round whose history was found valid.

    Args:
        items: every item of the queue, no two of one name.
        results: the results of those that are decided.
        context: the import that items come from. Path indices stand in its record alone: without
            it the rows of a list can be told apart by their fields only.

    Raises:
        SurveyError: a fault of shape, by a code of :mod:`survey_fast.trust.rules`; the pointer
            leads into ``{items, results}``.
    """
    require_all(ITEM, items, "/items")
    require_all(RESULT, results, "/results")
    by_name = {one["reviewItemName"]: one for one in results}
    of_slot: dict[Slot, list[Item]] = {}
    for item in items:
        of_slot.setdefault(_slot(item, context), []).append(item)
    shared = [group for group in of_slot.values() if len(group) > 1]
    excluded = [
        *(_exclusion([item], "EXPORT_UNDECIDED") for item in items if not _is_in(by_name, item)),
        *_ungrounded(items, by_name),
        *_conflicting(shared, by_name),
        *_unsettled(shared, by_name),
    ]
    left_out = {name for one in excluded for name in one.item_names}
    kept = [item for item in items if item_name(item) not in left_out]
    return Settled(kept, [by_name[item_name(item)] for item in kept], excluded)


def _slot(item: Item, context: RecordContext | None) -> Slot:
    """The claim that an item is about."""
    first = candidates_of(item)[0]
    index = None if context is None else proposal_index(first, context)
    if index is None or context is None:
        return Slot.of_proposal(first["claimTarget"], {})
    return context.slots[index]


def proposal_index(candidate: Mapping[str, Any], context: RecordContext) -> int | None:
    """The proposal of an import that a candidate stands for, if it says that it stands for one."""
    binding = binding_of(candidate)
    if not isinstance(binding, dict) or binding.get("importName") != context.name:
        return None
    index = binding.get("proposalIndex")
    is_one = type(index) is int and 0 <= index < context.proposal_count
    return index if is_one else None


def lost_fields(context: RecordContext) -> list[str]:
    """Fields of an import for whose claim every proposal was left out, so that it has no item."""
    fields: dict[str, None] = {}
    for listed in context.by_slot.values():
        if context.excluded.issuperset(listed):
            fields[context.raw_proposal(listed[0])["fieldPath"]] = None
    return list(fields)


def _is_in(by_name: Mapping[str, Result], item: Item) -> bool:
    return item_name(item) in by_name


def _exclusion(items: Sequence[Item], code: str) -> Exclusion:
    return Exclusion(items[0]["spec"]["target"], tuple(map(item_name, items)), code)


def _ungrounded(items: Sequence[Item], by_name: Mapping[str, Result]) -> list[Exclusion]:
    """Rule 2."""
    found = []
    for item in items:
        chosen = by_name.get(item_name(item), {}).get("selectedCandidate")
        if chosen is not None and not _stands_somewhere(chosen):
            found.append(_exclusion([item], "EXPORT_UNGROUNDED_SELECTION"))
    return found


def _stands_somewhere(candidate: Mapping[str, Any]) -> bool:
    if candidate["source"].get("kind") == _BY_HAND:
        return True
    return bool(candidate.get("locator", {}).get("locator"))


def _conflicting(shared: list[list[Item]], by_name: Mapping[str, Result]) -> list[Exclusion]:
    """Rule 3."""
    found = []
    for group in shared:
        told = [item for item in group if _is_in(by_name, item)]
        values = [
            by_name[item_name(item)].get("effectiveValue")
            for item in told
            if by_name[item_name(item)]["status"] == "verified"
        ]
        if any(not same_value(values[0], value) for value in values[1:]):
            found.append(_exclusion(told, "EXPORT_CONFLICTING_DECISIONS"))
    return found


def _unsettled(shared: list[list[Item]], by_name: Mapping[str, Result]) -> list[Exclusion]:
    """Rule 4."""
    found = []
    for group in shared:
        told = [item for item in group if _is_in(by_name, item)]
        if told and len(told) < len(group):
            found.append(_exclusion(told, "EXPORT_FIELD_UNSETTLED"))
    return found
