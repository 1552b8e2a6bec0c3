"""The options of the commands that add to a session: who, at which revision, how long to wait."""

from __future__ import annotations

from collections.abc import Callable

import click

from survey_fast.cli.command import SECONDS, WORDS
from survey_fast.cli.revision import REVISION, REVISION_WORD
from survey_fast.review.attribution import Reviewer

__all__ = ["deciding", "reviewer_of"]

_OPTIONS = (
    click.option(
        "--expect",
        metavar=REVISION_WORD,
        type=REVISION,
        help="Refuse if anything was added since this revision.",
    ),
    click.option(
        "--wait",
        metavar="SECONDS",
        type=SECONDS,
        default=10.0,
        show_default=True,
        help="How long to wait while someone else writes.",
    ),
    click.option(
        "--reviewer", metavar="ID", type=WORDS, help="Who decides  [default: unattributed]"
    ),
    click.option("--agent", is_flag=True, help="The reviewer is an agent."),
)


def deciding(command: Callable[..., int]) -> Callable[..., int]:
    """A command with ``--expect``, ``--wait``, ``--reviewer`` and ``--agent``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def reviewer_of(reviewer: str | None, *, is_agent: bool) -> Reviewer:
    """Who the options say decides.

    Raises:
        DecisionError: ``decision-malformed`` for an id that is none.
        UsageError: an agent without a name.
    """
    if reviewer is not None:
        return Reviewer.named(reviewer, "agent" if is_agent else "human")
    if is_agent:
        message = "--agent says what the --reviewer is; give both"
        raise click.UsageError(message)
    return Reviewer()
