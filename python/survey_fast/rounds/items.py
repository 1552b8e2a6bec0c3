"""Items of a round with the identities that their producer gave them.

1. A round item is ``{item, slotId, candidateVersionIds}``; a prior adds ``decision``. The slot id
   names the field across rounds, a version id one value as it was read. They come from the
   producer: they are checked here and never made up.
2. Candidate ids are unique inside the item. The version map names exactly these candidates, and
   no two of them have one version.
3. A decision names the item it stands beside and, if it selects a candidate, one of that item.
4. What a candidate says is its role, value, whole locator, whole claim target, source reference
   and source checksum. Confidence, verifier records, model and producer data are no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from survey_fast.canon import Json, canonical_json
from survey_fast.canon.arguments import sequence_argument
from survey_fast.canon.text import has_content
from survey_fast.model import CandidateId, ItemName
from survey_fast.rounds.reference import Decision, read_decision
from survey_fast.rounds.shape import ROUND_ITEMS, Members, inside, step

__all__ = ["PriorItem", "RoundItem", "read_prior", "read_priors", "read_round"]

_MEMBERS: Final = ("item", "slotId", "candidateVersionIds")


@dataclass(frozen=True, slots=True)
class RoundItem:
    """An item of a round that was checked.

    Attributes:
        name: the item's name.
        slot_id: the producer's name for the field.
        candidates: what each candidate says (rule 4), by version id.
        versions: the version id of each candidate, in item order.
    """

    name: ItemName
    slot_id: str
    candidates: Mapping[str, Members]
    versions: Mapping[CandidateId, str]

    def has_versions_of(self, other: RoundItem) -> bool:
        """Whether both hold the same versions."""
        return self.candidates.keys() == other.candidates.keys()

    def says_what(self, other: RoundItem) -> bool:
        """Whether every version says the same in both."""
        return canonical_json(dict(self.candidates)) == canonical_json(dict(other.candidates))

    def lacks_checksum(self) -> bool:
        """Whether some candidate's source has no checksum, so that it may have changed unseen."""
        return not all(
            isinstance(said["checksum"], str) and has_content(said["checksum"])
            for said in self.candidates.values()
        )

    def candidate_of(self, version: str) -> CandidateId:
        """The candidate that has a version of this item."""
        return next(name for name, own in self.versions.items() if own == version)


@dataclass(frozen=True, slots=True)
class PriorItem:
    """An item of an earlier round with its decision."""

    item: RoundItem
    decision: Decision

    def selected_version(self) -> str | None:
        """The version that the decision selects, if it selects a candidate."""
        selected = self.decision.candidate_id
        return None if selected is None else self.item.versions[selected]


def read_round(items: object) -> list[RoundItem]:
    """Check the items of one round: each item and each slot stands there once."""
    found: list[RoundItem] = []
    names: set[str] = set()
    slots: set[str] = set()
    for at, entry in enumerate(sequence_argument("items", items)):
        pointer = f"/items/{at}"
        item = _round_item(_entry(entry, pointer, _MEMBERS), pointer)
        if item.name in names:
            message = f"the round lists the item {item.name!r} twice"
            raise ROUND_ITEMS.refuse(message, f"{pointer}/item/metadata/name")
        if item.slot_id in slots:
            message = f"two items of the round are on the slot {item.slot_id!r}"
            raise ROUND_ITEMS.refuse(message, f"{pointer}/slotId")
        names.add(item.name)
        slots.add(item.slot_id)
        found.append(item)
    return found


def read_priors(prior_decisions: object) -> list[PriorItem]:
    """Check the priors of a round."""
    entries = sequence_argument("prior_decisions", prior_decisions)
    return [read_prior(entry, f"/priorDecisions/{at}") for at, entry in enumerate(entries)]


