"""What the processes of a race do. Nothing here asserts: what happened is written down."""

import os
import signal
import time

from tests.faults.seam import RecordingFiles
from tests.unit.storage.chains import events

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.storage import RECORD, AppendLog, Clock, SystemFiles, held
from survey_fast.storage.chain import empty_view, extended
from survey_fast.storage.owner import Machine, owner_record

ROOT = b"root"
EMPTY = empty_view(sha256_hex(ROOT))
# Who waits, looks again after a tenth of the usual pause: more meetings in less time.
HASTE = Clock(sleep=lambda seconds: time.sleep(seconds / 10))
PATIENCE = 60.0
DEAD = 2**31 - 2


class Unflushed(SystemFiles):
    """No power is cut in a race, and flushing would only make meetings rare."""

    def fsync(self, descriptor):
        """Nothing."""


FILES = Unflushed()


def holding(path):
    return held(path, PATIENCE, files=FILES, clock=HASTE)


def appending(path, name, times, start):
    """Append ``times`` events, each to the revision read before; returns the revisions won."""
    log = AppendLog(ROOT, path, files=FILES, clock=HASTE)
    start.wait()
    won = []
    known = log.read()
    while len(won) < times:
        try:
            with holding(path) as lock:
                after = log.append([{"by": name, "n": len(won)}], known.revision, lock, known=known)
            won.append((known.revision, after.revision))
            known = after
        except SurveyError as refused:
            if refused.code != "stale-revision":
                raise
            known = log.read(known=known)
    return won


def contending(path, index, rounds, barrier):
    """Hold the lock once a round, after somebody left a record there; returns double holds."""
    witness = path.with_name("witness")
    doubles = 0
    for turn in range(rounds):
        if index == 0:
            leave_record(path, turn)
        barrier.wait()
        with holding(path):
            doubles += not alone(witness)
        barrier.wait()
    return doubles


def alone(witness):
    """Whether nobody else is where we are: two at a time cannot both make one file."""
    try:
        os.close(os.open(witness, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    os.sched_yield()
    witness.unlink()
    return True


def leave_record(path, turn):
    """What a process leaves that died: holding, while its number went to another, or midway."""
    place = path.with_name(RECORD)
    kind = turn % 4
    if kind == 3:
        place.write_bytes(b"")
        os.utime(place, (0, 0))
        return
    if kind == 1:
        dead = Machine(pid=os.getpid(), start_identity=lambda _: "linux-starttime:1")
    else:
        dead = Machine(pid=DEAD)
    place.write_bytes(owner_record(dead, str(turn), time.time()))
    if kind == 2:
        place.with_name(f"{RECORD}.{turn:08x}-0000-0000-0000-000000000000.pending").hardlink_to(
            place
        )


def reading(path, start, is_over):
    """Read without a lock until the writer is done; returns how often, and what was refused."""
    log = AppendLog(ROOT, path, files=FILES, clock=HASTE)
    start.wait()
    reads, faults, newest = 0, [], 0
    while not is_over.is_set() or not reads:
        try:
            view = log.read(wait_seconds=PATIENCE)
        except SurveyError as refused:
            faults.append(str(refused))
            continue
        if view.count < newest or view.count % 3:
            faults.append(f"{view.count} events after {newest}")
        newest = view.count
        reads += 1
    return reads, faults


def tearing(path, times, start, is_over):
    """Append three events at a time; before each time, leave a tail as if an append had died."""
    log = AppendLog(ROOT, path, files=FILES, clock=HASTE)
    start.wait()
    try:
        known = log.read()
        for turn in range(times):
            with holding(path) as lock:
                torn = extended(known, [{"torn": "x" * (turn * 97 % 4000)}] * 3).text
                os.pwrite(lock.descriptor, torn[len(known.text) : -1 - turn % 50], len(known.text))
            with holding(path) as lock:
                new = [{"turn": turn, "text": "y" * (turn * 89 % 4000)}] * 3
                known = log.append(new, known.revision, lock, known=known)
    finally:
        is_over.set()
    return known.count


class KillingFiles(RecordingFiles):
    """Kills its own process at the call with the number ``at``, halfway through if it writes."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def act(self, name, call, *arguments):
        self.calls.append(name)
        if len(self.calls) == self.at:
            if name == "write":
                descriptor, content = arguments
                call(descriptor, content[: len(content) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments)


def appending_until_killed(path, at, acknowledged):
    """Append three events, and be killed at a call; writes down what was acknowledged."""
    files = KillingFiles(at)
    log = AppendLog(ROOT, path, files=files)
    with held(path, 0, files=files) as lock:
        view = log.append(events(3), log.read(lock=lock).revision, lock)
        acknowledged.value = view.count
