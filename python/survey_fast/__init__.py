"""Import, review, attest and export what a model extracted.

The names below are the public face; each is loaded when it is first used, so that a command
which needs one of them does not pay for the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from survey_fast.attest import (
        Attestation,
        Issue,
        assert_review_queue_against_extraction_import,
        assert_review_queue_binding,
        attest_review_queue_extraction,
        bind_review_queue,
        validate_review_queue_against_extraction_import,
        validate_review_queue_binding,
    )
    from survey_fast.audit import draw_random_audit_sample, open_random_audit_session
    from survey_fast.canon import canonical_digest, canonical_json
    from survey_fast.errors import SurveyError
    from survey_fast.imports import (
        ImportResult,
        available_artifact,
        excluded_indices,
        export_import,
        import_envelope,
        import_from_bound_status,
        reimport,
        resolution_identity,
        review_items,
        validate_import,
    )
    from survey_fast.imports.verification import (
        build_candidate_verification,
        fold_candidate_verifications,
        run_support_verifier,
        validate_candidate_verification,
        value_digest,
    )
    from survey_fast.limits import ImportLimits
    from survey_fast.review import open_review_queue
    from survey_fast.review.apply import ApplyResult, derive_review_session_apply_result
    from survey_fast.review.apply_session import apply_review_session
    from survey_fast.review.decision_record import build_review_decision
    from survey_fast.review.decisions import candidate_for_decision, conflict_selection_issue
    from survey_fast.review.events import build_review_session_events
    from survey_fast.review.replay import (
        replay_review_session_events,
        validate_review_session_events,
    )
    from survey_fast.rounds import (
        decision_reference,
        derive_field_states,
        split_round_for_carry_forward,
    )

_HOME: Final = {
    "Attestation": "attest",
    "Issue": "attest",
    "assert_review_queue_against_extraction_import": "attest",
    "assert_review_queue_binding": "attest",
    "attest_review_queue_extraction": "attest",
    "bind_review_queue": "attest",
    "validate_review_queue_against_extraction_import": "attest",
    "validate_review_queue_binding": "attest",
    "draw_random_audit_sample": "audit",
    "open_random_audit_session": "audit",
    "canonical_digest": "canon",
    "canonical_json": "canon",
    "SurveyError": "errors",
    "ImportResult": "imports",
    "available_artifact": "imports",
    "excluded_indices": "imports",
    "export_import": "imports",
    "import_envelope": "imports",
    "import_from_bound_status": "imports",
    "reimport": "imports",
    "resolution_identity": "imports",
    "review_items": "imports",
    "validate_import": "imports",
    "build_candidate_verification": "imports.verification",
    "fold_candidate_verifications": "imports.verification",
    "run_support_verifier": "imports.verification",
    "validate_candidate_verification": "imports.verification",
    "value_digest": "imports.verification",
    "ImportLimits": "limits",
    "open_review_queue": "review",
    "ApplyResult": "review.apply",
    "derive_review_session_apply_result": "review.apply",
    "build_review_decision": "review.decision_record",
    "candidate_for_decision": "review.decisions",
    "conflict_selection_issue": "review.decisions",
    "build_review_session_events": "review.events",
    "replay_review_session_events": "review.replay",
    "validate_review_session_events": "review.replay",
    "apply_review_session": "review.apply_session",
    "decision_reference": "rounds",
    "derive_field_states": "rounds",
    "split_round_for_carry_forward": "rounds",
}

__all__ = [
    "ApplyResult",
    "Attestation",
    "ImportLimits",
    "ImportResult",
    "Issue",
    "SurveyError",
    "apply_review_session",
    "assert_review_queue_against_extraction_import",
    "assert_review_queue_binding",
    "attest_review_queue_extraction",
    "available_artifact",
    "bind_review_queue",
    "build_candidate_verification",
    "build_review_decision",
    "build_review_session_events",
    "candidate_for_decision",
    "canonical_digest",
    "canonical_json",
    "conflict_selection_issue",
    "decision_reference",
    "derive_field_states",
    "derive_review_session_apply_result",
    "draw_random_audit_sample",
    "excluded_indices",
    "export_import",
    "fold_candidate_verifications",
    "import_envelope",
    "import_from_bound_status",
    "open_random_audit_session",
    "open_review_queue",
    "reimport",
    "replay_review_session_events",
    "resolution_identity",
    "review_items",
    "run_support_verifier",
    "split_round_for_carry_forward",
    "validate_candidate_verification",
    "validate_import",
    "validate_review_queue_against_extraction_import",
    "validate_review_queue_binding",
    "validate_review_session_events",
    "value_digest",
]


__version__: Final = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the names have the types declared above
    home = _HOME.get(name)
    if home is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
