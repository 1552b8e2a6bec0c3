"""Session conditions: how a round is presented and how its items were sampled.

1. ``presentation`` is exactly ``{scoreBlind: bool}``; blind only when that is true.
2. ``sampling`` is exactly ``{kind: "queue"}``, or ``{kind: "random-audit", rate, seed}``.
3. A random audit is score-blind: a sample that was judged with the scores in sight says nothing
   about the scores.
4. All this is checked wherever a round is opened, loaded or applied, never first when a decision
   is made.
5. A blind round ends with the completion that its host stamps, and with nothing less. Until then
   every decision can be replaced, so whoever sees a score could still act on it; after it the
   history takes no event of a host any more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from survey_fast.errors import SurveyError, refusal
from survey_fast.review.state import ABSENT, State
from survey_fast.review.stream import Event, completion

__all__ = ["check_conditions", "check_declared_conditions", "is_blind", "is_score_withheld"]

_SEED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,255}\Z", re.ASCII)


def check_conditions(
    presentation: Mapping[str, Any] | None, sampling: Mapping[str, Any] | None
) -> None:
    """Raise AuditError (``invalid-session-conditions``) unless both are in order or absent.

    Args:
        presentation: ``{scoreBlind: bool}`` or nothing.
        sampling: ``{kind: "queue"}``, or random-audit with rate and seed, or nothing.
    """
    for name, value, check in (
        ("presentation", presentation, _check_presentation),
        ("sampling", sampling, _check_sampling),
    ):
        if value is None:
            continue
        # Conditions are also read from stored snapshots, so a wrong kind is data, not misuse.
        if not _is_mapping(value):
            message = f"{name} is an object"
            raise _refused(message, f"/{name}")
        check(value)
    is_audit = sampling is not None and sampling["kind"] == "random-audit"
    if is_audit and (presentation is None or presentation["scoreBlind"] is not True):
        message = "a random audit is score-blind: presentation has scoreBlind true"
        raise _refused(message, "/presentation")


def check_declared_conditions(snapshot: State) -> None:
    """The same for what a snapshot declares. A member that is null is there, and is no object."""
    for member in ("presentation", "sampling"):
        if snapshot.get(member, ABSENT) is None:
            message = f"{member} is an object, not null"
            raise _refused(message, f"/{member}")
    check_conditions(snapshot.get("presentation"), snapshot.get("sampling"))


def is_blind(snapshot: State) -> bool:
    """Whether a round keeps scores from its reviewer."""
    presentation = snapshot.get("presentation")
    return _is_mapping(presentation) and presentation.get("scoreBlind") is True


def is_score_withheld(snapshot: State, events: Sequence[Event]) -> bool:
    """Whether nothing that holds scores may leave the round yet, under rule 5.

    Args:
        snapshot: the base snapshot.
        events: a history that was found valid, so that nothing was open when it was completed.
    """
    return is_blind(snapshot) and completion(events, stamped=True) is None


def _is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:  # noqa: ANN401 - read from JSON
    return isinstance(value, Mapping)


def _refused(message: str, pointer: str) -> SurveyError:
    return refusal("invalid-session-conditions", message, pointer)


def _check_presentation(presentation: Mapping[str, Any]) -> None:
    if set(presentation) != {"scoreBlind"} or not isinstance(presentation["scoreBlind"], bool):
        message = "presentation holds exactly scoreBlind, which is true or false"
        raise _refused(message, "/presentation")


def _check_sampling(sampling: Mapping[str, Any]) -> None:
    kind = sampling.get("kind")
    if kind == "queue" and set(sampling) == {"kind"}:
        return
    if kind != "random-audit" or set(sampling) != {"kind", "rate", "seed"}:
        message = 'sampling is {kind: "queue"}, or random-audit with rate and seed'
        raise _refused(message, "/sampling")
    rate, seed = sampling["rate"], sampling["seed"]
    is_number = isinstance(rate, int | float) and not isinstance(rate, bool)
    if not is_number or not 0 < rate <= 1:
        message = "the rate is a number above 0 and at most 1"
        raise _refused(message, "/sampling/rate")
    if not isinstance(seed, str) or _SEED.match(seed) is None:
        message = "the seed is 1 to 256 characters: a letter or digit, then also . _ : @ / + ~ -"
        raise _refused(message, "/sampling/seed")
