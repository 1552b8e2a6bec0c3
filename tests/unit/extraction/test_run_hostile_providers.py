"""Providers that do what no provider should: each run ends in a typed result that says why.

Beside the edge cases of extraction: what leaves a call is classified whatever it is, odd names and
declarations are a configuration, counts add up to what an envelope holds, and a run that would be
too large leaves out proposals instead of losing all of them.
"""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.unit.extraction.running import NAME, Scripted, answer, codes, propose, result, run, said

from survey_fast.canon import canonical_json
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.dispatch import Budgets
from survey_fast.extraction.failure import classify
from survey_fast.extraction.provider import Capabilities, MalformedItems, ProviderOutput
from survey_fast.extraction.providers.function import FunctionProvider
from survey_fast.extraction.providers.retrying import RetryingProvider

TEXT = "Fee: 12\nName: Ada\n" * 40
FEE = propose("fee", 12, "Fee: 12")
SUPPORTED = frozenset({"structured-output", "exact-excerpts"})


class OwnEnd(BaseException):
    pass


class SaysNothingError(Exception):
    def __str__(self):
        raise SystemExit(3)


class HidesItsCodeError(Exception):
    @property
    def code(self):
        raise SystemExit(3)


def raising(fault):
    def propose_values(_):
        raise fault

    return propose_values


def outcome(extraction):
    return result(extraction)["outcome"]


def dropped(extraction):
    return [(one["reason"], one["count"]) for one in extraction.report["dropped"]]


ENDS = [
    SystemExit(0),
    GeneratorExit(),
    asyncio.CancelledError(),
    OwnEnd("x"),
    SaysNothingError(),
    HidesItsCodeError(),
    RecursionError(),
    MemoryError(),
    ValueError("\ud800" * 1000),
]


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("fault", ENDS, ids=range(len(ENDS)))
def test_whatever_a_call_raises_is_a_failed_call(fault, concurrency):
    function = FunctionProvider(raising(fault), name=NAME)
    assert outcome(run(TEXT, FunctionProvider(lambda _: [], name=NAME)))["status"] == "success"
    extraction = run(TEXT, function, chunk_size=200, budgets=Budgets(concurrency=concurrency))
    assert outcome(extraction) == {
        "status": "failure",
        "category": "provider",
        "code": "provider-failure",
    }
    assert extraction.failures[0].name == type(fault).__name__
    assert extraction.failures[0].text


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_interruption_is_nobodys_failure(concurrency):
    provider = FunctionProvider(raising(KeyboardInterrupt()), name=NAME)
    with pytest.raises(KeyboardInterrupt):
        run(TEXT, provider, chunk_size=200, budgets=Budgets(concurrency=concurrency))


def test_a_refusal_of_the_lowest_chunk_ends_a_run_of_many_calls():
    def refuse(request):
        raise refusal("EXTRACTION_FAILED", "no", details={"chunk": request.chunk_index})

    with pytest.raises(SurveyError) as caught:
        run(TEXT, Scripted(refuse), chunk_size=100, budgets=Budgets(concurrency=32))
    assert caught.value.details == {"chunk": 0}


def test_a_fault_without_words_is_called_by_its_name():
    assert classify(RecursionError()).text == "RecursionError"
    assert (classify(KeyError("x")).name, classify(KeyError("x")).text) == ("KeyError", "'x'")


class Odd:
    """A provider of which one member is not what it should be."""

    name = NAME
    capabilities = None

    def extract(self, _):
        return answer(FEE)


def odd(**members):
    return type("Odd", (Odd,), members)()


def unreadable(_):
    raise RuntimeError


ODD = [
    odd(name=None),
    odd(name=5),
    odd(name="two words"),
    odd(name="\ud800"),
    odd(name=property(unreadable)),
    odd(capabilities={"supported": []}),
    odd(capabilities=5),
    odd(capabilities=Capabilities(None)),
    odd(capabilities=Capabilities("structured-output exact-excerpts")),
    odd(capabilities=property(unreadable)),
    odd(capabilities=Capabilities(SUPPORTED, max_concurrency=0)),
    odd(capabilities=Capabilities(SUPPORTED, max_batch_size=True)),
]


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("provider", ODD, ids=range(len(ODD)))
def test_an_odd_name_or_declaration_is_a_fault_of_configuration(provider, wrapped):
    assert outcome(run(TEXT, Odd()))["status"] == "success"
    asked = RetryingProvider(provider, sleep=lambda _: None) if wrapped else provider
    extraction = run(TEXT, asked)
    assert outcome(extraction) == {
        "status": "failure",
        "category": "invalid-config",
        "code": "invalid-extract-config",
    }
    assert (result(extraction)["providerCalls"], bool(extraction.message)) == (0, True)


def test_a_provider_that_says_nothing_about_itself_is_accepted():
    class Silent:
        name = NAME

        def extract(self, _):
            return answer(FEE)

    assert outcome(run(TEXT, Silent()))["status"] == "success"
    wrapped = RetryingProvider(Silent(), sleep=lambda _: None)
    assert outcome(run(TEXT, wrapped, budgets=Budgets(concurrency=2)))["status"] == "success"


@pytest.mark.parametrize("returned", [[FEE], {"proposals": [FEE]}, "prose", 5, None, b"x"])
def test_what_is_no_output_is_named_in_a_note(returned):
    extraction = run(TEXT, Scripted(lambda _: returned))
    assert outcome(extraction)["code"] == "no-usable-answer"
    assert type(returned).__name__ in extraction.warnings[0].message


