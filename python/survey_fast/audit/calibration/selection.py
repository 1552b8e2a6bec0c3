"""From judgements to samples: which count, and why the others do not.

1. Asked-for limits come first: random audits only, a window of time, what a rule accepted.
2. One value is one sample, however often it was judged and in however many inputs. The latest
   judgement within the limits governs. Where the order cannot be told, or judgements of one instant
   differ, none of them counts.
3. Every judgement that gives no sample is counted under the first reason that holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from survey_fast.audit.calibration.labels import Judgement, Labels, Origin, Prediction
from survey_fast.audit.calibration.times import read_time

__all__ = ["ORIGINS", "SKIPPED", "Limits", "Sample", "Selection", "select"]

ORIGINS: Final[tuple[Origin, ...]] = ("run", "session", "bundle", "survey-input")
"""From what was checked here to what is taken at its word."""
_RANK: Final = {origin: rank for rank, origin in enumerate(ORIGINS)}

SKIPPED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "blind-round-open": "the score-blind round is not completed yet",
        "not-random-audit": "not made in a score-blind random audit",
        "could-not-confirm": "the reviewer could not confirm the value",
        "no-review-time": "has no time, so it cannot be placed in the window",
        "outside-window": "older than the window",
        "not-settled": "left the value proposed",
        "accepted-by-rule": "accepted by a rule, which is no opinion about the value",
        "unknown-set": "about a candidate set that the input does not hold",
        "no-proposed-value": "no candidate is a proposed one",
        "no-choice": "names none of several proposed values",
        "superseded": "repeated or replaced by a later judgement of the same value",
        "order-unknown": "cannot be put in order with other judgements of the same value",
        "no-confidence": "the value came without a confidence",
    }
)
"""Why a judgement gives no sample, in the order in which reasons are looked for."""
_ORDER: Final = {reason: place for place, reason in enumerate(SKIPPED)}


class Sample(NamedTuple):
    """A prediction and whether it came true."""

    confidence: float
    is_right: bool
    extractor: str
    field: str
    document: str
    origin: Origin
    is_audit: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked for (rule 1); ``since`` is in microseconds."""

    audit_samples_only: bool
    include_auto_accepted: bool
    since: int | None


@dataclass(slots=True)
class Selection:
    """Samples, and judgements without one by origin and reason."""

    samples: list[Sample] = field(default_factory=list)
    skipped: dict[tuple[Origin, str], int] = field(default_factory=dict)


class _Held(NamedTuple):
    origin: Origin
    judgement: Judgement
    number: int


def select(inputs: Sequence[Labels], limits: Limits) -> Selection:
    """The samples of all inputs together, in no particular order."""
    selection = Selection()
    held: list[_Held] = []
    about: dict[tuple[object, ...], list[tuple[_Held, Prediction]]] = {}
    for labels in inputs:
        for judgement in labels.judgements:
            reason = _limited(judgement, limits)
            if reason is not None:
                _count(selection, labels.origin, reason)
                continue
            one = _Held(labels.origin, judgement, len(held))
            held.append(one)
            for prediction in judgement.predictions:
                about.setdefault(prediction.offer.key, []).append((one, prediction))
    found: list[str | None] = [None] * len(held)
    for told in about.values():
        _settle(told, found, selection.samples)
    for one in held:
        reason = one.judgement.reason or found[one.number] or "superseded"
        if reason != _SAMPLED:
            _count(selection, one.origin, reason)
    return selection


_SAMPLED: Final = "sampled"
_WORTH: Final = {"order-unknown": 1, "no-confidence": 2, _SAMPLED: 3}
"""What a judgement about several values came to: the best that one of them came to."""


def _count(selection: Selection, origin: Origin, reason: str) -> None:
    key = origin, reason
    selection.skipped[key] = selection.skipped.get(key, 0) + 1


def _limited(judgement: Judgement, limits: Limits) -> str | None:
    """Why a judgement lies outside of what is asked for (rule 3), or None."""
    if judgement.reason == "blind-round-open":
        return judgement.reason
    if limits.audit_samples_only and not judgement.is_audit:
        return "not-random-audit"
    outside = _outside_window(judgement, limits)
    if outside is None and judgement.is_by_rule and not limits.include_auto_accepted:
        outside = "accepted-by-rule"
    if outside is None or judgement.reason is None:
        return outside
    return min(outside, judgement.reason, key=_ORDER.__getitem__)


def _outside_window(judgement: Judgement, limits: Limits) -> str | None:
    if limits.since is None:
        return None
    at = read_time(judgement.at)
    if at is None:
        return "no-review-time"
    return "outside-window" if at < limits.since else None


def _settle(
    told: Sequence[tuple[_Held, Prediction]], found: list[str | None], samples: list[Sample]
) -> None:
    """Rule 2 for one value."""
    latest = _latest(told) if len(told) > 1 else told
    if not latest:
        for one, _ in told:
            _note(found, one, "order-unknown")
        return
    one, prediction = _preferred(latest) if len(latest) > 1 else latest[0]
    if prediction.is_right is None:
        return
    offer = prediction.offer
    if offer.confidence is None:
        _note(found, one, "no-confidence")
        return
    _note(found, one, _SAMPLED)
    samples.append(
        Sample(
            offer.confidence,
            prediction.is_right,
            offer.extractor,
            offer.field,
            offer.document,
            one.origin,
            one.judgement.is_audit,
        )
    )


def _latest(told: Sequence[tuple[_Held, Prediction]]) -> Sequence[tuple[_Held, Prediction]]:
    """The judgements of the latest instant, or none where they differ or there is no order."""
    times = [read_time(one.judgement.at) for one, _ in told]
    known = [at for at in times if at is not None]
    if len(known) < len(times):
        # Without times, judgements that all say the same need no order.
        return told if len({prediction.is_right for _, prediction in told}) == 1 else ()
    last = max(known)
    latest = [pair for pair, at in zip(told, times, strict=True) if at == last]
    return latest if len({prediction.is_right for _, prediction in latest}) == 1 else ()


def _preferred(latest: Sequence[tuple[_Held, Prediction]]) -> tuple[_Held, Prediction]:
    """One of several judgements that say the same.

    Where nothing else tells them apart, it is all that they say, of other values too: they have to
    be told apart alike for each of these, or how many give no sample would depend on the order.
    """
    best = min(map(_preference, latest))
    alike = [pair for pair in latest if _preference(pair) == best]
    return alike[0] if len(alike) == 1 else min(alike, key=lambda pair: repr(pair[0].judgement))


def _preference(pair: tuple[_Held, Prediction]) -> tuple[object, ...]:
    """What was checked before what was told; then anything that does not depend on order."""
    one, prediction = pair
    confidence, judgement = prediction.offer.confidence, one.judgement
    is_unsure = confidence is None
    rank = _RANK[one.origin]
    return rank, is_unsure, confidence or 0.0, not judgement.is_audit, judgement.name


def _note(found: list[str | None], one: _Held, reason: str) -> None:
    before = found[one.number]
    if before is None or _WORTH[reason] > _WORTH[before]:
        found[one.number] = reason
