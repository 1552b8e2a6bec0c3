"""Making a run: an extraction becomes a directory that proves itself.

1. Which run it is follows from source, task and provider. A directory of that name is opened with
   every check: the same run is reused and keeps its events; anything else stays as it is and is
   refused.
2. The extraction is imported against the prepared text. Only an import that is grounded, or
   lacks nothing but what was never read, makes a run.
3. The round is opened and bound, once. What was written is read back by the reader before the
   directory takes its name, so nothing is created that cannot be opened, or on which no evidence
   could rest, so that no export would ever take it.
4. Of two who make the same run at once, the second opens what the first made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from survey_fast.attest import bind_review_queue
from survey_fast.canon import canonical_digest, canonical_json, plain_data, sha256_hex
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import FileError, SurveyError, refusal
from survey_fast.extraction.task import Task
from survey_fast.imports import ImportResult, available_artifact, import_envelope
from survey_fast.limits import DEFAULT, QUEUE, ImportLimits
from survey_fast.review.attribution import UNATTRIBUTED
from survey_fast.review.conditions import is_blind
from survey_fast.review.queue import open_review_queue
from survey_fast.runs.citable import require_citable
from survey_fast.runs.identity import (
    PRODUCER_NAMESPACE,
    SESSION_NAME,
    SOURCE_KIND,
    RunIdentity,
    import_name,
    run_identity,
)
from survey_fast.runs.layout import (
    DEFAULT_ROOT,
    ENVELOPE_FILE,
    EVENTS_FILE,
    FILES,
    MANIFEST_FILE,
    PREPARED_FILE,
    QUEUE_FILE,
    REPORT_FILE,
    folder_name,
)
from survey_fast.runs.manifest import manifest_bytes
from survey_fast.runs.opened import Run, export_queue, open_run
from survey_fast.storage import SYSTEM, FilePath, Files, path_argument
from survey_fast.storage.files import storage_errors, sync_folder
from survey_fast.storage.staging import create_folder, root_made

__all__ = ["Created", "Extracted", "Order", "create_run"]

_INCOMPLETE: Final = "extraction-incomplete"


class Extracted(Protocol):
    """What an extraction hands over.

    Attributes:
        envelope: canonical text of the portable envelope.
        prepared: the prepared text.
        report: canonical text of the extraction report.
    """

    @property
    def envelope(self) -> bytes: ...  # noqa: D102 - described above
    @property
    def prepared(self) -> str: ...  # noqa: D102
    @property
    def report(self) -> bytes: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Order:
    """What a run is to be made of.

    Attributes:
        task: the task.
        source: the source identity.
        provider: ``{kind, name, model?, options}``.
        created_at: the time that the run carries, an instant.
        score_blind: open the round score-blind.
        limits: caps of the import.
    """

    task: Task
    source: Mapping[str, Any]
    provider: Mapping[str, Any]
    created_at: str
    score_blind: bool = False
    limits: ImportLimits = DEFAULT

    def identity(self) -> RunIdentity:
        """Which run that is."""
        return run_identity(self.source, self.task.document, self.provider)


@dataclass(frozen=True, slots=True)
class Created:
    """A run that is there now.

    Attributes:
        path: its directory.
        run: the run, opened.
        is_reused: whether it was there before.
    """

    path: FilePath
    run: Run
    is_reused: bool

    @property
    def outcome(self) -> Mapping[str, Any]:
        """The outcome of its extraction, as its envelope tells it."""
        return self.run.outcome

    @property
    def proposal_count(self) -> int:
        """How many proposals its extraction made."""
        return self.run.proposal_count


def create_run(
    root: FilePath,
    order: Order,
    extract: Callable[[RunIdentity], Extracted],
    *,
    files: Files = SYSTEM,
) -> Created:
    """Make the run that ``order`` describes, or open it where it was made before.

    Args:
        root: the folder that runs live in; made when it is missing.
        order: what the run is made of.
        extract: called only when there is no such run yet.
        files: the file system.

    Raises:
        RunConflictError: ``RUN_EXISTS_DIFFERENT``: what stands there is no such run.
        ExtractionError: ``EXTRACTION_UNGROUNDED``, and what ``extract`` raises.
        EvidenceError: no evidence could rest on the extraction.
        RunError, FileError: as the reader and storage raise. Nothing is left behind.
    """
    identity = order.identity()
    root = path_argument("root", root)
    path = root / folder_name(identity.run_id)
    if _is_taken(path, files):
        return _reused(path, order, files)
    content = run_files(order, identity, extract(identity))
    try:
        with root_made(root, adopts=root == FilePath(DEFAULT_ROOT), files=files):
            create_folder(path, content, lambda staged: _read_back(staged, files), files=files)
    except FileError as fault:
        if fault.code != "file-exists":
            raise
        return _reused(path, order, files)
    return Created(path, open_run(path, files=files), is_reused=False)


def _is_taken(path: FilePath, files: Files) -> bool:
    with storage_errors(path):
        try:
            files.lstat(path)
        except FileNotFoundError:
            return False
    return True


def _read_back(staged: FilePath, files: Files) -> None:
    try:
        require_citable(open_run(staged, files=files))
    except SurveyError as fault:
        # What was staged is gone before anybody could look at it.
        fault.details.pop("path", None)
        raise


def _reused(path: FilePath, order: Order, files: Files) -> Created:
    try:
        run = open_run(path, files=files)
    except SurveyError as fault:
        if fault.code in _NO_VERDICT:
            raise
        message = f"{path} is in the way and is no sound run: {fault.message}"
        details = {"path": str(path), "cause": fault.to_json()}
        raise refusal("RUN_EXISTS_DIFFERENT", message, None, details) from None
    if differing := _difference(run, order):
        message = f"{path} holds another run, whose {differing} is not the one asked for"
        raise refusal("RUN_EXISTS_DIFFERENT", message, None, {"path": str(path)})
    with storage_errors(path):
        # Who made it may have died before the name was on disk.
        sync_folder(files, path.parent)
    return Created(path, run, is_reused=True)


_NO_VERDICT: Final = {"STORAGE_FAILED", "STORAGE_UNSUPPORTED", "REVIEW_BUSY"}
"""Refusals that say nothing about the run itself."""


def _difference(run: Run, order: Order) -> str | None:
    """What of a run is not what was asked for, if anything."""
    document = run.manifest.document
    if run.manifest.task.canonical != order.task.canonical:
        return "task"
    for member, asked in (("source", order.source), ("provider", order.provider)):
        if canonical_json(document[member]) != canonical_json(dict(asked)):
            return member
    return None if is_blind(run.state) == order.score_blind else "presentation"


@collector_paused()
def run_files(order: Order, identity: RunIdentity, extracted: Extracted) -> dict[str, bytes]:
    """Every file of the run, by name.

    Raises:
        ExtractionError: ``EXTRACTION_UNGROUNDED``.
        EnvelopeError, ImportRefusedError: the envelope, or an import of it, is refused.
    """
    imported = _imported(order, identity, extracted)
    queue = open_review_queue(
        imported,
        reviewed_at=order.created_at,
        actor_id=UNATTRIBUTED,
        presentation={"scoreBlind": True} if order.score_blind else None,
        sampling={"kind": "queue"} if order.score_blind else None,
        limits=order.limits,
    )
    stored = export_queue(queue)
    binding = None
    if queue["items"]:
        binding = bind_review_queue(
            stored, session_name=SESSION_NAME, bound_at=order.created_at, limits=order.limits
        )
    artifact = _artifact(extracted.envelope)
    manifest = {
        "format": "survey-fast-run",
        "schemaVersion": 1,
        "runId": identity.run_id,
        "runResource": identity.resource,
        "createdAt": order.created_at,
        "task": dict(order.task.document),
        "source": dict(order.source),
        "provider": dict(order.provider),
        "files": dict(FILES),
        "preparedArtifact": {name: artifact[name] for name in ("ref", "digest", "contentLength")},
        "extraction": {
            "envelopeDigest": sha256_hex(extracted.envelope),
            "reportDigest": canonical_digest(extracted.report),
            "importName": import_name(order.task.name, identity.run_id),
            "importStatus": imported.status,
            "producerNamespace": PRODUCER_NAMESPACE,
            "sourceKind": SOURCE_KIND,
        },
        "round": {
            "kind": "first",
            "snapshotHash": (
                canonical_digest(stored, max_bytes=QUEUE.ceiling)
                if binding is None
                else binding["spec"]["snapshotHash"]
            ),
            "binding": binding,
        },
    }
    return {
        PREPARED_FILE: extracted.prepared.encode(),
        ENVELOPE_FILE: extracted.envelope,
        REPORT_FILE: extracted.report,
        QUEUE_FILE: stored,
        EVENTS_FILE: b"",
        MANIFEST_FILE: manifest_bytes(manifest),
    }


def _imported(order: Order, identity: RunIdentity, extracted: Extracted) -> ImportResult:
    imported = import_envelope(
        extracted.envelope,
        source_kind=SOURCE_KIND,
        claim_targets=order.task.claim_targets(),
        import_name=import_name(order.task.name, identity.run_id),
        producer_namespace=PRODUCER_NAMESPACE,
        artifact=available_artifact(extracted.prepared),
        limits=order.limits,
    )
    status = imported.status
    found = {one["kind"] for one in status["diagnostics"]}
    is_partial = status["state"] == "unresolved" and found == {_INCOMPLETE}
    if not (imported.is_grounded or is_partial) or status.get("provenance") != "verified":
        message = "the extraction does not stand in its text, so there is nothing to review"
        details: dict[str, Any] = {"diagnostics": status["diagnostics"]}
        raise refusal("EXTRACTION_UNGROUNDED", message, None, details)
    return imported


def _artifact(envelope: bytes) -> Mapping[str, Any]:
    document: Any = plain_data(envelope)
    artifact = document["result"].get("preparedArtifact")
    if not isinstance(artifact, dict):
        message = "the extraction tells no prepared text, so its words cannot be checked"
        raise refusal("EXTRACTION_UNGROUNDED", message)
    return artifact
