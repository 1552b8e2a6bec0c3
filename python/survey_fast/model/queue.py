"""A queue as it was opened, and the record that binds a round to it.

Item names are the keys of every map. Rules about values (the grammar of a seed, a rate above 0
and at most 1, sorted item names) are checked where a queue is opened, bound or replayed.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from survey_fast.model.item import ApiVersion, ReviewItem
from survey_fast.model.names import CandidateId, ItemName
from survey_fast.model.wire import HexDigest, Listed, MayLack, Number, WireRecord

__all__ = [
    "BindingSpec",
    "DecisionKind",
    "Presentation",
    "QueueSampling",
    "RandomAuditSampling",
    "ReviewQueueBinding",
    "ReviewQueueSnapshot",
    "Sampling",
]

DecisionKind: TypeAlias = Literal[
    "accept-proposed", "select-proposed", "keep-current", "reject-proposed", "could-not-confirm"
]


class Presentation(WireRecord):
    """Whether the session shows scores and verifier results."""

    score_blind: bool


class QueueSampling(WireRecord):
    """The session covers the whole queue."""

    kind: Literal["queue"]


class RandomAuditSampling(WireRecord):
    """The session covers a seeded draw; ``rate`` is the chance of each item, above 0 up to 1."""

    kind: Literal["random-audit"]
    rate: Number
    seed: str


Sampling: TypeAlias = Annotated[QueueSampling | RandomAuditSampling, Field(discriminator="kind")]


class ReviewQueueSnapshot(WireRecord):
    """A review session before its first event.

    ``active_item_name`` is ``""`` in an empty queue. ``reviewed_at`` is an ISO instant.
    """

    items: Listed[ReviewItem]
    active_item_name: ItemName
    notes_by_item_name: dict[ItemName, str]
    decisions_by_item_name: dict[ItemName, DecisionKind]
    reviewed_at: str
    actor_id: str
    edited_values_by_item_name: MayLack[dict[ItemName, JsonValue]] = None
    attempt_evidence_ids_by_item_name: MayLack[dict[ItemName, Listed[str]]] = None
    selected_candidate_ids_by_item_name: MayLack[dict[ItemName, CandidateId]] = None
    presentation: MayLack[Presentation] = None
    sampling: MayLack[Sampling] = None


class BindingSpec(WireRecord):
    """What was bound.

    ``snapshot_hash`` covers the canonical text of the whole snapshot: under RFC 8785 when
    ``canonicalization`` says so, in collated order when it is absent.
    """

    session_name: str
    snapshot_hash: HexDigest
    item_names: Listed[ItemName]
    bound_at: str
    canonicalization: MayLack[Literal["rfc8785"]] = None


class ReviewQueueBinding(WireRecord):
    """Ties a session to exactly one queue; taken once, when the round opens."""

    api_version: ApiVersion
    kind: Literal["ReviewQueueBinding"]
    spec: BindingSpec
