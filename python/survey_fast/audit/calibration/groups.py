"""Samples of one group in bins of confidence, and the threshold that follows.

1. Bin ``i`` of ``n`` reaches from ``i / n`` up to the next; 1 belongs to the last. A confidence is
   compared with these very numbers, so that 0.57 is in the bin that starts at 0.57.
2. From the top, a bin passes when it has enough samples and its Wilson bound, unrounded, reaches
   the target. The first that does not ends the search, an empty one as well.
3. The threshold is the smallest confidence that was observed in the last bin that passed. Between
   the edge of a bin and the first sample above it nothing was observed, so nothing is suggested.
4. Each bin is judged by itself; that several are, and that values of one document tend to be right
   or wrong together, is not corrected for. The number of documents is stated.
5. Figures do not depend on the order of samples. They are rounded to four places, halves upwards;
   a threshold is never rounded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, fsum
from typing import Any

from survey_fast.audit.calibration.selection import Sample
from survey_fast.audit.calibration.wilson import wilson_lower_bound

__all__ = ["Bin", "Demand", "Group", "group_of", "rounded"]


@dataclass(frozen=True, slots=True)
class Demand:
    """What a bin has to show to pass, and how many bins there are."""

    bin_count: int
    target_accuracy: float
    min_bin_samples: int


@dataclass(frozen=True, slots=True)
class Bin:
    """Samples of about one confidence; what needs a sample is None without one.

    Attributes:
        lower_bound, upper_bound: its edges.
        sample_count, correct_count: samples, and those that were right.
        empirical_accuracy: their share.
        mean_predicted_confidence: what their extractors expected.
        accuracy_lower_bound: the share that is shown at 95 %.
        lowest_confidence, highest_confidence: the range that was observed.
    """

    lower_bound: float
    upper_bound: float
    sample_count: int
    correct_count: int
    empirical_accuracy: float | None = None
    mean_predicted_confidence: float | None = None
    accuracy_lower_bound: float | None = None
    lowest_confidence: float | None = None
    highest_confidence: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names, without what is None."""
        members = {
            "lowerBound": self.lower_bound,
            "upperBound": self.upper_bound,
            "sampleCount": self.sample_count,
            "correctCount": self.correct_count,
            "empiricalAccuracy": self.empirical_accuracy,
            "meanPredictedConfidence": self.mean_predicted_confidence,
            "accuracyLowerBound": self.accuracy_lower_bound,
            "lowestConfidence": self.lowest_confidence,
            "highestConfidence": self.highest_confidence,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Group:
    """All samples, those of an extractor, or those of an extractor for one field.

    Attributes:
        extractor, field: what the group is; None where it is not restricted to one.
        sample_count, correct_count: samples, and those that were right.
        document_count: documents they come from.
        empirical_accuracy, mean_predicted_confidence: None without samples.
        calibration_gap: mean confidence minus accuracy; above 0 the extractor is too sure.
        accuracy_lower_bound: the accuracy that is shown at 95 %.
        bins: from the lowest confidence.
        suggested_threshold: advice, never a policy; None where the top bin does not pass.
    """

    extractor: str | None
    field: str | None
    sample_count: int
    correct_count: int
    document_count: int
    empirical_accuracy: float | None
    mean_predicted_confidence: float | None
    calibration_gap: float | None
    accuracy_lower_bound: float | None
    bins: tuple[Bin, ...]
    suggested_threshold: float | None

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names, without what is None."""
        members: dict[str, Any] = {
            "extractor": self.extractor,
            "field": self.field,
            "sampleCount": self.sample_count,
            "correctCount": self.correct_count,
            "documentCount": self.document_count,
            "empiricalAccuracy": self.empirical_accuracy,
            "meanPredictedConfidence": self.mean_predicted_confidence,
            "calibrationGap": self.calibration_gap,
            "accuracyLowerBound": self.accuracy_lower_bound,
            "suggestedThreshold": self.suggested_threshold,
            "bins": [one.to_json() for one in self.bins],
        }
        return {name: value for name, value in members.items() if value is not None}


def rounded(number: float) -> float:
    """Four places; a half goes upwards, also below zero."""
    return floor(number * 10_000 + 0.5) / 10_000


def group_of(
    samples: Sequence[Sample],
    demand: Demand,
    extractor: str | None = None,
    field: str | None = None,
) -> Group:
    """The figures of some samples."""
    count = len(samples)
    edges = [at / demand.bin_count for at in range(demand.bin_count + 1)]
    inner = edges[1:-1]
    sorted_in: list[list[Sample]] = [[] for _ in range(demand.bin_count)]
    for one in samples:
        sorted_in[bisect_right(inner, one.confidence)].append(one)
    correct = sum(one.is_right for one in samples)
    accuracy = mean = bound = None
    if count:
        accuracy = correct / count
        mean = fsum(one.confidence for one in samples) / count
        bound = wilson_lower_bound(correct, count)
    return Group(
        extractor=extractor,
        field=field,
        sample_count=count,
        correct_count=correct,
        document_count=len({one.document for one in samples}),
        empirical_accuracy=_rounded(accuracy),
        mean_predicted_confidence=_rounded(mean),
        calibration_gap=None if mean is None or accuracy is None else rounded(mean - accuracy),
        accuracy_lower_bound=_rounded(bound),
        bins=tuple(
            _bin(one, lower, upper)
            for one, lower, upper in zip(sorted_in, edges[:-1], edges[1:], strict=True)
        ),
        suggested_threshold=_threshold(sorted_in, demand),
    )


def _rounded(number: float | None) -> float | None:
    return None if number is None else rounded(number)


def _bin(samples: Sequence[Sample], lower: float, upper: float) -> Bin:
    count = len(samples)
    if not count:
        return Bin(rounded(lower), rounded(upper), 0, 0)
    confidences = [one.confidence for one in samples]
    correct = sum(one.is_right for one in samples)
    return Bin(
        lower_bound=rounded(lower),
        upper_bound=rounded(upper),
        sample_count=count,
        correct_count=correct,
        empirical_accuracy=rounded(correct / count),
        mean_predicted_confidence=rounded(fsum(confidences) / count),
        accuracy_lower_bound=rounded(wilson_lower_bound(correct, count)),
        lowest_confidence=min(confidences),
        highest_confidence=max(confidences),
    )


def _threshold(bins: Sequence[Sequence[Sample]], demand: Demand) -> float | None:
    """Rules 2 and 3."""
    threshold = None
    for samples in reversed(bins):
        count = len(samples)
        if not count or count < demand.min_bin_samples:
            break
        correct = sum(one.is_right for one in samples)
        if wilson_lower_bound(correct, count) < demand.target_accuracy:
            break
        threshold = min(one.confidence for one in samples)
    return threshold
