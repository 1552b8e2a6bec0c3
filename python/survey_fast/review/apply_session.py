"""The one-call form for a server: a session in, a result out, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from survey_fast.canon import Document, document_bytes
from survey_fast.errors import (
    SurveyError,
    UnattestedExtractionQueueError,
    UnattestedReviewQueueError,
)
from survey_fast.review.apply import ApplyResult, Required, foreign_issues, mode_issues
from survey_fast.review.issues import EventIssue
from survey_fast.review.session_file import SessionDocument, read_session

__all__ = ["apply_review_session"]


def apply_review_session(
    session_file: Document | SessionDocument,
    *,
    required: Required = "none",
    allow_seeded: bool = False,
    enforce_producer_policy: bool = False,
    expected_revision: str | None = None,
) -> ApplyResult:
    """Apply a whole session in one call; what is wrong with it is in the result, not raised.

    Args:
        session_file: a session with its events inside, or one that was loaded with its log.
        required: ``none``, ``any`` or ``all`` items have to be decided.
        allow_seeded: take decisions that the snapshot already holds.
        enforce_producer_policy: hold results against the decision mode of their items.
        expected_revision: the token the caller read; nothing is derived from a session that has
            moved on since, or back.

    Returns:
        The derivation, or the first refusal as an issue: ``session-malformed`` and the codes of
        the reader, ``stale-revision``, ``unattested-queue``, ``unattested-extraction-queue``,
        ``seeded-snapshot``, ``session-name-mismatch``, ``invalid-events`` followed by every
        finding.

    Raises:
        TypeError, ValueError: wrong Python types, an unknown ``required``.
    """
    try:
        document = (
            session_file
            if isinstance(session_file, SessionDocument)
            else read_session(document_bytes(session_file))
        )
        if expected_revision is not None and expected_revision != document.revision:
            message = f"the session is at {document.revision}; read it again before going on"
            return ApplyResult(ok=False, issues=(EventIssue("stale-revision", message),))
        foreign = foreign_issues(document.events, document.name)
        if foreign:
            return ApplyResult(ok=False, issues=tuple(foreign))
        result = document.apply(required=required, allow_seeded=allow_seeded)
    except SurveyError as refused:
        code = _CODES.get(type(refused), refused.code)
        issue = EventIssue(code, refused.message, pointer=refused.pointer)
        return ApplyResult(ok=False, issues=(issue,))
    if result.replayed_session is None:
        first = EventIssue("invalid-events", "the events are no valid history of this queue")
        return replace(result, issues=(first, *result.issues))
    if enforce_producer_policy:
        found = mode_issues(result, document.state["items"])
        return replace(result, ok=result.ok and not found, issues=(*result.issues, *found))
    return result


_CODES: Final[Mapping[type[SurveyError], str]] = {
    UnattestedReviewQueueError: "unattested-queue",
    UnattestedExtractionQueueError: "unattested-extraction-queue",
}
