"""The policies under which an accepted value is verified.

1. There is one policy for each type of claim. It requires the method by which the evidence came to
   be, so that an accepted claim is verified under every version of the status function and falls
   back to proposed when its evidence is dropped. A policy that required nothing would count as
   none.
2. A claim whose evidence came by another method has a policy of its own type and method.
3. A policy is as weighty as the weightiest of its claims. Policies stand in the order of their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from survey_fast.canon import sort_names
from survey_fast.errors import refusal
from survey_fast.trust.survey_shape import IMPACTS

__all__ = ["policies_of", "policy_id"]

Record: TypeAlias = Mapping[str, Any]
_METHOD: Final = "extraction"
_CRITERION: Final = "a reviewer accepted the value as it was extracted from the cited source"


class _Group(NamedTuple):
    claim_type: str
    method: str


def policy_id(target: Record) -> str:
    """The policy that a claim is under."""
    return _name(_Group(target["claimType"], target.get("evidenceMethod", _METHOD)))


def _name(group: _Group) -> str:
    plain = f"policy.survey-review.{group.claim_type}"
    return plain if group.method == _METHOD else f"{plain}.{group.method}"


def policies_of(targets: Iterable[Record]) -> list[dict[str, Any]]:
    """The policies of some claims.

    Raises:
        ProjectionError: ``projection-id-conflict`` where the type of one claim reads like type and
            method of another.
    """
    impacts: dict[_Group, set[str]] = {}
    for target in targets:
        group = _Group(target["claimType"], target.get("evidenceMethod", _METHOD))
        impacts.setdefault(group, set()).add(target["impactLevel"])
    groups: dict[str, _Group] = {}
    for group in impacts:
        name = _name(group)
        if groups.setdefault(name, group) is not group:
            message = f"two different policies would be called {name!r}"
            raise refusal("projection-id-conflict", message, "/claims")
    return [
        _policy(name, groups[name], max(impacts[groups[name]], key=IMPACTS.index))
        for name in sort_names([*groups])
    ]


def _policy(name: str, group: _Group, impact_level: str) -> dict[str, Any]:
    return {
        "id": name,
        "claimType": group.claim_type,
        "requiredEvidence": [],
        "requiredMethods": [group.method],
        "acceptanceCriteria": [_CRITERION],
        "reviewAuthority": "survey-review",
        "validityRule": {"kind": "manual"},
        "stalenessTriggers": [],
        "conflictRules": [],
        "impactLevel": impact_level,
    }
