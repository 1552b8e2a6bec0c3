"""Drafts of a run become proposals: each with its place in the text, and what its words say.

All drafts of a run are looked up in one call, in their order, because an earlier one takes its
occurrence first. What is not found gives no proposal, and neither does a draft with which the run
would hold more than 32 MiB of them: no envelope could.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import data_json
from survey_fast.extraction.normalise import EXCERPT_NOT_FOUND, Draft
from survey_fast.extraction.occurrence import resolve_written
from survey_fast.limits import ITEMS, ImportLimits

__all__ = ["RUN_TOO_LARGE", "Grounded", "Placed", "ground"]

RUN_TOO_LARGE: Final = "run-too-large"
"""Why a draft is left out that is found, but one too many."""

_CAPS: Final = ImportLimits(items=ITEMS.ceiling)
"""Drafts of overlapping chunks become fewer proposals, so the cap of an envelope comes later."""
_BYTES: Final = 32 * 1024 * 1024


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


def ground(text: str, placed: Sequence[Placed]) -> list[Grounded | str]:
    """Look up the excerpts of all drafts of a run, in order.

    Returns:
        A proposal for each draft, or why there is none: ``excerpt-not-found`` in what was seen,
        or ``run-too-large``.

    Raises:
        ExtractionError: the text repeats the excerpts beyond all reason, or there are more than
            100,000 drafts.
    """
    asked: list[bytes] = []
    results: list[Grounded | str] = []
    size = 0
    for one in placed:
        written = data_json(one.to_json())
        is_too_large = size + len(written) > _BYTES
        results.append(RUN_TOO_LARGE if is_too_large else EXCERPT_NOT_FOUND)
        if not is_too_large:
            size += len(written)
            asked.append(written)
    if not asked:
        return results
    answers = iter(resolve_written(text, b"[" + b",".join(asked) + b"]", _CAPS))
    for place, one in enumerate(placed):
        if results[place] == RUN_TOO_LARGE:
            continue
        found = next(answers)
        if "dropped" not in found:
            results[place] = Grounded(one.draft, found["start"], found["end"], found)
    return results
