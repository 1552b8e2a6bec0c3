"""Calibration of extractors: how sure they were against how often they were right.

All of it is advice. A suggested threshold is no policy, and nothing here changes a status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from survey_fast.audit.calibration.groups import Demand, Group, group_of
from survey_fast.audit.calibration.labels import Labels
from survey_fast.audit.calibration.reviewed import labels_of_applied, labels_of_session
from survey_fast.audit.calibration.selection import ORIGINS, SKIPPED, Limits, Sample, select
from survey_fast.audit.calibration.survey import labels_of_survey_input
from survey_fast.audit.calibration.times import Window, window_of
from survey_fast.canon import sort_names
from survey_fast.canon.arguments import index_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.review.apply import ApplyResult
from survey_fast.review.session_file import SessionDocument

__all__ = ["Calibration", "OriginCount", "Source", "derive_calibration"]

Source: TypeAlias = (
    "Labels | SessionDocument | ApplyResult | bytes | str | Mapping[str, Any] | Sequence[Source]"
)
"""Labels, a session, an applied history, a survey input, or several of these."""
_MOST_BINS = 1000
_DEEPEST = 16
"""Sequences of sources inside one another; what holds itself has no end."""


@dataclass(frozen=True, slots=True)
class OriginCount:
    """How much came from one kind of input."""

    origin: str
    input_count: int
    sample_count: int
    skipped_count: int

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names."""
        return {
            "origin": self.origin,
            "inputCount": self.input_count,
            "sampleCount": self.sample_count,
            "skippedCount": self.skipped_count,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """What labels say about confidence.

    Attributes:
        overall: all samples together.
        by_extractor: one group for each extractor, sorted by name.
        groups: one for each extractor and field, sorted by extractor, then field.
        sample_count: samples. A choice gives several, so they are no count of reviews.
        skipped: reviews that gave no sample, by the reasons of ``SKIPPED``, in that order.
        origins: where samples and skipped reviews came from.
        demand: what a bin had to show.
        audit_samples_only, include_auto_accepted: what was asked for.
        window: the time that reviews were taken from, if it was restricted.
    """

    overall: Group
    by_extractor: tuple[Group, ...]
    groups: tuple[Group, ...]
    sample_count: int
    skipped: Mapping[str, int]
    origins: tuple[OriginCount, ...]
    demand: Demand
    audit_samples_only: bool
    include_auto_accepted: bool
    window: Window | None = None

    @property
    def skipped_count(self) -> int:
        """Reviews that gave no sample."""
        return sum(self.skipped.values())

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names."""
        members: dict[str, Any] = {
            "sampleCount": self.sample_count,
            "skippedCount": self.skipped_count,
            "skipped": dict(self.skipped),
            "origins": [one.to_json() for one in self.origins],
            "binCount": self.demand.bin_count,
            "targetAccuracy": self.demand.target_accuracy,
            "minBinSamples": self.demand.min_bin_samples,
            "auditSamplesOnly": self.audit_samples_only,
            "includeAutoAccepted": self.include_auto_accepted,
        }
        if self.window is not None:
            members |= {
                "windowStart": self.window.start,
                "windowEnd": self.window.end,
                "windowDays": self.window.days,
            }
        return members | {
            "overall": self.overall.to_json(),
            "byExtractor": [one.to_json() for one in self.by_extractor],
            "byExtractorAndField": [one.to_json() for one in self.groups],
        }


@collector_paused()
def derive_calibration(  # noqa: PLR0913 - one argument for each choice
    source: Source,
    *,
    audit_samples_only: bool = False,
    include_auto_accepted: bool = False,
    bin_count: int = 10,
    target_accuracy: float = 0.95,
    min_bin_samples: int = 30,
    now: str | None = None,
    window_days: float | None = None,
) -> Calibration:
    """Compare confidence with what reviewers found.

    Args:
        source: labels, a session, an applied history, a survey input as bytes, text or plain data,
            or a sequence of these.
        audit_samples_only: only decisions of score-blind random audits. All others were made with
            the scores in sight or on items that nobody drew, and flatter the scores.
        include_auto_accepted: also what a rule accepted. Such a label says nothing new.
        bin_count: bins of equal width, 1 to 1,000.
        target_accuracy: what the Wilson bound of a bin has to reach, above 0 and at most 1.
        min_bin_samples: samples that a bin needs, at least 1.
        now: the end of the window, an instant.
        window_days: its length, above 0; reviews from its start on count.

    Raises:
        SurveyError: what the readers of sessions and survey inputs refuse;
            ``calibration-input-invalid``.
        TypeError, ValueError: wrong Python types, options outside of their range, a window without
            ``now``.
    """
    demand = _demand(bin_count, target_accuracy, min_bin_samples)
    window = window_of(now, window_days)
    _flag("audit_samples_only", audit_samples_only)
    _flag("include_auto_accepted", include_auto_accepted)
    inputs = list(_labels(source))
    since = None if window is None else window.since
    selection = select(inputs, Limits(audit_samples_only, include_auto_accepted, since))
    counts: dict[str, int] = {}
    for (_, reason), count in selection.skipped.items():
        counts[reason] = counts.get(reason, 0) + count
    by_extractor, by_field = _grouped(selection.samples)
    return Calibration(
        overall=group_of(selection.samples, demand),
        by_extractor=tuple(
            group_of(by_extractor[name], demand, name) for name in sort_names(list(by_extractor))
        ),
        groups=tuple(
            group_of(by_field[name][field], demand, name, field)
            for name in sort_names(list(by_field))
            for field in sort_names(list(by_field[name]))
        ),
        sample_count=len(selection.samples),
        skipped={reason: counts[reason] for reason in SKIPPED if reason in counts},
        origins=_origins(inputs, selection.samples, selection.skipped),
        demand=demand,
        audit_samples_only=audit_samples_only,
        include_auto_accepted=include_auto_accepted,
        window=window,
    )


def _demand(bin_count: object, target: object, least: object) -> Demand:
    bins, samples = index_argument("bin_count", bin_count), index_argument("min_bin_samples", least)
    if not 1 <= bins <= _MOST_BINS:
        message = f"bin_count lies between 1 and {_MOST_BINS}, not {bins}"
        raise ValueError(message)
    if samples < 1:
        message = f"min_bin_samples is at least 1, not {samples}"
        raise ValueError(message)
    if isinstance(target, bool) or not isinstance(target, int | float):
        message = f"target_accuracy is a number, not {type(target).__name__}"
        raise TypeError(message)
    if not 0 < target <= 1:  # not a number lies nowhere
        message = "target_accuracy lies above 0 and is at most 1"
        raise ValueError(message)
    return Demand(bins, float(target), samples)


def _flag(name: str, value: object) -> None:
    if not isinstance(value, bool):
        message = f"{name} is True or False, not {type(value).__name__}"
        raise TypeError(message)


def _labels(source: object, depth: int = 0) -> Sequence[Labels]:
    if isinstance(source, Labels):
        return [source]
    if isinstance(source, SessionDocument):
        return [labels_of_session(source)]
    if isinstance(source, ApplyResult):
        return [labels_of_applied(source)]
    if isinstance(source, bytes | bytearray | memoryview | str | Mapping):
        given = dict(source) if isinstance(source, Mapping) else source
        return [labels_of_survey_input(given)]
    if isinstance(source, Sequence):
        if depth == _DEEPEST:
            message = f"sequences of sources are nested {_DEEPEST} deep at most"
            raise ValueError(message)
        return [labels for one in source for labels in _labels(one, depth + 1)]
    message = f"calibration reads labels, sessions and survey inputs, not {type(source).__name__}"
    raise TypeError(message)


def _grouped(
    samples: Sequence[Sample],
) -> tuple[dict[str, list[Sample]], dict[str, dict[str, list[Sample]]]]:
    """Samples by extractor, and by extractor and field; names are never joined into one text."""
    by_extractor: dict[str, list[Sample]] = {}
    by_field: dict[str, dict[str, list[Sample]]] = {}
    for one in samples:
        by_extractor.setdefault(one.extractor, []).append(one)
        by_field.setdefault(one.extractor, {}).setdefault(one.field, []).append(one)
    return by_extractor, by_field


def _origins(
    inputs: Sequence[Labels], samples: Sequence[Sample], skipped: Mapping[tuple[Any, str], int]
) -> tuple[OriginCount, ...]:
    found = []
    for origin in ORIGINS:
        given = sum(labels.origin == origin for labels in inputs)
        if given:
            sampled = sum(one.origin == origin for one in samples)
            lost = sum(count for (of, _), count in skipped.items() if of == origin)
            found.append(OriginCount(origin, given, sampled, lost))
    return tuple(found)
