"""What became of the claims that a derived claim rests on, and what that asks for.

``recompute`` asks for the value to be derived anew, ``review`` for somebody to look, ``blocked``
says that neither helps before the input itself is dealt with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["change_records"]

Record: TypeAlias = "dict[str, Any]"

_BY_STATUS: Final = {
    "stale": "recompute",
    "superseded": "recompute",
    "disputed": "review",
    "assumed": "review",
    "rejected": "blocked",
}
_CYCLE: Final = "derivation-cycle"


def change_records(
    inputs: Mapping[str, Sequence[str]],
    statuses: Mapping[str, str],
    circular: set[str],
    now: str,
) -> list[Record]:
    """One record for each derived claim and each thing that happened to its direct inputs."""
    return [
        {"id": f"{claim}.change.{kind}", "claimId": claim, "type": kind, **what, "createdAt": now}
        for claim, names in inputs.items()
        for kind, what in _changes(claim, names, statuses, circular)
    ]


def _changes(
    claim: str, names: Sequence[str], statuses: Mapping[str, str], circular: set[str]
) -> Iterator[tuple[str, Record]]:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(statuses[name], []).append(name)
    for status, action in _BY_STATUS.items():
        if status in found:
            yield f"input-{status}", {"action": action, "inputClaimIds": found[status]}
    if claim in circular:
        looped = [name for name in dict.fromkeys(names) if name in circular]
        yield _CYCLE, {"action": "blocked", "inputClaimIds": looped}
