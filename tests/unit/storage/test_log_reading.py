"""Reading a log: caps, what is refused, and what a reader without a lock sees beside a writer."""

import pytest
from tests.faults.seam import RecordingFiles, SteppingClock
from tests.unit.storage.appending import append, names, plant, refused
from tests.unit.storage.chains import ROOT, events, face, lines

from survey_fast.storage import AppendLog, SystemFiles, held

MAX = {"max_bytes": 1000, "max_events": 4}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "events.jsonl"
    AppendLog(ROOT, path).create()
    return path


# Caps


def test_as_many_events_as_allowed_and_not_one_more(path):
    append(path, events(3), **MAX)
    view = append(path, events(1, 4), **MAX)
    error = refused("RUN_EVENTS_FULL", append, path, events(1, 5), **MAX)
    assert (error.details["maxEvents"], error.details["maxBytes"]) == (4, 1000)
    assert path.read_bytes() == view.text
    append(path, events(1, 5))
    error = refused("RUN_FILE_TOO_LARGE", AppendLog(ROOT, path, **MAX).read)
    assert error.http_status == 413
    refused("RUN_FILE_TOO_LARGE", append, path, events(1, 6), expected=view.revision, **MAX)


def test_as_many_bytes_as_allowed_and_not_one_more(path):
    room = 1000 - len(lines([{"text": ""}])[0])
    refused("RUN_EVENTS_FULL", append, path, [{"text": "x" * (room + 1)}], **MAX)
    assert path.read_bytes() == b""
    assert len(append(path, [{"text": "x" * room}], **MAX).text) == 1000
    assert AppendLog(ROOT, path, **MAX).read().count == 1
    with path.open("ab") as file:
        file.write(b"\0")
    refused("RUN_FILE_TOO_LARGE", AppendLog(ROOT, path, **MAX).read)


def test_a_hole_is_not_read(path):
    with path.open("r+b") as file:
        file.truncate(1 << 40)
    files = RecordingFiles()
    refused("RUN_FILE_TOO_LARGE", AppendLog(ROOT, path, files=files).read)
    assert "pread" not in [name for name, *_ in files.calls]


def test_line_feeds_behind_a_nul_are_no_events(path):
    path.write_bytes(b"\0" + b"\n" * 100)
    assert AppendLog(ROOT, path, **MAX).read().tail_bytes == 101


# What is refused


def test_a_broken_log_is_neither_read_nor_written_to(path):
    first, second, third = lines(events(3))
    view = append(path, events(3))
    broken = first + third + second
    path.write_bytes(broken)
    for call in (AppendLog(ROOT, path).read, lambda: append(path, events(1, 4))):
        error = refused("RUN_EVENTS_BROKEN", call)
        assert (error.details["line"], error.details["offset"]) == (2, len(first))
        assert error.details["path"] == str(path)
        assert "event 3" not in str(error)
    refused("RUN_EVENTS_BROKEN", append, path, events(1, 4), expected=view.revision)
    assert path.read_bytes() == broken


def test_a_missing_log_is_broken(tmp_path):
    for path in (tmp_path / "none", tmp_path / "none" / "deeper"):
        refused("RUN_EVENTS_BROKEN", AppendLog(ROOT, path).read)
        refused("RUN_EVENTS_BROKEN", AppendLog(ROOT, path).read, read_shared_lock=True)
        refused("RUN_EVENTS_BROKEN", append, path, events(1))
    assert names(tmp_path) == []


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling link"])
def test_what_is_no_log_of_its_own_is_refused_untouched(path, kind):
    append(path, events(1))
    place, target = path.with_name("place"), path.read_bytes()
    plant(place, kind, path)
    before = face(place)
    for call in (AppendLog(ROOT, place).read, lambda: append(place, events(1))):
        refused("file-refused", call)
    assert face(place) == before
    assert path.read_bytes() == target
    assert names(path.parent) == ["events.jsonl", "place"]


# Reading without a lock


class Beside(SystemFiles):
    """Lets a writer have its turn before the read with the number ``turn``; reads in bits."""

    def __init__(self, turn, write):
        self.turn = turn
        self.write_beside = write
        self.reads = 0
        self.locked = 0

    def pread(self, descriptor, count, offset):
        self.reads += 1
        if self.reads == self.turn:
            self.write_beside()
        return super().pread(descriptor, min(count, 40), offset)

    def flock(self, descriptor, operation):
        self.locked += 1
        super().flock(descriptor, operation)


