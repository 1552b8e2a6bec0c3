"""Many processes on one lock that a dead one has left: never two holders, and everybody's turn.

Rows 15 and 18 of the edge table of review surfaces.
"""

import pytest
from tests.races import workers
from tests.races.running import CONTEXT, together

from survey_fast.storage import AppendLog

PROCESSES, ROUNDS = 8, 600


def contend(folder, processes, rounds):
    path = folder / "events.jsonl"
    AppendLog(workers.ROOT, path).create()
    barrier = CONTEXT.Barrier(processes)
    doubles = together(
        *((workers.contending, path, index, rounds, barrier) for index in range(processes))
    )
    assert [entry.name for entry in folder.iterdir()] == ["events.jsonl"]
    return doubles


@pytest.mark.slow
def test_row_15_six_hundred_rounds_without_a_double_hold(tmp_path):
    assert contend(tmp_path, PROCESSES, ROUNDS) == [0] * PROCESSES


def test_row_18_ten_contenders_for_a_recycled_number_all_succeed(tmp_path):
    assert contend(tmp_path, 10, 4) == [0] * 10
