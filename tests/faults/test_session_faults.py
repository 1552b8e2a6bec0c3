"""A session is made, or decided on, while one of the calls fails or is the last one.

Afterwards the session holds the history it had or the whole one after; a session that was to be
made is there whole or not at all, and then it can be made again.
"""

import pytest
from tests.faults.seam import DEATHS, FAULTS, FaultyFiles, RecordingFiles, outcome_of
from tests.unit.review.sessions import LATER, a_conflict, a_single, session, single_file, stored

from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import (
    convert_session,
    create_session,
    decide_session,
    load_session,
)

SNAPSHOT = session(a_single(), a_conflict(name="b"), a_single(name="c"))
OLD = [{"item": "a", "decision": "accept", "note": "old"}]
NEW = [
    {"item": "b", "decision": "select", "candidateId": "c-2", "note": "x" * 500},
    {"item": "c", "decision": "reject"},
]
REFUSED = {"STORAGE_FAILED", "REVIEW_BUSY", "RUN_EVENTS_BROKEN"}
UNKNOWN = {"RUN_COMMIT_UNKNOWN", "died"}
ENOUGH = 200


def decide(path, requests, files):
    made = decide_session(
        path,
        requests,
        reviewer=Reviewer.named("ben"),
        now=LATER,
        wait=0,
        files=files,
    )
    assert made.ok
    return made.revision


def prepared(folder):
    folder.mkdir()
    path = folder / "round.json"
    create_session(path, SNAPSHOT, name="round", files=RecordingFiles())
    return path, decide(path, OLD, RecordingFiles())


def decided(path):
    state = load_session(path).apply().replayed_session
    return set(state["decisionsByItemName"])


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_batch_is_decided_whole_or_not_at_all(tmp_path, fault):
    for at in range(1, ENOUGH):
        path, before = prepared(tmp_path / str(at))
        root = path.read_bytes()
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda path=path, files=files: decide(path, NEW, files))
        now = load_session(path)
        is_after = now.revision != before
        assert decided(path) == ({"a", "b", "c"} if is_after else {"a"})
        assert outcome in REFUSED | UNKNOWN or outcome == now.revision != before
        assert outcome not in REFUSED or not is_after
        assert path.read_bytes() == root
        proceeds(path, is_after)
        if not files.was_met:
            break
    assert outcome == now.revision
    assert at > 20


def proceeds(path, is_after):
    """Whoever decides next finds the session in order and leaves nothing else behind."""
    if not is_after:
        clear_locks(path)
        decide(path, NEW, RecordingFiles())
    assert decided(path) == {"a", "b", "c"}


def clear_locks(path):
    """A record left by a process of this very number would look like a live owner's."""
    for record in path.parent.glob(".*.lock*"):
        record.unlink()


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_session_is_made_whole_or_not_at_all(tmp_path, fault):
    assert met_everywhere(tmp_path, fault, create, set()) > 8


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_session_is_converted_whole_or_not_at_all(tmp_path, fault):
    assert met_everywhere(tmp_path, fault, convert, {"a"}) > 30


def met_everywhere(tmp_path, fault, make, expected):
    """Meet the fault at every call of ``make``; returns how many calls there are."""
    for at in range(1, ENOUGH):
        path = tmp_path / str(at) / "round.json"
        path.parent.mkdir()
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda path=path, files=files: make(path, files))
        if not path.exists():
            assert outcome != "made"
            clear_locks(path)
            assert make(path, RecordingFiles()) == "made"
        assert decided(path) == expected
        if not files.was_met:
            break
    assert outcome == "made"
    return at


def create(path, files):
    create_session(path, SNAPSHOT, name="round", files=files)
    return "made"


def convert(path, files):
    old = stored(path.parent, single_file(snapshot=SNAPSHOT))
    convert_session(old, path, files=files)
    return "made"
