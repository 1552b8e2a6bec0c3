"""Verifying a run: every check, nothing written, and what a reader should know besides.

A log proves that nothing in it was changed. That nothing was taken from its end is told by a
revision kept elsewhere: with one, the history still has to hold what that revision saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError, refusal
from survey_fast.runs.layout import folder_name
from survey_fast.runs.opened import Run, open_run
from survey_fast.storage import COMMAND_WAIT, SYSTEM, FilePath, Files, LogView

__all__ = ["Notice", "Verified", "require_revision", "verify_run"]

_REVISION: Final = re.compile(r"(0|[1-9][0-9]{0,9}):([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that is no fault and that a reader should know: a name and a sentence."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        """``{code, message}``."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Verified:
    """A run that passed every check.

    Attributes:
        run: the run.
        notices: what a reader should know.
        not_attested: what nothing in the run attests.
    """

    run: Run
    notices: tuple[Notice, ...]
    not_attested: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        run = self.run
        body: dict[str, Any] = {
            "run": run.manifest.resource,
            "revision": run.revision,
            "events": run.log.count,
            "items": run.item_count,
            "proposals": run.proposal_count,
            "outcome": dict(run.outcome),
            "notices": [one.to_json() for one in self.notices],
        }
        return body | {"notAttested": list(self.not_attested)} if self.not_attested else body


def verify_run(
    path: FilePath,
    *,
    expect: str | None = None,
    wait: float = COMMAND_WAIT,
    files: Files = SYSTEM,
) -> Verified:
    """Check everything about the run in ``path``, without writing.

    Args:
        path: the run directory.
        expect: a revision token from earlier; the history has to start with what it saw.
        wait: seconds to wait for a writer.
        files: the file system.

    Raises:
        SurveyError: the first check that failed, as :func:`open_run`; ``stale-revision`` when the
            history no longer holds what ``expect`` saw.
        ValueError: ``expect`` is no revision token.
    """
    if expect is not None and _REVISION.fullmatch(expect) is None:
        message = "a revision is a count, a colon and 64 hexadecimal digits"
        raise ValueError(message)
    run = open_run(path, read_shared_lock=True, wait=wait, files=files)
    notices = list(_notices(run))
    if expect is not None and require_revision(run.log, expect):
        notices.append(Notice("history-grew", f"decisions were added since {expect}"))
    is_recheck = run.manifest.round["kind"] == "recheck"
    return Verified(run, tuple(notices), ("prior-side", "item-set") if is_recheck else ())


def require_revision(log: LogView, expect: str) -> bool:
    """Whether the history grew since ``expect``. Raises StaleRevisionError when it lost some."""
    if log.revision == expect:
        return False
    count, _, head = expect.partition(":")
    if int(count) < log.count and _head_at(log, int(count)) == head:
        return True
    raise _removed(log, expect)


def _removed(log: LogView, expect: str) -> SurveyError:
    message = (
        f"the history at {log.revision} does not hold what {expect} saw: decisions were removed "
        "or written anew"
    )
    details = {"expected": expect, "revision": log.revision, "count": log.count}
    return refusal("stale-revision", message, None, details)


def _head_at(log: LogView, count: int) -> str:
    """What the head was after ``count`` lines."""
    if not count:
        return log.root
    end = -1
    for _ in range(count):
        end = log.text.index(b"\n", end + 1)
    start = log.text.rfind(b"\n", 0, end) + 1
    return sha256_hex(log.text[start : end + 1])


def _notices(run: Run) -> Iterator[Notice]:
    if run.blocked is not None:
        message = "the run never bound its envelope; it can be read and not be decided"
        yield Notice(run.blocked, message)
    if run.is_renamed:
        name = folder_name(run.manifest.run_id)
        yield Notice("renamed", f"the directory is not called {name}; it takes no decisions here")
    if run.log.tail_bytes:
        message = f"{run.log.tail_bytes} bytes of an append that never finished are ignored"
        yield Notice("uncommitted-tail", message)
    if run.outcome["status"] != "success":
        yield Notice("partial-extraction", "the extraction did not read all of the text")
