"""Calibration: how often values were right that a model was so and so sure of."""

from survey_fast.audit.calibration.calibration import Calibration, derive_calibration
from survey_fast.audit.calibration.groups import Bin, Group
from survey_fast.audit.calibration.labels import Judgement, Labels, Offer, Prediction
from survey_fast.audit.calibration.reviewed import (
    labels_of_applied,
    labels_of_decision,
    labels_of_session,
)
from survey_fast.audit.calibration.selection import SKIPPED, Sample
from survey_fast.audit.calibration.survey import labels_of_survey_input
from survey_fast.audit.calibration.wilson import wilson_interval, wilson_lower_bound

__all__ = [
    "SKIPPED",
    "Bin",
    "Calibration",
    "Group",
    "Judgement",
    "Labels",
    "Offer",
    "Prediction",
    "Sample",
    "derive_calibration",
    "labels_of_applied",
    "labels_of_decision",
    "labels_of_session",
    "labels_of_survey_input",
    "wilson_interval",
    "wilson_lower_bound",
]
