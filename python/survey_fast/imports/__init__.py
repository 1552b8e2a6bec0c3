"""From an extraction envelope to an import record and review items."""

from survey_fast.imports.envelope import (
    ClaimTargets,
    available_artifact,
    import_envelope,
    import_from_bound_status,
)
from survey_fast.imports.record import (
    RecordDocument,
    ResolutionIdentity,
    excluded_indices,
    export_import,
    reading_record,
    reimport,
    resolution_identity,
    review_items,
    span_matches,
    validate_import,
)
from survey_fast.imports.result import ImportResult

__all__ = [
    "ClaimTargets",
    "ImportResult",
    "RecordDocument",
    "ResolutionIdentity",
    "available_artifact",
    "excluded_indices",
    "export_import",
    "import_envelope",
    "import_from_bound_status",
    "reading_record",
    "reimport",
    "resolution_identity",
    "review_items",
    "span_matches",
    "validate_import",
]
