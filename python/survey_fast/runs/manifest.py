"""``run.json``: what a run is, written once and never changed.

1. Closed, canonical, with a final line feed, and compared by its bytes: the event log chains to
   exactly these.
2. The id and the resource follow from source, task and provider, so a manifest that was edited in
   one of them no longer names itself.
3. A first round over an empty queue has no binding. In every other round the binding carries the
   digest that was taken when the round opened.
4. A run without ``extraction`` was taken over from one that never bound its envelope; it is read
   and never decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import has_content, is_hex
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.task import Task, read_task
from survey_fast.imports.verification_shape import is_canonical_instant
from survey_fast.limits import MANIFEST, PREPARED_UNITS
from survey_fast.runs.identity import (
    FOREIGN_NAMESPACE,
    PRODUCER_NAMESPACE,
    SOURCE_KIND,
    TAKEN_OVER,
    foreign_resource,
    import_name,
    run_identity,
)
from survey_fast.runs.layout import FILES, MANIFEST_FILE, artifact_errors

__all__ = ["FORMAT", "Manifest", "manifest_bytes", "read_manifest"]

FORMAT: Final = "survey-fast-run"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that holds.

    Attributes:
        document: the whole manifest as plain data.
        raw: its bytes, to which the event log chains.
        task: its task, read.
    """

    document: Mapping[str, Any]
    raw: bytes
    task: Task

    @property
    def run_id(self) -> str:
        """16 hex digits."""
        return str(self.document["runId"])

    @property
    def resource(self) -> str:
        """``survey-fast-run:v1:<task>:<run id>``."""
        return str(self.document["runResource"])

    @property
    def created_at(self) -> str:
        """When the run was made, an instant."""
        return str(self.document["createdAt"])

    @property
    def is_taken_over(self) -> bool:
        """Whether the reference system made it."""
        return "importedFrom" in self.document["source"]

    @property
    def namespace(self) -> str:
        """Who made the import of the run."""
        return FOREIGN_NAMESPACE if self.is_taken_over else PRODUCER_NAMESPACE

    @property
    def import_name(self) -> str:
        """What the import of the run is called."""
        return import_name(self.task.name, self.run_id, self.namespace)

    @property
    def prepared(self) -> Mapping[str, Any]:
        """Reference, digest and length of the prepared text."""
        artifact: Mapping[str, Any] = self.document["preparedArtifact"]
        return artifact

    @property
    def extraction(self) -> Mapping[str, Any] | None:
        """What the envelope was bound by; nothing in a run that never was."""
        return self.document.get("extraction")

    @property
    def round(self) -> Mapping[str, Any]:
        """Kind, digest and binding of the round."""
        opened: Mapping[str, Any] = self.document["round"]
        return opened

    @property
    def binding(self) -> Mapping[str, Any] | None:
        """The queue's binding; nothing for an empty queue."""
        bound: Mapping[str, Any] | None = self.round["binding"]
        return bound


def manifest_bytes(document: Mapping[str, Any]) -> bytes:
    """``run.json`` of a manifest."""
    return canonical_json(dict(document), max_bytes=MANIFEST.ceiling) + b"\n"


def read_manifest(raw: bytes) -> Manifest:
    """Read ``run.json``.

    Raises:
        RunError: ``INVALID_RUN`` with a pointer: not canonical, not closed, or not the run that
            source, task and provider make. ``details["path"]`` names the file.
    """
    with artifact_errors(MANIFEST_FILE, "INVALID_RUN"):
        return _read(raw)


def _read(raw: bytes) -> Manifest:
    text = canonical_json(raw, max_bytes=MANIFEST.ceiling)
    if text + b"\n" != raw:
        message = "it was written again: its bytes are not canonical with a final line feed"
        raise _invalid(message, "")
    document = plain_data(text)
    _check(document, "", _MANIFEST)
    assert isinstance(document, dict)  # noqa: S101 - checked just now
    try:
        task = read_task(document["task"])
    except SurveyError as fault:
        raise _invalid(fault.message, f"/task{fault.pointer or ''}") from None
    _check_identity(document)
    _check_round(document)
    manifest = Manifest(document, raw, task)
    _check_extraction(manifest)
    return manifest


def _check_identity(document: Mapping[str, Any]) -> None:
    source, run_id = document["source"], document["runId"]
    name = document["task"]["metadata"]["name"]
    if document["runResource"] != f"survey-fast-run:v1:{name}:{run_id}":
        raise _invalid("the resource is not that of this task and run", "/runResource")
    is_foreign = document["provider"]["kind"] == TAKEN_OVER
    if is_foreign != ("importedFrom" in source):
        raise _invalid("a run is taken over by its source and by its provider", "/provider/kind")
    # Of a run that another system made, what its id was taken over may be more than is kept.
    if is_foreign:
        if source["importedFrom"] != foreign_resource(name, run_id):
            raise _invalid("it was taken from another run than this one", "/source/importedFrom")
        return
    if run_id != run_identity(source, document["task"], document["provider"]).run_id:
        raise _invalid("the id is not that of this source, task and provider", "/runId")


