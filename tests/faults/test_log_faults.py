"""An append fails or dies at each of its calls: the log reads as before or as after.

Every call that taking the lock, reading, appending and letting go makes is met once by each fault
and each death. Then a reader that starts afresh, the next writer, and what is left in the folder.
"""

import pytest
from tests.faults.seam import DEATHS, FAULTS, FaultyFiles, RecordingFiles, SteppingClock, outcome_of

from survey_fast.canon import sha256_hex
from survey_fast.storage import AppendLog, held
from survey_fast.storage.chain import empty_view, extended
from survey_fast.storage.owner import Machine

ROOT = b'{"root":true}\n'
NEW = [{"name": f"new {number}", "text": "x" * 50} for number in range(3)]
# No system hands out a process number this large, so its owner is dead.
VICTIM = Machine(pid=2**31 - 2, start_identity=lambda _: "linux-starttime:1")
STARTS = ("an empty log", "a log with events", "a log with a tail", "a dead owner's record")
BEFORE = {"STORAGE_FAILED", "REVIEW_BUSY", "RUN_EVENTS_BROKEN"}
UNKNOWN = {"RUN_COMMIT_UNKNOWN", "died"}


def prepared(folder, start):
    """A log as it stands before the fault; returns its path and revision."""
    folder.mkdir()
    path = folder / "events.jsonl"
    log = AppendLog(ROOT, path, files=RecordingFiles())
    log.create()
    if start != "an empty log":
        append(path, [{"name": "old 1"}, {"name": "old 2"}])
    if start == "a log with a tail":
        view = log.read()
        torn = extended(view, [{"name": "torn 1"}, {"name": "torn 2"}]).text[len(view.text) :]
        path.write_bytes(view.text + torn[:-10])
    if start == "a dead owner's record":
        files = FaultyFiles(10**9, "never")
        assert outcome_of(files, lambda: die_holding(path, files)) == "died"
    return path, log.read().revision


def die_holding(path, files):
    with held(path, 0, files=files, machine=VICTIM):
        files.is_dead = True


def append(path, events, files=None, machine=None):
    files = files or RecordingFiles()
    clock = SteppingClock().clock()
    log = AppendLog(ROOT, path, files=files, clock=clock)
    with held(path, 0, files=files, clock=clock, machine=machine) as lock:
        view = log.read(lock=lock)
        return log.append(events, view.revision, lock).revision


def outcome_at(path, files, machine=None):
    return outcome_of(files, lambda: append(path, NEW, files, machine))


def expected(path):
    """The revision that a whole append leads to."""
    view = AppendLog(ROOT, path).read()
    return extended(view, NEW).revision


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_the_log_reads_as_before_or_as_after(tmp_path, start, fault):
    machine = VICTIM if fault in DEATHS else None
    outcomes = []
    at = 0
    while True:
        at += 1
        path, before = prepared(tmp_path / str(at), start)
        after = expected(path)
        files = FaultyFiles(at, fault)
        outcome = outcome_at(path, files, machine)
        check(path, outcome, before, after)
        outcomes.append(outcome)
        if not files.was_met:
            break
    assert outcomes[-1] == after
    assert len(outcomes) > 20


def check(path, outcome, before, after):
    for locked in (False, True):
        now = AppendLog(ROOT, path).read(read_shared_lock=locked).revision
        if outcome in UNKNOWN:
            assert now in {before, after}
        else:
            assert outcome == after or outcome in BEFORE
            assert now == (after if outcome == after else before)
    append(path, [{"name": "next"}])
    view = AppendLog(ROOT, path).read()
    assert view.events[-1] == {"name": "next"}
    assert view.count == int(now.split(":")[0]) + 1
    assert view.tail_bytes == 0
    assert [entry.name for entry in path.parent.iterdir()] == ["events.jsonl"]


def test_the_faults_reach_every_code(tmp_path):
    met = set()
    for fault in FAULTS:
        for at in range(1, 60):
            path, _ = prepared(tmp_path / f"{fault} {at}", "a log with a tail")
            files = FaultyFiles(at, fault)
            outcome = outcome_at(path, files)
            met.add(outcome if outcome.isupper() else "done")
            if not files.was_met:
                break
    assert {"STORAGE_FAILED", "RUN_COMMIT_UNKNOWN", "done"} <= met


@pytest.mark.parametrize("fault", ["EIO", "ENOSPC after the call"])
def test_a_failed_flush_is_not_tried_again(tmp_path, fault):
    path, before = prepared(tmp_path / "run", "a log with events")
    clean = RecordingFiles()
    append(path, [{"name": "count the calls"}], clean)
    names = [name for name, *_ in clean.calls]
    flushing = names.index("fsync", names.index("lseek")) + 1
    files = FaultyFiles(flushing, fault)
    assert outcome_at(path, files) == "STORAGE_FAILED"
    names = [name for name, *_ in files.calls[flushing - 1 :]]
    assert names[:3] == ["fsync", "ftruncate", "fsync"]
    assert names.count("fsync") == 2
    assert AppendLog(ROOT, path).read().count == int(before.split(":")[0]) + 1


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_log_is_made_whole_or_not_at_all(tmp_path, fault):
    for at in range(1, 10):
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / "events.jsonl"
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, AppendLog(ROOT, path, files=files).create)
        assert outcome in {None, "STORAGE_FAILED", "died"}
        if outcome != "died" and "from here on" not in fault:
            assert path.exists() == (outcome is None)
        if path.exists():
            assert AppendLog(ROOT, path).read() == empty_view(sha256_hex(ROOT))
        if not files.was_met:
            break
    assert outcome is None
    assert at > 5
