"""Running a verifier: 20-import.md 11.3 and row 83."""

import threading
from types import MappingProxyType, SimpleNamespace

import pytest

from survey_fast.errors import VerificationError
from survey_fast.imports.verification import (
    build_candidate_verification,
    run_support_verifier,
    validate_candidate_verification,
)

NOON = "2026-09-28T12:00:00.000Z"
QUESTION = {
    "candidateId": "fee.proposed",
    "value": {"amounts": [48000, {"currency": "EUR"}]},
    "evidence": [
        {"id": "ev-2", "excerpt": "two", "locator": "chars:9-12", "page": 2},
        {"id": "ev-1", "excerpt": "one", "locator": "chars:0-3"},
    ],
}
SUPPORTED = {"result": "supported", "score": 1}
AT_ONCE = 1
PATIENT = 60_000


def verifier(verify):
    return SimpleNamespace(id="judge", version="2", method="model", verify=verify)


def run(verify, timeout_ms=PATIENT, clock=lambda: NOON):
    return run_support_verifier(verifier(verify), QUESTION, clock=clock, timeout_ms=timeout_ms)


def answering(verdict):
    return lambda _question, _cancelled: verdict


def throwing(error):
    def verify(_question, _cancelled):
        raise error

    return verify


def waiting_for_the_end(_question, cancelled):
    cancelled.wait()
    return SUPPORTED


def outcome(record):
    return record.result, record.abstain_reason


def test_an_answer_in_time_is_recorded_as_if_it_had_been_known():
    record = run(answering(SUPPORTED))
    known = build_candidate_verification(verifier(None), QUESTION, SUPPORTED, created_at=NOON)
    assert record == known == validate_candidate_verification(record)


def test_a_verifier_may_abstain_itself():
    record = run(answering({"result": "abstain", "abstainReason": "unsupported"}))
    assert outcome(record) == ("abstain", "unsupported")


@pytest.mark.parametrize(
    "error", [RuntimeError("no"), KeyError("x"), SystemExit(3), GeneratorExit()]
)
def test_row_83_a_verifier_that_throws_abstains_with_error(error):
    assert outcome(run(throwing(error))) == ("abstain", "error")


def test_row_83_a_verifier_that_returns_nothing_abstains_as_empty():
    assert outcome(run(answering(None))) == ("abstain", "empty")


@pytest.mark.parametrize(
    "verdict",
    [
        "supported",
        '{"result":"supported"}',
        b"{}",
        {"result": "supported", "score": 7},
        {"result": "supported", "score": -0.0},
        {"result": "supported", "score": float("nan")},
        {"result": "supported", "score": None},
        {"result": "supported", "abstainReason": "error"},
        {"result": "abstain", "abstainReason": "error", "score": 0},
        {"result": "abstain"},
        {},
        [],
        True,
        object(),
        MappingProxyType(SUPPORTED),
    ],
)
def test_row_83_a_verdict_without_its_shape_abstains_as_malformed(verdict):
    assert outcome(run(answering(verdict))) == ("abstain", "malformed")


def test_row_83_a_verifier_that_hangs_is_told_and_abstains_with_timeout():
    told = threading.Event()

    def verify(_question, cancelled):
        cancelled.wait()
        told.set()

    assert outcome(run(verify, AT_ONCE)) == ("abstain", "timeout")
    assert told.wait(30)


def test_no_abstention_has_a_score():
    assert "score" not in run(waiting_for_the_end, AT_ONCE).to_json()


@pytest.mark.parametrize("ending", [answering(SUPPORTED), throwing(RuntimeError("late"))])
def test_what_comes_late_is_dropped(ending):
    started, release = threading.Event(), threading.Event()
    threads = []

    def verify(question, cancelled):
        threads.append(threading.current_thread())
        started.set()
        release.wait()
        return ending(question, cancelled)

    record = run(verify, AT_ONCE)
    before = record.to_json()
    assert started.wait(30)
    release.set()
    threads[0].join(30)
    assert not threads[0].is_alive()
    assert record.to_json() == before
    assert outcome(record) == ("abstain", "timeout")


