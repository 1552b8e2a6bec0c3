"""The table of contents: every command by section, each loaded when it is called.

What ends a command is turned into an exit code here, and nowhere else: a refusal into its own,
wrong usage into 2, an interruption into 130, a closed pipe into 141.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final

import click

from survey_fast.cli.clock import system_clock
from survey_fast.cli.interrupt import INTERRUPTED
from survey_fast.cli.nearest import did_you_mean, nearest
from survey_fast.cli.output import Output
from survey_fast.errors import FileError, SurveyError

__all__ = ["SECTIONS", "cli", "run_program"]

_PROGRAM: Final = "survey-fast"
_USAGE: Final = 2
_PIPE_CLOSED: Final = 141


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its name, its line in the table, and the module that holds it."""

    name: str
    summary: str
    module: str


SECTIONS: Final = {
    "Start here": (
        Entry("demo", "Watch a document being extracted, decided, verified and exported", "demo"),
    ),
    "Extract": (
        Entry(
            "extract", "Have values proposed for the fields of a task, with their words", "extract"
        ),
    ),
    "Import and attest": (
        Entry(
            "import", "Turn an extraction envelope into a review queue, and bind it", "importing"
        ),
        Entry("attest", "Check that a stored queue is still what its import derives", "attest"),
    ),
    "Runs": (
        Entry("run", "Make a run of each source: extracted, imported, opened and bound", "run"),
        Entry("import-run", "Take over a run of the reference system", "import_run"),
        Entry("decide", "Decide one item of a run, or many in one batch", "decide_run"),
        Entry("complete", "End the round of a run once everything is decided", "complete"),
        Entry("verify", "Check runs from their words to their last decision", "verify"),
        Entry("describe", "Say what state every claim of a run is in", "describing"),
        Entry("export", "Export what is decided in a run, with its evidence", "exporting"),
        Entry("inspect", "Show where values of a run stand in its text", "inspecting"),
    ),
    "Review": (
        Entry("session new", "Open a session over a queue or an import", "session.new"),
        Entry("session show", "List its items, their values and what was decided", "session.show"),
        Entry("session decide", "Decide one item, or many in one batch", "session.decide"),
        Entry("session complete", "End the round once everything is decided", "session.complete"),
        Entry("session apply", "Turn its decisions into results", "session.apply"),
        Entry("session export", "Make a trust bundle of its decisions", "session.export"),
        Entry("session attest", "Check queue, import, events and log", "session.attest"),
        Entry("session audit", "Open a blind random audit over its items", "session.audit"),
        Entry("session convert", "Take over a session that is one file", "session.convert"),
        Entry("session pack", "Write a session as one file", "session.pack"),
    ),
    "Trust bundles": (
        Entry("bundle validate", "Check a trust bundle against its format", "bundle.validate"),
        Entry("bundle report", "Derive the status of every claim of a bundle", "bundle.report"),
    ),
    "Digests and audits": (
        Entry("digest", "Print the SHA-256 of JSON files in canonical form", "digest"),
        Entry("audit-sample", "Draw items for a random audit, by rate and seed", "audit_sample"),
        Entry("calibrate", "Compare how sure a model was with how often it was right", "calibrate"),
    ),
}
_FAMILIES: Final = {
    "bundle": "Trust bundles: what is claimed, on which evidence, and what that amounts to.",
    "session": "Review: who decided what, over which rivals, and against exactly which queue.",
}
_ENTRIES: Final = {entry.name: entry for entries in SECTIONS.values() for entry in entries}


