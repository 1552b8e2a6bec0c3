"""Which decisions of earlier rounds still hold in a new one.

1. A prior decision is live unless a supersession names it by digest.
2. An item carries when exactly one live prior is on its slot, the versions are the same, every
   version says the same in both rounds, and the decision came to something that the policy
   carries: ``accepted``, unless more is asked for. What is carried is recorded; nothing is decided
   anew, and the record says so (basis ``carried-forward``).
3. Everything else needs review, for the first reason that applies, in the order of
   :data:`ReviewReason`.
4. Two sources without a checksum look alike whatever they hold. A policy with ``requireChecksum``
   sends such an item to review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import Document, Json, sort_names
from survey_fast.canon.arguments import mapping_argument, text_argument
from survey_fast.canon.text import has_content
from survey_fast.model import ItemName
from survey_fast.rounds.items import PriorItem, RoundItem, read_priors, read_round
from survey_fast.rounds.records import (
    RESOLUTIONS,
    DecisionCarryForward,
    DecisionReference,
    DecisionSupersession,
    check_address,
    check_format,
    check_reference,
    content_address,
)
from survey_fast.rounds.reference import superseded_digests
from survey_fast.rounds.shape import CARRY_FORWARD, POLICY, ROUND_ITEMS, Members
from survey_fast.rounds.supersession import read_supersessions

__all__ = [
    "NeedsReview",
    "ReviewReason",
    "Split",
    "new_carry_forward",
    "split_round_for_carry_forward",
    "validate_carry_forward",
]

ReviewReason: TypeAlias = Literal[
    "no-prior-decision",
    "ambiguous-prior-decisions",
    "candidate-changed",
    "candidate-content-changed",
    "source-without-checksum",
    "resolution-not-carried",
]

_KIND: Final = "survey.decision-carry-forward"
_BASIS: Final = "carried-forward"
_CARRIED_UNASKED: Final = frozenset({"accepted"})
_REQUIRED: Final = (
    "id",
    "kind",
    "schemaVersion",
    "priorDecision",
    "slotId",
    "versionIds",
    "roundId",
    "reviewItemName",
    "resolution",
    "basis",
)


@dataclass(frozen=True, slots=True)
class NeedsReview:
    """An item of the round that has to be decided.

    Attributes:
        review_item_name: the item.
        slot_id: its slot.
        reason: why no decision carries.
        prior_decision: the one live prior, where there is one.
    """

    review_item_name: ItemName
    slot_id: str
    reason: ReviewReason
    prior_decision: DecisionReference | None = None

    def to_json(self) -> dict[str, Json]:
        """``{reviewItemName, slotId, reason, priorDecision?}``."""
        body: dict[str, Json] = {
            "reviewItemName": self.review_item_name,
            "slotId": self.slot_id,
            "reason": self.reason,
        }
        if self.prior_decision is not None:
            body["priorDecision"] = self.prior_decision.to_json()
        return body


@dataclass(frozen=True, slots=True)
class Split:
    """A round parted in two; each part in the order of the round."""

    carried_forward: tuple[DecisionCarryForward, ...]
    needs_review: tuple[NeedsReview, ...]

    def to_json(self) -> dict[str, Json]:
        """``{carriedForward, needsReview}``."""
        return {
            "carriedForward": [one.to_json() for one in self.carried_forward],
            "needsReview": [one.to_json() for one in self.needs_review],
        }


@dataclass(frozen=True, slots=True)
class _Policy:
    carry: frozenset[str] = _CARRIED_UNASKED
    requires_checksum: bool = False


def split_round_for_carry_forward(
    *,
    round_id: str,
    items: Sequence[Mapping[str, Any]],
    prior_decisions: Sequence[Mapping[str, Any]],
    supersessions: Sequence[Document | DecisionSupersession] = (),
    policy: Mapping[str, Any] | None = None,
) -> Split:
    """Part the items of a new round: those whose prior decision still holds, and the others.

    Args:
        round_id: names the new round.
        items: ``{item, slotId, candidateVersionIds}`` as plain data. Slot and version ids are the
            producer's; an item without a slot id cannot be split, it always needs review.
        prior_decisions: the same with ``decision``, from any earlier round.
        supersessions: records of :func:`build_decision_supersession`.
        policy: ``{"carry": […], "requireChecksum": bool}``: which of accepted, rejected and
            could_not_confirm are carried (accepted alone unless given), and whether a source
            without a checksum sends its item to review (rule 4; it does not unless given).

    Raises:
        SurveyError: ``round-items-invalid``, ``carry-policy-invalid``, ``supersession-invalid``,
            ``decision-malformed``, ``resolution-inconsistent``. The pointer leads into
            ``{roundId, items, priorDecisions, supersessions, policy}``.
        TypeError: an argument is of a wrong Python type.
    """
    if not has_content(text_argument("round_id", round_id)):
        message = "a round has an id that is not blank"
        raise ROUND_ITEMS.refuse(message, "/roundId")
    rules = _Policy() if policy is None else _read_policy(mapping_argument("policy", policy))
    live = _live_priors(prior_decisions, supersessions)
    carried: list[DecisionCarryForward] = []
    review: list[NeedsReview] = []
    for item in read_round(items):
        priors = live.get(item.slot_id, [])
        if len(priors) != 1:
            reason: ReviewReason = "ambiguous-prior-decisions" if priors else "no-prior-decision"
            review.append(NeedsReview(item.name, item.slot_id, reason))
            continue
        prior = priors[0]
        obstacle = _obstacle(item, prior, rules)
        if obstacle is None:
            carried.append(_carried(item, prior, round_id))
        else:
            reference = prior.decision.reference()
            review.append(NeedsReview(item.name, item.slot_id, obstacle, reference))
    return Split(tuple(carried), tuple(review))


def _live_priors(
    prior_decisions: Sequence[Mapping[str, Any]],
    supersessions: Sequence[Document | DecisionSupersession],
) -> dict[str, list[PriorItem]]:
    """Rule 1: the priors that count, by slot."""
    priors = read_priors(prior_decisions)
    superseded = superseded_digests(
        read_supersessions(supersessions), [prior.decision for prior in priors]
    )
    live: dict[str, list[PriorItem]] = {}
    for prior in priors:
        if not prior.decision.is_among(superseded):
            live.setdefault(prior.item.slot_id, []).append(prior)
    return live


def _obstacle(item: RoundItem, prior: PriorItem, policy: _Policy) -> ReviewReason | None:
    """Rules 2 to 4: why the one live prior of a slot does not carry, or nothing."""
    if not item.has_versions_of(prior.item):
        return "candidate-changed"
    if not item.says_what(prior.item):
        return "candidate-content-changed"
    if policy.requires_checksum and item.lacks_checksum():
        return "source-without-checksum"
    if prior.decision.resolution not in policy.carry:
        return "resolution-not-carried"
    return None


def _carried(item: RoundItem, prior: PriorItem, round_id: str) -> DecisionCarryForward:
    members: Members = {
        "priorDecision": prior.decision.reference().to_json(),
        "slotId": item.slot_id,
        "versionIds": [*sort_names(list(item.candidates))],
        "roundId": round_id,
        "reviewItemName": item.name,
        "resolution": prior.decision.resolution,
    }
    selected = prior.selected_version()
    if selected is not None:
        members["candidateId"] = item.candidate_of(selected)
    return new_carry_forward(members)


def new_carry_forward(members: Members) -> DecisionCarryForward:
    """The record of checked members; kind, version, basis and id are added."""
    payload: Members = {"kind": _KIND, "schemaVersion": 1, **members, "basis": _BASIS}
    return DecisionCarryForward.from_json({"id": content_address(payload), **payload})


def validate_carry_forward(record: Document | DecisionCarryForward) -> DecisionCarryForward:
    """Check a stored carry-forward record against its format and its own digest.

    Args:
        record: bytes, text or plain data; a record of this package is checked all the same.

    Returns:
        The record as an immutable copy; ``to_json()`` gives the document again.

    Raises:
        SurveyError: ``carry-forward-invalid``, with a pointer into the record.
        JsonError: not lossless JSON.
        TypeError: neither a document nor a record.
    """
    shape = CARRY_FORWARD
    members = shape.record(record)
    shape.require(members, "", _REQUIRED)
    shape.close(members, "", (*_REQUIRED, "candidateId"))
    check_format(shape, members, _KIND)
    shape.word(members["basis"], "/basis", (_BASIS,))
    shape.word(members["resolution"], "/resolution", RESOLUTIONS)
    check_reference(shape, members, "priorDecision")
    for name in ("slotId", "roundId", "reviewItemName", "candidateId"):
        if name in members:
            shape.text(members[name], f"/{name}")
    listed = shape.array(members["versionIds"], "/versionIds")
    versions = [shape.text(one, f"/versionIds/{at}") for at, one in enumerate(listed)]
    if len(set(versions)) < len(versions) or versions != sort_names(versions):
        message = "version ids stand once each, in UTF-16 code-unit order"
        raise shape.refuse(message, "/versionIds")
    check_address(shape, members)
    return DecisionCarryForward.from_json(members)


def _read_policy(policy: Members) -> _Policy:
    POLICY.close(policy, "/policy", ("carry", "requireChecksum"))
    carry = _CARRIED_UNASKED
    if "carry" in policy:
        listed = POLICY.listed(policy["carry"], "/policy/carry")
        carry = frozenset(
            POLICY.word(one, f"/policy/carry/{at}", RESOLUTIONS) for at, one in enumerate(listed)
        )
    requires_checksum = policy.get("requireChecksum", False)
    if not isinstance(requires_checksum, bool):
        message = "true or false belongs here"
        raise POLICY.refuse(message, "/policy/requireChecksum")
    return _Policy(carry, requires_checksum)