def read_prior(entry: object, pointer: str) -> PriorItem:
    """Check an item that stands with its decision (rule 3)."""
    members = _entry(entry, pointer, (*_MEMBERS, "decision"))
    item = _round_item(members, pointer)
    place = f"{pointer}/decision"
    document = ROUND_ITEMS.members(members["decision"], place)
    with inside(place):
        decision = read_decision(document)
    if decision.item_name != item.name:
        message = f"the decision is about {decision.item_name!r}, the item is {item.name!r}"
        raise ROUND_ITEMS.refuse(message, f"{place}/spec/reviewItemName")
    if decision.candidate_id is not None and decision.candidate_id not in item.versions:
        message = f"the decision selects {decision.candidate_id!r}, which the item does not hold"
        raise ROUND_ITEMS.refuse(message, f"{place}/spec/candidateId")
    return PriorItem(item, decision)


def _entry(entry: object, pointer: str, names: tuple[str, ...]) -> Members:
    members = ROUND_ITEMS.members(entry, pointer)
    ROUND_ITEMS.require(members, pointer, names)
    ROUND_ITEMS.close(members, pointer, names)
    return members


def _round_item(members: Members, pointer: str) -> RoundItem:
    slot_id = ROUND_ITEMS.text(members["slotId"], f"{pointer}/slotId")
    item = ROUND_ITEMS.members(members["item"], f"{pointer}/item")
    metadata = ROUND_ITEMS.object(item.get("metadata"), f"{pointer}/item/metadata")
    name = ROUND_ITEMS.text(metadata.get("name"), f"{pointer}/item/metadata/name")
    spec = ROUND_ITEMS.object(item.get("spec"), f"{pointer}/item/spec")
    place = f"{pointer}/item/spec/candidates"
    said: dict[CandidateId, Members] = {}
    for at, value in enumerate(ROUND_ITEMS.listed(spec.get("candidates"), place)):
        candidate = ROUND_ITEMS.object(value, f"{place}/{at}")
        candidate_id = CandidateId(ROUND_ITEMS.text(candidate.get("id"), f"{place}/{at}/id"))
        if candidate_id in said:
            message = f"the item lists the candidate {candidate_id!r} twice"
            raise ROUND_ITEMS.refuse(message, f"{place}/{at}/id")
        said[candidate_id] = _content(candidate, f"{place}/{at}")
    place = f"{pointer}/candidateVersionIds"
    versions = _versions(members["candidateVersionIds"], place, said)
    by_version = {versions[candidate_id]: content for candidate_id, content in said.items()}
    return RoundItem(ItemName(name), slot_id, by_version, versions)


def _versions(
    value: Json, pointer: str, candidates: Mapping[CandidateId, Members]
) -> dict[CandidateId, str]:
    """Rule 2."""
    given = ROUND_ITEMS.members(value, pointer)
    ROUND_ITEMS.require(given, pointer, candidates)
    ROUND_ITEMS.close(given, pointer, candidates)
    versions: dict[CandidateId, str] = {}
    taken: set[str] = set()
    for candidate_id in candidates:
        place = pointer + step(candidate_id)
        version = ROUND_ITEMS.text(given[candidate_id], place)
        if version in taken:
            message = f"two candidates of the item have the version {version!r}"
            raise ROUND_ITEMS.refuse(message, place)
        taken.add(version)
        versions[candidate_id] = version
    return versions


def _content(candidate: Members, pointer: str) -> Members:
    """Rule 4, absent as null."""
    ROUND_ITEMS.require(candidate, pointer, ("value", "source", "claimTarget"))
    source = ROUND_ITEMS.object(candidate["source"], f"{pointer}/source")
    target = ROUND_ITEMS.object(candidate["claimTarget"], f"{pointer}/claimTarget")
    source_ref = ROUND_ITEMS.string(source.get("sourceRef"), f"{pointer}/source/sourceRef")
    return {
        "role": candidate.get("role"),
        "value": candidate["value"],
        "locator": candidate.get("locator"),
        "claimTarget": target,
        "sourceRef": source_ref,
        "checksum": source.get("checksum"),
    }
