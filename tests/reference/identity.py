"""The identities of items, candidates and evidence.

1. An identity is the first 20 hex digits of a digest over exactly the members listed here.
2. Every identity commits to the context: producer namespace, import name, the whole source, the
   whole prepared artifact and the whole layout, the last two when the envelope has them.
3. An item adds the run and the claim slot. A claim slot is five members of the target, the claim id
   and the path indices of the proposal, null where absent; an empty list is not absent.
4. A candidate adds the run, its lead proposal with index and target, and, when there are any, the
   other proposals of its value.
5. Evidence adds source kind, extraction time and the whole provenance, so two fields read from the
   same words share their evidence.
"""

from __future__ import annotations

from tests.reference.canonical import digest
from tests.reference.refusal import Json

SLOT_FROM_TARGET = ("subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior")


def short_digest(value: Json, profile: str) -> str:
    return digest(value, profile)[:20]


def claim_slot(target: dict[str, Json], proposal: dict[str, Json]) -> dict[str, Json]:
    return {
        **{name: target[name] for name in SLOT_FROM_TARGET},
        "claimId": target.get("claimId"),
        "pathIndices": proposal.get("pathIndices"),
    }


def context(record: dict[str, Json]) -> dict[str, Json]:
    envelope = record["spec"]["envelope"]
    result = envelope["result"]
    return {
        "producerNamespace": record["metadata"]["producerNamespace"],
        "importName": record["metadata"]["name"],
        "source": envelope["source"],
        **{name: result[name] for name in ("preparedArtifact", "pdfLayout") if name in result},
    }


def item_hash(record: dict[str, Json], at: int, profile: str) -> str:
    spec = record["spec"]
    result = spec["envelope"]["result"]
    slot = claim_slot(spec["claimTargets"][at], result["proposals"][at])
    return short_digest({**context(record), "runId": result["runId"], "claimSlot": slot}, profile)


def candidate_hash(record: dict[str, Json], members: list[int], profile: str) -> str:
    """`members` are the proposals of one value, the lead first."""
    spec = record["spec"]
    result = spec["envelope"]["result"]
    lead, *others = members
    hashed: dict[str, Json] = {
        **context(record),
        "runId": result["runId"],
        "proposalIndex": lead,
        "proposal": result["proposals"][lead],
        "claimTarget": spec["claimTargets"][lead],
    }
    if others:
        hashed["sameValueProposals"] = [
            {"proposalIndex": at, "proposal": result["proposals"][at]} for at in others
        ]
    return short_digest(hashed, profile)


def evidence_id(record: dict[str, Json], at: int, profile: str) -> str:
    spec = record["spec"]
    result = spec["envelope"]["result"]
    hashed = {
        **context(record),
        "sourceKind": spec["sourceKind"],
        "extractedAt": result["extractedAt"],
        "provenance": result["proposals"][at]["provenance"],
    }
    return f"survey.extraction.{short_digest(hashed, profile)}.source-evidence"


def resolution_base(record: dict[str, Json], at: int, profile: str = "jcs") -> str:
    """The fixed part of a resolution identity: the proposal as if it were alone with its value."""
    return candidate_hash(record, [at], profile)
