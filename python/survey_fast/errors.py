"""Every refusal of the package: its class, its code, its exit code and its HTTP status.

Two families never mix. Data that is hostile, damaged or out of date raises a
:class:`SurveyError`; a call that no caller should make (a number where text belongs, an
unknown profile name) raises :class:`TypeError` or :class:`ValueError`.

A code is contract, a message is not: messages are sentences for a person and may change.
``CODES`` lists every code once; the reference page ``docs/errors.md`` is generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self

__all__ = [
    "CODES",
    "AuditError",
    "CommitUnknownError",
    "DecisionError",
    "EnvelopeError",
    "FileError",
    "ImportRefusedError",
    "JsonError",
    "LogError",
    "LogLimitError",
    "NotPortableError",
    "QueueError",
    "ReviewBusyError",
    "RoundError",
    "SessionError",
    "StaleRevisionError",
    "StorageError",
    "StorageUnsupportedError",
    "SurveyError",
    "UnattestedExtractionQueueError",
    "UnattestedReviewQueueError",
    "VerificationError",
    "refusal",
]


class SurveyError(Exception):
    """Data was refused.

    Attributes:
        code: the stable name of the reason, one of ``CODES``.
        message: one sentence a person can act on; never compared.
        pointer: RFC 6901 pointer to the offending value (``""`` is the document), or ``None``.
        details: further facts as plain JSON data; ``details["offset"]`` is a byte offset into
            the text that was read.
        exit_code: what the command line exits with.
        http_status: what a server answers with.
    """

    code: str = "survey-error"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 422

    def __init__(
        self,
        message: str,
        pointer: str | None = None,
        details: Mapping[str, Any] | None = None,
        code: str | None = None,
    ) -> None:
        self.message = message
        self.pointer = pointer
        self.details: dict[str, Any] = dict(details or {})
        # Exception keeps the arguments, so that pickling and copying rebuild the same refusal
        # in another process.
        super().__init__(message, pointer, self.details, code)
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        where = "" if self.pointer is None else f" (at {self.pointer or 'the document'})"
        return f"{self.code}: {self.message}{where}"

    def to_json(self) -> dict[str, Any]:
        """The ``error`` member of a JSON answer: code, message, pointer and details if any."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.pointer is not None:
            body["pointer"] = self.pointer
        if self.details:
            body["details"] = self.details
        return body


class JsonError(SurveyError):
    """A text is not JSON as this package reads it (duplicate members, lone surrogates, …)."""

    code = "json-syntax"
    http_status = 400


class NotPortableError(SurveyError):
    """A ``collated`` digest would depend on the host, because a member name is not plain ASCII."""

    code = "digest-not-portable"


class EnvelopeError(SurveyError):
    """An extraction envelope or import record breaks its format."""

    code = "envelope-invalid-value"


class ImportRefusedError(SurveyError):
    """An envelope is well formed but cannot be imported as asked."""

    code = "import-target-invalid"


class QueueError(SurveyError):
    """A review queue cannot be opened, bound or compared."""

    code = "ambiguous-item-identity"


class _IssuesError(QueueError):
    """A refusal made of several findings, kept in ``details["issues"]`` as plain data."""

    @classmethod
    def from_issues(cls, issues: list[dict[str, Any]]) -> Self:
        """Build the refusal from findings ``{code, message, itemName?}``; the first names it."""
        first = issues[0]
        more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
        return cls(f"{first['message']}{more}", None, {"issues": issues}, str(first["code"]))


class UnattestedReviewQueueError(_IssuesError):
    """A queue is not the one its binding was taken over."""

    code = "snapshot-hash-mismatch"
    http_status = 409


class UnattestedExtractionQueueError(_IssuesError):
    """A queue is not the set of items its extraction import derives."""

    code = "item-diverges-from-extraction"
    http_status = 409


class AuditError(SurveyError):
    """Rate, seed or conditions of an audit are not usable."""

    code = "audit-options-invalid"


class DecisionError(SurveyError):
    """A decision cannot be recorded as asked."""

    code = "decision-not-recordable"


class SessionError(_IssuesError):
    """A session, its events or its snapshot cannot be used."""

    code = "session-malformed"


class RoundError(SurveyError):
    """What a round is compared with, or a record about it, cannot be used."""

    code = "round-items-invalid"


class VerificationError(SurveyError):
    """A candidate verification, or the input of one, breaks its format."""

    code = "verification-record-invalid"


