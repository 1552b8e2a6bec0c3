"""The golden input of reviewed evidence, and a reviewed round with one of everything.

The round's text yields a conflict (a fee of 48000, read twice, or 52000), rows of a list, and for
fee and area a rival whose excerpt is not at its span.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from tests.reference.samples import VENDOR, VENDOR_TARGET, load
from tests.unit.imports.samples import envelope, proposal

from survey_fast import available_artifact, import_envelope
from survey_fast.trust.evidence import (
    RecordContext,
    RecordResolver,
    project_evidence,
    read_record,
)
from survey_fast.trust.grounding import evaluate_grounding

Json = Any

KEY = "survey.kontourai.io/extraction-envelope"
PART = "/metadata/reviewedExtraction"
TEXT = "Fee 48000 a year, 48000 in all. Late: 52000, or 61000. Area 12, once 14. Sites: one, two."
AT = "2026-10-05T09:00:00.000Z"
COLLECTOR = "survey-fast/reviewed-export"


def golden() -> Json:
    """The published input, fresh for each caller."""
    return load("surface-bundles/reviewed-extraction/reviewed-extraction-evidence.v1.input.json")


def without_record(evidence_input: Json) -> Json:
    return {name: value for name, value in evidence_input.items() if name != "importRecord"}


def edited(document: Json, *operations: Any) -> Json:
    """A copy after operations ``[set|del|append, path, value?]``, steps of a path joined by /."""
    document = copy.deepcopy(document)
    for operation, path, *value in operations:
        *steps, last = path.split("/")
        holder = document
        for step in steps:
            holder = holder[int(step) if isinstance(holder, list) else step]
        place = int(last) if isinstance(holder, list) else last
        if operation == "del":
            del holder[place]
        elif operation == "append":
            holder[place].append(value[0])
        else:
            holder[place] = value[0]
    return document


def misplaced(field: str, value: Any, excerpt: str) -> Json:
    """A proposal whose excerpt is not what stands at its span."""
    rival = proposal(field, value, TEXT, excerpt, valueType="number", inferenceType="explicit")
    rival["provenance"]["excerpt"] = "x" * len(excerpt)
    return rival


def number(field: str, value: Any, excerpt: str, nth: int = 0, **members: Any) -> Json:
    members = {"valueType": "number", "inferenceType": "explicit", **members}
    return proposal(field, value, TEXT, excerpt, nth, **members)


def site(value: str, row: int) -> Json:
    return proposal("site", value, TEXT, value, valueType="string", pathIndices=[row])


def proposals() -> list[Json]:
    return [
        number("fee", 48000, "48000", confidence=0.9),
        number("fee", 52000, "52000", confidence=0.4),
        number("fee", 48000, "48000", nth=1),
        misplaced("fee", 61000, "61000"),
        number("area", 12, "12"),
        misplaced("area", 14, "14"),
        site("one", 0),
        site("two", 1),
    ]


class Round(NamedTuple):
    """An import that was read, and its items by field (and row)."""

    record: Json
    context: RecordContext
    items: dict[str, Json]

    def resolver(self) -> RecordResolver:
        return RecordResolver([self.context])


def imported(*listed: Json, verify: bool = True, **members: Any) -> Round:
    """The import of these proposals, or of the usual ones; ``members`` go into its result."""
    document = envelope(TEXT, *(listed or proposals()), **members)
    targets = {one["fieldPath"]: VENDOR_TARGET for one in document["result"]["proposals"]}
    options = {"artifact": available_artifact(TEXT)} if verify else {}
    result = import_envelope(document, claim_targets=targets, **VENDOR, **options)
    return of_record(result.record, result.review_items)


def of_record(record: Json, items: list[Json]) -> Round:
    return Round(record, read_record(record), {name_of(item): item for item in items})


def name_of(item: Json) -> str:
    rows = item["metadata"]["producer"][KEY]["proposalIndices"]
    target = item["spec"]["target"]
    return f"{target}-{rows[0]}" if target == "site" else target


def decision(item: Json, chosen: int | None = 0, **spec: Any) -> Json:
    """A decision that verifies one candidate; ``spec`` overrides, None leaves a member out."""
    candidates = [one["id"] for one in item["spec"]["candidates"]]
    proposed = [one["id"] for one in item["spec"]["candidates"] if one["role"] == "proposed"]
    told: Json = {"reviewItemName": item["metadata"]["name"], "status": "verified"}
    if chosen is not None:
        told["candidateId"] = candidates[chosen]
        if candidates[chosen] in proposed and len(proposed) > 1:
            others = [one for one in proposed if one != candidates[chosen]]
            told["unselectedCandidateIds"] = others
    told |= {"actor": {"id": "reviewer:ana"}, "reviewedAt": AT, "rationale": "", **spec}
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewDecision",
        "metadata": {"name": f"{item['metadata']['name']}.decision"},
        "spec": {name: value for name, value in told.items() if value is not None},
    }


def given(item: Json, made: Json | None = None, index: int | None = None, **members: Any) -> Json:
    """The input of evidence for an item, citing the proposal of its first candidate."""
    if index is None:
        index = item["spec"]["candidates"][0]["producer"][KEY]["proposalIndex"]
    return {
        "evidenceId": f"evidence-{index}",
        "claimId": "claim",
        "proposalIndex": index,
        "reviewItem": item,
        "reviewDecision": decision(item) if made is None else made,
        "collectedBy": COLLECTOR,
        "structuralTrust": "validated",
        **members,
    }


def evidence_of(reviewed: Round, evidence_input: Json, **options: Any) -> Json:
    """Evidence as a reader finds it: nothing in it is shared with the round."""
    written = project_evidence(reviewed.context, evidence_input, **options)
    return copy.deepcopy(written.evidence)


def gaps_of(evidence: Json) -> list[Json]:
    return evidence["metadata"]["reviewedExtraction"]["gaps"]


def evaluated(reviewed: Round, evidence: list[Json], value: Any, **options: Any) -> Json:
    """The decision about one claim, under a policy of these rules."""
    options = {"claims": [{"id": "claim", "value": value}], "required": ["claim"], **options}
    claims, required = options.pop("claims"), options.pop("required")
    states = options.pop("source_states", ())
    policy = {"id": "policy", "action": "action", "requiredClaimIds": required, **options}
    return evaluate_grounding(
        policy, evidence, claims, source_states=states, resolver=reviewed.resolver()
    )


def kinds(decided: Json) -> list[str]:
    return [gap["kind"] for gap in decided["gaps"]]
