"""Import, review, attest and export what a model extracted.

The names below are the public face; each is loaded when it is first used, so that a command
which needs one of them does not pay for the others.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
# The module typing takes longer to load than everything here.
if TYPE_CHECKING:
    from typing import Any, Final

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
    from survey_fast.audit.calibration import Calibration, derive_calibration
    from survey_fast.canon import canonical_digest, canonical_json
    from survey_fast.errors import SurveyError
    from survey_fast.extraction.extraction import Extraction
    from survey_fast.extraction.langextract import (
        LangExtractOptions,
        extraction_of_langextract,
        read_langextract_lines,
    )
    from survey_fast.extraction.options import RunOptions, Stamp
    from survey_fast.extraction.plan import Wanted
    from survey_fast.extraction.prepare import Prepared, prepare
    from survey_fast.extraction.providers.function import FunctionProvider
    from survey_fast.extraction.providers.offline import OfflineProvider
    from survey_fast.extraction.providers.openai import OpenAIOptions, OpenAIProvider
    from survey_fast.extraction.providers.pattern import PatternProvider, label_provider
    from survey_fast.extraction.providers.replay import ReplayProvider
    from survey_fast.extraction.providers.retrying import RetryingProvider
    from survey_fast.extraction.run import extract
    from survey_fast.extraction.task import Task, read_task
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
    from survey_fast.trust.evidence import (
        project_reviewed_extraction_evidence,
        restore_reviewed_extraction_evidence,
    )
    from survey_fast.trust.grounding import evaluate_grounding
    from survey_fast.trust.learning import derive_learning_records
    from survey_fast.trust.projection import build_survey_trust_bundle
    from survey_fast.trust.report import build_trust_report
    from survey_fast.trust.reviewed_input import build_canonical_reviewed_trust_input
    from survey_fast.trust.status import derive_claim_statuses
    from survey_fast.trust.validation import validate_trust_bundle

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
    "Calibration": "audit.calibration",
    "derive_calibration": "audit.calibration",
    "canonical_digest": "canon",
    "canonical_json": "canon",
    "SurveyError": "errors",
    "Extraction": "extraction.extraction",
    "LangExtractOptions": "extraction.langextract",
    "extraction_of_langextract": "extraction.langextract",
    "read_langextract_lines": "extraction.langextract",
    "RunOptions": "extraction.options",
    "Stamp": "extraction.options",
    "Wanted": "extraction.plan",
    "Prepared": "extraction.prepare",
    "prepare": "extraction.prepare",
    "FunctionProvider": "extraction.providers.function",
    "OfflineProvider": "extraction.providers.offline",
    "OpenAIOptions": "extraction.providers.openai",
    "OpenAIProvider": "extraction.providers.openai",
    "PatternProvider": "extraction.providers.pattern",
    "label_provider": "extraction.providers.pattern",
    "ReplayProvider": "extraction.providers.replay",
    "RetryingProvider": "extraction.providers.retrying",
    "extract": "extraction.run",
    "Task": "extraction.task",
    "read_task": "extraction.task",
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
    "apply_review_session": "review.apply_session",
    "build_review_decision": "review.decision_record",
    "candidate_for_decision": "review.decisions",
    "conflict_selection_issue": "review.decisions",
    "build_review_session_events": "review.events",
    "replay_review_session_events": "review.replay",
    "validate_review_session_events": "review.replay",
    "decision_reference": "rounds",
    "derive_field_states": "rounds",
    "split_round_for_carry_forward": "rounds",
    "project_reviewed_extraction_evidence": "trust.evidence",
    "restore_reviewed_extraction_evidence": "trust.evidence",
    "evaluate_grounding": "trust.grounding",
    "derive_learning_records": "trust.learning",
    "build_survey_trust_bundle": "trust.projection",
    "build_trust_report": "trust.report",
    "build_canonical_reviewed_trust_input": "trust.reviewed_input",
    "derive_claim_statuses": "trust.status",
    "validate_trust_bundle": "trust.validation",
}

__all__ = [
    "ApplyResult",
    "Attestation",
    "Calibration",
    "Extraction",
    "FunctionProvider",
    "ImportLimits",
    "ImportResult",
    "Issue",
    "LangExtractOptions",
    "OfflineProvider",
    "OpenAIOptions",
    "OpenAIProvider",
    "PatternProvider",
    "Prepared",
    "ReplayProvider",
    "RetryingProvider",
    "RunOptions",
    "Stamp",
    "SurveyError",
    "Task",
    "Wanted",
    "apply_review_session",
    "assert_review_queue_against_extraction_import",
    "assert_review_queue_binding",
    "attest_review_queue_extraction",
    "available_artifact",
    "bind_review_queue",
    "build_candidate_verification",
    "build_canonical_reviewed_trust_input",
    "build_review_decision",
    "build_review_session_events",
    "build_survey_trust_bundle",
    "build_trust_report",
    "candidate_for_decision",
    "canonical_digest",
    "canonical_json",
    "conflict_selection_issue",
    "decision_reference",
    "derive_calibration",
    "derive_claim_statuses",
    "derive_field_states",
    "derive_learning_records",
    "derive_review_session_apply_result",
    "draw_random_audit_sample",
    "evaluate_grounding",
    "excluded_indices",
    "export_import",
    "extract",
    "extraction_of_langextract",
    "fold_candidate_verifications",
    "import_envelope",
    "import_from_bound_status",
    "label_provider",
    "open_random_audit_session",
    "open_review_queue",
    "prepare",
    "project_reviewed_extraction_evidence",
    "read_langextract_lines",
    "read_task",
    "reimport",
    "replay_review_session_events",
    "resolution_identity",
    "restore_reviewed_extraction_evidence",
    "review_items",
    "run_support_verifier",
    "split_round_for_carry_forward",
    "validate_candidate_verification",
    "validate_import",
    "validate_review_queue_against_extraction_import",
    "validate_review_queue_binding",
    "validate_review_session_events",
    "validate_trust_bundle",
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
