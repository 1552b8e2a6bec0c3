"""The command line: parse, call, show. Nothing is decided here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from survey_fast.cli.contents import cli

__all__ = ["cli", "main"]


def main() -> None:
    """The program ``survey-fast``."""
    # Loading takes long enough to be interrupted, what says how to end included.
    try:
        from survey_fast.cli.interrupt import end_at_once

        end_at_once()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    from survey_fast.cli.contents import run_program

    run_program()


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the group of all commands
    if name != "cli":
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from survey_fast.cli.contents import cli

    return cli
