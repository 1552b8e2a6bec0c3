"""A revision as it is typed: of a run or of a session, as some command told it."""

from __future__ import annotations

import re
from typing import Final

import click

__all__ = ["REVISION", "REVISION_WORD"]

_REVISION: Final = re.compile(r"(0|[1-9][0-9]{0,9}):[0-9a-f]{64}")
REVISION_WORD: Final = "N:HEAD"
"""What stands for one in help."""


class _Revision(click.ParamType[str]):
    """How many events there are, a colon, and 64 hexadecimal digits."""

    name = "revision"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if _REVISION.fullmatch(value) is None:
            message = f"a revision is {REVISION_WORD}, as verify, decide and show tell it"
            self.fail(message, param, ctx)
        return value


REVISION: Final = _Revision()
