"""What the parts of a run say about one another: every check that is a function of bytes alone.

In this order, and the first thing wrong is the one reported:

1. the queue is the one that the round was opened over, and is empty exactly when it is not bound;
2. the envelope is the one that was bound, and is one; so is the report;
3. the prepared text is the one that the envelope was extracted from;
4. what the envelope imports to is what it imported to when the run was made;
5. the queue is exactly what that import derives, and nothing was decided in it beforehand.

Without the prepared text, step 3 is left out, and step 4 takes the stored status at its word as
far as some import of this envelope could have written it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast import _core
from survey_fast.attest import Attestation, attest_review_queue_extraction
from survey_fast.attest.binding import assert_review_queue_binding
from survey_fast.attest.issue import issues_json
from survey_fast.canon import canonical_digest, canonical_json, plain_data, sha256_hex
from survey_fast.errors import RunConflictError, SurveyError, refusal
from survey_fast.imports import (
    ImportResult,
    available_artifact,
    import_envelope,
    import_from_bound_status,
)
from survey_fast.limits import BUNDLE, ENVELOPE, QUEUE, ImportLimits, resolved
from survey_fast.runs.identity import SESSION_NAME, SOURCE_KIND
from survey_fast.runs.manifest import Manifest
from survey_fast.runs.prepared_text import check_prepared

__all__ = ["Agreed", "check_agreement"]

RAISED: Final = ImportLimits(
    envelope_bytes=ENVELOPE.ceiling, queue_bytes=QUEUE.ceiling, items=100_000, candidates=1_024
)
"""What was created is read at any size that could have been asked for."""
_DECIDED: Final = (
    "attemptEvidenceIdsByItemName",
    "decisionsByItemName",
    "editedValuesByItemName",
    "notesByItemName",
    "selectedCandidateIdsByItemName",
)
_WHOLE: Final = b'{"kind":"queue"}'


@dataclass(frozen=True, slots=True)
class Agreed:
    """Parts that agree.

    Attributes:
        queue: canonical text of the snapshot.
        imported: what the envelope imports to.
        attestation: how the queue follows from it.
    """

    queue: bytes
    imported: ImportResult
    attestation: Attestation


def check_agreement(
    manifest: Manifest,
    *,
    queue: bytes,
    envelope: bytes,
    report: bytes | None,
    prepared: bytes | None,
) -> Agreed:
    """Check the parts of a run against one another.

    Args:
        manifest: what the run is.
        queue: the snapshot, as stored.
        envelope: the envelope, as stored.
        report: the extraction report, where it was read.
        prepared: the prepared text, where it was read.

    Raises:
        RunError: ``RUN_ENVELOPE_INVALID``, ``RUN_PREPARED_MISMATCH``.
        RunConflictError: ``REVIEW_BINDING_BROKEN``, ``RUN_ENVELOPE_MISMATCH``,
            ``RUN_EXTRACTION_MISMATCH``, ``REVIEW_QUEUE_UNATTESTED``.
    """
    snapshot = _checked_queue(manifest, queue)
    text = _checked_envelope(manifest, envelope)
    if report is not None:
        _check_report(manifest, report)
    if prepared is None:
        imported = _rebuilt(manifest, text)
    else:
        imported = _imported(manifest, text, check_prepared(manifest, text, prepared))
    return Agreed(snapshot, imported, _attested(manifest, text, snapshot, imported))


def _checked_queue(manifest: Manifest, stored: bytes) -> bytes:
    """The queue's canonical text, once it is known to be the one the round opened over."""
    try:
        queue = canonical_json(stored, max_bytes=QUEUE.ceiling)
        if manifest.binding is None:
            _check_unbound(manifest, queue)
        else:
            binding = dict(manifest.binding)
            assert_review_queue_binding(binding, queue, session_name=SESSION_NAME, limits=RAISED)
    except SurveyError as fault:
        message = f"the queue is not the one that the round was opened over: {fault.message}"
        raise refusal("REVIEW_BINDING_BROKEN", message, fault.pointer, fault.details) from None
    return queue


def _check_unbound(manifest: Manifest, queue: bytes) -> None:
    """Nothing but an empty queue goes without a binding."""
    expected = manifest.round["snapshotHash"]
    digest = canonical_digest(queue, max_bytes=QUEUE.ceiling)
    if digest != expected and manifest.is_taken_over:
        digest = canonical_digest(queue, profile="collated", max_bytes=QUEUE.ceiling)
    if digest != expected:
        message = "its digest is another one"
        raise refusal("REVIEW_BINDING_BROKEN", message)
    if _items(queue) != b"[]":
        message = "it has items, and the round has no binding"
        raise refusal("REVIEW_BINDING_BROKEN", message, "/items")


def _items(queue: bytes) -> bytes | None:
    """The text of the items; nothing when this is no object that has them."""
    return _core.member_texts(queue, ["items"], QUEUE.ceiling)[0]


