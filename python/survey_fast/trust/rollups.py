"""What the statuses of its claims make of a requirement, and of a group of requirements.

1. A requirement that lists no claim is ``unknown``; otherwise it is as bad as the worst of them. A
   claim that is ``unknown`` leaves it ``proposed``.
2. A group is as bad as the worst requirement that it requires, or ``verified`` as soon as one of
   them is where any one is enough. A group without requirements stands for its own claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

__all__ = ["group_rollups"]

Record: TypeAlias = "dict[str, Any]"

_WORST_FIRST: Final = (
    *("revoked", "rejected", "disputed", "stale", "superseded"),
    *("unknown", "proposed", "assumed", "verified"),
)


def group_rollups(groups: Iterable[Record], statuses: Mapping[str, str]) -> list[Record]:
    """The status of every group and of each of its requirements."""
    return [_rollup(group, statuses) for group in groups]


def _rollup(group: Record, statuses: Mapping[str, str]) -> Record:
    policy = group.get("rollupPolicy", {})
    required_ids = _required_ids(group.get("requirements", []), policy)
    rows = [
        {
            "requirementId": one["id"],
            "title": one["title"],
            "required": one["id"] in required_ids,
            "status": _of_claims(one["claimIds"], statuses),
            "claimIds": one["claimIds"],
        }
        for one in group.get("requirements", ())
    ]
    if rows:
        required = [row["status"] for row in rows if row["required"]]
        is_enough = policy.get("mode") == "any-required" and "verified" in required
        status = "verified" if is_enough else _worst(required)
    else:
        status = _of_claims(group.get("claimIds", []), statuses)
    return {
        "claimGroupId": group["id"],
        "title": group["title"],
        "kind": group["kind"],
        "status": status,
        "requirements": rows,
    }


def _required_ids(requirements: list[Record], policy: Record) -> set[str]:
    """The requirements that count: those the policy lists, or all that are not optional."""
    found = {one["id"] for one in requirements if one.get("required") is not False}
    listed = policy.get("requiredRequirementIds")
    return (found if listed is None else set(listed)) - set(
        policy.get("optionalRequirementIds", ())
    )


def _of_claims(claims: list[str], statuses: Mapping[str, str]) -> str:
    if not claims:
        return "unknown"
    worst = _worst(statuses[claim] for claim in claims)
    return "proposed" if worst == "unknown" else worst


def _worst(statuses: Iterable[str]) -> str:
    found = set(statuses)
    if not found:
        return "unknown"
    worst = next(status for status in _WORST_FIRST if status in found)
    return "stale" if worst == "superseded" else worst
