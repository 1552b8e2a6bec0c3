"""Making a log and appending to it: it moves by whole appends, or does not move."""

import stat

import pytest
from tests.faults.seam import RecordingFiles
from tests.unit.storage.appending import append, names, plant, refused
from tests.unit.storage.chains import ROOT, ROOT_DIGEST, events, face, lines

from survey_fast.errors import JsonError
from survey_fast.storage import AppendLog, Lock, SystemFiles, held


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "events.jsonl"
    AppendLog(ROOT, path).create()
    return path


# Making


def test_a_new_log_is_empty_and_private(path):
    view = AppendLog(ROOT, path).read()
    assert (view.events, view.head, view.count, view.tail_bytes) == ([], ROOT_DIGEST, 0, 0)
    assert view.revision == f"0:{ROOT_DIGEST}"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(path.parent) == ["events.jsonl"]


def test_a_log_and_its_name_are_flushed(tmp_path):
    files = RecordingFiles()
    AppendLog(ROOT, tmp_path / "log", files=files).create()
    assert [name for name, *_ in files.calls] == [
        *("open", "fsync", "close"),
        *("open", "fsync", "close"),
    ]


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "link", "dangling link"])
def test_no_log_is_made_where_something_stands(path, kind):
    place = path.with_name("place")
    plant(place, kind, path)
    before = face(place)
    refused("file-exists", AppendLog(ROOT, place).create)
    assert face(place) == before
    assert names(path.parent) == ["events.jsonl", "place"]


# Appending


def test_appends_are_chained_to_the_root_and_to_one_another(path):
    append(path, events(1))
    append(path, events(3, 2))
    view = append(path, events(1, 5))
    assert path.read_bytes() == b"".join(lines(events(1), events(3, 2), events(1, 5)))
    assert view == AppendLog(ROOT, path).read()
    assert view.events == events(5)
    assert names(path.parent) == ["events.jsonl"]


def test_who_knows_an_earlier_view_reads_the_rest(path):
    log = AppendLog(ROOT, path)
    known = append(path, events(2))
    with held(path, 0) as lock:
        known = log.append(events(1, 3), known.revision, lock, known=known)
    assert known == log.read() == log.read(known=known)
    append(path, events(2, 4))
    assert log.read(known=known) == log.read()
    assert AppendLog(b"other root", path).path == path
    refused("RUN_EVENTS_BROKEN", AppendLog(b"other root", path).read, known=known)


@pytest.mark.parametrize("expected", ["0:" + "0" * 64, "1:" + ROOT_DIGEST, "", "1", "é", "same"])
def test_a_stale_revision_writes_nothing(path, expected):
    first = AppendLog(ROOT, path).read().revision
    now = append(path, events(1), expected=first)
    before = path.read_bytes()
    stale = first if expected == "same" else expected
    error = refused("stale-revision", append, path, events(1, 2), expected=stale)
    assert (error.http_status, error.exit_code) == (409, 1)
    assert (error.details["revision"], error.details["count"]) == (now.revision, 1)
    assert path.read_bytes() == before
    assert append(path, events(1, 2), expected=error.details["revision"]).count == 2


def test_an_unfinished_append_is_cut_off_by_the_next(path):
    view = append(path, events(2))
    torn = b"".join(lines(events(2), events(4, 3))[2:])
    path.write_bytes(view.text + torn[:-1])
    assert AppendLog(ROOT, path).read().tail_bytes == len(torn) - 1
    append(path, events(1, 3), expected=view.revision)
    assert path.read_bytes() == b"".join(lines(events(2), events(1, 3)))


def test_a_tail_is_cut_off_for_good_before_anything_is_written(path):
    path.write_bytes(lines(events(2))[0])
    files = RecordingFiles()
    append(path, events(1), files=files)
    calls = [name for name, *_ in files.calls]
    at = calls.index("ftruncate")
    assert calls[at : at + 7] == [
        *("ftruncate", "fsync", "lseek", "write", "fsync"),
        *("fstat", "lstat"),
    ]
    assert AppendLog(ROOT, path).read().events == events(1)


def test_short_writes_are_put_together(path):
    class Short(SystemFiles):
        def write(self, descriptor, content):
            return super().write(descriptor, content[:7])

    append(path, events(3), files=Short())
    assert path.read_bytes() == b"".join(lines(events(3)))


def test_a_write_that_takes_nothing_does_not_go_on_for_ever(path):
    class Stuck(SystemFiles):
        def write(self, descriptor, content):
            return 0 if b"event" in bytes(content) else super().write(descriptor, content)

    append(path, events(1))
    refused("STORAGE_FAILED", append, path, events(1, 2), files=Stuck())
    assert path.read_bytes() == b"".join(lines(events(1)))


def test_an_interruption_takes_the_append_back(path):
    class Interrupted(SystemFiles):
        def write(self, descriptor, content):
            taken = super().write(descriptor, content)
            if b"event 2" in bytes(content):
                raise KeyboardInterrupt
            return taken

    append(path, events(1))
    with pytest.raises(KeyboardInterrupt):
        append(path, events(1, 2), files=Interrupted())
    assert path.read_bytes() == b"".join(lines(events(1)))
    assert names(path.parent) == ["events.jsonl"]


@pytest.mark.parametrize("kind", ["file", "link", "nothing"])
def test_a_log_exchanged_while_it_is_written_to_acknowledges_nothing(path, kind):
    aside = path.with_name("aside")

    class Exchanging(SystemFiles):
        def lseek(self, descriptor, offset):
            super().lseek(descriptor, offset)
            path.rename(aside)
            if kind == "file":
                path.write_bytes(b"")
            elif kind == "link":
                path.symlink_to("nowhere")

    append(path, events(1))
    before = path.read_bytes()
    refused("STORAGE_FAILED", append, path, events(1, 2), files=Exchanging())
    assert aside.read_bytes() == before
    assert kind != "file" or path.read_bytes() == b""
    assert kind != "link" or path.is_symlink()


def test_calls_that_nobody_should_make(path, tmp_path):
    log, other = AppendLog(ROOT, path), AppendLog(ROOT, tmp_path / "other")
    revision = log.read().revision
    with held(path, 0) as lock:
        for new, fault in (([], ValueError), (["text"], TypeError), ([{"a": {1}}], TypeError)):
            with pytest.raises(fault):
                log.append(new, revision, lock)
        for wrong in ({"a": float("nan")}, {"a": "\ud800"}):
            with pytest.raises(JsonError):
                log.append([{}, wrong], revision, lock)
        with pytest.raises(ValueError, match="the lock is on"):
            other.append([{}], revision, lock)
    assert isinstance(lock, Lock)
    with pytest.raises(ValueError, match="released"):
        log.append([{}], revision, lock)
    with pytest.raises(ValueError, match="released"):
        log.read(lock=lock)
    assert path.read_bytes() == b""
