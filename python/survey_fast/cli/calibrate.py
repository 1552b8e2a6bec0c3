"""``survey-fast calibrate``: how often values were right that a model was so and so sure of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.cli.clock import Clock, canonical_instant
from survey_fast.cli.command import FILE, INSTANT, SurveyCommand, max_bytes
from survey_fast.cli.output import MOST_ROWS, Output, counted

__all__ = ["command"]

_ORIGINS: Final = {
    "run": "runs, replayed and applied here",
    "session": "sessions, replayed and applied here",
    "bundle": "bundles, through reviewed evidence that was restored",
    "survey-input": "survey inputs, taken at their word",
}
_NUMERIC: Final = "samples|right|accuracy|at least|confidence|gap|threshold"
_FIGURES: Final = ("samples", "right", "accuracy", "at least", "confidence", "gap", "threshold")


class _Share(click.FloatRange):
    """A number above 0, up to a limit. What is no number is none."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click declares it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no number", param, ctx)
        return number


@click.command(
    "calibrate",
    cls=SurveyCommand,
    arguments={
        "INPUT...": "Runs (directories), sessions (NAME.json), survey inputs, trust bundles or the "
        "exports that hold them, in any mixture; "
        "- reads a survey input or a bundle from standard input."
    },
    examples=[
        "survey-fast calibrate audit-2026-09.json --audit-samples-only",
        "survey-fast calibrate round.json audit.json --plot reliability.svg",
        "survey-fast calibrate input.json --window-days 90 --now 2026-01-31T09:00:00Z --json",
    ],
    exits={0: "calculated, also from no sample at all", 1: "an input was refused"},
)
@click.argument("inputs", metavar="INPUT...", type=FILE, nargs=-1, required=True)
@click.option(
    "--audit-samples-only",
    is_flag=True,
    help="Only decisions of score-blind random audits: the only ones that scores cannot have "
    "influenced, on items that nobody picked.",
)
@click.option(
    "--include-auto-accepted",
    is_flag=True,
    help="Also what a rule accepted, which says that the score was high and nothing more.",
)
@click.option(
    "--bins",
    metavar="N",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Bins of equal width between confidence 0 and 1.",
)
@click.option(
    "--target-accuracy",
    metavar="SHARE",
    type=_Share(0, 1, min_open=True),
    default=0.95,
    show_default=True,
    help="What a bin has to show, with 95 % certainty, to be above the threshold.",
)
@click.option(
    "--min-samples",
    metavar="N",
    type=click.IntRange(1),
    default=30,
    show_default=True,
    help="Samples that a bin needs to show anything.",
)
@click.option(
    "--window-days",
    metavar="DAYS",
    type=_Share(0, 36_525, min_open=True),
    help="Only reviews of the last days.",
)
@click.option(
    "--now", metavar="INSTANT", type=INSTANT, help="The end of the window  [default: now]"
)
@click.option(
    "--plot",
    metavar="FILE",
    type=FILE,
    help="Draw a reliability diagram, .png or .svg. Needs the extra survey-fast[plot].",
)
@click.option("--force", is_flag=True, help="Replace FILE of --plot where it stands.")
@max_bytes
@click.pass_obj
def command(
    clock: Clock,
    /,
    *,
    inputs: tuple[Path, ...],
    plot: Path | None,
    force: bool,
    max_bytes: int | None,
    output: Output,
    now: str | None,
    **options: Any,  # noqa: ANN401 - one for each option of the calculation
) -> int:
    """Compare how sure a model was with how often reviewers found it right.

    Every reviewed value is a sample: right when the reviewer took it as it was, wrong when it was
    rejected, replaced, edited or passed over in a choice. What could not be confirmed is no sample.

    \b
    accuracy    share of the samples that were right
    at least    what that shows with 95 % certainty (lower end of Wilson's interval); few samples
                show little, however good
    confidence  what the model expected on average
    gap         confidence minus accuracy; above 0 the model is too sure
    threshold   going down from the top bin, the last bin that shows the target; the smallest
                confidence that was observed in it. "-" when the top bin does not show it

    A threshold is advice for a person, never a policy. Every bin is tested by itself, and values
    of one document tend to be right or wrong together: with few documents it promises too much.
    Reviews made with the scores in sight flatter them; --audit-samples-only leaves those out.
    """  # noqa: D301 - click's mark for text that keeps its lines
    from survey_fast.audit.calibration import derive_calibration
    from survey_fast.cli.calibrate_input import Read, labels_in

    form = None if plot is None else _form(plot)
    if plot is not None:
        _require_no_input(plot, inputs)
    end = _end(now, clock, options["window_days"])
    read: dict[str, Read] = {}
    with output.working("reading"):
        for path in inputs:
            one = labels_in(path, max_bytes=max_bytes)
            if one.digest in read:
                output.note(f"{one.name} is the same as {read[one.digest].name}; counted once")
            read.setdefault(one.digest, one)
        calibration = derive_calibration(
            [one.labels for one in read.values()],
            audit_samples_only=options["audit_samples_only"],
            include_auto_accepted=options["include_auto_accepted"],
            bin_count=options["bins"],
            target_accuracy=options["target_accuracy"],
            min_bin_samples=options["min_samples"],
            now=end,
            window_days=options["window_days"],
        )
    body: dict[str, Any] = {"ok": True, "calibration": calibration.to_json()}
    if plot is not None and form is not None:
        from survey_fast.cli.calibrate_plot import draw_calibration
        from survey_fast.storage import publish

        with output.working("drawing"):
            drawn = draw_calibration(calibration, form)
        publish(plot, drawn, replacing=force)
        body["plot"] = str(plot)
    output.answer(body)
    if not output.as_json:
        _tell(output, calibration.to_json())
        if plot is not None:
            output.line(f"drawn into {plot}", "good")
    return 0


