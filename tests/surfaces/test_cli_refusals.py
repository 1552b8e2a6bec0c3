"""What every command refuses in the same way: files it must not read, and wrong usage."""

from __future__ import annotations

import os

import pytest

COMMANDS = {
    "digest": lambda path: ["digest", path],
    "import": lambda path: [
        *["import", path, "--targets", "t.json", "--source-kind", "web-page", "--output", "o"]
    ],
    "import --targets": lambda path: [
        *["import", "t.json", "--targets", path, "--source-kind", "web-page", "--output", "o"]
    ],
    "import --prepared": lambda path: [
        *["import", "t.json", "--prepared", path, "--targets", "t.json"],
        *["--source-kind", "web-page", "--output", "o"],
    ],
    "attest": lambda path: ["attest", path],
    "attest --import": lambda path: ["attest", "q.json", "--import", path],
    "attest --binding": lambda path: ["attest", "q.json", "--binding", path],
    "audit-sample": lambda path: ["audit-sample", path, "--rate", "1", "--seed", "s"],
    "session new --queue": lambda path: ["session", "new", "o.json", "--queue", path],
    "session new --import": lambda path: ["session", "new", "o.json", "--import", path],
    "session show": lambda path: ["session", "show", path],
    "session decide": lambda path: ["session", "decide", path, "--item", "i", "accept"],
    "session decide --batch": lambda path: ["session", "decide", "t.json", "--batch", path],
    "session apply": lambda path: ["session", "apply", path],
    "session attest": lambda path: ["session", "attest", path],
    "session audit": lambda path: [
        *["session", "audit", path, "o.json", "--rate", "1", "--seed", "s"]
    ],
    "session convert": lambda path: ["session", "convert", path, "o.json"],
    "session pack": lambda path: ["session", "pack", path, "o.json"],
    "session export": lambda path: ["session", "export", path],
    "session export --output": lambda path: ["session", "export", path, "--output", "o.json"],
    "bundle validate": lambda path: ["bundle", "validate", path],
    "bundle report": lambda path: ["bundle", "report", path],
    "calibrate": lambda path: ["calibrate", path],
    "calibrate --plot": lambda path: ["calibrate", path, "--plot", "o.svg"],
}
FOLDERS = {
    "calibrate": "calibration-input-invalid",
    "calibrate --plot": "calibration-input-invalid",
}
"""What a folder is refused as where it might be a run."""


@pytest.fixture(params=COMMANDS)
def command(request, tmp_path):
    (tmp_path / "t.json").write_text("{}")
    (tmp_path / "q.json").write_text("[]")
    return request.param


@pytest.fixture
def arguments(command):
    return COMMANDS[command]


def refused(run_json, arguments, code):
    exit_code, body = run_json(*arguments)
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["details"]["path"] == "x"


def test_a_missing_file(run_json, arguments):
    refused(run_json, arguments("x"), "file-not-found")


def test_a_link(run_json, arguments, tmp_path):
    (tmp_path / "x").symlink_to("t.json")
    refused(run_json, arguments("x"), "file-refused")


def test_a_folder(run_json, command, arguments, tmp_path):
    (tmp_path / "x").mkdir()
    refused(run_json, arguments("x"), FOLDERS.get(command, "file-refused"))


def test_a_link_that_leads_to_itself(run_json, arguments, tmp_path):
    (tmp_path / "x").symlink_to("x")
    refused(run_json, arguments("x"), "file-refused")


def test_a_pipe_that_nobody_writes_to(run_json, arguments, tmp_path):
    os.mkfifo(tmp_path / "x")
    refused(run_json, arguments("x"), "file-refused")


def test_a_file_over_the_cap_that_was_asked_for(run_json, arguments, tmp_path):
    (tmp_path / "x").write_text("[1]")
    refused(run_json, [*arguments("x"), "--max-bytes", 2], "file-too-large")


def test_a_file_over_the_cap_of_its_kind_is_refused_unread(run_json, arguments, tmp_path):
    with (tmp_path / "x").open("wb") as sparse:
        sparse.truncate(257 * 1024 * 1024)
    refused(run_json, arguments("x"), "file-too-large")


@pytest.mark.parametrize("size", ["0", "-1", "many", str((1 << 30) + 1)])
def test_a_cap_out_of_range_is_wrong_usage(run_json, arguments, size):
    code, body = run_json(*arguments("x"), "--max-bytes", size)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_a_refusal_without_json_is_text_on_standard_error(run, arguments):
    result = run(*arguments("x"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "file-not-found" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ["no-such-command"],
        ["digest"],
        ["digest", "x", "--no-such-option"],
        ["digest", "x", "--profile", "unknown"],
        ["import", "x"],
        ["import", "x", "--targets", "t", "--output", "o", "--source-kind", "dream"],
        ["attest"],
        ["audit-sample", "x", "--rate", "1", "--seed", "\udcff"],
        ["session", "export"],
        ["bundle", "validate"],
        ["bundle", "report", "x", "--now", "yesterday"],
        ["bundle", "report", "x", "--status-version", "5"],
        ["calibrate"],
        ["calibrate", "x", "--plot", "x.pdf"],
        ["calibrate", "x", "--plot", ".svg"],
        ["calibrate", "x", "--now", "2026-01-31T09:00:00Z"],
    ],
)
def test_wrong_usage_is_explained_and_exits_2(run, run_json, wrong):
    result = run(*wrong)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: " in result.stderr
    code, body = run_json(*wrong)
    assert (code, set(body["error"]), body["error"]["code"]) == (2, {"code", "message"}, "usage")


def test_an_interruption_is_silent_and_exits_130(run):
    def interrupted():
        raise KeyboardInterrupt

    result = run("demo", clock=interrupted)
    assert (result.exit_code, result.output) == (130, "")
