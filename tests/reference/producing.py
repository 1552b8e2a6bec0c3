"""What a producer may write, beyond what an import accepts from others.

1. A note of a rewritten value is no member of a proposal.
2. An evidence match names the checker, has a declared type beside it, and is what the checker
   finds.
3. A chunk has one range; or two, the part that was sent and, right after it, the tail that was cut
   off before sending.
4. The time of extraction is a day that exists, a time and a zone.
"""

from __future__ import annotations

import re

from tests.reference.extraction import CHECKER, schema, value_in_excerpt
from tests.reference.refusal import Json

INSTANT = re.compile(r"[^T]{10}T.*(?:Z|[+-][0-9]{2}:[0-9]{2})")
Faults = list[tuple[str, str]]


def faults(envelope: dict[str, Json]) -> Faults:
    """Code and pointer of everything that breaks a rule, in an envelope that can be imported."""
    result = envelope["result"]
    found: Faults = []
    instant = result["extractedAt"]
    if schema(instant, "date", []) != "ok" or INSTANT.fullmatch(instant) is None:
        found.append(("envelope-invalid-value", "/result/extractedAt"))
    for at in _surplus_ranges(result.get("coverage", [])):
        found.append(("envelope-inconsistent", f"/result/coverage/{at}/chunk"))
    for at, proposal in enumerate(result["proposals"]):
        place = f"/result/proposals/{at}"
        found += [(code, place + rest) for code, rest in _of_proposal(proposal)]
    return found


def _of_proposal(proposal: dict[str, Json]) -> Faults:
    found: Faults = []
    if "valueNormalization" in proposal:
        found.append(("envelope-unexpected-member", "/valueNormalization"))
    stated = proposal.get("evidenceMatch")
    if stated is None:
        return found
    if stated["checkerVersion"] != CHECKER:
        found.append(("envelope-invalid-value", "/evidenceMatch/checkerVersion"))
    if "valueType" not in proposal:
        return [*found, ("envelope-missing-member", "/valueType")]
    value, declared = proposal["candidateValue"], proposal["valueType"]
    excerpt = proposal["provenance"]["excerpt"]
    holds = {
        "schema": schema(value, declared, proposal.get("enumValues", [])),
        "valueInExcerpt": value_in_excerpt(value, declared, excerpt, proposal.get("inferenceType")),
    }
    return found + [
        ("envelope-inconsistent", f"/evidenceMatch/{name}")
        for name, fact in holds.items()
        if stated[name] != fact
    ]


def _surplus_ranges(coverage: list[Json]) -> list[int]:
    """Places of ranges that are a second account of their chunk."""
    surplus = []
    for at, entry in enumerate(coverage):
        earlier = [one for one in coverage[:at] if one["chunk"] == entry["chunk"]]
        if not earlier:
            continue
        first = earlier[0]
        is_tail = (
            len(earlier) == 1
            and first.get("reason") not in {"content-truncated", "not-dispatched"}
            and entry.get("reason") == "content-truncated"
            and entry["start"] == first["end"]
        )
        if not is_tail:
            surplus.append(at)
    return surplus
