"""A trusted claim says what its review came to.

1. Of several reviews of the same candidate the latest governs, whatever their order in the input.
   Where one of them has no time, or the latest instant holds different decisions, none governs and
   the claim is refused (``ambiguous-review-order``). Equal decisions of one instant count once,
   under the lowest id.
2. A claim that is stated as verified or assumed has the status of its review
   (``status-mismatch``). A weaker status may be stated.
3. The value of a trusted claim is the value that was reviewed: the edit of an accepted value, else
   the candidate's (``value-mismatch``). An edit counts beside ``accept-proposed`` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from survey_fast.canon import canonical_json, sort_names
from survey_fast.errors import refusal
from survey_fast.review.display import same_value as has_same_text
from survey_fast.review.state import ABSENT
from survey_fast.trust.discipline import TRUSTED
from survey_fast.trust.instants import Instant, instant, is_date_time

__all__ = ["accepted_edit", "governing_review", "require_agreement", "same_value"]

Record: TypeAlias = Mapping[str, Any]


def same_value(one: Any, other: Any) -> bool:  # noqa: ANN401 - plain JSON values
    """Whether two plain values have one canonical text; one thing is not compared with itself.

    Raises JsonError for a value that has no such text, and TypeError for what is no plain data.
    """
    return one is other or has_same_text(one, other)


def accepted_edit(review: Record | None) -> Any:  # noqa: ANN401 - a plain JSON value or ABSENT
    """The edited value that a review accepted, null included, or ABSENT."""
    metadata = {} if review is None else review.get("metadata", {})
    if metadata.get("workbenchDecision") != "accept-proposed":
        return ABSENT
    return metadata.get("editedValue", ABSENT)


def governing_review(reviews: Sequence[Record], pointer: str) -> Record:
    """The review that counts among those of one candidate, or of one set (rule 1).

    Args:
        reviews: at least one.
        pointer: leads to what is refused when none of them governs.

    Raises:
        ProjectionError: ``ambiguous-review-order``.
    """
    if len(reviews) == 1:
        return reviews[0]
    instants = [_instant(review, pointer) for review in reviews]
    latest = max(instants)
    last = [one for one, at in zip(reviews, instants, strict=True) if at == latest]
    if len({_decision_text(review) for review in last}) > 1:
        message = "reviews of one instant decide differently"
        raise refusal("ambiguous-review-order", message, pointer)
    lowest = sort_names([review["id"] for review in last])[0]
    return next(review for review in last if review["id"] == lowest)


def _instant(review: Record, pointer: str) -> Instant:
    text = review.get("reviewedAt")
    found = instant(text) if is_date_time(text) else None
    if found is None:
        message = "one of several reviews has no time, so they have no order"
        raise refusal("ambiguous-review-order", message, pointer)
    return found


def _decision_text(review: Record) -> bytes:
    """What a review decided; who decided it is no part of that."""
    metadata = review.get("metadata", {})
    decided = {
        "status": review["status"],
        "resolution": review.get("resolution"),
        "decision": [metadata[one] for one in ("workbenchDecision",) if one in metadata],
        "edit": [metadata[one] for one in ("editedValue",) if one in metadata],
    }
    return canonical_json(decided)


def require_agreement(
    claim: Record, *, status: str, value: object, candidate: Record, review: Record | None
) -> None:
    """Rules 2 and 3 for one claim.

    Args:
        claim: the claim target.
        status: the status it is to have.
        value: the value it is to have.
        candidate: the candidate that it stands for.
        review: the review that governs it.

    Raises:
        ProjectionError: ``status-mismatch``, ``value-mismatch``, with no pointer.
    """
    if status not in TRUSTED or review is None:
        return
    if review["status"] != status:
        message = f"the claim is {status}, its review came to {review['status']}"
        raise refusal("status-mismatch", message, None, {"claimId": claim["id"]})
    edit = accepted_edit(review)
    reviewed = candidate["value"] if edit is ABSENT else edit
    if not same_value(value, reviewed):
        message = "the claim has another value than the one that was reviewed"
        raise refusal("value-mismatch", message, None, {"claimId": claim["id"]})
