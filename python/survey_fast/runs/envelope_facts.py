"""What a run asks its envelope about: its source, its text, what became of it.

The proposals, which are nearly all of it, are not built for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.errors import refusal
from survey_fast.limits import ENVELOPE, resolved
from survey_fast.runs.caps import RAISED

__all__ = ["EnvelopeFacts", "envelope_facts", "told_facts"]


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
    _counted: int | None = field(default=None, repr=False, compare=False)
    """The number of proposals, where it is known."""

    @cached_property
    def proposals(self) -> int:
        """How many proposals there are."""
        if self._counted is not None:
            return self._counted
        return _core.check_envelope(self.text, resolved(RAISED))

    @property
    def run_id(self) -> str | None:
        """The id of the extraction, where the text is that of an envelope."""
        # Quotes inside of a text are escaped, and no member behind the result's own has this name.
        member = b'"runId":"'
        found = self.text.rfind(member)
        if found < 0:
            return None
        start = found + len(member)
        return self.text[start : self.text.index(b'"', start)].decode()


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
    return told_facts(envelope, [source, *parts])


def told_facts(
    envelope: bytes, told: Sequence[bytes | None], proposals: int | None = None
) -> EnvelopeFacts:
    """The same, where its parts were found before.

    Args:
        envelope: its canonical text.
        told: canonical text of its source, outcome, prepared artifact and that artifact's state.
        proposals: how many it holds, if somebody counted them.

    Raises: as :func:`envelope_facts`.
    """
    source, outcome, artifact, state = told
    return EnvelopeFacts(
        text=envelope,
        source=_object(source, "source"),
        artifact=_object(artifact, "result/preparedArtifact"),
        artifact_state={} if state is None else _object(state, "result/preparedArtifactState"),
        outcome=_object(outcome, "result/outcome"),
        _counted=proposals,
    )


def _object(text: bytes | None, member: str) -> Mapping[str, Any]:
    value: Any = None if text is None else plain_data(text)
    if isinstance(value, dict):
        return value
    message = f"the envelope has no {member.rpartition('/')[2]}, or one that is no object"
    raise refusal("RUN_ENVELOPE_INVALID", message, f"/{member}")
