"""Snapshots and events whose structure is wrong: refused with a code and a place, never half read.

The rows of the edge table say nothing of structure; the rule that bad input is refused does.
"""

import copy

import pytest
from tests.unit.review.sessions import (
    a_conflict,
    a_transition,
    clears,
    decides,
    event,
    history,
    notes,
    session,
    stamped,
)

from survey_fast.errors import SessionError
from survey_fast.review.apply import derive_review_session_apply_result
from survey_fast.review.replay import replay_review_session_events, validate_review_session_events
from survey_fast.review.shape import check_events, check_new_events, check_snapshot

RICH = {
    "valueDescriptor": {"type": "enum", "enumValues": ["old", "new"]},
    "producerPolicy": {"decisionMode": "free-select"},
    "projection": {"reviewOutcomeId": "r"},
    "rationale": "why it is asked",
    "editable": True,
}
SNAPSHOT = session(
    a_transition("old", "new", **RICH), a_conflict(name="b"), notesByItemName={"a": "x"}
)
SNAPSHOT["items"][0]["metadata"] |= {"labels": {"l": "m"}, "producer": {"p": {"q": 1}}}
SNAPSHOT["items"][0]["spec"]["candidates"][1] |= {"projection": {"claimId": "k"}, "confidence": 0.5}
VALUES = [None, True, 1, 1.5, "text", [], ["x"], {}, {"x": 1}, [{}], "constructor"]
STREAM = history(
    event("session-started"),
    event("item-selected", "a", activeItemName="a"),
    notes("x"),
    stamped(decides("accept-proposed", data={"workbenchEditedValue": "old"})),
    decides("could-not-confirm", attemptEvidenceIds=["e"], reviewDecisionName="n"),
    clears(),
    decides("accept-proposed", data={"workbenchEditedValue": "old"}),
    decides("select-proposed", "b", "c-2"),
    event("session-completed"),
)


def places(document, path=()):
    """Every path into a document, containers before what they hold."""
    yield path
    inner = document.items() if isinstance(document, dict) else ()
    inner = enumerate(document) if isinstance(document, list) else inner
    for step, value in inner:
        yield from places(value, (*path, step))


def changed(document, path, value):
    """A copy with one place replaced; with it removed where ``value`` is Ellipsis."""
    if not path:
        return value
    result = copy.deepcopy(document)
    place = result
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return result


def refusal_of(snapshot, events):
    """Where a refusal points, or nothing; any exception but a refusal is a failure."""
    try:
        derive_review_session_apply_result(snapshot, events)
    except SessionError as refused:
        return refused.pointer
    return None


EVENT_PLACES = sorted({path for path in places(STREAM) if len(path) > 1}, key=str)


@pytest.mark.parametrize("path", EVENT_PLACES, ids=lambda path: "/".join(map(str, path)))
def test_any_wrong_value_anywhere_in_an_event_is_taken_or_refused_in_words(path):
    for value in (*VALUES, ...):
        stream = changed(STREAM, path, value)
        pointer = refusal_of(SNAPSHOT, stream)
        assert pointer is None or pointer.startswith(f"/{path[0]}")


def test_the_samples_are_taken_whole():
    assert refusal_of(SNAPSHOT, STREAM) is None
    assert derive_review_session_apply_result(SNAPSHOT, STREAM, required="all").ok


SNAPSHOT_PLACES = sorted({path for path in places(SNAPSHOT) if path}, key=str)


