"""Oversight: how reviewers worked, in figures that can be had from their decisions.

1. An override is a decision against what was proposed: a rejection, the value from before kept, or
   another candidate than the decision's projection names. What could not be confirmed is neither,
   so it does not count into the rate.
2. Pace is taken from the times of decisions. A reviewer with fewer than two, or all of them at one
   instant, has none.
3. Figures stand for every reviewer and for all together, by reviewer in order of name. They do not
   depend on the order of decisions.

What this cannot show: a pace can be put on, an override need not be the better answer, and a typed
reason shows effort, not that it is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from statistics import median
from typing import Any, Final, TypeAlias

from survey_fast.canon import sort_names
from survey_fast.canon.arguments import index_argument, sequence_argument, text_argument
from survey_fast.errors import refusal
from survey_fast.trust.discipline import UNCONFIRMED
from survey_fast.trust.instants import canonical_instant, instant, is_date_time, whole_instant

__all__ = ["Oversight", "ReviewerFigures", "derive_oversight"]

Record: TypeAlias = Mapping[str, Any]

_DAY: Final = 86_400_000
_HOUR: Final = 3_600_000
_LONGEST: Final = 36_525
_UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class ReviewerFigures:
    """Figures of one reviewer, or of all; None where there is nothing to measure.

    Attributes:
        actor: the reviewer's id, ``unknown`` without one; None for all together.
        decision_count: decisions.
        decisions_per_hour: between the first and the last; 0 without a time between them.
        override_rate: overrides among the decisions that settled something.
        typed_rationale_rate: decisions whose authorization says that a reason was typed.
        median_inter_decision_seconds: half of the pauses were shorter.
        sampling_coverage: decisions of those presented; for all together only.
    """

    actor: str | None
    decision_count: int
    decisions_per_hour: float
    override_rate: float | None
    typed_rationale_rate: float | None
    median_inter_decision_seconds: float | None = None
    sampling_coverage: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names, without what is None."""
        members = {
            "actor": self.actor,
            "decisionCount": self.decision_count,
            "decisionsPerHour": self.decisions_per_hour,
            "overrideRate": self.override_rate,
            "typedRationaleRate": self.typed_rationale_rate,
            "medianInterDecisionSeconds": self.median_inter_decision_seconds,
            "samplingCoverage": self.sampling_coverage,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Oversight:
    """Figures of all decisions of a window, and of each reviewer.

    Attributes:
        overall: all together.
        by_actor: by reviewer, in order of id.
        input_decision_count: decisions that were handed in, whatever their time.
        window_start, window_end: the window; no start where it has none.
    """

    overall: ReviewerFigures
    by_actor: tuple[ReviewerFigures, ...]
    input_decision_count: int
    window_start: str | None
    window_end: str

    def to_json(self) -> dict[str, Any]:
        """Plain data, wire names."""
        start = {} if self.window_start is None else {"windowStart": self.window_start}
        return {
            **start,
            "windowEnd": self.window_end,
            "inputDecisionCount": self.input_decision_count,
            "overall": self.overall.to_json(),
            "byActor": [one.to_json() for one in self.by_actor],
        }


@dataclass(frozen=True, slots=True)
class _Told:
    actor: str
    at: int | None
    is_settled: bool
    is_override: bool
    is_typed: bool


def derive_oversight(
    decisions: Sequence[Record],
    *,
    now: str,
    window_days: float | None = None,
    presented_count: int | None = None,
) -> Oversight:
    """Figures of review decisions.

    Args:
        decisions: ``ReviewDecision`` records as plain data.
        now: the end of the window.
        window_days: its length. Decisions before its start, and those without a time, do not count.
        presented_count: items that were put before reviewers.

    Raises:
        DecisionError: ``decision-malformed``, with a pointer.
        TypeError, ValueError: wrong Python types; options outside of their range.
    """
    end, start = _window(now, window_days)
    if presented_count is not None and index_argument("presented_count", presented_count) < 0:
        message = f"presented_count is at least 0, not {presented_count}"
        raise ValueError(message)
    told = [
        _told(one, f"/{at}") for at, one in enumerate(sequence_argument("decisions", decisions))
    ]
    count = len(told)
    if start is not None:
        told = [one for one in told if one.at is not None and one.at >= start]
    by_actor: dict[str, list[_Told]] = {}
    for one in told:
        by_actor.setdefault(one.actor, []).append(one)
    coverage = None
    if presented_count is not None:
        coverage = len(told) / presented_count if presented_count else 0.0
    return Oversight(
        overall=_figures(None, told, coverage),
        by_actor=tuple(_figures(name, by_actor[name]) for name in sort_names(list(by_actor))),
        input_decision_count=count,
        window_start=None if start is None else canonical_instant(start),
        window_end=canonical_instant(end) or now,
    )


def _window(now: object, days: object) -> tuple[int, int | None]:
    text = text_argument("now", now)
    end = whole_instant(text) if is_date_time(text) else None
    if end is None:
        message = "now is an instant, as in 2026-01-31T09:00:00Z"
        raise ValueError(message)
    if days is None:
        return end, None
    if isinstance(days, bool) or not isinstance(days, int | float):
        message = f"window_days is a number, not {type(days).__name__}"
        raise TypeError(message)
    if not isfinite(days) or not 0 < days <= _LONGEST:
        message = f"window_days lies above 0 and up to {_LONGEST}"
        raise ValueError(message)
    start = end - round(days * _DAY)
    if canonical_instant(start) is None:
        message = "the window starts before the year 0"
        raise ValueError(message)
    return end, start


def _told(decision: object, pointer: str) -> _Told:
    """What one decision says about how it was made."""
    spec = decision.get("spec") if isinstance(decision, Mapping) else None
    if not isinstance(decision, Mapping) or not isinstance(spec, Mapping):
        message = "a decision is an object with a spec"
        raise refusal("decision-malformed", message, pointer)
    status = spec.get("status")
    if not isinstance(status, str):
        message = "a decision has a status"
        raise refusal("decision-malformed", message, f"{pointer}/spec/status")
    actor = _member(spec, "actor").get("id")
    moment = instant(spec.get("reviewedAt"))
    is_settled = spec.get("resolution") != UNCONFIRMED and status != "proposed"
    authorizing = _member(spec, "authorizing")
    return _Told(
        actor=actor if isinstance(actor, str) and actor else _UNKNOWN,
        at=None if moment is None else int(moment),
        is_settled=is_settled,
        is_override=is_settled and (status == "rejected" or _is_against(decision, spec)),
        is_typed=authorizing.get("kind") == "authorized-action"
        and authorizing.get("action") == "typed",
    )


def _member(record: Record, name: str) -> Record:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _is_against(decision: Record, spec: Record) -> bool:
    """Whether another value than the proposed one holds.

    A kept value carries a projection of its own, so it is known by the name that such a decision
    and its review are given.
    """
    projection = _member(spec, "projection")
    named = projection.get("candidateId")
    if isinstance(named, str) and "candidateId" in spec and named != spec["candidateId"]:
        return True
    name, outcome = _member(decision, "metadata").get("name"), projection.get("reviewOutcomeId")
    item = spec.get("reviewItemName")
    if isinstance(item, str) and name == f"{item}-keep-current":
        return True
    return isinstance(outcome, str) and outcome.endswith(":keep-current:review-outcome")


def _figures(
    actor: str | None, told: Sequence[_Told], coverage: float | None = None
) -> ReviewerFigures:
    count = len(told)
    settled = sum(one.is_settled for one in told)
    times = sorted(one.at for one in told if one.at is not None)
    elapsed = times[-1] - times[0] if times else 0
    pauses = [later - earlier for earlier, later in pairwise(times)]
    return ReviewerFigures(
        actor=actor,
        decision_count=count,
        decisions_per_hour=len(times) / (elapsed / _HOUR) if elapsed else 0.0,
        override_rate=sum(one.is_override for one in told) / settled if settled else None,
        typed_rationale_rate=sum(one.is_typed for one in told) / count if count else None,
        median_inter_decision_seconds=median(pauses) / 1000 if pauses else None,
        sampling_coverage=coverage,
    )
