"""What a decision came to: the value it is about, the values beside it, the value that holds.

1. ``selected…`` is the candidate as it stands on the item, never the edit. ``effective…`` is the
   edit of an accepted value, null included, else the candidate's value.
2. A decision about several candidates selects none: those members are absent, and every
   candidate is an unselected one.

Candidates are shared with the item, not copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.display import display_text
from survey_fast.review.state import Decided

__all__ = ["Result", "result_record"]

Result: TypeAlias = Mapping[str, Any]
"""A result as plain data."""


def result_record(item: Item, decided: Decided, decision: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a decision that was recorded on ``item``, as plain data.

    Args:
        item: the review item.
        decided: what was decided on it.
        decision: the record of it, from ``decision_record``.
    """
    spec = decision["spec"]
    candidate_id = spec.get("candidateId")
    result: dict[str, Any] = {
        "reviewItemName": item_name(item),
        "decision": decided.kind,
        "reviewDecision": decision,
        "status": spec["status"],
        "rationale": spec["rationale"],
    }
    others = []
    for one in candidates_of(item):
        if candidate_id is None or one["id"] != candidate_id:
            others.append(one)
        else:
            result["selectedCandidate"] = one
    result["unselectedCandidates"] = others
    if candidate_id is not None:
        result.update(_values(result["selectedCandidate"], spec))
    return result


def _values(candidate: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    value = candidate["value"]
    text = display_text(value)
    members: dict[str, Any] = {
        "selectedCandidateId": candidate["id"],
        "selectedValue": value,
        "selectedDisplayValue": text,
        "effectiveValue": value,
        "effectiveDisplayValue": text,
    }
    if "role" in candidate:
        members["selectedCandidateRole"] = candidate["role"]
    if "editedValue" in spec:
        edit = spec["editedValue"]
        members |= {
            "editedValue": edit,
            "effectiveValue": edit,
            "effectiveDisplayValue": display_text(edit),
        }
    return members
