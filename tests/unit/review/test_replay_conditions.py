"""Events made under other conditions than the session's: rows 47 and 48 of the edge table.

Of the surfaces' table: 59, below a surface.
"""

import pytest
from tests.unit.review.sessions import (
    a_single,
    blind,
    clears,
    codes,
    decides,
    replayed,
    session,
)
from tests.unit.review.test_decision_samples import AUDIT, refused

CONDITIONS = {"sessionConditions": AUDIT}


STAMPS = {
    "sighted": None,
    "null": "null",
    "another rate": {**AUDIT, "sampling": {**AUDIT["sampling"], "rate": 0.9}},
    "another seed": {**AUDIT, "sampling": {**AUDIT["sampling"], "seed": "other"}},
    "not blind": {**AUDIT, "presentation": {"scoreBlind": False}},
    "one for true": {**AUDIT, "presentation": {"scoreBlind": 1}},
    "queue sampling": {**AUDIT, "sampling": {"kind": "queue"}},
    "no sampling": {"presentation": AUDIT["presentation"]},
    "no presentation": {"sampling": AUDIT["sampling"]},
    "a member more": {**AUDIT, "x": 1},
    "empty": {},
    "text": "blind",
    "a list": [AUDIT],
}


@pytest.mark.parametrize("stamp", STAMPS.values(), ids=STAMPS)
def test_rows_47_48_and_59_events_made_under_other_conditions(stamp):
    data = {} if stamp is None else {"sessionConditions": None if stamp == "null" else stamp}
    snapshot = blind(a_single())
    found = ["session-conditions-mismatch"]
    assert codes(snapshot, decides("accept-proposed", data=data)) == found
    if data:
        assert codes(session(a_single()), decides("accept-proposed", data=CONDITIONS)) == found


def test_events_made_under_these_conditions():
    assert codes(blind(a_single()), decides("accept-proposed", data=CONDITIONS)) == []
    null = {"sessionConditions": None}
    assert codes(session(a_single()), decides("accept-proposed", data=null)) == []


def test_the_rate_may_be_spelled_as_an_integer_or_not():
    sampling = {"kind": "random-audit", "rate": 1, "seed": "s"}
    blind_ = {"presentation": {"scoreBlind": True}}
    snapshot = session(a_single(), sampling=sampling, **blind_)
    stamp = {"sessionConditions": {"sampling": {**sampling, "rate": 1.0}, **blind_}}
    assert codes(snapshot, decides("accept-proposed", data=stamp)) == []


def test_a_clear_event_may_lack_the_stamp_and_may_not_differ_from_it():
    made = decides("accept-proposed", data=CONDITIONS)
    snapshot = blind(a_single())
    assert codes(snapshot, made, clears()) == []
    assert codes(snapshot, made, clears(sessionConditions=AUDIT)) == []
    for stamp in (None, {}, STAMPS["another rate"]):
        assert codes(snapshot, made, clears(sessionConditions=stamp)) == [
            "session-conditions-mismatch"
        ]
    assert codes(session(a_single()), clears(sessionConditions=AUDIT)) == [
        "session-conditions-mismatch"
    ]


def test_conditions_and_names_of_the_snapshot_are_findings_too():
    assert codes(session(a_single(), presentation={"scoreBlind": "true"})) == [
        "invalid-session-conditions"
    ]
    assert codes(session(a_single(), sampling=None)) == ["invalid-session-conditions"]
    for presentation in ({}, {"presentation": {"scoreBlind": False}}):
        audit = session(a_single(), sampling=AUDIT["sampling"], **presentation)
        assert codes(audit) == ["invalid-session-conditions"]
    assert codes(session(a_single(), a_single())) == ["ambiguous-item-identity"]
    assert refused(replayed, session(a_single(), a_single())) == "ambiguous-item-identity"
