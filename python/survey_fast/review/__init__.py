"""Review rounds."""

from survey_fast.review.conditions import check_conditions
from survey_fast.review.queue import open_review_queue

__all__ = ["check_conditions", "open_review_queue"]
