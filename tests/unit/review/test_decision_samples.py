"""The items that decisions are tested on, and that a queue of them can be opened and shown."""

from __future__ import annotations

import copy
from typing import Any

from survey_fast import open_review_queue
from survey_fast.errors import SurveyError
from survey_fast.model import ReviewItem
from survey_fast.review.decisions import Item
from survey_fast.review.shape import check_snapshot
from survey_fast.review.state import Decided

Json = dict[str, Any]

AT = "2026-10-01T09:00:00.000Z"
KINDS = (
    "accept-proposed",
    "select-proposed",
    "keep-current",
    "reject-proposed",
    "could-not-confirm",
)
AUDIT = {
    "presentation": {"scoreBlind": True},
    "sampling": {"kind": "random-audit", "rate": 0.5, "seed": "q3-2026"},
}


def candidate(name: str, value: Any, role: str | None = "proposed", **members: Any) -> Json:
    """A candidate read from one document; ``role`` None gives it none."""
    return {
        "id": name,
        **({} if role is None else {"role": role}),
        "value": value,
        "source": {"sourceRef": "doc:lease-7", "kind": "uploaded-document"},
        "extraction": {"target": "monthlyRent", "extractor": "rent-reader"},
        "claimTarget": {
            "subjectType": "lease",
            "subjectId": "7",
            "facet": "lease.terms",
            "claimType": "lease.field",
            "fieldOrBehavior": "monthlyRent",
            "impactLevel": "medium",
        },
        **members,
    }


def review_item(*candidates: Json, name: str = "lease-7.rent", **spec: Any) -> Json:
    """An item for one field; ``spec`` overrides or adds members."""
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewItem",
        "metadata": {"name": name},
        "spec": {"target": "monthlyRent", "candidates": list(candidates), **spec},
    }


def single(value: Any = 48000, **spec: Any) -> Json:
    return review_item(candidate("c-1", value), **spec)


def conflict(*values: Any, **spec: Any) -> Json:
    """Proposed values c-1, c-2, …; 48000 against 52000 unless others are given."""
    given = values or (48000, 52000)
    rivals = [candidate(f"c-{place}", value) for place, value in enumerate(given, 1)]
    return review_item(*rivals, candidateSetStatus="conflict", **spec)


def transition(now: Any, *values: Any, **spec: Any) -> Json:
    """A current value beside proposed ones."""
    rivals = [candidate(f"c-{place}", value) for place, value in enumerate(values, 1)]
    return review_item(candidate("c-now", now, "current"), *rivals, **spec)


def described(kind: str, *allowed: str, **spec: Any) -> Json:
    """An item whose value is of the type ``kind``."""
    descriptor = {"type": kind, **({"enumValues": list(allowed)} if allowed else {})}
    return single("as read", valueDescriptor=descriptor, **spec)


def doubled(item: Json) -> Json:
    """The item with the id of its first candidate on a second one, whose role is another."""
    result = copy.deepcopy(item)
    first = result["spec"]["candidates"][0]
    result["spec"]["candidates"].append({**first, "role": "alternative"})
    return result


def decision(kind: str, note: str = "", **members: Any) -> Decided:
    return Decided(kind=kind, note=note, actor_id="ana", decided_at=AT, **members)


def one_item_state(item: Item, kind: str | None = None, **members: Any) -> Json:
    chosen = {} if kind is None else {"decision": kind}
    return {"item": item, "note": "", **chosen, "reviewedAt": AT, "actorId": "ana", **members}


def session(*items: Json, **members: Any) -> Json:
    return {
        "items": list(items),
        "activeItemName": items[0]["metadata"]["name"] if items else "",
        "notesByItemName": {},
        "decisionsByItemName": {},
        "reviewedAt": AT,
        "actorId": "ana",
        **members,
    }


def refused(action: Any, *arguments: Any) -> str:
    """The code of the refusal that the call ends in."""
    try:
        action(*arguments)
    except SurveyError as refusal:
        return refusal.code
    message = "nothing was refused"
    raise AssertionError(message)


def test_the_samples_are_items_that_a_round_can_hold():
    items = [
        single(name="a"),
        conflict(name="b"),
        transition(None, 1, 2, name="c"),
        described("enum", "open", "closed", name="d", editable=False),
        review_item(candidate("c-1", {"a": [None]}, None), name="e"),
    ]
    snapshot = open_review_queue(items, reviewed_at=AT, actor_id="ana")
    assert snapshot["items"] == items
    check_snapshot(snapshot)
    check_snapshot(session(*items, **AUDIT))
    for item in items:
        assert ReviewItem.from_json(item).to_json() == item
