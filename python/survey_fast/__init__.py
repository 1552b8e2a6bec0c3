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
}

__all__ = [
    "Attestation",
    "ImportLimits",
    "ImportResult",
    "Issue",
    "SurveyError",
    "assert_review_queue_against_extraction_import",
    "assert_review_queue_binding",
    "attest_review_queue_extraction",
    "available_artifact",
    "bind_review_queue",
    "build_candidate_verification",
    "canonical_digest",
    "canonical_json",
    "draw_random_audit_sample",
    "excluded_indices",
    "export_import",
    "fold_candidate_verifications",
    "import_envelope",
    "import_from_bound_status",
    "open_random_audit_session",
    "open_review_queue",
    "reimport",
    "resolution_identity",
    "review_items",
    "run_support_verifier",
    "validate_candidate_verification",
    "validate_import",
    "validate_review_queue_against_extraction_import",
    "validate_review_queue_binding",
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
