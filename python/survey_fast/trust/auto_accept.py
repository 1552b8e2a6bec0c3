"""Accepting by rule: what a producer may settle without a person.

1. A value is accepted when nothing rivals it and its own confidence reaches the bar. Where values
   of more than one meaning stand against each other nothing is, however sure the producer.
2. What is accepted is assumed, never verified, and the record names the rule as its actor.
3. A threshold that calibration suggests is advice; this reads none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

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
    """
    confidence = evidence.get("confidence")
    stated = {"minConfidence": min_confidence}
    if "confidence" in evidence:
        stated["confidence"] = evidence["confidence"]
    for name, number in stated.items():
        if not NUMBER.holds(number):
            message = "a confidence is a finite number"
            raise refusal(_CODE, message, f"/{name}")
    source = "proposedAt" if "proposedAt" in evidence else "fallback"
    at = evidence.get("proposedAt", fallback_reviewed_at)
    if not is_date_time(at):
        message = "a decision has a time: a date, T, a time of day, and Z or an offset"
        raise refusal(_CODE, message, f"/{source}")
    is_rivalled = len(set(equivalence_keys)) > 1
    is_sure = confidence is not None and confidence >= min_confidence
    decision: dict[str, Any] = {
        "accepted": is_sure and not is_rivalled,
        "status": "assumed" if is_sure and not is_rivalled else "proposed",
        "rationale": _rationale(evidence, is_rivalled=is_rivalled, is_sure=is_sure),
        "reviewedAt": at,
        "reviewedAtSource": source,
        "actor": AUTO_ACCEPT_ACTOR,
        "withinComfortZone": True,
    }
    if confidence is not None:
        decision["confidence"] = confidence
    return decision


def _rationale(evidence: Mapping[str, Any], *, is_rivalled: bool, is_sure: bool) -> str:
    if is_rivalled:
        text = "left to a reviewer: values stand against each other"
    elif is_sure:
        text = "accepted by rule: no rival, and confidence reaches the bar"
    else:
        text = "left to a reviewer: confidence does not reach the bar"
    return f"{text}. {evidence['rationale']}" if "rationale" in evidence else text
