"""How long a command takes that has nothing to do."""

import subprocess
import sys
from pathlib import Path

import pytest

start = pytest.mark.benchmark(group="command-start")


def output_of(command):
    """What a command prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


@start
def test_start_interpreter(benchmark):
    """The interpreter alone."""
    command = [sys.executable, "-c", "pass"]
    assert benchmark.pedantic(output_of, [command], rounds=7, warmup_rounds=1) == b""


@start
def test_start(benchmark):
    """`survey-fast --help`."""
    command = [Path(sys.executable).with_name("survey-fast"), "--help"]
    assert b"attest" in benchmark.pedantic(output_of, [command], rounds=7, warmup_rounds=1)
