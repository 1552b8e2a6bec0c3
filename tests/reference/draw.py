"""The random audit draw.

1. An item's number is the first 13 hex digits of the SHA-256 of the canonical JSON array
   `["survey.random-audit.v1", seed, name]`, divided by 2^52. Below the rate, the item is drawn.
2. So each item is drawn by itself: neither order nor the other items matter; input order is kept.
3. The rate is a finite number above 0 and up to 1; the seed is 1 to 256 characters of a small ASCII
   alphabet and starts with a letter or a digit (`audit-options-invalid`, rate before seed).
4. A name may occur once (`ambiguous-item-identity`, at the second one).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from tests.reference.canonical import digest
from tests.reference.number import is_number
from tests.reference.refusal import Json, Refused, join

RATE_AT = "/rate"
SEED_AT = "/seed"
SEED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,255}")


def require_draw_options(rate: Json, seed: Json) -> None:
    """Rule 3."""
    if not is_number(rate) or not math.isfinite(rate) or not 0 < rate <= 1:
        raise Refused(RATE_AT, "audit-options-invalid", "must lie above 0 and up to 1")
    if not isinstance(seed, str) or SEED.fullmatch(seed) is None:
        raise Refused(SEED_AT, "audit-options-invalid", "not a seed")


def draw_number(seed: str, name: str) -> float:
    """Rule 1."""
    return int(digest(["survey.random-audit.v1", seed, name])[:13], 16) / 2**52


def draw(names: Sequence[str], *, rate: Json, seed: Json) -> list[str]:
    """The names that are drawn, in input order."""
    require_draw_options(rate, seed)
    for at, name in enumerate(names):
        if name in names[:at]:
            raise Refused(join("", at), "ambiguous-item-identity", f"{name!r} occurs twice")
    return [name for name in names if draw_number(seed, name) < rate]
