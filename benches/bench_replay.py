"""Replay and apply of decided queues, beside a naive fold of the same events."""

import json

import pytest

import survey_fast as sf
from benches import data
from survey_fast import _core
from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.review.decisions import candidates_of, proposed_candidates
from survey_fast.review.events import build_review_session_events

SIZES = (1_000, 10_000)
AT = "2026-01-01T00:00:00.000Z"


def decided(count):
    """A snapshot, its bytes and the events that decide every item of it."""
    snapshot = json.loads(data.inputs(count).queue)
    state = {**snapshot, "decisionsByItemName": {}, "selectedCandidateIdsByItemName": {}}
    for item in snapshot["items"]:
        name, proposed = item["metadata"]["name"], proposed_candidates(item)
        kind = "select-proposed" if len(proposed) > 1 else "accept-proposed"
        state["decisionsByItemName"][name] = kind
        if len(proposed) > 1:
            state["selectedCandidateIdsByItemName"][name] = proposed[1]["id"]
    events = build_review_session_events(state, session_name="bench")
    return snapshot, sf.canonical_json(snapshot), events


@pytest.fixture(scope="module", params=SIZES)
def session(request):
    """One decided session of each size."""
    assert _core.build_profile == "release", "measure an optimised build"
    return (request.param, *decided(request.param))


def naive_fold(snapshot, events):
    """The last decision of each item; nothing is validated and nothing is built."""
    known = {item["metadata"]["name"]: candidates_of(item) for item in snapshot["items"]}
    decisions = {}
    for event in events:
        name = event["spec"].get("reviewItemName")
        if name in known and "data" in event["spec"]:
            decisions[name] = event["spec"]["data"]["workbenchDecision"]
    return decisions


@pytest.mark.benchmark(group="replay-and-apply")
def test_apply_from_parsed_data(benchmark, session):
    """Checks, validation, replay, decisions and results, from plain data."""
    count, snapshot, _, events = session
    result = benchmark.pedantic(
        lambda: derive_review_session_apply_result(snapshot, events, required="all"), rounds=5
    )
    assert result.ok
    assert len(result.results) == count


@pytest.mark.benchmark(group="replay-and-apply")
def test_apply_from_bytes(benchmark, session):
    """The same, with snapshot and events read from text first."""
    count, _, raw, events = session
    text = json.dumps(events)
    result = benchmark.pedantic(
        lambda: derive_review_session_apply_result(raw, json.loads(text), required="all"), rounds=5
    )
    assert result.ok
    assert len(result.results) == count


@pytest.mark.benchmark(group="replay-and-apply")
def test_naive_fold(benchmark, session):
    """What has to be done at the very least."""
    count, snapshot, _, events = session
    decisions = benchmark.pedantic(lambda: naive_fold(snapshot, events), rounds=5)
    assert len(decisions) == count
