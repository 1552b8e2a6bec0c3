"""What every command has: ``--json``, and help that teaches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from survey_fast.cli.clock import read_instant
from survey_fast.cli.interrupt import interruptible
from survey_fast.cli.output import Output
from survey_fast.limits import Cap

__all__ = [
    "FILE",
    "INSTANT",
    "NAMED",
    "SECONDS",
    "TARGET",
    "WORDS",
    "SurveyCommand",
    "capped",
    "is_stdout",
    "max_bytes",
    "max_items",
]


class SurveyCommand(click.Command):
    """A command whose help names its arguments, shows an example and lists its exit codes.

    Its function is given ``output`` in the place of ``--json`` and returns an exit code, or
    nothing for 0.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - as click declares it
        arguments: Mapping[str, str],
        examples: Sequence[str],
        exits: Mapping[int, str],
        **attributes: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **attributes)
        self.arguments = arguments
        self.examples = examples
        self.exits = {**exits, 2: "the command was used wrongly"}
        self.params.append(
            click.Option(
                ["--json", "as_json"],
                is_flag=True,
                help="Write one JSON document to standard output, also for a failure.",
            )
        )

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click declares it
        """Run the command with an ``output`` of the kind that was asked for."""
        as_json = ctx.params.pop("as_json")
        streamed = [one for one in self.params if _is_streamed(one, ctx)]
        if as_json and streamed:
            named = streamed[0].opts[0]
            message = f"--json and {named} {_DASH} would both be standard output; give {named} FILE"
            raise click.UsageError(message, ctx)
        ctx.params["output"] = Output(as_json=as_json, beside_document=bool(streamed))
        with interruptible():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, options, examples and exit codes, in this order."""
        if self.arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(list(self.arguments.items()))
        super().format_options(ctx, formatter)
        with formatter.section("Example" if len(self.examples) == 1 else "Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), said) for code, said in sorted(self.exits.items())])


class _Words(click.ParamType[str]):
    """Text that documents can hold. An argument that is not UTF-8 is none."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail("this is not UTF-8", param, ctx)
        return value


class _Instant(_Words):
    """A point in time, kept in its canonical form."""

    name = "instant"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return read_instant(super().convert(value, param, ctx))
        except ValueError:
            self.fail(
                "an instant has a date, a time and a zone, as in 2026-01-31T09:00:00Z", param, ctx
            )


class _Seconds(click.FloatRange):
    """A time to wait, an hour at most. What is no number is no time."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click declares it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value!r} is no number of seconds", param, ctx)
        return seconds


class _Target(click.Path):
    """A file to write, or standard output."""

    def __init__(self, *, refusing: str = "") -> None:
        super().__init__(path_type=Path, readable=False)
        self._refusing = refusing

    def convert(
        self,
        value: Any,  # noqa: ANN401 - as click declares it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Path:
        if value == _DASH:
            if self._refusing:
                self.fail(self._refusing, param, ctx)
            return _STDOUT
        path: Any = super().convert(value, param, ctx)
        # As a path, the file ./- is written like standard output.
        named: Path = path.absolute() if path == _STDOUT else path
        return named


_DASH: Final = "-"
_STDOUT: Final = Path(_DASH)


def is_stdout(target: Path) -> bool:
    """Whether a value of :data:`TARGET` stands for standard output."""
    return target == _STDOUT


def _is_streamed(option: click.Parameter, ctx: click.Context) -> bool:
    return option.type is TARGET and ctx.params.get(option.name or "") == _STDOUT


FILE: Final = click.Path(path_type=Path, readable=False)
"""A path as it was given; whether it may be read is for ``storage`` to say."""
TARGET: Final = _Target()
"""A file to write; ``-`` is standard output, and then whatever is said is said beside it."""
NAMED: Final = _Target(refusing="standard output cannot stand for it; ./- is one of that name")
"""What is to be written and has to have a name."""
WORDS: Final = _Words()
INSTANT: Final = _Instant()
SECONDS: Final = _Seconds(0, 3600)

max_bytes: Final = click.option(
    "--max-bytes",
    metavar="N",
    type=click.IntRange(1, 1 << 30),
    help="Most bytes to read from one file, instead of the limit for its kind.",
)
max_items: Final = click.option(
    "--max-items",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="Most items or proposals, instead of 10000.",
)


def capped(cap: Cap, most: int | None) -> int | None:
    """``--max-bytes`` for a file of one kind: never above the ceiling of that kind."""
    return None if most is None else min(most, cap.ceiling)
