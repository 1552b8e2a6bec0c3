"""A review round with one of everything, and small ways to change a part of it.

The text yields a conflict (48000 and 52000), a value read at two places, a rival whose excerpt is
not at its span and so is excluded, and two rows of one list.
"""

from __future__ import annotations

import copy
from typing import Any

from tests.reference.samples import VENDOR, VENDOR_TARGET
from tests.unit.imports.samples import envelope, proposal

from survey_fast import (
    ImportResult,
    available_artifact,
    bind_review_queue,
    import_envelope,
    open_review_queue,
)

Json = dict[str, Any]

KEY = "survey.kontourai.io/extraction-envelope"
TEXT = "Fee 48000 a year, 48000 in all. Late: 52000, or 61000. Sites: \U0001f3e0 one and two."
SESSION = "round-1"
AT = "2026-10-01T09:00:00.000Z"


def fee_envelope() -> Json:
    rival = proposal("fee", 61000, TEXT, "61000")
    rival["provenance"]["excerpt"] = "60000"
    return envelope(
        TEXT,
        proposal("fee", 48000, TEXT, "48000", confidence=0.9),
        proposal("fee", 52000, TEXT, "52000", confidence=0.4),
        proposal("fee", 48000, TEXT, "48000", nth=1),
        rival,
        proposal("site", "\U0001f3e0 one", TEXT, "\U0001f3e0 one", pathIndices=[0]),
        proposal("site", "two", TEXT, "two", pathIndices=[1]),
    )


def targets_of(document: Json) -> Json:
    return {one["fieldPath"]: VENDOR_TARGET for one in document["result"]["proposals"]}


def imported(document: Json | None = None, **options: Any) -> ImportResult:
    """Import with the text at hand, which makes every excerpt verified."""
    document = fee_envelope() if document is None else document
    chosen = {**VENDOR, "artifact": available_artifact(TEXT), **options}
    return import_envelope(document, claim_targets=targets_of(document), **chosen)


def opened(items: Any, **conditions: Any) -> Json:
    return open_review_queue(items, reviewed_at=AT, actor_id="ana", **conditions)


def bound(snapshot: Any, session_name: str = SESSION) -> Json:
    return bind_review_queue(snapshot, session_name=session_name, bound_at=AT)


def with_value(value: Any, *more: Any) -> Json:
    """An envelope whose fields ``value-0``, ``value-1`` … have these values."""
    proposals = [proposal(f"value-{at}", one, TEXT, "Fee") for at, one in enumerate((value, *more))]
    return envelope(TEXT, *proposals)


def names_of(queue: Any) -> list[str]:
    items = queue["items"] if isinstance(queue, dict) else queue
    return [item["metadata"]["name"] for item in items]


def edited(document: Any, *path: Any, value: Any) -> Any:
    """A copy with one place set."""
    result = copy.deepcopy(document)
    *steps, last = path
    place = result
    for step in steps:
        place = place[step]
    place[last] = value
    return result


def reversed_members(value: Any) -> Any:
    """The same data with the members of every object the other way round."""
    if isinstance(value, dict):
        return {name: reversed_members(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [reversed_members(one) for one in value]
    return value


def codes(issues: Any) -> list[str]:
    return [issue.code for issue in issues]


def findings(issues: Any) -> list[tuple[str, str | None]]:
    return [(issue.code, issue.item_name) for issue in issues]
