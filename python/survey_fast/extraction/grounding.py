"""Drafts of a run become proposals: each with its place in the text, and what its words say.

All drafts of a run are looked up in one call, in their order, because an earlier one takes its
occurrence first. What is not found gives no proposal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast import _core
from survey_fast.canon import data_json, plain_data
from survey_fast.extraction.normalise import Draft
from survey_fast.limits import ITEMS, ImportLimits, resolved

__all__ = ["Grounded", "Placed", "ground"]

_CAPS: Final = resolved(ImportLimits(items=ITEMS.ceiling))
"""Drafts of overlapping chunks become fewer proposals, so the cap of an envelope comes later."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A draft and what its provider saw: UTF-16 code units of the prepared text, end exclusive."""

    draft: Draft
    start: int
    end: int

    def to_json(self) -> dict[str, Any]:
        """The draft as the core takes it."""
        draft = self.draft
        target = draft.field
        body: dict[str, Any] = {
            "fieldPath": draft.path,
            "value": draft.value,
            "excerpt": draft.excerpt,
            "window": [self.start, self.end],
            "valueType": target["type"],
        }
        if draft.path_indices is not None:
            body["pathIndices"] = list(draft.path_indices)
        if draft.hint is not None:
            body["hint"] = draft.hint
        for name in ("enumValues", "inferenceType"):
            if target.get(name):
                body[name] = target[name]
        return body


@dataclass(frozen=True, slots=True)
class Grounded:
    """A proposal.

    Attributes:
        draft: what was proposed.
        start, end: where its excerpt stands, UTF-16 code units of the prepared text.
        found: ``locator``, ``occurrence`` and ``evidenceMatch`` as an envelope has them.
        producer: ``producedBy`` as an envelope has it, if that is known.
    """

    draft: Draft
    start: int
    end: int
    found: Mapping[str, Any]
    producer: Mapping[str, str] | None = None

    def by(self, producer: Mapping[str, str] | None) -> Grounded:
        """The proposal with its producer."""
        return Grounded(self.draft, self.start, self.end, self.found, producer)

    def to_json(self) -> dict[str, Any]:
        """The proposal as an envelope has it."""
        draft, target = self.draft, self.draft.field
        body: dict[str, Any] = {
            "fieldPath": draft.path,
            "candidateValue": draft.value,
            "provenance": {
                "excerpt": draft.excerpt,
                "locator": self.found["locator"],
                "occurrence": self.found["occurrence"],
            },
            "extractor": draft.extractor,
            "valueType": target["type"],
            "evidenceMatch": self.found["evidenceMatch"],
        }
        if draft.confidence is not None:
            body["confidence"] = draft.confidence
        if draft.path_indices is not None:
            body["pathIndices"] = list(draft.path_indices)
        if "inferenceType" in target:
            body["inferenceType"] = target["inferenceType"]
        if target.get("enumValues"):
            body["enumValues"] = list(target["enumValues"])
        if self.producer is not None:
            body["producedBy"] = dict(self.producer)
        return body


def ground(text: str, placed: Sequence[Placed]) -> list[Grounded | None]:
    """Look up the excerpts of all drafts of a run, in order.

    Returns:
        A proposal for each draft, or ``None`` where the excerpt does not stand in what was seen.

    Raises:
        ExtractionError: the text repeats the excerpts beyond all reason, or there are more than
            100,000 drafts.
    """
    if not placed:
        return []
    drafts = data_json([one.to_json() for one in placed])
    answers: Any = plain_data(_core.resolve_proposals(text.encode(), drafts, _CAPS))
    return [
        None if "dropped" in found else Grounded(one.draft, found["start"], found["end"], found)
        for one, found in zip(placed, answers, strict=True)
    ]
