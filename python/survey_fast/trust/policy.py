"""Which policy a claim is under, and whether that policy asks for anything.

A claim that names a policy is under that one. Otherwise the first policy declared for its type
counts, and failing that the type's parent would be climbed to. The parent is named by a policy for
the type itself, which has matched by then, so there is nothing to climb: ``parentType`` is carried
and never leads to a policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Policies", "Policy"]

Record: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy with its requirements as sets."""

    record: Record
    types: frozenset[str]
    methods: frozenset[str]
    needs_two: bool

    @property
    def asks_for_something(self) -> bool:
        """Whether evidence of some type or by some method is required."""
        return bool(self.types or self.methods)

    @property
    def validity(self) -> Record:
        """The validity rule."""
        rule: Record = self.record["validityRule"]
        return rule


class Policies:
    """The policies of a bundle; of two that share an id or a type, the first one counts."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._by_id: dict[str, Policy] = {}
        self._by_type: dict[str, Policy] = {}
        for record in records:
            policy = Policy(
                record,
                frozenset(record["requiredEvidence"]),
                frozenset(record.get("requiredMethods", ())),
                record.get("requiresCorroboration") is True,
            )
            self._by_id.setdefault(record["id"], policy)
            self._by_type.setdefault(record["claimType"], policy)

    def of(self, claim: Record, *, is_strict: bool) -> Policy | None:
        """The policy of a claim.

        Args:
            claim: the claim.
            is_strict: a name that leads to no policy leads to none, whatever its type has.
        """
        name = claim.get("verificationPolicyId")
        if name is not None:
            named = self._by_id.get(name)
            if named is not None or is_strict:
                return named
        return self._by_type.get(claim["claimType"])
