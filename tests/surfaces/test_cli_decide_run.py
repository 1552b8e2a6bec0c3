"""survey-fast decide: what is open is listed, and decided as in a session, under a run's checks."""

from __future__ import annotations

import fcntl
import json

import pytest
from tests.surfaces.conftest import MOMENT
from tests.surfaces.sessions import STAMP
from tests.unit.runs.samples import (
    UPSTREAM,
    conflict,
    content,
    example,
    items_of,
    many,
    rival_misquoted,
)

from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run


@pytest.fixture
def made(tmp_path):
    return conflict().create(tmp_path / "runs")


@pytest.fixture
def fee(made):
    """Name and candidate ids of the conflict."""
    item = items_of(made.run)["fee"]
    return item["metadata"]["name"], [one["id"] for one in item["spec"]["candidates"]]


def codes(body):
    return [result.get("error", {}).get("code") for result in body["results"]]


def events(made):
    return open_run(made.path).log.events


def test_a_choice_writes_its_events_with_the_hosts_stamp(run_json, made, fee):
    name, (_, second) = fee
    choose = ["--item", name, "select", "--candidate", second, "--note", "newer"]
    code, body = run_json("decide", made.path, *choose, "--reviewer", "ana")
    assert code == 0
    assert body["results"] == [{"line": 1, "ok": True, "item": name}]
    assert (body["eventsWritten"], body["revision"][:2]) == (3, "3:")
    assert [one["spec"]["eventType"] for one in events(made)] == [
        "note-changed",
        "decision-changed",
        "decision-submitted",
    ]
    for event in events(made):
        assert event["spec"]["actor"] == {"id": "ana"}
        assert event["spec"]["occurredAt"] == MOMENT
        assert event["metadata"]["producer"][STAMP] == {"actorKind": "human", "mode": "individual"}


def test_an_agent_and_nobody_are_called_so(run_json, made):
    city = ["decide", made.path, "--field", "city"]
    run_json(*city, "accept", "--reviewer", "bot", "--agent")
    run_json(*city, "reject", "--replace")
    kinds = [one["metadata"]["producer"][STAMP]["actorKind"] for one in events(made)]
    assert kinds == ["agent", "agent", "unattributed", "unattributed"]


def test_a_batch_from_a_file_and_from_standard_input_is_one_append(run_json, made, fee, tmp_path):
    name, (first, _) = fee
    choose = {"item": name, "decision": "select", "candidateId": first}
    text = json.dumps({"field": "city", "decision": "accept"}) + "\n" + json.dumps(choose)
    (tmp_path / "lines.jsonl").write_text(text)
    code, body = run_json("decide", made.path, "--batch", "lines.jsonl")
    assert (code, codes(body), body["eventsWritten"]) == (0, [None, None], 4)
    log = (made.path / "review-events.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["remaining"] for line in log] == [3, 2, 1, 0]
    code, body = run_json("decide", made.path, "--batch", "-", "--replace", input=text)
    assert (code, codes(body), body["eventsWritten"]) == (0, [None, None], 4)


def test_one_bad_line_keeps_the_batch_out_unless_told_to_go_on(run_json, made):
    lines = '{"field":"city","decision":"accept"}\n{nope\n'
    before = content(made.path)
    code, body = run_json("decide", made.path, "--batch", "-", input=lines)
    assert (code, codes(body), body["eventsWritten"]) == (1, [None, "json-syntax"], 0)
    assert body["error"]["code"] == "json-syntax"
    assert content(made.path) == before
    code, body = run_json("decide", made.path, "--batch", "-", "--keep-going", input=lines)
    assert (code, codes(body), body["eventsWritten"]) == (1, [None, "json-syntax"], 2)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--field", "fee", "accept"], "decision-not-recordable"),
        (["--field", "fee", "select"], "invalid-conflict-selection"),
        (["--field", "city", "keep"], "decision-not-recordable"),
        (["--field", "city", "could-not-confirm"], "reason-missing"),
        (["--field", "city", "clear"], "decision-not-recordable"),
        (["--field", "other", "accept"], "unknown-review-item"),
        (["--item", "other", "accept"], "unknown-review-item"),
        (["--field", "city", "accept", "--value", "{"], "json-syntax"),
        (["--field", "city", "accept", "--reviewer", "a b"], "decision-malformed"),
        (["--field", "city", "accept", "--expect", "0:ab"], "REVIEW_CONFLICT"),
        (["--item", "other"], "unknown-review-item"),
        (["--field", "other"], "unknown-review-item"),
    ],
)
def test_a_refusal_has_its_code_and_nothing_changes(run, run_json, made, arguments, code):
    before = content(made.path)
    exit_code, body = run_json("decide", made.path, *arguments)
    assert (exit_code, body["error"]["code"]) == (1, code)
    result = run("decide", made.path, *arguments)
    assert result.exit_code == 1
    assert f"({code})" in result.stderr
    assert content(made.path) == before


