"""Two sides of a ratio, timed in turns.

Other work on the machine comes and goes over seconds. Sides that are timed one after the other
meet different amounts of it, and their ratio says more about that than about them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any

__all__ = ["in_turns"]

Work = Callable[[], Any]


def in_turns(benchmark: Any, ours: Work, others: Mapping[str, Work], rounds: int = 20) -> Any:
    """Time `ours`, and each of the others before every round of it.

    The least and the median time of the others, in seconds, are left in
    `extra_info["beside"]` under their names.

    Returns:
        The answer of `ours`.
    """
    times: dict[str, list[float]] = {name: [] for name in others}

    def let_others_go() -> None:
        for name, work in others.items():
            started = perf_counter()
            work()
            times[name].append(perf_counter() - started)

    answer = benchmark.pedantic(ours, setup=let_others_go, rounds=rounds, warmup_rounds=1)
    benchmark.extra_info["beside"] = {
        name: {"min": min(taken), "median": median(taken)} for name, taken in times.items()
    }
    return answer
