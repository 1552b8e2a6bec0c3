"""Which run this is: the same source, task and provider are the same run.

1. A run's id is the first 16 hex digits of SHA-256 over the canonical source identity, a colon
   and the canonical task. A provider other than the offline one with its defaults adds a colon
   and its own identity; another run of the same adds a colon and its number.
2. For a local file that reproduces the ids that the reference system publishes.
3. An offline extraction is a function of its input, so its envelope names a run derived from the
   same identity, and items keep their names when the run is made again somewhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import Sha256Hex, canonical_json, sha256_hex
from survey_fast.extraction.run_id import derived_run_id
from survey_fast.extraction.source_ref import local_source_ref

__all__ = [
    "FOREIGN_NAMESPACE",
    "OFFLINE",
    "PRODUCER_NAMESPACE",
    "SESSION_NAME",
    "SOURCE_KIND",
    "TAKEN_OVER",
    "RunIdentity",
    "foreign_resource",
    "import_name",
    "is_run_id",
    "local_source",
    "run_identity",
]

OFFLINE: Final[Mapping[str, Any]] = {
    "kind": "offline",
    "name": "survey-fast-deterministic-v1",
    "options": {},
}
"""The provider of a run that names no other."""
SESSION_NAME: Final = "review-workbench-session"
PRODUCER_NAMESPACE: Final = "survey-fast"
FOREIGN_NAMESPACE: Final = "fieldwork"
"""What the reference system calls itself in the names of its runs and imports."""
TAKEN_OVER: Final = "imported"
"""The kind of provider of a run that was taken over."""
SOURCE_KIND: Final = "uploaded-document"
_LOCAL: Final = "local-file"
_RUN_ID: Final = re.compile(r"[0-9a-f]{16}")


def local_source(*, task_name: str, digest: Sha256Hex, content_type: str) -> dict[str, Any]:
    """The source identity of a local file.

    Args:
        task_name: the task's name, which the reference carries.
        digest: SHA-256 of the bytes of the file.
        content_type: ``text``, ``html``, ``transcript``, ``pdf``, …
    """
    return {
        "kind": _LOCAL,
        "ref": local_source_ref(task_name, digest),
        "digest": digest,
        "contentType": content_type,
    }


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """A run's id and what is derived from it."""

    run_id: str
    resource: str
    envelope_run_id: str


def run_identity(
    source: Mapping[str, Any], task: Mapping[str, Any], provider: Mapping[str, Any]
) -> RunIdentity:
    """The identity of a run.

    Args:
        source: the source identity; ``importedFrom`` is none of it.
        task: the whole task file.
        provider: ``{kind, name, model?, options}``; ``options.again`` is the number of another
            run of the same.
    """
    identity = {name: source[name] for name in source if name != "importedFrom"}
    parts = [canonical_json(identity), canonical_json(dict(task))]
    options = dict(provider["options"])
    again = options.pop("again", None)
    asked = {**provider, "options": options}
    if asked != OFFLINE:
        parts.append(canonical_json(asked))
    if again is not None:
        parts.append(str(again).encode())
    digest = sha256_hex(b":".join(parts))
    run_id = digest[:16]
    return RunIdentity(
        run_id=run_id,
        resource=f"survey-fast-run:v1:{task['metadata']['name']}:{run_id}",
        envelope_run_id=derived_run_id(f"survey-fast-envelope-run:v1:{digest}"),
    )


def import_name(task_name: str, run_id: str, namespace: str = PRODUCER_NAMESPACE) -> str:
    """The name of the import that a run's queue comes from."""
    return f"{namespace}-import:{task_name}:{run_id}"


def foreign_resource(task_name: str, run_id: str) -> str:
    """The name of a run of the reference system."""
    return f"{FOREIGN_NAMESPACE}-run:v1:{task_name}:{run_id}"


def is_run_id(text: object) -> bool:
    """Whether this could be the id of a run."""
    return isinstance(text, str) and _RUN_ID.fullmatch(text) is not None
