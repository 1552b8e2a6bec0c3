"""A choice between the candidates of one item, as evidence tells it.

1. A candidate that is bound to this import is a proposed value: it stands for a proposal of its
   own and repeats it. Any other is the value from before, and there is one of those at most.
2. The decision names a candidate. Where that is one of several proposed values, it lists the
   others, and only them, in item order; elsewhere it lists none.
3. The evidence cites the proposal of one candidate. It passed over all others when the decision
   accepted that candidate, and none when it did not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from survey_fast.rounds.shape import inside
from survey_fast.trust.evidence.decision import Decision
from survey_fast.trust.evidence.item import ReadItem, binding_of, check_candidate
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.evidence.shape import CHOICE_RULES, is_whole, value_digest

__all__ = ["Choice", "read_choice"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice that evidence cites one side of.

    Attributes:
        cited: the candidate of the cited proposal.
        decided: the candidate that the decision names.
        candidates: all of them, as evidence lists them.
        chosen_over: the candidates passed over.
    """

    cited: str
    decided: str
    candidates: list[dict[str, Any]]
    chosen_over: list[str]

    def to_json(self) -> dict[str, Any]:
        """The ``choice`` member of evidence."""
        return {
            "citedCandidateId": self.cited,
            "decisionCandidateId": self.decided,
            "candidates": self.candidates,
            "chosenOver": self.chosen_over,
        }


def read_choice(
    context: RecordContext, item: ReadItem, decision: Decision, cited_index: int
) -> Choice:
    """Check the candidates of an item and the choice between them.

    Pointers lead into the evidence's input: ``/reviewItem/…``, ``/reviewDecision/…``.

    Raises EvidenceError: ``evidence-choice-invalid``, or the codes of candidates and proposals.
    """
    if len(set(item.candidate_ids)) < len(item.candidate_ids):
        message = "two candidates share an id, so a decision cannot name one of them"
        raise CHOICE_RULES.refuse(message, "/reviewItem/spec/candidates")
    bound = _bound_proposals(context, item)
    cited = next((one for one, index in bound.items() if index == cited_index), None)
    if cited is None:
        message = "no candidate of the item stands for the proposal that is cited"
        raise CHOICE_RULES.refuse(message, "/proposalIndex")
    decided = decision.candidate_id
    if decided is None:
        message = "a decision that chooses no candidate is no evidence for any of them"
        raise CHOICE_RULES.refuse(message, "/reviewDecision/spec/candidateId")
    _check_passed_over(list(bound), decided, decision.unselected)
    is_chosen = decision.is_accepted and decided == cited
    others = [one for one in item.candidate_ids if one != cited]
    listed = [_listed(candidate, bound.get(candidate["id"])) for candidate in item.candidates]
    return Choice(cited, decided, listed, others if is_chosen else [])


def _listed(candidate: Mapping[str, Any], index: int | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"candidateId": candidate["id"], "role": candidate["role"]}
    if index is not None:
        entry["proposalIndex"] = index
    entry["valueDigest"] = value_digest(candidate["value"])
    return entry


def _bound_proposals(context: RecordContext, item: ReadItem) -> dict[str, int]:
    """Rule 1: the proposal that each proposed candidate stands for, in item order."""
    bound: dict[str, int] = {}
    taken: set[int] = set()
    priors = 0
    for at, candidate in enumerate(item.candidates):
        place = f"/reviewItem/spec/candidates/{at}"
        index = _bound_index(context, candidate, place)
        if index is None:
            priors += 1
            if candidate.get("role") != "current" or priors > 1:
                message = "a candidate of no proposal is the one current value of its item"
                raise CHOICE_RULES.refuse(message, f"{place}/role")
            continue
        if candidate.get("role") != "proposed" or index in taken:
            message = "a candidate of this import is proposed, and stands for a proposal of its own"
            raise CHOICE_RULES.refuse(message, place)
        taken.add(index)
        with inside("/importRecord"):
            proposal = context.proposal(index)
        if proposal.field_path != item.raw["spec"]["target"]:
            message = "the candidate stands for a proposal of another field"
            raise CHOICE_RULES.refuse(message, place)
        with inside(place):
            check_candidate(candidate, proposal, context)
        bound[candidate["id"]] = index
    return bound


def _bound_index(context: RecordContext, candidate: Mapping[str, Any], place: str) -> int | None:
    binding = binding_of(candidate)
    if not isinstance(binding, dict) or binding.get("importName") != context.name:
        return None
    index = binding.get("proposalIndex")
    if not is_whole(index) or index >= context.proposal_count:
        message = "the candidate is bound to a proposal that the import does not hold"
        raise CHOICE_RULES.refuse(message, place)
    return int(index)


def _check_passed_over(proposed: list[str], decided: str, unselected: object) -> None:
    """Rule 2, for the ids of the proposed candidates in item order."""
    is_among_several = decided in proposed and len(proposed) > 1
    wanted = [one for one in proposed if one != decided] if is_among_several else []
    if (unselected is None and not wanted) or unselected == wanted:
        return
    message = "the decision does not list exactly the proposed values that it passed over"
    raise CHOICE_RULES.refuse(message, "/reviewDecision/spec/unselectedCandidateIds")
