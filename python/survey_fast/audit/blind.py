"""What a score-blind round sends of an item.

The view is a type of its own, built from named facts. It is no item with some members taken
away: a score, a verifier's answer or anything else a producer may add has no place to stand in.

1. Of an item: its name, target and labels, whether excerpts were checked at import, the rivals
   that the import left out, the reviewer's note and decision.
2. Of a candidate: id, role, value, where it was read, what it is a claim about, and whether its
   value has the form the schema asks for. The last is a fact about form, no judgement.
3. A fact of another type than it should have is left out, so that nothing rides in on it.
4. That verifiers found no support is no fact of a blind round: such a field is conflicting
   where it has rivals, and otherwise holds a value.

A value is shown as it is: what a producer writes into it, a reviewer has to see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from survey_fast.model.wire import Listed, MayLack, WireRecord
from survey_fast.review.decisions import Candidate, Item, candidates_of, proposed_candidates
from survey_fast.review.display import EXTRACTION_KEY, excluded_proposals
from survey_fast.review.state import ABSENT, Decided

__all__ = [
    "BlindCandidate",
    "BlindClaimTarget",
    "BlindDecision",
    "BlindExclusion",
    "BlindItem",
    "BlindLocator",
    "BlindOccurrence",
    "BlindSelection",
    "BlindSource",
    "BlindUnreadable",
    "blind_content",
    "blind_item",
]

_FORMS: Final = ("ok", "type-mismatch", "enum-mismatch", "format-invalid")
_CHECKED: Final = ("verified", "unverified")
_SELECTIONS: Final = ("source-order", "occurrence-hint")


class BlindSource(WireRecord):
    """The document a value was read in."""

    source_ref: MayLack[str] = None
    kind: MayLack[str] = None
    observed_at: MayLack[str] = None
    checksum: MayLack[str] = None


class BlindLocator(WireRecord):
    """The place in the document, and the words that stand there."""

    scheme: MayLack[str] = None
    locator: MayLack[str] = None
    excerpt: MayLack[str] = None


class BlindSelection(WireRecord):
    """Which occurrence of the words was taken, and its span."""

    index: MayLack[int] = None
    start: MayLack[int] = None
    end: MayLack[int] = None


class BlindOccurrence(WireRecord):
    """How often the words stand in the document, and how one of the places was taken."""

    count: MayLack[int] = None
    ambiguous: MayLack[bool] = None
    selection: MayLack[str] = None
    selected: MayLack[BlindSelection] = None


class BlindClaimTarget(WireRecord):
    """What the value is a claim about."""

    subject_type: MayLack[str] = None
    subject_id: MayLack[str] = None
    facet: MayLack[str] = None
    claim_type: MayLack[str] = None
    field_or_behavior: MayLack[str] = None
    impact_level: MayLack[str] = None
    claim_id: MayLack[str] = None


class BlindCandidate(WireRecord):
    """One value that the item offers.

    Attributes:
        value: the value, null included.
        schema_form: whether the value has the form the schema asks for.
    """

    id: str
    role: MayLack[str] = None
    value: Any
    source: MayLack[BlindSource] = None
    locator: MayLack[BlindLocator] = None
    occurrence: MayLack[BlindOccurrence] = None
    claim_target: MayLack[BlindClaimTarget] = None
    schema_form: MayLack[str] = None


class BlindExclusion(WireRecord):
    """A rival that the import left out."""

    proposal_index: int
    value: Any
    locator: str
    excerpt: str


class BlindUnreadable(WireRecord):
    """Rivals that were left out and are stored unreadable."""

    reason: str
    count: MayLack[int] = None


class BlindDecision(WireRecord):
    """What the reviewer decided."""

    kind: str
    candidate_id: MayLack[str] = None
    edited_value: Any = None
    attempt_evidence_ids: MayLack[Listed[str]] = None
    reason: MayLack[str] = None


class BlindItem(WireRecord):
    """An item as a score-blind round sends it."""

    name: str
    target: str
    labels: MayLack[dict[str, str]] = None
    excerpt_verification: MayLack[str] = None
    candidates: Listed[BlindCandidate]
    excluded_proposals: MayLack[Listed[BlindExclusion]] = None
    excluded_proposals_unreadable: MayLack[BlindUnreadable] = None
    note: MayLack[str] = None
    decision: MayLack[BlindDecision] = None


def blind_item(item: Item, decided: Decided | None = None, *, note: str = "") -> BlindItem:
    """The blind view of an item.

    Args:
        item: the review item.
        decided: what was decided on it, if anything.
        note: the reviewer's note where nothing was decided; a decision brings its own.
    """
    metadata = item["metadata"]
    members: dict[str, Any] = {
        "name": metadata["name"],
        "target": item["spec"]["target"],
        "candidates": [_candidate(one) for one in candidates_of(item)],
        **_exclusions(item),
    }
    labels = _texts(metadata.get("labels"))
    if labels:
        members["labels"] = labels
    checked = _word(_member(_extraction(metadata), "excerptVerification"), _CHECKED)
    if checked is not None:
        members["excerpt_verification"] = checked
    written = note if decided is None else decided.note
    if written:
        members["note"] = written
    if decided is not None:
        members["decision"] = _decision(decided)
    return BlindItem(**members)


def blind_content(content: str, item: Item) -> str:
    """The content state of a field as a blind round shows it, under rule 4."""
    if content != "unsupported":
        return content
    return "conflicting" if len(proposed_candidates(item)) > 1 else "value"


def _member(holder: object, name: str) -> object:
    return holder.get(name) if isinstance(holder, Mapping) else None


def _extraction(holder: object) -> object:
    return _member(_member(holder, "producer"), EXTRACTION_KEY)


def _texts(holder: object) -> dict[str, str]:
    """The members that are text."""
    if not isinstance(holder, Mapping):
        return {}
    return {name: one for name, one in holder.items() if isinstance(one, str)}


def _named(kind: type[WireRecord], facts: Mapping[str, Any]) -> WireRecord | None:
    """A record of those facts that ``kind`` names, or nothing when there are none."""
    names = {field.alias: name for name, field in kind.model_fields.items()}
    kept = {names[alias]: fact for alias, fact in facts.items() if alias in names}
    return kind(**kept) if kept else None


def _given(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact is not None}


def _candidate(candidate: Candidate) -> BlindCandidate:
    extraction = _extraction(candidate)
    facts = {
        "role": _texts(candidate).get("role"),
        "source": _named(BlindSource, _texts(candidate.get("source"))),
        "locator": _named(BlindLocator, _texts(candidate.get("locator"))),
        "occurrence": _occurrence(_member(extraction, "occurrence")),
        "claim_target": _named(BlindClaimTarget, _texts(candidate.get("claimTarget"))),
        "schema_form": _word(_member(_member(extraction, "evidenceMatch"), "schema"), _FORMS),
    }
    return BlindCandidate(id=candidate["id"], value=candidate["value"], **_given(facts))


def _occurrence(found: object) -> WireRecord | None:
    selected = _member(found, "selected")
    span = {name: _whole(_member(selected, name)) for name in ("index", "start", "end")}
    ambiguous = _member(found, "ambiguous")
    facts = {
        "count": _whole(_member(found, "count")),
        "ambiguous": ambiguous if isinstance(ambiguous, bool) else None,
        "selection": _word(_member(found, "selection"), _SELECTIONS),
        "selected": _named(BlindSelection, _given(span)),
    }
    return _named(BlindOccurrence, _given(facts))


def _word(value: object, words: tuple[str, ...]) -> str | None:
    return value if isinstance(value, str) and value in words else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _exclusions(item: Item) -> dict[str, Any]:
    found = excluded_proposals(item)
    members: dict[str, Any] = {}
    if found.shown:
        members["excluded_proposals"] = [
            BlindExclusion(
                proposal_index=one.proposal_index,
                value=one.value,
                locator=one.locator,
                excerpt=one.excerpt,
            )
            for one in found.shown
        ]
    if found.unreadable is not None:
        reason, count = found.unreadable.reason, found.unreadable.count
        unreadable = BlindUnreadable(reason=reason, **_given({"count": count}))
        members["excluded_proposals_unreadable"] = unreadable
    return members


def _decision(decided: Decided) -> BlindDecision:
    facts = {
        "candidate_id": decided.candidate_id,
        "attempt_evidence_ids": decided.attempt_evidence_ids or None,
        "reason": decided.reason,
    }
    if decided.edited_value is ABSENT:
        return BlindDecision(kind=decided.kind, **_given(facts))
    return BlindDecision(kind=decided.kind, edited_value=decided.edited_value, **_given(facts))
