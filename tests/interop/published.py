"""A published extraction of one fee, as it is and as it misquotes, decided in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from survey_fast.cli.demo_decide import decided
from survey_fast.cli.importing import Opening, round_documents
from survey_fast.cli.sample import misquoted
from survey_fast.imports import ImportResult, available_artifact, import_envelope
from survey_fast.review.session_file import SessionDocument, new_session, read_session

TARGETS = {
    "fee": {
        "subjectType": "vendor",
        "subjectId": "vendor-1",
        "facet": "vendor.contract",
        "claimType": "vendor.field",
        "impactLevel": "medium",
    }
}


@cache
def published() -> ImportResult:
    """Three answers, two values: a conflict."""
    return _imported(_envelope())


@cache
def contested() -> ImportResult:
    """The third answer claims words that the document does not have, and is left out."""
    return _imported(misquoted(_envelope(), 2, "52000", "58000", 58000))


def decided_session(
    imported: ImportResult, decision: Mapping[str, Any], opening: Opening
) -> SessionDocument:
    """A session over an import of one item, with this decision on it."""
    snapshot, _ = round_documents(imported, opening)
    assert snapshot is not None
    root = new_session(
        json.loads(snapshot), name=opening.session_name, extraction_import=imported.record_bytes
    )
    document = read_session(root).with_events([], "")
    named = {"item": imported.review_items[0]["metadata"]["name"], **decision}
    _, events = decided(document, [named], opening)
    return document.with_events(events, "")


def last_candidate(imported: ImportResult) -> str:
    """The id of the value that was read last."""
    return imported.review_items[0]["spec"]["candidates"][-1]["id"]


def _envelope() -> bytes:
    return _data("vendor-fee.envelope.json")


def _data(name: str) -> bytes:
    return files("survey_fast.cli").joinpath("demo_data", name).read_bytes()


def _imported(envelope: bytes) -> ImportResult:
    return import_envelope(
        envelope,
        source_kind="uploaded-document",
        claim_targets=TARGETS,
        artifact=available_artifact(_data("vendor-fee.prepared.txt").decode()),
    )
