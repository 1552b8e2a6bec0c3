"""Which items of a round an export can speak for, and why it leaves the others out.

Claim by claim, in this order; an item may be left out for more than one reason:

1. an item that nobody decided (``EXPORT_UNDECIDED``);
2. one whose selected candidate stands nowhere, unless a person entered it
   (``EXPORT_UNGROUNDED_SELECTION``);
3. every decided item of a claim for which two different values were accepted
   (``EXPORT_CONFLICTING_DECISIONS``);
4. the decided items of a claim of which another item is not decided (``EXPORT_FIELD_UNSETTLED``);
5. one whose result breaks its shape, as a history of another system can have it
   (``EXPORT_NOT_PROJECTABLE``).

What was rejected or could not be confirmed asserts no value, and contradicts none. Neither does a
result that breaks its shape: nothing is read of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.rounds import DerivedImport
from survey_fast.rounds.slots import Slot
from survey_fast.trust.agreement import same_value
from survey_fast.trust.evidence.item import binding_of
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.review_shape import ITEM, RESULT
from survey_fast.trust.rules import TEXT, fault, require_all

__all__ = [
    "Exclusion",
    "Settled",
    "lost_fields",
    "proposal_index",
    "settled_items",
    "settled_of_derived",
]

Result: TypeAlias = Mapping[str, Any]
Told: TypeAlias = tuple[Item, Result | None]
"""An item and its result, where it is decided."""
_BY_HAND: Final = "manual-entry"
_UNREAD: Final[Result] = MappingProxyType({"status": ""})
"""Stands for a result of which nothing is read."""


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
        SurveyError: a fault of shape in an item, or a result that names no item, by a code of
            :mod:`survey_fast.trust.rules`; the pointer leads into ``{items, results}``.
        TypeError: what is no plain data.
    """
    require_all(ITEM, items, "/items")
    broken = _broken(results)
    return _divided(items, results, [_slot(item, context) for item in items], broken)


def settled_of_derived(derived: DerivedImport, results: Sequence[Result]) -> Settled:
    """The same of a round over exactly the items that an import derives.

    Args:
        derived: the import, whose items have their shape from it.
        results: what ``result_record`` made of its items and a valid history. Of such a result the
            ids of evidence are all that the history could have brought in a wrong shape.

    Raises: as :func:`settled_items`, of results.
    """
    tried = [one for one in results if "attemptEvidenceIds" in one["reviewDecision"]["spec"]]
    return _divided(derived.items, results, derived.first_of_items(), _broken(tried))


def _broken(results: Sequence[Any]) -> frozenset[str]:
    """The items whose results break their shape."""
    listed = list(results)
    if RESULT.shape.holds_all(listed):
        return frozenset()
    names = set()
    for place, one in enumerate(listed):
        if not RESULT.holds(one):
            refused = fault(RESULT, one, f"/results/{place}")
            if not isinstance(one, Mapping) or not TEXT.holds(one.get("reviewItemName")):
                raise refused
            names.add(one["reviewItemName"])
    return frozenset(names)


def _divided(
    items: Sequence[Item],
    results: Sequence[Result],
    claims: Sequence[Hashable],
    broken: frozenset[str],
) -> Settled:
    """The rules, of items that are each about one of ``claims``."""
    by_name = {one["reviewItemName"]: one for one in results} | dict.fromkeys(broken, _UNREAD)
    told = [(item, by_name.get(item_name(item))) for item in items]
    shared = _shared(told, claims)
    excluded = [
        *(_exclusion([item], "EXPORT_UNDECIDED") for item, result in told if result is None),
        *(_exclusion([item], "EXPORT_UNGROUNDED_SELECTION") for item in _ungrounded(told)),
        *_conflicting(shared),
        *_unsettled(shared),
        *(_exclusion([item], "EXPORT_NOT_PROJECTABLE") for item, one in told if one is _UNREAD),
    ]
    left_out = {name for one in excluded for name in one.item_names}
    kept = [
        (item, result)
        for item, result in told
        if result is not None and item_name(item) not in left_out
    ]
    return Settled([item for item, _ in kept], [result for _, result in kept], excluded)


def _slot(item: Item, context: RecordContext | None) -> Slot:
    """The claim that an item is about."""
    first = candidates_of(item)[0]
    index = None if context is None else proposal_index(first, context)
    if index is None or context is None:
        return Slot.of_proposal(first["claimTarget"], {})
    return context.slots[index]


def _shared(told: Sequence[Told], claims: Sequence[Hashable]) -> list[list[Told]]:
    """The items of each claim that several of them are about."""
    if len(set(claims)) == len(claims):
        return []
    of_claim: dict[Hashable, list[Told]] = {}
    for claim, one in zip(claims, told, strict=True):
        of_claim.setdefault(claim, []).append(one)
    return [group for group in of_claim.values() if len(group) > 1]


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


def _exclusion(items: Sequence[Item], code: str) -> Exclusion:
    return Exclusion(items[0]["spec"]["target"], tuple(map(item_name, items)), code)


def _ungrounded(told: Sequence[Told]) -> Iterator[Item]:
    """Rule 2."""
    for item, result in told:
        if result is not None:
            chosen = result.get("selectedCandidate")
            if chosen is not None and not _stands_somewhere(chosen):
                yield item


def _stands_somewhere(candidate: Mapping[str, Any]) -> bool:
    if candidate["source"].get("kind") == _BY_HAND:
        return True
    return bool(candidate.get("locator", {}).get("locator"))


def _conflicting(shared: Sequence[list[Told]]) -> Iterator[Exclusion]:
    """Rule 3."""
    for group in shared:
        values = [
            result.get("effectiveValue")
            for _, result in group
            if result is not None and result["status"] == "verified"
        ]
        if any(not same_value(values[0], value) for value in values[1:]):
            yield _exclusion(_decided(group), "EXPORT_CONFLICTING_DECISIONS")


def _unsettled(shared: Sequence[list[Told]]) -> Iterator[Exclusion]:
    """Rule 4."""
    for group in shared:
        decided = _decided(group)
        if decided and len(decided) < len(group):
            yield _exclusion(decided, "EXPORT_FIELD_UNSETTLED")


def _decided(group: Sequence[Told]) -> list[Item]:
    return [item for item, result in group if result is not None]
