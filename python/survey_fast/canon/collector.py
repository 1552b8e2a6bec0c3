"""The cyclic garbage collector waits while plain data is read or derived in bulk.

JSON data cannot form cycles, so nothing there is garbage that counting references would miss.
Left alone, the collector walks the growing tree of a ten thousand item queue again and again,
which takes longer than reading it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["collector_paused"]

_PAUSING: Final = threading.Lock()


@contextmanager
def collector_paused() -> Iterator[None]:
    """Within the block, or the function it decorates, no cycles are searched for.

    One caller pauses at a time. Another one meanwhile, or a block inside a block, goes on without
    prolonging the pause, so that the collector of a busy process waits no longer than one call.
    """
    if not gc.isenabled() or not _PAUSING.acquire(blocking=False):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # What was built counts as old, as if it had been walked; nothing is walked for that.
            # Someone who froze objects before means them to stay so, and pays for one walk.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
        _PAUSING.release()