@pytest.mark.parametrize("path", SNAPSHOT_PLACES, ids=lambda path: "/".join(map(str, path)))
def test_any_wrong_value_anywhere_in_a_snapshot_is_taken_or_refused_in_words(path):
    for value in (*VALUES, ...):
        snapshot = changed(SNAPSHOT, path, value)
        pointer = refusal_of(snapshot, STREAM)
        assert pointer is None or pointer.startswith(f"/{path[0]}")


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("x",), 1, ""),
        (("apiVersion",), "survey.kontourai.io/v2", "/apiVersion"),
        (("kind",), "ReviewItem", "/kind"),
        (("metadata",), ..., "/metadata"),
        (("metadata", "name"), "", "/metadata/name"),
        (("metadata", "x"), 1, "/metadata"),
        (("metadata", "labels"), [], "/metadata/labels"),
        (("metadata", "producer"), 1, "/metadata/producer"),
        (("spec", "sessionName"), ..., "/spec"),
        (("spec", "sequence"), ..., "/spec"),
        (("spec", "occurredAt"), 5, "/spec/occurredAt"),
        (("spec", "eventType"), "decided", "/spec/eventType"),
        (("spec", "eventType"), ["decision-changed"], "/spec/eventType"),
        (("spec", "x"), 1, "/spec/x"),
        (("spec", "reviewItemName"), None, "/spec/reviewItemName"),
        (("spec", "candidateId"), 1, "/spec/candidateId"),
        (("spec", "data"), [], "/spec/data"),
        (("spec", "actor"), {"id": "a", "x": 1}, "/spec/actor"),
        (("spec", "actor"), "ana", "/spec/actor"),
        (("spec", "attemptEvidenceIds"), ["a", 1], "/spec/attemptEvidenceIds"),
        (("spec", "rationale"), "\u00e9" * 32769, "/spec/rationale"),
        (("status",), {"x": 1}, "/status"),
        (("status",), {"replayed": 1}, "/status/replayed"),
    ],
)
def test_where_an_event_is_wrong(path, value, pointer):
    stream = history(notes("x"), decides("accept-proposed"))
    with pytest.raises(SessionError) as caught:
        check_events(changed(stream, (1, *path), value))
    assert (caught.value.code, caught.value.pointer) == ("session-malformed", f"/1{pointer}")


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\ufeff"])
def test_what_was_tried_has_a_name_in_events_that_are_written_and_may_lack_one_in_others(blank):
    stream = history(notes("x"), decides("could-not-confirm", attemptEvidenceIds=["e"]))
    check_new_events(check_events(stream))
    nameless = changed(stream, (1, "spec", "attemptEvidenceIds"), ["e", blank])
    with pytest.raises(SessionError) as caught:
        check_new_events(check_events(nameless))
    assert caught.value.code == "session-malformed"
    assert caught.value.pointer == "/1/spec/attemptEvidenceIds/1"


def test_notes_up_to_the_cap():
    assert check_events(history(notes("x" * 65536), notes("\u00e9" * 32768)))


def test_what_producers_may_add():
    stream = history(notes("x"))
    stream[0]["metadata"] |= {"uid": "u", "labels": {"a": "b"}, "annotations": {"c": "d"}}
    stream[0] |= {"status": {"replayed": True}}
    stream[0]["spec"]["data"] = {"whatever": [1]}
    assert check_events(stream) is stream


@pytest.mark.parametrize(
    ("path", "value", "pointer"),
    [
        (("actorId",), ..., "/actorId"),
        (("reviewedAt",), 1, "/reviewedAt"),
        (("activeItemName",), None, "/activeItemName"),
        (("notesByItemName",), ..., "/notesByItemName"),
        (("notesByItemName",), {"a": 1}, "/notesByItemName"),
        (("decisionsByItemName",), [], "/decisionsByItemName"),
        (("decisionsByItemName",), {"a": None}, "/decisionsByItemName"),
        (("editedValuesByItemName",), [], "/editedValuesByItemName"),
        (("attemptEvidenceIdsByItemName",), {"a": "x"}, "/attemptEvidenceIdsByItemName"),
        (("selectedCandidateIdsByItemName",), {"a": 1}, "/selectedCandidateIdsByItemName"),
        (("items",), ..., "/items"),
        (("items",), {}, "/items"),
        (("items", 0), 1, "/items/0/metadata/name"),
        (("items", 0, "metadata", "name"), 1, "/items/0/metadata/name"),
        (("items", 0, "spec", "target"), ..., "/items/0/spec/target"),
        (("items", 0, "spec", "candidates"), [], "/items/0/spec/candidates"),
        (("items", 0, "spec", "candidates", 0, "id"), 1, "/items/0/spec/candidates/0/id"),
        (("items", 0, "spec", "candidates", 0, "value"), ..., "/items/0/spec/candidates/0/value"),
        (("items", 0, "spec", "candidates", 0, "role"), {}, "/items/0/spec/candidates/0/role"),
    ],
)
def test_where_a_snapshot_is_wrong(path, value, pointer):
    with pytest.raises(SessionError) as caught:
        check_snapshot(changed(SNAPSHOT, path, value))
    assert (caught.value.code, caught.value.pointer) == ("session-malformed", pointer)


@pytest.mark.parametrize(
    "wrong",
    [None, "x", {}, 1, iter([])],
    ids=["none", "text", "object", "number", "iterator"],
)
def test_events_of_a_wrong_python_type(wrong):
    for call in (validate_review_session_events, replay_review_session_events):
        with pytest.raises(TypeError, match="list"):
            call(SNAPSHOT, wrong)


@pytest.mark.parametrize("wrong", [None, [], 1, ()], ids=str)
def test_snapshots_of_a_wrong_python_type(wrong):
    with pytest.raises(TypeError, match="dict"):
        validate_review_session_events(wrong, [])


def test_text_that_no_file_can_hold():
    with pytest.raises(SessionError) as caught:
        check_events(history(notes("\ud800")))
    assert (caught.value.code, caught.value.pointer) == ("session-malformed", "/0/spec/rationale")
