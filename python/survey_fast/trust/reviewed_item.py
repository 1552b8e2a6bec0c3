"""One item and its result, held against each other before anything is made of them.

For every item the first of these that is not met is refused, each under a code of its own:

1. what the result selects is what the item holds, and the unselected candidates are the rest; a
   result about several candidates selects none and says so throughout;
2. result and decision are about the same item and candidate, with the status of their kind, one
   rationale and one edit;
3. one value of a conflict is chosen, never accepted;
4. a choice records exactly the values it passed over, and nothing else records any;
5. could-not-confirm has its resolution, and nothing else has it;
6. the effective value is the edit of an accepted value, else the candidate's.

A candidate that the result shares with its item is not compared with itself, so that results of
this package cost next to nothing and results read from a file are compared member by member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from survey_fast.attest import Issue
from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decision_record import resolution_issue
from survey_fast.review.decisions import CHOICE, KINDS, Item, Kind
from survey_fast.review.edits import check_edited_value
from survey_fast.review.state import ABSENT
from survey_fast.trust.agreement import same_value
from survey_fast.trust.discipline import UNCONFIRMED
from survey_fast.trust.review_shape import SELECTED

__all__ = ["CarriedFrom", "Reviewed", "acting_candidates", "reviewed"]

Candidate: TypeAlias = Mapping[str, Any]
Record: TypeAlias = Mapping[str, Any]
_ACCEPT: Final = "accept-proposed"
_TOLD_TWICE: Final = ("reviewItemName", "candidateId", "status", "rationale")
"""Members of a decision that its result repeats."""


class CarriedFrom(NamedTuple):
    """Where a decision was carried from."""

    record_id: str
    name: str
    digest: str


class Reviewed(NamedTuple):
    """An item with what was decided about it.

    Attributes:
        item: the item.
        name: its name.
        kind: the decision kind.
        spec: the decision.
        chosen: the candidate that the decision is about, or nothing where it is about several.
        value: the value that holds now; null where nothing was chosen.
        edit: the edited value, or ABSENT.
        rivals: ids of the proposed candidates that a choice passed over, in item order.
        carried: set where the decision is one of an earlier round.
    """

    item: Item
    name: str
    kind: Kind
    spec: Record
    chosen: Candidate | None
    value: Any
    edit: Any
    rivals: Sequence[str]
    carried: CarriedFrom | None = None


def acting_candidates(item: Item, kind: Kind) -> list[Candidate]:
    """The candidates in the role that a kind acts on."""
    role = kind.role
    return [one for one in item["spec"]["candidates"] if one.get("role") == role]


def reviewed(item: Item, result: Record, pointer: str) -> Reviewed:
    """Hold a result against its item.

    Args:
        item: an item of the right shape.
        result: a result of the right shape, which names the item.
        pointer: leads to the result.

    Raises:
        ProjectionError: ``selection-not-empty``, ``selection-mismatch``, ``unselected-mismatch``,
            ``decision-mismatch``, ``conflict-accepted``, ``passed-over-mismatch``,
            ``resolution-mismatch``, ``effective-value-mismatch``.
        QueueError: ``ambiguous-candidate-identity``.
        DecisionError: ``decision-malformed``, ``decision-not-recordable``,
            ``resolution-inconsistent``, ``edited-value-not-editable``,
            ``edited-value-type-mismatch``.
    """
    kind = KINDS.get(result["decision"])
    if kind is None:
        message = "this is no decision kind"
        raise refusal("decision-malformed", message, f"{pointer}/decision")
    acting = acting_candidates(item, kind)
    if not acting:
        message = f"{kind.name} needs a {kind.role} candidate, and the item has none"
        raise refusal("decision-not-recordable", message, f"{pointer}/decision")
    chosen = None
    if kind.covers_several and len(acting) > 1:
        _require_none_selected(item, result, pointer)
    else:
        chosen = _selected(item, result, pointer)
    spec = result["reviewDecision"]["spec"]
    _require_decision_of(result, kind, spec, chosen, pointer)
    _require_fitting(kind, acting, chosen, pointer)
    rivals = _rivals(kind, acting, spec, chosen, pointer)
    _require_resolution(kind, spec, pointer)
    edit = _edit(item, kind, result, spec, pointer)
    value = None if chosen is None else chosen["value"] if edit is ABSENT else edit
    if chosen is not None and not _is_effective(result, value):
        message = "the effective value is the edit of an accepted value, else the candidate's"
        raise refusal("effective-value-mismatch", message, f"{pointer}/effectiveValue")
    return Reviewed(item, item["metadata"]["name"], kind, spec, chosen, value, edit, rivals)


def _require_none_selected(item: Item, result: Record, pointer: str) -> None:
    """Rule 1 for a result about several candidates."""
    for member in SELECTED:
        if member in result:
            message = "a decision about several candidates selects none"
            raise refusal("selection-not-empty", message, f"{pointer}/{member}")
    _require_rest(result, item["spec"]["candidates"], pointer)


def _require_rest(result: Record, rest: Sequence[Candidate], pointer: str) -> None:
    told = result["unselectedCandidates"]
    is_rest = len(told) == len(rest)
    if is_rest:
        for one, other in zip(told, rest, strict=True):
            if one is not other and not same_value(one, other):
                is_rest = False
                break
    if not is_rest:
        message = "the unselected candidates are all others, as the item holds them, in its order"
        raise refusal("unselected-mismatch", message, f"{pointer}/unselectedCandidates")


def _selected(item: Item, result: Record, pointer: str) -> Candidate:
    """Rule 1 for a result about one candidate, which is returned."""
    selected_id = result.get("selectedCandidateId")
    rest: list[Candidate] = []
    found: Candidate | None = None
    for one in item["spec"]["candidates"]:
        if one["id"] != selected_id:
            rest.append(one)
        elif found is None:
            found = one
        else:
            message = "the id of the selected candidate stands on the item twice"
            raise refusal("ambiguous-candidate-identity", message, f"{pointer}/selectedCandidateId")
    if found is None:
        raise _mismatch(pointer, "selectedCandidateId")
    told = result.get("selectedCandidate")
    if told is not found and not same_value(told, found):
        raise _mismatch(pointer, "selectedCandidate")
    if result.get("selectedCandidateRole") != found.get("role"):
        raise _mismatch(pointer, "selectedCandidateRole")
    value = result.get("selectedValue", ABSENT)
    if value is ABSENT or not same_value(value, found["value"]):
        raise _mismatch(pointer, "selectedValue")
    _require_rest(result, rest, pointer)
    return found


def _mismatch(pointer: str, member: str) -> SurveyError:
    message = "what the result selects is not what the item holds"
    return refusal("selection-mismatch", message, f"{pointer}/{member}")


def _require_decision_of(
    result: Record, kind: Kind, spec: Record, chosen: Candidate | None, pointer: str
) -> None:
    """Rule 2, but for the edit."""
    chosen_id = None if chosen is None else chosen["id"]
    told = (result["reviewItemName"], chosen_id, kind.status, result["rationale"])
    if tuple(map(spec.get, _TOLD_TWICE)) != told:
        member = next(
            name for name, value in zip(_TOLD_TWICE, told, strict=True) if spec.get(name) != value
        )
        message = f"the decision has another {member} than the result"
        raise refusal("decision-mismatch", message, f"{pointer}/reviewDecision/spec/{member}")
    if result["status"] != kind.status:
        message = f"the status of {kind.name} is {kind.status}"
        raise refusal("decision-mismatch", message, f"{pointer}/status")


def _require_fitting(
    kind: Kind, acting: Sequence[Candidate], chosen: Candidate | None, pointer: str
) -> None:
    """Rule 3, and that the kind acts on the candidate it names."""
    if kind.name == _ACCEPT and len(acting) > 1:
        message = f"{len(acting)} values are proposed; one of them is chosen, not accepted"
        raise refusal("conflict-accepted", message, f"{pointer}/decision")
    is_choice = kind.name == CHOICE
    is_fitting = len(acting) > 1 if is_choice else chosen is None or len(acting) == 1
    if not is_fitting or (chosen is not None and chosen.get("role") != kind.role):
        message = f"{kind.name} cannot be recorded about this candidate of this item"
        raise refusal("decision-not-recordable", message, f"{pointer}/decision")


def _rivals(
    kind: Kind,
    acting: Sequence[Candidate],
    spec: Record,
    chosen: Candidate | None,
    pointer: str,
) -> list[str]:
    """Rule 4."""
    rivals: list[str] = []
    if kind.name == CHOICE and chosen is not None:
        rivals = [one["id"] for one in acting if one is not chosen]
    if list(spec.get("unselectedCandidateIds", ())) != rivals:
        message = "a choice records the other proposed candidates in item order, nothing else does"
        place = f"{pointer}/reviewDecision/spec/unselectedCandidateIds"
        raise refusal("passed-over-mismatch", message, place)
    return rivals


def _require_resolution(kind: Kind, spec: Record, pointer: str) -> None:
    """Rule 5."""
    is_unconfirmed = spec.get("resolution") == UNCONFIRMED
    if is_unconfirmed != (kind.resolution == UNCONFIRMED):
        message = f"{kind.name} and {UNCONFIRMED} go together, or neither is there"
        place = f"{pointer}/reviewDecision/spec/resolution"
        raise refusal("resolution-mismatch", message, place)
    issue = resolution_issue(spec) if "resolution" in spec else None
    if issue is not None:
        raise refusal(issue.code, issue.message, f"{pointer}/reviewDecision/spec/resolution")


def _edit(item: Item, kind: Kind, result: Record, spec: Record, pointer: str) -> Any:  # noqa: ANN401 - a JSON value
    """The edited value on which result and decision agree, or ABSENT."""
    told, recorded = result.get("editedValue", ABSENT), spec.get("editedValue", ABSENT)
    if told is ABSENT and recorded is ABSENT:
        return ABSENT
    place = f"{pointer}/editedValue"
    if told is ABSENT or recorded is ABSENT or kind.name != _ACCEPT:
        message = "an edit stands in the result and in its decision, and only on an accepted value"
        raise refusal("decision-mismatch", message, place)
    if not same_value(told, recorded):
        message = "the decision has another edit than the result"
        raise refusal("decision-mismatch", message, place)
    checked = check_edited_value(item, recorded)
    if isinstance(checked, Issue):
        raise refusal(checked.code, checked.message, place)
    return recorded


def _is_effective(result: Record, value: object) -> bool:
    told = result.get("effectiveValue", ABSENT)
    return told is not ABSENT and same_value(told, value)
