"""Any history, legal or not, against the slow reading of it: same findings in order, same state."""

import copy

from hypothesis import event as seen
from hypothesis import example, given
from hypothesis import strategies as st
from tests.reference import review
from tests.unit.review.sessions import UPSTREAM_KEY as UPSTREAM
from tests.unit.review.sessions import (
    a_conflict,
    a_described,
    a_single,
    a_transition,
    an_item,
    blind,
    clears,
    decides,
    event,
    history,
    notes,
    numbered,
    session,
    stamped,
)
from tests.unit.review.test_decision_samples import AUDIT, candidate

from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.review.fold import Fold
from survey_fast.review.replay import (
    history_issues,
    replay_review_session_events,
    validate_review_session_events,
)

ITEMS = [
    a_single(name="one"),
    a_conflict(name="two"),
    a_transition(1, 2, name="beside"),
    a_transition(1, 2, 3, name="rivals"),
    a_described("number", name="number"),
    a_single(name="fixed", editable=False),
    an_item(candidate("c-1", 1, "current"), name="kept"),
    an_item(candidate("c-1", 1), candidate("c-1", 2, "alternative"), name="twice"),
    an_item(candidate("c-1", 1, None), name="bare"),
]
NAMES = [item["metadata"]["name"] for item in ITEMS]
FEW = [a_single(name="one"), a_single(name="before", candidateSetStatus="resolved")]
SNAPSHOTS = [
    session(*ITEMS),
    blind(*ITEMS),
    session(*ITEMS, selectedCandidateIdsByItemName={}),
    # Few enough that a round can end.
    session(*FEW),
]
CONDITIONS = [None, AUDIT, {**AUDIT, "presentation": {"scoreBlind": False}}]
GOOD = {
    "accept-proposed": [("one", "c-1"), ("beside", "c-1"), ("number", "c-1"), ("fixed", "c-1")],
    "select-proposed": [("two", "c-1"), ("two", "c-2"), ("rivals", "c-2")],
    "keep-current": [("beside", "c-now"), ("rivals", "c-now"), ("kept", "c-1")],
    "reject-proposed": [("one", "c-1"), ("two", None), ("rivals", None), ("beside", "c-1")],
    "could-not-confirm": [("one", "c-1"), ("two", None), ("number", "c-1")],
}
EDITS = st.sampled_from(["42", " 7 ", "-3", 5, 2.5, True, None, "x", "007", ["a"]])

names = st.sampled_from([*NAMES, "unknown"])
kinds = st.sampled_from(list(GOOD))


@st.composite
def good_decisions(draw, conditions):
    kind = draw(kinds)
    name, named = draw(st.sampled_from(GOOD[kind]))
    data = {} if conditions is None else {"sessionConditions": conditions}
    if kind == "accept-proposed" and draw(st.booleans()):
        data["workbenchEditedValue"] = draw(EDITS)
    members = {}
    if kind == "could-not-confirm" and draw(st.booleans()):
        members["attemptEvidenceIds"] = draw(st.lists(st.sampled_from("pq"), max_size=2))
    members["eventType"] = draw(st.sampled_from(["decision-changed", "decision-submitted"]))
    return decides(kind, name, named, data=data, **members)


@st.composite
def bad_decisions(draw, conditions):
    """A good decision with one or two members replaced."""
    one = copy.deepcopy(draw(good_decisions(conditions)))
    spec, data = one["spec"], one["spec"]["data"]
    for _ in range(draw(st.integers(1, 2))):
        match draw(st.integers(0, 7)):
            case 0:
                spec["reviewItemName"] = draw(names)
            case 1:
                spec["candidateId"] = draw(st.sampled_from(["c-1", "c-2", "c-now", "c-9"]))
            case 2:
                spec.pop(draw(st.sampled_from(["candidateId", "reviewItemName", "status"])), None)
            case 3:
                spec["status"] = draw(st.sampled_from(["verified", "rejected", "proposed"]))
            case 4:
                spec["resolution"] = draw(st.sampled_from(["held", "could_not_confirm"]))
            case 5:
                spec["resolutionReason"] = draw(st.sampled_from(["", " ", " because "]))
            case 6:
                data["workbenchDecision"] = draw(kinds | st.sampled_from(["toString", 1, "", None]))
            case _:
                data["sessionConditions"] = draw(st.sampled_from(CONDITIONS))
    if draw(st.booleans()):
        spec["activeItemName"] = draw(names)
    return one


