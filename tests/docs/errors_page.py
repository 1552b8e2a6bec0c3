"""Writes the reference page of refusals from the code that raises them.

python -m tests.docs.errors_page > docs/errors.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby

from survey_fast.errors import CODES, SurveyError, refusal

INTRODUCTION = """\
# Errors

Whatever is wrong with data ends in a `SurveyError` with one of the codes below. A code is
contract; the message beside it is a sentence for a person and may change. `pointer` is the RFC 6901
pointer to the offending value, `details["offset"]` the byte in the text where it stands.

A call that no caller should make (a number where text belongs, an unknown profile, a cap out of
range) raises `TypeError` or `ValueError` instead and has no code.

The command line exits with the exit code of the refusal; a server answers with the HTTP status. In
a JSON answer the member `error` is `{"code", "message", "pointer"?, "details"?}`. A queue that
differs in several ways is one refusal, and `details["issues"]` lists all of them.
"""
COMMAND_LINE = """\
## The command line alone

These stand in answers of `survey-fast` and belong to no exception.

| code | meaning | exit code |
|---|---|---|
| `usage` | the arguments are no call of this command | 2 |
| `unverified` | items come from an import, and no import record was given to attest them with | 1 |
| `not-extraction` | nothing says that the queue came from an import, and no binding was given | 1 |
| `demo-failed` | a manipulation of the demo went unnoticed | 1 |

Diagnostics of an import (`excerpt-mismatch`, `digest-mismatch` and others) are data, not refusals:
see [formats](formats.md).
"""
HEAD = """\
| code | meaning | exit code | HTTP status |
|---|---|---|---|
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *sections(), COMMAND_LINE])


def sections() -> Iterator[str]:
    """One table for each class, in the order of the code."""
    refusals = [refusal(code, meaning) for code, meaning in CODES.items()]
    for kind, members in groupby(refusals, type):
        yield f"## {kind.__name__}\n\n{about(kind)}\n\n{HEAD}{''.join(map(row, members))}"


def about(kind: type[SurveyError]) -> str:
    """The first paragraph of a class's documentation, on one line, in Markdown."""
    paragraph = (kind.__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split()).replace("``", "`")


def row(one: SurveyError) -> str:
    """One line of a table."""
    meaning = one.message.replace("|", "\\|")
    return f"| `{one.code}` | {meaning} | {one.exit_code} | {one.http_status} |\n"


if __name__ == "__main__":
    sys.stdout.write(page())
