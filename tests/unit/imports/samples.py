"""Envelopes to import, places to change in them, and the one way to see a refusal.

A pointer names a place twice: where a document is changed, and where the refusal must point.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from tests.reference.prepared import prepared_ref
from tests.reference.samples import VENDOR, VENDOR_TARGET, load, read

from survey_fast import ImportResult, import_envelope
from survey_fast.errors import SurveyError

KEY = "survey.kontourai.io/extraction-envelope"
FEE = "success-conflicting-fee"
FIRST = "/result/proposals/0"
DIGEST = "sha256:" + "a" * 64
TARGET = {**VENDOR_TARGET, "fieldOrBehavior": "fee"}
RUN_ID = "traverse-extraction-run:00000000-0000-4000-8000-000000000001"


def refused(action: Any, *arguments: Any, **options: Any) -> tuple[str, str | None]:
    """Code and pointer of the refusal that the call ends in."""
    with pytest.raises(SurveyError) as caught:
        action(*arguments, **options)
    return caught.value.code, caught.value.pointer


def cases(names: str, table: dict[str, Any]) -> pytest.MarkDecorator:
    """``parametrize`` over a table whose keys name the cases."""
    return pytest.mark.parametrize(names.split(), list(table.values()), ids=list(table))


# Documents


def vendor(name: str = FEE) -> dict[str, Any]:
    """A published envelope, fresh for each caller."""
    return load(f"traverse-envelopes/{name}.v1.json")


def newest(name: str) -> dict[str, Any]:
    """An envelope in the newest wire form."""
    return load(f"traverse/envelopes/{name}.json")


def prepared_text(name: str = FEE) -> str:
    return load("traverse-envelopes/prepared-texts.json")[name]


def portable() -> bytes:
    return read("portable-extraction-result.v1.json")


def put(document: Any, pointer: str, value: Any) -> Any:
    """A copy of the document with one place set."""
    return _changed(document, pointer, lambda holder, step: holder.__setitem__(step, value))


def cut(document: Any, pointer: str) -> Any:
    """A copy of the document without one member."""
    return _changed(document, pointer, lambda holder, step: holder.__delitem__(step))


def put_all(document: Any, changes: dict[str, Any]) -> Any:
    for pointer, value in changes.items():
        document = put(document, pointer, value)
    return document


def _changed(document: Any, pointer: str, change: Any) -> Any:
    changed = _copied(document)
    holder = changed
    *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    change(holder, int(last) if isinstance(holder, list) else last)
    return changed


def _copied(value: Any) -> Any:
    """Every container anew: what stands in two places can be changed in one of them."""
    if isinstance(value, dict):
        return {name: _copied(member) for name, member in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def text_of(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False)


# Own envelopes


def proposal(
    field: str, value: Any, text: str, excerpt: str, nth: int = 0, **members: Any
) -> dict[str, Any]:
    """A proposal that stands at occurrence ``nth`` of its excerpt in ``text``."""
    places = [at for at in range(len(text)) if text.startswith(excerpt, at)]
    start = utf16_length(text[: places[nth]])
    end = start + utf16_length(excerpt)
    return {
        "fieldPath": field,
        "candidateValue": value,
        "provenance": {
            "excerpt": excerpt,
            "locator": f"chars:{start}-{end}",
            "occurrence": {
                "resolverVersion": "exact-occurrence-v1",
                "count": len(places),
                "selected": {"index": nth, "start": start, "end": end},
                "selection": "source-order",
                "hintUsed": False,
                "ambiguous": len(places) > 1,
            },
        },
        "extractor": "sample-extractor",
        **members,
    }


def envelope(text: str, *proposals: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A successful extraction from ``text``; ``members`` go into its result."""
    return {
        "format": "traverse-extraction-result",
        "version": 1,
        "source": {"ref": "sample:document"},
        "result": {
            "proposals": list(proposals),
            "provider": "sample-provider",
            "runId": RUN_ID,
            "raw": {},
            "outcome": {"status": "success"},
            "extractedAt": "2026-10-05T08:00:00.000Z",
            "providerCalls": 1,
            "totalTokensUsed": 7,
            "preparedArtifact": artifact_of(text),
            **members,
        },
    }


def artifact_of(text: str, **members: Any) -> dict[str, Any]:
    """``preparedArtifact`` for a text."""
    artifact = {
        "format": "traverse-prepared-artifact",
        "version": 1,
        "digest": sha256(text),
        "preparationMode": "text",
        "preparationVersion": "3",
        "contentLength": utf16_length(text),
        **members,
    }
    return {**artifact, "ref": prepared_ref(artifact)}


def with_ref(document: dict[str, Any]) -> dict[str, Any]:
    """The envelope with its artifact's reference computed anew."""
    artifact = document["result"]["preparedArtifact"]
    return put(document, "/result/preparedArtifact/ref", prepared_ref(artifact))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def nested(depth: int) -> list[Any]:
    """Arrays inside one another."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


# Imports


def run(document: Any, **options: Any) -> ImportResult:
    """Import with the options that the published answers were made with."""
    chosen = {**VENDOR, "claim_targets": by_path, **options}
    return import_envelope(document, **chosen)


def by_path(proposed: dict[str, Any], _: int) -> dict[str, Any]:
    return {**VENDOR_TARGET, "fieldOrBehavior": proposed["fieldPath"]}


def run_portable(document: Any = None, **options: Any) -> ImportResult:
    target = {
        "subjectType": "fixture",
        "subjectId": "one",
        "facet": "fixture.record",
        "claimType": "fixture.field",
        "impactLevel": "medium",
    }
    return import_envelope(
        portable() if document is None else document,
        source_kind="api-record",
        import_name="fixture-import",
        producer_namespace="fixture-producer",
        claim_targets={"title": target, "alias": target},
        **options,
    )


def candidates(result: ImportResult) -> list[dict[str, Any]]:
    """The candidates of all items."""
    return [one for item in result.review_items for one in item["spec"]["candidates"]]


def producer(holder: dict[str, Any]) -> dict[str, Any]:
    """What the import keeps on a candidate or on an item."""
    return holder.get("metadata", holder)["producer"][KEY]


def silent(status: dict[str, Any]) -> dict[str, Any]:
    """A status without the messages of its diagnostics, each of which must say something."""
    diagnostics = []
    for entry in status["diagnostics"]:
        assert entry["message"].strip()
        diagnostics.append({name: entry[name] for name in entry if name != "message"})
    return {**status, "diagnostics": diagnostics}
