"""What a review says about the values that were proposed: right, wrong, or nothing.

1. The proposed value of a set is its only candidate, whatever the role, else every candidate with
   the role ``proposed``.
2. A rejection makes the value it names wrong; one that names none of the proposed values makes all
   of them wrong.
3. Of one proposed value, a trusting review says that it was right, unless the review picked another
   candidate, or accepted the value only after changing it: what was accepted then is the
   reviewer's.
4. Of several, it says that the picked one was right and each value passed over wrong. A candidate
   that holds the picked value once more was not passed over. Where the picked candidate is none of
   them, all are wrong; where no candidate is named, nothing is known.
5. What could not be confirmed, or was left proposed, says nothing; yet it takes back what an
   earlier review said of the same value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from survey_fast.review.display import same_value
from survey_fast.review.state import ABSENT

__all__ = [
    "AUTO_ACCEPT_ACTOR",
    "NOTHING",
    "UNKNOWN_EXTRACTOR",
    "Finding",
    "Judgement",
    "Labels",
    "Offer",
    "Origin",
    "Prediction",
    "confidence_in",
    "is_random_audit",
    "judged",
    "mapping_in",
    "text_in",
]

Origin: TypeAlias = Literal["run", "session", "bundle", "survey-input"]
"""Where labels come from; only the last is taken at its word."""

AUTO_ACCEPT_ACTOR: Final = "auto-accept-policy"
"""Who accepts by rule. That is no opinion of anyone about the value."""
UNKNOWN_EXTRACTOR: Final = "unknown"
NOTHING: Final[Mapping[str, Any]] = {}


class Offer(NamedTuple):
    """A proposed value as far as calibration reads it.

    Attributes:
        key: the same wherever this value is judged.
        id: of its candidate.
        value: the value.
        confidence: from 0 to 1, or None where none was given.
        extractor, field: who read it, for which field.
        document: where it was read.
    """

    key: tuple[object, ...]
    id: object
    value: Any
    confidence: float | None
    extractor: str
    field: str
    document: str


class Prediction(NamedTuple):
    """A proposed value, and whether it was right; None where a judgement does not say."""

    offer: Offer
    is_right: bool | None


class Judgement(NamedTuple):
    """One review or decision.

    Attributes:
        name: its id in its input.
        predictions: the values it is about.
        reason: why it gives no label, or None.
        at: when it was made, as it is written; of any shape.
        is_audit: whether it was made in a score-blind random audit.
        is_by_rule: whether a rule decided, and nobody.
    """

    name: str
    predictions: Sequence[Prediction]
    reason: str | None
    at: object
    is_audit: bool
    is_by_rule: bool


@dataclass(frozen=True, slots=True)
class Labels:
    """The judgements of one input, and what kind of input that was."""

    origin: Origin
    judgements: Sequence[Judgement]


class Finding(NamedTuple):
    """What a review or decision came to.

    Attributes:
        status: its status.
        is_unconfirmed: whether it could not confirm.
        named: the candidate that it names itself.
        picked: the candidate that holds after it.
        edit: the value that was accepted instead of the proposed one, or ABSENT.
    """

    status: object
    is_unconfirmed: bool
    named: object
    picked: object
    edit: Any


def judged(offers: Sequence[Offer], finding: Finding) -> tuple[Sequence[Prediction], str | None]:
    """What the finding says of each proposed value, and why it says nothing, if so."""
    if finding.is_unconfirmed:
        return [Prediction(one, None) for one in _named(offers, finding)], "could-not-confirm"
    if finding.status == "proposed":
        return [Prediction(one, None) for one in _named(offers, finding)], "not-settled"
    if not offers:
        return [], "no-proposed-value"
    if finding.status == "rejected":
        return [Prediction(one, is_right=False) for one in _named(offers, finding)], None
    return _trusted(offers, finding)


def _trusted(offers: Sequence[Offer], finding: Finding) -> tuple[Sequence[Prediction], str | None]:
    """Rules 3 and 4."""
    if len(offers) == 1:
        return [Prediction(offers[0], _is_right(offers[0], finding))], None
    if finding.picked is None:
        return [Prediction(one, None) for one in offers], "no-choice"
    return _choice(offers, finding), None


def _named(offers: Sequence[Offer], finding: Finding) -> Sequence[Offer]:
    named = [one for one in offers if one.id == finding.named]
    return named or offers


def _is_right(offer: Offer, finding: Finding) -> bool:
    if finding.picked is not None and finding.picked != offer.id:
        return False
    return finding.edit is ABSENT or same_value(finding.edit, offer.value)


def _choice(offers: Sequence[Offer], finding: Finding) -> Sequence[Prediction]:
    chosen = next((one for one in offers if one.id == finding.picked), None)
    if chosen is None:
        return [Prediction(one, is_right=False) for one in offers]
    return [Prediction(chosen, _is_right(chosen, finding))] + [
        Prediction(one, is_right=False)
        for one in offers
        if one is not chosen and not same_value(one.value, chosen.value)
    ]


def mapping_in(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A member that is an object, else an empty one."""
    value = record.get(name)
    return value if isinstance(value, dict) else NOTHING


def text_in(record: Mapping[str, Any], name: str) -> str | None:
    """A member that is a text with something in it."""
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def confidence_in(*records: Mapping[str, Any]) -> float | None:
    """The first ``confidence`` that is a finite number, brought into 0 to 1."""
    for record in records:
        value = record.get("confidence")
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if value - value == 0:
            return 0.0 if value <= 0 else 1.0 if value >= 1 else float(value)
    return None


def is_random_audit(record: Mapping[str, Any]) -> bool:
    """Whether ``presentation`` and ``sampling`` of a record are those of a blind random audit."""
    is_blind = mapping_in(record, "presentation").get("scoreBlind") is True
    return is_blind and mapping_in(record, "sampling").get("kind") == "random-audit"
