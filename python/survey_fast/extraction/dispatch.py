"""Asking a provider about every chunk: waves, budgets, batches and the sign to stop.

1. Calls go out in waves of as many as were asked for and the provider declares, each call with as
   many requests as a batch may hold. A wave ends when all of its calls did.
2. Before each wave: was the run cancelled, is the ceiling of calls reached, is that of tokens.
   Calls are counted before they go out, tokens when they came back; so tokens can overshoot.
3. One physical call counts once, a batch too. A further attempt that a provider makes by itself
   takes a call of the same budget, or is refused one.
4. Answers stand under the number of their chunk. When they came, and in which company, is nowhere.
5. A call that raises loses its chunks and nothing else, whatever it raises; a refusal (SurveyError)
   ends the run, the one of the lowest chunk if there are several, and so does an interruption.
6. Calls at once have threads of their own that no program waits for: one that was interrupted can
   end although a call never comes back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, TypeAlias

from survey_fast.errors import SurveyError
from survey_fast.extraction.failure import CancelledCallError, ProviderFailure, classify
from survey_fast.extraction.outcome import RunFailedError, Stop
from survey_fast.extraction.provider import (
    Cancellation,
    ExtractionProvider,
    ExtractionRequest,
    ProviderOutput,
    Raw,
    capabilities_of,
)

__all__ = ["Answer", "Asked", "Budgets", "Dispatched", "dispatch", "tokens_of"]

_CONFIG: Final = "invalid-extract-config"
_MOST_TOKENS: Final = 2**30
"""Of one answer; those of all chunks add up to a whole number that an envelope holds."""
_MOST_THREADS: Final = 256

Answer: TypeAlias = "ProviderOutput | ProviderFailure | None"
"""What a chunk came to; ``None`` when it was not asked about, or its call was cancelled."""

_Group: TypeAlias = "list[int]"
_Results: TypeAlias = "list[tuple[int, object]]"


@dataclass(frozen=True, slots=True)
class Budgets:
    """How much a run may ask, and how much of it at once.

    Attributes:
        max_provider_calls: no call goes out once so many did.
        max_total_tokens: no call goes out once those that came back took so many.
        concurrency: calls at once; the provider may declare less.
        batch_size: requests of one call, for providers that take batches.
    """

    max_provider_calls: int | None = None
    max_total_tokens: int | float | None = None
    concurrency: int | None = None
    batch_size: int | None = None

    def check(self) -> None:
        """Raises RunFailedError for a number that is none of these."""
        _check_count("the ceiling of provider calls", self.max_provider_calls)
        most = self.max_total_tokens
        is_number = isinstance(most, int | float) and not isinstance(most, bool)
        if most is not None and not (is_number and most > 0 and most < float("inf")):
            message = "the ceiling of tokens is a positive number"
            raise RunFailedError(_CONFIG, message)
        _check_count("the concurrency", self.concurrency)
        _check_count("the batch size", self.batch_size)


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a run.

    Attributes:
        count: how many chunks there are.
        request: makes the request of the chunk at a place, when its turn comes. The second
            argument is for the request's ``reserve_call``.
    """

    count: int
    request: Callable[[int, Callable[[], bool]], ExtractionRequest]


@dataclass(frozen=True, slots=True)
class Dispatched:
    """Everything that came back.

    Attributes:
        answers: by place of the chunk.
        stop: why chunks were left, if some were.
        calls: attempts, further ones of a provider included.
        tokens: of the answers, whole.
        overshoot: tokens over the ceiling.
    """

    answers: list[Answer]
    stop: Stop | None
    calls: int
    tokens: int
    overshoot: int


def dispatch(
    asked: Asked,
    provider: ExtractionProvider,
    budgets: Budgets,
    *,
    cancel: Cancellation | None = None,
    on_answer: Callable[[int], object] | None = None,
) -> Dispatched:
    """Ask about every chunk, in order, as far as the budgets allow.

    Args:
        asked: how many chunks there are, and the request of each.
        provider: asked from threads of their own, unless one call at a time is all that is wanted.
        budgets: checked before.
        cancel: the sign to stop; calls on their way may see it too.
        on_answer: told after each call how many chunks were asked about so far.

    Raises:
        SurveyError: the provider says that the run cannot go on.
    """
    dispatching = _Dispatch(asked, provider, budgets)
    dispatching.cancel = cancel
    dispatching.on_answer = on_answer
    return dispatching.run()


def tokens_of(output: ProviderOutput) -> tuple[int, bool]:
    """Tokens of an answer, whole, and whether its report was no such number and is left out."""
    told: object = output.raw.tokens_used if isinstance(output.raw, Raw) else None
    if told is None:
        return 0, False
    is_number = isinstance(told, int | float) and not isinstance(told, bool)
    if not is_number or not isinstance(told, int | float):
        return 0, True
    if (isinstance(told, float) and not isfinite(told)) or not 0 <= told <= _MOST_TOKENS:
        return 0, True
    return int(told), False


