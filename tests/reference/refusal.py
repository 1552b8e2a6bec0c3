"""How the reference says no.

1. Every refusal is one exception with a `code` and a JSON pointer (RFC 6901) to the place.
2. The first fault found stops the work; there is never a list of refusals.
3. A pointer may name a member that is absent: that is where the member should have been.
"""

from __future__ import annotations

from typing import Any

# Any JSON value. Containers are plain dict and list; an integral number may be int or float.
Json = Any
ROOT = ""


class Refused(Exception):  # noqa: N818 - read as a sentence: the document is refused
    """A document breaks a rule.

    Attributes:
        code: the name of the broken rule.
        pointer: where in the document it is broken.
    """

    def __init__(self, pointer: str, code: str, message: str) -> None:
        super().__init__(f"{code} at {pointer or '(whole document)'}: {message}")
        self.code = code
        self.pointer = pointer


def join(pointer: str, step: str | int) -> str:
    """The pointer one step further in."""
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"
