"""Taking over a run of the reference system: its directory becomes one of ours, history included.

1. The queue's digest and the binding stay what they were, under the order of members that they
   were taken in, and so do the names that its import gave. Events keep their stamps. The run keeps
   its id, and its source says which run it was taken from.
2. ``run.json`` and the envelope are held to their whole formats first, and nothing is derived of
   what does not follow them.
3. What comes of it is opened with every check before it takes its name. A run whose parts do not
   agree is therefore not taken over, with the reason that opening it would give; nor is one whose
   extraction no evidence could rest on.
4. A run that never bound its envelope becomes one that is only read.
5. Rechecks, and queues of one item for each proposal, are not taken over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from survey_fast import _core
from survey_fast.canon import (
    canonical_digest,
    canonical_json,
    data_json,
    plain_data,
    sha256_hex,
)
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.report import LeftOut, PreparedFacts, build_report, report_bytes
from survey_fast.extraction.task import read_task
from survey_fast.limits import ENVELOPE, QUEUE, Cap, resolved
from survey_fast.review.shape import check_events
from survey_fast.runs.caps import RAISED
from survey_fast.runs.citable import require_citable
from survey_fast.runs.foreign_run import check_foreign_run
from survey_fast.runs.identity import (
    FOREIGN_NAMESPACE,
    SESSION_NAME,
    SOURCE_KIND,
    TAKEN_OVER,
    foreign_resource,
    import_name,
    is_run_id,
)
from survey_fast.runs.layout import (
    CAPS,
    DEFAULT_ROOT,
    ENVELOPE_FILE,
    EVENTS_FILE,
    FILES,
    MANIFEST_FILE,
    PREPARED_FILE,
    QUEUE_FILE,
    REPORT_FILE,
    artifact_errors,
    artifact_refusal,
    artifacts_in,
    folder_name,
    read_file,
    run_errors,
)
from survey_fast.runs.manifest import FORMAT, manifest_bytes
from survey_fast.runs.opened import Run, export_queue, open_run
from survey_fast.storage import SYSTEM, FilePath, Files, path_argument
from survey_fast.storage.chain import empty_view, extended
from survey_fast.storage.folder import opened_folder
from survey_fast.storage.staging import create_folder, root_made

__all__ = ["import_run"]

_STORED: Final = Cap("a stored run", QUEUE.ceiling, QUEUE.ceiling)
_TRANSITION: Final = "lookout.kontourai.io/semantic-transition"
_IMPORT: Final = "survey.kontourai.io/extraction-envelope"
_CONTENT_TYPES: Final = {
    "text": "text",
    "markdown": "html",
    "transcript": "transcript",
    "pdf-text": "pdf",
    "image-ocr": "image",
}
_BOUND_AT: Final = "1970-01-01T00:00:00.000Z"
"""What a reader of such a run puts where the time of binding was never kept."""


@collector_paused()
def import_run(source: FilePath, root: FilePath, *, files: Files = SYSTEM) -> Run:
    """Take over the run in the directory ``source`` into ``root``.

    Args:
        source: a run directory of the reference system; it is only read.
        root: the folder that our runs live in.
        files: the file system.

    Raises:
        RunError: ``INVALID_RUN`` with a pointer into its ``run.json``; ``RUN_ENVELOPE_INVALID``
            likewise; ``run-not-importable``: a recheck or an older shape; and what opening the
            result refuses.
        FileError: ``file-exists``: a run of that id is there already.
    """
    with run_errors(), opened_folder(source, files=files) as folder:
        raw = read_file(folder, MANIFEST_FILE, _STORED)
        envelope = read_file(folder, ENVELOPE_FILE, most=ENVELOPE.ceiling)
        prepared = read_file(folder, PREPARED_FILE)
        folder.require_unmoved()
    with artifacts_in(folder.path):
        stored = _Stored(raw, envelope)
    root = path_argument("root", root)
    path = root / folder_name(stored.run_id)
    content = {**stored.files(), PREPARED_FILE: prepared}

    def check(staged: FilePath) -> None:
        with artifacts_in(folder.path), _told_of_theirs():
            run = open_run(staged, files=files)
            if run.blocked is not None:
                # It is never decided, so nothing has to rest on it.
                return
            with artifact_errors(ENVELOPE_FILE, "RUN_ENVELOPE_INVALID"):
                require_citable(run)

    with root_made(root, adopts=root == FilePath(DEFAULT_ROOT), files=files):
        create_folder(path, content, check, files=files)
    return open_run(path, files=files)


@contextmanager
def _told_of_theirs() -> Iterator[None]:
    """Refusals of a file of ours name the file of theirs that it was made of."""
    try:
        yield
    except SurveyError as fault:
        name = FilePath(str(fault.details.get("path", ""))).name
        if name not in CAPS:
            raise
        theirs = MANIFEST_FILE if name in {QUEUE_FILE, REPORT_FILE} else name
        message = fault.message.removeprefix(f"{name}: ")
        details = {one: kept for one, kept in fault.details.items() if one != "path"}
        bare = refusal(fault.code, message, fault.pointer, details)
        raise artifact_refusal(theirs, fault.code, bare) from None


def _invalid(message: str, pointer: str) -> SurveyError:
    told = f"{MANIFEST_FILE}: {message}"
    return refusal("INVALID_RUN", told, pointer, {"path": MANIFEST_FILE})


class _Stored:
    """Such a run as it was read, and the files that it becomes."""

    def __init__(self, raw: bytes, envelope: bytes) -> None:
        with artifact_errors(MANIFEST_FILE, "INVALID_RUN"):
            document: Any = plain_data(canonical_json(raw, max_bytes=_STORED.ceiling))
        if not isinstance(document, dict):
            raise _invalid("an object belongs here", "")
        self._document = document
        if self._document.get("format") == FORMAT:
            message = "this run is one of ours already; decide, verify and export it where it is"
            raise _invalid(message, "/format")
        version = self._document.get("schemaVersion")
        if type(version) is not int or version != 1:
            raise _invalid("runs of this version are not read", "/schemaVersion")
        with artifact_errors(MANIFEST_FILE, "INVALID_RUN"):
            check_foreign_run(self._document)
        with artifact_errors(MANIFEST_FILE, "INVALID_RUN", pointer="/task"):
            self.task = read_task(data_json(self._document["task"]))
        self.resource, self.run_id = self._identity()
        with artifact_errors(ENVELOPE_FILE, "RUN_ENVELOPE_INVALID"):
            self._envelope = canonical_json(envelope, max_bytes=ENVELOPE.ceiling)
            _core.check_envelope(self._envelope, resolved(RAISED))
        self._told: Mapping[str, Any] = plain_data(self._envelope)  # type: ignore[assignment]
        self._result: Mapping[str, Any] = self._told["result"]
        review = self._document["review"]
        self._snapshot: Mapping[str, Any] = review["snapshot"]
        with artifact_errors(MANIFEST_FILE, "INVALID_EVENTS", pointer="/review/events"):
            self._events: Sequence[Mapping[str, Any]] = check_events(review["events"])
        self._hash = review["snapshotHash"]
        self._require_takeable()

    def _identity(self) -> tuple[str, str]:
        resource = self._document["runResource"]
        run_id = resource.rpartition(":")[2]
        # The id becomes the name of a directory, so it is held to its form before anything else.
        if not is_run_id(run_id) or resource != foreign_resource(self.task.name, run_id):
            raise _invalid("the run is not one of its task", "/runResource")
        return resource, run_id

    def _require_takeable(self) -> None:
        items = self._snapshot["items"]
        producers = [one for item in items for one in _producers(item)]
        if any(_TRANSITION in one for one in producers):
            message = "this is a recheck, whose other side is not in the run; it stays where it is"
            raise refusal("run-not-importable", message, "/review/snapshot/items")
        has_claims = any(
            isinstance(one.get(_IMPORT), dict)
            and isinstance(one[_IMPORT].get("proposalIndices"), list)
            for one in producers
        )
        if items and not has_claims:
            message = "this queue has an item for each proposal, an older shape that is not decided"
            raise refusal("run-not-importable", message, "/review/snapshot/items")

    def files(self) -> dict[str, bytes]:
        """Every file but the prepared text."""
        queue = export_queue(self._snapshot)
        report = b""
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "schemaVersion": 1,
            "runId": self.run_id,
            "runResource": f"survey-fast-run:v1:{self.task.name}:{self.run_id}",
            "createdAt": self._document["createdAt"],
            "task": dict(self.task.document),
            "source": self._source(),
            "provider": self._provider(),
            "files": dict(FILES),
            "preparedArtifact": self._artifact(),
            "round": {"kind": "first", "snapshotHash": self._hash, "binding": self._binding()},
        }
        if "extraction" in self._document:
            report = self._report()
            manifest["extraction"] = self._extraction(report)
        root = manifest_bytes(manifest)
        view = empty_view(sha256_hex(root))
        if self._events:
            view = extended(view, [dict(event) for event in self._events])
        written = {
            ENVELOPE_FILE: self._envelope,
            QUEUE_FILE: queue,
            EVENTS_FILE: view.text,
            MANIFEST_FILE: root,
        }
        return written | {REPORT_FILE: report} if report else written

    def _source(self) -> dict[str, Any]:
        reference = self._told["source"]["ref"]
        is_local = reference.startswith("fieldwork-source:")
        mode = self._result.get("preparedArtifact", {}).get("preparationMode")
        digest = reference.rpartition(":")[2] if is_local else sha256_hex(reference.encode())
        return {
            "kind": "local-file" if is_local else "forage-snapshot",
            "ref": reference,
            "digest": digest,
            "contentType": _CONTENT_TYPES.get(str(mode), "text"),
            "importedFrom": self.resource,
        }

    def _provider(self) -> dict[str, Any]:
        provider: dict[str, Any] = {"kind": TAKEN_OVER, "name": self._result["provider"]}
        if "model" in self._result:
            provider["model"] = self._result["model"]
        return provider | {"options": {}}

    def _artifact(self) -> dict[str, Any]:
        artifact = self._document["preparedArtifact"]
        return {name: artifact[name] for name in ("ref", "digest", "contentLength")}

    def _binding(self) -> dict[str, Any] | None:
        names = [item["metadata"]["name"] for item in self._snapshot["items"]]
        if not names:
            return None
        return {
            "apiVersion": "survey.kontourai.io/v1alpha1",
            "kind": "ReviewQueueBinding",
            "spec": {
                "sessionName": SESSION_NAME,
                "snapshotHash": self._hash,
                "itemNames": sorted(names, key=lambda name: name.encode("utf-16-be")),
                "boundAt": _BOUND_AT,
            },
        }

    def _extraction(self, report: bytes) -> dict[str, Any]:
        bound = self._document["extraction"]
        return {
            "envelopeDigest": bound["envelopeDigest"],
            "reportDigest": canonical_digest(report),
            "importName": import_name(self.task.name, self.run_id, FOREIGN_NAMESPACE),
            "importStatus": bound["importStatus"],
            "producerNamespace": FOREIGN_NAMESPACE,
            "sourceKind": SOURCE_KIND,
        }

    def _report(self) -> bytes:
        """A report of what the envelope itself tells; the run kept no other."""
        facts = PreparedFacts(length=self._artifact()["contentLength"])
        report = build_report(self._envelope, self._told, LeftOut(), facts, identities=())
        return report_bytes(report)


def _producers(item: object) -> Iterator[Mapping[str, Any]]:
    """The producer blocks of an item and of its candidates; what is malformed has none."""
    metadata = item.get("metadata") if isinstance(item, dict) else None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise _invalid("an item has a name", "/review/snapshot/items")
    spec = item.get("spec") if isinstance(item, dict) else None
    candidates = spec.get("candidates") if isinstance(spec, dict) else None
    holders = [metadata, *(candidates if isinstance(candidates, list) else [])]
    for holder in holders:
        producer = holder.get("producer") if isinstance(holder, dict) else None
        if isinstance(producer, dict):
            yield producer
