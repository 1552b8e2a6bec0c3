"""Ids of a bundle: each is given once, and each that is named leads to a record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from survey_fast.errors import SurveyError, refusal

__all__ = ["check_own_evidence", "check_references", "check_unique"]

Records: TypeAlias = "list[dict[str, Any]]"
Bundle: TypeAlias = "dict[str, Any]"

_IDENTIFIED: Final = (
    *("claims", "evidence", "policies", "events"),
    *("identityLinks", "claimGroups", "authorityTrace"),
)


def check_references(bundle: Bundle) -> None:
    """Refuse the first id that leads nowhere.

    Raises:
        BundleError: ``unknown-reference``, ``self-derivation``.
    """
    claims = _ids(bundle["claims"])
    evidence = _ids(bundle["evidence"])
    _check_claims(bundle["claims"], claims, _ids(bundle["policies"]))
    for at, item in enumerate(bundle["evidence"]):
        if item["claimId"] not in claims:
            raise _unknown("claim", f"/evidence/{at}/claimId")
    for at, event in enumerate(bundle["events"]):
        if event["claimId"] not in claims:
            raise _unknown("claim", f"/events/{at}/claimId")
        if not evidence.issuperset(event["evidenceIds"]):
            _check_ids(event["evidenceIds"], evidence, "evidence", f"/events/{at}/evidenceIds")
    for at, group in enumerate(bundle.get("claimGroups", ())):
        _check_group(group, claims, f"/claimGroups/{at}")
    for at, trace in enumerate(bundle.get("authorityTrace", ())):
        place = f"/authorityTrace/{at}"
        _check_ids(trace.get("claimIds", ()), claims, "claim", f"{place}/claimIds")
        _check_ids(trace.get("evidenceIds", ()), evidence, "evidence", f"{place}/evidenceIds")


def _check_claims(records: Records, claims: set[str], policies: set[str]) -> None:
    for at, claim in enumerate(records):
        if "verificationPolicyId" in claim and claim["verificationPolicyId"] not in policies:
            raise _unknown("policy", f"/claims/{at}/verificationPolicyId")
        if "derivedFrom" in claim:
            place = f"/claims/{at}/derivedFrom"
            _check_inputs(claim["derivedFrom"], claim["id"], claims, place, "")
        if "derivationEdges" in claim:
            place = f"/claims/{at}/derivationEdges"
            inputs = (edge["inputClaimId"] for edge in claim["derivationEdges"])
            _check_inputs(inputs, claim["id"], claims, place, "/inputClaimId")


def _check_inputs(
    inputs: Iterable[str], own: str, claims: set[str], place: str, member: str
) -> None:
    for at, name in enumerate(inputs):
        if name == own:
            message = "a claim cannot be derived from itself"
            raise refusal("self-derivation", message, f"{place}/{at}{member}")
        if name not in claims:
            raise _unknown("claim", f"{place}/{at}{member}")


def _check_group(group: dict[str, Any], claims: set[str], place: str) -> None:
    _check_ids(group.get("claimIds", ()), claims, "claim", f"{place}/claimIds")
    requirements = group.get("requirements", [])
    for at, requirement in enumerate(requirements):
        where = f"{place}/requirements/{at}/claimIds"
        _check_ids(requirement["claimIds"], claims, "claim", where)
    known = _ids(requirements)
    policy = group.get("rollupPolicy", {})
    for member in ("requiredRequirementIds", "optionalRequirementIds"):
        where = f"{place}/rollupPolicy/{member}"
        _check_ids(policy.get(member, ()), known, "requirement", where)


def check_unique(bundle: Bundle) -> None:
    """Refuse the second record of one kind with one id (``duplicate-id``)."""
    for kind in _IDENTIFIED:
        _check_once(bundle.get(kind, []), f"/{kind}")
    for at, group in enumerate(bundle.get("claimGroups", ())):
        _check_once(group.get("requirements", []), f"/claimGroups/{at}/requirements")


def _check_once(records: Records, place: str) -> None:
    if len({record.get("id", at) for at, record in enumerate(records)}) == len(records):
        return
    seen: set[str] = set()
    for at, record in enumerate(records):
        # Only an identity link may go without; its place stood in for the id above.
        name = record.get("id")
        if name is None:
            continue
        if name in seen:
            message = "another record of this kind has this id"
            raise refusal("duplicate-id", message, f"{place}/{at}/id")
        seen.add(name)


def check_own_evidence(bundle: Bundle) -> None:
    """Refuse an event that cites the evidence of another claim (``unknown-reference``)."""
    for at, place in foreign_evidence(bundle):
        message = "an event cites evidence of its own claim only"
        raise refusal("unknown-reference", message, f"/events/{at}/evidenceIds/{place}")


def foreign_evidence(bundle: Bundle) -> Iterable[tuple[int, int]]:
    """Event and place in its ``evidenceIds`` of every citation of another claim's evidence."""
    owner = {item["id"]: item["claimId"] for item in bundle["evidence"]}
    for at, event in enumerate(bundle["events"]):
        for place, name in enumerate(event["evidenceIds"]):
            if owner.get(name) != event["claimId"]:
                yield at, place


def _ids(records: Records) -> set[str]:
    return {record["id"] for record in records}


def _check_ids(names: Iterable[str], known: set[str], kind: str, place: str) -> None:
    for at, name in enumerate(names):
        if name not in known:
            raise _unknown(kind, f"{place}/{at}")


def _unknown(kind: str, pointer: str) -> SurveyError:
    message = f"the bundle holds no {kind} with this id"
    return refusal("unknown-reference", message, pointer)
