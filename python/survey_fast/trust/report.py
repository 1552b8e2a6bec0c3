"""The trust report: a bundle with the status of every claim, and what a reader has to be told.

It has every member that the published report schema requires, and no waiver: those belong to an
extension that is not supported. ``evidenceRequirementsByClaimId``, ``changeRecords`` and
``claimGroupRollups`` have no published shape; theirs is this package's own. So are two gaps: a
producer's hint is called ``hint-<evidence>-<place>``, and what only a bundle that does not
validate could have (a policy or an input that is not there) is never reported, because such a
bundle is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from survey_fast.canon import Document
from survey_fast.canon.arguments import text_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.trust.changes import change_records
from survey_fast.trust.derivation import capped, circular
from survey_fast.trust.freshness import anchor_of, intrinsic_end
from survey_fast.trust.gaps import Standing, claim_gaps, contradictions
from survey_fast.trust.instants import canonical_instant
from survey_fast.trust.ledger import read_ledger
from survey_fast.trust.policy import Policy
from survey_fast.trust.rollups import group_rollups
from survey_fast.trust.status import Case, Deriver
from survey_fast.trust.status_version import StatusVersion, now_argument, status_version
from survey_fast.trust.subjects import Subjects
from survey_fast.trust.summary import report_summary
from survey_fast.trust.validation import validate_trust_bundle

__all__ = ["build_trust_report"]

Record: TypeAlias = "dict[str, Any]"

_REPORT_VERSION: Final = 5


@collector_paused()
def build_trust_report(
    bundle: Document,
    *,
    now: str,
    version: StatusVersion = "3",
    report_id: str | None = None,
    max_bytes: int | None = None,
) -> dict[str, Any]:
    """Validate a bundle, derive every status, and report both.

    Args:
        bundle: UTF-8 bytes, the text of a document, or plain data.
        now: the time of the report: RFC 3339, in whole milliseconds.
        version: of the status rules; ``statusFunctionVersion`` of the report.
        report_id: the report's id; ``surface-`` and the milliseconds of ``now`` unless given.
        max_bytes: cap on the text, 256 MiB unless given, 1 GiB at most.

    Returns:
        The report. Its records are those of the bundle; claims are copies with ``status``,
        ``freshness`` and, where the producer saw it otherwise, ``producerStatus``.

    Raises:
        BundleError, JsonError: as ``validate_trust_bundle``; ``now`` is no instant.
        TypeError, ValueError: not a document; an argument of a wrong type; an unknown version.
    """
    rules, at = status_version(version), now_argument(now)
    name = f"surface-{at}" if report_id is None else text_argument("report_id", report_id)
    valid = validate_trust_bundle(bundle, max_bytes=max_bytes, version=version)
    written = canonical_instant(at) or now
    deriver = Deriver(read_ledger(valid), rules)
    standings = _standings(deriver, valid["claims"], at)
    subjects = Subjects(valid)
    statuses = {one.case.claim["id"]: one.final for one in standings}
    gaps = [gap for one in standings for gap in claim_gaps(one, at, written)]
    gaps += contradictions(standings, subjects, written)
    changes = change_records(
        deriver.inputs(),
        statuses,
        {one.case.claim["id"] for one in standings if one.is_circular},
        written,
    )
    claims = [_claim(one, deriver, written) for one in standings]
    groups = valid.get("claimGroups", [])
    return {
        "schemaVersion": _REPORT_VERSION,
        "id": name,
        "generatedAt": written,
        "source": valid["source"],
        "claims": claims,
        "evidence": valid["evidence"],
        "policies": valid["policies"],
        "events": valid["events"],
        "identityLinks": valid.get("identityLinks", []),
        "claimGroups": groups,
        "authorityTrace": valid.get("authorityTrace", []),
        "evidenceRequirementsByClaimId": _requirements([one.case for one in standings]),
        "transparencyGaps": gaps,
        "changeRecords": changes,
        "subjectGroups": subjects.groups(valid["claims"]),
        "claimGroupRollups": group_rollups(groups, statuses),
        "summary": report_summary(claims, gaps, changes),
        "statusFunctionVersion": version,
    }


def _standings(deriver: Deriver, claims: Sequence[Record], now: int) -> list[Standing]:
    cases = [deriver.case(claim) for claim in claims]
    own = {case.claim["id"]: deriver.own_status(case, now) for case in cases}
    inputs = deriver.inputs()
    final, looped = capped(own, inputs), circular(inputs)
    return [
        Standing(deriver, case, own[name], final[name], is_circular=name in looped)
        for case in cases
        for name in (case.claim["id"],)
    ]


def _claim(standing: Standing, deriver: Deriver, written: str) -> Record:
    claim, status = standing.case.claim, standing.final
    body = {**claim, "status": status}
    body.pop("producerStatus", None)
    body["freshness"] = {"asOf": written, "stale": status == "stale"}
    expires = _expiry(standing.case, deriver)
    if expires is not None:
        body["freshness"]["expiresAt"] = expires
    if claim.get("status", status) != status:
        body["producerStatus"] = claim["status"]
    return body


def _expiry(case: Case, deriver: Deriver) -> str | None:
    """When a claim expires by its own members, as text."""
    if "expiresAt" in case.claim:
        return str(case.claim["expiresAt"])
    if "ttlSeconds" not in case.claim:
        return None
    verified = (anchor_of(one) for one in case.events if one["status"] == "verified")
    anchor = next(verified, case.claim["updatedAt"])
    end = intrinsic_end(case.claim, anchor, deriver.version.read)
    return None if end is None else canonical_instant(end)


def _requirements(cases: Sequence[Case]) -> dict[str, Record]:
    return {case.claim["id"]: _asked(case.resolved) for case in cases if case.resolved is not None}


def _asked(policy: Policy) -> Record:
    """What a policy asks for."""
    record = policy.record
    return {
        "requiredEvidenceTypes": record["requiredEvidence"],
        "requiredMethods": record.get("requiredMethods", []),
        "requiredAuthority": record["reviewAuthority"],
        "notes": "; ".join(record["acceptanceCriteria"]),
    }
