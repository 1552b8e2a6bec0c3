"""What a history comes to: rows 13, 33, 34 and 35 of the edge table, as far as a state goes.

Of the surfaces' table: 29, 30, 49, 51, 52, 53 and, below a surface, 92.
"""

import pytest
from tests.unit.review.sessions import (
    a_conflict,
    a_described,
    a_single,
    a_transition,
    clears,
    codes,
    decides,
    derived,
    event,
    history,
    notes,
    replayed,
    session,
)

from survey_fast.canon import canonical_digest
from survey_fast.review.replay import replay_review_session_events

SELECTIONS = "selectedCandidateIdsByItemName"
EDITS = "editedValuesByItemName"
ATTEMPTS = "attemptEvidenceIdsByItemName"


def edit(value, item="a"):
    return decides("accept-proposed", item, data={"workbenchEditedValue": value})


@pytest.mark.parametrize("made", [[], [notes("x")]], ids=["no events", "one event"])
def test_no_events_return_the_snapshot_itself(made):
    snapshot = session(a_single())
    state = replay_review_session_events(snapshot, history(*made))
    assert (state is snapshot) == (not made)
    assert snapshot == session(a_single())


def test_rows_13_and_30_a_session_older_than_choices():
    snapshot = session(a_single(), a_transition(1, 2, name="b"))
    before = canonical_digest(snapshot)
    events = [decides("accept-proposed"), decides("keep-current", "b", "c-now"), notes("x", "b")]
    state = replayed(snapshot, *events)
    assert SELECTIONS not in state
    assert canonical_digest(snapshot) == before
    result = derived(snapshot, *events)
    assert result.ok
    assert all("unselectedCandidateIds" not in one["spec"] for one in result.decisions)


def test_a_map_of_choices_that_was_there_stays():
    snapshot = session(a_single(), **{SELECTIONS: {}})
    assert replayed(snapshot, decides("accept-proposed"))[SELECTIONS] == {}


def test_a_choice_that_was_applied_leaves_its_map_behind():
    state = replayed(
        session(a_conflict()),
        decides("select-proposed", candidate="c-2"),
        decides("reject-proposed", candidate=None),
    )
    assert state["decisionsByItemName"] == {"a": "reject-proposed"}
    assert state[SELECTIONS] == {}


def test_row_29_the_choice_comes_from_the_event():
    state = replayed(session(a_conflict()), decides("select-proposed", candidate="c-2"))
    assert state["decisionsByItemName"] == {"a": "select-proposed"}
    assert state[SELECTIONS] == {"a": "c-2"}


def test_row_92_a_note_written_after_a_choice_leaves_the_choice():
    state = replayed(
        session(a_conflict()), decides("select-proposed", candidate="c-2"), notes("the later one")
    )
    assert state[SELECTIONS] == {"a": "c-2"}
    assert state["notesByItemName"] == {"a": "the later one"}


def test_a_choice_that_was_made_again():
    state = replayed(
        session(a_conflict()),
        decides("select-proposed", candidate="c-2"),
        decides("select-proposed", candidate="c-1"),
    )
    assert state[SELECTIONS] == {"a": "c-1"}


def test_rows_34_and_53_an_edit_does_not_outlive_its_acceptance():
    snapshot = session(a_transition("now", "new"))
    assert replayed(snapshot, edit("mine"))[EDITS] == {"a": "mine"}
    for later in (decides("keep-current", candidate="c-now"), decides("accept-proposed")):
        assert replayed(snapshot, edit("mine"), later).get(EDITS, {}) == {}
    result = derived(snapshot, edit("mine"), decides("keep-current", candidate="c-now"))
    assert "editedValue" not in result.results[0]
    assert result.results[0]["effectiveValue"] == "now"


def test_row_51_null_is_an_edit():
    assert replayed(session(a_single()), edit(None))[EDITS] == {"a": None}


def test_row_49_older_text_is_read_as_a_number():
    snapshot = session(a_described("number"))
    assert replayed(snapshot, edit("42"))[EDITS] == {"a": 42}


def test_row_33_a_refused_edit_that_a_later_decision_replaced():
    snapshot = session(a_described("number"))
    twice = [edit("nonsense"), edit("nonsense"), decides("reject-proposed")]
    result = derived(snapshot, *twice)
    assert result.ok
    assert [one.code for one in result.warnings] == ["superseded-edited-value-refused"] * 2
    assert "editedValue" not in result.results[0]


@pytest.mark.parametrize(
    ("item", "made"),
    [
        (a_single(), edit("mine")),
        (a_conflict(), decides("select-proposed")),
        (a_single(), decides("could-not-confirm", attemptEvidenceIds=["e"])),
        (a_single(), decides("reject-proposed")),
    ],
    ids=["edit", "choice", "attempts", "rejection"],
)
def test_rows_35_and_52_taking_back_drops_all_but_the_note(item, made):
    snapshot = session(item)
    state = replayed(snapshot, notes("kept"), made, clears())
    assert state["decisionsByItemName"] == {}
    assert state["notesByItemName"] == {"a": "kept"}
    assert [state.get(member, {}) for member in (EDITS, SELECTIONS, ATTEMPTS)] == [{}, {}, {}]
    result = derived(snapshot, notes("kept"), made, clears())
    assert (result.ok, result.unresolved_item_names) == (True, ("a",))
    assert (result.decisions, result.results) == ((), ())


def test_attempts_go_with_could_not_confirm_only():
    snapshot = session(a_single())
    tried = decides("could-not-confirm", attemptEvidenceIds=["e-1", "e-2"])
    assert replayed(snapshot, tried)[ATTEMPTS] == {"a": ["e-1", "e-2"]}
    assert replayed(snapshot, tried, decides("reject-proposed")).get(ATTEMPTS, {}) == {}
    empty = decides("could-not-confirm", attemptEvidenceIds=[])
    assert replayed(snapshot, empty).get(ATTEMPTS, {}) == {}
    copy_only = decides("could-not-confirm", data={"attemptEvidenceIds": ["e-1"]})
    assert replayed(snapshot, copy_only).get(ATTEMPTS, {}) == {}


def test_the_active_item():
    snapshot = session(a_single(), a_single(name="b"))
    assert replayed(snapshot, event("item-selected", "b"))["activeItemName"] == "b"
    chosen = event("item-selected", "a", activeItemName="b")
    assert replayed(snapshot, chosen)["activeItemName"] == "b"
    assert replayed(snapshot, event("item-selected"))["activeItemName"] == "a"


def test_notes_replace_one_another():
    snapshot = session(a_single())
    assert replayed(snapshot, notes("x"), notes("y"))["notesByItemName"] == {"a": "y"}
    assert replayed(snapshot, notes("x"), notes(None))["notesByItemName"] == {"a": ""}
    assert replayed(snapshot, event("note-changed", rationale="x"))["notesByItemName"] == {}


def test_every_part_of_a_state_survives():
    snapshot = session(a_single(), producerSays={"any": "thing"})
    assert replayed(snapshot, notes("x"))["producerSays"] == {"any": "thing"}


def test_items_are_decided_in_any_order():
    snapshot = session(a_single(), a_conflict(name="b"), a_single(name="c"))
    made = [
        decides("reject-proposed", "c"),
        decides("select-proposed", "b", "c-2"),
        decides("accept-proposed"),
    ]
    assert codes(snapshot, *made) == []
    result = derived(snapshot, *made)
    assert [one["reviewItemName"] for one in result.results] == ["a", "b", "c"]
