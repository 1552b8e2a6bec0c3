"""Runs: opened with every check, decided on, exported, and what one item costs at three sizes."""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from benches.data import LARGE, SMALL
from benches.run_data import HOST, new_run
from benches.turns import in_turns
from survey_fast.canon import sha256_hex
from survey_fast.runs.append import decide_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.opened import open_run

SIZES = (100, SMALL, LARGE)
FOLDER = TemporaryDirectory(prefix="survey-fast-bench-")
"""Runs live here until the process ends."""

runs = pytest.mark.benchmark(group="runs")


class Stored(NamedTuple):
    """A run on the disk, and a request that decides each of its items."""

    path: Path
    requests: list[dict[str, Any]]
    queue: bytes


@cache
def stored(items: int, share: str) -> Stored:
    """A run of so many items, ``half`` of them decided (two events each) or ``all``."""
    created = new_run(Path(FOLDER.name) / f"{share}-{items}", items)
    requests = [_request(item) for item in created.run.state["items"]]
    decided = requests if share == "all" else requests[: items // 2]
    assert decide_run(created.path, decided, HOST).ok
    return Stored(created.path, requests, created.run.artifacts.queue)


def _request(item: dict[str, Any]) -> dict[str, Any]:
    proposed = [one for one in item["spec"]["candidates"] if one["role"] == "proposed"]
    request = {"item": item["metadata"]["name"], "decision": "accept"}
    if len(proposed) > 1:
        request |= {"decision": "select", "candidateId": proposed[1]["id"]}
    return request


def beside(benchmark: Any, **seconds: float) -> None:
    """Leave bounds that are times, to be divided by."""
    known = benchmark.extra_info.setdefault("beside", {})
    known |= {name: {"min": value, "median": value} for name, value in seconds.items()}


@runs
@pytest.mark.parametrize("items", SIZES)
def test_open_run(benchmark, items):
    """Open and verify, nothing remembered."""
    run = stored(items, "half")
    answer = in_turns(
        benchmark,
        lambda: open_run(run.path, read_shared_lock=True),
        {"raw": lambda: sha256_hex(run.queue)},
        rounds=5,
    )
    beside(benchmark, bound=0.5)
    assert len(answer.outline["items"]) == items
    assert answer.log.count >= items


@runs
@pytest.mark.parametrize("items", SIZES)
def test_append_anew(benchmark, items):
    """Decide one item in a process that knows nothing of the run."""
    run = stored(items, "half")
    turn = count(items // 2)
    answer = benchmark.pedantic(
        lambda: decide_run(run.path, [run.requests[next(turn)]], HOST), rounds=5
    )
    beside(benchmark, bound=0.6)
    assert answer.ok
    assert answer.committed == 2


@runs
@pytest.mark.parametrize("items", SIZES)
def test_append_warm(benchmark, items):
    """Decide one item where the run is open already: its bytes are read, compared and known."""
    run = stored(items, "half")
    turn = count(items // 2 + 10)
    known = [open_run(run.path)]

    def decide() -> Any:
        answer = decide_run(run.path, [run.requests[next(turn)]], HOST, known=known[0])
        known[0] = answer.run
        return answer

    answer = benchmark.pedantic(decide, rounds=10, warmup_rounds=1)
    beside(benchmark, bound=0.06)
    assert answer.ok
    assert answer.committed == 2


@runs
@pytest.mark.parametrize("items", SIZES)
def test_export_run(benchmark, items):
    """Export a run whose every item is decided."""
    run = stored(items, "all")
    answer = benchmark.pedantic(lambda: export_run(run.path), rounds=2)
    beside(benchmark, bound=3)
    assert answer.scope["complete"]
