"""A stream as a whole: what comes after its completion, and completions that have no place."""

import pytest
from tests.unit.review.sessions import (
    UPSTREAM_KEY,
    a_single,
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

END = event("session-completed")
LATE = "event-after-completion"


@pytest.mark.parametrize(
    "late", [notes("x"), decides("accept-proposed"), END, END | {"status": {}}]
)
def test_an_issue_only_when_a_host_stamped_both(late):
    snapshot = session(a_single())
    stated = [(stamped(END), stamped(late)), (stamped(END, key=UPSTREAM_KEY), stamped(late))]
    for both in stated:
        assert codes(snapshot, *both) == [LATE]
    for some in ((END, late), (stamped(END), late), (END, stamped(late))):
        assert codes(snapshot, *some) == []
        assert LATE in codes_of(derived(snapshot, *some).warnings)


def test_the_warning_names_each_late_event():
    result = derived(session(a_single()), END, notes("x"), notes("y"))
    assert [(one.code, one.sequence) for one in result.warnings] == [(LATE, 2), (LATE, 3)]
    assert result.warnings[0].to_json()["reviewItemName"] == "a"


def test_events_before_the_completion_are_not_late():
    result = derived(session(a_single()), stamped(notes("x")), stamped(END))
    assert result.ok
    assert result.warnings == ()


def test_lateness_is_told_by_sequence_not_by_place():
    events = [numbered(2, stamped(END)), numbered(1, stamped(notes("x")))]
    assert LATE not in codes(session(a_single()), *events)


@pytest.mark.parametrize("sequence", [0, True, None, 2**53])
def test_a_completion_without_a_place_makes_nothing_late(sequence):
    events = [stamped(notes("x")), numbered(sequence, stamped(END))]
    assert codes(session(a_single()), *events) == ["invalid-sequence"]


def test_a_second_completion_does_not_hide_the_first():
    events = [stamped(END), stamped(notes("x")), stamped(END)]
    assert codes(session(a_single()), *events) == [LATE, LATE]
