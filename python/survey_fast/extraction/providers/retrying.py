"""Further attempts after a failed call, each of them counted by the run.

Only failures that are worth another attempt get one. Before each, the run is asked for one more
call of its budget; without one, or when the run is cancelled meanwhile, it stays at the failure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from survey_fast.errors import SurveyError
from survey_fast.extraction.failure import CancelledCallError, classify
from survey_fast.extraction.provider import (
    Capabilities,
    ExtractionProvider,
    ExtractionRequest,
    ProviderOutput,
    capabilities_of,
)

__all__ = ["RetryingProvider", "doubling"]

_MOST: Final = 10
_LONGEST: Final = 60.0


def doubling(further: int) -> float:
    """Seconds before the further attempt of that number, from 1: 1, 2, 4 up to 60."""
    return min(2.0 ** min(further - 1, 6), _LONGEST)


class RetryingProvider:
    """A provider with further attempts; its name and capabilities are those of the inner one.

    Args:
        inner: the provider that is asked.
        sleep: waits the given seconds, when the run cannot be cancelled; else its sign to stop
            is waited for instead.
        further_attempts: 0 to 10.
        pause: seconds before the n-th further attempt, from 1.

    Raises:
        ValueError: a number of attempts out of range.
    """

    def __init__(
        self,
        inner: ExtractionProvider,
        *,
        sleep: Callable[[float], object],
        further_attempts: int = 2,
        pause: Callable[[int], float] = doubling,
    ) -> None:
        if isinstance(further_attempts, bool) or not isinstance(further_attempts, int):
            message = f"further attempts are an int, not {type(further_attempts).__name__}"
            raise TypeError(message)
        if not 0 <= further_attempts <= _MOST:
            message = f"further attempts are 0 to {_MOST}, not {further_attempts}"
            raise ValueError(message)
        self._inner = inner
        self._sleep = sleep
        self._further = further_attempts
        self._pause = pause

    @property
    def name(self) -> str:
        """The inner provider's name."""
        return self._inner.name

    @property
    def capabilities(self) -> Capabilities | None:
        """The inner provider's capabilities."""
        return capabilities_of(self._inner)

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """The first answer. Raises what the last attempt raised."""
        further = 0
        while True:
            try:
                return self._inner.extract(request)
            except (SurveyError, CancelledCallError):
                raise
            except Exception as fault:
                further += 1
                if further > self._further or not classify(fault).retryable:
                    raise
                self._wait(request, self._pause(further))
                if request.reserve_call is not None and not request.reserve_call():
                    raise

    def _wait(self, request: ExtractionRequest, seconds: float) -> None:
        if request.cancel is None:
            self._sleep(seconds)
        elif request.cancel.wait(seconds):
            message = "the run was cancelled between two attempts"
            raise CancelledCallError(message)
