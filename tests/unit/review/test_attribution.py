"""Who decided, and when: each item by its own event, or by the snapshot where none was stamped."""

import pytest
from tests.unit.review.sessions import (
    LATER,
    OWN_KEY,
    REASON,
    UPSTREAM_KEY,
    a_single,
    clears,
    codes,
    decides,
    derived,
    history,
    notes,
    session,
    stamped,
)
from tests.unit.review.test_decision_samples import AT, refused

from survey_fast.errors import DecisionError
from survey_fast.review.attribution import Reviewer, host_stamp, mode_of, stamp_events

ANA = ("ana", AT)
BEN = ("ben", LATER)
SNAPSHOT = session(a_single(), a_single(name="b"))


def told(*events):
    result = derived(SNAPSHOT, *events)
    assert result.ok
    return {
        one["spec"]["reviewItemName"]: (one["spec"]["actor"]["id"], one["spec"]["reviewedAt"])
        for one in result.decisions
    }, dict(result.attributions)


@pytest.mark.parametrize("key", [OWN_KEY, UPSTREAM_KEY])
def test_the_hosts_stamp_counts_and_nothing_else_does(key):
    claimed = decides("accept-proposed", actor={"id": "eve"}, occurredAt=LATER)
    who, how = told(claimed, stamped(decides("accept-proposed", "b"), key=key))
    assert who == {"a": ANA, "b": BEN}
    assert how == {"a": "legacy-synthetic-actor", "b": "event"}


def test_the_final_decision_tells_not_the_first_nor_the_note():
    first, last = stamped(decides("accept-proposed"), "cem"), stamped(decides("reject-proposed"))
    assert told(first, last, stamped(notes("x"), "dan"))[0] == {"a": BEN}
    assert told(stamped(decides("accept-proposed")), decides("reject-proposed"))[0] == {"a": ANA}
    assert told(first, stamped(clears()), last)[0] == {"a": BEN}
    assert told(first, clears()) == ({}, {})


@pytest.mark.parametrize(
    "stamp",
    [
        None,
        "human",
        {},
        [],
        {"actorKind": "human"},
        {"mode": "batch"},
        {"actorKind": "robot", "mode": "batch"},
        {"actorKind": "human", "mode": "single"},
        {"actorKind": ["human"], "mode": "batch"},
        {"actorKind": "human", "mode": "batch", "x": 1},
        {"actorKind": "human", "mode": "batch", "clientClaimedActorId": None},
    ],
    ids=str,
)
@pytest.mark.parametrize("key", [OWN_KEY, UPSTREAM_KEY])
def test_a_forged_stamp_is_a_defect_of_the_event(stamp, key):
    one = decides("accept-proposed")
    one["metadata"]["producer"] = {key: stamp}
    assert refused(codes, SNAPSHOT, one) == "session-malformed"


def test_a_sound_stamp_does_not_cover_a_forged_one():
    one = stamped(decides("accept-proposed"))
    one["metadata"]["producer"][UPSTREAM_KEY] = "forged"
    assert refused(codes, SNAPSHOT, one) == "session-malformed"


def test_what_a_producer_adds_is_no_stamp():
    one = decides("accept-proposed")
    one["metadata"]["producer"] = {"elsewhere": {"actorKind": "human", "mode": "batch"}}
    assert told(one)[1] == {"a": "legacy-synthetic-actor"}


def test_row_18_the_reason_is_the_events_own():
    for events in (
        [decides("could-not-confirm")],
        [notes("a note before"), decides("could-not-confirm")],
        [decides("could-not-confirm"), notes("a note after")],
    ):
        (made,) = derived(SNAPSHOT, *events).decisions
        assert made["spec"]["resolutionReason"] == REASON


def test_the_reason_belongs_to_the_final_event():
    first = decides("could-not-confirm", resolutionReason="the first one")
    (made,) = derived(SNAPSHOT, first, decides("could-not-confirm")).decisions
    assert made["spec"]["resolutionReason"] == REASON


def test_the_host_replaces_what_a_client_says():
    sent = history(decides("accept-proposed", actor={"id": "eve"}, occurredAt="sometime"))
    sent[0]["metadata"]["producer"] = {OWN_KEY: "forged", "elsewhere": 1}
    reviewer = Reviewer.named("ben")
    (one,) = stamp_events(sent, reviewer=reviewer, now=LATER, default_actor="ana")
    assert one["metadata"]["producer"] == {
        OWN_KEY: {"actorKind": "human", "mode": "individual", "clientClaimedActorId": "eve"},
        "elsewhere": 1,
    }
    assert (one["spec"]["actor"], one["spec"]["occurredAt"]) == ({"id": "ben"}, LATER)
    assert sent[0]["spec"]["actor"] == {"id": "eve"}
    assert host_stamp(one) == one["metadata"]["producer"][OWN_KEY]


@pytest.mark.parametrize("claimed", ["ana", "ben", None])
def test_who_names_the_rounds_actor_or_the_reviewer_claims_nothing(claimed):
    actor = None if claimed is None else {"id": claimed}
    sent = history(decides("accept-proposed", actor=actor))
    (one,) = stamp_events(sent, reviewer=Reviewer.named("ben"), now=LATER, default_actor="ana")
    assert one["metadata"]["producer"][OWN_KEY] == {"actorKind": "human", "mode": "individual"}


def test_modes():
    one, two = decides("accept-proposed"), decides("accept-proposed", "b")
    human, robot = Reviewer.named("ben"), Reviewer.named("bot", "agent")
    assert mode_of(human, [one, one, notes("x", "b")]) == "individual"
    assert mode_of(human, [one, two]) == "batch"
    assert mode_of(human, [one, clears("b")]) == "individual"
    assert mode_of(robot, [one, two]) == mode_of(robot, [one]) == "agent"
    assert (Reviewer().id, Reviewer().kind) == ("unattributed", "unattributed")


@pytest.mark.parametrize(
    "name", ["", " ", "-x", "a b", "a/b", "a\n", "unattributed", "é", 129 * "a"]
)
def test_ids_that_are_none(name):
    with pytest.raises(DecisionError) as caught:
        Reviewer.named(name)
    assert (caught.value.code, caught.value.pointer) == ("decision-malformed", "/reviewer")


@pytest.mark.parametrize("name", ["a", "7", "a.b_c:d@e-f", "a" * 128])
def test_ids(name):
    assert Reviewer.named(name) == Reviewer(name, "human")
