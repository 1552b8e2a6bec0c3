"""Locks as tests use them: had, not to be had, and the records that others left."""

import json
import os
import uuid

import pytest
from tests.faults.seam import SteppingClock
from tests.unit.storage.chains import face

from survey_fast.errors import SurveyError
from survey_fast.storage import RECORD, AppendLog, held
from survey_fast.storage.owner import Machine, owner_record

ROOT = b"root"
HERE = Machine()
# No system hands out a process number this large.
DEAD = Machine(pid=2**31 - 2, start_identity=lambda _: "linux-starttime:1")
TOKEN = str(uuid.UUID(int=1))
NOW = 4_000_000_000.0


def record_of(machine, **changes):
    record = json.loads(owner_record(machine, TOKEN, NOW))
    return json.dumps({**record, **changes}).encode()


def plant(path, text, age=3600.0, name=RECORD):
    """A record as another process left it, ``age`` seconds before NOW."""
    place = path.with_name(name)
    place.write_bytes(text)
    os.utime(place, (NOW - age, NOW - age))
    return place


def names(path):
    return sorted(entry.name for entry in path.parent.iterdir())


def busy(path, reason, wait=0.0, clock=None, **options):
    """The lock is not to be had, and what stands there stays as it is."""
    place = path.with_name(RECORD)
    before = face(place) if os.path.lexists(place) else None
    clock = clock or SteppingClock(NOW)
    with pytest.raises(SurveyError) as caught, held(path, wait, clock=clock.clock(), **options):
        pytest.fail("the lock was given away twice")
    assert (caught.value.code, caught.value.http_status) == ("REVIEW_BUSY", 503)
    assert caught.value.details["reason"] == reason
    assert clock.elapsed == pytest.approx(wait)
    assert before is None or face(place) == before


def succeeds(path, wait=0.0, clock=None, **options):
    """The lock is had, a write succeeds, and nothing is left."""
    clock = clock or SteppingClock(NOW)
    log = AppendLog(ROOT, path)
    with held(path, wait, clock=clock.clock(), **options) as lock:
        view = log.append([{}], log.read(lock=lock).revision, lock)
    assert log.read() == view
    return clock.elapsed
