"""Sessions in memory over the usual import, decided by field, and what they export to."""

from __future__ import annotations

import copy
from typing import Any

from tests.unit.imports.samples import proposal
from tests.unit.trust.evidence_samples import TEXT, Round, imported, number, proposals

from survey_fast.canon import canonical_json
from survey_fast.review import open_review_queue
from survey_fast.review.attribution import Reviewer, stamp_events
from survey_fast.review.decide import Batch, take_all
from survey_fast.review.events import EventWriter
from survey_fast.review.session_file import SessionDocument, new_session, read_session
from survey_fast.trust.session_export import SessionExport, export_session

Json = Any

OPENED = "2026-11-01T08:00:00.000Z"
DECIDED = "2026-11-02T09:00:00.000Z"
ANA = Reviewer.named("ana")
USUAL = {
    "fee": {"decision": "select", "candidate": 1},
    "area": {"decision": "accept"},
    "site-6": {"decision": "accept"},
    "site-7": {"decision": "reject"},
}
"""One decision of each kind but one: the fee a choice, the area beside an excluded rival."""


def single(value: Any, **members: Any) -> Round:
    """The import of one proposal, which quotes its words whatever its value is."""
    members = {"valueType": "number", "inferenceType": "explicit", **members}
    return imported(proposal("area", value, TEXT, "12", **members))


def usual() -> Round:
    return imported(*proposals())


def session_of(
    items: list[Json], record: Json | None = None, *, actor: str = "unattributed", **options: Any
) -> SessionDocument:
    """An undecided session; ``options`` are those of its queue."""
    snapshot = open_review_queue(
        copy.deepcopy(items), reviewed_at=OPENED, actor_id=actor, **options
    )
    text = None if record is None else canonical_json(record)
    return read_session(new_session(snapshot, name="round", extraction_import=text)).with_events(
        [], "0:start"
    )


def decide(
    session: SessionDocument,
    requests: list[Json],
    *,
    at: str = DECIDED,
    stamped: bool = True,
    complete: bool = False,
) -> SessionDocument:
    """The session after one batch, which has to be taken whole."""
    batch = Batch(session.state, session.current())
    outcomes = take_all(batch, requests)
    assert all(one.ok for one in outcomes), [one.error for one in outcomes]
    writer = EventWriter(session.name, ANA.id, at, sequence=len(session.events))
    events = [*batch.events(writer)]
    if complete:
        events.append(writer.write(("session-completed", {})))
    if stamped:
        actor = session.state["actorId"]
        events = stamp_events(events, reviewer=ANA, now=at, default_actor=actor)
    history = [*session.events, *events]
    return session.with_events(history, f"{len(history)}:head")


def requests_for(reviewed: Round, by_field: dict[str, Json]) -> list[Json]:
    listed = []
    for field, asked in by_field.items():
        item = reviewed.items[field]
        request = {"item": item["metadata"]["name"], "decision": asked["decision"]}
        if "candidate" in asked:
            request["candidateId"] = item["spec"]["candidates"][asked["candidate"]]["id"]
        if "note" in asked:
            request["note"] = asked["note"]
        listed.append(request)
    return listed


def decided_session(
    reviewed: Round, by_field: dict[str, Json], *, recorded: bool = True, **options: Any
) -> SessionDocument:
    record = reviewed.record if recorded else None
    session = session_of([*reviewed.items.values()], record)
    return decide(session, requests_for(reviewed, by_field), **options)


def exported(
    reviewed: Round, by_field: dict[str, Json] | None = None, **options: Any
) -> SessionExport:
    return export_session(decided_session(reviewed, by_field or USUAL, **options))


def claim_of(made: SessionExport, reviewed: Round, field: str) -> Json:
    """The claim of a field."""
    claim_id = made.export.claim_ids[reviewed.items[field]["metadata"]["name"]]
    return next(one for one in made.export.bundle["claims"] if one["id"] == claim_id)


def conflicting_fee() -> Round:
    """A fee that two sentences give differently, and nothing else."""
    return imported(number("fee", 48000, "48000"), number("fee", 52000, "52000"))
