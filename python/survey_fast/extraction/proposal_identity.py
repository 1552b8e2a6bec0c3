"""Names of what a proposal is about, and of the version of it that was seen.

1. A *slot* is a field of a source, a row of it where the path has indices. Its id does not depend
   on the value, the words, the model or the run.
2. A *version* is a slot with a value and the words it was read from, in one prepared text. Any of
   these changed is another version; confidence, hint, model and run are no part of it.
3. Indices are numbered by the model, in each chunk anew. So a proposal that has some, out of a run
   of several chunks, has neither id, unless the caller says what tells the rows apart.

Both are functions of an envelope and the place of a proposal, and never part of an envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NewType, TypeAlias

from survey_fast import _core
from survey_fast.canon import (
    Document,
    Json,
    data_digest,
    data_json,
    plain_data,
    reading,
    sort_names,
)
from survey_fast.limits import DEFAULT, ImportLimits, resolved

__all__ = [
    "ProposalIdentity",
    "RowKey",
    "SlotId",
    "VersionId",
    "candidate_version_id",
    "identities_of",
    "is_chunked",
    "item_slot_id",
    "proposal_identities",
]

SlotId = NewType("SlotId", str)
"""``slot:sha256:`` and 64 hexadecimal digits."""
VersionId = NewType("VersionId", str)
"""``version:sha256:`` and 64 hexadecimal digits."""

RowKey: TypeAlias = "Callable[[Mapping[str, Any], int], Json]"
"""What tells the rows of a list apart, from a proposal and its place; stands for its indices."""


@dataclass(frozen=True, slots=True)
class ProposalIdentity:
    """The ids of one proposal."""

    proposal_index: int
    slot_id: SlotId
    version_id: VersionId

    def to_json(self) -> dict[str, Any]:
        """``{proposalIndex, slotId, versionId}``."""
        return {
            "proposalIndex": self.proposal_index,
            "slotId": self.slot_id,
            "versionId": self.version_id,
        }


def proposal_identities(
    envelope: Document, *, key: RowKey | None = None, limits: ImportLimits = DEFAULT
) -> list[ProposalIdentity | None]:
    """The ids of every proposal of an envelope, in order; ``None`` by rule 3.

    Args:
        envelope: an envelope.
        key: what tells rows apart, for every proposal, instead of the numbers in its path.
        limits: caps of the envelope.

    Raises:
        JsonError, EnvelopeError: the envelope, or what ``key`` returned, cannot be read.
    """
    with reading(envelope) as raw:
        caps = resolved(limits)
        found = _core.proposal_identities(raw, None, caps)
        document: Any = plain_data(raw)
        return _identities(raw, document["result"], found, key, caps)


def identities_of(
    envelope: bytes, document: Mapping[str, Any], *, key: RowKey | None, limits: ImportLimits
) -> list[ProposalIdentity | None]:
    """The same for an envelope that is at hand as plain data too."""
    caps = resolved(limits)
    found = _core.proposal_identities(envelope, None, caps)
    return _identities(envelope, document["result"], found, key, caps)


def _identities(
    raw: bytes,
    result: Mapping[str, Any],
    found: list[tuple[str, str]],
    key: RowKey | None,
    caps: tuple[int, int, int, int],
) -> list[ProposalIdentity | None]:
    proposals = result["proposals"]
    if key is not None:
        # The caller's function sees only proposals that were validated.
        keys = data_json([key(one, at) for at, one in enumerate(proposals)])
        found = _core.proposal_identities(raw, keys, caps)
    is_unsure = key is None and is_chunked(result)
    return [
        None
        if is_unsure and "pathIndices" in proposal
        else ProposalIdentity(place, SlotId(slot), VersionId(version))
        for place, (proposal, (slot, version)) in enumerate(zip(proposals, found, strict=True))
    ]


def is_chunked(result: Mapping[str, Any]) -> bool:
    """Whether a text was read in several parts, as far as the ``result`` of its envelope says."""
    warnings = result.get("warningClassifications", ())
    partial = result.get("partial", {})
    return (
        any(one["code"] == "content-chunking" for one in warnings)
        or len({one["chunk"] for one in result.get("coverage", ())}) > 1
        or partial.get("completedChunks", 0) + partial.get("remainingChunks", 0) > 1
    )


def item_slot_id(slots: Sequence[SlotId | None]) -> SlotId | None:
    """The slot of an item made of several proposals: theirs, when they agree on one."""
    return slots[0] if slots and all(one == slots[0] for one in slots) else None


def candidate_version_id(versions: Iterable[VersionId]) -> VersionId:
    """The version of a candidate: over those of its lead proposal and of all with its value."""
    ordered: list[Json] = [*sort_names(list(versions))]
    return VersionId(f"version:sha256:{data_digest(ordered)}")
