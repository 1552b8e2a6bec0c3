"""Many processes on one log: one winner for each revision, no event lost, no reader misled."""

import signal

import pytest
from tests.races import workers
from tests.races.running import CONTEXT, alone, together
from tests.unit.storage.chains import events, lines

from survey_fast.storage import AppendLog, held

PROCESSES = 8
APPENDS = 25


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "events.jsonl"
    AppendLog(workers.ROOT, path).create()
    return path


def test_one_winner_for_each_revision_and_no_lost_event(path):
    start = CONTEXT.Barrier(PROCESSES)
    won = together(
        *((workers.appending, path, name, APPENDS, start) for name in "abcdefgh"[:PROCESSES])
    )
    view = AppendLog(workers.ROOT, path).read(read_shared_lock=True)
    taken = [before for pairs in won for before, _ in pairs]
    assert len(set(taken)) == len(taken) == PROCESSES * APPENDS
    # Every revision that was won follows the one it was won from, without a gap.
    steps = dict(pair for pairs in won for pair in pairs)
    revision = workers.EMPTY.revision
    for _ in taken:
        revision = steps[revision]
    assert revision == view.revision
    for name in "abcdefgh"[:PROCESSES]:
        mine = [event["n"] for event in view.events if event["by"] == name]
        assert mine == list(range(APPENDS))
    assert [entry.name for entry in path.parent.iterdir()] == ["events.jsonl"]


def test_no_reader_refuses_a_healthy_log_whose_tail_is_cut_off(path):
    start, is_over = CONTEXT.Barrier(4), CONTEXT.Event()
    written, *readers = together(
        (workers.tearing, path, 150, start, is_over),
        *((workers.reading, path, start, is_over) for _ in range(3)),
    )
    assert written == 450
    for reads, faults in readers:
        assert faults == []
        assert reads > 0
    assert AppendLog(workers.ROOT, path).read().count == written


def test_a_writer_killed_at_any_of_its_calls_leaves_the_log_before_or_after(tmp_path):
    whole = b"".join(lines(events(3), root=workers.ROOT))
    torn = 0
    for at in range(1, 100):
        path = tmp_path / str(at) / "events.jsonl"
        path.parent.mkdir()
        path.write_bytes(b"")
        acknowledged = CONTEXT.Value("i", 0)
        code = alone(workers.appending_until_killed, path, at, acknowledged)
        content = path.read_bytes()
        assert whole.startswith(content)
        view = AppendLog(workers.ROOT, path).read()
        assert view.count in {0, 3}
        assert view.count >= acknowledged.value
        torn += 0 < view.tail_bytes == len(content)
        proceeds(path, view)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert acknowledged.value == view.count == 3
    assert torn
    assert at > 20


def proceeds(path, view):
    """The next writer is not kept out and adds to what it finds."""
    log = AppendLog(workers.ROOT, path)
    with held(path, 5) as lock:
        after = log.append([{"next": 1}], view.revision, lock)
    assert log.read() == after
    assert (after.count, after.tail_bytes) == (view.count + 1, 0)
    assert ".review.lock" not in {entry.name for entry in path.parent.iterdir()}
