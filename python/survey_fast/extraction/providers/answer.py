"""Reading what a model handed in: items that are proposals, and a count of those that are not.

An answer is strict JSON with an array ``proposals``, or it is unusable. An item is dropped when it
is no object, names no field, quotes nothing or has no value (null is a value). Whether a field
exists and an excerpt stands in the text is checked by the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import has_content
from survey_fast.errors import JsonError
from survey_fast.extraction.provider import DraftProposal, MalformedItems, draft

__all__ = ["ToolAnswer", "read_answer"]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What could be read.

    Attributes:
        proposals: the items that are proposals, in their order.
        notes: what was left out, and why.
        is_unusable: nothing could be read, or every item was dropped.
        malformed_items: how many were dropped, when some were.
    """

    proposals: list[DraftProposal]
    notes: tuple[str, ...]
    is_unusable: bool
    malformed_items: MalformedItems | None


def read_answer(arguments: object, extractor: str) -> ToolAnswer:
    """Read an answer; never raises.

    Args:
        arguments: the text of a JSON object, or the object where a server parsed it already.
        extractor: the provider's name.
    """
    data = _parsed(arguments) if isinstance(arguments, str) else arguments
    items = data.get("proposals") if isinstance(data, dict) else None
    if not isinstance(items, list):
        what = "is no strict JSON object" if not isinstance(data, dict) else "has no proposals"
        return ToolAnswer([], (f"the answer {what}",), is_unusable=True, malformed_items=None)
    return _read_items(items, extractor)


def _parsed(arguments: str) -> object:
    try:
        return plain_data(canonical_json(arguments))
    except JsonError:
        return None


def _read_items(items: Sequence[object], extractor: str) -> ToolAnswer:
    proposals: list[DraftProposal] = []
    faults: Counter[str] = Counter()
    odd = 0
    for one in items:
        fault = _fault(one)
        if fault is not None or not isinstance(one, dict):
            faults[fault or ""] += 1
            continue
        rest, is_odd = _optional(one)
        odd += is_odd
        proposals.append(
            draft(one["fieldPath"], one["value"], one["excerpt"], extractor=extractor, **rest)
        )
    notes = [f"{count} of {len(items)} items dropped: {why}" for why, count in faults.items()]
    if odd:
        notes.append(f"{odd} proposals came with a confidence that is no number; it is left out")
    dropped = len(items) - len(proposals)
    return ToolAnswer(
        proposals,
        tuple(notes),
        is_unusable=bool(items) and not proposals,
        malformed_items=MalformedItems(dropped, len(items)) if dropped else None,
    )


def _fault(one: object) -> str | None:
    if not isinstance(one, dict):
        return "no object"
    for name in ("fieldPath", "excerpt"):
        value = one.get(name)
        if not isinstance(value, str) or not has_content(value):
            return f"no {name}"
    return None if "value" in one else "no value"


def _optional(one: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Members that may be absent, and whether a confidence was left out."""
    rest: dict[str, Any] = {}
    confidence = one.get("confidence")
    is_number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
    if is_number and isfinite(confidence or 0):
        rest["confidence"] = confidence
    hint = one.get("occurrenceHint")
    if isinstance(hint, int) and not isinstance(hint, bool):
        rest["occurrenceHint"] = hint
    return rest, confidence is not None and "confidence" not in rest
