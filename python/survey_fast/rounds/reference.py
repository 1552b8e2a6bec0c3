"""Decisions as a round refers to them: by the digest of the whole document, never by name.

1. References are written under ``jcs``. A digest that is looked up may also be the ``collated``
   one, under which older references were written, and the profile that matched is told. A decision
   that has no portable collated digest simply does not match under it.
2. What a decision came to: could not confirm by its resolution; held is nothing yet, whatever the
   status; otherwise rejected or accepted (verified or assumed) by its status, else nothing.
3. Status and resolution that contradict each other are refused, not interpreted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from survey_fast.canon import Document, Json, canonical_digest, canonical_json
from survey_fast.canon.document import document_bytes
from survey_fast.errors import NotPortableError, refusal
from survey_fast.model import CandidateId, ItemName, PrefixedSha256
from survey_fast.rounds.records import DecisionReference, DecisionSupersession, Resolution
from survey_fast.rounds.shape import DECISION, Members

__all__ = [
    "Decision",
    "ReferenceProfile",
    "decision_at_hand",
    "decision_reference",
    "matching_profile",
    "read_decision",
    "superseded_digests",
]

ReferenceProfile: TypeAlias = Literal["jcs", "collated"]

_PROFILES: Final[tuple[ReferenceProfile, ...]] = ("jcs", "collated")
_STATUSES: Final = ("verified", "assumed", "rejected", "proposed")
_FITTING: Final[dict[str, tuple[str, ...]]] = {
    "accepted": ("verified", "assumed"),
    "rejected": ("rejected",),
    "held": ("verified", "assumed", "proposed"),
    "could_not_confirm": ("proposed", "assumed"),
}
"""For each resolution the statuses that it can stand beside."""
_BY_STATUS: Final[dict[str, Resolution]] = {
    "verified": "accepted",
    "assumed": "accepted",
    "rejected": "rejected",
}


@dataclass(frozen=True)
class Decision:
    """A decision that was read.

    Attributes:
        document: the whole decision; the digests cover it.
        name: its name, which other decisions may share.
        item_name: the item it is about.
        candidate_id: the candidate it selects, if it selects one.
        resolution: what it came to; ``None`` while it is open.
    """

    document: Members
    name: str
    item_name: ItemName
    candidate_id: CandidateId | None
    resolution: Resolution | None

    def reference(self) -> DecisionReference:
        """The reference that new records name it by."""
        return DecisionReference(name=self.name, digest=_digest(self.document, "jcs"))

    @cached_property
    def digests(self) -> dict[PrefixedSha256, ReferenceProfile]:
        """Every digest that it can be looked up by, with the profile of each (rule 1)."""
        return _digests(self.document)

    def is_among(self, digests: Collection[str]) -> bool:
        """Whether one of ``digests`` is of this decision; nothing is hashed to look at none."""
        return bool(digests) and not self.digests.keys().isdisjoint(digests)


def decision_reference(decision: Document, profile: ReferenceProfile = "jcs") -> dict[str, str]:
    """Name a decision: ``{name, digest}``, the digest over the whole document.

    Args:
        decision: the decision document.
        profile: the order of members under the digest. New references use ``jcs``.

    Raises:
        DecisionError: ``decision-malformed``: no decision, or one without a name.
        JsonError: not strict JSON.
        NotPortableError: under ``collated``, a member name outside printable ASCII.
        TypeError, ValueError: not a document; another profile.
    """
    if profile not in _PROFILES:
        message = f"a reference is written under jcs or collated, not {profile!r}"
        raise ValueError(message)
    raw = document_bytes(decision)
    name, _ = _named(json.loads(canonical_json(decision)))
    return {"name": name, "digest": _digest(raw, profile)}


def matching_profile(decision: Document, digests: Collection[str]) -> ReferenceProfile | None:
    """The profile under which the digest of ``decision`` is one of ``digests``, or nothing.

    Args:
        decision: the decision document.
        digests: ``sha256:`` digests of references, of either profile.

    Raises:
        JsonError, TypeError: as :func:`decision_reference`.
    """
    if isinstance(digests, str):
        message = "digests is a collection of texts, not one text"
        raise TypeError(message)
    found = _digests(document_bytes(decision))
    return next((profile for digest, profile in found.items() if digest in digests), None)


def read_decision(decision: Document) -> Decision:
    """Check the members of a decision that a round reads; the rest is kept as it stands.

    Raises:
        DecisionError: ``decision-malformed``, ``resolution-inconsistent``.
        JsonError: not strict JSON.
        TypeError: not a document.
    """
    return decision_at_hand(DECISION.copy(decision))


def decision_at_hand(document: Members) -> Decision:
    """The same of plain data that was read strictly before, which is shared and not copied.

    Raises:
        DecisionError: as :func:`read_decision`.
    """
    name, spec = _named(document)
    item_name = DECISION.text(spec.get("reviewItemName"), "/spec/reviewItemName")
    candidate_id = None
    if "candidateId" in spec:
        candidate_id = CandidateId(DECISION.text(spec["candidateId"], "/spec/candidateId"))
    return Decision(document, name, ItemName(item_name), candidate_id, _resolution(spec))


def superseded_digests(
    supersessions: Iterable[DecisionSupersession], decisions: Iterable[Decision]
) -> frozenset[str]:
    """Digests of every decision that was superseded.

    A decision at hand is listed under all its digests, whichever of them the supersession names.
    """
    named = {str(one.prior_decision.digest) for one in supersessions}
    if not named:
        return frozenset()
    known = [decision.digests for decision in decisions if decision.is_among(named)]
    return frozenset(named.union(*known))


def _named(document: Json) -> tuple[str, Members]:
    members = DECISION.object(document, "")
    DECISION.word(members.get("kind"), "/kind", ("ReviewDecision",))
    metadata = DECISION.object(members.get("metadata"), "/metadata")
    name = DECISION.text(metadata.get("name"), "/metadata/name")
    return name, DECISION.object(members.get("spec"), "/spec")


def _resolution(spec: Members) -> Resolution | None:
    """Rules 2 and 3."""
    status = DECISION.word(spec.get("status"), "/spec/status", _STATUSES)
    if "resolution" in spec:
        stated = DECISION.word(spec["resolution"], "/spec/resolution", tuple(_FITTING))
        if status not in _FITTING[stated]:
            message = f"the resolution {stated} cannot stand beside the status {status}"
            raise refusal("resolution-inconsistent", message, "/spec/resolution")
        if stated == "could_not_confirm":
            return "could_not_confirm"
        if stated == "held":
            return None
    return _BY_STATUS.get(status)


def _digest(document: Document, profile: ReferenceProfile) -> PrefixedSha256:
    return PrefixedSha256(f"sha256:{canonical_digest(document, profile)}")


def _digests(document: Document) -> dict[PrefixedSha256, ReferenceProfile]:
    found: dict[PrefixedSha256, ReferenceProfile] = {_digest(document, "jcs"): "jcs"}
    with suppress(NotPortableError):
        found.setdefault(_digest(document, "collated"), "collated")
    return found
