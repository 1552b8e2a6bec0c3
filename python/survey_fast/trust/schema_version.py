"""Which ``schemaVersion`` a bundle needs, and the rules that a declared one brings along."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.trust.bundle_shape import INCONCLUSIVE_REASONS
from survey_fast.trust.rules import OBJECT, step

__all__ = ["check_confidence", "check_version_nine", "smallest_schema_version"]

Record: TypeAlias = "dict[str, Any]"

_CALIBRATED: Final = 8
_DESCRIBED: Final = 9


def smallest_schema_version(bundle: Record) -> int:
    """The smallest version that a bundle's content can be written under: 5, 7, 8 or 9."""
    if any("inconclusive" in one or "collectedByKind" in one for one in bundle["evidence"]):
        return _DESCRIBED
    if any("calibration" in claim.get("conclusionConfidence", ()) for claim in bundle["claims"]):
        return _CALIBRATED
    observed = any(
        one["evidenceType"] == "runtime_observation" or "environment" in one.get("execution", ())
        for one in bundle["evidence"]
    )
    required = (policy["requiredEvidence"] for policy in bundle["policies"])
    return 7 if observed or any("runtime_observation" in types for types in required) else 5


def check_confidence(bundle: Record, version: int) -> None:
    """The rules of version 8: a calibrated value, inside an interval inside 0 to 1.

    Raises:
        BundleError: ``version-too-low``, ``confidence-shape``.
    """
    for at, claim in enumerate(bundle["claims"]):
        confidence = claim.get("conclusionConfidence")
        if confidence is not None:
            place = f"/claims/{at}/conclusionConfidence"
            if version < _CALIBRATED:
                if "calibration" in confidence:
                    raise _too_low(_CALIBRATED, f"{place}/calibration")
            else:
                _check_calibrated(confidence, place)


def _check_calibrated(confidence: Record, place: str) -> None:
    if "value" in confidence and "calibration" not in confidence:
        raise _unsound("a value comes with its calibration", f"{place}/calibration")
    interval = confidence.get("interval")
    if interval is None:
        return
    for bound in ("low", "high"):
        if not 0 <= interval[bound] <= 1:
            raise _unsound("a number from 0 to 1 belongs here", f"{place}/interval/{bound}")
    if interval["low"] > interval["high"]:
        raise _unsound("the interval ends before it begins", f"{place}/interval")
    if not interval["low"] <= confidence.get("value", interval["low"]) <= interval["high"]:
        raise _unsound("the value lies outside its interval", f"{place}/value")


def check_version_nine(bundle: Record, version: int) -> None:
    """The rules of version 9: what was looked for without an outcome, and who collected.

    Raises:
        BundleError: ``version-too-low``, ``inconclusive-shape``.
    """
    for at, item in enumerate(bundle["evidence"]):
        place = f"/evidence/{at}"
        if version < _DESCRIBED:
            for member in ("inconclusive", "collectedByKind"):
                if member in item:
                    raise _too_low(_DESCRIBED, f"{place}/{member}")
        elif "inconclusive" in item:
            _check_inconclusive(item, place)


def _check_inconclusive(item: Record, place: str) -> None:
    _check_reason(item["inconclusive"], f"{place}/inconclusive")
    if item.get("supportStrength") != "cited":
        message = "what had no outcome supports nothing, so it is cited"
        raise refusal("inconclusive-shape", message, f"{place}/supportStrength")
    if "passing" in item:
        message = "what had no outcome neither passed nor failed"
        raise refusal("inconclusive-shape", message, f"{place}/passing")


def _check_reason(inconclusive: object, place: str) -> None:
    if not isinstance(inconclusive, dict):
        raise _misshapen(OBJECT.explain(inconclusive, place).message, place)
    for name in inconclusive:
        if name not in {"reason", "detail"}:
            raise _misshapen("a member that does not belong here", f"{place}{step(name)}")
    reason, detail = inconclusive.get("reason"), inconclusive.get("detail")
    if not isinstance(reason, str) or reason not in INCONCLUSIVE_REASONS:
        listed = ", ".join(INCONCLUSIVE_REASONS)
        message = f"one of {listed} belongs here"
        raise _misshapen(message, f"{place}/reason")
    is_needed = reason == "other" or "detail" in inconclusive
    if is_needed and not (isinstance(detail, str) and has_content(detail)):
        raise _misshapen("a string that is not blank belongs here", f"{place}/detail")


def _too_low(needed: int, pointer: str) -> SurveyError:
    message = f"this member is known from schemaVersion {needed} on; declare it, or leave it out"
    return refusal("version-too-low", message, pointer)


def _unsound(message: str, pointer: str) -> SurveyError:
    return refusal("confidence-shape", message, pointer)


def _misshapen(message: str, pointer: str) -> SurveyError:
    return refusal("inconclusive-shape", message, pointer)
