"""A Python function as a provider, recorded answers, and further attempts.

Proven of the extraction's edge table, as far as a provider goes: 39 and 42 (lists and counts that
are none), 53 (a name that is no identity). Beside them: attempts are counted by the run.
"""

import threading

import pytest
from tests.unit.extraction.samples_providers import FIELDS, found, request

from survey_fast.errors import ExtractionError, refusal
from survey_fast.extraction.failure import CancelledCallError, ProviderCallError
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    MalformedItems,
    ProviderOutput,
    Raw,
    draft,
    request_digest,
)
from survey_fast.extraction.providers.function import FunctionProvider
from survey_fast.extraction.providers.replay import ReplayProvider
from survey_fast.extraction.providers.retrying import RetryingProvider, doubling

SHORT = {"fieldPath": "fee", "candidateValue": 1, "excerpt": "1"}


def returned(value):
    return FunctionProvider(lambda _: value, name="f").extract(request("1"))


def test_a_list_is_the_proposals():
    output = returned([SHORT, draft("state", "on", "on", extractor="own")])
    assert output.proposals == [
        draft("fee", 1, "1", extractor="f"),
        draft("state", "on", "on", extractor="own"),
    ]
    assert output.raw is None


def test_a_mapping_may_say_more():
    output = returned(
        {
            "proposals": (SHORT,),
            "raw": {"response": "r", "model": "m", "modelSource": "configured", "tokensUsed": 3},
            "warnings": ["w", 1],
            "truncated": True,
            "malformedToolItems": {"dropped": 1, "total": 2},
        }
    )
    assert found(output) == [("fee", 1, "1")]
    assert output.raw == Raw("r", "m", "configured", 3)
    assert output.warnings == ("w",)
    assert (output.truncated, output.unusable, output.missing_tool_call) == (True, False, False)
    assert output.malformed_items == MalformedItems(1, 2)


def test_members_that_nobody_reads_are_named_and_a_row_is_explained():
    odd = {**SHORT, "pathIndices": [1], "colour": "red"}
    for value in ([odd, SHORT], {"proposals": [odd], "warnings": ["w"]}):
        *own, note = returned(value).warnings
        assert own == ([] if isinstance(value, list) else ["w"])
        assert "pathIndices, colour" in note
        assert "lineItems[0]" in note
    assert "lineItems" not in returned([{**SHORT, "colour": 1}]).warnings[0]


def test_members_that_a_run_writes_itself_are_passed_over_in_silence():
    stored = {**SHORT, "producedBy": {}, "evidenceMatch": {}, "locator": "chars:0-1"}
    more = {"valueType": "number", "inferenceType": "explicit", "confidence": 1}
    assert returned([{**stored, **more, "occurrenceHint": 1}]).warnings == ()


def test_odd_names_of_members_are_bounded_and_run_no_code():
    class Name(str):
        __slots__ = ()

        def __hash__(self):
            return hash(str(self))

        def __eq__(self, other):
            return str(self) == other

    odd = {**SHORT, 1: 1, None: 2, Name("own"): 3, "x" * 4000: 4}
    odd |= {f"name-{at}": at for at in range(9)}
    (note,) = returned([odd, 7, None]).warnings
    assert len(note) < 300
    assert "own" not in note
    assert "5 more" in note


def test_an_output_is_passed_on_as_it_is():
    output = ProviderOutput([SHORT])
    assert returned(output) is output


def test_the_function_gets_the_request():
    asked = []
    FunctionProvider(lambda one: asked.append(one) or []).extract(request("text"))
    assert asked == [request("text")]


@pytest.mark.parametrize(
    "value",
    [None, "proposals", 1, {}, {"proposals": "none"}, {"proposals": None}, {1: 2}, b"[]"],
    ids=range(8),
)
def test_row_039_what_holds_no_proposals_is_unusable(value):
    output = returned(value)
    assert (output.unusable, output.proposals) == (True, [])


@pytest.mark.parametrize(
    "counts",
    [(3, 2), (-1, 2), (1.5, 2), (0, 2), (True, 2), ("1", 2), (1, None)],
    ids=range(7),
)
def test_row_042_counts_that_are_none_are_ignored(counts):
    dropped, total = counts
    value = {"proposals": [], "malformedToolItems": {"dropped": dropped, "total": total}}
    assert returned(value).malformed_items is None


def test_odd_members_are_left_out():
    output = returned(
        {
            "proposals": [1, None, {"provenance": 3}],
            "raw": {"response": 1, "model": "", "modelSource": "guess", "tokensUsed": True},
            "warnings": "many",
            "truncated": "yes",
            "missingToolCall": 1,
            "malformedToolItems": [],
        }
    )
    assert output.proposals == [1, None, {"extractor": "f", "provenance": 3}]
    assert output.raw == Raw()
    assert (output.warnings, output.truncated, output.missing_tool_call) == ((), False, False)


