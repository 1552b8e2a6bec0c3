"""Decision kinds: what each records, on which items it can be recorded, which candidate it names.

1. ``accept-proposed`` takes the one proposed value. ``select-proposed`` takes one of several, by
   candidate id; every record of a choice carries this kind, which says that a rival existed.
2. A kind acts on a role. With nothing in that role it cannot be recorded. With several, accept
   and keep are refused, since they would settle a conflict silently; reject and
   could-not-confirm are about all of them and then name no candidate.
3. A choice is valid when the item has at least two proposed candidates and the id names exactly
   one candidate, which is proposed.
4. A candidate whose id stands twice on the item can never be named.
5. A proposal that was excluded at import is no candidate, so it can never be chosen.

One table and two look-ups decide this for every surface, builder and replay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias, get_args

from survey_fast.attest import Issue
from survey_fast.errors import refusal
from survey_fast.review.shape import check_item

__all__ = [
    "CHOICE",
    "KINDS",
    "SHORT_WORDS",
    "Candidate",
    "DecisionKind",
    "Item",
    "Kind",
    "candidate_for_decision",
    "candidates_of",
    "conflict_selection_issue",
    "item_name",
    "kind_of",
    "named_candidate",
    "only_candidate",
    "proposed_candidates",
    "recordability_issue",
]

Item: TypeAlias = Mapping[str, Any]
"""A review item as plain data."""
Candidate: TypeAlias = Mapping[str, Any]
"""A candidate of an item as plain data."""

DecisionKind: TypeAlias = Literal[
    "accept-proposed",
    "select-proposed",
    "keep-current",
    "reject-proposed",
    "could-not-confirm",
]
CHOICE: Final = "select-proposed"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a decision of this kind records.

    Attributes:
        name: the kind's wire name.
        label: its words for people.
        role: the candidate role it acts on.
        status: the status of the decision.
        resolution: the resolution of the decision, if the kind has one.
        covers_several: whether it can be about several candidates, naming none.
        trusts: whether it makes a value trusted.
    """

    name: DecisionKind
    label: str
    role: Literal["current", "proposed"]
    status: Literal["verified", "rejected", "proposed"]
    resolution: str | None
    covers_several: bool
    trusts: bool


_TABLE: Final = (
    Kind("accept-proposed", "Accept proposed", "proposed", "verified", None, False, True),  # noqa: FBT003 - a table
    Kind("select-proposed", "Use this value", "proposed", "verified", None, False, True),  # noqa: FBT003
    Kind("keep-current", "Keep current", "current", "verified", None, False, True),  # noqa: FBT003
    Kind("reject-proposed", "Reject proposed", "proposed", "rejected", None, True, False),  # noqa: FBT003
    Kind(
        "could-not-confirm",
        "Could not confirm",
        "proposed",
        "proposed",
        "could_not_confirm",
        True,  # noqa: FBT003
        False,  # noqa: FBT003
    ),
)

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({kind.name: kind for kind in _TABLE})
"""Every decision kind by its wire name; nothing else is one."""

SHORT_WORDS: Final[Mapping[str, DecisionKind]] = MappingProxyType(
    {
        "accept": "accept-proposed",
        "select": "select-proposed",
        "keep": "keep-current",
        "reject": "reject-proposed",
        "could-not-confirm": "could-not-confirm",
    }
)
"""The words of the command line."""
_WORDS: Final = MappingProxyType({kind: word for word, kind in SHORT_WORDS.items()})

assert set(KINDS) == set(get_args(DecisionKind))  # noqa: S101 - the table and the type are one list


def kind_of(name: object) -> Kind | None:
    """The kind called ``name``, or nothing: names are compared, never looked up as attributes."""
    return KINDS.get(name) if isinstance(name, str) else None


def item_name(item: Item) -> str:
    """The name of an item."""
    name: str = item["metadata"]["name"]
    return name


def candidates_of(item: Item) -> list[Candidate]:
    """Every candidate, in item order."""
    candidates: list[Candidate] = item["spec"]["candidates"]
    return candidates


def proposed_candidates(item: Item) -> list[Candidate]:
    """The candidates with the role ``proposed``, in item order."""
    return [one for one in candidates_of(item) if one.get("role") == "proposed"]


