"""A survey input becomes a trust bundle, one claim at a time.

1. Claims stand in the order of the input's claim targets, evidence and events likewise. No other
   order of the input shows in the bundle, except that of the candidates inside a set.
2. The status of a claim is the one it was projected with; an unresolved escalation makes it
   disputed.
3. Evidence that a review names is evidence of its own claim.
4. What is emitted passes the validation of bundles. Values are shared with the input, not copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from survey_fast.canon import Document
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import refusal
from survey_fast.trust.projection.claims import Emitted, Projection
from survey_fast.trust.projection.escalations import escalation_events, open_escalations
from survey_fast.trust.projection.identities import Identities
from survey_fast.trust.projection.interpretations import Reading, readings_by_claim
from survey_fast.trust.projection.policies import policies_of
from survey_fast.trust.projection.undecided import emit_undecided
from survey_fast.trust.survey_input import SurveyRecords, read_survey_input

__all__ = ["build_survey_trust_bundle", "project_records"]

Record: TypeAlias = Mapping[str, Any]
_VERSION: Final = 5
_RUNTIME_VERSION: Final = 7
"""Older readers of bundles do not know observations at run time."""


@collector_paused()
def build_survey_trust_bundle(
    survey_input: Document,
    *,
    projection_context_id: str | None = None,
    emit_policies: bool = True,
) -> dict[str, Any]:
    """Project a survey input to a trust bundle.

    Args:
        survey_input: bytes, text or plain data, which is held to what strict JSON text can say
            and not copied.
        projection_context_id: names this projection; ids of evidence and events are then derived
            from it. A letter or digit, and letters, digits and ``. _ : -``.
        emit_policies: leave out the policies, under which accepted claims are verified, only to
            reproduce bundles of older tools.

    Returns:
        ``{schemaVersion, source, claims, evidence, policies, events}`` as plain data.

    Raises:
        SurveyError: a fault of shape, as ``read_survey_input`` names it.
        ProjectionError: what discipline, agreement and projection refuse, with a pointer to the
            claim target or the member.
        DecisionError: ``resolution-inconsistent``.
        TypeError: wrong Python types.
    """
    identities = Identities(projection_context_id)
    return project_records(read_survey_input(survey_input), identities, emit_policies=emit_policies)


def project_records(
    records: SurveyRecords, identities: Identities, *, emit_policies: bool
) -> dict[str, Any]:
    """The bundle of an input that was checked; otherwise as :func:`build_survey_trust_bundle`."""
    projection = Projection(records, identities, emit_policies=emit_policies)
    readings = readings_by_claim(records, identities)
    escalations = open_escalations(records.escalations)
    bundle: dict[str, Any] = {
        "schemaVersion": _VERSION,
        "source": records.source,
        "claims": [],
        "evidence": [],
        "policies": policies_of(records.claims.values()) if emit_policies else [],
        "events": [],
    }
    for at, (claim_id, target) in enumerate(records.claims.items()):
        pointer = f"/claims/{at}"
        candidate = projection.chosen(target)
        if candidate is None:
            emitted = emit_undecided(projection, target, pointer)
        else:
            emitted = projection.emit(target, candidate, pointer)
        if claim_id in readings:
            _add_readings(emitted, readings[claim_id])
        _require_evidence(emitted, pointer)
        events = [emitted.event]
        if claim_id in escalations:
            events += escalation_events(emitted.event, escalations[claim_id], identities)
            emitted.claim["status"] = "disputed"
        bundle["claims"].append(emitted.claim)
        bundle["evidence"].extend(emitted.evidence)
        bundle["events"].extend(events)
    if any(one["evidenceType"] == "runtime_observation" for one in bundle["evidence"]):
        bundle["schemaVersion"] = _RUNTIME_VERSION
    _require_distinct(bundle["evidence"], "evidence")
    _require_distinct(bundle["events"], "events")
    return bundle


def _add_readings(emitted: Emitted, readings: Iterable[Reading]) -> None:
    survey = emitted.claim["metadata"]["survey"]
    survey["interpretations"] = [reading.note for reading in readings]
    emitted.evidence.extend(reading.evidence for reading in readings)


def _require_evidence(emitted: Emitted, pointer: str) -> None:
    """Rule 3."""
    cited, own = emitted.event["evidenceIds"], [one["id"] for one in emitted.evidence]
    if cited == own:
        return
    known = frozenset(own)
    unknown = [name for name in cited if name not in known]
    if unknown:
        message = "the review of this claim names evidence that the claim does not have"
        raise refusal("unknown-evidence", message, pointer, {"evidenceIds": unknown})


def _require_distinct(records: list[dict[str, Any]], what: str) -> None:
    ids = {one["id"] for one in records}
    if len(ids) == len(records):
        return
    seen: set[str] = set()
    for record in records:
        if record["id"] in seen:
            message = f"two records among the {what} would have one id"
            raise refusal("projection-id-conflict", message, "", {"id": record["id"]})
        seen.add(record["id"])
