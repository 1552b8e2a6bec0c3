"""Work that is begun before it is known whether it will be asked for.

1. What the work comes to, a refusal included, is told to who asks, and to nobody else: to the
   others it is as if it had never been begun.
2. Whoever leaves the block finds the work done or never begun, however the block is left.
3. Work too small for a thread of its own is done when it is asked for, and so is any work where
   the system has no thread to give.

The work reads bytes that nobody changes, and touches nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

__all__ = ["begun"]

T = TypeVar("T")


class _Work(Generic[T]):
    """Work in a thread of its own."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: T | None = None
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="survey-fast-ahead")

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except BaseException as fault:  # noqa: BLE001 - it is raised where it is asked for
            self._fault = fault

    def answer(self) -> T:
        """Wait for what the work comes to."""
        self.join()
        if self._fault is not None:
            raise self._fault
        return self._found  # type: ignore[return-value]


@contextmanager
def begun(work: Callable[[], T], *, is_worthwhile: bool) -> Iterator[Callable[[], T]]:
    """Let ``work`` go on while the block does something else.

    Args:
        work: a pure function of what it holds.
        is_worthwhile: whether it takes so long that a thread is worth starting.

    Yields:
        what gives the answer of the work, or raises what it raised; to be called once at most.
    """
    if not is_worthwhile:
        yield work
        return
    ahead = _Work(work)
    try:
        ahead.start()
    except RuntimeError:
        yield work
        return
    try:
        yield ahead.answer
    finally:
        ahead.join()
