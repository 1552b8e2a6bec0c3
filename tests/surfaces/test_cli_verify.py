"""survey-fast verify: one line a run, nothing written, exit 1 when one does not hold."""

from __future__ import annotations

import pytest
from tests.unit.runs.samples import HOST, conflict, content, decided, example, partial

from survey_fast.runs.append import decide_run
from survey_fast.runs.opened import open_run


@pytest.fixture
def paths(tmp_path):
    root = tmp_path / "runs"
    return [decided(root, conflict()), example().create(root).path, partial().create(root).path]


def test_every_run_is_told_and_nothing_is_written(run, run_json, paths):
    before = [content(one) for one in paths]
    code, body = run_json("verify", *paths)
    assert code == 0
    assert [one["path"] for one in body["runs"]] == [str(one) for one in paths]
    assert [one["revision"] for one in body["runs"]] == [open_run(one).revision for one in paths]
    assert [(one["ok"], one["items"], one["events"]) for one in body["runs"]] == [
        (True, 2, 4),
        (True, 1, 0),
        (True, 2, 0),
    ]
    assert [one["code"] for one in body["runs"][2]["notices"]] == ["partial-extraction"]
    result = run("verify", *paths)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert "partial-extraction" in result.stderr
    assert [content(one) for one in paths] == before


def test_a_folder_of_runs_stands_for_every_run_in_it(run, run_json, paths, tmp_path):
    (tmp_path / "runs/other").mkdir()
    (tmp_path / "runs/.staged").mkdir()
    (tmp_path / "runs/.staged/run.json").write_bytes(b"{}")
    code, body = run_json("verify", "runs")
    assert code == 0
    assert [one["path"] for one in body["runs"]] == sorted(f"runs/{one.name}" for one in paths)
    assert len(run("verify", "runs").stdout.splitlines()) == 3
    (paths[1] / "prepared.txt").write_bytes(b"other")
    code, body = run_json("verify", "runs", paths[0])
    assert (code, len(body["runs"])) == (1, 4)
    code, body = run_json("verify", "runs", "--expect", f"0:{'0' * 64}")
    assert (code, body["error"]["code"]) == (2, "usage")


def test_a_folder_without_a_run_is_refused_as_a_run(run_json, tmp_path):
    (tmp_path / "empty").mkdir()
    code, body = run_json("verify", "empty")
    assert (code, body["error"]["code"]) == (1, "INVALID_RUN")


def test_an_append_that_was_cut_off_is_told_loudly(run, run_json, paths):
    log = paths[0] / "review-events.jsonl"
    log.write_bytes(log.read_bytes()[:-20])
    code, body = run_json("verify", paths[0])
    assert (code, [one["code"] for one in body["runs"][0]["notices"]]) == (0, ["uncommitted-tail"])
    result = run("verify", *paths)
    first, *others = result.stdout.splitlines()
    assert "HOLDS UP TO AN UNFINISHED APPEND" in first
    assert [": holds;" in one for one in others] == [True, True]
    assert "--expect" in result.stderr


def test_one_that_does_not_hold_is_named_and_the_others_are_told(run, run_json, paths, tmp_path):
    (paths[1] / "prepared.txt").write_bytes(b"other")
    all_of_them = [*paths, tmp_path / "none"]
    code, body = run_json("verify", *all_of_them)
    assert code == 1
    assert [one["ok"] for one in body["runs"]] == [True, False, True, False]
    assert body["runs"][1]["error"]["code"] == "RUN_PREPARED_MISMATCH"
    assert body["runs"][3]["error"]["code"] == "RUN_NOT_FOUND"
    assert body["error"]["code"] == "RUN_PREPARED_MISMATCH"
    result = run("verify", *all_of_them)
    assert result.exit_code == 1
    assert f"{paths[1]}: refused (RUN_PREPARED_MISMATCH)" in result.stderr
    assert len(result.stdout.splitlines()) == 2


def test_one_that_cannot_be_read_is_named_and_the_others_are_told(run_json, paths, unreadable):
    unreadable(paths[0].name)
    code, body = run_json("verify", *paths)
    assert code == 1
    assert [one["ok"] for one in body["runs"]] == [False, *(True for _ in paths[1:])]
    assert body["error"]["code"] == "STORAGE_FAILED"
    assert paths[0].name in body["error"]["message"]


def test_a_revision_that_was_noted_finds_what_was_taken_off_the_end(run_json, paths):
    path = paths[1]
    name = open_run(path).state["items"][0]["metadata"]["name"]
    noted = decide_run(path, [{"item": name, "decision": "accept"}], HOST).revision
    assert run_json("verify", path, "--expect", noted)[0] == 0
    (path / "review-events.jsonl").write_bytes(b"")
    assert run_json("verify", path)[0] == 0
    code, body = run_json("verify", path, "--expect", noted)
    assert (code, body["error"]["code"]) == (1, "stale-revision")
    assert body["runs"][0]["error"]["details"]["expected"] == noted


def test_a_history_that_grew_is_a_notice(run_json, paths):
    path = paths[1]
    noted = open_run(path).revision
    name = open_run(path).state["items"][0]["metadata"]["name"]
    decide_run(path, [{"item": name, "decision": "accept"}], HOST)
    code, body = run_json("verify", path, "--expect", noted)
    assert code == 0
    assert [one["code"] for one in body["runs"][0]["notices"]] == ["history-grew"]


@pytest.mark.parametrize(
    "wrong",
    [[], ["--expect", "4"], ["--expect", f"4:{'A' * 64}"], ["--wait", "-1"], ["--wait", "nan"]],
)
def test_wrong_usage(run_json, paths, wrong):
    code, body = run_json("verify", *([paths[0]] if wrong else []), *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_a_revision_is_about_one_run(run_json, paths):
    noted = open_run(paths[0]).revision
    assert run_json("verify", paths[0], "--expect", noted)[0] == 0
    assert run_json("verify", *paths[:2], "--expect", noted)[0] == 2
