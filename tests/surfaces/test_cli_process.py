"""The program as others start it: pipes that close, disks that fill, and its other name.

An interruption is sent at a point that is known: when a module is about to be loaded.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from survey_fast.cli.interrupt import interruptible

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


# Interruptions


def interrupted(at, *args, before="pass", main="main()"):
    """The outcome of a program that is interrupted when the module ``at`` is about to be loaded."""
    program = f"""
        import os, signal, sys

        class Finder:
            def find_spec(self, name, path, target=None):
                if name == {at!r}:
                    sys.meta_path.remove(self)
                    os.kill(os.getpid(), signal.SIGINT)

        sys.meta_path.insert(0, Finder())
        {before}
        from survey_fast.cli import main
        {main}
    """
    command = [sys.executable, "-c", textwrap.dedent(program), *args]
    return subprocess.run(command, capture_output=True, check=False)


LOADED = [
    "survey_fast.cli.interrupt",
    "survey_fast.cli.contents",
    "click",
    "survey_fast.cli.output",
    "survey_fast.cli.digest",
    "survey_fast._core",
]


@pytest.mark.parametrize("at", LOADED)
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_an_interruption_while_it_is_loaded_ends_it_without_a_word(tmp_path, at, json):
    (tmp_path / "a.json").write_text("1")
    done = interrupted(at, "digest", tmp_path / "a.json", *json)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_the_same_program_runs_when_nobody_interrupts_it(tmp_path):
    (tmp_path / "a.json").write_text("1")
    done = interrupted("nothing", "digest", tmp_path / "a.json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_an_interruption_that_the_caller_ignores_is_ignored(tmp_path):
    (tmp_path / "a.json").write_text("1")
    before = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    done = interrupted("click", "digest", tmp_path / "a.json", before=before)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interruption_of_a_command_lets_it_leave_things_in_order(tmp_path):
    """What a ``with`` block or a ``finally`` has to do is done, and then the program ends."""
    (tmp_path / "a.json").write_text("1")
    main = (
        "import survey_fast.cli.digest as one\n"
        "        def read(*_):\n"
        "            try:\n"
        "                os.kill(os.getpid(), signal.SIGINT)\n"
        "                signal.pause()\n"
        "            finally:\n"
        "                os.write(1, b'in order')\n"
        "        one.read_input = read\n"
        "        main()"
    )
    done = interrupted("nothing", "digest", tmp_path / "a.json", main=main)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"in order", b"")


def test_a_program_that_is_no_process_of_its_own_keeps_its_interruptions():
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is before
    assert signal.getsignal(signal.SIGINT) is before
