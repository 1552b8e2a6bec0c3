"""Who may settle a dispute, and when: the authority traces of a bundle as windows of time.

A trace authorises its actor from ``validFrom`` up to and including ``validUntil``, and never from
``revokedAt`` on. Which subjects and claims it lists is not asked: any active trace of an actor
authorises that actor for any claim.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

__all__ = ["Authority"]

Record: TypeAlias = "dict[str, Any]"
Key: TypeAlias = "tuple[int, Any]"
Window: TypeAlias = "tuple[Key, tuple[Key, bool]]"

_EARLIEST: Final[Key] = (0, 0)
_LATEST: Final[Key] = (2, 0)


class Authority:
    """Answers in logarithmic time whether an actor was authorised at some time."""

    def __init__(
        self, traces: Sequence[Record], read: Callable[[object], Any], *, is_exact: bool
    ) -> None:
        """Index traces.

        Args:
            traces: the records.
            read: what a text of time compares as; ``None`` for no time.
            is_exact: a bound that is no time makes its trace void, instead of standing for no
                bound.
        """
        windows: dict[tuple[str, str | None], list[Window]] = defaultdict(list)
        for trace in traces:
            window = _window(trace, read, is_exact=is_exact)
            if window is not None:
                windows[trace["actorRef"], None].append(window)
                windows[trace["actorRef"], trace["authorityRef"]].append(window)
        self._covers = {key: _Cover(found) for key, found in windows.items()}

    def covers(self, event: Record, at: object) -> bool:
        """Whether the actor of an event was authorised at ``at``, a time as ``read`` gives it.

        ``None`` is inside every window.
        """
        cover = self._covers.get((event["actor"], event.get("authorityRef")))
        return cover is not None and (at is None or cover.holds((1, at)))


class _Cover:
    """The union of windows of time."""

    def __init__(self, windows: list[Window]) -> None:
        windows.sort()
        self._starts = [start for start, _ in windows]
        self._ends: list[tuple[Key, bool]] = []
        for _, end in windows:
            self._ends.append(max(end, self._ends[-1]) if self._ends else end)

    def holds(self, at: Key) -> bool:
        # Of the windows that have begun by then, the one that lasts longest decides.
        place = bisect_right(self._starts, at)
        return place > 0 and (at, True) <= self._ends[place - 1]


def _window(trace: Record, read: Callable[[object], Any], *, is_exact: bool) -> Window | None:
    """Start and end; an end is the last time that counts or, with false, the first that fails."""
    bounds = {}
    for name in ("validFrom", "validUntil", "revokedAt"):
        if name in trace:
            found = read(trace[name])
            if found is not None:
                bounds[name] = (1, found)
            elif is_exact:
                return None
    end = (bounds.get("validUntil", _LATEST), True)
    if "revokedAt" in bounds:
        end = min(end, (bounds["revokedAt"], False))
    return bounds.get("validFrom", _EARLIEST), end
