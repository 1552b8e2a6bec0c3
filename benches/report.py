"""The measurements of one run as one table, and a verdict.

`python -m benches.report build/bench.json` prints it: laid out for a terminal, as Markdown into a
file or a pipe. The exit code is 1 when a bound is exceeded, or when a measurement that a bound
needs is missing. Ratios are of the least times, which other work on the machine disturbs least.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benches.data import LARGE, SMALL
from benches.rows import ROWS, Row

HEADINGS = ("work", "ours, min", "median", "baseline", "min", "ratio", "bound", "verdict")
LEFT = (0, 3, 7)
MEBIBYTE = 1024 * 1024


class Figures(NamedTuple):
    """Both sides of a row, in the unit of its kind."""

    ours: float
    median: float
    baseline: float


def read(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The run, and its measurements by name."""
    run = json.loads(path.read_bytes())
    return run, {one["name"]: one for one in run["benchmarks"]}


def title(run: dict[str, Any]) -> str:
    """Where and when; the figures mean nothing without it."""
    machine = run["machine_info"]
    cpu = machine["cpu"]
    return (
        f"{cpu['count']} x {cpu['brand_raw']}, {machine['python_implementation']} "
        f"{machine['python_version']}, {run['datetime'][:10]}. "
        "10,000 items of about 3.2 KB where a row does not say otherwise."
    )


def figures(row: Row, measured: dict[str, dict[str, Any]]) -> Figures | None:
    """The figures of a row; None when a measurement is missing."""
    ours = measured.get(row.ours)
    if ours is None:
        return None
    more = ours["extra_info"]
    if row.kind == "memory":
        return Figures(more["peak_bytes"], more["peak_bytes"], more[row.against])
    other = more.get("beside", {}).get(row.against)
    if other is None:
        if row.against not in measured:
            return None
        other = measured[row.against]["stats"]
    stats = ours["stats"]
    if row.kind == "time-per-item":
        return Figures(stats["min"] / LARGE, stats["median"] / LARGE, other["min"] / SMALL)
    return Figures(stats["min"], stats["median"], other["min"])


def is_kept(row: Row, found: Figures | None) -> bool:
    """Whether the row's bound holds; a row without one cannot fail."""
    if row.bound is None:
        return True
    return found is not None and found.ours <= row.bound * found.baseline


def cells(row: Row, found: Figures | None) -> tuple[str, ...]:
    """A row as text."""
    bound = limit(row)
    if found is None:
        return (row.work, "", "", row.baseline, "", "", bound, "MISSING")
    ours, median, baseline = (amount(row, figure) for figure in found)
    verdict = "OVER" if not is_kept(row, found) else "ok" if bound else ""
    shown = "" if row.kind == "memory" else median
    return (
        row.work,
        ours,
        shown,
        row.baseline,
        baseline,
        factor(row, found.ours / found.baseline),
        bound,
        verdict,
    )


def amount(row: Row, figure: float) -> str:
    """A figure with its unit."""
    match row.kind:
        case "memory":
            return f"{figure / MEBIBYTE:,.1f} MiB"
        case "time":
            return f"{figure * 1e3:,.2f} ms"
        case "time-per-item":
            return f"{figure * 1e6:,.2f} us"


def factor(row: Row, ratio: float) -> str:
    """How ours stands to the baseline, in the direction that reads well."""
    return f"{ratio:.2f} x" if ratio >= 1 else f"{1 / ratio:,.1f} x {better(row)}"


def limit(row: Row) -> str:
    """A bound, said as `factor` says a ratio."""
    if row.bound is None:
        return ""
    return f"<= {row.bound:g} x" if row.bound >= 1 else f">= {1 / row.bound:g} x {better(row)}"


def better(row: Row) -> str:
    """The word for a ratio below 1."""
    return "faster" if row.kind == "time" else "less"


def print_for_people(lines: Iterable[Sequence[str]], heading: str) -> None:
    """The table for a terminal."""
    table = Table(title=heading, title_justify="left", header_style="bold")
    for place, name in enumerate(HEADINGS):
        table.add_column(
            name, justify="left" if place in LEFT else "right", no_wrap=place not in LEFT
        )
    colours = {"ok": "green", "OVER": "bold red", "MISSING": "bold red"}
    for line in lines:
        table.add_row(
            *line[:-1], line[-1], style=None if line[-1] == "ok" else colours.get(line[-1])
        )
    Console().print(table)


def print_markdown(lines: Sequence[Sequence[str]], heading: str) -> None:
    """The table for a file, a pipe or a page of documentation."""
    widths = [max(map(len, column)) for column in zip(HEADINGS, *lines, strict=True)]
    rule = [
        "-" * width if place in LEFT else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    print(heading)
    print()
    for line in (HEADINGS, rule, *lines):
        padded = [
            cell.ljust(width) if place in LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("| " + " | ".join(padded) + " |")


def main(arguments: Sequence[str]) -> int:
    """Print the report on the file named; 1 when a bound does not hold."""
    if len(arguments) != 1:
        print("usage: python -m benches.report FILE", file=sys.stderr)
        return 2
    run, measured = read(Path(arguments[0]))
    found = [(row, figures(row, measured)) for row in ROWS]
    lines = [cells(row, pair) for row, pair in found]
    if sys.stdout.isatty():
        print_for_people(lines, title(run))
    else:
        print_markdown(lines, title(run))
    return 0 if all(is_kept(row, pair) for row, pair in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
