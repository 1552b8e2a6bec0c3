"""survey-fast import-run: a run of the reference system is taken over, or nothing is made."""

from __future__ import annotations

import pytest
from tests.unit.runs.samples import UPSTREAM, content, example

from survey_fast.runs.opened import open_run

NAME = "run-ee0f5783bcfa2891"


def test_the_run_is_told_and_can_be_verified(run, run_json, tmp_path):
    before = content(UPSTREAM)
    code, body = run_json("import-run", UPSTREAM, "--root", "runs")
    assert code == 0
    opened = open_run(tmp_path / "runs" / NAME)
    assert body == {
        "ok": True,
        "path": f"runs/{NAME}",
        "run": "survey-fast-run:v1:generic-record:ee0f5783bcfa2891",
        "importedFrom": "fieldwork-run:v1:generic-record:ee0f5783bcfa2891",
        "items": 1,
        "events": 5,
        "revision": opened.revision,
    }
    assert run_json("verify", body["path"])[0] == 0
    assert content(UPSTREAM) == before
    result = run("import-run", UPSTREAM, "--root", "others")
    assert result.exit_code == 0
    assert f"others/{NAME}: 1 item, 5 events" in result.stdout


def test_without_a_root_it_goes_where_runs_live(run_json, tmp_path):
    run_json("import-run", UPSTREAM)
    assert (tmp_path / ".survey-fast/runs" / NAME / "run.json").exists()
    assert (tmp_path / ".survey-fast/runs/.gitignore").read_bytes() == b"*\n"


def test_a_run_of_ours_is_told_to_be_one(run, tmp_path):
    path = example().create(tmp_path / "runs").path
    result = run("import-run", path)
    assert result.exit_code == 1
    assert "ours already" in result.stderr


@pytest.mark.parametrize("how", ["occupied", "one of ours", "none", "a file"])
def test_what_is_not_taken_over(run, run_json, tmp_path, how):
    (tmp_path / "file").write_bytes(b"x")
    ours = example().create(tmp_path / "ours").path
    assert run_json("import-run", UPSTREAM, "--root", "sound")[0] == 0
    source, root, code = {
        "occupied": (UPSTREAM, "sound", "file-exists"),
        "one of ours": (ours, "runs", "INVALID_RUN"),
        "none": ("nowhere", "runs", "RUN_NOT_FOUND"),
        "a file": ("file", "runs", "RUN_PATH_REFUSED"),
    }[how]
    before = content(tmp_path)
    exit_code, body = run_json("import-run", source, "--root", root)
    assert (exit_code, body["error"]["code"]) == (1, code)
    result = run("import-run", source, "--root", root)
    assert result.exit_code == 1
    assert f"({code})" in result.stderr
    assert content(tmp_path) == before
