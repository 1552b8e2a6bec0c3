"""The command line: parse, call, show. Nothing is decided here."""

from survey_fast.cli.contents import cli, main

__all__ = ["cli", "main"]
