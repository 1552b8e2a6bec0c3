"""Sessions and events written out by hand, for every test of a history.

An event here is what the rules say it is; none is made by the code under test. ``history`` numbers
and names what it is given, so that a test says only what matters to it.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from tests.unit.review.test_decision_samples import (
    AT,
    AUDIT,
    conflict,
    described,
    review_item,
    session,
    single,
    transition,
)

from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.review.replay import replay_review_session_events, validate_review_session_events

Json = dict[str, Any]

LATER = "2026-10-02T10:30:00.000Z"
OWN_KEY = "survey-fast/review-attribution"
UPSTREAM_KEY = "fieldwork.kontourai.io/review-attribution"
STATUS = {
    "accept-proposed": "verified",
    "select-proposed": "verified",
    "keep-current": "verified",
    "reject-proposed": "rejected",
    "could-not-confirm": "proposed",
}
REASON = "no answer on the phone"


def event(kind: str, item: str | None = None, **members: Any) -> Json:
    """An event without a number; ``history`` gives it one. Members of None are left out."""
    named = {} if item is None else {"reviewItemName": item}
    spec = {
        "sessionName": "s1",
        "eventType": kind,
        "occurredAt": AT,
        "actor": {"id": "ana"},
        **named,
        **members,
    }
    return {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewSessionEvent",
        "metadata": {},
        "spec": {name: value for name, value in spec.items() if value is not None},
    }


def decides(kind: str, item: str = "a", candidate: str | None = "c-1", **members: Any) -> Json:
    """A whole ``decision-changed``; ``data`` adds to what stands there, the rest replaces."""
    data = {"workbenchDecision": kind, **members.pop("data", {})}
    unconfirmed = (
        {"resolution": "could_not_confirm", "resolutionReason": REASON}
        if kind == "could-not-confirm"
        else {}
    )
    defaults = {"status": STATUS.get(kind), "candidateId": candidate, **unconfirmed}
    return event("decision-changed", item, **{**defaults, "data": data, **members})


def clears(item: str = "a", **data: Any) -> Json:
    return event("decision-changed", item, data={"workbenchDecision": None, **data})


def notes(text: str | None, item: str = "a") -> Json:
    return event("note-changed", item, rationale=text)


def history(*events: Json) -> list[Json]:
    """The events as a stream: copied, numbered from 1 unless they say otherwise, and named."""
    stream = [copy.deepcopy(one) for one in events]
    for number, one in enumerate(stream, 1):
        spec = one["spec"]
        spec.setdefault("sequence", number)
        one["metadata"].setdefault("name", f"s1-{number:04d}-{spec['eventType']}")
    return stream


def numbered(sequence: Any, one: Json) -> Json:
    return {**one, "spec": {**one["spec"], "sequence": sequence}}


def stamped(one: Json, actor: str = "ben", at: str = LATER, key: str = OWN_KEY) -> Json:
    """The event with a host's stamp of who and when."""
    stamp = {"actorKind": "human", "mode": "individual"}
    return {
        **one,
        "metadata": {**one["metadata"], "producer": {key: stamp}},
        "spec": {**one["spec"], "actor": {"id": actor}, "occurredAt": at},
    }


def a_single(value: Any = 48000, name: str = "a", **spec: Any) -> Json:
    return {**single(value, **spec), "metadata": {"name": name}}


def a_conflict(*values: Any, name: str = "a", **spec: Any) -> Json:
    return {**conflict(*values, **spec), "metadata": {"name": name}}


def a_transition(now: Any, *values: Any, name: str = "a", **spec: Any) -> Json:
    return {**transition(now, *values, **spec), "metadata": {"name": name}}


def a_described(kind: str, *allowed: str, name: str = "a", **spec: Any) -> Json:
    return {**described(kind, *allowed, **spec), "metadata": {"name": name}}


def an_item(*candidates: Json, name: str = "a", **spec: Any) -> Json:
    return review_item(*candidates, name=name, **spec)


def blind(*items: Json, **members: Any) -> Json:
    """A score-blind random audit over the items."""
    return session(*items, **copy.deepcopy(AUDIT), **members)


def codes(snapshot: Json, *events: Json) -> list[str]:
    """The codes of validation, in order; whatever it finds, replay raises the first of them."""
    stream = history(*events)
    return [issue.code for issue in validate_review_session_events(snapshot, stream)]


def replayed(snapshot: Json, *events: Json) -> Json:
    return dict(replay_review_session_events(snapshot, history(*events)))


def derived(snapshot: Any, *events: Json, **options: Any) -> Any:
    return derive_review_session_apply_result(snapshot, history(*events), **options)


def codes_of(issues: Any) -> list[str]:
    return [issue.code for issue in issues]


def nested(depth: int) -> Any:
    """A value of so many arrays, one in the other."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


STORED_SNAPSHOT = session(a_single(), a_conflict(name="b"))
STORED_EVENTS = history(
    event("session-started"), notes("fine"), decides("accept-proposed"), event("session-completed")
)


def single_file(
    events: Any = STORED_EVENTS, snapshot: Any = STORED_SNAPSHOT, name: str = "s1", **more: Any
) -> Json:
    """A session of the reference system, events inside."""
    resource = {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewSession",
        "metadata": {"name": name},
        "spec": {"reviewItemNames": ["a", "b"], "startedAt": "2026-10-01T09:00:00.000Z"},
    }
    return {"session": resource, "snapshot": snapshot, "events": events, **more}


def stored(folder: Any, document: Any, name: str = "old.json", indent: int | None = 2) -> Any:
    path = folder / name
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    return path