def conflict_selection_issue(item: Item, candidate_id: str | None) -> Issue | None:
    """Why ``candidate_id`` is no valid choice on ``item``, or nothing when it is one.

    Raises SessionError (``session-malformed``) for an item that is none.
    """
    return _selection_issue(check_item(item), candidate_id)


def _selection_issue(item: Item, candidate_id: str | None) -> Issue | None:
    reason = _selection_fault(item, candidate_id)
    if reason is None:
        return None
    return Issue("invalid-conflict-selection", reason, item_name(item))


def _selection_fault(item: Item, candidate_id: str | None) -> str | None:
    if len(proposed_candidates(item)) <= 1:
        return "a value is chosen where two or more are proposed; this item has no rivals"
    if not isinstance(candidate_id, str) or not candidate_id:
        return "a choice names the chosen candidate by its id"
    named = [one for one in candidates_of(item) if one.get("id") == candidate_id]
    if not named:
        return f"{candidate_id!r} is no candidate of this item"
    if len(named) > 1:
        return f"{candidate_id!r} stands on this item twice, so it names no candidate"
    role = named[0].get("role")
    if role != "proposed":
        return f"{candidate_id!r} has the role {role}; only a proposed value can be chosen"
    return None


def only_candidate(item: Item, kind: str) -> Candidate | None:
    """The candidate of an item that has one, where ``kind`` acts on its role and chooses nothing.

    Such a kind can be recorded on it and names it: what most decisions are.
    """
    candidates = candidates_of(item)
    found = KINDS.get(kind)
    if len(candidates) == 1 and found is not None and kind != CHOICE:
        only = candidates[0]
        return only if only.get("role") == found.role else None
    return None


def recordability_issue(item: Item, kind: str, candidate_id: str | None = None) -> Issue | None:
    """Why a decision of ``kind`` cannot be recorded on ``item``, or nothing when it can.

    The code is ``invalid-conflict-selection`` for a choice and ``decision-not-recordable``
    otherwise. Raises ValueError for a kind that is none.
    """
    if kind == CHOICE:
        return _selection_issue(item, candidate_id)
    found = KINDS.get(kind)
    if found is None:
        message = f"{kind!r} is no decision kind; there are {', '.join(KINDS)}"
        raise ValueError(message)
    reason = _role_fault(item, found)
    return None if reason is None else Issue("decision-not-recordable", reason, item_name(item))


def _role_fault(item: Item, kind: Kind) -> str | None:
    candidates = candidates_of(item)
    holders = [one for one in candidates if one.get("role") == kind.role]
    if len(holders) == len(candidates) == 1:
        return None
    if not holders:
        return f"{_WORDS[kind.name]} needs a {kind.role} value, and this item has none"
    if len(holders) > 1:
        if kind.covers_several:
            return None
        return (
            f"{_WORDS[kind.name]} would settle {len(holders)} {kind.role} values silently; "
            "choose one with select"
        )
    named = holders[0].get("id")
    if sum(one.get("id") == named for one in candidates) > 1:
        return f"the candidate id {named!r} stands on this item twice"
    return None


def candidate_for_decision(
    item: Item, kind: str, candidate_id: str | None = None
) -> Candidate | None:
    """The candidate that a decision of ``kind`` names on ``item``; nothing when it names none.

    Args:
        item: the review item.
        kind: a decision kind.
        candidate_id: the chosen candidate; read for ``select-proposed`` only.

    Raises:
        DecisionError: ``invalid-conflict-selection`` or ``decision-not-recordable``.
        SessionError: ``session-malformed``: this is no item.
        ValueError: ``kind`` is no decision kind.
    """
    return named_candidate(check_item(item), kind, candidate_id)


def named_candidate(item: Item, kind: str, candidate_id: str | None = None) -> Candidate | None:
    """The same on an item of a snapshot, which was checked with it."""
    only = only_candidate(item, kind)
    if only is not None:
        return only
    issue = recordability_issue(item, kind, candidate_id)
    if issue is not None:
        raise refusal(issue.code, issue.message, "", {"itemName": issue.item_name})
    if kind == CHOICE:
        return next(one for one in candidates_of(item) if one.get("id") == candidate_id)
    holders = [one for one in candidates_of(item) if one.get("role") == KINDS[kind].role]
    return holders[0] if len(holders) == 1 else None
