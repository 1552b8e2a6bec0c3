"""Findings about a queue, and the sentences that go with their codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Issue", "issues_json", "sentence"]


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding: a stable code, a sentence, and the item or the place it is about."""

    code: str
    message: str
    item_name: str | None = None
    pointer: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{code, message, itemName?, pointer?}``."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.item_name is not None:
            body["itemName"] = self.item_name
        if self.pointer is not None:
            body["pointer"] = self.pointer
        return body


def issues_json(issues: Sequence[Issue]) -> list[dict[str, Any]]:
    """The findings as plain data."""
    return [issue.to_json() for issue in issues]


_ABOUT_ITEMS = {
    "ambiguous-item-identity": "the queue lists {item!r} twice, so deciding it is ambiguous",
    "ambiguous-candidate-identity": "{item!r} lists the candidate {detail!r} twice",
    "item-removed": "{item!r} was bound but is not in the queue",
    "item-added": "{item!r} is in the queue but was not bound",
    "item-missing-from-queue": "the import derives {item!r} (field {detail!r}), the queue lacks it",
    "item-diverges-from-extraction": "{item!r} (field {detail!r}) is not what the import derives",
    "item-not-in-extraction": "the queue holds {item!r} (field {detail!r}), the import does not",
}
_ABOUT_QUEUES = {
    "binding-malformed": "the binding is not usable: {detail}",
    "session-name-mismatch": "the binding belongs to another session: {detail}",
    "empty-queue": "the queue is empty, and an empty queue certifies nothing",
    "snapshot-hash-mismatch": "the queue's content is not what was bound",
    "import-not-grounded": "the import is unresolved, so it stands for no queue: {detail}",
    "import-invalid": "the import record stored with the queue does not validate: {detail}",
    "digest-not-portable": "no verdict: {detail}",
}


def sentence(code: str, item: str | None = None, detail: str = "") -> str:
    """The sentence for a code; the code is contract, the sentence is not."""
    template = _ABOUT_ITEMS.get(code) or _ABOUT_QUEUES[code]
    return template.format(item=item, detail=detail).removesuffix(": ")
