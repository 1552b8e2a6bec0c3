"""The strictest reading of an envelope: what this package may write.

Reading what others wrote is the import's task, and milder: it carries annotations that it did not
make. Here they are computed again and have to agree.
"""

from __future__ import annotations

from survey_fast import _core
from survey_fast.limits import DEFAULT, ImportLimits, resolved

__all__ = ["check_produced"]


def check_produced(envelope: bytes, limits: ImportLimits = DEFAULT) -> None:
    """Check an envelope that is about to be written.

    Raises:
        EnvelopeError, JsonError, ImportRefusedError: the first fault, with its pointer.
    """
    _core.validate_envelope(envelope, "produce", resolved(limits))
