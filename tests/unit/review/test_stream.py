"""A stream as a whole: what comes after its completion, completions too early or without a place.

Proves 30-review.md D11 and D16 as 05-formats.md 6 completes them.
"""

import pytest
from tests.unit.review.sessions import (
    OWN_KEY,
    UPSTREAM_KEY,
    a_single,
    clears,
    codes,
    codes_of,
    decides,
    derived,
    event,
    notes,
    numbered,
    session,
    stamped,
)

DONE = session(a_single(candidateSetStatus="resolved"))
"""A queue in which nothing is open from the start."""
END = event("session-completed")
LATE = "event-after-completion"


@pytest.mark.parametrize(
    "late", [notes("x"), decides("accept-proposed"), END, END | {"status": {}}]
)
def test_an_issue_only_when_a_host_stamped_both(late):
    snapshot = DONE
    stated = [(stamped(END), stamped(late)), (stamped(END, key=UPSTREAM_KEY), stamped(late))]
    for both in stated:
        assert codes(snapshot, *both) == [LATE]
    for some in ((END, late), (stamped(END), late), (END, stamped(late))):
        assert codes(snapshot, *some) == []
        assert LATE in codes_of(derived(snapshot, *some).warnings)


def test_the_warning_names_each_late_event():
    result = derived(DONE, END, notes("x"), notes("y"))
    assert [(one.code, one.sequence) for one in result.warnings] == [(LATE, 2), (LATE, 3)]
    assert result.warnings[0].to_json()["reviewItemName"] == "a"


def test_events_before_the_completion_are_not_late():
    result = derived(DONE, stamped(notes("x")), stamped(END))
    assert result.ok
    assert result.warnings == ()


def test_lateness_is_told_by_sequence_not_by_place():
    events = [numbered(2, stamped(END)), numbered(1, stamped(notes("x")))]
    assert LATE not in codes(DONE, *events)


@pytest.mark.parametrize("sequence", [0, True, None, 2**53])
def test_a_completion_without_a_place_makes_nothing_late(sequence):
    events = [stamped(notes("x")), numbered(sequence, stamped(END))]
    assert codes(DONE, *events) == ["invalid-sequence"]


def test_a_second_completion_does_not_hide_the_first():
    events = [stamped(END), stamped(notes("x")), stamped(END)]
    assert codes(DONE, *events) == [LATE, LATE]


EARLY = "unresolved-review-item"
OPEN = session(
    a_single(name="a"),
    a_single(name="b", candidateSetStatus="escalated"),
    a_single(name="c", candidateSetStatus="resolved"),
)
BOTH = (decides("accept-proposed", "a"), decides("reject-proposed", "b"))


@pytest.mark.parametrize("key", [OWN_KEY, UPSTREAM_KEY])
def test_a_host_completes_only_when_nothing_is_open(key):
    assert codes(OPEN, *BOTH, stamped(END, key=key)) == []
    for early in ((), BOTH[:1], BOTH[1:], (*BOTH, clears("a"))):
        assert codes(OPEN, *early, stamped(END, key=key)) == [EARLY]
        result = derived(OPEN, *early, stamped(END, key=key))
        assert (result.ok, result.results, result.replayed_session) == (False, (), None)


def test_the_finding_about_an_early_completion_says_where_it_stands():
    (issue,) = derived(OPEN, BOTH[0], stamped(END)).issues
    assert (issue.code, issue.sequence, issue.event_name) == (EARLY, 2, "s1-0002-session-completed")


def test_what_is_decided_after_an_early_completion_does_not_mend_it():
    assert codes(OPEN, stamped(END), *BOTH) == [EARLY]
    # By sequence, not by place.
    events = [numbered(3, stamped(END)), numbered(1, BOTH[0]), numbered(2, BOTH[1])]
    assert EARLY not in codes(OPEN, *events)


def test_a_completion_of_nobody_with_items_open_is_a_warning():
    result = derived(OPEN, BOTH[0], END, BOTH[1])
    assert result.ok
    early, late = result.warnings
    assert (early.code, early.sequence, late.code) == (EARLY, 2, LATE)
    assert early.to_json()["itemNames"] == ["b"]
    assert derived(OPEN, *BOTH, END).warnings == ()


def test_a_decision_of_the_snapshot_counts_as_one():
    seeded = OPEN | {"decisionsByItemName": {"a": "accept-proposed", "b": "reject-proposed"}}
    assert codes(seeded, stamped(END)) == []
    assert codes(seeded, clears("a"), stamped(END)) == [EARLY]
