"""The one clock of the package, and instants as documents write them.

A command gets its clock handed in. Tests hand in one that stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

__all__ = ["Clock", "canonical_instant", "read_instant", "system_clock"]

Clock: TypeAlias = Callable[[], datetime]
"""Gives the present instant, with its time zone."""


def system_clock() -> datetime:
    """The machine's time in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place where the time is read


def canonical_instant(moment: datetime) -> str:
    """UTC, milliseconds and ``Z``, as in ``2026-01-01T00:00:00.000Z``.

    Raises ValueError for a time without a zone, which is no instant.
    """
    if moment.tzinfo is None:
        message = "a time without a zone is no instant"
        raise ValueError(message)
    in_utc = moment.astimezone(UTC).replace(tzinfo=None)
    return f"{in_utc.isoformat(timespec='milliseconds')}Z"


def read_instant(text: str) -> str:
    """An ISO 8601 time with a zone in its canonical form. Raises ValueError for anything else."""
    try:
        return canonical_instant(datetime.fromisoformat(text))
    except OverflowError:
        message = "the instant lies outside the years 1 to 9999"
        raise ValueError(message) from None
