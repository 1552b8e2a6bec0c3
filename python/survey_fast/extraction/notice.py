"""What a preparation has to say beside its text.

The code is what an envelope keeps of it, in category ``preparation``; message and details stay in
the process. The message holds nothing of the document, the details may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

__all__ = ["Notice", "NoticeCode", "preparation_note"]

NoticeCode: TypeAlias = Literal["content-preparation-warning", "empty-content", "navigation-pruned"]
_CATEGORY: Final = "preparation"


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning of a preparation.

    Attributes:
        code: the stable name of the situation.
        message: one sentence for a person.
        details: facts as plain JSON data; the situations that share
            ``content-preparation-warning`` are told apart by ``details["reason"]``.
    """

    code: NoticeCode
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """``{category, code, message, details?}``."""
        body: dict[str, Any] = {
            "category": _CATEGORY,
            "code": self.code,
            "message": self.message,
        }
        if self.details:
            body["details"] = dict(self.details)
        return body


def preparation_note(reason: str, message: str, facts: Mapping[str, Any] | None = None) -> Notice:
    """A warning under the code that the rarer situations share."""
    return Notice("content-preparation-warning", message, {"reason": reason, **(facts or {})})
