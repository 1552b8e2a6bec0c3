"""Ending the round of a run: the host stamps its completion, and nothing is decided in it any more.

1. Every item has to be decided, or to have been resolved before the review. What is open is named.
2. What was looked at is what is completed: when anything was decided meanwhile, nothing is written.
3. A round is completed once.
"""

from __future__ import annotations

from typing import Final

from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SessionError
from survey_fast.review.events import EventWriter
from survey_fast.review.open_items import open_before
from survey_fast.review.stream import completion
from survey_fast.runs.append import Appended, Host, append_events
from survey_fast.runs.identity import SESSION_NAME
from survey_fast.runs.opened import Run, open_run
from survey_fast.storage import FilePath

__all__ = ["complete_run"]

_NAMED: Final = 20
"""Open items that a refusal names; the others are counted."""


@collector_paused()
def complete_run(path: FilePath, host: Host, *, expected_revision: str | None = None) -> Appended:
    """End the round of the run at ``path``, for good.

    Args:
        path: the run directory.
        host: who ends it, and when.
        expected_revision: refuse unless the run is still at this token.

    Raises:
        SessionError: ``unresolved-review-item`` with ``open`` and the first ``itemNames`` in
            ``details``; ``event-after-completion`` for a round that is over.
        RunConflictError: ``REVIEW_CONFLICT``: it is at another token, or somebody decided
            meanwhile.
        SurveyError: as :func:`survey_fast.runs.append.append_events` raises.
    """
    run = open_run(path, files=host.files)
    expected = run.revision if expected_revision is None else expected_revision
    if expected == run.revision and run.blocked is None and not run.is_renamed:
        # What is wrong with the run rather than with its round is for the append to say.
        _require_done(run)
    writer = EventWriter(SESSION_NAME, host.reviewer.id, host.now, sequence=run.log.count)
    return append_events(
        path,
        [writer.write(("session-completed", {}))],
        host,
        expected_revision=expected,
    )


def _require_done(run: Run) -> None:
    """Rules 1 and 3."""
    if completion(run.log.events, stamped=True) is not None:
        message = "the round of this run is over already"
        details = {"path": str(run.artifacts.path), "revision": run.revision}
        raise SessionError(message, None, details, "event-after-completion")
    names = open_before(run.outline, run.log.events, run.log.count + 1)
    if names:
        of = len(run.outline["items"])
        are = "is" if len(names) == 1 else "are"
        message = f"{len(names)} of {of} items {are} not decided, so the round is not done"
        told = {"open": len(names), "items": of, "itemNames": names[:_NAMED]}
        raise SessionError(message, None, told, "unresolved-review-item")
