"""The program as others start it: pipes that close, disks that fill, and its other name."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = [sys.executable, "-m", "survey_fast"]


def start(*args, **options):
    return subprocess.run([*PROGRAM, *args], capture_output=True, check=False, **options)


@pytest.fixture
def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize(
    "args", [["demo", "--items", "50"], ["demo", "--items", "50", "--json"], ["--help"]]
)
def test_a_closed_pipe_ends_it_without_a_word(closed_pipe, args):
    done = subprocess.run(
        [*PROGRAM, *args], stdout=closed_pipe, stderr=subprocess.PIPE, check=False
    )
    assert done.returncode == 141
    assert done.stderr == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_an_answer_that_cannot_be_written_is_a_failure(tmp_path):
    (tmp_path / "a.json").write_text("1")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*PROGRAM, "digest", tmp_path / "a.json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert b"standard output" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_closed_standard_output_is_no_crash(tmp_path, json):
    (tmp_path / "a.json").write_text("1")
    line = 'exec "$@" >&-'
    command = ["sh", "-c", line, "sh", *PROGRAM, "digest", tmp_path / "a.json", *json]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_name_that_is_not_utf8_is_shown_and_refused():
    done = start("digest", b"\xff\n\x1b[31m")
    assert done.returncode == 1
    assert b"\\udcff\\n\\x1b[31m" in done.stderr


def test_a_terminal_that_knows_ascii_only_gets_ascii():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = start("demo", "--items", "50", env=environment)
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_standard_input_that_is_closed_is_an_empty_document():
    line = 'exec "$@" <&-'
    command = ["sh", "-c", line, "sh", *PROGRAM, "digest", "-"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"json-syntax" in done.stderr
