"""The import record: an envelope, its claim targets and what the import found out.

1. A stored record is lossless JSON with exactly the members below, judged in this order: the
   record, apiVersion and kind, metadata, spec, envelope, source kind, targets, status.
2. A layout that is stored is checked but not sorted again.
3. `status.provenance` is required and has no default (`import-provenance-missing`).
4. The status must be one that an import of this envelope could have written.
"""

from __future__ import annotations

from tests.reference.canonical import canonical, checked_copy, parse
from tests.reference.envelope import check_envelope
from tests.reference.items import API_VERSION
from tests.reference.refusal import ROOT, Json, Refused, join
from tests.reference.status import require_coherent
from tests.reference.targets import TARGETS_AT, check_targets
from tests.reference.wire import (
    require_array,
    require_members,
    require_object,
    require_trimmed_text,
    require_word,
)

SOURCE_KINDS = (
    "uploaded-document",
    "web-page",
    "api-record",
    "manual-entry",
    "policy-standard",
    "inquiry-question",
    "agent-utterance",
    "system-schema",
)
PROVENANCE_AT = "/status/provenance"
STATUS_MEMBERS = ("state", "diagnostics", "provenance")


def validate_import(record: Json) -> dict[str, Json]:
    """A deep copy of a record that keeps every rule."""
    copy = require_members(
        checked_copy(record, lossless=True),
        ROOT,
        ("apiVersion", "kind", "metadata", "spec", "status"),
    )
    for name, known in (("apiVersion", API_VERSION), ("kind", "ExtractionEnvelopeImport")):
        if copy[name] != known:
            raise Refused(join(ROOT, name), "envelope-unsupported-version", f"expected {known}")
    metadata = require_members(copy["metadata"], "/metadata", ("name", "producerNamespace"))
    for name in ("name", "producerNamespace"):
        require_trimmed_text(metadata[name], f"/metadata/{name}")
    spec = require_members(copy["spec"], "/spec", ("envelope", "sourceKind", "claimTargets"))
    envelope = check_envelope(spec["envelope"], "/spec/envelope")
    require_word(spec["sourceKind"], "/spec/sourceKind", SOURCE_KINDS)
    targets = require_array(spec["claimTargets"], TARGETS_AT)
    check_targets(targets, len(envelope["result"]["proposals"]), TARGETS_AT)
    _check_status(copy["status"], envelope["result"])
    return copy


def _check_status(value: Json, result: dict[str, Json]) -> None:
    if "provenance" not in require_object(value, "/status"):
        # The other members are judged first, as if this one had been there.
        require_members(value, "/status", STATUS_MEMBERS[:2])
        raise Refused(PROVENANCE_AT, "import-provenance-missing", "must be stated")
    status = require_members(value, "/status", STATUS_MEMBERS)
    require_word(status["provenance"], PROVENANCE_AT, ("verified", "unverified"))
    require_array(status["diagnostics"], "/status/diagnostics")
    require_coherent(status, result)


def export_import(record: Json) -> bytes:
    """The canonical text of a valid record."""
    return canonical(validate_import(record))


def reimport(text: bytes) -> dict[str, Json]:
    """The record an export stands for."""
    return validate_import(parse(text, lossless=True))
