"""A run's queue: held natively, and taken into Python no further than somebody asks.

A history is judged, and decided on, by the outline: names, targets, kinds of value, and ids, roles
and values of candidates. The whole snapshot is built for those who show or export its items.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import QUEUE
from survey_fast.review.shape import check_snapshot

__all__ = ["StoredRound"]


class StoredRound:
    """The base snapshot of a run. Raises JsonError when ``stored`` is no strict JSON."""

    def __init__(self, stored: bytes) -> None:
        self._queue = _core.stored_queue(stored, QUEUE.ceiling)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredRound) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> str:
        """SHA-256 over its canonical text."""
        return self._queue.digest

    @property
    def text(self) -> bytes:
        """Its canonical text; a copy."""
        return self._queue.text

    @cached_property
    def rest(self) -> Any:  # noqa: ANN401 - any JSON value
        """The snapshot without its items, before it is known to be one."""
        return plain_data(self._queue.rest)

    @cached_property
    def outline(self) -> Mapping[str, Any]:
        """What a history is judged by. Raises SessionError when this is no snapshot."""
        with collector_paused():
            return check_snapshot(_object(plain_data(self._queue.outline)))

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """The whole snapshot. Raises SessionError when this is none."""
        with collector_paused():
            return check_snapshot(_object(plain_data(self._queue.text)))

    def holds(self, items: bytes) -> bool:
        """Whether the canonical text of its items is ``items``, to the byte."""
        return self._queue.holds(items)


def _object(value: object) -> object:
    """A value for the check of snapshots, to which anything but an object is a misuse."""
    return value if isinstance(value, dict) else {}
