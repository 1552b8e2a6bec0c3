"""Opening a random audit: a score-blind round over a drawn sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from survey_fast.audit.draw import draw_random_audit_sample
from survey_fast.errors import refusal
from survey_fast.limits import DEFAULT, ImportLimits
from survey_fast.review import open_review_queue

__all__ = ["open_random_audit_session"]


def open_random_audit_session(
    items: Sequence[Mapping[str, Any]],
    *,
    rate: float,
    seed: str,
    reviewed_at: str,
    actor_id: str,
    limits: ImportLimits = DEFAULT,
) -> dict[str, Any]:
    """The snapshot of a score-blind round over the items that ``rate`` and ``seed`` draw.

    Arguments and refusals are those of the draw and of ``open_review_queue``; a draw that
    selects nothing is refused with ``audit-sample-empty``.
    """
    sample = draw_random_audit_sample(items, rate=rate, seed=seed)
    if not sample:
        message = (
            f"rate {rate} with seed {seed!r} selects none of {len(items)} items; raise the rate"
        )
        raise refusal("audit-sample-empty", message, "")
    return open_review_queue(
        [dict(item) for item in sample],
        reviewed_at=reviewed_at,
        actor_id=actor_id,
        presentation={"scoreBlind": True},
        sampling={"kind": "random-audit", "rate": rate, "seed": seed},
        limits=limits,
    )
