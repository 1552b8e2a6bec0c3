"""Sessions on disk: rows 3, 17, 86 and 87 of the edge table and 26, 28, 34 of the surfaces'.

Rows 14 to 20 of the surfaces' table, locks and what is left behind, are proven with storage.
"""

import json

import pytest
from tests.faults.seam import RecordingFiles
from tests.unit.review.sessions import (
    LATER,
    OWN_KEY,
    REASON,
    a_conflict,
    a_single,
    blind,
    session,
)

from survey_fast import canonical_json
from survey_fast.errors import (
    ReviewBusyError,
    StaleRevisionError,
)
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_store import (
    create_session,
    decide_session,
    load_session,
    log_path,
)
from survey_fast.storage import held

BEN = Reviewer.named("ben")
ACCEPT = {"item": "a", "decision": "accept"}
CHOOSE = {"item": "b", "decision": "select", "candidateId": "c-2"}
SNAPSHOT = session(a_single(), a_conflict(name="b"), a_single(name="c"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "round-7.json"
    create_session(path, SNAPSHOT, name="round-7")
    return path


def decide(path, *requests, **options):
    return decide_session(path, requests, **{"reviewer": BEN, "now": LATER, **options})


def bytes_of(path):
    return path.read_bytes(), log_path(path).read_bytes()


def test_a_new_session(path):
    document = load_session(path)
    assert (document.name, document.events, document.is_single_file) == ("round-7", [], False)
    assert document.state == SNAPSHOT
    assert path.read_bytes() == canonical_json(json.loads(path.read_bytes())) + b"\n"
    assert sorted(one.name for one in path.parent.iterdir()) == [
        "round-7.events.jsonl",
        "round-7.json",
    ]
    resource = json.loads(path.read_bytes())["session"]
    assert resource["spec"] == {
        "actor": {"id": "ana"},
        "reviewItemNames": ["a", "b", "c"],
        "startedAt": SNAPSHOT["reviewedAt"],
    }
    assert document.revision.startswith("0:")


def test_a_decision_is_stamped_named_and_numbered(path):
    before = path.read_bytes()
    made = decide(path, ACCEPT, now=LATER)
    assert (made.ok, made.committed) == (True, 2)
    document = load_session(path)
    assert document.revision == made.revision
    assert path.read_bytes() == before
    for number, event in enumerate(document.events, 1):
        assert event["metadata"]["name"] == f"round-7-{number:04d}-{event['spec']['eventType']}"
        assert event["metadata"]["producer"] == {
            OWN_KEY: {"actorKind": "human", "mode": "individual"}
        }
        spec = event["spec"]
        assert (spec["sessionName"], spec["sequence"]) == ("round-7", number)
        assert (spec["actor"], spec["occurredAt"]) == ({"id": "ben"}, LATER)
    result = document.apply()
    assert result.attributions == {"a": "event"}
    assert result.decisions[0]["spec"]["actor"] == {"id": "ben"}


def test_a_batch_is_one_append_of_one_instant(path):
    files = RecordingFiles()
    made = decide(
        path, ACCEPT, CHOOSE, {"item": "c", "decision": "reject", "note": "no"}, files=files
    )
    assert made.committed == 7
    remaining = [json.loads(line)["remaining"] for line in log_path(path).read_bytes().splitlines()]
    assert remaining == [6, 5, 4, 3, 2, 1, 0]
    appended = [name for name, *arguments in files.calls if name == "lseek"]
    assert len(appended) == 1
    modes = {one["metadata"]["producer"][OWN_KEY]["mode"] for one in load_session(path).events}
    assert modes == {"batch"}


def test_all_or_nothing(path):
    before = bytes_of(path)
    made = decide(path, ACCEPT, {"item": "b", "decision": "accept"}, {"item": "zz"}, 5)
    assert (made.ok, made.committed) == (False, 0)
    assert [one.ok for one in made.outcomes] == [True, False, False, False]
    assert bytes_of(path) == before
    assert made.revision == load_session(path).revision


def test_going_on_past_bad_lines(path):
    made = decide(path, 5, ACCEPT, {"item": "zz", "decision": "accept"}, CHOOSE, keep_going=True)
    assert (made.ok, made.committed) == (False, 4)
    assert [one.ok for one in made.outcomes] == [False, True, False, True]
    remaining = [json.loads(line)["remaining"] for line in log_path(path).read_bytes().splitlines()]
    assert remaining == [3, 2, 1, 0]
    state = load_session(path).apply().replayed_session
    assert state["decisionsByItemName"] == {"a": "accept-proposed", "b": "select-proposed"}


@pytest.mark.parametrize("requests", [[], [5], [{"item": "zz", "decision": "accept"}]])
def test_nothing_to_write(path, requests):
    before = bytes_of(path)
    made = decide(path, *requests, keep_going=True)
    assert made.committed == 0
    assert bytes_of(path) == before


BAD = {
    "row 3, no id": ({"item": "b", "decision": "select"}, "invalid-conflict-selection"),
    "row 3, unknown id": ({**CHOOSE, "candidateId": "x"}, "invalid-conflict-selection"),
    "row 5": ({**CHOOSE, "item": "a", "candidateId": "c-1"}, "invalid-conflict-selection"),
    "row 6": ({"item": "b", "decision": "accept"}, "decision-not-recordable"),
    "row 17": ({"item": "a", "decision": "could-not-confirm", "note": " "}, "reason-missing"),
}


@pytest.mark.parametrize(("request_", "code"), BAD.values(), ids=BAD)
def test_refused_before_anything_is_written(path, request_, code):
    before = bytes_of(path)
    made = decide(path, request_)
    assert [one.error.code for one in made.outcomes] == [code]
    assert bytes_of(path) == before


def test_a_stale_revision(path):
    first = load_session(path).revision
    after = decide(path, ACCEPT, expected_revision=first)
    before = bytes_of(path)
    with pytest.raises(StaleRevisionError) as caught:
        decide(path, CHOOSE, expected_revision=first)
    assert caught.value.details["revision"] == after.revision
    assert bytes_of(path) == before
    assert decide(path, CHOOSE, expected_revision=after.revision).ok


def test_row_34_a_decided_item_on_disk(path):
    decide(path, ACCEPT)
    before = bytes_of(path)
    refused = decide(path, {"item": "a", "decision": "reject"})
    assert [one.error.code for one in refused.outcomes] == ["ALREADY_DECIDED"]
    assert bytes_of(path) == before
    assert decide(path, {"item": "a", "decision": "reject"}, replace_decided=True).ok
    state = load_session(path).apply().replayed_session
    assert state["decisionsByItemName"] == {"a": "reject-proposed"}


def test_row_86_a_reversal_adds_and_removes_nothing(path):
    decide(path, {**ACCEPT, "note": "first thought"})
    prefix = bytes_of(path)[1]
    decide(path, {"item": "a", "decision": None})
    decide(path, {"item": "a", "decision": "reject"})
    log = bytes_of(path)[1]
    assert log.startswith(prefix)
    events = load_session(path).events
    kinds = [event["spec"].get("data", {}).get("workbenchDecision", "") for event in events]
    assert kinds == ["", *["accept-proposed"] * 2, None, *["reject-proposed"] * 2]
    assert [event["spec"]["sequence"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert {event["spec"]["sessionName"] for event in events} == {"round-7"}
    result = load_session(path).apply()
    assert result.results[0]["decision"] == "reject-proposed"
    assert result.results[0]["rationale"] == "first thought"


def test_row_87_two_writers_on_different_items(path):
    both = load_session(path).revision
    decide(path, ACCEPT, reviewer=Reviewer.named("cem"))
    decide(path, CHOOSE)
    assert load_session(path).revision != both
    result = load_session(path).apply()
    actors = {one["spec"]["reviewItemName"]: one["spec"]["actor"]["id"] for one in result.decisions}
    assert actors == {"a": "cem", "b": "ben"}


def test_an_unattributed_decision(path):
    decide(path, ACCEPT, reviewer=Reviewer())
    result = load_session(path).apply()
    assert result.decisions[0]["spec"]["actor"] == {"id": "unattributed"}
    assert result.attributions == {"a": "event"}


def test_a_blind_round_on_disk(tmp_path):
    path = tmp_path / "audit.json"
    create_session(path, blind(a_single()), name="audit")
    decide(path, ACCEPT)
    decide(path, {"item": "a", "decision": None, "note": REASON})
    decide(path, {"item": "a", "decision": "could-not-confirm"})
    result = load_session(path).apply()
    assert result.decisions[0]["spec"]["presentation"] == {"scoreBlind": True}
    assert result.decisions[0]["spec"]["resolutionReason"] == REASON


def test_the_lock_is_held_elsewhere(path):
    before = bytes_of(path)
    with held(log_path(path), 0, record=".other.lock"), pytest.raises(ReviewBusyError):
        decide(path, ACCEPT, wait=0)
    assert bytes_of(path) == before
    assert decide(path, ACCEPT, wait=0).ok