def generated(_):
    yield {"fieldPath": "fee", "candidateValue": 12, "excerpt": "Fee: 12"}


@pytest.mark.parametrize("function", [generated, lambda _: {1}, lambda _: iter([])], ids=range(3))
def test_a_function_that_returns_no_list_is_told_what_it_returned(function):
    extraction = run(TEXT, FunctionProvider(function, name=NAME))
    assert outcome(extraction)["code"] == "no-usable-answer"
    assert type(function(None)).__name__ in extraction.warnings[0].message


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_coroutine_is_run_to_its_end(concurrency):
    async def propose_values(_):
        await asyncio.sleep(0)
        return [{"fieldPath": "fee", "candidateValue": 12, "excerpt": "Fee: 12"}]

    provider = FunctionProvider(propose_values, name=NAME)
    budgets = Budgets(concurrency=concurrency)
    assert len(run(TEXT, provider, chunk_size=100, budgets=budgets).proposals) == 40


def test_a_coroutine_inside_a_running_loop_is_a_failed_call():
    async def propose_values(_):
        return []

    async def outer():
        return run(TEXT, FunctionProvider(propose_values, name=NAME))

    assert outcome(asyncio.run(outer()))["code"] == "provider-failure"


@pytest.mark.parametrize(
    "tokens", [2**53, 2**31, 10**400, float("inf"), float("nan"), -3, True, "7"], ids=range(8)
)
def test_tokens_that_no_envelope_could_add_up_are_left_out(tokens):
    extraction = run(TEXT, lambda _: answer(FEE, raw=said(tokens)), chunk_size=100)
    assert (result(extraction)["totalTokensUsed"], outcome(extraction)["status"]) == (0, "success")
    assert ("provider", "provider-warning") in codes(extraction)


@pytest.mark.parametrize("count", [2**53, 10**400, 2**30 + 1], ids=range(3))
def test_counts_of_malformed_items_that_cannot_be_are_ignored(count):
    odd_count = MalformedItems(count, count + 1)
    extraction = run(TEXT, lambda _: answer(FEE, malformed_items=odd_count), chunk_size=100)
    assert extraction.report["malformedToolItems"] == 0
    assert json.loads(extraction.report_bytes)["malformedToolItems"] == 0


def test_the_largest_counts_of_all_chunks_can_be_written():
    most = MalformedItems(2**30 - 1, 2**30)
    extraction = run(
        TEXT, lambda _: answer(FEE, raw=said(2**30), malformed_items=most), chunk_size=100
    )
    chunks = result(extraction)["providerCalls"]
    assert extraction.report["malformedToolItems"] == chunks * (2**30 - 1)
    assert result(extraction)["totalTokensUsed"] == chunks * 2**30
    assert extraction.report_bytes == canonical_json(extraction.report_bytes) + b"\n"


def test_a_run_that_would_be_too_large_leaves_out_what_is_too_much_of_it():
    text = "x" * 12_000
    copies = [propose("name", "x", text)] * 10_000
    extraction = run(text, lambda _: answer(propose("name", "y", "x"), *copies))
    assert outcome(extraction)["status"] == "success"
    assert [one["candidateValue"] for one in extraction.proposals] == ["y", "x"]
    assert dropped(extraction) == [("run-too-large", 10_000 - extraction.report["duplicates"] - 1)]
    assert "notFound" in extraction.report


def test_one_value_that_is_too_large_costs_no_other():
    huge = propose("name", "v" * 40_000_000, "Name: Ada")
    extraction = run(TEXT, lambda _: answer(huge, FEE))
    assert [one["candidateValue"] for one in extraction.proposals] == [12]
    assert dropped(extraction) == [("run-too-large", 1)]


def test_ten_thousand_copies_of_one_value_are_one_proposal():
    extraction = run("Fee: 12", lambda _: answer(*[FEE] * 10_000))
    assert (len(extraction.proposals), extraction.report["duplicates"]) == (1, 9_999)


class Ends(dict):
    """An item whose own code ends the program."""

    def get(self, *_):
        raise SystemExit(0)


def test_items_that_end_the_program_lose_their_chunk_only():
    def propose_values(request):
        item = Ends() if request.chunk_index == 1 else FEE
        return ProviderOutput([item])

    extraction = run(TEXT, propose_values, chunk_size=200, chunk_overlap=0)
    assert outcome(extraction) == {"status": "partial", "reason": "provider-failure"}
    assert extraction.proposals


def test_hints_that_cannot_be_written_are_a_fault_before_any_call():
    provider = Scripted(lambda _: answer(FEE, raw=said()))
    assert outcome(run(TEXT, provider, field_hints={"fee": "behind Fee"}))["status"] == "success"
    provider.requests.clear()
    extraction = run(TEXT, provider, field_hints={"fee": "\ud800"})
    assert outcome(extraction)["code"] == "invalid-extract-config"
    assert provider.requests == []


@pytest.mark.parametrize("size", [1, 2, 7])
def test_the_smallest_chunks_and_the_widest_waves_give_one_result(size):
    def propose_values(request):
        return answer(
            *[propose("name", one, one) for one in sorted(set(request.content)) if one.strip()]
        )

    text = "a\U0001f600b" * 30
    one = run(text, propose_values, chunk_size=size, chunk_overlap=size)
    many = run(
        text,
        propose_values,
        chunk_size=size,
        chunk_overlap=10**9,
        budgets=Budgets(concurrency=32),
    )
    assert (one.envelope, one.report) == (many.envelope, many.report)
    assert outcome(one)["status"] == "success"
