"""How far a value bears out the type that its proposal declares.

Derived from declaration and value alone. Any string passes as a date; whether it reads as one is
for the extractor's own check to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

__all__ = ["WORDS", "StructuralTrust", "declared_trust", "weaker"]

StructuralTrust: TypeAlias = Literal["validated", "unvalidated", "invalid"]
WORDS: Final[tuple[StructuralTrust, ...]] = ("invalid", "unvalidated", "validated")
"""Weakest first."""


def declared_trust(proposal: Mapping[str, Any]) -> StructuralTrust:
    """The structural trust of a proposal's value."""
    value, words = proposal["candidateValue"], proposal.get("enumValues")
    if isinstance(words, list) and not (isinstance(value, str) and value in words):
        return "invalid"
    match proposal.get("valueType"):
        case "string" | "date":
            fits = isinstance(value, str)
        case "number":
            fits = isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            fits = isinstance(value, bool)
        case "enum":
            if isinstance(value, str):
                return "validated" if isinstance(words, list) else "unvalidated"
            fits = False
        case _:
            return "unvalidated"
    return "validated" if fits else "invalid"


def weaker(left: StructuralTrust, right: StructuralTrust) -> StructuralTrust:
    """The weaker of two words."""
    return left if left == right else min(left, right, key=WORDS.index)
