"""An import with the items that it derives, as far as the states of its fields go.

1. Whoever makes one vouches for it: the record validated, and the items are exactly those that it
   derives. Nothing of that is looked at again, and nothing is copied.
2. Inside an import a slot is known by the first proposal about it, so that slots are compared once
   and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from survey_fast.review.decisions import Item, item_name
from survey_fast.rounds.slots import Slot, proposals_of_slots

__all__ = ["DerivedImport"]

_PRODUCER: Final = "survey.kontourai.io/extraction-envelope"


@dataclass(frozen=True, slots=True)
class DerivedImport:
    """An import whose items are at hand.

    Attributes:
        name: the import's name.
        items: the items that it derives, in the order of their first proposal.
        slots: the claim slot of each proposal.
        by_slot: the proposals of each slot, ascending.
        of_slot: for each proposal, those of its slot.
        excluded: the proposals that were left out because their excerpt is not at its span.
        is_incomplete: whether the run ended early or failed.
        is_unresolved: whether the import stands for no queue.
        texts: the canonical text of each item, or nothing where these are not at hand.
    """

    name: str
    items: Sequence[Item]
    slots: Sequence[Slot]
    by_slot: Mapping[Slot, Sequence[int]]
    of_slot: Sequence[Sequence[int]]
    excluded: Sequence[int]
    is_incomplete: bool
    is_unresolved: bool
    texts: Sequence[bytes] = ()

    def __post_init__(self) -> None:
        """Refuse texts of other items: ValueError."""
        if self.texts and len(self.texts) != len(self.items):
            message = f"there are {len(self.items)} items and {len(self.texts)} texts of items"
            raise ValueError(message)

    def text_of_items(self) -> dict[str, bytes]:
        """The texts by the name of their item, as far as they are at hand."""
        return dict(zip(map(item_name, self.items), self.texts, strict=False))

    @classmethod
    def of_record(cls, record: Mapping[str, Any], items: Sequence[Item]) -> Self:
        """That of a record that validated, as plain data, and the items that it derives."""
        result, status = record["spec"]["envelope"]["result"], record["status"]
        pairs = zip(record["spec"]["claimTargets"], result["proposals"], strict=True)
        slots = [Slot.of_proposal(target, proposal) for target, proposal in pairs]
        by_slot, of_slot = proposals_of_slots(slots)
        return cls(
            name=record["metadata"]["name"],
            items=items,
            slots=slots,
            by_slot=by_slot,
            of_slot=of_slot,
            excluded=[
                one["proposalIndex"]
                for one in status["diagnostics"]
                if one["kind"] == "excerpt-mismatch"
            ],
            is_incomplete=result["outcome"]["status"] != "success",
            is_unresolved=status["state"] == "unresolved",
        )

    def first_of_items(self) -> list[int]:
        """For each item, the first proposal about its slot."""
        bound = [item["metadata"]["producer"][_PRODUCER]["proposalIndices"] for item in self.items]
        return [self.of_slot[indices[0]][0] for indices in bound]

    def exclusions(self) -> dict[int, int]:
        """How many proposals of a slot were left out, by the first proposal about the slot.

        Slots stand in the order of their first exclusion.
        """
        found: dict[int, int] = {}
        for index in self.excluded:
            first = self.of_slot[index][0]
            found[first] = found.get(first, 0) + 1
        return found
