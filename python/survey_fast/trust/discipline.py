"""What a producer owes before a claim may be trusted.

In this order; the first that is not met is raised:

1. a review's resolution goes with its status, and one that could not confirm is complete;
2. what could not be confirmed leaves the claim neither verified nor rejected;
3. on a conflict or an escalated set it leaves the claim disputed;
4. a verified or assumed claim has a review, which says who and when;
5. whatever did not come from manual entry has a locator, whatever its status.

That claim and review agree is judged between 4 and 5, in :mod:`survey_fast.trust.agreement`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decision_record import resolution_issue

__all__ = ["TRUSTED", "UNCONFIRMED", "require_locator", "require_review_discipline"]

TRUSTED: Final = frozenset({"verified", "assumed"})
"""Statuses that say a value may be relied on."""
UNCONFIRMED: Final = "could_not_confirm"
_OPEN_SETS: Final = ("conflict", "escalated")
Record: TypeAlias = Mapping[str, Any]


def require_review_discipline(
    *, status: str, set_status: str, review: Record | None, pointer: str
) -> None:
    """Rules 1 to 4 for one claim.

    Args:
        status: the status that the claim is to have.
        set_status: the status of its candidate set.
        review: the review that governs it, if it has one.
        pointer: leads to the claim.

    Raises:
        DecisionError: ``resolution-inconsistent``.
        ProjectionError: ``resolution-status-conflict``, ``conflict-not-disputed``,
            ``review-missing``, ``review-actor-missing``, ``review-time-missing``.
    """
    if review is not None and "resolution" in review:
        issue = resolution_issue(review)
        if issue is not None:
            raise refusal(issue.code, issue.message, pointer)
        if review["resolution"] == UNCONFIRMED:
            _require_open(status, set_status, pointer)
    if status in TRUSTED:
        _require_reviewed(review, pointer)


def _require_open(status: str, set_status: str, pointer: str) -> None:
    if status in ("verified", "rejected"):
        message = f"what could not be confirmed is not {status}"
        raise refusal("resolution-status-conflict", message, pointer)
    if set_status in _OPEN_SETS and status != "disputed":
        message = f"a set in {set_status} that could not be confirmed leaves its claim disputed"
        raise refusal("conflict-not-disputed", message, pointer)


def _require_reviewed(review: Record | None, pointer: str) -> None:
    if review is None:
        message = "a verified or assumed claim needs a review"
        raise refusal("review-missing", message, pointer)
    if not _is_told(review.get("actor")):
        message = "the review of a verified or assumed claim says who reviewed it"
        raise refusal("review-actor-missing", message, pointer)
    if not _is_told(review.get("reviewedAt")):
        message = "the review of a verified or assumed claim says when that was"
        raise refusal("review-time-missing", message, pointer)


def _is_told(text: str | None) -> bool:
    return text is not None and has_content(text)


def require_locator(source_kind: str, locator: str | None, pointer: str) -> None:
    """Rule 5 for one extraction. Raises ProjectionError (``locator-missing``)."""
    if not locator and source_kind != "manual-entry":
        raise _no_locator(source_kind, pointer)


def _no_locator(source_kind: str, pointer: str) -> SurveyError:
    message = f"what was read from a {source_kind} says where it stands"
    return refusal("locator-missing", message, pointer)
