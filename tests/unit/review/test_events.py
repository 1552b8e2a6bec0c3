"""Building events: rows 3, 6, 14, 17 and 49 of the edge table, and the smallest log of all.

The smallest log is the known answer for one accepted item; rows 8 and 9 as far as events go.
"""

import json

import pytest
from tests.unit.review.sessions import (
    REASON,
    a_conflict,
    a_single,
    a_transition,
    blind,
    codes,
    event,
    session,
)
from tests.unit.review.test_decision_samples import AT, AUDIT, candidate, doubled, refused

from survey_fast.errors import DecisionError, SessionError
from survey_fast.review.events import build_review_session_events
from survey_fast.review.open_items import is_complete
from survey_fast.review.replay import replay_review_session_events


def built(state, name="s1"):
    return build_review_session_events(state, session_name=name)


def seeded(item, kind, **members):
    maps = {name: {"a": value} for name, value in members.items()}
    return session(item, decisionsByItemName={"a": kind}, **maps)


def kinds_of(events):
    return [one["spec"]["eventType"] for one in events]


def test_the_smallest_log():
    item = {**a_single(), "metadata": {"name": "i1"}}
    item["spec"]["candidates"] = [candidate("c1", 1)]
    events = built(session(item, decisionsByItemName={"i1": "accept-proposed"}))
    assert [one["metadata"]["name"] for one in events] == [
        "s1-0001-session-started",
        "s1-0002-item-selected",
        "s1-0003-decision-changed",
        "s1-0004-decision-submitted",
        "s1-0005-session-completed",
    ]
    made = {
        "sessionName": "s1",
        "sequence": 3,
        "eventType": "decision-changed",
        "occurredAt": AT,
        "actor": {"id": "ana"},
        "reviewItemName": "i1",
        "reviewDecisionName": "i1-accept-proposed",
        "candidateId": "c1",
        "status": "verified",
        "data": {"workbenchDecision": "accept-proposed"},
    }
    assert events[2]["spec"] == made
    assert events[3]["spec"] == {**made, "sequence": 4, "eventType": "decision-submitted"}
    assert events[1]["spec"]["activeItemName"] == events[1]["spec"]["reviewItemName"] == "i1"
    assert json.loads(json.dumps(events)) == events


def test_sequences_beyond_four_digits():
    items = [a_single(name=f"i{number}") for number in range(5000)]
    decisions = {f"i{number}": "accept-proposed" for number in range(5000)}
    events = built(session(*items, decisionsByItemName=decisions))
    assert events[-1]["metadata"]["name"] == "s1-10003-session-completed"


STATES = {
    "nothing decided": session(a_single()),
    "an edit": seeded(a_single(), "accept-proposed", editedValuesByItemName=None),
    "a choice": seeded(a_conflict(), "select-proposed", selectedCandidateIdsByItemName="c-2"),
    "kept": seeded(a_transition(1, 2), "keep-current", notesByItemName="old is fine"),
    "rejected": seeded(a_conflict(), "reject-proposed"),
    "tried": seeded(
        a_single(),
        "could-not-confirm",
        notesByItemName=REASON,
        attemptEvidenceIdsByItemName=["e-1"],
    ),
    "a note alone": session(a_single(), notesByItemName={"a": "thinking"}),
    "blind": blind(a_single(), decisionsByItemName={"a": "accept-proposed"}),
    "the second of two": session(
        a_single(name="b"), a_single(), decisionsByItemName={"a": "reject-proposed"}
    ),
}
EMPTY = {
    "decisionsByItemName": {},
    "notesByItemName": {},
    "editedValuesByItemName": {},
    "selectedCandidateIdsByItemName": {},
    "attemptEvidenceIdsByItemName": {},
}


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_the_events_lead_from_the_bare_queue_to_the_state(state):
    bare = {**state, **{member: {} for member in EMPTY if member in state}}
    events = built(state)
    assert codes(bare, *events) == []
    assert {**EMPTY, **replay_review_session_events(bare, events)} == {**EMPTY, **state}


def test_the_note_is_part_of_the_submission_only():
    events = built(seeded(a_single(), "accept-proposed", notesByItemName="fine"))
    told = {one["spec"]["eventType"]: one["spec"].get("rationale") for one in events}
    assert told["note-changed"] == told["decision-submitted"] == "fine"
    assert told["decision-changed"] is None


@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_rows_8_and_9_no_candidate_is_named_for_several(kind):
    events = built(seeded(a_conflict(), kind, notesByItemName=REASON))
    assert all("candidateId" not in one["spec"] for one in events)


def test_every_decision_event_of_a_blind_round_is_stamped():
    events = built(STATES["blind"])
    stamps = [one["spec"].get("data", {}).get("sessionConditions") for one in events]
    assert stamps == [None, None, AUDIT, AUDIT, None]


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (seeded(a_conflict(), "accept-proposed"), "decision-not-recordable"),
        (seeded(a_single(), "keep-current"), "decision-not-recordable"),
        (seeded(doubled(a_single()), "accept-proposed"), "decision-not-recordable"),
        (seeded(a_conflict(), "select-proposed"), "invalid-conflict-selection"),
        (
            seeded(a_conflict(), "select-proposed", selectedCandidateIdsByItemName="x"),
            "invalid-conflict-selection",
        ),
        (seeded(a_single(), "could-not-confirm"), "reason-missing"),
        (seeded(a_single(), "could-not-confirm", notesByItemName=" \t"), "reason-missing"),
    ],
    ids=["row 6", "keep", "row 14", "row 3, no id", "row 3, unknown id", "row 17", "row 17, blank"],
)
def test_nothing_is_built_that_replay_would_refuse(state, code):
    assert refused(built, state) == code


def test_a_kind_that_is_none_is_refused_in_words():
    with pytest.raises(DecisionError):
        built(seeded(a_single(), "toString"))


def test_a_session_completes_when_nothing_is_open():
    decided = {"decisionsByItemName": {"a": "accept-proposed"}}
    open_, before = a_single(name="b"), a_single(name="b", candidateSetStatus="resolved")
    escalated = a_single(name="b", candidateSetStatus="escalated")
    for other, is_done in ((open_, False), (escalated, False), (before, True)):
        state = session(a_single(), other, **decided)
        assert is_complete(state) == is_done
        assert ("session-completed" in kinds_of(built(state))) == is_done


def test_an_empty_round_selects_and_completes_nothing():
    assert kinds_of(built(session())) == ["session-started"]


def test_what_is_no_state():
    with pytest.raises(SessionError):
        built({"items": []})
    with pytest.raises(TypeError):
        built(None)


def test_the_event_sample_is_like_the_built_ones():
    made = built(session(a_single()))[0]
    sample = event("session-started")
    assert sample["spec"] == {n: v for n, v in made["spec"].items() if n != "sequence"}
