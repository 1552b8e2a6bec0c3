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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE, ENVELOPE
from survey_fast.review.conditions import is_score_withheld
from survey_fast.runs.disclosure import require_undisclosed
from survey_fast.runs.export.coverage import require_whole_extraction
from survey_fast.runs.export.leaving import Leave
from survey_fast.runs.export.round import (
    Reviewed,
    RoundExport,
    export_round,
    is_recheck,
    read_origin,
    require_no_lost_field,
)
from survey_fast.runs.export.writing import written
from survey_fast.runs.opened import Metadata, Run, open_run
from survey_fast.storage import COMMAND_WAIT, SYSTEM, FilePath, Files
from survey_fast.trust.export_scope import export_document

__all__ = ["Exported", "export_run", "require_exportable"]

_PARTIAL: Final = 3


@dataclass(frozen=True, slots=True)
class Exported:
    """An export that may leave.

    Attributes:
        text: the document as it is written, its line feed included.
        document: the same as plain data.
        run: the run's resource.
        generated_at: the time of its newest event.
        claim_ids: the claim of each item by its name.
        without_evidence: by item name, why no evidence could be written for an item.
    """

    text: bytes
    document: Mapping[str, Any]
    run: str
    generated_at: str
    claim_ids: Mapping[str, str]
    without_evidence: Mapping[str, SurveyError]

    @property
    def scope(self) -> Mapping[str, Any]:
        """What the export covers."""
        scope: Mapping[str, Any] = self.document["reviewRound"]
        return scope

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out and no verified claim was refused."""
        return self.scope["complete"] and "groundingRefused" not in self.scope

    @property
    def exit_code(self) -> int:
        """0 for a whole export, else 3."""
        return 0 if self.is_whole else _PARTIAL


@collector_paused()
def export_run(
    path: FilePath,
    *,
    allow_disclosure: Iterable[str] = (),
    max_bytes: int | None = None,
    wait: float = COMMAND_WAIT,
    files: Files = SYSTEM,
) -> Exported:
    """Export what is decided in the run at ``path``; nothing is written.

    Args:
        path: the run directory.
        allow_disclosure: findings of the scan that may leave, each ``RULE@POINTER`` into the
            envelope.
        max_bytes: most bytes of the document, 256 MiB unless given, 1 GiB at most.
        wait: seconds to wait for a writer.
        files: the file system.

    Raises:
        SurveyError: as :func:`survey_fast.runs.opened.open_run`; ``scores-withheld``.
        RunError: ``DISCLOSURE_REFUSED``, ``INVALID_EVENTS``, ``REVIEW_ATTRIBUTION_INVALID``.
        ExportError: the codes of the module's order; ``EXPORT_TOO_LARGE``.
        ValueError: ``max_bytes`` is no cap of an export.
    """
    most = BUNDLE.resolve(max_bytes)
    run = _opened(path, wait, files)
    leave = _checked_round(run, allow_disclosure)
    origin = read_origin(run)
    require_no_lost_field(origin.context)
    reviewed = Reviewed.of(run)
    # Queue, envelope and import as they were read are several times what is still needed of them.
    del run
    made = export_round(reviewed, origin)
    del origin
    if leave.allowed:
        made.scope["allowedDisclosures"] = [one.to_json() for one in leave.allowed]
    return _written(reviewed, made, leave, most)


def _opened(path: FilePath, wait: float, files: Files) -> Run:
    """Rule 1."""
    try:
        return open_run(path, read_shared_lock=True, wait=wait, files=files)
    except SurveyError as fault:
        if fault.code != "REVIEW_QUEUE_UNATTESTED":
            raise
        code = "EXPORT_UNATTESTED_QUEUE"
        raise refusal(code, fault.message, fault.pointer, fault.details) from None


def _checked_round(run: Run, asked: Iterable[str]) -> Leave:
    """Rule 2 as far as the decisions; what of the envelope may leave all the same."""
    if is_score_withheld(run.state, run.log.events):
        message = (
            "this round is score-blind and not over; complete it once everything is decided, "
            "and then export it"
        )
        raise refusal("scores-withheld", message, "")
    result = run.imported.record["spec"]["envelope"]["result"]
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


def _written(run: Reviewed, made: RoundExport, leave: Leave, most: int) -> Exported:
    """Rule 4."""
    document = export_document(made.export, made.scope)
    return Exported(
        text=written(document, leave, what="the export", max_bytes=most),
        document=document,
        run=run.resource,
        generated_at=made.generated_at,
        claim_ids=made.export.claim_ids,
        without_evidence=made.export.without_evidence,
    )