@pytest.mark.parametrize("size", [1, 2, 9])
def test_a_reader_beside_a_writer_that_cuts_a_tail_off_sees_before_or_after(path, size):
    before = append(path, events(3))
    torn = before.text + b"".join(lines(events(3), events(4, 10))[3:])[:-30]
    after = append(path, events(size, 4))
    met = []
    for turn in range(1, 100):
        path.write_bytes(torn)
        files = Beside(turn, lambda: append(path, events(size, 4)))
        view = AppendLog(ROOT, path, files=files).read()
        assert view.revision in {before.revision, after.revision}
        met.append((view.revision, files.locked > 0))
        if files.reads < turn:
            break
    # Some of the readers met a mixture and looked again under the lock.
    assert (after.revision, True) in met
    assert met[-1] == (before.revision, False)


def test_a_reader_reads_what_was_there_when_it_began(path):
    before = append(path, events(3))
    files = Beside(2, lambda: append(path, events(3, 4)))
    assert AppendLog(ROOT, path, files=files).read() == before
    assert AppendLog(ROOT, path).read().count == 6


def test_a_reader_of_a_healthy_log_takes_no_lock(path):
    append(path, events(3))
    files = RecordingFiles()
    AppendLog(ROOT, path, files=files).read()
    assert [name for name, *_ in files.calls] == [*("open", "fstat", "pread", "close")]


def test_a_broken_chain_is_read_again_under_a_shared_lock_and_only_then_refused(path):
    append(path, events(3))
    path.write_bytes(b"x\n" + path.read_bytes())
    files = RecordingFiles()
    refused("RUN_EVENTS_BROKEN", AppendLog(ROOT, path, files=files).read)
    assert [name for name, *_ in files.calls if name in {"pread", "flock"}] == [
        *("pread", "flock", "pread")
    ]
    assert not files.opened


def test_a_verdict_that_has_to_hold_waits_for_the_writer(path):
    holding = held(path, 0)
    log = AppendLog(ROOT, path)
    lock = holding.__enter__()
    revision = log.append(events(2), log.read(lock=lock).revision, lock).revision
    patient = SteppingClock(before_sleep=lambda turn: turn == 3 and holding.__exit__(*[None] * 3))
    reader = AppendLog(ROOT, path, clock=patient.clock())
    assert reader.read(read_shared_lock=True, wait_seconds=5).revision == revision
    assert len(patient.pauses) == 4


def test_a_verdict_that_has_to_hold_is_refused_when_the_writer_stays(path):
    clock = SteppingClock()
    reader = AppendLog(ROOT, path, clock=clock.clock())
    with held(path, 0):
        error = refused("REVIEW_BUSY", reader.read, read_shared_lock=True, wait_seconds=0.75)
        assert AppendLog(ROOT, path).read().count == 0
    assert error.details == {"path": str(path), "reason": "writer"}
    assert clock.elapsed == pytest.approx(0.75)


def test_readers_share_the_lock_and_keep_writers_out(path):
    inner = AppendLog(ROOT, path)
    outcomes = []

    class Watching(SystemFiles):
        def pread(self, descriptor, count, offset):
            inner.read(read_shared_lock=True, wait_seconds=0)
            error = refused("REVIEW_BUSY", append, path, events(1, 2))
            outcomes.append(error.details["reason"])
            return super().pread(descriptor, count, offset)

    append(path, events(1))
    AppendLog(ROOT, path, files=Watching()).read(read_shared_lock=True)
    assert outcomes == ["writer"]
    append(path, events(1, 2))


def test_no_descriptor_stays_open(path):
    files = RecordingFiles()
    append(path, events(2), files=files)
    refused("stale-revision", append, path, events(2), expected="x", files=files)
    refused("file-refused", AppendLog(ROOT, path.parent, files=files).read)
    refused("file-refused", append, path.parent, events(1), files=files)
    AppendLog(ROOT, path, files=files).read(read_shared_lock=True)
    assert not files.opened
