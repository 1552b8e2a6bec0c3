"""Files that a command writes together, and standard output in the place of one."""

from __future__ import annotations

import errno
import json
import os

import pytest
from tests.unit.runs.samples import conflict, content, decided

from survey_fast.canon import plain_data
from survey_fast.runs.export.export import export_run
from survey_fast.runs.export.inspection import inspect_run
from survey_fast.runs.export.values import values_csv

TOO_LONG = "v" * 252 + ".csv"


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


@pytest.fixture
def exported(path):
    text = export_run(path).text
    return {"e.json": text, "v.csv": values_csv(plain_data(text))}


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("values", [TOO_LONG, "/proc/x.csv", "deep/er/" + TOO_LONG])
def test_when_one_file_cannot_be_written_the_other_is_not_either(
    path, told, tmp_path, force, values
):
    before = content(tmp_path)
    for target in ("e.json", "new/folder/e.json"):
        code, body = told("export", path, "--output", target, "--values", values, *force)
        assert (code, body["ok"]) == (1, False)
        assert content(tmp_path) == before
        assert not (tmp_path / "new").exists()
        assert not (tmp_path / "deep").exists()
    assert told("export", path, "--output", "e.json", "--values", "v.csv", *force)[0] == 0


@pytest.mark.parametrize("call", ["open", "write", "fsync", "link", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("names", [["new.json", "new.csv"], ["e.json", "v.csv"]])
def test_what_force_replaces_stands_as_it_was_when_a_call_fails(
    path, told, tmp_path, monkeypatch, *, call, code, names
):
    for name in ("e.json", "v.csv"):
        (tmp_path / name).write_bytes(b"mine")
    before = content(tmp_path)
    arguments = ["export", path, "--output", names[0], "--values", names[1], "--force"]
    genuine = getattr(os, call)
    met = False
    for turn in range(1, 30):
        calls = []

        def failing(*args, turn=turn, calls=calls, **options):
            is_ours = call not in {"open", "write", "fsync"} or _is_writing(call, args)
            if is_ours:
                calls.append(args)
                if len(calls) == turn:
                    raise OSError(code, os.strerror(code))
            return genuine(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            exit_code, _ = told(*arguments)
        if exit_code == 0:
            # A second name that could not be given is done without.
            assert len(calls) < turn or call == "link"
            break
        met = True
        assert content(tmp_path) == before
    assert exit_code == 0
    assert met or call == "link"


def _is_writing(call, args):
    """Whether a call is about a file that is written, or the folder that has its name."""
    if call == "open":
        return bool(args[1] & (os.O_WRONLY | os.O_DIRECTORY)) and "runs" not in str(args[0])
    return args[0] > 2


@pytest.mark.parametrize("values", ["e.csv", "./e.csv", "x/../e.csv", "d/e.csv", "link/e.csv"])
@pytest.mark.parametrize("is_there", [False, True])
def test_two_names_of_one_file_are_wrong_usage(path, told, tmp_path, values, is_there):
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")
    target = "d/../d/e.csv" if "/e" in values and values[0] in "dl" else "e.csv"
    if is_there:
        (tmp_path / target).write_bytes(b"mine")
    before = content(tmp_path)
    code, body = told("export", path, "--output", target, "--values", values, "--force")
    assert (code, body["error"]["code"]) == (2, "usage")
    assert content(tmp_path) == before


def test_a_file_below_another_is_refused_and_neither_is_there(path, told, tmp_path):
    before = content(tmp_path)
    for names in (["e.csv", "e.csv/v.csv"], ["e.json/e.json", "e.json"]):
        arguments = ["export", path, "--output", names[0], "--values", names[1]]
        assert told(*arguments)[0] in {1, 2}
        assert content(tmp_path) == before
        assert sorted(one.name for one in tmp_path.iterdir()) == ["runs"]


# Standard output


def test_an_export_can_be_piped_and_people_are_told_beside_it(path, run, tmp_path, exported):
    result = run("export", path, "--output", "-")
    assert result.exit_code == 0
    assert result.stdout_bytes == exported["e.json"]
    assert "standard output" in result.stderr
    assert "52000" in result.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["runs"]


def test_an_inspection_can_be_piped(path, run, tmp_path):
    result = run("inspect", path, "--output", "-", "--include-excerpts")
    assert result.stdout_bytes == inspect_run(path, include_excerpts=True).text
    assert "standard output" in result.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["runs"]


def test_a_table_can_be_written_beside_what_is_piped(path, run, tmp_path, exported):
    result = run("export", path, "--output", "-", "--values", "v.csv")
    assert result.stdout_bytes == exported["e.json"]
    assert (tmp_path / "v.csv").read_bytes() == exported["v.csv"]


def test_nothing_is_piped_when_the_table_cannot_be_written(path, run, tmp_path):
    before = content(tmp_path)
    result = run("export", path, "--output", "-", "--values", TOO_LONG)
    assert (result.exit_code, result.stdout_bytes) == (1, b"")
    assert "STORAGE_FAILED" in result.stderr
    (tmp_path / "v.csv").write_bytes(b"mine")
    result = run("export", path, "--output", "-", "--values", "v.csv")
    assert (result.exit_code, result.stdout_bytes) == (1, b"")
    (tmp_path / "v.csv").unlink()
    assert content(tmp_path) == before


def test_a_refusal_pipes_nothing(tmp_path, run):
    path = conflict().create(tmp_path / "runs").path
    result = run("export", path, "--output", "-")
    assert (result.exit_code, result.stdout_bytes) == (1, b"")
    assert "EXPORT_UNDECIDED" in result.stderr


def test_when_the_pipe_fails_no_file_takes_its_place(path, run, tmp_path, monkeypatch):
    before = content(tmp_path)

    def broken(*_, **__):
        raise BrokenPipeError

    with monkeypatch.context() as patch:
        patch.setattr("survey_fast.cli.publishing.click.echo", broken)
        result = run("export", path, "--output", "-", "--values", "v.csv")
    assert result.exit_code == 141
    assert content(tmp_path) == before


@pytest.mark.parametrize("command", ["export", "inspect"])
def test_a_document_and_a_json_answer_would_be_one_text_too_many(path, told, tmp_path, command):
    before = content(tmp_path)
    code, body = told(command, path, "--output", "-")
    assert (code, body["error"]["code"]) == (2, "usage")
    assert content(tmp_path) == before


@pytest.mark.parametrize("command", ["export", "inspect"])
def test_a_file_of_that_name_is_written_as_a_path(path, told, tmp_path, command):
    assert told(command, path, "--output", "./-")[0] == 0
    assert json.loads((tmp_path / "-").read_bytes())


def test_standard_output_is_no_file_in_the_run(path, run, monkeypatch):
    monkeypatch.chdir(path)
    before = content(path)
    assert run("export", path, "--output", "-").exit_code == 0
    assert run("export", path, "--output", "./-").exit_code == 1
    assert content(path) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "e.json", "--targets", "t.json", "--output", "-"],
        ["extract", "a.txt", "--task", "t.json", "--out", "-"],
        ["export", "RUN", "--values", "-"],
        ["session", "new", "-", "--queue", "q.json"],
        ["session", "pack", "s/round.json", "-"],
        ["session", "convert", "s/round.json", "-"],
        ["session", "audit", "s/round.json", "-", "--rate", "0.5", "--seed", "x"],
        ["demo", "--keep", "-"],
    ],
)
def test_what_has_to_have_a_name_is_asked_for_one(run_json, session, tmp_path, arguments):
    before = content(tmp_path)
    code, body = run_json(*arguments)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert "name" in body["error"]["message"]
    assert content(tmp_path) == before
    assert session.path.exists()
