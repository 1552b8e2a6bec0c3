"""What the commands that let something leave a run have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from survey_fast.cli.command import SECONDS, WORDS
from survey_fast.storage import COMMAND_WAIT

__all__ = ["disclosure_option", "wait_option"]

Decorator = Callable[[Any], Any]


def disclosure_option(*, more: str = "") -> Decorator:
    """``--allow-disclosure``; ``more`` says what this command does with it besides."""
    return click.option(
        "--allow-disclosure",
        metavar="RULE@POINTER",
        type=WORDS,
        multiple=True,
        help="Let one finding of the disclosure scan leave, as its refusal names it; the pointer "
        f"leads into the extraction envelope. {more}May be repeated.",
    )


def wait_option() -> Decorator:
    """``--wait``, for who reads under the shared lock."""
    return click.option(
        "--wait",
        metavar="SECONDS",
        type=SECONDS,
        default=COMMAND_WAIT,
        show_default=True,
        help="How long to wait for a writer.",
    )
