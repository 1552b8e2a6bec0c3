"""From results to the product's own actions.

1. Could-not-confirm and decisions about several candidates ask for no action.
2. Every other result gives at least one, unless the caller skips it.
3. A result is only mapped when it says of its candidate what the item says: a result that does
   not fit, or belongs to no item, is a fault. All faults are collected, then raised as one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from survey_fast.attest import Issue
from survey_fast.attest.issue import issues_json
from survey_fast.errors import DecisionError, SurveyError, refusal
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.display import same_value
from survey_fast.review.results import Result
from survey_fast.review.shape import check_item
from survey_fast.review.state import ABSENT

__all__ = [
    "ActionContext",
    "Expectation",
    "MappedAction",
    "collect_actions",
    "map_results_to_actions",
    "result_for_item",
    "result_matches",
]

Action = TypeVar("Action")


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What a mapping sees of one result."""

    result: Result
    item: Item


@dataclass(frozen=True, slots=True)
class MappedAction(Generic[Action]):
    """One action with the result and the item that it comes from."""

    result: Result
    item: Item
    action: Action

    def to_json(self) -> dict[str, Any]:
        """``{result, item, action}``."""
        return {"result": self.result, "item": self.item, "action": self.action}


Mapper = Callable[[ActionContext], Action | list[Action] | None]
Skip = Callable[[ActionContext], bool]


def map_results_to_actions(
    results: Sequence[Result],
    items: Sequence[Item],
    to_actions: Mapper[Action],
    *,
    require_unique_targets: bool = False,
    skip: Skip | None = None,
) -> list[MappedAction[Action]]:
    """The actions of all results, in their order.

    Args:
        results: the results of an apply.
        items: the queue they were made over.
        to_actions: gives one action, a list of them, or nothing.
        require_unique_targets: refuse two items about one target.
        skip: which results ask for no action.

    Raises:
        DecisionError: ``action-mapping-failed``, every fault in ``details["issues"]``.
    """
    actions, issues = collect_actions(
        results, items, to_actions, require_unique_targets=require_unique_targets, skip=skip
    )
    if issues:
        raise _failed(issues)
    return actions


def collect_actions(
    results: Sequence[Result],
    items: Sequence[Item],
    to_actions: Mapper[Action],
    *,
    require_unique_targets: bool = False,
    skip: Skip | None = None,
) -> tuple[list[MappedAction[Action]], list[Issue]]:
    """The actions of all results and the faults that were found; neither hides the other.

    Raises:
        JsonError, SessionError, DecisionError: plain data that holds no items, or no results.
    """
    for place, one in enumerate(items):
        check_item(one, f"/items/{place}")
    _check_results(results)
    issues = [*_name_issues(items), *(_target_issues(items) if require_unique_targets else ())]
    by_name = {item_name(item): item for item in items}
    actions: list[MappedAction[Action]] = []
    for result in results:
        item = by_name.get(result["reviewItemName"])
        fault = _result_fault(item, result)
        if fault is not None:
            issues.append(Issue(*fault, result["reviewItemName"]))
        if fault is not None or item is None or _asks_for_nothing(result):
            continue
        context = ActionContext(result, item)
        if skip is not None and skip(context):
            continue
        found = _listed(to_actions(context))
        if not found:
            message = "the mapping gives no action for this result and does not skip it"
            issues.append(Issue("unmapped-review-result", message, item_name(item)))
        actions += [MappedAction(result, item, one) for one in found]
    return actions, issues


def _check_results(results: Sequence[object]) -> None:
    for place, result in enumerate(results):
        _check_result(result, f"/results/{place}")


def _check_result(result: object, pointer: str) -> None:
    """Raise DecisionError (``decision-malformed``) unless what is read of a result is there."""
    if not isinstance(result, Mapping):
        message = f"a result is a mapping, not {type(result).__name__}"
        raise TypeError(message)
    if "selectedCandidateId" in result and "selectedValue" not in result:
        message = "a result that names a candidate has its value"
        raise refusal("decision-malformed", message, f"{pointer}/selectedValue")
    for member in ("reviewItemName", "decision"):
        if not isinstance(result.get(member), str):
            message = f"a result has {member}, a string"
            raise refusal("decision-malformed", message, f"{pointer}/{member}")


def _failed(issues: list[Issue]) -> SurveyError:
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    details = {"issues": issues_json(issues)}
    return DecisionError(f"{issues[0].message}{more}", None, details, "action-mapping-failed")


def _name_issues(items: Sequence[Item]) -> Iterator[Issue]:
    for name, count in Counter(item_name(item) for item in items).items():
        if count > 1:
            message = f"{count} items have the name {name!r}, so no result belongs to one of them"
            yield Issue("ambiguous-item-identity", message, name)


def _target_issues(items: Sequence[Item]) -> Iterator[Issue]:
    for target, count in Counter(item["spec"]["target"] for item in items).items():
        if count > 1:
            yield Issue("duplicate-review-target", f"{count} items have the target {target!r}")


def _result_fault(item: Item | None, result: Result) -> tuple[str, str] | None:
    if item is None:
        return "unknown-review-item", f"no item has the name {result['reviewItemName']!r}"
    if _asks_for_nothing(result):
        return None
    wanted = result["selectedCandidateId"]
    named = [one for one in candidates_of(item) if one["id"] == wanted]
    if len(named) != 1:
        count = "no" if not named else "more than one"
        return "selected-candidate-mismatch", f"{count} candidate has the id {wanted!r}"
    if named[0].get("role") != result.get("selectedCandidateRole"):
        return "selected-candidate-mismatch", f"{wanted!r} has another role on the item"
    if not same_value(named[0]["value"], result["selectedValue"]):
        return "selected-candidate-mismatch", f"{wanted!r} has another value on the item"
    return None


def _asks_for_nothing(result: Result) -> bool:
    return result["decision"] == "could-not-confirm" or "selectedCandidateId" not in result


def _listed(found: Action | list[Action] | None) -> list[Action]:
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def result_for_item(results: Sequence[Result], name: str) -> Result:
    """The one result of the item called ``name``.

    Raises DecisionError: ``action-mapping-failed`` when there is none or more than one,
    ``decision-malformed`` for what is no result.
    """
    _check_results(results)
    found = [result for result in results if result["reviewItemName"] == name]
    if len(found) != 1:
        message = f"{len(found)} results are about {name!r}, exactly one was expected"
        code = "unmapped-review-result" if not found else "ambiguous-item-identity"
        raise _failed([Issue(code, message, name)])
    return found[0]


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a result is expected to be; what is left out may be anything."""

    decision: str | None = None
    status: str | None = None
    role: str | None = None
    candidate_id: str | None = None
    selected_value: Any = ABSENT


def result_matches(
    result: Mapping[str, Any],
    expected: Expectation,
    same: Callable[[Any, Any], bool] = same_value,
) -> bool:
    """Whether a result is what was expected; ``same`` compares the selected value."""
    for member, wanted in (
        ("decision", expected.decision),
        ("status", expected.status),
        ("selectedCandidateRole", expected.role),
        ("selectedCandidateId", expected.candidate_id),
    ):
        if wanted is not None and result.get(member) != wanted:
            return False
    if expected.selected_value is ABSENT:
        return True
    return "selectedValue" in result and same(result["selectedValue"], expected.selected_value)
