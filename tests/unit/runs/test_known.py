"""A run that was opened before: all of it is read again, and nothing that changed is trusted.

Of a run that is handed in as known, only what was found of the very same bytes is not found again.
"""

import pytest
from tests.unit.runs.samples import (
    ANA,
    FILES,
    HOST,
    LATER,
    Forged,
    conflict,
    content,
    many,
    refused,
    requests_for,
    stays_refused,
)

from survey_fast.errors import SurveyError
from survey_fast.runs import opened
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.opened import open_run
from survey_fast.storage.chain import extended


@pytest.fixture
def made(tmp_path):
    return conflict().create(tmp_path / "runs")


def test_what_did_not_change_is_the_same_in_memory(made, monkeypatch):
    known = open_run(made.path)
    monkeypatch.setattr(opened, "check_agreement", None)
    again = open_run(made.path, known=known)
    for name in ("queue", "envelope", "prepared", "manifest"):
        assert getattr(again.artifacts, name) is getattr(known.artifacts, name)
    assert again.log.text is known.log.text
    assert again.agreed is known.agreed
    assert again.revision == known.revision


def verdict(path, known=None):
    """The revision of the run, or its refusal."""
    try:
        return open_run(path, known=known).revision
    except SurveyError as refused:
        return refused.to_json()


@pytest.mark.parametrize("name", FILES)
def test_any_file_that_changed_is_judged_as_if_nothing_were_known(made, name):
    decide_run(made.path, requests_for(made.run)[:1], HOST)
    known = open_run(made.path)
    text = (made.path / name).read_bytes()
    half = len(text) // 2
    verdicts = []
    for changed in (
        text[:-1],
        text + b"x",
        text[:5] + b"\0" + text[6:],
        text[:half] + bytes([text[half] ^ 1]) + text[half + 1 :],
        text.replace(b"e", b"E"),
        b"",
    ):
        (made.path / name).write_bytes(changed)
        before = content(made.path)
        verdicts.append(verdict(made.path, known))
        assert verdicts[-1] == verdict(made.path)
        assert content(made.path) == before
    assert any(isinstance(one, dict) for one in verdicts)
    (made.path / name).write_bytes(text)
    assert verdict(made.path, known) == known.revision


def test_a_forged_log_behind_what_is_known_is_judged(made):
    decide_run(made.path, requests_for(made.run)[:1], HOST)
    known = open_run(made.path)
    again = Forged(made.path).events[-1]
    for change in (
        {"sequence": 2},
        {"sequence": 3, "candidateId": "none"},
        {"sequence": 3, "sessionName": "another"},
        {"sequence": 3, "rationale": 1},
        {"sequence": 3, "reviewItemName": "nobody"},
    ):
        event = {**again, "spec": {**again["spec"], **change}}
        text = extended(known.log, [event]).text
        (made.path / "review-events.jsonl").write_bytes(text)
        found = stays_refused("INVALID_EVENTS", made.path, open_run, known=known)
        alone = refused("INVALID_EVENTS", open_run, made.path)
        assert found.details.get("issues") == alone.details.get("issues")
    good = {**again, "spec": {**again["spec"], "sequence": 3}}
    (made.path / "review-events.jsonl").write_bytes(extended(known.log, [good]).text)
    after = open_run(made.path, known=known)
    assert (after.log.count, after.fold.kinds) == (3, open_run(made.path).fold.kinds)


def test_another_run_in_its_place_is_opened_as_what_it_is(tmp_path, made):
    other = conflict(order={"score_blind": True}).create(tmp_path / "others")
    before = content(other.path)
    run = open_run(other.path, known=made.run)
    assert run.artifacts.path == other.path
    assert run.revision == open_run(other.path).revision
    assert content(other.path) == before


def test_a_history_that_is_shorter_than_what_is_known_is_judged_as_it_is(made):
    empty = (made.path / "review-events.jsonl").read_bytes()
    done = decide_run(made.path, requests_for(made.run), HOST)
    (made.path / "review-events.jsonl").write_bytes(empty)
    again = open_run(made.path, known=done.run)
    assert (again.log.count, again.fold.kinds) == (0, {})


def test_run_after_run_is_decided_on_what_is_known(tmp_path):
    """Each decision hands its run on; what comes of it is what opening anew comes to."""
    made = many(40).create(tmp_path / "runs")
    run = made.run
    for place, request in enumerate(requests_for(made.run)):
        host = Host(ANA, LATER, wait=0)
        done = decide_run(made.path, [request | {"note": f"n{place}"}], host, known=run)
        assert (done.ok, done.committed) == (True, 3)
        run = done.run
    alone = open_run(made.path)
    assert run.revision == alone.revision
    assert run.log.events == alone.log.events
    assert (run.fold.kinds, run.fold.notes) == (alone.fold.kinds, alone.fold.notes)
    again = decide_run(made.path, requests_for(made.run)[:1], HOST, known=run)
    assert [one.error.code for one in again.outcomes] == ["ALREADY_DECIDED"]
