"""What is found of others at the lock, and what becomes of it.

Rows 14 and 16 to 20 of the edge table of review surfaces and rows 71 to 73 of that of runs, as far
as they are about the lock. Row 15 and the many contenders of row 18 are in tests/races. Rows 25 to
31 of review surfaces are about queues and decisions; nothing of them is in the lock or the log.
"""

import errno
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from tests.unit.storage.holding import DEAD, HERE, ROOT, busy, names, plant, record_of, succeeds

from survey_fast.errors import SurveyError
from survey_fast.storage import RECORD, AppendLog, SystemFiles, held
from survey_fast.storage.owner import Machine, is_gone


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "events.jsonl"
    AppendLog(ROOT, path).create()
    return path


@pytest.mark.parametrize("links", [1, 2])
def test_row_14_a_dead_owner_is_removed(path, links):
    place = plant(path, record_of(DEAD))
    if links == 2:
        path.with_name("other name").hardlink_to(place)
    assert succeeds(path) == 0
    assert names(path) == ["events.jsonl", "other name"][:links]


def test_row_14_a_process_that_really_ended(path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        plant(path, record_of(Machine(pid=child.pid)))
        busy(path, "live-owner")
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        # Ended, though its parent has not looked yet.
        if Path("/proc/self/stat").exists():
            assert is_gone(child.pid)
    assert is_gone(child.pid)
    assert succeeds(path) == 0


@pytest.mark.parametrize("text", [b"", b" \n", b"{", b"null", b'{"pid":1}', b"\xff", b"\0" * 512])
def test_row_16_what_is_no_record_is_removed_after_a_second(path, text):
    plant(path, text, age=0)
    busy(path, "young", wait=0.9)
    assert 1 < succeeds(path, wait=10) < 1.1
    assert names(path) == ["events.jsonl"]


def test_row_17_a_live_owner_stays_whatever_its_age(path):
    plant(path, record_of(HERE), age=10**8)
    busy(path, "live-owner", wait=10)
    path.with_name(RECORD).unlink()
    with held(path, 0):
        os.utime(path.with_name(RECORD), (0, 0))
        busy(path, "writer", wait=10)


def test_row_17_a_live_owner_without_a_start_identity_stays(path):
    plant(path, record_of(HERE, startIdentity=None))
    busy(path, "live-owner")
    plant(path, record_of(HERE, startIdentity="linux-starttime:1"))
    busy(path, "live-owner", machine=Machine(start_identity=lambda _: None))


@pytest.mark.parametrize("age", [3600.0, 0.0])
def test_rows_18_and_19_a_recycled_process_number_is_no_owner_at_any_age(path, age):
    plant(path, record_of(HERE, startIdentity="linux-starttime:1"), age)
    assert succeeds(path) == 0


def test_row_20_pending_records_of_the_dead_are_swept_and_nothing_else(path):
    pending = [f"{RECORD}.{uuid.uuid4()}.pending" for _ in range(6)]
    texts = [record_of(DEAD), b"", record_of(HERE), b"x" * 513]
    for name, text in zip(pending, texts, strict=False):
        plant(path, text, name=name)
    path.with_name(pending[4]).symlink_to(pending[0])
    path.with_name(pending[5]).mkdir()
    young = f"{RECORD}.{uuid.uuid4()}.pending"
    plant(path, b"{", age=0.5, name=young)
    others = ["notes.tmp", f"{RECORD}.1.pending", f"x{pending[0]}", f"{pending[0]}.x"]
    for name in others:
        plant(path, record_of(DEAD), name=name)
    succeeds(path)
    assert names(path) == sorted([*pending[2:], young, *others, "events.jsonl"])


@pytest.mark.parametrize(
    "text", [b"", record_of(HERE)[:30], b"no JSON", record_of(DEAD)], ids=range(4)
)
def test_run_row_71_an_old_lock_without_an_owner_is_recovered(path, text):
    plant(path, text)
    assert succeeds(path) == 0
    assert names(path) == ["events.jsonl"]


def test_run_row_72_a_link_is_left_and_its_target_unread(path):
    target = path.with_name("target")
    os.mkfifo(target)
    path.with_name(RECORD).symlink_to(target)
    busy(path, "no-record", wait=0.75)
    path.with_name(RECORD).unlink()
    path.with_name(RECORD).symlink_to("nowhere")
    busy(path, "no-record")
    assert names(path) == [RECORD, "events.jsonl", "target"]


def test_run_row_72_a_folder_a_pipe_and_too_much_text_are_left(path):
    place = path.with_name(RECORD)
    place.mkdir()
    busy(path, "no-record")
    place.rmdir()
    os.mkfifo(place)
    busy(path, "no-record")
    place.unlink()
    plant(path, record_of(DEAD).ljust(513))
    busy(path, "no-record")
    plant(path, record_of(DEAD).ljust(512))
    for name in ("second", "third"):
        path.with_name(name).hardlink_to(place)
    busy(path, "no-record")
    path.with_name("third").unlink()
    succeeds(path)


def test_run_row_72_an_owner_elsewhere_stays(path):
    plant(path, record_of(DEAD, host="elsewhere"))
    busy(path, "other-host")
    plant(path, record_of(DEAD, bootId="another"))
    busy(path, "other-boot")
    plant(path, record_of(DEAD, bootId=None))
    busy(path, "other-boot" if HERE.boot_id else "live-owner", machine=Machine(is_gone=bool))


@pytest.mark.parametrize("call", ["open", "read", "fstat"])
def test_run_row_72_an_unreadable_record_stays(path, call):
    class Unreadable(SystemFiles):
        def __getattribute__(self, name):
            if name == call and path.with_name(RECORD) in seen:
                seen.discard(path.with_name(RECORD))
                return failing
            return super().__getattribute__(name)

        def lstat(self, path):
            seen.add(path)
            return os.lstat(path)

    def failing(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    seen = set()
    plant(path, record_of(DEAD))
    busy(path, "unreadable", files=Unreadable())


@pytest.mark.parametrize("call", ["open", "write", "fsync", "link", "unlink"])
@pytest.mark.parametrize("code", [errno.EACCES, errno.ENOSPC, errno.EROFS])
def test_a_record_that_cannot_be_made_is_what_is_named_and_not_the_log(path, call, code):
    class Failing(SystemFiles):
        def __getattribute__(self, name):
            genuine = super().__getattribute__(name)
            if name != call:
                return genuine

            def act(*arguments, **options):
                is_log = call == "open" and arguments[0] == path
                if is_log or met:
                    return genuine(*arguments, **options)
                met.append(arguments)
                raise OSError(code, os.strerror(code))

            return act

    met = []
    before = path.read_bytes()
    with pytest.raises(SurveyError) as caught, held(path, 0, files=Failing()):
        raise AssertionError
    assert caught.value.code == "STORAGE_FAILED"
    assert caught.value.details == {"path": str(path.with_name(RECORD))}
    assert os.strerror(code) in caught.value.message
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_run_row_72_an_entry_that_changes_while_it_is_looked_at_stays(path):
    class Beside(SystemFiles):
        def read(self, descriptor, count):
            text = super().read(descriptor, count)
            plant(path, record_of(HERE), age=1.0)
            return text

    plant(path, record_of(DEAD))
    files = Beside()
    with pytest.raises(SurveyError) as caught, held(path, 0, files=files):
        pass
    assert caught.value.details["reason"] == "changing"
    assert path.with_name(RECORD).read_bytes() == record_of(HERE)


def test_run_row_73_who_is_late_to_publish_is_busy_and_leaves_nothing(path):
    class Late(SystemFiles):
        def link(self, source, target):
            plant(path, record_of(HERE))
            super().link(source, target)

    with pytest.raises(SurveyError) as caught, held(path, 0, files=Late()):
        pass
    assert caught.value.code == "REVIEW_BUSY"
    assert path.with_name(RECORD).read_bytes() == record_of(HERE)
    assert names(path) == [RECORD, "events.jsonl"]
