"""A stored round, slowly: its digest, whether its items are the expected ones, and its outline."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.reference.canonical import canonical
from tests.reference.strict_json import parse

KEPT_OF_ITEM = {
    "candidateSetStatus",
    "editable",
    "selectedCandidateId",
    "target",
    "valueDescriptor",
}
KEPT_OF_CANDIDATE = {"id", "role", "value"}


def stored_queue(raw: bytes, items: bytes) -> tuple[str, bool, bytes, bytes, bytes]:
    """Digest, whether the items' canonical text is ``items``, outline, rest, text."""
    snapshot = parse(raw)
    text = canonical(snapshot)
    stored = snapshot.get("items") if isinstance(snapshot, dict) else None
    is_expected = isinstance(snapshot, dict) and "items" in snapshot and canonical(stored) == items
    rest = snapshot
    if isinstance(snapshot, dict):
        rest = {name: one for name, one in snapshot.items() if name != "items"}
    if isinstance(snapshot, dict) and isinstance(stored, list):
        snapshot = {**snapshot, "items": [_item(one) for one in stored]}
    digest = hashlib.sha256(text).hexdigest()
    return digest, is_expected, canonical(snapshot), canonical(rest), text


def _item(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    kept = {name: one for name, one in item.items() if name in {"metadata", "spec"}}
    if isinstance(kept.get("metadata"), dict):
        kept["metadata"] = _named(kept["metadata"], {"name"})
    spec = kept.get("spec")
    if isinstance(spec, dict):
        part = _named(spec, KEPT_OF_ITEM | {"candidates"})
        if isinstance(part.get("candidates"), list):
            part["candidates"] = [
                _named(one, KEPT_OF_CANDIDATE) if isinstance(one, dict) else one
                for one in part["candidates"]
            ]
        kept["spec"] = part
    return kept


def _named(members: dict[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: one for name, one in members.items() if name in names}
