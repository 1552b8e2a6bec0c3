"""How an extraction run ended, and which ranges of the text it read.

1. `outcome` is success, partial with a reason, or failure with a category and a code; its `status`
   is judged first. `partial` stands beside a partial outcome and only there, with the same reason.
2. A coverage entry is a non-empty range inside the prepared text. It has a reason exactly when its
   status is `unread`. Entries are ordered by start; they may overlap and repeat a chunk.
3. A success lists nothing but complete ranges. A loss lists at least one range that is not complete
   and was dispatched. An early stop and a failure may list anything or nothing.
4. Disagreement of coverage and outcome is reported at `coverage`.
"""

from __future__ import annotations

from tests.reference.credentials import require_identity
from tests.reference.refusal import Json, join
from tests.reference.wire import (
    inconsistent,
    missing,
    require_array,
    require_integer,
    require_members,
    require_object,
    require_word,
)

LOSSES = ("provider-failure", "content-truncated", "output-truncated")
REASONS = ("cancelled", "max-provider-calls", "max-total-tokens", "max-chunks", *LOSSES)
OUTCOME_MEMBERS = {
    "success": ("status",),
    "partial": ("status", "reason"),
    "failure": ("status", "category", "code"),
}
FAILURE_CATEGORIES = ("invalid-config", "invalid-task", "preparation", "provider", "unexpected")
COVERAGE_STATUSES = ("complete", "unread", "output-truncated")
UNREAD_REASONS = ("provider-failure", "content-truncated", "missing-tool-call", "not-dispatched")


def check_outcome(result: dict[str, Json], pointer: str) -> dict[str, Json]:
    """Rule 1; the outcome."""
    place = join(pointer, "outcome")
    if "status" not in require_object(result["outcome"], place):
        raise missing(join(place, "status"))
    status = require_word(result["outcome"]["status"], join(place, "status"), OUTCOME_MEMBERS)
    outcome = require_members(result["outcome"], place, OUTCOME_MEMBERS[status])
    if status == "partial":
        require_word(outcome["reason"], join(place, "reason"), REASONS)
    if status == "failure":
        require_word(outcome["category"], join(place, "category"), FAILURE_CATEGORIES)
        require_identity(outcome["code"], join(place, "code"))
    if ("partial" in result) != (status == "partial"):
        raise inconsistent(join(pointer, "partial"), f"does not fit the outcome {status}")
    if status == "partial":
        _check_partial(result["partial"], join(pointer, "partial"), outcome["reason"])
    return outcome


def _check_partial(value: Json, pointer: str, reason: str) -> None:
    partial = require_members(
        value, pointer, ("reason", "completedChunks", "remainingChunks"), ("tokenOvershoot",)
    )
    require_word(partial["reason"], join(pointer, "reason"), REASONS)
    if partial["reason"] != reason:
        raise inconsistent(join(pointer, "reason"), "the outcome gives another reason")
    require_integer(partial["completedChunks"], join(pointer, "completedChunks"))
    require_integer(partial["remainingChunks"], join(pointer, "remainingChunks"))
    if "tokenOvershoot" in partial:
        require_integer(partial["tokenOvershoot"], join(pointer, "tokenOvershoot"), least=1)


def check_coverage(value: Json, pointer: str, artifact: dict[str, Json] | None) -> None:
    """Rule 2."""
    if artifact is None:
        raise inconsistent(pointer, "coverage needs a prepared artifact")
    last_start = 0
    for at, entry in enumerate(require_array(value, pointer)):
        place = join(pointer, at)
        _check_entry(entry, place, artifact["contentLength"])
        if entry["start"] < last_start:
            raise inconsistent(join(place, "start"), "entries are ordered by start")
        last_start = entry["start"]


def _check_entry(value: Json, pointer: str, content_length: int) -> None:
    entry = require_members(value, pointer, ("chunk", "start", "end", "status"), ("reason",))
    require_integer(entry["chunk"], join(pointer, "chunk"), least=1)
    check_range(entry, pointer, content_length)
    status = require_word(entry["status"], join(pointer, "status"), COVERAGE_STATUSES)
    if ("reason" in entry) != (status == "unread"):
        raise inconsistent(join(pointer, "reason"), "a reason belongs to an unread range")
    if status == "unread":
        require_word(entry["reason"], join(pointer, "reason"), UNREAD_REASONS)


def check_range(members: dict[str, Json], pointer: str, content_length: int) -> None:
    """Start before end, end inside the text; both faults are reported at the end."""
    start = require_integer(members["start"], join(pointer, "start"))
    end = require_integer(members["end"], join(pointer, "end"))
    if start >= end:
        raise inconsistent(join(pointer, "end"), "the range is empty")
    if end > content_length:
        raise inconsistent(join(pointer, "end"), "the range leaves the prepared text")


def check_agreement(result: dict[str, Json], pointer: str) -> None:
    """Rule 3."""
    outcome = result["outcome"]
    unfinished = [entry for entry in result.get("coverage", []) if entry["status"] != "complete"]
    if outcome["status"] == "success" and unfinished:
        raise inconsistent(join(pointer, "coverage"), "a success read everything")
    lost = [entry for entry in unfinished if entry.get("reason") != "not-dispatched"]
    if outcome.get("reason") in LOSSES and not lost:
        raise inconsistent(join(pointer, "coverage"), "no range shows the loss")