def test_what_the_function_raises_comes_out():
    def fails(_):
        raise LookupError("x")

    with pytest.raises(LookupError):
        FunctionProvider(fails).extract(request())


def test_row_053_a_name_that_is_no_identity():
    def own(_):
        return []

    assert FunctionProvider(own).name.startswith("function:test_row_053")
    with pytest.raises(ExtractionError) as caught:
        FunctionProvider(own, name="two words")
    assert caught.value.code == "provider-options-invalid"
    with pytest.raises(TypeError):
        FunctionProvider("own")


def test_replay_answers_what_was_asked_before():
    output = ProviderOutput([SHORT])
    one = request("a", run_id="first", chunk_index=3)
    provider = ReplayProvider({request_digest(one): output})
    assert provider.extract(request("a", run_id="second")) is output
    with pytest.raises(ProviderCallError) as caught:
        provider.extract(request("b"))
    assert (caught.value.code, caught.value.retryable) == ("not-recorded", False)


def test_a_request_digest_covers_the_question_only():
    one = request_digest(request("a"))
    assert one == request_digest(
        request("a", cancel=threading.Event(), run_id="r", chunk_index=2, reserve_call=bool)
    )
    others = [
        request("b"),
        request("a", FIELDS[:1]),
        request("a", field_hints={}),
        request("a", task_spec={}),
    ]
    assert len({one, *map(request_digest, others)}) == 5


class Flaky:
    name = "flaky"
    capabilities = Capabilities(frozenset(CAPABILITIES), 3)

    def __init__(self, *faults):
        self.faults = list(faults)
        self.calls = 0

    def extract(self, _):
        self.calls += 1
        if self.faults:
            raise self.faults.pop(0)
        return ProviderOutput([])


BUSY = ProviderCallError("busy", status=503)


def retrying(inner, **options):
    slept = []
    return RetryingProvider(inner, sleep=slept.append, **options), slept


def test_further_attempts_take_calls_of_the_run():
    inner = Flaky(BUSY, TimeoutError())
    provider, slept = retrying(inner)
    reserved = []
    output = provider.extract(request(reserve_call=lambda: reserved.append(1) or True))
    assert output == ProviderOutput([])
    assert (inner.calls, len(reserved), slept) == (3, 2, [1.0, 2.0])
    assert (provider.name, provider.capabilities) == ("flaky", Flaky.capabilities)


def test_without_a_call_left_the_failure_stays():
    inner = Flaky(BUSY)
    with pytest.raises(ProviderCallError):
        retrying(inner)[0].extract(request(reserve_call=lambda: False))
    assert inner.calls == 1


def test_attempts_end():
    inner = Flaky(*[BUSY] * 9)
    with pytest.raises(ProviderCallError):
        retrying(inner, further_attempts=3)[0].extract(request())
    assert inner.calls == 4
    with pytest.raises(ProviderCallError):
        retrying(inner, further_attempts=0)[0].extract(request())
    assert inner.calls == 5


@pytest.mark.parametrize(
    "fault",
    [
        ProviderCallError("no", status=401),
        ProviderCallError("no", status=503, retryable=False),
        CancelledCallError(),
        refusal("EXTRACTION_FAILED", "no"),
        ValueError(),
    ],
    ids=range(5),
)
def test_what_is_not_worth_another_attempt(fault):
    inner = Flaky(fault)
    with pytest.raises(type(fault)):
        retrying(inner)[0].extract(request())
    assert inner.calls == 1


def test_cancelling_ends_the_wait_between_attempts():
    inner = Flaky(BUSY)
    provider, slept = retrying(inner, pause=lambda _: 3600)
    cancel = threading.Event()
    cancel.set()
    reserved = []
    with pytest.raises(CancelledCallError):
        provider.extract(request(cancel=cancel, reserve_call=lambda: reserved.append(1)))
    assert (inner.calls, reserved, slept) == (1, [], [])


def test_pauses_double_up_to_a_minute():
    assert [doubling(n) for n in (1, 2, 3, 7, 2000)] == [1, 2, 4, 60, 60]


@pytest.mark.parametrize("attempts", [-1, 11])
def test_attempts_out_of_range_are_misuse(attempts):
    with pytest.raises(ValueError, match=str(attempts)):
        retrying(Flaky(), further_attempts=attempts)
    with pytest.raises(TypeError):
        retrying(Flaky(), further_attempts=True)
