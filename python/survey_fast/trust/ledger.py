"""The records of a bundle as status derivation reads them: by claim, by type, by id.

A bundle need not be valid to be read here: statuses are defined for times that nobody can read
and for policies that are not there. Only what no status could be derived from is refused: records
without the ids and words that the derivation goes by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.bundle_shape import STATUSES
from survey_fast.trust.rules import ABSENT, OBJECT, TEXT, Rule, arrays, words

__all__ = ["Ledger", "Record", "input_ids", "read_ledger"]

Record: TypeAlias = "dict[str, Any]"

_TEXTS: Final = arrays(TEXT)
_READ: Final[dict[str, dict[str, Rule]]] = {
    "claims": {"id": TEXT, "claimType": TEXT},
    "evidence": {"id": TEXT, "claimId": TEXT, "evidenceType": TEXT, "method": TEXT},
    "policies": {"id": TEXT, "claimType": TEXT, "requiredEvidence": _TEXTS, "validityRule": OBJECT},
    "events": {
        "claimId": TEXT,
        "status": words(*STATUSES),
        "actor": TEXT,
        "evidenceIds": _TEXTS,
    },
    "authorityTrace": {"actorRef": TEXT, "authorityRef": TEXT},
}
_OPTIONAL: Final[dict[str, dict[str, Rule]]] = {
    "claims": {
        "verificationPolicyId": TEXT,
        "derivedFrom": _TEXTS,
        "derivationEdges": arrays(OBJECT),
    },
    "evidence": {},
    "policies": {"requiredMethods": _TEXTS, "parentType": TEXT},
    "events": {"authorityRef": TEXT},
    "authorityTrace": {},
}


@dataclass(frozen=True, slots=True)
class Ledger:
    """Records with their indexes; ``evidence`` and ``events`` keep the order of the bundle."""

    claims: Sequence[Record]
    evidence: dict[str, list[Record]]
    events: dict[str, list[Record]]
    policies: Sequence[Record]
    traces: Sequence[Record]


def read_ledger(bundle: Record) -> Ledger:
    """Index a bundle, valid or not.

    Raises:
        BundleError: a record lacks what a status is derived from, or two claims share an id.
    """
    records = {kind: _records(bundle, kind) for kind in _READ}
    seen: set[str] = set()
    for at, claim in enumerate(records["claims"]):
        if claim["id"] in seen:
            message = "another claim has this id, so neither has a status"
            raise refusal("duplicate-id", message, f"/claims/{at}/id")
        seen.add(claim["id"])
    return Ledger(
        claims=records["claims"],
        evidence=_by_claim(records["evidence"]),
        events=_by_claim(records["events"]),
        policies=records["policies"],
        traces=records["authorityTrace"],
    )


def input_ids(claim: Record) -> list[str]:
    """The claims that a claim is derived from, as it names them, with repetitions."""
    if "derivedFrom" not in claim and "derivationEdges" not in claim:
        return []
    edges = claim.get("derivationEdges", ())
    return [*claim.get("derivedFrom", ()), *(edge["inputClaimId"] for edge in edges)]


def _records(bundle: Record, kind: str) -> list[Record]:
    records = bundle.get(kind, [] if kind == "authorityTrace" else ABSENT)
    if not isinstance(records, list):
        raise _TEXTS.explain(records, f"/{kind}")
    needed, optional = list(_READ[kind].items()), list(_OPTIONAL[kind].items())
    for at, record in enumerate(records):
        if not isinstance(record, dict):
            raise OBJECT.explain(record, f"/{kind}/{at}")
        for name, rule in needed:
            if name not in record or not rule.holds(record[name]):
                raise rule.explain(record.get(name, ABSENT), f"/{kind}/{at}/{name}")
        for name, rule in optional:
            if name in record and not rule.holds(record[name]):
                raise rule.explain(record[name], f"/{kind}/{at}/{name}")
        if "derivationEdges" in record and kind == "claims":
            _check_edges(record["derivationEdges"], f"/{kind}/{at}/derivationEdges")
    return records


def _check_edges(edges: list[Record], place: str) -> None:
    for at, edge in enumerate(edges):
        if not TEXT.holds(edge.get("inputClaimId")):
            found = edge.get("inputClaimId", ABSENT)
            raise TEXT.explain(found, f"{place}/{at}/inputClaimId")


def _by_claim(records: list[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[record["claimId"]].append(record)
    return dict(found)