def _check_extraction(manifest: Manifest) -> None:
    """The names under which the import was made are those of the run, and no others."""
    bound = manifest.extraction
    if bound is None:
        return
    expected = {
        "importName": manifest.import_name,
        "producerNamespace": manifest.namespace,
        "sourceKind": SOURCE_KIND,
    }
    for member, value in expected.items():
        if bound[member] != value:
            raise _invalid("the import is named after another run", f"/extraction/{member}")


def _check_round(document: Mapping[str, Any]) -> None:
    opened = document["round"]
    binding = opened["binding"]
    for member in _RECHECK if opened["kind"] == "first" else ():
        if member in opened:
            raise _invalid("only a recheck has this member", f"/round/{member}")
    if binding is None:
        return
    spec = binding.get("spec")
    if not isinstance(spec, dict) or spec.get("snapshotHash") != opened["snapshotHash"]:
        raise _invalid("the binding carries another digest than the round", "/round/binding")


_Check = Callable[[Any], bool]


def _text(value: object) -> bool:
    return isinstance(value, str) and has_content(value)


def _hex64(value: object) -> bool:
    return isinstance(value, str) and is_hex(value, 64)


def _hex16(value: object) -> bool:
    return isinstance(value, str) and is_hex(value, 16)


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _instant(value: object) -> bool:
    return isinstance(value, str) and is_canonical_instant(value)


def _length(value: object) -> bool:
    return type(value) is int and 0 <= value <= PREPARED_UNITS


def _status(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"state", "diagnostics", "provenance"}
        and value.get("state") in ("grounded", "unresolved")
        and isinstance(value.get("diagnostics"), list)
        and all(isinstance(one, dict) for one in value["diagnostics"])
        and value.get("provenance") == "verified"
    )


def _options(value: object) -> bool:
    """No secret is ever an option: only names of settings, with plain values."""
    if not isinstance(value, dict):
        return False
    again = value.get("again", 1)
    return (
        type(again) is int
        and again > 0
        and all(one is None or isinstance(one, str | int | float) for one in value.values())
    )


_RECHECK: Final = ("transitionId", "priorObservationId", "currentObservationId", "carryForwards")
_Members = Mapping[str, "_Check | _Members | Any"]
_MANIFEST: Final[_Members] = {
    "format": lambda value: value == FORMAT,
    "schemaVersion": lambda value: type(value) is int and value == _VERSION,
    "runId": _hex16,
    "runResource": _text,
    "createdAt": _instant,
    "task": _object,
    "source": {
        "kind": lambda value: value in ("local-file", "forage-snapshot"),
        "ref": _text,
        "digest": _hex64,
        "contentType": _text,
        "importedFrom?": _text,
    },
    "provider": {"kind": _text, "name": _text, "model?": _text, "options": _options},
    "files": lambda value: value == dict(FILES),
    "preparedArtifact": {"ref": _text, "digest": _hex64, "contentLength": _length},
    "extraction?": {
        "envelopeDigest": _hex64,
        "reportDigest": _hex64,
        "importName": _text,
        "importStatus": _status,
        "producerNamespace": _text,
        "sourceKind": _text,
    },
    "round": {
        "kind": lambda value: value in ("first", "recheck"),
        "snapshotHash": _hex64,
        "binding": lambda value: value is None or isinstance(value, dict),
        "transitionId?": _text,
        "priorObservationId?": _text,
        "currentObservationId?": _text,
        "carryForwards?": lambda value: isinstance(value, list),
    },
}
"""Closed objects: a name that ends in ``?`` may be absent."""


def _check(value: object, pointer: str, members: _Members) -> None:
    if not isinstance(value, dict):
        raise _invalid("an object belongs here", pointer)
    known = {name.removesuffix("?") for name in members}
    for name in value:
        if name not in known:
            raise _invalid("a manifest has no such member", f"{pointer}/{_token(name)}")
    for name, check in members.items():
        plain = name.removesuffix("?")
        place = f"{pointer}/{plain}"
        if plain not in value:
            if plain == name:
                raise _invalid("a manifest has this member", place)
        elif isinstance(check, Mapping):
            _check(value[plain], place, check)
        elif not check(value[plain]):
            raise _invalid("the value is none that a manifest has here", place)


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _invalid(message: str, pointer: str) -> SurveyError:
    return refusal("INVALID_RUN", message, pointer)