class FileError(SurveyError):
    """A file could not be read or published safely."""

    code = "STORAGE_FAILED"


class StorageError(SurveyError):
    """An event log, or the lock on it, stands in the way; the base of what follows."""

    code = "STORAGE_FAILED"


class LogError(StorageError):
    """An event log is not what its writer left."""

    code = "RUN_EVENTS_BROKEN"


class LogLimitError(StorageError):
    """An event log is larger than it may be, or would become so."""

    code = "RUN_EVENTS_FULL"
    http_status = 413


class StaleRevisionError(StorageError):
    """Somebody else wrote since the caller read; ``details["revision"]`` is what stands now."""

    code = "stale-revision"
    http_status = 409


class ReviewBusyError(StorageError):
    """Somebody else holds the lock; ``details["reason"]`` says how that was judged."""

    code = "REVIEW_BUSY"
    http_status = 503


class StorageUnsupportedError(StorageError):
    """The file system lacks what safe writing needs; only local file systems have it."""

    code = "STORAGE_UNSUPPORTED"
    http_status = 501


class CommitUnknownError(StorageError):
    """Nobody knows whether the last append stands. Read the log again before going on."""

    code = "RUN_COMMIT_UNKNOWN"
    http_status = 500


_JSON = {
    "json-syntax": "the text does not follow the JSON grammar",
    "json-encoding": "the bytes are not UTF-8, or start with a byte order mark",
    "json-duplicate-member": "an object names one member twice",
    "json-lone-surrogate": "a string holds half of a surrogate pair",
    "json-number-range": "a number is too large, not finite, or an integer no double holds",
    "json-negative-zero": "a negative zero where the document must survive a round trip",
    "json-depth": "more than 128 nested arrays and objects",
    "json-size": "the text is larger than the cap for this kind of document",
}
_PORTABILITY = {
    "digest-not-portable": "a member name is outside what collated order can promise",
}
_ENVELOPE = {
    "envelope-unexpected-member": "a closed object holds a member its format does not know",
    "envelope-missing-member": "a required member is absent",
    "envelope-invalid-value": "a member's value is outside what the format allows",
    "envelope-inconsistent": "two members contradict each other",
    "envelope-unsupported-version": "the format, version or kind is not one this package reads",
    "envelope-authorization-material": "a reference or identity carries a credential",
}
_IMPORT = {
    "import-target-invalid": "a claim target is missing or breaks its shape",
    "import-target-conflict": "two proposals for one claim carry different claim targets",
    "import-status-incoherent": "no import of this envelope could have written this status",
    "import-provenance-missing": "an import record does not say whether its excerpts were verified",
    "import-value-depth": "a candidate value is nested more than 100 deep",
    "import-too-large": "the import, or what derives from it, exceeds a cap",
    "import-proposal-unknown": "the record holds no proposal of that index",
    "artifact-option-invalid": "the prepared text was offered in a shape the import does not take",
}
_QUEUE = {
    "ambiguous-item-identity": "a queue names one item twice",
    "ambiguous-candidate-identity": "an item names one candidate twice",
    "queue-malformed": "this is no review queue: items lack names, or there is no items array",
}
_BINDING = {
    "binding-malformed": "the binding record breaks its shape",
    "session-name-mismatch": "the binding belongs to another session",
    "empty-queue": "there is no item in the queue",
    "item-removed": "an item named by the binding is not in the queue",
    "item-added": "the queue holds an item that the binding does not name",
    "snapshot-hash-mismatch": "the queue's content is not what was bound",
}
_EXTRACTION = {
    "import-invalid": "the import record stored with the queue does not validate",
    "import-not-grounded": "the import is unresolved, so it derives no item",
    "item-missing-from-queue": "the import derives an item that the queue lacks",
    "item-diverges-from-extraction": "an item differs from what the import derives",
    "item-not-in-extraction": "the queue holds an item that the import does not derive",
}
_AUDIT = {
    "audit-options-invalid": "the rate is not in (0, 1], or the seed is no stable identity",
    "audit-sample-empty": "the draw selected no item",
    "invalid-session-conditions": "presentation or sampling breaks its shape",
}
_DECISION = {
    "decision-not-recordable": "the item has no candidate for this kind, or too many",
    "invalid-conflict-selection": "a choice names one proposed candidate of an item with rivals",
    "reason-missing": "could-not-confirm needs a reason",
    "resolution-inconsistent": "status and resolution of a decision contradict each other",
    "edited-value-not-editable": "the item does not take an edited value",
    "edited-value-type-mismatch": "an edited value does not fit the item's type",
    "ALREADY_DECIDED": "the item has a decision; replacing one has to be asked for",
    "unknown-review-item": "the queue holds no item of that name",
    "action-mapping-failed": "results could not be turned into actions",
    "decision-mode-violation": "the producer's decision mode does not take the decision",
    "decision-malformed": "a decision or its parts break their shape",
}
_SESSION = {
    "session-malformed": "a session file, snapshot or event breaks its shape",
    "session-single-file": "the session holds its events in one file; convert it before deciding",
    "seeded-snapshot": "the snapshot already holds decisions, which no event accounts for",
    "invalid-events": "the events do not fit the snapshot",
    "unattested-queue": "the queue is not the one the session was bound to",
    "unattested-extraction-queue": "the queue is not what its extraction import derives",
}
_ROUNDS = {
    "round-items-invalid": "items, slots or version ids of a round break their shape or repeat",
    "carry-policy-invalid": "a carry policy asks for what cannot be carried",
    "carry-forward-invalid": "a carry-forward record breaks its shape or is not its own id",
    "supersession-invalid": "a supersession breaks its shape, crosses slots or is not its own id",
    "field-state-input-invalid": "field-state input breaks its shape or speaks of an item twice",
}
_VERIFICATION = {
    "verification-input-invalid": "the input or verdict of a verification breaks its shape",
    "verification-record-invalid": "a stored verification breaks its shape or is not its own id",
}
_FILES = {
    "STORAGE_FAILED": "the operating system refused a file operation; nothing was changed",
    "file-not-found": "no file of that name",
    "file-refused": "the name leads to a link, a directory, a device or a pipe",
    "file-too-large": "the file exceeds the cap for this kind of document",
    "file-exists": "another file has that name; nothing is replaced unless asked for",
}
_LOG = {
    "RUN_EVENTS_BROKEN": "the event log is missing, or a line does not follow from those before it",
}
_LOG_LIMIT = {
    "RUN_EVENTS_FULL": "the append would take the event log over its cap; nothing was written",
    "RUN_FILE_TOO_LARGE": "a stored file exceeds its cap",
}
_STALE = {
    "stale-revision": "the log has moved on since it was read; nothing was written",
}
_BUSY = {
    "REVIEW_BUSY": "the lock was not obtained in the time allowed",
}
_UNSUPPORTED = {
    "STORAGE_UNSUPPORTED": "the file system has no locks or no hard links",
}
_UNKNOWN = {
    "RUN_COMMIT_UNKNOWN": "an append failed and could not be taken back",
}

