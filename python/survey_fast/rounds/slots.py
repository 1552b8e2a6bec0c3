"""Claim slots: which claim a value is about, as the importer groups proposals.

1. A slot is seven members: subject type and id, facet, claim type, field or behaviour and claim id
   from the claim target, path indices from the proposal. The last two of either may be absent; an
   empty list of indices is not absent. Weight, field path and value are no part of it.
2. Its key is the canonical text (``jcs``) of the seven, ``null`` where absent. Equal keys are one
   slot inside an import; slots of different imports are never merged. Of a record that validated,
   slots that are equal are those with equal keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NewType, Self

from survey_fast.canon import Json, canonical_json
from survey_fast.rounds.shape import FIELD_STATES, Members

__all__ = ["Slot", "SlotKey", "proposals_of_slots", "read_slot", "slot_key"]

SlotKey = NewType("SlotKey", str)
"""The canonical text of a slot's seven members."""

_TEXTS: Final = ("subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior")
_LARGEST_INDEX: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Slot:
    """The claim that a field is about."""

    subject_type: str
    subject_id: str
    facet: str
    claim_type: str
    field_or_behavior: str
    claim_id: str | None = None
    path_indices: tuple[int, ...] | None = None

    @classmethod
    def of_proposal(cls, target: Mapping[str, Any], proposal: Mapping[str, Any]) -> Self:
        """The slot of a proposal and its claim target, both from a record that validated."""
        indices = proposal.get("pathIndices")
        return cls(
            target["subjectType"],
            target["subjectId"],
            target["facet"],
            target["claimType"],
            target["fieldOrBehavior"],
            target.get("claimId"),
            None if indices is None else tuple(indices),
        )

    def to_json(self) -> dict[str, Any]:
        """The members that are present, under their wire names."""
        return {name: value for name, value in self._members().items() if value is not None}

    def _members(self) -> Members:
        indices = self.path_indices
        return {
            "subjectType": self.subject_type,
            "subjectId": self.subject_id,
            "facet": self.facet,
            "claimType": self.claim_type,
            "fieldOrBehavior": self.field_or_behavior,
            "claimId": self.claim_id,
            "pathIndices": None if indices is None else list(indices),
        }

    def key(self) -> SlotKey:
        """Rule 2."""
        return SlotKey(canonical_json(self._members()).decode())


def slot_key(target: Mapping[str, Any], proposal: Mapping[str, Any]) -> SlotKey:
    """The slot key of a proposal and its claim target, both from a record that validated."""
    return Slot.of_proposal(target, proposal).key()


def proposals_of_slots(
    slots: Sequence[Slot],
) -> tuple[dict[Slot, list[int]], list[list[int]]]:
    """Proposals by slot, ascending; and for each proposal those of its slot, one list for all.

    Args:
        slots: the slot of each proposal.
    """
    by_slot: dict[Slot, list[int]] = {}
    of_slot: list[list[int]] = []
    for index, slot in enumerate(slots):
        listed = by_slot.setdefault(slot, [])
        listed.append(index)
        of_slot.append(listed)
    return by_slot, of_slot


def read_slot(value: object, pointer: str) -> Slot:
    """Check a slot that a caller names: the five texts, and perhaps claim id and path indices."""
    members = FIELD_STATES.members(value, pointer)
    FIELD_STATES.close(members, pointer, (*_TEXTS, "claimId", "pathIndices"))
    FIELD_STATES.require(members, pointer, _TEXTS)
    texts = [FIELD_STATES.text(members[name], f"{pointer}/{name}") for name in _TEXTS]
    claim_id = None
    if "claimId" in members:
        claim_id = FIELD_STATES.text(members["claimId"], f"{pointer}/claimId")
    indices = None
    if "pathIndices" in members:
        place = f"{pointer}/pathIndices"
        listed = FIELD_STATES.listed(members["pathIndices"], place)
        indices = tuple(_index(one, f"{place}/{at}") for at, one in enumerate(listed))
    subject_type, subject_id, facet, claim_type, field = texts
    return Slot(subject_type, subject_id, facet, claim_type, field, claim_id, indices)


def _index(value: Json, pointer: str) -> int:
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 0 <= value <= _LARGEST_INDEX
        and value == int(value)
    ):
        return int(value)
    message = "a whole number from 0 to 2^53 - 1 belongs here"
    raise FIELD_STATES.refuse(message, pointer)
