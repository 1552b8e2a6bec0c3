"""The one source of inputs: a generated extraction, and every document that follows from it.

Everything here is a function of the number of items, is made once in a process, and is the same
in every run. An item takes about 3.2 KB, as items of real extractions do, so a queue of 10,000
has about 32 MB.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from survey_fast import (
    ImportLimits,
    ImportResult,
    available_artifact,
    canonical_json,
    import_envelope,
    open_review_queue,
)
from survey_fast.cli.sample import IMPORT_OPTIONS, proposals_for, sample_extraction

__all__ = ["FORMS", "LARGE", "LIMITS", "SMALL", "Inputs", "inputs", "queue_in"]

Order: TypeAlias = Callable[[dict[str, Any]], list[str]]
SMALL = 1_000
LARGE = 10_000
LIMITS = ImportLimits(items=20_000)
"""The default counts proposals, and conflicts need more of them than there are items."""
ITEM_BYTES = range(2_800, 3_600)
SHUFFLE_SEED = 7
OPENED_AT = "2026-01-15T07:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Inputs:
    """One extraction and what an import makes of it.

    Attributes:
        envelope: what was extracted, as bytes.
        prepared: the text it was extracted from.
        targets: claim targets by field path.
        record: the import record, canonical bytes.
        items: the array of review items, canonical bytes.
        queue: the snapshot that `survey-fast import` stores, canonical bytes.
        names: the items' names, in queue order.
    """

    envelope: bytes
    prepared: str
    targets: dict[str, Any]
    record: bytes
    items: bytes
    queue: bytes
    names: list[str]

    def imported(self) -> ImportResult:
        """The import as a user writes it: the text's digest and its excerpts are checked."""
        return import_envelope(
            self.envelope,
            **IMPORT_OPTIONS,
            claim_targets=self.targets,
            artifact=available_artifact(self.prepared),
            limits=LIMITS,
        )


@cache
def inputs(count: int) -> Inputs:
    """The documents of an extraction that gives `count` items."""
    envelope, prepared, targets = sample_extraction(proposals_for(count))
    fresh = Inputs(envelope, prepared, targets, b"", b"", b"", [])
    result = fresh.imported()
    snapshot = open_review_queue(
        result, reviewed_at=OPENED_AT, actor_id="unattributed", limits=LIMITS
    )
    names = [item["metadata"]["name"] for item in snapshot["items"]]
    assert len(names) == count
    assert len(result.items_bytes) // count in ITEM_BYTES, "items of another size than promised"
    return Inputs(
        envelope,
        prepared,
        targets,
        result.record_bytes,
        result.items_bytes,
        canonical_json(snapshot),
        names,
    )


@cache
def queue_in(form: str, count: int) -> bytes:
    """The queue snapshot in one of FORMS; all of them have one canonical digest."""
    return FORMS[form](inputs(count).queue)


def _stored(queue: bytes) -> bytes:
    """Compact, as another program writes: each kind of object has its own order of members."""
    orders: dict[frozenset[str], list[str]] = {}
    chance = random.Random(SHUFFLE_SEED)

    def order(members: dict[str, Any]) -> list[str]:
        kind = frozenset(members)
        if kind not in orders:
            orders[kind] = chance.sample(list(members), len(members))
        return orders[kind]

    return _reordered(queue, order)


def _shuffled(queue: bytes) -> bytes:
    """Compact, the members of every single object in an order of their own: the hardest case."""
    chance = random.Random(SHUFFLE_SEED)
    return _reordered(queue, lambda members: chance.sample(list(members), len(members)))


def _spaced(queue: bytes) -> bytes:
    """As `json.dumps` separates by default: one space after every comma and colon."""
    return json.dumps(json.loads(queue), ensure_ascii=False).encode()


def _indented(queue: bytes) -> bytes:
    """Laid out for people, one member a line."""
    return json.dumps(json.loads(queue), ensure_ascii=False, indent=2).encode()


def _reordered(queue: bytes, order: Order) -> bytes:
    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(part) for part in value]
        if isinstance(value, dict):
            return {name: walk(value[name]) for name in order(value)}
        return value

    return json.dumps(walk(json.loads(queue)), ensure_ascii=False, separators=(",", ":")).encode()


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "canonical": bytes,
    "stored": _stored,
    "shuffled": _shuffled,
    "spaced": _spaced,
    "indented": _indented,
}
