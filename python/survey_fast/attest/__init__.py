"""Whether a stored queue is still the one that was opened, and the one its import derives."""

from survey_fast.attest.binding import (
    assert_review_queue_binding,
    bind_review_queue,
    validate_review_queue_binding,
)
from survey_fast.attest.extraction import (
    Attestation,
    AttestationState,
    QueueDocument,
    assert_review_queue_against_extraction_import,
    attest_review_queue_extraction,
    validate_review_queue_against_extraction_import,
)
from survey_fast.attest.issue import Issue

__all__ = [
    "Attestation",
    "AttestationState",
    "Issue",
    "QueueDocument",
    "assert_review_queue_against_extraction_import",
    "assert_review_queue_binding",
    "attest_review_queue_extraction",
    "bind_review_queue",
    "validate_review_queue_against_extraction_import",
    "validate_review_queue_binding",
]
