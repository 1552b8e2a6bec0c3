"""Session conditions: how a round is presented and how its items were sampled.

1. ``presentation`` is exactly ``{scoreBlind: bool}``; blind only when that is true.
2. ``sampling`` is exactly ``{kind: "queue"}``, or ``{kind: "random-audit", rate, seed}``.
3. Both are checked wherever a round is opened, loaded or applied, never first when a decision
   is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from survey_fast.errors import SurveyError, refusal

__all__ = ["check_conditions"]

_SEED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,255}\Z", re.ASCII)


def check_conditions(
    presentation: Mapping[str, Any] | None, sampling: Mapping[str, Any] | None
) -> None:
    """Raise AuditError (``invalid-session-conditions``) unless both are well formed or absent."""
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


def _is_mapping(value: object) -> bool:
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
