"""What a later look at a source found, for evidence that was taken from it.

1. Without a look, the state is ``unknown``.
2. A state speaks of what the evidence is bound to: its snapshot where one is named, else its
   source. ``current`` saw the same reference, ``drifted`` another one, ``unknown`` saw none.
3. Two different states for one item of evidence speak of nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import step
from survey_fast.trust.evidence.shape import same_value
from survey_fast.trust.instants import is_date_time

__all__ = ["SourceStates", "read_source_states"]

_REQUIRED: Final = ("evidenceId", "status", "expectedSnapshotRef", "observedAt")
_MEMBERS: Final = (*_REQUIRED, "observedSnapshotRef", "extractedValueChanged")
_WORDS: Final = ("current", "drifted", "unknown")


@dataclass(frozen=True, slots=True)
class SourceStates:
    """The states that were handed over, by evidence id."""

    _by_evidence: Mapping[str, Mapping[str, Any]]
    _contradicted: frozenset[str]

    def of(self, evidence_id: str, bound_to: str) -> tuple[str, bool]:
        """The state of evidence that is bound to a reference, and whether it is coherent."""
        state = self._by_evidence.get(evidence_id)
        if state is None:
            return "unknown", evidence_id not in self._contradicted
        status, observed = state["status"], state.get("observedSnapshotRef")
        expected = {"current": bound_to, "unknown": None}
        fits = (
            observed == expected[status]
            if status in expected
            else observed is not None and observed != bound_to
        )
        is_coherent = fits and state["expectedSnapshotRef"] == bound_to
        return status, is_coherent and evidence_id not in self._contradicted


def read_source_states(states: Sequence[object]) -> SourceStates:
    """Check the shape of source states; a pointer leads into ``/sourceStates``.

    Raises EvidenceError: ``grounding-input-malformed``.
    """
    by_evidence: dict[str, dict[str, Any]] = {}
    contradicted: set[str] = set()
    for index, value in enumerate(states):
        state = _state(value, f"/sourceStates/{index}")
        evidence_id = state["evidenceId"]
        if not same_value(by_evidence.setdefault(evidence_id, state), state):
            contradicted.add(evidence_id)
    return SourceStates(by_evidence, frozenset(contradicted))


def _state(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        message = "a source state is an object"
        raise _malformed(message, place)
    for name in value:
        if name not in _MEMBERS:
            message = "a member that is not read here"
            raise _malformed(message, place + step(str(name)))
    for name in (*_REQUIRED, *(["observedSnapshotRef"] if "observedSnapshotRef" in value else [])):
        if not isinstance(value.get(name), str) or not value[name]:
            message = f"{name} is text that is not empty"
            raise _malformed(message, f"{place}/{name}")
    if value["status"] not in _WORDS:
        message = f"one of {', '.join(_WORDS)} belongs here"
        raise _malformed(message, f"{place}/status")
    if not is_date_time(value["observedAt"]):
        message = "a date and time with an offset belongs here"
        raise _malformed(message, f"{place}/observedAt")
    if not isinstance(value.get("extractedValueChanged", False), bool):
        message = "extractedValueChanged is true or false"
        raise _malformed(message, f"{place}/extractedValueChanged")
    return value


def _malformed(message: str, pointer: str) -> SurveyError:
    return refusal("grounding-input-malformed", message, pointer)
