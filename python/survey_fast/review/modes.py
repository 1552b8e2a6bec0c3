"""The decision mode a producer asks for.

1. An item without a mode takes every decision.
2. ``keep-current`` takes that one kind. ``current-proposed`` takes what is about a candidate
   with one of those roles, ``free-select`` what is about any candidate of the item.
3. A decision that is about no single candidate takes none of them for an action, so it passes
   the last two modes. Could-not-confirm passes every mode, one that is unknown included.
4. Any other mode is unknown and takes nothing.
"""

from __future__ import annotations

from survey_fast.attest import Issue
from survey_fast.attest.issue import issues_json
from survey_fast.errors import DecisionError
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.results import Result
from survey_fast.review.state import ABSENT

__all__ = ["decision_mode_issues", "require_decision_mode"]


def decision_mode_issues(item: Item, result: Result) -> list[Issue]:
    """What the producer's mode has against a result; nothing when the mode takes it."""
    mode = item["spec"].get("producerPolicy", {}).get("decisionMode", ABSENT)
    if mode is ABSENT or result["decision"] == "could-not-confirm":
        return []
    fault = _fault(item, mode, result["decision"], result.get("selectedCandidateId"))
    return [] if fault is None else [Issue(*fault, item_name(item))]


def require_decision_mode(item: Item, result: Result) -> None:
    """Raise DecisionError (``decision-mode-violation``) unless the mode takes the result."""
    issues = decision_mode_issues(item, result)
    if issues:
        message = f"{item_name(item)!r}: {issues[0].message}"
        details = {"issues": issues_json(issues)}
        raise DecisionError(message, None, details, "decision-mode-violation")


def _fault(item: Item, mode: object, kind: str, candidate_id: str | None) -> tuple[str, str] | None:
    if mode == "keep-current":
        message = f"the producer's mode keeps what is current; this is {kind}"
        return None if kind == "keep-current" else ("decision-not-allowed", message)
    if mode not in ("current-proposed", "free-select"):
        return "unknown-decision-mode", f"{mode!r} is no decision mode, so it allows nothing"
    if candidate_id is None:
        return None
    roles = [one.get("role") for one in candidates_of(item) if one["id"] == candidate_id]
    if not roles:
        return "candidate-not-in-item", f"{candidate_id!r} is no candidate of this item"
    if mode == "free-select" or roles[0] in ("current", "proposed"):
        return None
    return "decision-not-allowed", f"the producer's mode takes no candidate of role {roles[0]}"