class Family(click.Group):
    """Commands whose names start with the same words, as far as the table has them.

    Its own name is what they start with: nothing for the group of all commands.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Next words of the names, in the order of the table."""
        words = (name.removeprefix(self._start).split()[0] for name in self._entries())
        return list(dict.fromkeys(words))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, loaded now, or the family of that name."""
        name = f"{self._start}{cmd_name}"
        entry = _ENTRIES.get(name)
        if entry is not None:
            command: click.Command = import_module(f"survey_fast.cli.{entry.module}").command
            return command
        is_family = cmd_name in self.list_commands(ctx)
        return Family(name, help=_FAMILIES[name]) if is_family else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; one that does not exist is answered with those like it."""
        word = args[0]
        if not word.startswith("-") and self.get_command(ctx, word) is None:
            meant = did_you_mean(self._near(word))
            message = f"No such command {word!r}." + (f" {meant.capitalize()}" if meant else "")
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def _near(self, word: str) -> list[str]:
        """Names of this part of the table that begin or end with a word like this one."""
        named = [name.removeprefix(self._start) for name in self._entries()]
        known = {name.rpartition(" ")[2]: name for name in reversed(named)}
        known |= {name.split()[0]: name.split()[0] for name in named}
        return list(dict.fromkeys(known[one] for one in nearest(word, known)))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """This part of the table of contents."""
        shown = self._entries()
        widest = max(map(len, shown))
        for title, entries in SECTIONS.items():
            rows = [(f"{one.name:<{widest}}", one.summary) for one in entries if one.name in shown]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    @property
    def _start(self) -> str:
        return f"{self.name} "

    def _entries(self) -> list[str]:
        return [name for name in _ENTRIES if name.startswith(self._start)]


class Contents(Family):
    """The group of all commands."""

    @property
    def _start(self) -> str:
        return ""

    def main(  # type: ignore[override]  # click declares two ways of calling it
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,  # noqa: FBT002
        **extra: Any,  # noqa: ANN401 - as click declares it
    ) -> int:
        """Run a command line. Exits, unless ``standalone_mode=False`` asks for the code."""
        given = sys.argv[1:] if args is None else list(args)
        extra.setdefault("obj", system_clock)
        run = partial(super().main, given, prog_name, complete_var, standalone_mode=False, **extra)
        code = _ended(run, Output(as_json="--json" in given))
        if standalone_mode:
            sys.exit(code)
        return code

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401
        """Read the command line; this is where help is printed."""
        with _cut_short():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click declares it
        """Run the command."""
        with _cut_short():
            return super().invoke(ctx)


@contextmanager
def _cut_short() -> Iterator[None]:
    """Exit codes for two ends that click would comment on, or give a code of its own."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _silence(sys.stdout)
        raise click.exceptions.Exit(_PIPE_CLOSED) from None


def _ended(run: Callable[[], object], output: Output) -> int:
    """The exit code of a run, whatever it ended in."""
    try:
        code = run()
        sys.stdout.flush()
    except click.ClickException as fault:
        return _misused(fault, output)
    except click.Abort:
        return INTERRUPTED
    except SurveyError as error:
        output.refuse(error)
        return error.exit_code
    except BrokenPipeError:
        _silence(sys.stdout)
        return _PIPE_CLOSED
    except OSError as fault:
        # Files are read and written in storage, which names its refusals; this is the output.
        _silence(sys.stdout)
        output.note(f"{_PROGRAM}: standard output: {fault.strerror or fault}", "bad")
        return FileError.exit_code
    return code if isinstance(code, int) else 0


def _misused(fault: click.ClickException, output: Output) -> int:
    """Wrong usage, explained: to people by click, or in the JSON document."""
    if output.as_json:
        error = {"code": "usage", "message": fault.format_message()}
        output.answer({"ok": False, "error": error})
    else:
        fault.show()
    return _USAGE


def _silence(stream: io.TextIOBase | Any) -> None:  # noqa: ANN401 - whatever stands for a stream
    """Let what is still buffered go nowhere, so that nobody complains about it at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@click.group(
    cls=Contents,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "Every command explains itself with --help, and writes one JSON document with --json. "
        "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 exported in part."
    ),
)
@click.version_option(package_name="survey-fast", message=f"{_PROGRAM} %(version)s")
def cli() -> None:
    """Import what a model extracted, and prove later that nothing of it was changed.

    A model's values come with the words they were read from. Importing checks those words and
    gives a queue to review; attesting shows that a stored queue is still exactly that set.
    """


def run_program() -> None:
    """The program ``survey-fast``, on the streams of its process."""
    # A stream that the caller closed is absent; what is said there is said to nobody.
    sys.stdout = sys.stdout or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets its number instead.
            stream.reconfigure(errors="backslashreplace")
    cli.main(prog_name=_PROGRAM)
