"""Which claims of a run leave it, and why the others stay.

1. A claim is a slot, path indices included: rows of a list never contradict one another.
2. What is not settled is left out as :mod:`survey_fast.trust.settled` has it; then what cannot be
   projected even alone (``EXPORT_NOT_PROJECTABLE``), for whatever reason, which is looked for only
   when projecting everything together was refused.
3. When nothing is left, the refusal is that of the first exclusion, and names them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.trust.reviewed_export import ReviewedExport
from survey_fast.trust.settled import Exclusion, Settled

__all__ = ["Projecting", "projected", "require_resolvable"]

Record: TypeAlias = Mapping[str, Any]

_NOT_PROJECTABLE: Final = "EXPORT_NOT_PROJECTABLE"
_PARTS: Final = {"EXPORT_NOT_PROJECTABLE", "EXPORT_INVALID_BUNDLE"}
_ADVICE: Final = {
    "EXPORT_UNDECIDED": "decide it first",
    "EXPORT_FIELD_UNSETTLED": "decide the other items about the same claim",
    "EXPORT_CONFLICTING_DECISIONS": "accept one value of the claim, not two",
    _NOT_PROJECTABLE: "its decision cannot be stated as a claim; decide it otherwise",
}


def require_resolvable(items: Sequence[Item], results: Sequence[Record]) -> None:
    """Refuse results about what the queue does not hold.

    Raises:
        ExportError: ``EXPORT_UNRESOLVABLE_DECISION``: an unknown item or candidate, or no
            candidate where the decision takes one.
    """
    known = {item["metadata"]["name"]: item["spec"]["candidates"] for item in items}
    for result in results:
        name = result["reviewItemName"]
        chosen = result.get("selectedCandidateId")
        candidates = known.get(name)
        if candidates is None:
            raise _unresolvable(name, "the queue holds no item of that name")
        if chosen is None:
            if result["status"] == "verified":
                raise _unresolvable(name, "it accepts a value and names none")
        elif chosen not in [one["id"] for one in candidates]:
            raise _unresolvable(name, "the item has no candidate of that id")


def _unresolvable(name: str, why: str) -> SurveyError:
    message = f"a decision does not fit the queue: {why}"
    details = {"reviewItemName": name}
    return refusal("EXPORT_UNRESOLVABLE_DECISION", message, None, details)


@dataclass(frozen=True, slots=True)
class Projecting:
    """How a bundle is made of items and their results.

    Attributes:
        together: of all that is exported.
        alone: of one item, to see whether that can be done.
    """

    together: Callable[[Sequence[Item], Sequence[Record]], ReviewedExport]
    alone: Callable[[Item, Record], object]


def projected(
    queue: Sequence[Item], settled: Settled, projecting: Projecting
) -> tuple[Settled, ReviewedExport]:
    """The bundle of what is settled, without what cannot be stated; rule 2.

    Args:
        queue: every item of the round.
        settled: the round, divided.
        projecting: how a bundle is made.

    Raises:
        ExportError: rule 3; ``EXPORT_NOT_PROJECTABLE``: the items cannot be stated together,
            though each of them can alone, with the code of the refusal in ``details``;
            ``EXPORT_INVALID_BUNDLE``.
    """
    if not settled.items:
        raise _nothing_left(queue, settled)
    try:
        return settled, projecting.together(settled.items, settled.results)
    except SurveyError as refused:
        kept = _each_alone(settled, projecting)
        if len(kept.items) == len(settled.items):
            raise _named(refused) from None
    if not kept.items:
        raise _nothing_left(queue, kept)
    try:
        return kept, projecting.together(kept.items, kept.results)
    except SurveyError as refused:
        raise _named(refused) from None


def _each_alone(settled: Settled, projecting: Projecting) -> Settled:
    kept = Settled([], [], list(settled.excluded))
    for item, result in zip(settled.items, settled.results, strict=True):
        try:
            projecting.alone(item, result)
        except SurveyError:
            names = (item_name(item),)
            kept.excluded.append(Exclusion(item["spec"]["target"], names, _NOT_PROJECTABLE))
        else:
            kept.items.append(item)
            kept.results.append(result)
    return kept


def _named(refused: SurveyError) -> SurveyError:
    if refused.code in _PARTS:
        return refused
    details = {"code": refused.code, **refused.details}
    return refusal(_NOT_PROJECTABLE, refused.message, refused.pointer, details)


def _nothing_left(queue: Sequence[Item], settled: Settled) -> SurveyError:
    if not settled.excluded:
        message = "the run holds nothing to export: its queue has no item"
        return refusal(_NOT_PROJECTABLE, message)
    first = settled.excluded[0]
    details: dict[str, Any] = {"excluded": [one.to_json() for one in settled.excluded]}
    advice = _ADVICE.get(first.code)
    if advice is None:
        details["grounded"] = _grounded_role(queue, first)
        advice = _GROUNDED[details["grounded"]]
    others = list(dict.fromkeys(one.code for one in settled.excluded))[1:]
    more = f"; others are left out for {', '.join(others)}" if others else ""
    message = f"nothing of this run can be exported yet; {first.field_path}: {advice}{more}"
    return refusal(first.code, message, None, details)


def _grounded_role(queue: Sequence[Item], exclusion: Exclusion) -> str | None:
    """The role of a candidate that does stand in a text, where the chosen value does not."""
    named = next(item for item in queue if item_name(item) == exclusion.item_names[0])
    roles = {
        one.get("role") for one in candidates_of(named) if one.get("locator", {}).get("locator")
    }
    return next((role for role in ("proposed", "current") if role in roles), None)


_GROUNDED: Final[Mapping[str | None, str]] = {
    "proposed": "the selected value stands nowhere in a text; accept the proposed one",
    "current": "the selected value stands nowhere in a text; keep the current one",
    None: "none of its values stands in a text",
}
