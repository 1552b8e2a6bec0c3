"""What a review could not settle, read from evidence that was restored.

1. An item hangs together with its import when it names it, lists the cited proposal, and every
   candidate names the same import. What it says about excerpts counts only then.
2. An excluded rival is a proposal for the same claim with another value that was left out because
   its excerpt is not at its span. The record tells, and so do entries on the item that agree with
   the record. Entries that do not are counted, never passed over.
3. A hidden rival is a proposal for the same claim with another value that was not left out and that
   no candidate stands for. A candidate stands for its proposal and for those of the same value.
4. A dropped proposal is one that its item should stand for and does not.
5. What was left out is what the record says. An entry on the item cannot make a proposal vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from survey_fast.review.display import ExcludedProposal, excluded_proposals
from survey_fast.trust.evidence.derivation import Derivation
from survey_fast.trust.evidence.item import ReadItem, binding_of
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.evidence.shape import is_whole, same_value

__all__ = ["ReviewSignals", "review_signals"]


class ReviewSignals(NamedTuple):
    """Signals of one item of evidence; every number is a proposal's index, ascending.

    Attributes:
        is_excerpt_verified: whether the import looked the excerpts up and the item says so.
        excluded_rivals: rivals left out for their excerpt.
        unreadable: entries of rivals that cannot be placed, ``{reason, count?}``; None without.
        hidden_rivals: rivals that no candidate stands for.
        dropped: proposals missing from their item.
    """

    is_excerpt_verified: bool
    excluded_rivals: list[int]
    unreadable: dict[str, Any] | None
    hidden_rivals: list[int]
    dropped: list[int]


def review_signals(found: Derivation) -> ReviewSignals:
    """The signals of evidence that was written or restored."""
    context, item = found.context, found.item
    binding = None if item is None else _intact_binding(context, item, found.index)
    left_out, unreadable = _excluded(found, is_intact=binding is not None)
    is_verified = binding is not None and binding.get("excerptVerification") == "verified"
    hidden, dropped = _uncarried(found, binding)
    return ReviewSignals(context.is_verified and is_verified, left_out, unreadable, hidden, dropped)


def _intact_binding(context: RecordContext, item: ReadItem, cited: int) -> dict[str, Any] | None:
    """Rule 1."""
    binding = binding_of(item.metadata)
    if not isinstance(binding, dict) or binding.get("importName") != context.name:
        return None
    indices = binding.get("proposalIndices")
    if not isinstance(indices, list) or not all(map(is_whole, indices)) or cited not in indices:
        return None
    for candidate in item.candidates:
        entry = binding_of(candidate)
        if not isinstance(entry, dict) or entry.get("importName") != context.name:
            return None
    return binding


def _excluded(found: Derivation, *, is_intact: bool) -> tuple[list[int], dict[str, Any] | None]:
    """Rule 2."""
    context = found.context
    of_slot = context.of_slot[found.index]
    rivals = set(context.excluded.intersection(of_slot))
    if found.item is None:
        return _other_values(found, rivals), None
    told = excluded_proposals(found.item.raw)
    count = 0 if told.unreadable is None else told.unreadable.count
    reason = None if told.unreadable is None else told.unreadable.reason
    if told.shown and not is_intact:
        reason = "binding-broken"
        count = None if count is None else count + len(told.shown)
    elif told.shown:
        for entry in told.shown:
            if not _agrees(found, entry.proposal_index, entry):
                reason = reason or "malformed-entries"
                count = None if count is None else count + 1
            elif context.of_slot[entry.proposal_index] is of_slot:
                rivals.add(entry.proposal_index)
    unreadable: dict[str, Any] | None = None
    if reason is not None:
        unreadable = {"reason": reason} if count is None else {"reason": reason, "count": count}
    return _other_values(found, rivals), unreadable


def _agrees(found: Derivation, index: int, entry: ExcludedProposal) -> bool:
    """Whether an entry says of a proposal, another than the cited one, what the record says."""
    if index == found.index or not 0 <= index < found.context.proposal_count:
        return False
    proposal = found.context.raw_proposal(index)
    provenance = proposal.get("provenance")
    return (
        isinstance(provenance, dict)
        and provenance.get("locator") == entry.locator
        and provenance.get("excerpt") == entry.excerpt
        and same_value(proposal["candidateValue"], entry.value)
    )


def _other_values(found: Derivation, indices: AbstractSet[int]) -> list[int]:
    """Those of ``indices`` whose value is not the one that was reviewed, ascending."""
    if not indices:
        return []
    value, context = found.proposal.value, found.context
    return sorted(
        index
        for index in indices
        if not same_value(context.raw_proposal(index)["candidateValue"], value)
    )


def _uncarried(found: Derivation, binding: Mapping[str, Any] | None) -> tuple[list[int], list[int]]:
    """Rules 3 and 4: hidden rivals and dropped proposals."""
    context = found.context
    of_slot = context.of_slot[found.index]
    listed = [] if binding is None else binding["proposalIndices"]
    if len(of_slot) == 1 and len(listed) <= 1:
        return [], []
    carried = {found.index, *_carried(found)}
    lacking = {index for index in of_slot if index not in carried and index not in context.excluded}
    hidden = _other_values(found, lacking)
    if found.item is None:
        return hidden, []
    if binding is None:
        return hidden, hidden if context.has_provenance else []
    lacking.update(
        int(index) for index in listed if index not in carried and index not in context.excluded
    )
    return hidden, sorted(lacking)


def _carried(found: Derivation) -> Iterator[int]:
    """Proposals that some candidate stands for, its value being theirs."""
    context = found.context
    for candidate in [] if found.item is None else found.item.candidates:
        entry = binding_of(candidate)
        if not isinstance(entry, dict) or entry.get("importName") != context.name:
            continue
        same = entry.get("sameValueProposals", [])
        others = same if isinstance(same, list) else []
        for one in (entry, *others):
            index = one.get("proposalIndex") if isinstance(one, dict) else None
            if not is_whole(index) or index >= context.proposal_count:
                continue
            value = context.raw_proposal(int(index))["candidateValue"]
            if same_value(value, candidate["value"]):
                yield int(index)
