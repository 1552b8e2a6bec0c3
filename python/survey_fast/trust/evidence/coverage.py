"""Whether an extraction read all of its text.

Only an outcome that nothing in the envelope contradicts counts as complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

__all__ = ["Incomplete", "incompleteness"]

_LOSSES: Final = frozenset(
    {
        "output-truncated",
        "content-truncated-at-dispatch",
        "content-truncated",
        "missing-tool-call",
        "chunk-provider-failure",
    }
)

IncompleteOutcome: TypeAlias = Literal["partial", "provider-failure", "failure"]


@dataclass(frozen=True, slots=True)
class Incomplete:
    """Why an extraction is not complete: ``reason`` and failures where there are any."""

    outcome: IncompleteOutcome
    reason: str | None
    provider_failures: int | None

    def to_json(self) -> dict[str, Any]:
        """The members that a grounding gap tells."""
        told: dict[str, Any] = {"outcome": self.outcome}
        if self.reason is not None:
            told["reason"] = self.reason
        if self.provider_failures is not None:
            told["providerFailureCount"] = self.provider_failures
        return told


def incompleteness(result: Mapping[str, Any]) -> Incomplete | None:
    """What is incomplete about an envelope's result, of which nothing need have been checked."""
    outcome = result.get("outcome")
    status = outcome.get("status") if isinstance(outcome, dict) else None
    failures = result.get("providerFailures", [])
    is_whole = status == "success" and _is_uncontradicted(result)
    if is_whole and failures == []:
        return None
    count = len(failures) if isinstance(failures, list) and failures else None
    reason = _reason(outcome)
    if status == "partial":
        return Incomplete("partial", reason, count)
    if is_whole and count is not None:
        return Incomplete("provider-failure", reason, count)
    return Incomplete("failure", reason, count)


def _is_uncontradicted(result: Mapping[str, Any]) -> bool:
    coverage = result.get("coverage", [])
    warnings = result.get("warningClassifications", [])
    return (
        "partial" not in result
        and isinstance(coverage, list)
        and all(isinstance(one, dict) and one.get("status") == "complete" for one in coverage)
        and isinstance(warnings, list)
        and not any(isinstance(one, dict) and _is_loss(one.get("code")) for one in warnings)
    )


def _is_loss(code: object) -> bool:
    return isinstance(code, str) and code in _LOSSES


def _reason(outcome: object) -> str | None:
    if not isinstance(outcome, dict):
        return None
    reason = outcome.get("reason", outcome.get("code"))
    return reason if isinstance(reason, str) else None
