"""What a session may be made of, and a queue that is no longer the one it was made of."""

import copy
import json

import pytest
from tests.unit.attest.samples import imported, opened
from tests.unit.review.sessions import (
    LATER,
    a_conflict,
    a_single,
    codes_of,
    nested,
    session,
    single_file,
    stored,
)

from survey_fast import canonical_json
from survey_fast.errors import (
    AuditError,
    FileError,
    LogError,
    QueueError,
    SessionError,
    SurveyError,
    UnattestedExtractionQueueError,
    UnattestedReviewQueueError,
)
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import (
    convert_session,
    create_session,
    decide_session,
    load_session,
    log_path,
)

ACCEPT = {"item": "a", "decision": "accept"}
CHOOSE = {"item": "b", "decision": "select", "candidateId": "c-2"}
SNAPSHOT = session(a_single(), a_conflict(name="b"), a_single(name="c"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "round-7.json"
    create_session(path, SNAPSHOT, name="round-7")
    return path


def decide(path, *requests):
    return decide_session(path, requests, reviewer=Reviewer.named("ben"), now=LATER)


def bytes_of(path):
    return path.read_bytes(), log_path(path).read_bytes()


def test_a_name_that_is_taken(path, tmp_path):
    before = bytes_of(path)
    with pytest.raises(FileError) as caught:
        create_session(path, SNAPSHOT, name="round-7")
    assert caught.value.code == "file-exists"
    assert bytes_of(path) == before
    other = tmp_path / "other.json"
    log_path(other).write_bytes(b"mine")
    with pytest.raises(FileError) as caught:
        create_session(other, SNAPSHOT, name="other")
    assert caught.value.code == "file-exists"
    assert not other.exists()
    assert log_path(other).read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("snapshot", "error"),
    [
        (session(), (QueueError, UnattestedReviewQueueError)),
        (session(a_single(), a_single()), QueueError),
        (session(a_single(), decisionsByItemName={"a": "accept-proposed"}), SessionError),
        ({"items": []}, SessionError),
        (session(a_single(), presentation={"scoreBlind": "yes"}), AuditError),
        (session(a_single(), editedValuesByItemName={"a": 1}), SessionError),
    ],
    ids=["empty", "twice", "decided", "no snapshot", "conditions", "edited"],
)
def test_what_no_session_is_made_of(tmp_path, snapshot, error):
    with pytest.raises(error):
        create_session(tmp_path / "x.json", snapshot, name="x")
    assert list(tmp_path.iterdir()) == []


def edit(path, change):
    members = json.loads(path.read_bytes())
    change(members)
    path.write_bytes(canonical_json(members) + b"\n")


def test_a_session_file_that_was_edited_no_longer_belongs_to_its_log(path):
    decide(path, ACCEPT)
    edit(path, lambda members: members["snapshot"].update(actorId="eve"))
    before = bytes_of(path)
    for call in (lambda: load_session(path), lambda: decide(path, CHOOSE)):
        with pytest.raises(LogError) as caught:
            call()
        assert caught.value.code == "RUN_EVENTS_BROKEN"
    assert bytes_of(path) == before


def test_a_queue_that_was_edited_before_any_decision(path):
    def change(members):
        members["snapshot"]["items"][0]["spec"]["candidates"][0]["value"] = 1

    edit(path, change)
    before = bytes_of(path)
    with pytest.raises(UnattestedReviewQueueError):
        load_session(path).apply()
    with pytest.raises(UnattestedReviewQueueError):
        decide(path, ACCEPT)
    assert bytes_of(path) == before


def test_an_import_stays_through_every_decision(tmp_path):
    result = imported()
    snapshot = opened(result)
    path = tmp_path / "fees.json"
    create_session(path, snapshot, name="fees", extraction_import=result.record_bytes)
    name = snapshot["items"][1]["metadata"]["name"]
    assert decide(path, {"item": name, "decision": "accept"}).ok
    document = load_session(path)
    assert document.extraction_import == result.record_bytes
    assert document.apply().attestation.state == "attested"
    other = copy.deepcopy(snapshot)
    other["items"][0]["spec"]["candidates"][0]["value"] = 1
    path = tmp_path / "edited.json"
    create_session(path, other, name="edited", extraction_import=result.record_bytes)
    with pytest.raises(UnattestedExtractionQueueError):
        decide(path, {"item": name, "decision": "accept"})


def test_without_its_import_a_queue_is_unverified(tmp_path):
    path = tmp_path / "fees.json"
    create_session(path, opened(imported()), name="fees")
    assert codes_of(load_session(path).apply().warnings) == ["unverified-extraction-queue"]


def test_conditions_that_were_spoiled_are_found_before_a_decision(path):
    edit(path, lambda members: members["snapshot"].update(presentation={"scoreBlind": "true"}))
    before = bytes_of(path)
    with pytest.raises(SurveyError):
        decide(path, ACCEPT)
    assert bytes_of(path) == before


def test_a_completion_by_nobody_only_warns(tmp_path):
    events = single_file()["events"]
    document = single_file(events, SNAPSHOT)
    convert_session(stored(tmp_path, document), tmp_path / "new.json")
    made = decide(tmp_path / "new.json", CHOOSE)
    # The completion there was no host's, so that what follows it is a warning.
    assert made.ok
    warnings = load_session(tmp_path / "new.json").apply().warnings
    early, *late = codes_of(warnings)
    assert (early, late) == ("unresolved-review-item", ["event-after-completion"] * 2)


UNSTORABLE = {
    "half a surrogate pair": {"note": "\ud800"},
    "not a number": {"editedValue": float("nan")},
    "no double": {"editedValue": 2**53 + 1},
    "too deep": {"editedValue": nested(101)},
    "deeper than any document": {"editedValue": nested(5000)},
}


@pytest.mark.parametrize("extra", UNSTORABLE.values(), ids=UNSTORABLE)
def test_what_cannot_be_written_is_the_fault_of_its_line(path, extra):
    bad = {**ACCEPT, **extra}
    before = bytes_of(path)
    options = {"reviewer": Reviewer.named("ben"), "now": LATER}
    made = decide_session(path, [bad, CHOOSE], **options)
    assert [one.ok for one in made.outcomes] == [False, True]
    assert bytes_of(path) == before
    made = decide_session(path, [bad, CHOOSE], keep_going=True, **options)
    assert (made.committed, load_session(path).apply().ok) == (2, True)


def orphan_of(folder, snapshot, *requests):
    """The log that a creation leaves which never came to its file; here, of another session."""
    path = folder / "round.json"
    create_session(path, snapshot, name="round")
    if requests:
        decide(path, *requests)
    path.unlink()
    return path


def test_what_an_unfinished_creation_left_is_in_nobodys_way(tmp_path):
    path = orphan_of(tmp_path, session(a_single()))
    assert create_session(path, SNAPSHOT, name="round").apply().ok


def test_the_history_of_another_session_is_not_taken_over(tmp_path):
    path = orphan_of(tmp_path, session(a_single()), ACCEPT)
    before = log_path(path).read_bytes()
    source = stored(tmp_path, single_file())
    for call in (
        lambda: create_session(path, SNAPSHOT, name="round"),
        lambda: convert_session(source, path),
    ):
        with pytest.raises(SurveyError):
            call()
        assert not path.exists()
        assert log_path(path).read_bytes() == before
