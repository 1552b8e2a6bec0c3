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
    "BundleError",
    "CommitUnknownError",
    "DecisionError",
    "EnvelopeError",
    "EvidenceError",
    "ExportError",
    "ExtractionError",
    "FileError",
    "ImportRefusedError",
    "JsonError",
    "LogError",
    "LogLimitError",
    "NotPortableError",
    "ProjectionError",
    "QueueError",
    "ReviewBusyError",
    "RoundError",
    "RunConflictError",
    "RunError",
    "RunNotFoundError",
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


class ProjectionError(SurveyError):
    """Reviewed items, or records made of them, cannot become a trust bundle."""

    code = "survey-input-invalid"


class BundleError(SurveyError):
    """A trust bundle breaks its format, or contradicts itself."""

    code = "bundle-not-object"


class ExtractionError(SurveyError):
    """A task, a source or a provider cannot give what a review could be opened over."""

    code = "EXTRACTION_FAILED"


class EvidenceError(SurveyError):
    """Reviewed evidence, or what it is made from or judged by, cannot be used."""

    code = "evidence-malformed"


class FileError(SurveyError):
    """A file could not be read or published safely."""

    code = "STORAGE_FAILED"


class RunError(SurveyError):
    """A run directory cannot be used, or may not be exported; the base of what follows."""

    code = "INVALID_RUN"


class RunNotFoundError(RunError):
    """There is no run where one was looked for."""

    code = "RUN_NOT_FOUND"
    http_status = 404


class RunConflictError(RunError):
    """The parts of a run do not agree with one another, or a caller's copy with the run."""

    code = "REVIEW_BINDING_BROKEN"
    http_status = 409


