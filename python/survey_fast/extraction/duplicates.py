"""One proposal for everything that says the same about the same words.

1. Two proposals are the same when field, indices, value and span are. Other values on one span,
   other fields on it, and one value on other spans are all kept.
2. The first one, in the order of chunks and answers, is kept whole, whatever the confidence.
3. One whose value came in its type beats one whose text was rewritten, wherever it stands. Between
   two that were rewritten the smaller original text is kept, by UTF-16 code unit; so the survivor
   does not depend on the order.
4. The order of the result is that in which each was first seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from survey_fast.canon import Json, canonical_json
from survey_fast.extraction.grounding import Grounded

__all__ = ["Collapsed", "collapse"]


@dataclass(frozen=True, slots=True)
class Collapsed:
    """The proposals that are kept, and how many were left out as duplicates."""

    kept: list[Grounded]
    duplicates: int


def collapse(proposals: Iterable[Grounded]) -> Collapsed:
    """Apply the rules to proposals in the order of chunks and answers."""
    kept: dict[Hashable, Grounded] = {}
    count = 0
    for proposal in proposals:
        count += 1
        draft = proposal.draft
        span = (proposal.start, proposal.end)
        key = (draft.path, draft.path_indices, _same(draft.value), span)
        first = kept.setdefault(key, proposal)
        if first is not proposal and _beats(proposal, first):
            kept[key] = proposal
    return Collapsed(list(kept.values()), count - len(kept))


def _beats(later: Grounded, first: Grounded) -> bool:
    held, offered = first.draft.rewrite, later.draft.rewrite
    if held is None:
        return False
    return offered is None or _units(offered.original) < _units(held.original)


def _units(text: str) -> bytes:
    return text.encode("utf-16-be")


def _same(value: Json) -> Hashable:
    """What is equal exactly for values with one canonical text."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, int | float):
        # 1 and 1.0 are equal, hash alike, and are written alike.
        return (float, value)
    return (bytes, canonical_json(value))