def test_a_verifier_that_never_ends_does_not_keep_the_program_alive():
    seen = []
    started = threading.Event()

    def verify(_question, cancelled):
        seen.append(threading.current_thread().daemon)
        started.set()
        cancelled.wait()

    run(verify, AT_ONCE)
    assert started.wait(30)
    assert seen == [True]


def test_the_end_is_not_announced_to_a_verifier_that_answered():
    events = []

    def verify(_question, cancelled):
        events.append(cancelled)
        return SUPPORTED

    run(verify)
    assert [event.is_set() for event in events] == [False]


def test_an_interrupted_wait_tells_the_verifier(monkeypatch):
    told = threading.Event()

    def verify(_question, cancelled):
        cancelled.wait()
        told.set()

    def interrupted(**_options):
        raise KeyboardInterrupt

    replies = SimpleNamespace(get=interrupted, put=lambda _verdict: None)
    monkeypatch.setattr("survey_fast.imports.verifier.SimpleQueue", lambda: replies)
    with pytest.raises(KeyboardInterrupt):
        run(verify)
    assert told.wait(30)


def test_the_question_is_sorted_and_cannot_be_changed():
    questions = []

    def verify(question, _cancelled):
        questions.append(question)
        return SUPPORTED

    run(verify)
    (question,) = questions
    assert [entry["id"] for entry in question["evidence"]] == ["ev-1", "ev-2"]
    assert "page" not in question["evidence"][1]
    with pytest.raises(TypeError):
        question["value"] = 1
    with pytest.raises(TypeError):
        question["value"]["amounts"][1]["currency"] = "USD"
    with pytest.raises(AttributeError):
        question["evidence"].append({})
    with pytest.raises(TypeError):
        question["value"]["amounts"][0] = 1


def test_changing_the_input_while_the_verifier_runs_does_not_change_the_record():
    asked = {"candidateId": "c", "value": [1], "evidence": [dict(QUESTION["evidence"][0])]}
    seen = []

    def verify(question, _cancelled):
        asked["value"].append(2)
        asked["evidence"].clear()
        seen.append(question["value"])
        return SUPPORTED

    record = run_support_verifier(verifier(verify), asked, clock=lambda: NOON)
    assert seen == [(1,)]
    assert record.evidence_ids == ("ev-2",)


def test_the_clock_is_read_once_after_the_answer():
    order = []

    def clock():
        order.append("clock")
        return NOON

    def verify(_question, _cancelled):
        order.append("answer")
        return SUPPORTED

    assert run(verify, clock=clock).created_at == NOON
    assert order == ["answer", "clock"]


def test_a_clock_with_another_format_is_refused():
    with pytest.raises(VerificationError) as caught:
        run(answering(SUPPORTED), clock=lambda: "2026-09-28T12:00:00+00:00")
    assert caught.value.pointer == "/createdAt"


@pytest.mark.parametrize("timeout_ms", [0, -1, 2_147_483_648, float("nan"), float("inf")])
def test_a_time_limit_out_of_range_is_misuse_and_nobody_is_asked(timeout_ms):
    asked = []
    with pytest.raises(ValueError, match="timeout_ms"):
        run(lambda *_: asked.append(1), timeout_ms)
    assert asked == []


@pytest.mark.parametrize("timeout_ms", ["30000", True, None])
def test_a_time_limit_that_is_no_number_is_misuse(timeout_ms):
    with pytest.raises(TypeError):
        run(answering(SUPPORTED), timeout_ms)


def test_the_longest_time_limit_is_accepted():
    assert run(answering(SUPPORTED), 2_147_483_647).result == "supported"


def test_a_bad_input_is_an_error_and_no_abstention():
    asked = []
    with pytest.raises(VerificationError) as caught:
        run_support_verifier(
            verifier(lambda *_: asked.append(1)), {**QUESTION, "evidence": []}, clock=lambda: NOON
        )
    assert (caught.value.pointer, asked) == ("/evidence", [])


@pytest.mark.parametrize(("verify", "clock"), [(None, lambda: NOON), (answering(SUPPORTED), NOON)])
def test_a_verifier_or_clock_that_cannot_be_called_is_misuse(verify, clock):
    with pytest.raises(TypeError):
        run(verify, clock=clock)
