"""The reliability diagram of ``calibrate --plot``.

One panel for all samples and one for each of the largest extractors: accuracy against confidence
with the diagonal of perfect calibration, an interval bar on every bin, the threshold if there is
one, and below it how many samples each bin holds. matplotlib is an extra and is loaded here only.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final

from survey_fast.audit.calibration import Bin, Calibration, Group, wilson_interval
from survey_fast.cli.output import visible
from survey_fast.errors import refusal

__all__ = ["FORMATS", "draw_calibration"]

FORMATS: Final = ("png", "svg")
_MOST_EXTRACTORS: Final = 5
_COLUMNS: Final = 3
_MOST_CHARACTERS: Final = 36
_INK: Final = "#1b4f72"
_BAR: Final = "#9fb8c9"
_THRESHOLD: Final = "#b9480e"
_MUTED: Final = "#6b7280"


def draw_calibration(calibration: Calibration, form: str) -> bytes:
    """The diagram as a ``png`` or ``svg``. The same calibration gives the same drawing.

    Raises ExtractionError (``extra-not-installed``) without matplotlib.
    """
    try:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        message = "drawing a diagram needs an extra: install survey-fast[plot]"
        raise refusal("extra-not-installed", message, details={"extra": "plot"}) from None
    groups = _shown(calibration)
    # Four panels make a square; otherwise rows are filled.
    columns = 2 if len(groups) == 4 else min(len(groups), _COLUMNS)  # noqa: PLR2004
    rows = -(-len(groups) // columns)
    settings: Any = {
        "svg.hashsalt": "survey-fast",
        "text.usetex": False,
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with warnings.catch_warnings(), mpl.rc_context(settings):
        # A name may hold characters that no installed font has; they are drawn as boxes.
        warnings.simplefilter("ignore")
        figure = Figure(figsize=(4.2 * columns, 4.6 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        parts = figure.subfigures(rows, columns, squeeze=False)
        for part, group in zip(parts.flat, groups, strict=False):
            _draw(part, group)
        drawn = BytesIO()
        # A date would make two drawings of the same figures differ.
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(drawn, format=form, dpi=144, metadata=metadata)
    return drawn.getvalue()


def _shown(calibration: Calibration) -> Sequence[Group]:
    """All samples together, then the extractors with the most, the first by name among equals."""
    if len(calibration.by_extractor) < 2:  # noqa: PLR2004 - one extractor is all there is
        return [calibration.overall]
    largest = sorted(calibration.by_extractor, key=lambda one: -one.sample_count)
    return [calibration.overall, *largest[:_MOST_EXTRACTORS]]


def _draw(part: Any, group: Group) -> None:  # noqa: ANN401 - matplotlib's own types load late
    upper, lower = part.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    bins = [one for one in group.bins if one.sample_count]
    upper.set_title(_title(group), parse_math=False, loc="left", fontsize=10)
    upper.plot(
        (0, 1), (0, 1), color=_MUTED, linewidth=1, linestyle="--", label="perfect calibration"
    )
    if bins:
        _draw_bins(upper, bins)
        widths = [one.upper_bound - one.lower_bound for one in bins]
        lower.bar(
            [one.lower_bound for one in bins],
            [one.sample_count for one in bins],
            width=widths,
            align="edge",
            color=_BAR,
            edgecolor="white",
        )
    else:
        upper.text(0.5, 0.5, "no samples", ha="center", va="center", color=_MUTED)
    if group.suggested_threshold is not None:
        # Every digit: rounded down, it would take in what nobody observed.
        text = f"threshold {group.suggested_threshold!r}"
        upper.axvline(group.suggested_threshold, color=_THRESHOLD, linewidth=1.2, label=text)
    upper.set_xlim(0, 1)
    upper.set_ylim(-0.02, 1.02)
    upper.set_ylabel("share that was right")
    upper.grid(color="#e5e7eb", linewidth=0.6)
    upper.set_axisbelow(True)
    upper.legend(loc="upper left", framealpha=0.9, edgecolor="white", fontsize=8)
    lower.set_ylabel("samples")
    lower.set_xlabel("confidence")


def _draw_bins(axes: Any, bins: Sequence[Bin]) -> None:  # noqa: ANN401 - as above
    places = [one.mean_predicted_confidence or 0.0 for one in bins]
    shares = [one.correct_count / one.sample_count for one in bins]
    ends = [wilson_interval(one.correct_count, one.sample_count) for one in bins]
    below = [max(0.0, share - low) for share, (low, _) in zip(shares, ends, strict=True)]
    above = [max(0.0, high - share) for share, (_, high) in zip(shares, ends, strict=True)]
    axes.errorbar(
        places,
        shares,
        yerr=(below, above),
        fmt="o-",
        color=_INK,
        ecolor=_INK,
        elinewidth=1.2,
        capsize=3,
        markersize=4,
        linewidth=1,
        label="observed, 90 % interval",
    )


def _title(group: Group) -> str:
    name = "all samples" if group.extractor is None else visible(group.extractor)
    short = name if len(name) <= _MOST_CHARACTERS else f"{name[: _MOST_CHARACTERS - 1]}…"
    return f"{short} (n = {group.sample_count:,})"
