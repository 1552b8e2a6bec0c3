"""How a run ended. Category and code are set where a failure arises, never read out of a text.

1. A run that stopped early is partial, even when nothing was answered; the stop is its reason.
2. Otherwise, when calls were made and none was answered, it failed.
3. Otherwise a cap on chunks, and then the first loss in the order of the text, make it partial.
4. Otherwise it is a success, also when it proposed nothing and when there was nothing to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast.extraction.coverage import Range, first_loss

__all__ = [
    "LOSSES",
    "SUCCESS",
    "Ended",
    "FailureCategory",
    "Partial",
    "RunFailedError",
    "RunOutcome",
    "Stop",
    "Work",
    "failure",
    "judge",
]

FailureCategory: TypeAlias = Literal[
    "invalid-config", "invalid-task", "preparation", "provider", "unexpected"
]
FailureCode: TypeAlias = Literal[
    "invalid-extract-config",
    "unsupported-provider-capability",
    "invalid-task-spec",
    "content-preparation-failure",
    "provider-failure",
    "no-usable-answer",
]
_CATEGORIES: Final[dict[FailureCode, FailureCategory]] = {
    "invalid-extract-config": "invalid-config",
    "unsupported-provider-capability": "invalid-config",
    "invalid-task-spec": "invalid-task",
    "content-preparation-failure": "preparation",
    "provider-failure": "provider",
    "no-usable-answer": "provider",
}
Stop: TypeAlias = Literal["cancelled", "max-provider-calls", "max-total-tokens"]
"""Why a run dispatched no more chunks."""

LOSSES: Final = frozenset({"provider-failure", "content-truncated", "output-truncated"})
"""Reasons of a partial run that sent everything."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended: ``reason`` belongs to partial, ``category`` and ``code`` to failure."""

    status: Literal["success", "partial", "failure"]
    reason: str | None = None
    category: FailureCategory | None = None
    code: str | None = None

    def to_json(self) -> dict[str, str]:
        """The outcome as an envelope has it."""
        members = {
            "status": self.status,
            "reason": self.reason,
            "category": self.category,
            "code": self.code,
        }
        return {name: value for name, value in members.items() if value is not None}


SUCCESS: Final = RunOutcome("success")


def failure(code: FailureCode) -> RunOutcome:
    """A failed run."""
    return RunOutcome("failure", category=_CATEGORIES[code], code=code)


class RunFailedError(Exception):
    """A run that ended before its first call; the run turns it into its outcome."""

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.outcome = failure(code)
        self.message = message


@dataclass(frozen=True, slots=True)
class Partial:
    """What a partial run says about the rest.

    Attributes:
        reason: that of the outcome.
        completed: dispatched chunks whose work ended, answered or not.
        remaining: chunks that were never dispatched.
        overshoot: tokens over the ceiling, if there was one and they were.
    """

    reason: str
    completed: int
    remaining: int
    overshoot: int = 0

    def to_json(self) -> dict[str, Any]:
        """The member ``partial`` of an envelope."""
        body: dict[str, Any] = {
            "reason": self.reason,
            "completedChunks": self.completed,
            "remainingChunks": self.remaining,
        }
        return body | {"tokenOvershoot": self.overshoot} if self.overshoot else body


@dataclass(frozen=True, slots=True)
class Work:
    """What was done, as far as the outcome depends on it.

    Attributes:
        stop: why no more chunks were dispatched, if that was so.
        completed: dispatched chunks whose work ended.
        remaining: chunks that were never dispatched, those beyond the cap included.
        is_capped: whether there are chunks beyond the cap, or text beyond what was prepared.
        answered: chunks with a usable answer.
        raised: calls that failed.
        overshoot: tokens over the ceiling.
        coverage: of every chunk.
    """

    stop: Stop | None
    completed: int
    remaining: int
    is_capped: bool
    answered: int
    raised: int
    overshoot: int
    coverage: Sequence[Range]


@dataclass(frozen=True, slots=True)
class Ended:
    """The outcome, and the rest of a partial one."""

    outcome: RunOutcome
    partial: Partial | None = None

    @property
    def is_failure(self) -> bool:
        """Whether nothing of what was answered counts."""
        return self.outcome.status == "failure"


def judge(work: Work) -> Ended:
    """The outcome of a run that made its calls, by the rules of this module."""
    has_answer = work.answered > 0 or work.completed == 0
    if work.stop is None and not has_answer:
        return Ended(failure("provider-failure" if work.raised else "no-usable-answer"))
    reason = work.stop or ("max-chunks" if work.is_capped else first_loss(work.coverage))
    if reason is None:
        return Ended(SUCCESS)
    partial = Partial(reason, work.completed, work.remaining, work.overshoot)
    return Ended(RunOutcome("partial", reason=reason), partial)
