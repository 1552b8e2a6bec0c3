"""What a decision records about the question it answered.

The text is rebuilt from the item when the decision is recorded. It is no picture of a screen.

1. It states the field, the current value or that there is none, what was proposed, and the
   decision by its label: which value was chosen and which were not, or what a value was edited to.
2. It states every proposal that the import left out, and that others are stored unreadable.
3. For each candidate that carries verifier records it states what those say about the value
   under review. A score-blind round says nothing of them.
4. Without an actor there is nobody who authorized anything: the block is left out, and that
   gap is the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from survey_fast.canon import Json
from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError
from survey_fast.imports.verification import Fold, fold_candidate_verifications
from survey_fast.model import CandidateVerification
from survey_fast.review.decisions import CHOICE, KINDS, Candidate, Item, candidates_of
from survey_fast.review.display import (
    ExcludedProposal,
    Unreadable,
    display_text,
    excluded_proposals,
    humanised,
    is_empty,
)
from survey_fast.review.state import ABSENT, Decided

__all__ = ["PROMPT_REF", "authorizing_block", "decision_prompt"]

PROMPT_REF: Final = "survey-fast/decision-card@v1"

_UNREADABLE: Final = {
    "malformed-entries": "the entries are malformed",
    "binding-broken": "the item no longer hangs together with its import",
}


def authorizing_block(item: Item, decided: Decided, *, blind: bool) -> dict[str, str] | None:
    """The ``authorizing`` member of a decision, or nothing when no actor is known."""
    if not has_content(decided.actor_id):
        return None
    return {
        "kind": "authorized-action",
        "promptRef": PROMPT_REF,
        "renderedPrompt": decision_prompt(item, decided, blind=blind),
        "action": "typed" if has_content(decided.note) else "affirmed-control",
        "authorityRef": f"actor:{decided.actor_id}",
    }


def decision_prompt(item: Item, decided: Decided, *, blind: bool) -> str:
    """The recorded prompt.

    Args:
        item: the review item.
        decided: a decision that can be recorded on it; an edited value is one that was checked.
        blind: whether the round is score-blind.
    """
    current, proposed = _by_role(item)
    sentences = [
        f"Review of {humanised(item['spec']['target'])}.",
        _current(current),
        *_proposed(proposed),
        f"Selected decision: {_selected(decided, proposed)}.",
        *_exclusions(item),
    ]
    if not blind:
        sentences += _verifications(item, decided, len(proposed))
    return " ".join(sentences)


def _by_role(item: Item) -> tuple[list[Candidate], list[Candidate]]:
    current, proposed = [], []
    for one in candidates_of(item):
        role = one.get("role")
        if role == "proposed":
            proposed.append(one)
        elif role == "current":
            current.append(one)
    return current, proposed


def _text(value: Json) -> str:
    """The text of a value; a blank one is named, because it would read as no value at all."""
    text = display_text(value)
    return text if has_content(text) else "(blank text)"


def _texts(candidates: list[Candidate]) -> str:
    return "; ".join([_text(one["value"]) for one in candidates])


def _current(current: list[Candidate]) -> str:
    held = [one for one in current if not is_empty(one["value"])]
    if not held:
        return "No current value is set."
    return f"Current value{'s' if len(held) > 1 else ''}: {_texts(held)}."


def _proposed(proposed: list[Candidate]) -> list[str]:
    if not proposed:
        return []
    return [f"Proposed value{'s' if len(proposed) > 1 else ''}: {_texts(proposed)}."]


def _selected(decided: Decided, proposed: list[Candidate]) -> str:
    label = KINDS[decided.kind].label
    if decided.kind == CHOICE:
        chosen = [one for one in proposed if one["id"] == decided.candidate_id]
        others = [one for one in proposed if one["id"] != decided.candidate_id]
        return f"{label}: {_texts(chosen)} (not chosen: {_texts(others)})"
    if decided.kind == "reject-proposed" and len(proposed) > 1:
        return "Reject all values"
    if decided.kind == "accept-proposed" and decided.edited_value is not ABSENT:
        return f"{label} (edited to: {_text(decided.edited_value)})"
    return label


def _exclusions(item: Item) -> Iterator[str]:
    found = excluded_proposals(item)
    if found.shown:
        listed = "; ".join([_excluded(one) for one in found.shown])
        yield (
            f"Left out at import, since the quoted words do not stand at their place: {listed}. "
            "That a value could not be checked does not make it wrong."
        )
    if found.unreadable is not None:
        yield _unreadable(found.unreadable)


def _excluded(one: ExcludedProposal) -> str:
    return f"{_text(one.value)} (proposal {one.proposal_index} at {one.locator})"


def _unreadable(found: Unreadable) -> str:
    count = "" if found.count is None else f" ({found.count} stored)"
    return (
        f"Further proposals may have been left out at import and cannot be shown{count}: "
        f"{_UNREADABLE[found.reason]}."
    )


def _verifications(item: Item, decided: Decided, rivals: int) -> Iterator[str]:
    place = 0
    for one in candidates_of(item):
        role = one.get("role")
        place += role == "proposed"
        if "verifications" not in one:
            continue
        value, subject = one["value"], f"candidate {one['id']}"
        if role == "current":
            subject = "the current value"
        elif role == "proposed":
            subject = "the proposed value" if rivals == 1 else f"proposed value {place} of {rivals}"
            if decided.kind == "accept-proposed" and decided.edited_value is not ABSENT:
                value, subject = decided.edited_value, "the edited value"
        yield f"Verifier records on {subject}, {_text(value)}: {_folded(one, value)}."


def _folded(candidate: Candidate, value: Json) -> str:
    records = candidate["verifications"]
    if not isinstance(records, list):
        return "stored in a form that cannot be read"
    try:
        fold = fold_candidate_verifications(
            {"candidateId": candidate["id"], "value": value}, records
        )
    except SurveyError as refused:
        return f"not comparable ({refused.code})"
    return "; ".join([*(_record(one) for one in fold.applicable), *_counts(fold)])


def _record(one: CandidateVerification) -> str:
    because = "" if one.abstain_reason is None else f" ({one.abstain_reason})"
    return (
        f"{one.verifier.id} {one.verifier.version} ({one.method}) says {one.result}{because} "
        f"at {one.created_at}, record {one.id}"
    )


def _counts(fold: Fold) -> Iterator[str]:
    if not fold.applicable:
        yield "none is about this value"
    if fold.inapplicable:
        yield f"{len(fold.inapplicable)} about something else"
    if fold.rejected:
        yield f"{len(fold.rejected)} not valid"