def _form(plot: Path) -> str:
    form = plot.suffix.lower().removeprefix(".")
    if form not in {"png", "svg"}:
        message = "the name of the diagram ends with .png or .svg"
        raise click.BadParameter(message, param_hint="--plot")
    return form


def _require_no_input(plot: Path, inputs: Sequence[Path]) -> None:
    """Refuse a diagram that would be drawn over what is read, or into a run."""
    from survey_fast.cli.calibrate_input import is_folder
    from survey_fast.cli.publishing import require_other, require_outside

    require_other(plot, *inputs)
    for one in filter(is_folder, inputs):
        require_outside(one, plot)


def _end(now: str | None, clock: Clock, window_days: float | None) -> str | None:
    """The end of the window, if there is one; a window that no calendar holds is wrong usage."""
    from survey_fast.audit.calibration.times import window_of

    if window_days is None:
        if now is not None:
            message = "it ends a window, so it goes with --window-days"
            raise click.BadParameter(message, param_hint="--now")
        return None
    end = now or canonical_instant(clock())
    try:
        window_of(end, window_days)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param_hint="--window-days") from None
    return end


def _tell(output: Output, found: dict[str, Any]) -> None:
    overall = found["overall"]
    samples = counted(found["sampleCount"], "sample")
    documents = counted(overall["documentCount"], "document")
    output.line(f"{samples} from {documents}", "heading")
    if "windowStart" in found:
        output.line(f"reviews from {found['windowStart']} on")
    output.line()
    output.pairs([(_ORIGINS[one["origin"]], _came(one)) for one in found["origins"]])
    _tell_skipped(output, found["skipped"])
    if not found["sampleCount"]:
        output.line()
        output.line("nothing to calibrate on", "bad")
        return
    _tell_groups(output, found)
    _tell_bins(output, overall["bins"])
    if any(one["origin"] == "survey-input" and one["sampleCount"] for one in found["origins"]):
        output.paragraph(
            "A survey input says itself how its reviews were made; sessions and runs are checked."
        )


def _came(one: dict[str, Any]) -> str:
    read, samples = counted(one["inputCount"], "input"), counted(one["sampleCount"], "sample")
    return f"{read}, {samples}, {one['skippedCount']:,} skipped"


def _tell_skipped(output: Output, skipped: dict[str, int]) -> None:
    from survey_fast.audit.calibration import SKIPPED

    if skipped:
        output.line()
        output.line("skipped")
        output.pairs([(f"{count:,}", SKIPPED[reason]) for reason, count in skipped.items()])


def _tell_groups(output: Output, found: dict[str, Any]) -> None:
    several = len(found["byExtractor"]) > 1
    rows = [("all", "all", *_figures(found["overall"]))] if several else []
    fields = found["byExtractorAndField"]
    rows += [(one["extractor"], "all", *_figures(one)) for one in found["byExtractor"]]
    rows += [(one["extractor"], one["field"], *_figures(one)) for one in fields]
    output.line()
    output.table(("extractor", "field", *_FIGURES), rows[:MOST_ROWS], right=_NUMERIC, keys=2)
    if len(rows) > MOST_ROWS:
        output.line(f"and {len(rows) - MOST_ROWS:,} more; --json lists all")


def _figures(one: dict[str, Any]) -> Sequence[str]:
    return (
        f"{one['sampleCount']:,}",
        f"{one['correctCount']:,}",
        _share(one, "empiricalAccuracy"),
        _share(one, "accuracyLowerBound"),
        _share(one, "meanPredictedConfidence"),
        f"{one['calibrationGap']:+.3f}" if "calibrationGap" in one else "-",
        _exact(one["suggestedThreshold"]) if "suggestedThreshold" in one else "-",
    )


def _exact(number: float) -> str:
    """Every digit: rounded down, a threshold would take in what nobody observed."""
    return repr(int(number) if number.is_integer() else number)


def _share(one: dict[str, Any], name: str) -> str:
    return f"{one[name]:.3f}" if name in one else "-"


def _tell_bins(output: Output, bins: Sequence[dict[str, Any]]) -> None:
    rows = [
        (
            f"{one['lowerBound']:g} to {one['upperBound']:g}",
            f"{one['sampleCount']:,}",
            f"{one['correctCount']:,}",
            _share(one, "empiricalAccuracy"),
            _share(one, "accuracyLowerBound"),
            f"{_exact(one['lowestConfidence'])} to {_exact(one['highestConfidence'])}",
        )
        for one in reversed(bins)
        if one["sampleCount"]
    ]
    columns = ("bin", "samples", "right", "accuracy", "at least", "observed")
    output.line()
    output.table(columns, rows[:MOST_ROWS], right=_NUMERIC)
