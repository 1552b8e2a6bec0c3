"""The vectors, and the imports that their known answers were made with."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.reference.canonical import parse
from tests.reference.importing import import_envelope
from tests.reference.refusal import Json

Imported = tuple[dict[str, Json], list[dict[str, Json]]]
VECTORS = Path(__file__).parents[1] / "vectors"
VENDOR = {
    "source_kind": "uploaded-document",
    "import_name": "vendor-import",
    "producer_namespace": "fixture-producer",
}
VENDOR_TARGET = {
    "subjectType": "vendor",
    "subjectId": "vendor-1",
    "facet": "vendor.contract",
    "claimType": "vendor.field",
    "impactLevel": "medium",
}


def read(name: str) -> bytes:
    return (VECTORS / name).read_bytes()


def load(name: str) -> Json:
    return json.loads(read(name))


def stems(folder: str, pattern: str = "*.json") -> list[str]:
    return sorted(path.name.removesuffix(".json") for path in (VECTORS / folder).glob(pattern))


def vendor_targets(envelope: Json) -> dict[str, Json]:
    return {proposal["fieldPath"]: VENDOR_TARGET for proposal in envelope["result"]["proposals"]}


def vendor_envelope(name: str) -> Json:
    return parse(read(f"traverse-envelopes/{name}.v1.json"), lossless=True)


def import_vendor(envelope: Json, **options: Any) -> Imported:
    """With the options the known answers were made with."""
    return import_envelope(envelope, claim_targets=vendor_targets(envelope), **VENDOR, **options)


def import_portable() -> Imported:
    target = {
        "subjectType": "fixture",
        "subjectId": "one",
        "facet": "fixture.record",
        "claimType": "fixture.field",
        "impactLevel": "medium",
    }
    return import_envelope(
        read("portable-extraction-result.v1.json"),
        source_kind="api-record",
        import_name="fixture-import",
        producer_namespace="fixture-producer",
        claim_targets={"title": target, "alias": target},
    )


def without_messages(status: dict[str, Json]) -> dict[str, Json]:
    diagnostics = [
        {name: value for name, value in entry.items() if name != "message"}
        for entry in status["diagnostics"]
    ]
    return {**status, "diagnostics": diagnostics}


def available(text: str) -> dict[str, Json]:
    """The artifact option for a text whose digest is reported honestly."""
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return {"status": "available", "text": text, "actualDigest": checksum}