@pytest.mark.parametrize(
    "wrong",
    [
        ["accept"],
        ["--note", "x"],
        ["--item", "single", "--field", "fee", "accept"],
        ["--field", "city", "constructor"],
        ["--batch", "x", "accept"],
        ["--batch", "x", "--item", "single"],
        ["--field", "city", "accept", "--agent"],
        ["--field", "city", "accept", "--wait", "-1"],
    ],
)
def test_wrong_usage(run_json, made, wrong):
    before = content(made.path)
    code, body = run_json("decide", made.path, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert content(made.path) == before


def test_a_revision_that_was_seen_is_checked(run_json, made):
    _, body = run_json("decide", made.path)
    seen = body["revision"]
    city = ["decide", made.path, "--field", "city", "accept"]
    _, body = run_json(*city, "--expect", seen)
    again = body["revision"]
    code, body = run_json(*city, "--replace", "--expect", seen)
    assert (code, body["error"]["code"]) == (1, "REVIEW_CONFLICT")
    assert body["error"]["details"]["revision"] == again
    code, body = run_json(*city)
    assert (code, body["error"]["code"]) == (1, "ALREADY_DECIDED")


def test_a_tampered_run_takes_no_decision(run_json, made):
    (made.path / "prepared.txt").write_bytes(b"other")
    before = content(made.path)
    code, body = run_json("decide", made.path, "--field", "city", "accept")
    assert (code, body["error"]["code"]) == (1, "RUN_PREPARED_MISMATCH")
    code, body = run_json("decide", made.path)
    assert (code, body["error"]["code"]) == (1, "RUN_PREPARED_MISMATCH")
    assert content(made.path) == before


def test_no_run_there(run_json, tmp_path):
    code, body = run_json("decide", tmp_path / "none", "--field", "city", "accept")
    assert (code, body["error"]["code"]) == (1, "RUN_NOT_FOUND")


def test_a_busy_run_is_waited_for_and_then_refused(run_json, made):
    city = ["decide", made.path, "--field", "city", "accept"]
    with (made.path / "review-events.jsonl").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, body = run_json(*city, "--wait", "0.05")
    assert (code, body["error"]["code"]) == (1, "REVIEW_BUSY")
    assert run_json(*city)[0] == 0


# What is shown


def test_without_a_decision_what_is_open_is_listed_with_its_values(run_json, made, fee):
    name, ids = fee
    _, body = run_json("decide", made.path)
    assert (body["run"], body["open"]) == (made.run.manifest.resource, 2)
    listed = {one["name"]: one for one in body["items"]}
    assert [one["id"] for one in listed[name]["candidates"]] == ids
    run_json("decide", made.path, "--field", "city", "accept")
    _, body = run_json("decide", made.path)
    assert (body["open"], [one["name"] for one in body["items"]]) == (1, [name])
    _, body = run_json("decide", made.path, "--field", "city")
    assert [one["status"] for one in body["items"]] == ["accepted"]


def test_people_see_ids_chosen_and_not_chosen(run, made, fee):
    name, (_, second) = fee
    result = run("decide", made.path, "--item", name)
    assert result.exit_code == 0
    assert second in result.stdout
    result = run("decide", made.path, "--item", name, "select", "--candidate", second)
    assert 'Chosen       "52000"' in result.stdout
    assert 'Not chosen   "48000"' in result.stdout
    assert "1 decision written" in result.stdout
    result = run("decide", made.path, "--field", "fee", "accept")
    assert "--replace" in result.stderr
    run("decide", made.path, "--field", "city", "accept")
    assert "everything is decided" in run("decide", made.path).stdout


def test_an_excluded_rival_is_shown(run, tmp_path):
    made = rival_misquoted().create(tmp_path / "runs")
    assert "Excluded" in run("decide", made.path).stdout


def test_a_long_list_is_cut_for_people(run, tmp_path):
    made = many(30).create(tmp_path / "runs")
    assert "and 10 more" in run("decide", made.path).stdout


def test_a_blind_run_shows_no_score(run, run_json, tmp_path):
    sighted = example().create(tmp_path / "sighted")
    blind = example().with_order(score_blind=True).create(tmp_path / "blind")
    for made, has_scores in ((sighted, True), (blind, False)):
        _, body = run_json("decide", made.path)
        assert body["scoreBlind"] is not has_scores
        assert ("confidence" in json.dumps(body)) is has_scores
        result = run("decide", made.path, "--field", "record.status", "accept")
        assert ("confidence" in result.stdout) is has_scores
    assert "score-blind" in run("decide", blind.path).stdout


def test_a_run_that_is_only_read_says_so(run, run_json, tmp_path):
    path = import_run(UPSTREAM, tmp_path / "runs").artifacts.path
    _, body = run_json("decide", path)
    assert (body["open"], body["items"]) == (0, [])
    assert "blocked" not in body
    assert run("decide", path).exit_code == 0
