"""Ids that items, candidates and decisions hint at; most hint at nothing.

All candidates of an item belong to one candidate set. All claim ids that are given, by whomever,
are one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.reviewed_item import Reviewed

__all__ = ["NOTHING", "Hints"]

Record: TypeAlias = Mapping[str, Any]

NOTHING: Final[Mapping[str, Any]] = {}
"""No members."""


class Hints:
    """What item, decision and candidates say about ids; most say nothing."""

    def __init__(self, one: Reviewed, candidates: list[Record]) -> None:
        spec = one.item["spec"]
        self.of_candidates: list[Record] = [two.get("projection") or NOTHING for two in candidates]
        self.given = [hint for hint in self.of_candidates if hint]
        self.of_item: Record = spec.get("projection") or NOTHING
        # What an earlier decision was applied to is no part of this round.
        self.of_decision: Record = NOTHING
        if one.carried is None:
            self.of_decision = one.spec.get("projection") or NOTHING
        self._name = one.name

    def set_id(self, place: str) -> str:
        """The one candidate set of all candidates (rule 1)."""
        default: str = self.of_item.get("candidateSetId") or f"{self._name}.candidates"
        if not self.given:
            return default
        ids = {hint.get("candidateSetId") or default for hint in self.of_candidates}
        if len(ids) > 1:
            message = "all candidates of an item belong to one candidate set"
            raise refusal("candidate-set-id-mismatch", message, place)
        return next(iter(ids))

    def claim_id(self, candidates: list[Record], pointer: str) -> str:
        """The one claim id that is given, or the default (rule 1)."""
        holders = [two["claimTarget"] for two in candidates]
        holders += (self.of_decision, self.of_item, *self.given)
        names = {one["claimId"] for one in holders if "claimId" in one}
        if len(names) > 1:
            message = "decision, item and candidates name different claims"
            raise refusal("claim-id-mismatch", message, pointer)
        return next(iter(names)) if names else f"{self._name}.claim"
