"""From survey records to a trust bundle."""

from survey_fast.trust.projection.bundle import build_survey_trust_bundle

__all__ = ["build_survey_trust_bundle"]