class ExportError(RunError):
    """A run, or nothing of it, can be exported; ``details["excluded"]`` lists single claims."""

    code = "EXPORT_NOT_PROJECTABLE"


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
    "calibration-input-invalid": "this holds no labels that calibration reads, or they are broken",
}
_DECISION = {
    "decision-not-recordable": "the item has no candidate for this kind, or too many",
    "invalid-conflict-selection": "a choice names one proposed candidate of an item with rivals",
    "reason-missing": "could-not-confirm needs a reason",
    "resolution-inconsistent": "status and resolution of a decision contradict each other",
    "edited-value-not-editable": "the item does not take an edited value",
    "edited-value-type-mismatch": "an edited value does not fit the item's type",
    "edited-value-depth": "an edited value is nested more than 100 deep",
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
    "scores-withheld": "a score-blind round is not over, and what was asked for holds scores",
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
_PROJECTION = {
    "reviewed-source-blank": "reviewed input needs a source that is not blank",
    "reviewed-generated-at-invalid": "the time of generation is no time",
    "projection-context-invalid": "a projection context id is letters, digits and . _ : -",
    "ambiguous-result-identity": "two results or carried decisions are about one item",
    "reviewed-count-mismatch": "there are more or fewer results than items",
    "reviewed-result-missing": "an item has neither a result nor a carried decision",
    "selection-not-empty": "a result about several candidates selects one all the same",
    "selection-mismatch": "what a result selects is not what the item holds",
    "unselected-mismatch": "the unselected candidates are not the rest of the item",
    "decision-mismatch": "a result contradicts the decision that it holds",
    "conflict-accepted": "one value of a conflict was accepted without being chosen",
    "passed-over-mismatch": "a decision does not record exactly the values it passed over",
    "resolution-mismatch": "kind and resolution of a decision do not belong together",
    "effective-value-mismatch": "the effective value is neither the edit nor the candidate's",
    "claim-target-mismatch": "candidates of one item are about different claims",
    "candidate-provenance-missing": "a candidate does not say where its value comes from",
    "candidate-set-id-mismatch": "candidates of one item belong to different candidate sets",
    "claim-id-mismatch": "one item is given different claim ids",
    "record-conflict": "two records with one id differ",
    "carried-record-mismatch": "a carried decision is not the one that its record names",
    "carried-item-mismatch": "a carried decision does not fit the item that it was carried to",
    "survey-input-invalid": "records of the input contradict each other or themselves",
    "review-missing": "a trusted claim has no review",
    "review-actor-missing": "the review of a trusted claim names no reviewer",
    "review-time-missing": "the review of a trusted claim has no time",
    "resolution-status-conflict": "a claim that could not be confirmed is stated as settled",
    "conflict-not-disputed": "a conflict that could not be confirmed is not disputed",
    "locator-missing": "a value that was not entered by hand has no locator",
    "status-mismatch": "the status of a claim is not what its review came to",
    "value-mismatch": "the value of a trusted claim is not the one that was reviewed",
    "ambiguous-review-order": "reviews cannot be put in order, so none of them governs",
    "candidate-not-selected": "a review names a candidate of a set that selects none",
    "unknown-evidence": "a review names evidence that its claim does not have",
    "interpretation-target": "an interpretation is not about exactly one claim",
    "interpretation-anchor": "a standard is read from a source that is none",
    "projection-id-conflict": "two records of the bundle would have one id",
    "projection-time-out-of-range": "there is no later time to give to an event",
    "auto-accept-options-invalid": "what is to be accepted by rule breaks its shape",
}
_BUNDLE = {
    "bundle-not-object": "a trust bundle is an object, and this document is none",
    "schema-version": "the schemaVersion is not one of those that are read, or written",
    "missing-string": "a string is absent, empty, or something else",
    "missing-array": "an array is absent, something else, or has too few or too many elements",
    "unknown-member": "a record holds a member that its format does not know",
    "bad-enum": "a value is none of the words that may stand there",
    "bad-time": "a value is no instant: a date that exists, a time and a zone",
    "bad-number": "a value is no number, or none that may stand there",
    "bad-type": "an object, a truth value or any value at all is missing, or of another type",
    "null-member": "a member is null, which is not the same as absent",
    "unknown-reference": "an id names no record of the bundle, or one that may not be named there",
    "self-derivation": "a claim is derived from itself",
    "duplicate-id": "two records of one kind share an id",
    "version-too-low": "a member needs a later schemaVersion than the bundle declares",
    "inconclusive-shape": "inconclusive evidence breaks its shape, or claims to support or to pass",
    "confidence-shape": "a confidence lies outside 0 to 1, its interval, or lacks its calibration",
}
_EXTRACTING = {
    "INVALID_TASK": "the task, or its task spec, breaks its shape or contradicts itself",
    "INVALID_SOURCE": "the source cannot be prepared into text as asked",
    "source-too-large": "the source has more bytes than are prepared",
    "prepared-too-large": "the prepared text is longer than 5,000,000 UTF-16 code units",
    "extraction-too-large": "text, proposals, or telling their occurrences apart exceeds a cap",
    "preparation-version-unknown": "the version of a library that shapes the text cannot be told",
    "EXTRACTION_FAILED": "the provider gave nothing that can be used",
    "EXTRACTION_UNGROUNDED": "the extraction does not stand in the text it was made from",
    "provider-options-invalid": "a provider is set up in a way in which no call can succeed",
    "extra-not-installed": "an optional part of the package is needed and not installed",
}
_EVIDENCE = {
    "evidence-malformed": "reviewed evidence, or its input, breaks its shape",
    "evidence-profile-unsupported": "a profile that is unknown or takes other items than this",
    "evidence-record-invalid": "an import record is not one that evidence can rest on",
    "evidence-artifact-invalid": "a prepared artifact or its state contradicts itself",
    "evidence-proposal-unknown": "the import record holds no proposal of that index",
    "evidence-span-invalid": "locator, excerpt and occurrence of a proposal do not agree",
    "empty-excerpt": "evidence rests on an excerpt without a character",
    "evidence-identity-unsafe": "an identity carries or resembles a credential",
    "evidence-reference-unsafe": "a reference to a source carries authorization",
    "evidence-review-missing": "item and decision are absent, or one without the other",
    "evidence-item-mismatch": "a review item or candidate differs from the proposal it stands for",
    "evidence-decision-invalid": "a decision is about another item or contradicts itself",
    "evidence-choice-invalid": "candidates, the choice among them and the proposal do not agree",
    "evidence-tampered": "an item of evidence is not what its own input gives",
    "sidecar-mismatch": "an import record in a bundle is not the one its digest names",
    "import-record-unresolved": "nobody holds the import record that evidence refers to",
    "grounding-input-malformed": "policy, claims, evidence or source states break their shape",
}
_RUN = {
    "INVALID_RUN": "a run's manifest breaks its shape or contradicts itself",
    "RUN_PATH_REFUSED": "a run, or a file of it, is a link, a device, or has a second name",
    "RUN_PREPARED_MISMATCH": "the prepared text is not the one that was extracted from",
    "RUN_ENVELOPE_INVALID": "the stored envelope is no extraction envelope",
    "RUN_ENVELOPE_UNBOUND": "the run was made without binding its envelope, so it is only read",
    "INVALID_EVENTS": "the events of a run are no valid history of its queue",
    "REVIEW_ATTRIBUTION_INVALID": "a host's stamp and the decision it is on do not agree",
    "DISCLOSURE_REFUSED": "a document holds text that must not leave: a path, a credential",
    "run-not-importable": "a stored run is of a kind that is not taken over",
}
_NO_RUN = {
    "RUN_NOT_FOUND": "there is no run at that place",
}
_RUN_CONFLICT = {
    "RUN_EXISTS_DIFFERENT": "another run, or a damaged one, stands at the place of this one",
    "RUN_ENVELOPE_MISMATCH": "the envelope is not the one that the run was made with",
    "RUN_EXTRACTION_MISMATCH": "what the envelope imports to is not what the run was made with",
    "REVIEW_BINDING_BROKEN": "the queue is not the one that the round was opened over",
    "REVIEW_QUEUE_UNATTESTED": "the queue is not what the run's extraction derives",
    "REVIEW_CONFLICT": "the run has moved on, or the history handed in is not its own",
}
_EXPORT = {
    "EXPORT_COVERAGE_INCOMPLETE": "the extraction did not read all of the text",
    "EXPORT_TOO_LARGE": "the export would have more bytes than allowed",
    "EXPORT_EXCERPT_MISMATCH": "every proposal of a field lacks its words in the text",
    "EXPORT_UNATTESTED_QUEUE": "the queue is not what the run's extraction derives",
    "EXPORT_UNBOUND_ENVELOPE": "the run was made without binding its envelope",
    "EXPORT_UNRESOLVABLE_DECISION": "a decision names what the queue does not hold",
    "EXPORT_UNDECIDED": "an item is not decided",
    "EXPORT_FIELD_UNSETTLED": "another item about the same claim is not decided",
    "EXPORT_UNGROUNDED_SELECTION": "the chosen value stands nowhere in the text",
    "EXPORT_CONFLICTING_DECISIONS": "two accepted values of one claim differ",
    "EXPORT_NOT_PROJECTABLE": "nothing of the run, or not this claim, can be projected",
    "EXPORT_UNGROUNDED": "the extraction does not stand in its text",
    "EXPORT_INVALID_BUNDLE": "the bundle would not pass its own validation; nothing was written",
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
    (ProjectionError, _PROJECTION),
    (BundleError, _BUNDLE),
    (ExtractionError, _EXTRACTING),
    (EvidenceError, _EVIDENCE),
    (RunError, _RUN),
    (RunNotFoundError, _NO_RUN),
    (RunConflictError, _RUN_CONFLICT),
    (ExportError, _EXPORT),
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
