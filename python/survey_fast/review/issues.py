"""Findings about events and apply results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from survey_fast.attest import Issue

__all__ = ["EventIssue", "Warned"]


@dataclass(frozen=True, slots=True)
class EventIssue(Issue):
    """One thing wrong with one event, or with what the events leave undone."""

    event_name: str | None = None
    sequence: Any = None
    candidate_id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{code, message, eventName?, sequence?, reviewItemName?, candidateId?, pointer?}``."""
        return _present(
            code=self.code,
            message=self.message,
            eventName=self.event_name,
            sequence=self.sequence,
            reviewItemName=self.item_name,
            candidateId=self.candidate_id,
            pointer=self.pointer,
        )


@dataclass(frozen=True, slots=True)
class Warned:
    """Something a reader of a valid history should know."""

    code: str
    message: str
    event_name: str | None = None
    sequence: int | None = None
    item_name: str | None = None
    details: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """``{code, message, eventName?, sequence?, reviewItemName?}`` and the details beside."""
        told = _present(
            code=self.code,
            message=self.message,
            eventName=self.event_name,
            sequence=self.sequence,
            reviewItemName=self.item_name,
        )
        return told | (self.details or {})


def _present(**members: Any) -> dict[str, Any]:  # noqa: ANN401 - plain JSON values
    return {name: value for name, value in members.items() if value is not None}
