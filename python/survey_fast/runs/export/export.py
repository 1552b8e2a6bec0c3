"""The reviewed export of a run: every check in one order, then one document.

1. The run is read whole, under the shared lock. A queue that its extraction does not derive is
   refused here as ``EXPORT_UNATTESTED_QUEUE``.
2. What is wrong with the round refuses the whole export: in this order, scores that are withheld,
   text that was not read, words of a recheck that are not in the text, text that must not leave
   (in the envelope), an extraction that is not grounded, an empty recheck of an extraction that
   has something, an envelope that was never bound, a field without an item, decisions that do not
   hold.
3. What is wrong with one claim leaves that claim out and is listed; when nothing is left, the
   first of them is the refusal.
4. The document is one line of canonical JSON, scanned whole before it is handed out. The same run
   gives the same bytes.
5. A run takes several times the memory of its queue, and so does its export before it is text. What
   is not needed any more is let go: the run once its round is read, the round once its bundle is
   made, and each record of that once it is text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from survey_fast.canon import plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE, ENVELOPE
from survey_fast.review.conditions import is_score_withheld
from survey_fast.runs.disclosure import require_undisclosed
from survey_fast.runs.export.coverage import require_whole_extraction
from survey_fast.runs.export.leaving import Leave
from survey_fast.runs.export.round import (
    Reviewed,
    decided_round,
    export_decided,
    is_recheck,
    read_origin,
    require_no_lost_field,
)
from survey_fast.runs.export.writing import Outgoing, written
from survey_fast.runs.opened import Metadata, Run, open_run
from survey_fast.storage import COMMAND_WAIT, SYSTEM, FilePath, Files
from survey_fast.trust.export_scope import export_document

__all__ = ["Exported", "Unwritten", "export_run", "make_export", "require_exportable"]

_PARTIAL: Final = 3
_SCOPE: Final = "reviewRound"


@dataclass(frozen=True)
class Exported:
    """An export that may leave. Nothing but its text is kept of the document.

    Attributes:
        text: the document as it is written, its line feed included.
        members: where in the text, in bytes, the value of each member of the document stands.
        run: the run's resource.
        generated_at: the time of its newest event.
        statuses: how many claims have each status.
        grounding: the receipt of the grounding without its lists: ``outcome``, ``message`` and
            the like.
        without_evidence: by item name, why no evidence could be written for an item.
    """

    text: bytes
    members: Mapping[str, slice]
    run: str
    generated_at: str
    statuses: Mapping[str, int]
    grounding: Mapping[str, Any]
    without_evidence: Mapping[str, SurveyError]

    @property
    def document(self) -> Mapping[str, Any]:
        """The document as plain data, read from the text each time it is asked for."""
        document: Mapping[str, Any] = plain_data(self.text)  # type: ignore[assignment]
        return document

    @cached_property
    def scope(self) -> Mapping[str, Any]:
        """What the export covers, read from the text when it is first asked for."""
        scope: Mapping[str, Any] = plain_data(self.text[self.members[_SCOPE]])  # type: ignore[assignment]
        return scope

    @cached_property
    def claim_ids(self) -> Mapping[str, str]:
        """The claim of each item by its name."""
        return {one["reviewItemName"]: one["claimId"] for one in self.scope["decisions"]}

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out and no verified claim was refused."""
        return self.scope["complete"] and "groundingRefused" not in self.scope

    @property
    def exit_code(self) -> int:
        """0 for a whole export, else 3."""
        return 0 if self.is_whole else _PARTIAL


@dataclass(frozen=True, slots=True)
class Unwritten:
    """An export that was made and is no text yet. It can still be refused.

    Attributes:
        outgoing: the document, which is gone once it was written.
        leave: what of it may leave although a rule refuses it.
        max_bytes: most bytes of its text.
        run: the run's resource.
        generated_at: the time of its newest event.
        without_evidence: by item name, why no evidence could be written for an item.
    """

    outgoing: Outgoing
    leave: Leave
    max_bytes: int
    run: str
    generated_at: str
    without_evidence: Mapping[str, SurveyError]

    @property
    def document(self) -> Mapping[str, Any]:
        """The document as plain data.

        It was not scanned yet: what is made of it is not for anybody to see before :meth:`write`
        has passed. What somebody holds of it meanwhile makes no room for its text.

        Raises:
            ValueError: it was written.
        """
        return self.outgoing.document

    @collector_paused()
    def write(self) -> Exported:
        """Write the document, and scan what is written. The document is gone afterwards.

        Raises:
            ExportError: ``EXPORT_TOO_LARGE``.
            RunError: ``DISCLOSURE_REFUSED``.
            ValueError: it was written before.
        """
        statuses, grounding = _statuses(self.document), _receipt(self.document)
        text, members = written(
            self.outgoing, self.leave, what="the export", max_bytes=self.max_bytes
        )
        return Exported(
            text=text,
            members=members,
            run=self.run,
            generated_at=self.generated_at,
            statuses=statuses,
            grounding=grounding,
            without_evidence=self.without_evidence,
        )


def _statuses(document: Mapping[str, Any]) -> Mapping[str, int]:
    return Counter(claim["status"] for claim in document["bundle"]["claims"])


def _receipt(document: Mapping[str, Any]) -> Mapping[str, Any]:
    receipt = document["reviewedGrounding"]
    return {name: value for name, value in receipt.items() if not isinstance(value, list)}