_CLASSES: Final[tuple[tuple[type[SurveyError], Mapping[str, str]], ...]] = (
    (JsonError, _JSON),
    (NotPortableError, _PORTABILITY),
    (EnvelopeError, _ENVELOPE),
    (ImportRefusedError, _IMPORT),
    (QueueError, _QUEUE),
    (UnattestedReviewQueueError, _BINDING),
    (UnattestedExtractionQueueError, _EXTRACTION),
    (AuditError, _AUDIT),
    (DecisionError, _DECISION),
    (SessionError, _SESSION),
    (RoundError, _ROUNDS),
    (VerificationError, _VERIFICATION),
    (FileError, _FILES),
    (LogError, _LOG),
    (LogLimitError, _LOG_LIMIT),
    (StaleRevisionError, _STALE),
    (ReviewBusyError, _BUSY),
    (StorageUnsupportedError, _UNSUPPORTED),
    (CommitUnknownError, _UNKNOWN),
)

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {code: meaning for _, codes in _CLASSES for code, meaning in codes.items()}
)
"""Every code with its meaning in one line."""

_CLASS_OF: Final[Mapping[str, type[SurveyError]]] = MappingProxyType(
    {code: cls for cls, codes in _CLASSES for code in codes}
)


def refusal(
    code: str,
    message: str,
    pointer: str | None = None,
    details: Mapping[str, Any] | None = None,
) -> SurveyError:
    """The refusal that belongs to ``code``. Raises KeyError for a code that is not in ``CODES``."""
    return _CLASS_OF[code](message, pointer, details, code)
