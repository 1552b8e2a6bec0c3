"""The caps under which a run is read."""

from __future__ import annotations

from typing import Final

from survey_fast.limits import ENVELOPE, QUEUE, ImportLimits

__all__ = ["RAISED"]

RAISED: Final = ImportLimits(
    envelope_bytes=ENVELOPE.ceiling, queue_bytes=QUEUE.ceiling, items=100_000, candidates=1_024
)
"""What was created is read at any size that could have been asked for."""
