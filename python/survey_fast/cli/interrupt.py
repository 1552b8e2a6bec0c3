"""What an interruption by the keyboard does.

1. While the program is loaded, reads its command line and ends, it ends the process there and
   then: nothing is under way yet that would have to be left in order, and as an exception it would
   come out of whatever is being imported.
2. While a command works it is KeyboardInterrupt, so that locks are given back and what is half
   written is removed.
3. One that the caller of the program had ignored stays ignored.

This is loaded before anything else, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["INTERRUPTED", "end_at_once", "interruptible"]

INTERRUPTED = 130
"""The exit code of every interruption."""


def end_at_once() -> None:
    """Rule 1, from here on; for the process of a program alone."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)


@contextmanager
def interruptible() -> Iterator[None]:
    """Rule 2, inside a ``with`` block."""
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, _end)
