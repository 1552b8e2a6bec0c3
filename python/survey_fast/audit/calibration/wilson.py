"""Wilson's score interval: what a share of right answers can be relied on for.

The lower bound is one-sided at 95 %: of the true rates below it, less than one in twenty would
have given so many right answers. Both ends together are the two-sided interval at 90 %.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from survey_fast.canon.arguments import index_argument

__all__ = ["wilson_interval", "wilson_lower_bound"]

_Z: Final = 1.6448536269514722
"""The quantile of the standard normal distribution at 0.95."""


def wilson_lower_bound(correct: int, count: int) -> float:
    """The rate that ``correct`` out of ``count`` shows at least, unrounded, from 0 to 1.

    Raises:
        TypeError: not whole numbers.
        ValueError: no trials, or more successes than trials, or fewer than none.
    """
    return wilson_interval(correct, count)[0]


def wilson_interval(correct: int, count: int) -> tuple[float, float]:
    """Lower and upper end; arguments and refusals as for the lower bound."""
    index_argument("correct", correct)
    index_argument("count", count)
    if not 0 <= correct <= count or not count:
        message = f"{correct} of {count} is no share"
        raise ValueError(message)
    share = correct / count
    square = _Z * _Z
    middle = share + square / (2 * count)
    reach = _Z * sqrt(share * (1 - share) / count + square / (4 * count * count))
    scale = 1 + square / count
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
