"""The two records of a later round, and how both are addressed by their content.

1. Both are closed, and immutable once made. The id is ``sha256:`` over the canonical text (``jcs``)
   of ``{kind: <kind>/v1, payload: <all members but the id>}``. It shows an edit and signs nothing.
2. A decision is named by reference, name and digest. The name alone repeats from round to round.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

from survey_fast.canon import canonical_digest
from survey_fast.model import CandidateId, ItemName, PrefixedSha256, WireRecord
from survey_fast.model.wire import Listed, MayLack, PrefixedDigest
from survey_fast.rounds.shape import Members, RoundShape

__all__ = [
    "RESOLUTIONS",
    "DecisionCarryForward",
    "DecisionReference",
    "DecisionSupersession",
    "Resolution",
    "SupersessionReason",
    "check_address",
    "check_format",
    "check_reference",
    "content_address",
]

Resolution: TypeAlias = Literal["accepted", "rejected", "could_not_confirm"]
"""What a decision came to. A held item came to nothing yet."""
SupersessionReason: TypeAlias = Literal["candidate-changed", "re-reviewed"]

RESOLUTIONS: Final[tuple[str, ...]] = get_args(Resolution)
_DIGEST: Final = re.compile("sha256:[0-9a-f]{64}")
_VERSION: Final = 1


class DecisionReference(WireRecord):
    """One decision, by name and by the digest of its whole document."""

    name: str
    digest: PrefixedDigest


class DecisionCarryForward(WireRecord):
    """A decision of an earlier round that still holds, because nothing it was about has changed.

    Attributes:
        id: digest of all other members.
        prior_decision: the decision that is carried.
        slot_id: the producer's name for the field, the same in both rounds.
        version_ids: the candidates' versions, the same in both rounds; sorted by UTF-16 unit.
        round_id: the round it is carried into.
        review_item_name: the item of that round.
        candidate_id: the candidate of that round which the decision selects, if it selects one.
        resolution: what the decision came to.
    """

    id: PrefixedDigest
    kind: Literal["survey.decision-carry-forward"]
    schema_version: Literal[1]
    prior_decision: DecisionReference
    slot_id: str
    version_ids: Listed[str]
    round_id: str
    review_item_name: ItemName
    candidate_id: MayLack[CandidateId] = None
    resolution: Resolution
    basis: Literal["carried-forward"]


class DecisionSupersession(WireRecord):
    """A later decision on a slot takes the place of an earlier one.

    Attributes:
        id: digest of all other members.
        prior_decision: the decision that no longer counts.
        new_decision: the one that does.
        slot_id: the slot of both.
        reason: ``re-reviewed`` when the candidates are what they were, else
            ``candidate-changed``.
    """

    id: PrefixedDigest
    kind: Literal["survey.decision-supersession"]
    schema_version: Literal[1]
    prior_decision: DecisionReference
    new_decision: DecisionReference
    slot_id: str
    reason: SupersessionReason


def content_address(payload: Members) -> PrefixedSha256:
    """The id of a record with these members, under rule 1."""
    addressed: Members = {"kind": f"{payload['kind']}/v1", "payload": payload}
    return PrefixedSha256(f"sha256:{canonical_digest(addressed)}")


def check_format(shape: RoundShape, members: Members, kind: str) -> None:
    """Refuse a record of another kind or version."""
    shape.word(members["kind"], "/kind", (kind,))
    version = members["schemaVersion"]
    if isinstance(version, bool) or version != _VERSION:
        message = "only version 1 of this format is read here"
        raise shape.refuse(message, "/schemaVersion")


def check_address(shape: RoundShape, members: Members) -> None:
    """Refuse a record whose id is not that of its content."""
    shape.string(members["id"], "/id")
    rest = {name: value for name, value in members.items() if name != "id"}
    if content_address(rest) != members["id"]:
        message = "the id is not the digest of the record; it was edited"
        raise shape.refuse(message, "/id")


def check_reference(shape: RoundShape, members: Members, name: str) -> str:
    """Check the reference that ``members`` holds under ``name``; its digest."""
    pointer = f"/{name}"
    reference = shape.object(members[name], pointer)
    shape.require(reference, pointer, ("name", "digest"))
    shape.close(reference, pointer, ("name", "digest"))
    shape.text(reference["name"], f"{pointer}/name")
    digest = shape.string(reference["digest"], f"{pointer}/digest")
    if _DIGEST.fullmatch(digest) is None:
        message = "sha256: and 64 lower-case hex digits belong here"
        raise shape.refuse(message, f"{pointer}/digest")
    return digest
