"""What a run asks its envelope about: its source, its text, what became of it.

The proposals, which are nearly all of it, are not built for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.errors import refusal
from survey_fast.limits import ENVELOPE, ImportLimits, resolved

__all__ = ["EnvelopeFacts", "envelope_facts"]

_RAISED = ImportLimits(envelope_bytes=ENVELOPE.ceiling, items=100_000, candidates=1_024)


@dataclass(frozen=True)
class EnvelopeFacts:
    """Facts of an envelope.

    Attributes:
        text: its canonical text.
        source: its source.
        artifact: the prepared artifact that it was extracted from.
        artifact_state: what became of that when it was looked up, if told.
        outcome: the outcome of the extraction.
    """

    text: bytes
    source: Mapping[str, Any]
    artifact: Mapping[str, Any]
    artifact_state: Mapping[str, Any]
    outcome: Mapping[str, Any]

    @cached_property
    def proposals(self) -> int:
        """How many proposals there are."""
        return _core.check_envelope(self.text, resolved(_RAISED))


def envelope_facts(envelope: bytes) -> EnvelopeFacts:
    """The facts of an envelope, by its canonical text.

    Raises:
        RunError: ``RUN_ENVELOPE_INVALID``.
    """
    result, source = _core.member_texts(envelope, ["result", "source"], ENVELOPE.ceiling)
    parts: list[bytes | None] = [None, None, None]
    if result is not None and result.startswith(b"{"):
        names = ["outcome", "preparedArtifact", "preparedArtifactState"]
        parts = _core.member_texts(result, names, ENVELOPE.ceiling)
    outcome, artifact, state = parts
    return EnvelopeFacts(
        text=envelope,
        source=_object(source, "source"),
        artifact=_object(artifact, "result/preparedArtifact"),
        artifact_state={} if state is None else _object(state, "result/preparedArtifactState"),
        outcome=_object(outcome, "result/outcome"),
    )


def _object(text: bytes | None, member: str) -> Mapping[str, Any]:
    value: Any = None if text is None else plain_data(text)
    if isinstance(value, dict):
        return value
    message = f"the envelope has no {member.rpartition('/')[2]}, or one that is no object"
    raise refusal("RUN_ENVELOPE_INVALID", message, f"/{member}")
