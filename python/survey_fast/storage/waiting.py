"""Waiting for somebody else's lock: tried at once, then again every 10 to 50 ms."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from survey_fast.errors import refusal
from survey_fast.storage.seam import Files

__all__ = ["CLOCK", "COMMAND_WAIT", "SERVER_WAIT", "Clock", "attempts", "try_flock"]

SERVER_WAIT: Final = 0.75
"""Seconds that a server waits for a lock."""
COMMAND_WAIT: Final = 10.0
"""Seconds that a command waits for a lock, unless told otherwise."""

_SHORTEST, _SPREAD = 0.010, 0.040
# A stride that shares no factor with the number of steps visits each before one repeats.
_STRIDE, _STEPS = 619, 997
_NO_FLOCK: Final = {errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.ENOLCK}


@dataclass(frozen=True, slots=True)
class Clock:
    """What waiting needs of the world: seconds that only grow, a pause, the time of day."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time


CLOCK: Final = Clock()
"""The machine's clock."""


def attempts(clock: Clock, seconds: float) -> Iterator[int]:
    """Numbers of attempts: the first at once, the last when ``seconds`` have passed.

    The pauses differ from one process to the next, so that those who wait do not march in step.
    """
    if not seconds >= 0:
        message = f"a wait lasts 0 seconds or more, not {seconds}"
        raise ValueError(message)
    deadline = clock.monotonic() + seconds
    step = os.getpid()
    number = 1
    while True:
        yield number
        left = deadline - clock.monotonic()
        if left <= 0:
            return
        step = (step + _STRIDE) % _STEPS
        clock.sleep(min(_SHORTEST + _SPREAD * step / _STEPS, left))
        number += 1


def try_flock(files: Files, descriptor: int, operation: int) -> bool:
    """Whether the lock was free and is now ours.

    Raises:
        StorageUnsupportedError: the file system does not lock.
        OSError: any other fault.
    """
    try:
        files.flock(descriptor, operation)
    except BlockingIOError:
        return False
    except OSError as fault:
        if fault.errno in _NO_FLOCK:
            message = "this file system has no locks; keep reviews on a local disk"
            raise refusal("STORAGE_UNSUPPORTED", message) from None
        raise
    return True
