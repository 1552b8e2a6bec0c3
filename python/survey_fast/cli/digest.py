"""``survey-fast digest``: what JSON files hash to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from survey_fast import limits
from survey_fast.canon import Profile, canonical_digest
from survey_fast.cli.command import FILE, SurveyCommand, max_bytes
from survey_fast.cli.output import Output
from survey_fast.cli.reading import concerning, read_input
from survey_fast.errors import SurveyError

__all__ = ["command"]


@click.command(
    "digest",
    cls=SurveyCommand,
    arguments={"FILE...": "JSON files; - is standard input."},
    examples=[
        "survey-fast digest review-queue.json",
        "survey-fast digest --profile collated - < snapshot.json",
    ],
    exits={0: "every file has a digest", 1: "a file was refused; the others are still shown"},
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--profile",
    type=click.Choice(get_args(Profile)),
    default="jcs",
    show_default=True,
    help="Order of members: jcs is RFC 8785; collated checks digests of the reference system; "
    "as-stored leaves them where they are.",
)
@max_bytes
def command(
    *, files: tuple[Path, ...], profile: Profile, max_bytes: int | None, output: Output
) -> int:
    """Print the SHA-256 of JSON files in canonical form.

    Layout, order of members and spelling of numbers do not count, so two files have the same
    digest exactly when they say the same. A line has the digest, two spaces and the name.
    """
    shown: list[dict[str, Any]] = []
    failed: SurveyError | None = None
    for path in files:
        try:
            digest = _digest(path, profile, max_bytes, output)
        except SurveyError as error:
            failed = failed or error
            shown.append({"file": str(path), "error": error.to_json()})
            if not output.as_json:
                output.refuse(error)
            continue
        shown.append({"file": str(path), "digest": digest})
        output.line(f"{digest}  {path}")
    body = {"profile": profile, "files": shown}
    if failed is None:
        output.answer({"ok": True, **body})
        return 0
    output.answer({"ok": False, "error": failed.to_json(), **body})
    return failed.exit_code


def _digest(path: Path, profile: Profile, most: int | None, output: Output) -> str:
    with output.working(f"reading {path}"):
        source = read_input(path, limits.BUNDLE, most)
    with concerning(source), output.working(f"hashing {path}"):
        return canonical_digest(source.raw, profile, max_bytes=most)