class _Calls:
    """The ceiling of calls, shared by the threads that make them."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._lock = threading.Lock()
        self.made = 0

    def is_reached(self) -> bool:
        return self._most is not None and self.made >= self._most

    def reserve(self) -> bool:
        with self._lock:
            if self.is_reached():
                return False
            self.made += 1
            return True


class _Dispatch:
    cancel: Cancellation | None = None
    on_answer: Callable[[int], object] | None = None

    def __init__(self, asked: Asked, provider: ExtractionProvider, budgets: Budgets) -> None:
        self._asked = asked
        self._provider = provider
        self._calls = _Calls(budgets.max_provider_calls)
        self._ceiling = budgets.max_total_tokens
        declared = capabilities_of(provider)
        most_calls = None if declared is None else declared.max_concurrency
        most_requests = None if declared is None else declared.max_batch_size
        self._width = min(_least(budgets.concurrency or 1, most_calls), _MOST_THREADS)
        takes_batches = callable(getattr(provider, "extract_batch", None))
        self._batch = _least(budgets.batch_size or 1, most_requests) if takes_batches else 1
        self._answers: list[Answer] = [None] * asked.count
        self._tokens = 0
        self._told = threading.Lock()
        self._done = 0
        self._was_cancelled = False

    def run(self) -> Dispatched:
        stop = self._waves()
        over = 0
        if self._ceiling is not None and self._tokens > self._ceiling:
            over = int(self._tokens - self._ceiling) or 1
        return Dispatched(self._answers, stop, self._calls.made, self._tokens, over)

    def _waves(self) -> Stop | None:
        following = 0
        total = self._asked.count
        while following < total:
            stop = self._stop()
            if stop is not None:
                return stop
            wave: list[_Group] = []
            while following < total and len(wave) < self._width and self._calls.reserve():
                end = min(following + self._batch, total)
                wave.append(list(range(following, end)))
                following = end
            self._fold(_at_once(self._call, wave))
        return "cancelled" if self._was_cancelled else None

    def _stop(self) -> Stop | None:
        if self._was_cancelled or (self.cancel is not None and self.cancel.is_set()):
            return "cancelled"
        if self._calls.is_reached():
            return "max-provider-calls"
        if self._ceiling is not None and self._tokens >= self._ceiling:
            return "max-total-tokens"
        return None

    def _call(self, group: _Group) -> _Results:
        """One physical call; what it raised stands in the place of its answers."""
        results: Sequence[object]
        try:
            requests = [self._asked.request(place, self._calls.reserve) for place in group]
            if self._batch > 1:
                results = _batch_results(self._provider, requests)
            else:
                results = [self._provider.extract(requests[0])]
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a provider may raise anything
            results = [error] * len(group)
        with self._told:
            self._done += len(group)
            if self.on_answer is not None:
                self.on_answer(self._done)
        return list(zip(group, results, strict=True))

    def _fold(self, wave: list[_Results]) -> None:
        for results in wave:
            for place, result in results:
                self._answers[place] = self._answer(result)

    def _answer(self, result: object) -> Answer:
        if isinstance(result, ProviderOutput):
            self._tokens += tokens_of(result)[0]
            return result
        if isinstance(result, SurveyError):
            raise result
        if isinstance(result, CancelledCallError):
            self._was_cancelled = True
            return None
        if isinstance(result, BaseException):
            return classify(result)
        # What is no output at all is an answer in which nothing can be read.
        note = f"the provider returned {type(result).__name__}, not a ProviderOutput"
        return ProviderOutput([], warnings=(note,), unusable=True)


def _at_once(call: Callable[[_Group], _Results], wave: list[_Group]) -> list[_Results]:
    """What the calls of a wave came to, in its order; one that raises ends the run."""
    if len(wave) == 1:
        return [call(wave[0])]
    ended: list[_Results | BaseException] = [[]] * len(wave)

    def run(place: int) -> None:
        try:
            ended[place] = call(wave[place])
        except BaseException as fault:  # noqa: BLE001 - raised again where it is waited for
            ended[place] = fault

    threads = [
        threading.Thread(target=run, args=(place,), name="extraction", daemon=True)
        for place in range(len(wave))
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    results: list[_Results] = []
    for outcome in ended:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return results


def _batch_results(provider: Any, requests: list[ExtractionRequest]) -> Sequence[object]:  # noqa: ANN401 - a BatchProvider
    results = list(provider.extract_batch(requests))
    if len(results) != len(requests):
        message = f"a batch of {len(requests)} requests was answered with {len(results)} outcomes"
        raise TypeError(message)
    return results


def _least(asked: int, declared: int | None) -> int:
    return asked if declared is None else max(1, min(asked, declared))


def _check_count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = f"{name} is a whole number from 1"
        raise RunFailedError(_CONFIG, message)