def events_under(conditions):
    stamp = {} if conditions is None else {"sessionConditions": conditions}
    return st.one_of(
        good_decisions(conditions),
        good_decisions(conditions),
        bad_decisions(conditions),
        st.builds(notes, st.sampled_from(["", "fine", None]), names),
        st.builds(lambda name: clears(name, **stamp), names),
        st.builds(clears, st.sampled_from(NAMES)),
        st.builds(lambda name: event("item-selected", activeItemName=name), names),
        st.just(event("item-selected")),
        st.just(event("session-started")),
        st.just(event("session-completed")),
    )


@st.composite
def streams(draw, *, only_good=False):
    snapshot = draw(st.sampled_from(SNAPSHOTS))
    conditions = AUDIT if "sampling" in snapshot else None
    one = good_decisions(conditions) if only_good else events_under(conditions)
    stream = draw(st.lists(one, max_size=6))
    for at, member in enumerate(stream):
        if draw(st.integers(0, 3)) == 0:
            key = {"key": UPSTREAM} if draw(st.booleans()) else {}
            stream[at] = stamped(member, **key)
    if not only_good:
        for at, member in enumerate(stream):
            if draw(st.integers(0, 19)) == 0:
                wrong = st.sampled_from([0, True, 2.0, 2**53, None]) | st.integers(1, len(stream))
                stream[at] = numbered(draw(wrong), member)
    stream = history(*stream)
    if not only_good and draw(st.integers(0, 9)) == 0:
        stream = draw(st.permutations(stream))
    return snapshot, stream


@given(streams())
def test_the_findings_are_the_reference_findings(stream):
    snapshot, events = stream
    before = copy.deepcopy(events)
    found = [issue.code for issue in validate_review_session_events(snapshot, events)]
    seen("valid" if not found else "refused")
    assert found == review.issues(snapshot, events)
    assert events == before


def told_apart(state):
    """The state, where only the map of choices says something by being there and empty."""
    silent = ("editedValuesByItemName", "attemptEvidenceIdsByItemName")
    return {name: value for name, value in state.items() if value or name not in silent}


@given(streams() | streams(only_good=True))
def test_behind_a_valid_history_only_the_rest_needs_to_be_judged(stream):
    snapshot, events = stream
    whole = history_issues(snapshot, events)
    for known in range(1, len(events) + 1):
        if history_issues(snapshot, events[:known]):
            break
        assert history_issues(snapshot, events, known=known) == whole


@given(streams() | streams(only_good=True))
@example((SNAPSHOTS[0], []))
def test_a_valid_history_leads_to_the_reference_state(stream):
    snapshot, events = stream
    expected = review.issues(snapshot, events)
    result = derive_review_session_apply_result(snapshot, events)
    assert [issue.code for issue in result.issues] == expected
    if expected:
        assert (result.replayed_session, result.results) == (None, ())
        return
    state = replay_review_session_events(snapshot, events)
    assert told_apart(state) == told_apart(review.replay(snapshot, events))
    assert state == result.replayed_session
    assert (state is snapshot) == (not events)
    decided = {
        item["metadata"]["name"]: (one.actor_id, one.decided_at, one.attribution)
        for item, one in Fold(snapshot).apply(events).decided()
    }
    told = review.attributed(snapshot, events)
    assert decided == {name: one[:3] for name, one in told.items()}
    assert result.attributions == {name: one[2] for name, one in decided.items()}
    assert [one["reviewItemName"] for one in result.results] == list(decided)
    for one in result.decisions:
        actor, when, _, reason = told[one["spec"]["reviewItemName"]]
        assert (one["spec"]["actor"]["id"], one["spec"]["reviewedAt"]) == (actor, when)
        assert one["spec"].get("resolutionReason") == reason
