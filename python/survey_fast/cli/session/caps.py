"""The options of every session command that raise or lower what may be read and written."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from survey_fast.cli.command import capped, max_bytes, max_items
from survey_fast.limits import ENVELOPE, EVENTS, EVENTS_BYTES, QUEUE, ImportLimits

__all__ = ["limited"]

_max_events = click.option(
    "--max-events",
    metavar="N",
    type=click.IntRange(1, EVENTS.ceiling),
    help=f"Most events of a session, instead of {EVENTS.default}; a decision is two or three.",
)


def limited(command: Callable[..., int]) -> Callable[..., int]:
    """A command with ``--max-bytes``, ``--max-items`` and ``--max-events``, given as ``caps``."""

    @wraps(command)
    def limiting(
        *args: Any,  # noqa: ANN401 - what the command takes
        max_bytes: int | None,
        max_items: int | None,
        max_events: int | None,
        **given: Any,  # noqa: ANN401
    ) -> int:
        caps = ImportLimits(
            envelope_bytes=capped(ENVELOPE, max_bytes),
            queue_bytes=capped(QUEUE, max_bytes),
            items=max_items,
            event_bytes=capped(EVENTS_BYTES, max_bytes),
            events=max_events,
        )
        return command(*args, caps=caps, **given)

    return max_bytes(max_items(_max_events(limiting)))
