"""Made-up extractions of any size, the same bytes for the same size.

A register of vendor contracts, ten fields a contract, read out of one long text. Each proposal
quotes one whole clause, and each quotation stands at its span. After every fiftieth slot a second
proposal gives another value for it, out of a clause of its own, so that the two conflict. Some
names lie outside the basic plane: their characters count two UTF-16 units each.

The demonstration and the benchmarks measure on these.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from survey_fast.canon import Json, canonical_digest, canonical_json, data_json, sha256_hex
from survey_fast.cli.sample_clauses import FIELDS, VENDORS, Field

__all__ = ["IMPORT_OPTIONS", "misquoted", "proposals_for", "sample_extraction"]

CONFLICT_EVERY: Final = 50
IMPORT_OPTIONS: Final = {
    "source_kind": "uploaded-document",
    "import_name": "vendor-register",
    "producer_namespace": "contract-reader",
}
"""The options under which these extractions are imported."""

_MODEL: Final = "reader-2026-01"
_EXTRACTOR: Final = "clause-scan/v4"


def proposals_for(items: int) -> int:
    """How many proposals an extraction needs so that it gives ``items`` review items."""
    return items + items // CONFLICT_EVERY


def misquoted(envelope: bytes, index: int, words: str, instead: str, value: Json = None) -> bytes:
    """The envelope with other words in the excerpt of one proposal, and perhaps another value.

    ``words`` and ``instead`` have the same length, so that only the text itself can tell.
    """
    document = json.loads(envelope)
    proposal = document["result"]["proposals"][index]
    provenance = proposal["provenance"]
    provenance["excerpt"] = provenance["excerpt"].replace(words, instead)
    if value is not None:
        proposal["candidateValue"] = value
    return canonical_json(document)


def sample_extraction(count: int) -> tuple[bytes, str, dict[str, dict[str, Any]]]:
    """An extraction of ``count`` proposals.

    Args:
        count: proposals in total; about one in 51 is the second value of a conflict.

    Returns:
        The envelope as canonical bytes, its prepared text, and the claim targets by field path,
        as ``import_envelope`` takes them together with ``IMPORT_OPTIONS``.
    """
    parts: list[str] = []
    proposals: list[Json] = []
    targets: dict[str, dict[str, Any]] = {}
    offset = 0
    for place, (contract, field, excerpt, value) in enumerate(_clauses(count)):
        path = f"contracts.{contract:05}.{field.name}"
        end = offset + _units(excerpt)
        proposals.append(_proposal(place, field, path, value, (excerpt, offset, end)))
        targets.setdefault(path, _target(contract, field))
        parts.append(excerpt)
        offset = end + 2
    prepared = "\n\n".join(parts)
    return canonical_json(_envelope(proposals, prepared)), prepared, targets


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _clauses(count: int) -> Iterator[tuple[int, Field, str, Json]]:
    """Contract, field, clause and value of each proposal, a rival right after its slot."""
    made = 0
    for slot in range(count):
        contract, section = divmod(slot, len(FIELDS))
        # The order of fields moves on, so that conflicts fall on every one of them.
        field = FIELDS[(section + contract // 5) % len(FIELDS)]
        number = f"Contract {contract:05}, "
        readings = [(slot, f"{number}section {section + 1}. ")]
        if slot % CONFLICT_EVERY == CONFLICT_EVERY - 1:
            # Seven further on, a value of any type is another one.
            readings.append((slot + 7, f"{number}amendment 1. "))
        for n, heading in readings[: count - made]:
            yield _clause(contract, field, n, heading)
            made += 1


def _clause(contract: int, field: Field, n: int, heading: str) -> tuple[int, Field, str, Json]:
    value, spelled = field.value(n)
    vendor = VENDORS[contract % len(VENDORS)]
    return contract, field, heading + field.clause.format(value=spelled, vendor=vendor), value


def _target(contract: int, field: Field) -> dict[str, Any]:
    return {
        "subjectType": "vendor-contract",
        "subjectId": f"contract-{contract:05}",
        "facet": "contract.terms",
        "claimType": "contract.field",
        "fieldOrBehavior": field.name,
        "impactLevel": field.impact,
    }


def _proposal(
    place: int, field: Field, path: str, value: Json, quoted: tuple[str, int, int]
) -> dict[str, Json]:
    excerpt, start, end = quoted
    is_spelled_out = field.value_type != "boolean"
    proposal: dict[str, Json] = {
        "fieldPath": path,
        "candidateValue": value,
        "confidence": (6_000 + place * 37 % 4_000) / 10_000,
        "extractor": _EXTRACTOR,
        "inferenceType": "explicit" if is_spelled_out else "inferred",
        "valueType": field.value_type,
        "producedBy": {
            "model": _MODEL,
            "modelSource": "provider-reported",
            "requestDigest": f"sha256:{sha256_hex(f'request {place // 10}'.encode())}",
        },
        "evidenceMatch": {
            "checkerVersion": "evidence-match-v4",
            "schema": "ok",
            "tokenBoundary": True,
            "valueInExcerpt": "match" if is_spelled_out else "not-applicable",
        },
        "provenance": {
            "excerpt": excerpt,
            "locator": f"chars:{start}-{end}",
            "occurrence": {
                "resolverVersion": "exact-occurrence-v1",
                "count": 1,
                "selected": {"index": 0, "start": start, "end": end},
                "selection": "source-order",
                "hintUsed": False,
                "ambiguous": False,
            },
        },
    }
    if field.choices:
        proposal["enumValues"] = list(field.choices)
    return proposal


def _artifact(prepared: str) -> dict[str, Json]:
    described: dict[str, Json] = {
        "format": "traverse-prepared-artifact",
        "version": 1,
        "digest": sha256_hex(prepared.encode()),
        "preparationMode": "markdown",
        "preparationVersion": "3",
        "contentLength": _units(prepared),
    }
    # The reference hashes these members in the order in which they stand here, and a null for
    # the snapshot that is not named.
    hashed = data_json({**described, "sourceSnapshotRef": None})
    digest = canonical_digest(hashed, "as-stored")
    return {**described, "ref": f"traverse-prepared-artifact:v1:sha256:{digest}"}


def _envelope(proposals: list[Json], prepared: str) -> dict[str, Json]:
    seed = sha256_hex(f"run {len(proposals)}".encode())
    run = f"{seed[:8]}-{seed[8:12]}-4{seed[13:16]}-a{seed[17:20]}-{seed[20:32]}"
    return {
        "format": "traverse-extraction-result",
        "version": 1,
        "source": {
            "ref": "https://records.example.com/vendor-contracts.md",
            "snapshotRef": "snapshot:vendor-contracts/2026-01-15",
        },
        "result": {
            "proposals": proposals,
            "provider": "contract-reader",
            "model": _MODEL,
            "runId": f"traverse-extraction-run:{run}",
            "raw": {"tokensUsed": 310 * len(proposals)},
            "outcome": {"status": "success"},
            "extractedAt": "2026-01-15T06:30:00.000Z",
            "providerCalls": 1 + len(proposals) // 10,
            "totalTokensUsed": 310 * len(proposals),
            "warningClassifications": [{"category": "content", "code": "content-chunking"}],
            "taskDigest": f"sha256:{sha256_hex(b'task vendor-register')}",
            "exampleDigests": [f"sha256:{sha256_hex(b'example vendor-register')}"],
            "preparedArtifact": _artifact(prepared),
        },
    }
