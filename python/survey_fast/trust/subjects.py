"""Which subjects are one: those that aliases of claims and identity links join.

A group is called by the smallest ``type::id`` of its members, by UTF-16 code unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = ["Subject", "Subjects", "subject_of"]

Record: TypeAlias = "dict[str, Any]"
Subject: TypeAlias = "tuple[str, str]"
"""Type and id."""


def subject_of(record: Mapping[str, Any]) -> Subject:
    """What a claim, an alias or a link is about."""
    return record["subjectType"], record["subjectId"]


class Subjects:
    """The subjects of a valid bundle, in groups."""

    def __init__(self, bundle: Record) -> None:
        self._parent: dict[Subject, Subject] = {}
        for first, second in _joined(bundle):
            self._parent[self._root(first)] = self._root(second)
        members: dict[Subject, list[Subject]] = {}
        for subject in self._parent:
            members.setdefault(self._root(subject), []).append(subject)
        self._members = {root: sorted(found, key=_order) for root, found in members.items()}

    def key(self, subject: Subject) -> str:
        """The name of the group that holds a subject."""
        return "::".join(self._members[self._root(subject)][0])

    def groups(self, claims: list[Record]) -> list[Record]:
        """Every group that a claim is about, in the order of the claims."""
        claim_ids: dict[Subject, list[str]] = {}
        for claim in claims:
            claim_ids.setdefault(self._root(subject_of(claim)), []).append(claim["id"])
        return [
            {
                "canonicalKey": "::".join(self._members[root][0]),
                "members": [
                    {"subjectType": kind, "subjectId": name} for kind, name in self._members[root]
                ],
                "claimIds": ids,
            }
            for root, ids in claim_ids.items()
        ]

    def _root(self, subject: Subject) -> Subject:
        above = self._parent.setdefault(subject, subject)
        while above != subject:
            # Halving the path keeps every later walk short.
            self._parent[subject] = self._parent[above]
            subject, above = above, self._parent[above]
        return subject


def _joined(bundle: Record) -> Iterator[tuple[Subject, Subject]]:
    """Pairs of subjects that are one; a claim's own with itself, so that it is known."""
    for claim in bundle["claims"]:
        own = subject_of(claim)
        yield own, own
        for alias in claim.get("subjectAliases", ()):
            yield own, subject_of(alias)
    for link in bundle.get("identityLinks", ()):
        first = subject_of(link["subjects"][0])
        for other in link["subjects"][1:]:
            yield first, subject_of(other)


def _order(subject: Subject) -> bytes:
    return "::".join(subject).encode("utf-16-be")