@collector_paused()
def export_run(
    path: FilePath,
    *,
    allow_disclosure: Iterable[str] = (),
    max_bytes: int | None = None,
    wait: float = COMMAND_WAIT,
    files: Files = SYSTEM,
) -> Exported:
    """Export what is decided in the run at ``path``; no file is written.

    Args:
        path: the run directory.
        allow_disclosure: findings of the scan that may leave, each ``RULE@POINTER`` into the
            envelope.
        max_bytes: most bytes of the document, 256 MiB unless given, 1 GiB at most.
        wait: seconds to wait for a writer.
        files: the file system.

    Raises:
        SurveyError: as :func:`make_export` and :meth:`Unwritten.write`.
        ValueError: ``max_bytes`` is no cap of an export.
    """
    made = make_export(
        path, allow_disclosure=allow_disclosure, max_bytes=max_bytes, wait=wait, files=files
    )
    return made.write()


@collector_paused()
def make_export(
    path: FilePath,
    *,
    allow_disclosure: Iterable[str] = (),
    max_bytes: int | None = None,
    wait: float = COMMAND_WAIT,
    files: Files = SYSTEM,
) -> Unwritten:
    """Make the export of the run at ``path``, for those who look at it before it is text.

    Args: as :func:`export_run`.

    Raises:
        SurveyError: as :func:`survey_fast.runs.opened.open_run`; ``scores-withheld``.
        RunError: ``DISCLOSURE_REFUSED`` (of the envelope), ``INVALID_EVENTS``,
            ``REVIEW_ATTRIBUTION_INVALID``.
        ExportError: the codes of the module's order.
        ValueError: ``max_bytes`` is no cap of an export.
    """
    most = BUNDLE.resolve(max_bytes)
    run = _opened(path, wait, files)
    record: Any = plain_data(run.imported.record_bytes)
    leave = _checked_round(run, record, allow_disclosure)
    origin = read_origin(run, record)
    del record
    require_no_lost_field(origin.context)
    reviewed = Reviewed.of(run)
    del run
    decided = decided_round(reviewed)
    del reviewed
    made = export_decided(decided, origin)
    if leave.allowed:
        made.scope["allowedDisclosures"] = [one.to_json() for one in leave.allowed]
    return Unwritten(
        outgoing=Outgoing(export_document(made.export, made.scope)),
        leave=leave,
        max_bytes=most,
        run=decided.resource,
        generated_at=made.generated_at,
        without_evidence={
            name: _untraced(why) for name, why in made.export.without_evidence.items()
        },
    )


def _untraced(fault: SurveyError) -> SurveyError:
    """A fault without the frames that it came through, which hold what evidence was made of."""
    fault.__context__ = None
    return fault.with_traceback(None)


def _opened(path: FilePath, wait: float, files: Files) -> Run:
    """Rule 1."""
    try:
        return open_run(path, read_shared_lock=True, wait=wait, files=files, is_shown=True)
    except SurveyError as fault:
        if fault.code != "REVIEW_QUEUE_UNATTESTED":
            raise
        code = "EXPORT_UNATTESTED_QUEUE"
        raise refusal(code, fault.message, fault.pointer, fault.details) from None


def _checked_round(run: Run, record: Mapping[str, Any], asked: Iterable[str]) -> Leave:
    """Rule 2 as far as the decisions; what of the envelope may leave all the same."""
    if is_score_withheld(run.state, run.log.events):
        message = (
            "this round is score-blind and not over; complete it once everything is decided, "
            "and then export it"
        )
        raise refusal("scores-withheld", message, "")
    result = record["spec"]["envelope"]["result"]
    require_whole_extraction(result)
    mismatched = _mismatched(run, result)
    if is_recheck(run) and mismatched:
        message = "words of this recheck do not stand at their place in the text"
        raise refusal("EXPORT_EXCERPT_MISMATCH", message, None, {"fieldPaths": mismatched})
    stored = run.artifacts.envelope
    leave = Leave.of(stored, asked)
    require_undisclosed(
        stored, what="the extraction", allowed=leave.allowed, max_bytes=ENVELOPE.ceiling
    )
    require_exportable(run, proposals=len(result["proposals"]))
    return leave


def _mismatched(run: Run, result: Mapping[str, Any]) -> list[str]:
    """Fields of proposals whose words are not in the text."""
    named = [
        result["proposals"][one["proposalIndex"]]["fieldPath"]
        for one in run.imported.status["diagnostics"]
        if one["kind"] == "excerpt-mismatch"
    ]
    return list(dict.fromkeys(named))


def require_exportable(run: Metadata, *, proposals: int) -> None:
    """Refuse a run whose claims nothing could carry.

    Raises:
        ExportError: ``EXPORT_UNGROUNDED``, ``EXPORT_UNATTESTED_QUEUE``,
            ``EXPORT_UNBOUND_ENVELOPE``.
    """
    status = run.imported.status
    if status["state"] != "grounded":
        message = "the extraction does not stand in its text, so nothing of it can be claimed"
        details = {"diagnostics": status["diagnostics"]}
        raise refusal("EXPORT_UNGROUNDED", message, None, details)
    if proposals and not run.state["items"] and is_recheck(run):
        message = "the queue is empty although the extraction has proposals; it certifies nothing"
        raise refusal("EXPORT_UNATTESTED_QUEUE", message)
    if run.blocked is not None:
        message = "the run was taken over without ever having bound its envelope; it is only read"
        raise refusal("EXPORT_UNBOUND_ENVELOPE", message)
