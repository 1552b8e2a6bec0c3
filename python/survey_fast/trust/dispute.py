"""A verified claim whose grounding was refused becomes disputed.

1. The event is one millisecond later than the newest event of its claim. Of two events at one
   instant the earlier in the array would win, and a clock that lags behind the reviewer's must not
   decide.
2. The claim's own status says the same, so that nobody who reads it alone is misled.
3. Nothing of the bundle that was given changes; what does not change is shared with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from survey_fast.errors import refusal
from survey_fast.trust.instants import Instant, instant
from survey_fast.trust.projection.escalations import later_than
from survey_fast.trust.reviewed_grounding import EXPORT_ACTION, EXPORT_POLICY_ID

__all__ = ["Dispute", "dispute_claims"]


class Dispute(NamedTuple):
    """Why one claim is disputed.

    Attributes:
        claim_id: the claim.
        evidence_ids: the evidence that was refused, all of it the claim's own.
        reasons: the gaps that count, at least one.
    """

    claim_id: str
    evidence_ids: tuple[str, ...]
    reasons: tuple[str, ...]


def dispute_claims(
    bundle: Mapping[str, Any],
    disputes: Iterable[Dispute],
    *,
    actor: str = EXPORT_ACTION,
    method: str = EXPORT_POLICY_ID,
) -> dict[str, Any]:
    """The bundle with a dispute for each of some claims.

    Args:
        bundle: a bundle of this package, as plain data.
        disputes: one for each claim that is disputed.
        actor: who disputes.
        method: by what.

    Raises:
        ProjectionError: ``unknown-reference`` (no claim of that id), ``unknown-evidence``,
            ``projection-id-conflict`` (disputed twice), ``projection-time-out-of-range``.
    """
    by_claim: dict[str, Dispute] = {}
    for one in disputes:
        if one.claim_id in by_claim:
            message = "a claim is disputed once"
            raise refusal("projection-id-conflict", message, "", {"claimId": one.claim_id})
        by_claim[one.claim_id] = one
    if not by_claim:
        return dict(bundle)
    owners = {one["id"]: one["claimId"] for one in bundle["evidence"]}
    newest = _newest_events(bundle["events"], by_claim)
    claims, events = [], list(bundle["events"])
    for claim in bundle["claims"]:
        dispute = by_claim.pop(claim["id"], None)
        if dispute is None:
            claims.append(claim)
            continue
        _require_own(dispute, owners)
        claims.append({**claim, "status": "disputed"})
        # A claim without an event is disputed after its last change.
        last = newest.get(claim["id"], instant(claim["updatedAt"]) or 0)
        events.append(_event(dispute, actor, method, later_than(last)))
    if by_claim:
        message = "the bundle holds no claim of this id"
        raise refusal("unknown-reference", message, "", {"claimId": next(iter(by_claim))})
    _require_new(events)
    return {**bundle, "claims": claims, "events": events}


def _newest_events(
    events: Iterable[Mapping[str, Any]], wanted: Mapping[str, Dispute]
) -> dict[str, Instant]:
    newest: dict[str, Instant] = {}
    for event in events:
        claim_id = event["claimId"]
        if claim_id in wanted:
            for member in ("createdAt", "verifiedAt"):
                at = instant(event.get(member))
                if at is not None:
                    newest[claim_id] = max(at, newest.get(claim_id, at))
    return newest


def _require_own(dispute: Dispute, owners: Mapping[str, str]) -> None:
    unknown = [one for one in dispute.evidence_ids if owners.get(one) != dispute.claim_id]
    if unknown:
        message = "a dispute names evidence that its claim does not have"
        details = {"claimId": dispute.claim_id, "evidenceIds": unknown}
        raise refusal("unknown-evidence", message, "", details)


def _event(dispute: Dispute, actor: str, method: str, at: str) -> dict[str, Any]:
    return {
        "id": f"{dispute.claim_id}.reviewed-grounding-dispute",
        "claimId": dispute.claim_id,
        "status": "disputed",
        "actor": actor,
        "method": method,
        "evidenceIds": list(dispute.evidence_ids),
        "createdAt": at,
        "notes": f"grounding was refused: {', '.join(dispute.reasons)}",
    }


def _require_new(events: list[Any]) -> None:
    ids = {event["id"] for event in events}
    if len(ids) < len(events):
        message = "the bundle already holds a dispute of this claim"
        raise refusal("projection-id-conflict", message, "/events")
