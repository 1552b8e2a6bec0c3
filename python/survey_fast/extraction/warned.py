"""What a run warned about: a text for people, and the class that is all an envelope keeps of it.

The order of a run's warnings is part of its result: task, preparation, storage, the stop; then
chunk by chunk the part that was not sent, the call, the model, what normalising changed, the
answer; then duplicates, rewrites, chunking and the cap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from survey_fast.extraction.notice import Notice

__all__ = ["Warned", "WarningCategory", "WarningCode", "of_preparation", "warned"]

WarningCategory: TypeAlias = Literal[
    "provider", "normalization", "preparation", "limit", "storage", "content", "other"
]
WarningCode: TypeAlias = Literal[
    "chunk-provider-failure",
    "content-chunking",
    "content-truncated-at-dispatch",
    "legacy-task-digest",
    "malformed-tool-items",
    "max-chunks",
    "missing-tool-call",
    "output-truncated",
    "partial-stop",
    "prepared-artifact-storage-failed",
    "proposal-normalization",
    "provider-warning",
    "unusable-answer",
]
_CATEGORIES: Final[dict[WarningCode, WarningCategory]] = {
    "chunk-provider-failure": "provider",
    "content-chunking": "content",
    "content-truncated-at-dispatch": "limit",
    "legacy-task-digest": "other",
    "malformed-tool-items": "normalization",
    "max-chunks": "limit",
    "missing-tool-call": "provider",
    "output-truncated": "provider",
    "partial-stop": "limit",
    "prepared-artifact-storage-failed": "storage",
    "proposal-normalization": "normalization",
    "provider-warning": "provider",
    "unusable-answer": "provider",
}


@dataclass(frozen=True, slots=True)
class Warned:
    """One warning of a run.

    Attributes:
        category: the class, of a closed set.
        code: the stable name of the situation.
        message: for people; it may quote a provider, and never reaches an envelope.
        chunk: the chunk it is about, from 1.
    """

    category: WarningCategory
    code: str
    message: str
    chunk: int | None = None

    def classification(self) -> dict[str, str]:
        """What an envelope keeps."""
        return {"category": self.category, "code": self.code}


def warned(code: WarningCode, message: str, chunk: int | None = None) -> Warned:
    """A warning of the category that its code belongs to."""
    return Warned(_CATEGORIES[code], code, message, chunk)


def of_preparation(notice: Notice) -> Warned:
    """What a preparation had to say, as a warning of the run."""
    return Warned("preparation", notice.code, notice.message)
