"""Ending a round, caps of a session, conditions of a stored one.

Proves 30-review.md D10 and D11 as 05-formats.md 6 and 12 complete them, for what is on disk.
Left to the surfaces: what a blind round gives out.
"""

import json

import pytest
from tests.unit.review.sessions import (
    LATER,
    a_conflict,
    a_single,
    blind,
    codes_of,
    decides,
    event,
    history,
    session,
    single_file,
    stamped,
    stored,
)
from tests.unit.review.test_decision_samples import AUDIT

import survey_fast as sf
from survey_fast.errors import SurveyError
from survey_fast.limits import ImportLimits
from survey_fast.review.attribution import Reviewer
from survey_fast.review.conditions import is_score_withheld
from survey_fast.review.session_file import read_session
from survey_fast.review.session_store import (
    complete_session,
    convert_session,
    create_session,
    decide_session,
    load_session,
    log_path,
    pack_session,
)

BEN = {"reviewer": Reviewer.named("ben"), "now": LATER}
ACCEPT = {"item": "a", "decision": "accept"}
CHOOSE = {"item": "b", "decision": "select", "candidateId": "c-2"}
SNAPSHOT = session(a_single(), a_conflict(name="b"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "round.json"
    create_session(path, SNAPSHOT, name="round")
    return path


def refused(call, *args, **options):
    with pytest.raises(SurveyError) as caught:
        call(*args, **options)
    return caught.value.code


def test_a_round_ends_when_everything_is_decided_and_for_good(path):
    decide_session(path, [ACCEPT], **BEN)
    before = log_path(path).read_bytes()
    assert refused(complete_session, path, **BEN) == "unresolved-review-item"
    assert log_path(path).read_bytes() == before
    decide_session(path, [CHOOSE], **BEN)
    revision = complete_session(path, **BEN)
    document = load_session(path)
    assert (document.revision, document.apply(required="all").ok) == (revision, True)
    last = document.events[-1]
    assert last["metadata"]["name"] == "round-0005-session-completed"
    assert (last["spec"]["actor"], last["spec"]["occurredAt"]) == ({"id": "ben"}, LATER)
    before = log_path(path).read_bytes()
    again = {"item": "a", "decision": "reject"}
    for call in (
        lambda: decide_session(path, [again], replace_decided=True, **BEN),
        lambda: decide_session(path, [again], replace_decided=True, keep_going=True, **BEN),
        lambda: complete_session(path, **BEN),
    ):
        assert refused(call) == "event-after-completion"
    assert log_path(path).read_bytes() == before


def test_a_completion_names_the_revision_that_was_read(path):
    decide_session(path, [ACCEPT, CHOOSE], **BEN)
    assert refused(complete_session, path, expected_revision="0:x", **BEN) == "stale-revision"
    revision = load_session(path).revision
    assert complete_session(path, expected_revision=revision, **BEN)


def test_a_session_in_one_file_is_not_completed(tmp_path):
    path = stored(tmp_path, single_file())
    assert refused(complete_session, path, **BEN) == "session-single-file"


def test_scores_are_withheld_until_a_host_ended_the_round():
    item = a_single()
    made = stamped(decides("accept-proposed", data={"sessionConditions": AUDIT}))
    end = event("session-completed")
    for events in ([], [made], [made, end], [end]):
        assert is_score_withheld(blind(item), history(*events))
        assert not is_score_withheld(session(item), history(*events))
    assert not is_score_withheld(blind(item), history(made, stamped(end)))


@pytest.mark.parametrize(
    ("conditions", "place"),
    [
        ({"presentation": {"scoreBlind": "true"}}, "/presentation"),
        ({"presentation": None}, "/presentation"),
        ({"sampling": {"kind": "manual"}}, "/sampling"),
        ({"sampling": AUDIT["sampling"]}, "/presentation"),
        ({**AUDIT, "presentation": {"scoreBlind": False}}, "/presentation"),
    ],
)
def test_conditions_are_judged_when_a_session_is_made_loaded_and_applied(
    tmp_path, conditions, place
):
    code = "invalid-session-conditions"
    snapshot = session(a_single(), **conditions)
    assert refused(create_session, tmp_path / "new.json", snapshot, name="s") == code
    assert list(tmp_path.iterdir()) == []
    path = stored(tmp_path, single_file([], snapshot))
    assert refused(load_session, path) == code
    assert refused(convert_session, path, tmp_path / "own.json") == code
    with pytest.raises(SurveyError) as caught:
        read_session(path.read_bytes())
    assert caught.value.pointer == f"/snapshot{place}"


def of_size(count):
    return session(*(a_single(name=f"item-{place}") for place in range(count)))


def test_more_items_than_by_default_from_making_to_packing(tmp_path):
    path, snapshot = tmp_path / "round.json", of_size(10_001)
    assert refused(create_session, path, snapshot, name="s") == "queue-malformed"
    assert list(tmp_path.iterdir()) == []
    caps = ImportLimits(items=10_001)
    create_session(path, snapshot, name="s", limits=caps)
    assert refused(load_session, path) == "session-malformed"
    request = {"item": "item-10000", "decision": "accept"}
    assert refused(decide_session, path, [request], **BEN) == "session-malformed"
    assert decide_session(path, [request], limits=caps, **BEN).ok
    document = load_session(path, limits=caps)
    assert codes_of(document.apply(required="any").issues) == []
    assert document.verify().issues == []
    packed = tmp_path / "packed.json"
    assert refused(pack_session, path, packed) == "session-malformed"
    pack_session(path, packed, limits=caps)
    convert_session(packed, tmp_path / "again.json", limits=caps)
    assert load_session(tmp_path / "again.json", limits=caps).events == document.events


def test_what_is_written_can_be_read_under_the_same_caps(tmp_path, path):
    size = len(path.read_bytes())
    for most, fits in ((size, True), (size - 1, False)):
        caps, other = ImportLimits(queue_bytes=most), tmp_path / f"{most}.json"
        if fits:
            create_session(other, SNAPSHOT, name="round", limits=caps)
            assert load_session(other, limits=caps).state == SNAPSHOT
        else:
            assert (
                refused(create_session, other, SNAPSHOT, name="round", limits=caps) == "json-size"
            )
            assert not other.exists()
            assert not log_path(other).exists()


def test_events_of_a_session_are_bounded_and_the_bound_can_be_moved(path):
    tight = ImportLimits(events=3)
    assert decide_session(path, [ACCEPT], limits=tight, **BEN).ok
    before = log_path(path).read_bytes()
    assert refused(decide_session, path, [CHOOSE], limits=tight, **BEN) == "RUN_EVENTS_FULL"
    assert log_path(path).read_bytes() == before
    assert decide_session(path, [CHOOSE], **BEN).ok
    assert refused(load_session, path, limits=tight) == "RUN_FILE_TOO_LARGE"
    small = ImportLimits(event_bytes=len(log_path(path).read_bytes()) - 1)
    assert refused(load_session, path, limits=small) == "RUN_FILE_TOO_LARGE"
    assert load_session(path, limits=ImportLimits(events=4)).apply().ok
    with pytest.raises(ValueError, match="800000"):
        load_session(path, limits=ImportLimits(events=800_001))


def test_a_completion_of_a_host_is_judged_when_a_single_file_is_applied():
    early = history(stamped(event("session-completed")))
    result = sf.apply_review_session(json.dumps(single_file(early)))
    assert codes_of(result.issues) == ["invalid-events", "unresolved-review-item"]
