"""From an import record that was validated to the items a person reviews.

1. An unresolved import has no items. Otherwise there is one item a claim slot, in the order of the
   first proposal of the slot whose excerpt stands at its span.
2. Proposals of one slot must have one whole target (`import-target-conflict`, at the later one).
3. A proposal left out by an excerpt mismatch is listed on the item of its slot; its target is not
   compared. A slot that has only such proposals has no item.
4. Inside an item, equal values are one candidate: the first proposal leads, the others are listed.
5. Nothing is filled in: a member that the producer did not send is absent here too.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.reference.canonical import canonical, same
from tests.reference.identity import candidate_hash, claim_slot, evidence_id, item_hash
from tests.reference.refusal import Json, Refused, join
from tests.reference.targets import TARGETS_AT

API_VERSION = "survey.kontourai.io/v1alpha1"
EXTRACTION_KEY = "survey.kontourai.io/extraction-envelope"


class Group(NamedTuple):
    """The proposals of one slot, by index."""

    members: list[int]
    excluded: list[int]


def excluded_indices(record: dict[str, Json]) -> list[int]:
    return [
        diagnostic["proposalIndex"]
        for diagnostic in record["status"]["diagnostics"]
        if diagnostic["kind"] == "excerpt-mismatch"
    ]


def build_items(record: dict[str, Json], profile: str = "jcs") -> list[dict[str, Json]]:
    if record["status"]["state"] != "grounded":
        return []
    return [_item(record, group, profile) for group in group_proposals(record)]


def group_proposals(record: dict[str, Json]) -> list[Group]:
    """Rules 1 to 3."""
    targets = record["spec"]["claimTargets"]
    proposals = record["spec"]["envelope"]["result"]["proposals"]
    excluded = excluded_indices(record)
    slots = [
        canonical(claim_slot(target, proposal))
        for target, proposal in zip(targets, proposals, strict=True)
    ]
    groups: dict[bytes, Group] = {}
    for at, slot in enumerate(slots):
        if at in excluded:
            continue
        group = groups.setdefault(slot, Group([], []))
        if group.members and not same(targets[group.members[0]], targets[at]):
            message = f"proposal {group.members[0]} has the same claim and another target"
            raise Refused(join(TARGETS_AT, at), "import-target-conflict", message)
        group.members.append(at)
    for at in excluded:
        if slots[at] in groups:
            groups[slots[at]].excluded.append(at)
    return list(groups.values())


def distinct_values(proposals: list[Json], members: list[int]) -> list[list[int]]:
    """Rule 4: the members of a group, parted by value."""
    parts: dict[bytes, list[int]] = {}
    for at in members:
        parts.setdefault(canonical(proposals[at]["candidateValue"]), []).append(at)
    return list(parts.values())


def value_type(proposal: dict[str, Json]) -> str:
    """The type the producer states, or the one the value has."""
    if "valueType" in proposal:
        return str(proposal["valueType"])
    value = proposal["candidateValue"]
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if value is None or isinstance(value, dict) else "number"


def _present(members: dict[str, Json], *names: str) -> dict[str, Json]:
    return {name: members[name] for name in names if name in members}


def _item(record: dict[str, Json], group: Group, profile: str) -> dict[str, Json]:
    envelope = record["spec"]["envelope"]
    proposals = envelope["result"]["proposals"]
    lead = group.members[0]
    values = distinct_values(proposals, group.members)
    producer = {
        "importName": record["metadata"]["name"],
        "evidenceId": evidence_id(record, lead, profile),
        "proposalIndices": group.members,
        "source": envelope["source"],
        **_present(envelope["result"], "preparedArtifact"),
    }
    if record["status"]["provenance"] == "verified":
        producer["excerptVerification"] = "verified"
    if group.excluded:
        producer["excludedProposals"] = [
            _excluded_entry(at, proposals[at]) for at in group.excluded
        ]
    return {
        "apiVersion": API_VERSION,
        "kind": "ReviewItem",
        "metadata": {
            "name": f"extraction-envelope.{item_hash(record, lead, profile)}",
            "producer": {EXTRACTION_KEY: producer},
        },
        "spec": {
            "target": proposals[lead]["fieldPath"],
            "candidates": [_candidate(record, members, profile) for members in values],
            "candidateSetStatus": "conflict" if len(values) > 1 else "needs-review",
            "valueDescriptor": {"type": value_type(proposals[lead])},
            "editable": False,
        },
        "status": {"observedCandidateCount": len(values)},
    }


def _excluded_entry(at: int, proposal: dict[str, Json]) -> dict[str, Json]:
    return {
        "proposalIndex": at,
        "value": proposal["candidateValue"],
        "locator": proposal["provenance"]["locator"],
        "excerpt": proposal["provenance"]["excerpt"],
        "reason": "excerpt-mismatch",
    }


def _candidate(record: dict[str, Json], members: list[int], profile: str) -> dict[str, Json]:
    spec = record["spec"]
    source = spec["envelope"]["source"]
    result = spec["envelope"]["result"]
    lead = result["proposals"][members[0]]
    identity = f"extraction-envelope.{candidate_hash(record, members, profile)}"
    raw_source = {
        "sourceRef": source["ref"],
        "sourceId": source.get("snapshotRef", source["ref"]),
        "kind": spec["sourceKind"],
        "observedAt": result["extractedAt"],
        "locatorScheme": "text-span",
    }
    if "preparedArtifact" in result:
        raw_source["checksum"] = result["preparedArtifact"]["digest"]
    extraction = {
        "extractionId": identity,
        "target": lead["fieldPath"],
        **_present(lead, "confidence", "extractor"),
        **_present(result, "extractedAt", "model"),
    }
    if "producedBy" in lead:
        extraction["model"] = lead["producedBy"]["model"]
    return {
        "id": f"{identity}.proposed",
        "role": "proposed",
        "value": lead["candidateValue"],
        **_present(lead, "confidence"),
        "source": raw_source,
        "locator": {
            "scheme": "text-span",
            "locator": lead["provenance"]["locator"],
            "excerpt": lead["provenance"]["excerpt"],
        },
        "extraction": extraction,
        "claimTarget": spec["claimTargets"][members[0]],
        "producer": {EXTRACTION_KEY: _candidate_producer(record, members, profile)},
    }


def _candidate_producer(
    record: dict[str, Json], members: list[int], profile: str
) -> dict[str, Json]:
    result = record["spec"]["envelope"]["result"]
    lead, *others = members
    proposal = result["proposals"][lead]
    producer: dict[str, Json] = {
        "importName": record["metadata"]["name"],
        "proposalIndex": lead,
        "evidenceId": evidence_id(record, lead, profile),
        **_present(result, "runId", "provider", "model", "taskDigest", "exampleDigests"),
        "valueType": {
            "type": value_type(proposal),
            "origin": proposal.get("inferenceType", "inferred"),
        },
        **_present(proposal, "producedBy", "evidenceMatch", "valueNormalization"),
        "occurrence": proposal["provenance"]["occurrence"],
        "attempt": {"id": result["runId"], "providerCalls": result["providerCalls"]},
        **_present(result, "outcome", "partial", "coverage"),
    }
    if "warningClassifications" in result:
        producer["warnings"] = result["warningClassifications"]
    if others:
        producer["sameValueProposals"] = [
            {
                "proposalIndex": at,
                "evidenceId": evidence_id(record, at, profile),
                "locator": result["proposals"][at]["provenance"]["locator"],
                "excerpt": result["proposals"][at]["provenance"]["excerpt"],
            }
            for at in others
        ]
    return producer
