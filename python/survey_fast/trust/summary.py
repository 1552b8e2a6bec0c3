"""The counts and lists at the end of a trust report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from survey_fast.trust.bundle_shape import STATUSES
from survey_fast.trust.gaps import GAP_TYPES
from survey_fast.trust.rules import NUMBER

__all__ = ["report_summary"]

Record: TypeAlias = "dict[str, Any]"

_UNSUPPORTED: Final = ("unknown", "proposed", "assumed")
_TALLIES: Final = ("sourceQuality", "reviewerAuthority", "evidenceStrength")


def report_summary(
    claims: Sequence[Record], gaps: Iterable[Record], changes: Iterable[Record]
) -> Record:
    """Totals of a report.

    Args:
        claims: with their derived status.
        gaps: of the whole report.
        changes: of derived claims.
    """
    by_status = Counter(claim["status"] for claim in claims)
    by_type = Counter(gap["type"] for gap in gaps)
    recompute = (one["claimId"] for one in changes if one["action"] == "recompute")
    return {
        "totalClaims": len(claims),
        "byStatus": {status: by_status[status] for status in STATUSES},
        "byFacet": dict(Counter(claim.get("facet", "unknown") for claim in claims)),
        "confidenceBasis": _confidence(claims),
        "transparencyGapsByType": {kind: by_type[kind] for kind in GAP_TYPES},
        "highImpactUnsupported": [
            claim["id"]
            for claim in claims
            if claim.get("impactLevel") in ("high", "critical") and claim["status"] in _UNSUPPORTED
        ],
        "staleClaims": _with_status(claims, "stale"),
        "disputedClaims": _with_status(claims, "disputed"),
        "recomputeNeededClaims": list(dict.fromkeys(recompute)),
    }


def _with_status(claims: Iterable[Record], status: str) -> list[str]:
    return [claim["id"] for claim in claims if claim["status"] == status]


def _confidence(claims: Iterable[Record]) -> Record:
    """What producers said of their confidence, counted. It is free data: anything may be there."""
    bases = [
        (claim["id"], claim["confidenceBasis"]) for claim in claims if "confidenceBasis" in claim
    ]
    body: Record = {}
    for member in _TALLIES:
        said = (basis.get(member) for _, basis in bases)
        body[member] = dict(Counter(word for word in said if isinstance(word, str)))
    extraction = [_number(basis, "extractionConfidence") for _, basis in bases]
    known = [one for one in extraction if one is not None and 0 <= one <= 1]
    return {
        **body,
        "corroboratedClaims": sum(_more_than(basis, "corroborationCount", 1) for _, basis in bases),
        "averageExtractionConfidence": sum(known) / len(known) if known else None,
        "freshnessAtRisk": [
            claim for claim, basis in bases if _at_most(basis, "freshnessRemainingDays", _A_WEEK)
        ],
        "conflictedClaims": [
            claim for claim, basis in bases if _more_than(basis, "conflictCount", 0)
        ],
    }


_A_WEEK: Final = 7


def _number(basis: Record, member: str) -> float | None:
    value = basis.get(member)
    return value if NUMBER.holds(value) else None


def _more_than(basis: Record, member: str, least: int) -> bool:
    number = _number(basis, member)
    return number is not None and number > least


def _at_most(basis: Record, member: str, most: int) -> bool:
    number = _number(basis, member)
    return number is not None and number <= most
