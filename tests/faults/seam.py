"""File systems that record what is asked of them, and fail or stop for good at one call."""

import errno
import os
from contextlib import suppress
from functools import partial

from survey_fast.errors import SurveyError
from survey_fast.storage import SYSTEM, Clock

ERRNOS = ("ENOSPC", "EIO", "EACCES")
FAULTS = (
    *ERRNOS,
    *(f"{name} after the call" for name in ERRNOS),
    *(f"{name} from here on" for name in ERRNOS),
    "half a write",
    "half a write, then ENOSPC",
)
OPENING = {"open", "open_at"}
DEATHS = ("death before the call", "death after the call", "death halfway through")


class Died(BaseException):
    """The process is gone. Nothing may catch this, and nothing works after it."""


class RecordingFiles:
    """The real files, with every call recorded. Only flushing is left out: nobody pulls a plug.

    Attributes:
        calls: names of the calls, in order.
    """

    def __init__(self):
        self.calls = []
        self.opened = set()

    def __getattr__(self, name):
        genuine = (lambda _: None) if name == "fsync" else getattr(SYSTEM, name)
        return partial(self.act, name, partial(self.do, name, genuine))

    def act(self, name, call, *arguments):
        self.calls.append((name, *arguments))
        return call(*arguments)

    def do(self, name, call, *arguments):
        result = call(*arguments)
        if name in OPENING:
            self.opened.add(result)
        if name == "close":
            self.opened.discard(arguments[0])
        return result

    def bury(self):
        """What the system does when a process ends: everything open is closed."""
        for descriptor in self.opened:
            os.close(descriptor)
        self.opened.clear()


class FaultyFiles(RecordingFiles):
    """Fails the call with the number ``at``, in the manner of ``fault``, one of the names above."""

    def __init__(self, at, fault):
        super().__init__()
        self.at = at
        self.fault = fault
        self.is_dead = False
        self.is_full = False

    @property
    def was_met(self):
        return len(self.calls) >= self.at

    def act(self, name, call, *arguments):
        if self.is_dead:
            raise Died
        self.calls.append((name, *arguments))
        if self.is_full and name == "write":
            raise OSError(errno.ENOSPC, "No space left on device")
        number = len(self.calls)
        if number == self.at or (number > self.at and self.fault.endswith("on")):
            return self.fail(name, call, *arguments)
        return call(*arguments)

    def fail(self, name, call, *arguments):
        if name == "write" and "half" in self.fault:
            descriptor, content = arguments
            taken = call(descriptor, content[: len(content) // 2])
            if "half a write" in self.fault:
                self.is_full = "then" in self.fault
                return taken
        elif "after" in self.fault and ("death" in self.fault or name not in OPENING):
            # A file that could not be opened was not made either.
            call(*arguments)
        elif "half a write" in self.fault:
            return call(*arguments)
        if "death" in self.fault:
            self.is_dead = True
            raise Died
        if name == "close":
            # The system gives the descriptor back, whatever it says of it.
            with suppress(OSError):
                call(*arguments)
        code = getattr(errno, self.fault.split()[0])
        raise OSError(code, os.strerror(code))


def outcome_of(files, call):
    """What the caller learns: what ``call`` returns, a code, or ``died``. Then the files end."""
    try:
        return call()
    except SurveyError as refused:
        return refused.code
    except Died:
        return "died"
    finally:
        files.bury()


class SteppingClock:
    """A clock that only moves when somebody sleeps. ``before_sleep`` is called each time."""

    def __init__(self, now=4_000_000_000.0, before_sleep=lambda _: None):
        self.elapsed = 0.0
        self.pauses = []
        self.start = now
        self.before_sleep = before_sleep

    def sleep(self, seconds):
        self.before_sleep(len(self.pauses))
        self.pauses.append(seconds)
        self.elapsed += seconds

    def clock(self):
        return Clock(lambda: self.elapsed, self.sleep, lambda: self.start + self.elapsed)
