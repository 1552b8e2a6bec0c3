"""Waves, budgets, batches and the sign to stop.

Rows of the edge cases of extraction proven here: 56 (short batches), 58 (concurrency and batches
change nothing). Left to test_run_outcomes: 49 to 52.
"""

from __future__ import annotations

import threading

import pytest

from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.dispatch import Asked, Budgets, dispatch
from survey_fast.extraction.failure import CancelledCallError, ProviderCallError
from survey_fast.extraction.provider import Capabilities, ExtractionRequest, ProviderOutput, Raw


def make(place, reserve):
    return ExtractionRequest(str(place), "text", [], chunk_index=place, reserve_call=reserve)


def output(request):
    return ProviderOutput([request.content], Raw(tokens_used=10))


class Provider:
    name = "p"

    def __init__(self, answer=output, capabilities=None):
        self.answer = answer
        self.capabilities = capabilities
        self.now = self.most = 0
        self.lock = threading.Lock()
        self.groups = []

    def extract(self, request):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            self.groups.append([request.chunk_index])
        try:
            said = self.answer(request)
            if isinstance(said, Exception):
                raise said
            return said
        finally:
            with self.lock:
                self.now -= 1


class Batching(Provider):
    def __init__(self, shorten=0, **options):
        super().__init__(**options)
        self.shorten = shorten

    def extract_batch(self, requests):
        self.groups.append([one.chunk_index for one in requests])
        answers = [self.answer(one) for one in requests]
        return answers[: len(answers) - (self.shorten if len(answers) > 1 else 0)]


def go(provider, count=6, cancel=None, on_answer=None, **budgets):
    return dispatch(
        Asked(count, make), provider, Budgets(**budgets), cancel=cancel, on_answer=on_answer
    )


def contents(dispatched):
    return [
        one.proposals[0] if isinstance(one, ProviderOutput) and one.proposals else one
        for one in dispatched.answers
    ]


ALL = [str(place) for place in range(6)]


def test_one_call_for_each_chunk_in_order_is_the_default():
    provider = Provider()
    found = go(provider)
    assert (contents(found), found.calls, found.tokens, found.stop) == (ALL, 6, 60, None)
    assert provider.groups == [[place] for place in range(6)]
    assert provider.most == 1


def test_calls_of_a_wave_run_at_once_and_no_more_than_asked_for():
    barrier = threading.Barrier(3, timeout=30)

    def together(request):
        barrier.wait()
        return output(request)

    provider = Provider(together)
    assert contents(go(provider, concurrency=3)) == ALL
    assert provider.most == 3


def test_a_provider_is_asked_at_most_as_wide_as_it_declares():
    provider = Provider(capabilities=Capabilities(frozenset(), max_concurrency=1))
    assert contents(go(provider, concurrency=5)) == ALL
    assert provider.most == 1


def test_a_batch_is_one_call():
    provider = Batching()
    found = go(provider, batch_size=4)
    assert (provider.groups, found.calls) == ([[0, 1, 2, 3], [4, 5]], 2)
    assert contents(found) == ALL
    limited = Batching(capabilities=Capabilities(frozenset(), max_batch_size=2))
    assert go(limited, batch_size=4).calls == 3


def test_a_provider_that_takes_no_batches_is_asked_one_by_one():
    assert go(Provider(), batch_size=4).calls == 6


def test_row_56_a_batch_with_too_few_answers_fails_as_a_whole():
    found = go(Batching(shorten=1), count=7, batch_size=3)
    assert [type(one).__name__ for one in found.answers] == ["ProviderFailure"] * 6 + [
        "ProviderOutput"
    ]


def test_one_answer_of_a_batch_may_be_a_failure():
    def some(request):
        return ProviderCallError("no") if request.content == "1" else output(request)

    found = go(Batching(answer=some), batch_size=6)
    assert [type(one).__name__ == "ProviderFailure" for one in found.answers] == [
        place == 1 for place in range(6)
    ]


@pytest.mark.parametrize(
    "budgets",
    [{"concurrency": 4}, {"batch_size": 2}, {"concurrency": 3, "batch_size": 2}],
    ids=range(3),
)
def test_row_58_width_and_batches_change_no_answer(budgets):
    assert contents(go(Batching(), **budgets)) == ALL


def test_calls_are_counted_before_they_go_out():
    provider = Provider()
    found = go(provider, concurrency=4, max_provider_calls=5)
    assert (found.calls, found.stop) == (5, "max-provider-calls")
    assert contents(found) == [*ALL[:5], None]


def test_tokens_stop_the_next_wave_and_tell_by_how_much():
    found = go(Provider(), concurrency=2, max_total_tokens=15)
    assert (found.calls, found.stop, found.tokens, found.overshoot) == (
        2,
        "max-total-tokens",
        20,
        5,
    )


def test_a_further_attempt_takes_a_call_of_the_budget():
    granted = []

    def greedy(request):
        granted.append(request.reserve_call())
        return output(request)

    found = go(Provider(greedy), max_provider_calls=5)
    assert granted == [True, True, False]
    assert (found.calls, found.stop) == (5, "max-provider-calls")


def test_cancelling_stops_before_the_next_wave():
    cancel = threading.Event()

    def second(request):
        if request.content == "1":
            cancel.set()
        return output(request)

    found = go(Provider(second), cancel=cancel)
    assert (found.stop, contents(found)) == ("cancelled", ["0", "1", None, None, None, None])


def test_a_call_that_was_given_up_is_no_answer_and_no_failure():
    def gives_up(request):
        return CancelledCallError("x") if request.content == "1" else output(request)

    found = go(Provider(gives_up))
    assert (found.stop, contents(found)) == ("cancelled", ["0", None, None, None, None, None])


@pytest.mark.parametrize("width", [1, 3])
def test_a_refusal_ends_the_run_and_the_lowest_chunk_speaks(width):
    def refuses(request):
        if request.content in {"1", "2"}:
            return refusal("EXTRACTION_FAILED", "no", f"/{request.content}")
        return output(request)

    with pytest.raises(SurveyError) as caught:
        go(Provider(refuses), concurrency=width)
    assert caught.value.pointer == "/1"


def test_what_is_no_output_is_an_unusable_answer():
    found = go(Provider(lambda _: "prose"))
    assert all(one.unusable for one in found.answers)


def test_every_call_is_told():
    told = []
    go(Batching(), on_answer=told.append, batch_size=4)
    assert told == [4, 6]
    told.clear()
    go(Provider(), on_answer=told.append, concurrency=3)
    assert told == [1, 2, 3, 4, 5, 6]


def test_no_chunk_is_no_call():
    found = go(Provider(), count=0)
    assert (found.answers, found.calls, found.stop) == ([], 0, None)
