"""A run's queue: held natively, and taken into Python no further than somebody asks.

1. A history is judged, and decided on, by the outline: names, targets, kinds of value, and ids,
   roles and values of candidates. The whole snapshot is built for those who show or export its
   items.
2. Whether all items are as decisions need them is known natively, and so is whether a history is
   sound. What is wrong with either is said by the checks of :mod:`survey_fast.review`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.canon import canonical_json, data_json, plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import NOTE, QUEUE
from survey_fast.review.replay import snapshot_issues
from survey_fast.review.shape import check_snapshot
from survey_fast.review.state import conditions_stamp

__all__ = ["StoredRound"]


class StoredRound:
    """The base snapshot of a run.

    Args:
        queue: the queue, as it was read.
    """

    def __init__(self, queue: _core.StoredQueue) -> None:
        self._queue = queue

    @classmethod
    def read(cls, stored: bytes) -> StoredRound:
        """The snapshot in ``stored``. Raises JsonError when that is no strict JSON."""
        return cls(_core.stored_queue(stored, QUEUE.ceiling))

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
        """Its canonical text; a copy where that is not what was read."""
        return self._queue.text

    @cached_property
    def names(self) -> Sequence[str] | None:
        """The names of its items, sorted by UTF-16 code unit.

        Nothing where items are not shaped as decisions need them, or two items, or two candidates
        of one item, have one name.
        """
        return self._queue.names()

    @cached_property
    def rest(self) -> Any:  # noqa: ANN401 - any JSON value
        """The snapshot without its items, before it is known to be one."""
        return plain_data(self._queue.rest)

    @cached_property
    def outline(self) -> Mapping[str, Any]:
        """What a history is judged by. Raises SessionError when this is no snapshot."""
        with collector_paused():
            outline = _object(plain_data(self._queue.outline))
            if self.names is None:
                return check_snapshot(outline)
            self._require_base()
            return outline

    @cached_property
    def state(self) -> Mapping[str, Any]:
        """The whole snapshot. Raises SessionError when this is none."""
        with collector_paused():
            state = _object(plain_data(self._queue.text))
            if self.names is None:
                return check_snapshot(state)
            self._require_base()
            return state

    def take_state(self, parsed: object) -> None:
        """Take plain data of its text, made by whoever had time, so that it is not made again.

        Raises SessionError when this is no snapshot.
        """
        if self.names is not None:
            self._require_base()
            self.__dict__["state"] = _object(parsed)

    def item_texts(self) -> Sequence[bytes]:
        """The canonical text of each item, in order; copies."""
        return self._queue.item_texts() or ()

    def holds(self, items: bytes) -> bool:
        """Whether the canonical text of its items is ``items``, to the byte."""
        return self._queue.holds(items)

    def edits_of_sound(self, lines: bytes, session_name: str) -> Sequence[int] | None:
        """Places of the edits in a history that is sound but for these, which are to be judged.

        Args:
            lines: the committed lines of its log.
            session_name: the session that every event has to belong to.

        Returns:
            Places counted from 0; nothing where the history has to be walked through, because
            something is wrong with it or cannot be told in this way.

        Raises:
            SessionError: this is no snapshot.
        """
        if self.names is None:
            return None
        base = self._require_base()
        if snapshot_issues(base):
            return None
        stamp = conditions_stamp(base)
        conditions = None if stamp is None else canonical_json(stamp)
        # As canonical text spells it between its quotes.
        name = canonical_json(data_json(session_name))[1:-1]
        return self._queue.edits_of_sound(lines, name, conditions, NOTE)

    def _require_base(self) -> Mapping[str, Any]:
        """The snapshot as if it had no items. Raises SessionError when this is no snapshot."""
        return check_snapshot({**_object(self.rest), "items": []})


def _object(value: object) -> dict[str, Any]:
    """A value for the check of snapshots, to which anything but an object is a misuse."""
    return value if isinstance(value, dict) else {}
