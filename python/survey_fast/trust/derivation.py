"""Derived claims: none is better than the weakest claim it rests on, however far away.

Both functions visit every claim and every edge once, without recursion, so chains of any length
and cycles of any shape are ordinary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

__all__ = ["STRENGTH", "capped", "circular"]

STRENGTH: Final = (
    *("revoked", "rejected", "disputed", "superseded", "stale"),
    *("unknown", "assumed", "proposed", "verified"),
)
"""Statuses, weakest first."""


def capped(own: Mapping[str, str], inputs: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The weakest status among each claim's own and those of all it rests on.

    Args:
        own: own status by claim.
        inputs: direct inputs by claim, for those that have any. One that is no claim counts as
            ``unknown``.
    """
    final = dict(own)
    resting_on: dict[str, list[str]] = {}
    for claim, names in inputs.items():
        for name in names:
            resting_on.setdefault(name, []).append(claim)
    # From the weakest source on, so that the first status to reach a claim is its weakest.
    sources: dict[str, list[str]] = {status: [] for status in STRENGTH}
    for name in resting_on:
        sources[own.get(name, "unknown")].append(name)
    reached: set[str] = set()
    for status in STRENGTH:
        waiting = [name for name in sources[status] if name not in reached]
        while waiting:
            name = waiting.pop()
            if name in reached:
                continue
            reached.add(name)
            if name in final:
                final[name] = _weaker(final[name], status)
            waiting.extend(resting_on.get(name, ()))
    return final


def _weaker(one: str, other: str) -> str:
    return min(one, other, key=STRENGTH.index)


def circular(inputs: Mapping[str, Sequence[str]]) -> set[str]:
    """Claims that rest on themselves, through others."""
    walk = _Walk(inputs)
    for claim in inputs:
        walk.visit(claim)
    return walk.circular


class _Walk:
    """Tarjan's components, on a path that is kept as data."""

    def __init__(self, inputs: Mapping[str, Sequence[str]]) -> None:
        self.circular: set[str] = set()
        self._inputs = inputs
        self._order: dict[str, int] = {}
        self._lowest: dict[str, int] = {}
        self._open: list[str] = []
        self._is_open: set[str] = set()
        self._path: list[tuple[str, Iterator[str]]] = []

    def visit(self, start: str) -> None:
        """Walk from a claim to all it rests on."""
        if start not in self._order:
            self._enter(start)
        while self._path:
            claim, rest = self._path[-1]
            name = next(rest, None)
            if name is None:
                self._leave()
            elif name not in self._order:
                self._enter(name)
            elif name in self._is_open:
                self._lowest[claim] = min(self._lowest[claim], self._order[name])

    def _enter(self, claim: str) -> None:
        self._order[claim] = self._lowest[claim] = len(self._order)
        self._open.append(claim)
        self._is_open.add(claim)
        self._path.append((claim, iter(self._inputs.get(claim, ()))))

    def _leave(self) -> None:
        claim, _ = self._path.pop()
        if self._path:
            above = self._path[-1][0]
            self._lowest[above] = min(self._lowest[above], self._lowest[claim])
        if self._lowest[claim] == self._order[claim]:
            at = len(self._open) - 1
            while self._open[at] != claim:
                at -= 1
            component = self._open[at:]
            del self._open[at:]
            self._is_open.difference_update(component)
            if len(component) > 1 or claim in self._inputs.get(claim, ()):
                self.circular.update(component)
