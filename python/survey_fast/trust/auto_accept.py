"""Accepting by rule: what a producer may settle without a person.

1. A value is accepted when nothing rivals it and its own confidence reaches the bar, both being
   numbers from 0 to 1. Where values of more than one meaning stand against each other nothing is,
   however sure the producer.
2. What is accepted is assumed, never verified, and the record names the rule as its actor.
3. A threshold that calibration suggests is advice; this reads none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from survey_fast.canon.arguments import mapping_argument
from survey_fast.errors import refusal
from survey_fast.trust.instants import is_date_time
from survey_fast.trust.projection.claims import AUTO_ACCEPT_ACTOR
from survey_fast.trust.rules import NUMBER

__all__ = ["auto_accept"]

_CODE: Final = "auto-accept-options-invalid"


def auto_accept(
    evidence: Mapping[str, Any],
    *,
    equivalence_keys: Iterable[str],
    min_confidence: float,
    fallback_reviewed_at: str,
) -> dict[str, Any]:
    """Decide about one proposed value.

    Args:
        evidence: ``{confidence?, rationale?, proposedAt?}`` of the value.
        equivalence_keys: one key for each candidate; candidates that mean the same have the same.
        min_confidence: the bar, which itself is enough.
        fallback_reviewed_at: the time of the decision where the evidence has none.

    Returns:
        ``{accepted, status, confidence?, rationale, reviewedAt, reviewedAtSource, actor,
        withinComfortZone}``; the status is ``assumed`` or ``proposed``.

    Raises:
        ProjectionError: ``auto-accept-options-invalid``.
        TypeError: evidence that is no mapping, keys that are no texts.
    """
    told = mapping_argument("evidence", evidence)
    keys = _distinct(equivalence_keys)
    confidence = told.get("confidence")
    _check_confidence(min_confidence, "/minConfidence")
    if "confidence" in told:
        _check_confidence(confidence, "/confidence")
    if not isinstance(told.get("rationale", ""), str):
        message = "a rationale is text"
        raise refusal(_CODE, message, "/rationale")
    source = "proposedAt" if "proposedAt" in told else "fallback"
    at = told.get("proposedAt", fallback_reviewed_at)
    if not is_date_time(at):
        message = "a decision has a time: a date, T, a time of day, and Z or an offset"
        raise refusal(_CODE, message, f"/{source}")
    is_rivalled = len(keys) > 1
    is_sure = confidence is not None and confidence >= min_confidence
    decision: dict[str, Any] = {
        "accepted": is_sure and not is_rivalled,
        "status": "assumed" if is_sure and not is_rivalled else "proposed",
        "rationale": _rationale(told, is_rivalled=is_rivalled, is_sure=is_sure),
        "reviewedAt": at,
        "reviewedAtSource": source,
        "actor": AUTO_ACCEPT_ACTOR,
        "withinComfortZone": True,
    }
    if confidence is not None:
        decision["confidence"] = confidence
    return decision


def _distinct(keys: object) -> set[str]:
    """The keys, each once. A text alone would count as many keys as it has characters."""
    listed = [*keys] if isinstance(keys, Iterable) and not isinstance(keys, str | bytes) else None
    texts = {one for one in listed or () if isinstance(one, str)}
    if listed is None or not all(isinstance(one, str) for one in listed):
        message = "equivalence_keys are texts, one for each candidate"
        raise TypeError(message)
    return texts


def _check_confidence(number: object, pointer: str) -> None:
    if not NUMBER.holds(number) or not 0 <= number <= 1:  # type: ignore[operator]
        message = "a confidence is a number from 0 to 1"
        raise refusal(_CODE, message, pointer)


def _rationale(evidence: Mapping[str, Any], *, is_rivalled: bool, is_sure: bool) -> str:
    if is_rivalled:
        text = "left to a reviewer: values stand against each other"
    elif is_sure:
        text = "accepted by rule: no rival, and confidence reaches the bar"
    else:
        text = "left to a reviewer: confidence does not reach the bar"
    return f"{text}. {evidence['rationale']}" if "rationale" in evidence else text
