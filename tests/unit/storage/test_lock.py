"""The lock: what its holder leaves, how others wait, and where there can be none."""

import errno
import json
import os
import uuid
from contextlib import ExitStack

import pytest
from tests.faults.seam import RecordingFiles, SteppingClock
from tests.unit.storage.holding import (
    HERE,
    NOW,
    ROOT,
    TOKEN,
    busy,
    names,
    plant,
    record_of,
    succeeds,
)

from survey_fast.errors import SurveyError
from survey_fast.storage import RECORD, AppendLog, SystemFiles, held
from survey_fast.storage.owner import Machine, owner_record, start_identity


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "events.jsonl"
    AppendLog(ROOT, path).create()
    return path


# What a holder leaves


def test_the_record_names_its_owner_and_goes_with_it(path):
    place = path.with_name(RECORD)
    with held(path, 0, clock=SteppingClock(NOW).clock()):
        record = json.loads(place.read_bytes())
        status = place.stat()
        assert names(path) == [RECORD, "events.jsonl"]
    assert record == {
        "bootId": HERE.boot_id,
        "createdAt": "2096-10-02T07:06:40.000Z",
        "host": HERE.host,
        "pid": os.getpid(),
        "startIdentity": start_identity(os.getpid()),
        "token": str(uuid.UUID(record["token"])),
    }
    assert (status.st_mode & 0o777, status.st_nlink) == (0o600, 1)
    assert status.st_size <= 512
    assert names(path) == ["events.jsonl"]


def test_the_record_is_filled_and_flushed_before_it_has_its_name(path):
    files = RecordingFiles()
    with held(path, 0, files=files):
        calls = [name for name, *_ in files.calls]
        assert calls == [
            *("open", "fstat", "flock", "lstat", "listdir", "lstat"),
            *("open", "write", "fsync", "close", "link", "unlink"),
        ]
        files.calls.clear()
    calls = [name for name, *_ in files.calls]
    assert calls == ["lstat", "open", "fstat", "read", "close", "lstat", "unlink", "close"]
    assert not files.opened


def test_the_longest_host_name_fits_in_a_record():
    started = f"linux-starttime:{2**64}"
    machine = Machine("\\" * 128, TOKEN, 2**31 - 1, start_identity=lambda _: started)
    assert 470 < len(owner_record(machine, TOKEN, NOW)) <= 512
    assert len(HERE.host) <= 128


def test_logs_that_share_a_folder_can_be_held_together(path):
    other = path.with_name("other.jsonl")
    AppendLog(ROOT, other).create()
    with held(path, 0, record=".one.lock"), held(other, 0, record=".other.lock"):
        assert names(path) == [".one.lock", ".other.lock", "events.jsonl", "other.jsonl"]
        busy(other, "writer")
    with held(path, 0):
        busy(other, "live-owner")


def test_an_error_in_the_section_lets_the_lock_go(path):
    with pytest.raises(ZeroDivisionError), held(path, 0):
        raise ZeroDivisionError
    succeeds(path)
    assert names(path) == ["events.jsonl"]


def test_a_record_that_is_no_longer_ours_is_left_at_release(path):
    place = path.with_name(RECORD)
    with held(path, 0):
        place.unlink()
        plant(path, record_of(HERE))
    assert json.loads(place.read_bytes())["token"] == TOKEN
    place.unlink()
    with held(path, 0):
        place.unlink()
    assert names(path) == ["events.jsonl"]


def test_a_record_that_could_not_be_removed_does_not_shut_out_its_own_process(path):
    class Stubborn(SystemFiles):
        def unlink(self, path):
            if path.name == RECORD:
                raise OSError(errno.EIO, "Input/output error")
            super().unlink(path)

    with held(path, 0, files=Stubborn()):
        pass
    assert names(path) == [RECORD, "events.jsonl"]
    succeeds(path)
    assert names(path) == ["events.jsonl"]


# Waiting


def test_one_holder_at_a_time(path):
    clock = SteppingClock(NOW)
    with held(path, 0):
        busy(path, "writer", wait=0.75, clock=clock)
        assert all(0.01 <= pause < 0.05 for pause in clock.pauses[:-1])
        assert len(set(clock.pauses)) == len(clock.pauses) > 14
    assert succeeds(path) == 0


def test_the_lock_is_had_as_soon_as_it_is_free(path):
    stack = ExitStack()
    stack.enter_context(held(path, 0))
    clock = SteppingClock(NOW, before_sleep=lambda turn: turn == 5 and stack.close())
    assert succeeds(path, wait=10, clock=clock) < 0.3
    assert len(clock.pauses) == 6


def test_a_log_that_was_exchanged_is_not_locked(path):
    class Late(SystemFiles):
        def flock(self, descriptor, operation):
            path.rename(path.with_name("aside"))
            path.write_bytes(b"")
            super().flock(descriptor, operation)

    busy(path, "changing", files=Late())
    assert names(path) == ["aside", "events.jsonl"]


# File systems that lack something


@pytest.mark.parametrize("call", ["flock", "link"])
@pytest.mark.parametrize("code", ["ENOSYS", "EOPNOTSUPP"])
def test_a_file_system_without_locks_or_links_is_refused(path, call, code):
    class Lacking(SystemFiles):
        def __getattribute__(self, name):
            return failing if name == call else super().__getattribute__(name)

    def failing(*_):
        raise OSError(getattr(errno, code), "not supported")

    with pytest.raises(SurveyError) as caught, held(path, 10, files=Lacking()):
        pass
    assert (caught.value.code, caught.value.http_status) == ("STORAGE_UNSUPPORTED", 501)
    assert names(path) == ["events.jsonl"]
