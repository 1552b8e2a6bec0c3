"""Session files: a round on disk that proves itself.

1. ``NAME.json`` is written once: session, base snapshot, binding and perhaps the import record,
   canonical, with a final line feed. ``NAME.events.jsonl`` is the log over it: it is the only
   thing that changes, and it only grows.
2. A session is bound when it is made. Every load checks the queue against the binding, against
   the import record where one is stored, and the events against the queue.
3. The reference system's single-file form, events inside, is read for everything but deciding.
   :func:`converted` makes a session of ours of it, :func:`packed` writes that form again.
4. A decision is appended under the lock, at the revision the caller saw, and the host says who
   and when.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from survey_fast import _core
from survey_fast.attest import bind_review_queue
from survey_fast.canon import Document, canonical_json, data_json, plain_data, sha256_hex
from survey_fast.canon.collector import collector_paused
from survey_fast.canon.text import has_content
from survey_fast.errors import AuditError, SessionError, refusal
from survey_fast.limits import DEFAULT, QUEUE, ImportLimits, resolved
from survey_fast.review.apply import (
    ApplyResult,
    History,
    Required,
    apply_history,
    check_history,
    require_unseeded,
)
from survey_fast.review.conditions import check_declared_conditions
from survey_fast.review.decisions import item_name
from survey_fast.review.fold import Fold
from survey_fast.review.replay import snapshot_issues
from survey_fast.review.shape import check_events, check_snapshot, require_json
from survey_fast.review.state import State
from survey_fast.review.stream import Event, sequence_issues

__all__ = [
    "DEFAULT_SESSION_NAME",
    "SessionDocument",
    "converted",
    "new_session",
    "packed",
    "read_session",
    "single_file_revision",
]

DEFAULT_SESSION_NAME: Final = "review-workbench-session"
_API_VERSION: Final = "survey.kontourai.io/v1alpha1"
_OWN: Final = ["session", "snapshot", "queueBinding", "extractionImport", "events"]


@dataclass(frozen=True, slots=True)
class SessionDocument:
    """A session as it is stored, read and checked for its structure.

    Attributes:
        root: the bytes of ``NAME.json``.
        name: the session's name.
        snapshot: the base snapshot, canonical text.
        state: the same as plain data.
        binding: the binding, if one is stored.
        extraction_import: the import record, canonical text, if one is stored.
        events: the committed history.
        revision: the token that an append has to name.
        is_single_file: whether the events stand in the file itself.
        limits: the caps it was read under, which hold for every check of it.
    """

    root: bytes
    name: str
    snapshot: bytes
    state: State
    binding: Mapping[str, Any] | None
    extraction_import: bytes | None
    events: Sequence[Event]
    revision: str
    is_single_file: bool = False
    limits: ImportLimits = DEFAULT

    def with_events(self, events: Sequence[Event], revision: str) -> SessionDocument:
        """The same session with a history read from its log."""
        return replace(self, events=check_events(list(events)), revision=revision)

    def apply(self, *, required: Required = "none", allow_seeded: bool = False) -> ApplyResult:
        """Every check and the derivation; raises as derive_review_session_apply_result."""
        return apply_history(
            self.snapshot,
            self.events,
            required=required,
            binding=None if self.binding is None else dict(self.binding),
            extraction_import=self.extraction_import,
            allow_seeded=allow_seeded,
            session_name=self.name,
            limits=self.limits,
        )

    def verify(self, *, allow_seeded: bool = False) -> History:
        """Every check and no derivation; raises as derive_review_session_apply_result."""
        return check_history(
            self.snapshot,
            self.events,
            binding=None if self.binding is None else dict(self.binding),
            extraction_import=self.extraction_import,
            allow_seeded=allow_seeded,
            session_name=self.name,
            limits=self.limits,
        )

    def current(self) -> Fold:
        """What is decided now; SessionError where the events have no order to be read in."""
        issues = [issue.to_json() for issue in sequence_issues(self.events)]
        if issues:
            raise SessionError.from_issues(issues)
        return Fold(self.state).apply(self.events)


def new_session(
    snapshot: Mapping[str, Any],
    *,
    name: str,
    extraction_import: bytes | None = None,
    limits: ImportLimits = DEFAULT,
) -> bytes:
    """The bytes of ``NAME.json`` for a round over ``snapshot``, bound now.

    Args:
        snapshot: the base snapshot, from ``open_review_queue`` or a random audit.
        name: the session's name.
        extraction_import: the import record the items came from.
        limits: caps; what is written can be read again under the same.

    Raises:
        JsonError: ``json-size``: the file would be larger than its cap.
        QueueError, UnattestedReviewQueueError: the queue is empty or ambiguous.
        SessionError: ``seeded-snapshot``, ``session-malformed``.
        AuditError: ``invalid-session-conditions``.
    """
    require_json(dict(snapshot))
    require_unseeded(check_snapshot(dict(snapshot)))
    check_declared_conditions(snapshot)
    issues = [issue.to_json() for issue in snapshot_issues(snapshot)]
    if issues:
        raise SessionError.from_issues(issues)
    text = canonical_json(data_json(dict(snapshot)), max_bytes=QUEUE.ceiling)
    opened = snapshot["reviewedAt"]
    session: dict[str, Any] = {
        "apiVersion": _API_VERSION,
        "kind": "ReviewSession",
        "metadata": {"name": name},
        "spec": {
            "actor": {"id": snapshot["actorId"]},
            "reviewItemNames": [item_name(item) for item in snapshot["items"]],
            "startedAt": opened,
        },
    }
    members = {
        "extractionImport": extraction_import,
        "queueBinding": data_json(
            bind_review_queue(text, session_name=name, bound_at=opened, limits=limits)
        ),
        "session": data_json(session),
        "snapshot": text,
    }
    return _joined(members, limits) + b"\n"


def _joined(members: Mapping[str, bytes | None], limits: ImportLimits) -> bytes:
    """Canonical text of an object whose members are texts already."""
    written = [
        b'"' + name.encode() + b'":' + text for name, text in members.items() if text is not None
    ]
    return _bounded(b"{" + b",".join(written) + b"}", limits)


def _bounded(document: Document, limits: ImportLimits) -> bytes:
    """Canonical text that its reader takes under the same limits, a final line feed included."""
    return canonical_json(document, max_bytes=max(1, QUEUE.resolve(limits.queue_bytes) - 1))


@collector_paused()
def read_session(root: bytes, *, limits: ImportLimits = DEFAULT) -> SessionDocument:
    """Read ``NAME.json``, or a session of the reference system in one file.

    The events of the first are in its log; see :meth:`SessionDocument.with_events`.

    Raises:
        JsonError: not strict JSON.
        SessionError: ``session-malformed`` with a pointer.
        AuditError: ``invalid-session-conditions``, likewise.
    """
    session, snapshot, binding, record, events = _core.member_texts(
        root, _OWN, QUEUE.resolve(limits.queue_bytes)
    )
    if session is None or snapshot is None:
        message = "a session file holds a session and a snapshot"
        raise refusal("session-malformed", message, "/session" if session is None else "/snapshot")
    if binding is None and events is None:
        message = "a session is bound when it is made; without its binding it proves nothing"
        raise refusal("binding-malformed", message, "/queueBinding")
    resource = _object(session, "/session")
    name = _session_name(resource)
    with _inside("/snapshot"):
        _core.check_snapshot(snapshot, resolved(limits))
        state = check_snapshot(_object(snapshot, ""))
        check_declared_conditions(state)
    history: Sequence[Event] = []
    if events is not None:
        with _inside("/events"):
            history = check_events(_array(events, ""))
        name = history[0]["spec"]["sessionName"] if history else name
    return SessionDocument(
        root=root,
        name=name,
        snapshot=snapshot,
        state=state,
        binding=None if binding is None else _object(binding, "/queueBinding"),
        extraction_import=record,
        events=history,
        revision="" if events is None else single_file_revision(root),
        is_single_file=events is not None,
        limits=limits,
    )


def _object(text: bytes, pointer: str) -> dict[str, Any]:
    value = plain_data(text)
    if isinstance(value, dict):
        return value
    message = "an object belongs here"
    raise refusal("session-malformed", message, pointer)


def _array(text: bytes, pointer: str) -> list[Any]:
    value = plain_data(text)
    if isinstance(value, list):
        return value
    message = "an array belongs here"
    raise refusal("session-malformed", message, pointer)


@contextmanager
def _inside(place: str) -> Iterator[None]:
    """Refusals with a pointer into the session file."""
    try:
        yield
    except (SessionError, AuditError) as refused:
        raise refusal(refused.code, refused.message, place + (refused.pointer or "")) from None


def _session_name(resource: Mapping[str, Any]) -> str:
    metadata = resource.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if resource.get("kind") != "ReviewSession" or resource.get("apiVersion") != _API_VERSION:
        message = "this is no ReviewSession of a version that is read here"
        raise refusal("session-malformed", message, "/session/kind")
    if not isinstance(name, str) or not has_content(name):
        message = "a session has a name"
        raise refusal("session-malformed", message, "/session/metadata/name")
    return name


def single_file_revision(root: bytes) -> str:
    """The reference system's token: 32 hex digits of SHA-256 over the events as they are stored.

    Members keep the order of the file there, so the text that was read is taken, not a parsed
    copy of it.
    """
    stored = canonical_json(root, "as-stored", max_bytes=QUEUE.ceiling)
    events = json.loads(stored).get("events", [])
    return sha256_hex(canonical_json(data_json(events), "as-stored"))[:32]


def converted(session: SessionDocument) -> tuple[bytes, Sequence[Event]]:
    """``NAME.json`` and the events for the log of a session that was read from a single file.

    A session without a binding is bound now, over the queue as it stands.
    """
    binding = session.binding or bind_review_queue(
        session.snapshot,
        session_name=session.name,
        bound_at=session.state["reviewedAt"],
        limits=session.limits,
    )
    members = json.loads(canonical_json(session.root, max_bytes=QUEUE.ceiling))
    del members["events"]
    members["queueBinding"] = dict(binding)
    members["session"]["metadata"]["name"] = session.name
    return _bounded(members, session.limits) + b"\n", session.events


def packed(session: SessionDocument) -> tuple[bytes, str]:
    """The session in the reference system's form, events inside, and its revision token there."""
    members = json.loads(canonical_json(session.root, max_bytes=QUEUE.ceiling))
    members["events"] = list(session.events)
    text = _bounded(members, session.limits) + b"\n"
    return text, single_file_revision(text)
