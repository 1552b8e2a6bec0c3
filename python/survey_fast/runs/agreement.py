"""What the parts of a run say about one another: every check that is a function of bytes alone.

In this order, and the first thing wrong is the one reported:

1. the queue is the one that the round was opened over, and is empty exactly when it is not bound;
2. the envelope is the one that was bound, and is one; so is the report;
3. the prepared text is the one that the envelope was extracted from;
4. what the envelope imports to is what it imported to when the run was made;
5. the report is one, and about this extraction;
6. the queue is exactly what that import derives, and nothing was decided in it beforehand.

Without the prepared text, step 3 is left out, and step 4 takes the stored status at its word as
far as some import of this envelope could have written it.

Where all of this is seen to hold at once, as :mod:`survey_fast.runs.derived_round` sees it, that is
the end of it. Wherever it is not, the parts are read one after another in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from survey_fast import _core
from survey_fast.attest import Attestation, attest_review_queue_extraction
from survey_fast.attest.binding import (
    API_VERSION,
    CANONICALIZATION,
    KIND,
    assert_review_queue_binding,
)
from survey_fast.attest.issue import issues_json
from survey_fast.canon import (
    canonical_digest,
    canonical_json,
    sha256_hex,
)
from survey_fast.canon.text import has_content
from survey_fast.errors import RunConflictError, SurveyError, refusal
from survey_fast.imports import (
    ImportResult,
    available_artifact,
    import_envelope,
    import_from_bound_status,
)
from survey_fast.limits import BUNDLE, ENVELOPE, QUEUE, resolved
from survey_fast.runs.caps import RAISED
from survey_fast.runs.derived_round import DerivedImport, DerivedRound
from survey_fast.runs.envelope_facts import EnvelopeFacts, envelope_facts, told_facts
from survey_fast.runs.identity import SESSION_NAME, SOURCE_KIND
from survey_fast.runs.layout import ENVELOPE_FILE, QUEUE_FILE, REPORT_FILE, artifact_refusal
from survey_fast.runs.manifest import Manifest
from survey_fast.runs.prepared_text import check_identity, check_prepared
from survey_fast.runs.stored_report import check_report
from survey_fast.runs.stored_round import StoredRound

__all__ = ["RAISED", "Agreed", "check_agreement"]

_DECIDED: Final = (
    "attemptEvidenceIdsByItemName",
    "decisionsByItemName",
    "editedValuesByItemName",
    "notesByItemName",
    "selectedCandidateIdsByItemName",
)
_WHOLE: Final = {"kind": "queue"}


@dataclass(frozen=True, slots=True)
class Agreed:
    """Parts that agree.

    Attributes:
        round: the snapshot.
        envelope: what the envelope tells.
        imported: what the envelope imports to.
        attestation: how the queue follows from it.
    """

    round: StoredRound
    envelope: EnvelopeFacts
    imported: ImportResult
    attestation: Attestation


def check_agreement(
    manifest: Manifest,
    *,
    queue: bytes,
    envelope: bytes,
    report: bytes | None,
    prepared: bytes | None,
    derived: DerivedRound | None = None,
) -> Agreed:
    """Check the parts of a run against one another.

    Args:
        manifest: what the run is.
        queue: the snapshot, as stored.
        envelope: the envelope, as stored.
        report: the extraction report, where it was read.
        prepared: the prepared text, where it was read.
        derived: what :func:`survey_fast.runs.derived_round.derived_round` saw of exactly these.

    Raises:
        RunError: ``RUN_ENVELOPE_INVALID``, ``RUN_PREPARED_MISMATCH``.
        RunConflictError: ``REVIEW_BINDING_BROKEN``, ``RUN_ENVELOPE_MISMATCH``,
            ``RUN_EXTRACTION_MISMATCH``, ``REVIEW_QUEUE_UNATTESTED``.
    """
    if derived is not None:
        with suppress(SurveyError):
            agreed = _at_once(manifest, derived, envelope, report)
            if agreed is not None:
                return agreed
    snapshot = _checked_queue(manifest, queue)
    text = _checked_envelope(manifest, envelope)
    if report is not None:
        _check_report(manifest, report)
    facts = _facts(text)
    if prepared is None:
        imported = _rebuilt(manifest, text)
    else:
        imported = _imported(manifest, text, _prepared_text(manifest, facts, prepared))
    if report is not None:
        _check_told(manifest, facts, report)
    return Agreed(snapshot, facts, imported, _attested(manifest, facts, snapshot, imported))


def _at_once(
    manifest: Manifest, derived: DerivedRound, envelope: bytes, report: bytes | None
) -> Agreed | None:
    """Parts that agree, as far as that was seen at once; nothing, or any refusal, otherwise."""
    bound, binding = manifest.extraction, manifest.binding
    queue = StoredRound(derived.queue)
    if bound is None or binding is None or not _is_bound(binding, queue):
        return None
    if derived.envelope_digest != bound["envelopeDigest"]:
        return None
    if report is not None:
        _check_report(manifest, report)
    facts = told_facts(envelope.removesuffix(b"\n"), derived.told, derived.proposals)
    if report is not None:
        _check_told(manifest, facts, report)
    imported = DerivedImport(derived)
    if derived.text is not None:
        check_identity(manifest, facts, *derived.text)
        if _told(imported.status) != _told(bound["importStatus"]):
            return None
    _require_bare(queue)
    provenance: Any = "verified" if imported.is_verified else "unverified"
    return Agreed(
        queue, facts, imported, Attestation("attested", profile="jcs", provenance=provenance)
    )


def _checked_queue(manifest: Manifest, stored: bytes) -> StoredRound:
    """The queue, once it is known to be the one the round opened over."""
    try:
        queue = StoredRound.read(stored)
        if manifest.binding is None:
            _check_unbound(manifest, queue)
        elif not _is_bound(manifest.binding, queue):
            # Told in full, or bound in the order of members of another system.
            assert_review_queue_binding(
                dict(manifest.binding), queue.text, session_name=SESSION_NAME, limits=RAISED
            )
    except SurveyError as fault:
        message = f"this is not the queue that the round was opened over: {fault.message}"
        told = refusal("REVIEW_BINDING_BROKEN", message, fault.pointer, fault.details)
        raise artifact_refusal(QUEUE_FILE, "REVIEW_BINDING_BROKEN", told) from None
    return queue


def _is_bound(binding: Mapping[str, Any], queue: StoredRound) -> bool:
    """Whether this is, to the letter, the binding that we take of this queue."""
    spec = binding.get("spec")
    bound_at = spec.get("boundAt") if isinstance(spec, dict) else None
    if not queue.names or not isinstance(bound_at, str) or not has_content(bound_at):
        return False
    return binding == {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "spec": {
            "sessionName": SESSION_NAME,
            "snapshotHash": queue.digest,
            "itemNames": queue.names,
            "boundAt": bound_at,
            "canonicalization": CANONICALIZATION,
        },
    }


def _check_unbound(manifest: Manifest, queue: StoredRound) -> None:
    """Nothing but an empty queue goes without a binding."""
    expected = manifest.round["snapshotHash"]
    digest = queue.digest
    if digest != expected and manifest.is_taken_over:
        digest = canonical_digest(queue.text, profile="collated", max_bytes=QUEUE.ceiling)
    if digest != expected:
        message = "its digest is another one"
        raise refusal("REVIEW_BINDING_BROKEN", message)
    if not queue.holds(b"[]"):
        message = "it has items, and the round has no binding"
        raise refusal("REVIEW_BINDING_BROKEN", message, "/items")


def _checked_envelope(manifest: Manifest, stored: bytes) -> bytes:
    bound = manifest.extraction
    try:
        envelope = canonical_json(stored, max_bytes=ENVELOPE.ceiling)
    except SurveyError as fault:
        raise _no_envelope(fault) from None
    if bound is not None and sha256_hex(envelope) != bound["envelopeDigest"]:
        message = "the envelope is not the one that the run was made with"
        raise refusal("RUN_ENVELOPE_MISMATCH", message)
    return envelope


def _facts(envelope: bytes) -> EnvelopeFacts:
    try:
        return envelope_facts(envelope)
    except SurveyError:
        _require_envelope(envelope)
        raise


def _require_envelope(envelope: bytes) -> None:
    """Say what is wrong with an envelope, if something is; the import would say so later."""
    try:
        _core.check_envelope(envelope, resolved(RAISED))
    except SurveyError as fault:
        raise _no_envelope(fault) from None


def _prepared_text(manifest: Manifest, envelope: EnvelopeFacts, prepared: bytes) -> str:
    try:
        return check_prepared(manifest, envelope, prepared)
    except SurveyError:
        _require_envelope(envelope.text)
        raise


def _no_envelope(fault: SurveyError) -> SurveyError:
    return artifact_refusal(ENVELOPE_FILE, "RUN_ENVELOPE_INVALID", fault)


def _check_report(manifest: Manifest, report: bytes) -> None:
    bound = manifest.extraction
    if bound is None:
        return
    try:
        digest = canonical_digest(report, max_bytes=BUNDLE.ceiling)
    except SurveyError as fault:
        raise artifact_refusal(REPORT_FILE, "RUN_EXTRACTION_MISMATCH", fault) from None
    if digest != bound["reportDigest"]:
        message = "this is not the extraction report that the run was made with"
        told = refusal("RUN_EXTRACTION_MISMATCH", message)
        raise artifact_refusal(REPORT_FILE, "RUN_EXTRACTION_MISMATCH", told)


def _check_told(manifest: Manifest, envelope: EnvelopeFacts, report: bytes) -> None:
    """The report is one, and about this extraction."""
    bound = manifest.extraction
    if bound is not None:
        length = manifest.prepared["contentLength"]
        check_report(report, envelope, digest=bound["envelopeDigest"], length=length)


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
        _require_envelope(envelope)
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
    manifest: Manifest, envelope: EnvelopeFacts, queue: StoredRound, imported: ImportResult
) -> Attestation:
    try:
        _require_bare(queue)
        return _derived(manifest, envelope, queue, imported)
    except RunConflictError:
        raise
    except SurveyError as fault:
        raise _unattested(fault.message, fault.pointer, fault.details) from None


def _derived(
    manifest: Manifest, envelope: EnvelopeFacts, queue: StoredRound, imported: ImportResult
) -> Attestation:
    provenance: Any = "verified" if imported.is_verified else "unverified"
    if queue.holds(b"[]"):
        _require_nothing_extracted(manifest, envelope)
        return Attestation("attested", provenance=provenance)
    if queue.holds(imported.items_bytes):
        return Attestation("attested", profile="jcs", provenance=provenance)
    found = attest_review_queue_extraction(queue.text, imported.record_bytes, limits=RAISED)
    if found.state != "attested":
        raise _unattested(found.message, None, {"issues": issues_json(found.issues)})
    return found


def _unattested(
    message: str, pointer: str | None, details: Mapping[str, Any] | None = None
) -> SurveyError:
    return refusal("REVIEW_QUEUE_UNATTESTED", message, pointer, details)


def _require_bare(queue: StoredRound) -> None:
    """A round opens over a bare queue: what is decided is in the log, or nowhere.

    Of a queue that declares a random audit only the drawn items would be compared, and a run is
    never one.
    """
    rest = queue.rest if isinstance(queue.rest, dict) else {}
    for member in _DECIDED:
        if rest.get(member, {}) != {}:
            message = "the queue brings decisions along that no event accounts for"
            raise _unattested(message, f"/{member}")
    if rest.get("sampling", _WHOLE) != _WHOLE:
        message = "the queue calls itself a sample, and a run is over all that was extracted"
        raise _unattested(message, "/sampling")


def _require_nothing_extracted(manifest: Manifest, envelope: EnvelopeFacts) -> None:
    if envelope.proposals and manifest.round["kind"] == "first":
        message = "the queue is empty although the extraction has proposals"
        raise _unattested(message, "/items")
