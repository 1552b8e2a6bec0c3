"""Reviewed evidence: what a reviewer accepted, with all it rests on, so that it can be checked."""

from survey_fast.trust.evidence.derivation import Derivation
from survey_fast.trust.evidence.profiles import CHOICE, EMBEDDED, REFERENCE, EvidenceProfile
from survey_fast.trust.evidence.project import (
    ReviewedEvidence,
    project_evidence,
    project_evidence_of_import,
    project_reviewed_extraction_evidence,
)
from survey_fast.trust.evidence.record import RecordContext, read_record
from survey_fast.trust.evidence.restore import Resolver, restore_reviewed_extraction_evidence
from survey_fast.trust.evidence.sidecars import (
    RecordResolver,
    attach_import_records,
    missing_import_records,
)
from survey_fast.trust.evidence.signals import ReviewSignals, review_signals

__all__ = [
    "CHOICE",
    "EMBEDDED",
    "REFERENCE",
    "Derivation",
    "EvidenceProfile",
    "RecordContext",
    "RecordResolver",
    "Resolver",
    "ReviewSignals",
    "ReviewedEvidence",
    "attach_import_records",
    "missing_import_records",
    "project_evidence",
    "project_evidence_of_import",
    "project_reviewed_extraction_evidence",
    "read_record",
    "restore_reviewed_extraction_evidence",
    "review_signals",
]
