"""Candidate verification: what a verifier said about a value and its evidence.

A record states who answered which question and how. It is never a trust decision: nothing is
accepted, routed or rejected on it, and the import never writes one. The parts:

- :mod:`survey_fast.imports.support_input`: the question and its digests;
- :mod:`survey_fast.imports.verification_record`: the record, made and checked;
- :mod:`survey_fast.imports.verifier`: asking a verifier within a time limit;
- :mod:`survey_fast.imports.fold`: what the records of one candidate say about it now.
"""

from survey_fast.imports.fold import (
    Fold,
    InapplicableRecord,
    RejectedRecord,
    fold_candidate_verifications,
)
from survey_fast.imports.support_input import value_digest
from survey_fast.imports.verification_record import (
    VerifierIdentity,
    build_candidate_verification,
    validate_candidate_verification,
)
from survey_fast.imports.verifier import Verifier, run_support_verifier

__all__ = [
    "Fold",
    "InapplicableRecord",
    "RejectedRecord",
    "Verifier",
    "VerifierIdentity",
    "build_candidate_verification",
    "fold_candidate_verifications",
    "run_support_verifier",
    "validate_candidate_verification",
    "value_digest",
]