def _checked_envelope(manifest: Manifest, stored: bytes) -> bytes:
    bound = manifest.extraction
    try:
        envelope = canonical_json(stored, max_bytes=ENVELOPE.ceiling)
    except SurveyError as fault:
        raise _no_envelope(fault) from None
    if bound is not None and sha256_hex(envelope) != bound["envelopeDigest"]:
        message = "the envelope is not the one that the run was made with"
        raise refusal("RUN_ENVELOPE_MISMATCH", message)
    try:
        _core.check_envelope(envelope, resolved(RAISED))
    except SurveyError as fault:
        raise _no_envelope(fault) from None
    return envelope


def _no_envelope(fault: SurveyError) -> SurveyError:
    return refusal("RUN_ENVELOPE_INVALID", fault.message, fault.pointer, fault.details)


def _check_report(manifest: Manifest, report: bytes) -> None:
    bound = manifest.extraction
    if bound is None:
        return
    try:
        digest = canonical_digest(report, max_bytes=BUNDLE.ceiling)
    except SurveyError as fault:
        raise refusal("RUN_EXTRACTION_MISMATCH", fault.message, fault.pointer) from None
    if digest != bound["reportDigest"]:
        message = "the extraction report is not the one that the run was made with"
        raise refusal("RUN_EXTRACTION_MISMATCH", message)


def _names(manifest: Manifest) -> dict[str, Any]:
    return {
        "source_kind": SOURCE_KIND,
        "claim_targets": manifest.task.claim_targets(),
        "import_name": manifest.import_name,
        "producer_namespace": manifest.namespace,
        "limits": RAISED,
    }


def _imported(manifest: Manifest, envelope: bytes, text: str) -> ImportResult:
    """The import as it was made; without a look at the text where the run never had one."""
    bound = manifest.extraction
    artifact = None if bound is None else available_artifact(text)
    try:
        imported = import_envelope(envelope, artifact=artifact, **_names(manifest))
    except SurveyError as fault:
        raise _no_envelope(fault) from None
    if bound is not None and _told(imported.status) != _told(bound["importStatus"]):
        message = "the envelope no longer imports to what it did when the run was made"
        raise refusal("RUN_EXTRACTION_MISMATCH", message)
    return imported


def _rebuilt(manifest: Manifest, envelope: bytes) -> ImportResult:
    """The import by its stored status, for who does not read the text."""
    bound = manifest.extraction
    if bound is None:
        return _imported(manifest, envelope, "")
    try:
        return import_from_bound_status(envelope, bound["importStatus"], **_names(manifest))
    except SurveyError as fault:
        code = "RUN_EXTRACTION_MISMATCH"
        raise refusal(code, fault.message, fault.pointer, fault.details) from None


def _told(status: Mapping[str, Any]) -> bytes:
    """A status without its messages, which are for people and may change."""
    told: dict[str, Any] = dict(status)
    told["diagnostics"] = [
        {name: one for name, one in found.items() if name != "message"}
        for found in status["diagnostics"]
    ]
    return canonical_json(told)


def _attested(
    manifest: Manifest, envelope: bytes, queue: bytes, imported: ImportResult
) -> Attestation:
    try:
        _require_bare(queue)
        return _derived(manifest, envelope, queue, imported)
    except RunConflictError:
        raise
    except SurveyError as fault:
        raise _unattested(fault.message, fault.pointer, fault.details) from None


def _derived(
    manifest: Manifest, envelope: bytes, queue: bytes, imported: ImportResult
) -> Attestation:
    items = _items(queue)
    provenance: Any = "verified" if imported.is_verified else "unverified"
    if items == b"[]":
        _require_nothing_extracted(manifest, envelope)
        return Attestation("attested", provenance=provenance)
    if items == imported.items_bytes:
        return Attestation("attested", profile="jcs", provenance=provenance)
    found = attest_review_queue_extraction(queue, imported.record_bytes, limits=RAISED)
    if found.state != "attested":
        raise _unattested(found.message, None, {"issues": issues_json(found.issues)})
    return found


def _unattested(
    message: str, pointer: str | None, details: Mapping[str, Any] | None = None
) -> SurveyError:
    return refusal("REVIEW_QUEUE_UNATTESTED", message, pointer, details)


def _require_bare(queue: bytes) -> None:
    """A round opens over a bare queue: what is decided is in the log, or nowhere.

    Of a queue that declares a random audit only the drawn items would be compared, and a run is
    never one.
    """
    *held, sampling = _core.member_texts(queue, [*_DECIDED, "sampling"], QUEUE.ceiling)
    for member, text in zip(_DECIDED, held, strict=True):
        if text not in (None, b"{}"):
            message = "the queue brings decisions along that no event accounts for"
            raise _unattested(message, f"/{member}")
    if sampling not in (None, _WHOLE):
        message = "the queue calls itself a sample, and a run is over all that was extracted"
        raise _unattested(message, "/sampling")


def _require_nothing_extracted(manifest: Manifest, envelope: bytes) -> None:
    document: Any = plain_data(envelope)
    if document["result"]["proposals"] and manifest.round["kind"] == "first":
        message = "the queue is empty although the extraction has proposals"
        raise _unattested(message, "/items")
