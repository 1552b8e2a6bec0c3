"""Deciding on a run: who and when are the host's, and what stands is never written anew.

Rows 34 as far as an append goes, 61 (such runs are not taken over, see ``test_import_run.py``), 62
to 69 of the edge table of runs, each as far as storing goes. Row 70 is in ``test_import_run.py``.
Left: 71 to 73 (``tests/unit/storage/test_lock_rows.py``), 74 and 75 with the server.
"""

import copy
import json

import pytest
from tests.unit.runs.samples import (
    ANA,
    AT,
    HOST,
    LATER,
    Forged,
    conflict,
    content,
    decided,
    items_of,
    many,
    refused,
    requests_for,
    stays_refused,
)

from survey_fast.errors import SurveyError
from survey_fast.limits import NOTE
from survey_fast.review.attribution import ATTRIBUTION_KEY, HOST_KEYS, Reviewer
from survey_fast.review.events import EventWriter
from survey_fast.runs.append import Host, append_events, append_history, decide_run
from survey_fast.runs.identity import SESSION_NAME
from survey_fast.runs.opened import open_run
from survey_fast.storage import SYSTEM

UPSTREAM_KEY = next(key for key in HOST_KEYS if key != ATTRIBUTION_KEY)
FOREIGN_STAMP = {"actorKind": "human", "mode": "individual"}


@pytest.fixture
def made(tmp_path):
    return conflict().create(tmp_path / "runs")


def note(run, text="a note", *, item="city", actor="browser", sequence=None, session=SESSION_NAME):
    """An event as a client writes it."""
    writer = EventWriter(session, actor, AT, sequence=(sequence or run.log.count + 1) - 1)
    name = items_of(run)[item]["metadata"]["name"]
    return writer.write(("note-changed", {"reviewItemName": name, "rationale": text}))


def accepting(run, item="city", start=None):
    """The events of one decision, as a client writes them."""
    one = items_of(run)[item]
    name, candidate = one["metadata"]["name"], one["spec"]["candidates"][0]["id"]
    start = run.log.count if start is None else start
    writer = EventWriter(SESSION_NAME, "browser", AT, sequence=start)
    members = {
        "reviewItemName": name,
        "reviewDecisionName": f"{name}-accept-proposed",
        "candidateId": candidate,
        "status": "verified",
        "data": {"workbenchDecision": "accept-proposed"},
    }
    return [writer.write((kind, members)) for kind in ("decision-changed", "decision-submitted")]


def stamp_of(event):
    return event["metadata"]["producer"][ATTRIBUTION_KEY]


def host(reviewer=ANA, now=LATER):
    return Host(reviewer, now, wait=0)


# Decisions


def test_decisions_are_one_append_with_the_hosts_stamp(made):
    done = decide_run(made.path, requests_for(made.run), HOST)
    assert (done.ok, done.committed) == (True, 4)
    run = open_run(made.path)
    assert (run.revision, run.log.count) == (done.revision, 4)
    lines = (made.path / "review-events.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["remaining"] for line in lines] == [3, 2, 1, 0]
    for event in run.log.events:
        assert event["spec"]["actor"] == {"id": "ana"}
        assert event["spec"]["occurredAt"] == LATER
        assert event["spec"]["sessionName"] == SESSION_NAME
        assert stamp_of(event) == {"actorKind": "human", "mode": "batch"}


def test_nothing_but_the_log_changes(made):
    before = content(made.path)
    decide_run(made.path, requests_for(made.run), HOST)
    after = content(made.path)
    assert after.pop("review-events.jsonl") != before.pop("review-events.jsonl")
    assert after == before


def test_one_bad_request_keeps_the_others_out(made):
    good, other = requests_for(made.run)
    bad = {"item": "nobody", "decision": "accept"}
    before = content(made.path)
    done = decide_run(made.path, [good, bad, other], HOST)
    assert [one.ok for one in done.outcomes] == [True, False, True]
    assert (done.committed, done.revision, content(made.path)) == (0, made.run.revision, before)
    done = decide_run(made.path, [good, bad, other], HOST, keep_going=True)
    assert (done.ok, done.committed) == (False, 4)
    assert open_run(made.path).log.count == 4


def test_no_request_writes_nothing(made):
    before = content(made.path)
    done = decide_run(made.path, [], HOST)
    assert (done.ok, done.committed, content(made.path)) == (True, 0, before)


def test_what_is_decided_is_decided_again_only_when_asked_for(made):
    requests = requests_for(made.run)
    first = decide_run(made.path, requests, HOST)
    again = decide_run(made.path, requests, HOST)
    assert [one.error.code for one in again.outcomes] == ["ALREADY_DECIDED"] * 2
    assert again.revision == first.revision
    assert decide_run(made.path, requests, HOST, replace_decided=True).committed == 4


def test_a_conflict_is_settled_by_a_choice_and_by_nothing_silent(made):
    name = items_of(made.run)["fee"]["metadata"]["name"]
    done = decide_run(made.path, [{"item": name, "decision": "accept"}], HOST)
    assert [one.error.code for one in done.outcomes] == ["decision-not-recordable"]
    assert open_run(made.path).log.count == 0


def test_the_revision_that_was_seen_is_compared(made):
    seen = made.run.revision
    requests = requests_for(made.run)
    moved = decide_run(made.path, requests[:1], HOST, expected_revision=seen)
    error = stays_refused(
        "REVIEW_CONFLICT", made.path, decide_run, requests[1:], HOST, expected_revision=seen
    )
    assert error.details == {"revision": moved.revision, "eventCount": 2}
    assert decide_run(made.path, requests[1:], HOST, expected_revision=moved.revision).ok


# Who and when


def test_row_66_without_a_reviewer_nobody_is_named(made):
    decide_run(made.path, requests_for(made.run), host(Reviewer()))
    for event in open_run(made.path).log.events:
        assert event["spec"]["actor"] == {"id": "unattributed"}
        assert stamp_of(event)["actorKind"] == "unattributed"


def test_row_67_several_items_in_one_append_are_a_batch_on_every_event(made):
    run = made.run
    events = [*accepting(run), note(run, item="fee", sequence=3)]
    append_events(made.path, events, HOST, expected_revision=run.revision)
    assert {stamp_of(one)["mode"] for one in open_run(made.path).log.events} == {"individual"}
    decide_run(made.path, requests_for(run), HOST, replace_decided=True)
    assert {stamp_of(one)["mode"] for one in open_run(made.path).log.events[3:]} == {"batch"}


def test_row_68_an_agent_is_called_one(made):
    decide_run(made.path, requests_for(made.run), host(Reviewer.named("bot", "agent")))
    for event in open_run(made.path).log.events:
        assert stamp_of(event) == {"actorKind": "agent", "mode": "agent"}


@pytest.mark.parametrize(
    ("name", "kind"), [("unattributed", "human"), ("a b", "human"), ("", "agent"), ("ana", "robot")]
)
def test_row_69_a_host_with_no_such_reviewer_is_not_made(name, kind):
    host()
    with pytest.raises(ValueError, match="no reviewer"):
        host(Reviewer(name, kind))


@pytest.mark.parametrize("now", ["", "today", "2026-01-15T08:00:00Z", "2026-02-30T08:00:00.000Z"])
def test_a_host_without_an_instant_is_not_made(now):
    with pytest.raises(ValueError, match="instant"):
        host(now=now)


def test_row_65_what_a_client_calls_itself_is_kept_aside(made):
    events = accepting(made.run)
    for event in events:
        event["spec"]["actor"] = {"id": "mallory"}
    done = append_events(made.path, events, HOST, expected_revision=made.run.revision)
    assert done.added == 2
    for event in open_run(made.path).log.events:
        assert event["spec"]["actor"] == {"id": "ana"}
        assert event["spec"]["occurredAt"] == LATER
        assert stamp_of(event)["clientClaimedActorId"] == "mallory"


@pytest.mark.parametrize("actor", ["ana", "unattributed"])
def test_a_client_that_names_the_host_or_nobody_claims_nothing(made, actor):
    event = note(made.run, actor=actor)
    append_events(made.path, [event], HOST, expected_revision=made.run.revision)
    (stored,) = open_run(made.path).log.events
    assert "clientClaimedActorId" not in stamp_of(stored)


@pytest.mark.parametrize("key", HOST_KEYS)
def test_a_stamp_that_a_client_brings_is_taken_off(made, key):
    event = note(made.run, actor="mallory")
    event["metadata"]["producer"] = {key: dict(FOREIGN_STAMP), "tool": {"kept": 1}}
    append_events(made.path, [event], HOST, expected_revision=made.run.revision)
    (stored,) = open_run(made.path).log.events
    assert stored["metadata"]["producer"] == {
        "tool": {"kept": 1},
        ATTRIBUTION_KEY: {
            "actorKind": "human",
            "mode": "individual",
            "clientClaimedActorId": "mallory",
        },
    }


# The short form


def test_what_is_new_is_added_to_what_was_seen(made):
    done = append_events(made.path, accepting(made.run), HOST, expected_revision=made.run.revision)
    assert (done.added, len(done.events)) == (2, 2)
    run = open_run(made.path)
    assert (run.revision, run.log.events) == (done.revision, list(done.events))


def test_row_64_the_same_events_again_are_refused(made):
    events, seen = accepting(made.run), made.run.revision
    done = append_events(made.path, events, HOST, expected_revision=seen)
    stays_refused("REVIEW_CONFLICT", made.path, append_events, events, HOST, expected_revision=seen)
    stays_refused(
        "INVALID_EVENTS", made.path, append_events, events, HOST, expected_revision=done.revision
    )


def test_no_new_event_is_refused(made):
    seen = made.run.revision
    stays_refused("REVIEW_CONFLICT", made.path, append_events, [], HOST, expected_revision=seen)
    stays_refused("REVIEW_CONFLICT", made.path, append_history, [], HOST, expected_count=0)


def edits():
    def edit(*path, value):
        def change(event):
            *parents, last = path
            for name in parents:
                event = event[name]
            event[last] = value

        return change

    return {
        "another session": edit("spec", "sessionName", value="another"),
        "another sequence": edit("spec", "sequence", value=7),
        "a sequence that is true": edit("spec", "sequence", value=True),
        "an item that is not there": edit("spec", "reviewItemName", value="nobody"),
        "a candidate that is not there": edit("spec", "candidateId", value="nobody"),
        "another status": edit("spec", "status", value="rejected"),
        "a type that is none": edit("spec", "eventType", value="danced"),
        "a member that nobody knows": edit("spec", "more", value=1),
        "another kind": edit("kind", value="Other"),
        "no metadata": edit("metadata", value=None),
        "no decision": edit("spec", "data", value={"workbenchDecision": "dance"}),
        "other conditions": edit(
            "spec",
            "data",
            value={
                "workbenchDecision": "accept-proposed",
                "sessionConditions": {"presentation": {"scoreBlind": True}},
            },
        ),
        "a stamp that is none": edit("metadata", "producer", value={ATTRIBUTION_KEY: 1}),
        "a note that is too long": edit("spec", "rationale", value="x" * (NOTE + 1)),
    }


@pytest.mark.parametrize("edit", edits().values(), ids=edits())
def test_events_that_are_no_history_are_refused_and_nothing_is_added(made, edit):
    seen = made.run.revision
    events = accepting(made.run)
    edit(events[0])
    stays_refused("INVALID_EVENTS", made.path, append_events, events, HOST, expected_revision=seen)
    stays_refused("INVALID_EVENTS", made.path, append_history, events, HOST, expected_count=0)
    good = accepting(made.run)
    assert append_events(made.path, good, HOST, expected_revision=seen).added == 2
    assert open_run(made.path).log.count == 2


def unconfirmed(run, *attempts):
    """The events of a value that could not be confirmed, after so many attempts."""
    events = accepting(run)
    for event in events:
        event["spec"] |= {
            "status": "proposed",
            "resolution": "could_not_confirm",
            "resolutionReason": "torn off",
            "attemptEvidenceIds": [*attempts],
            "data": {"workbenchDecision": "could-not-confirm"},
        }
    return events


@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_what_was_tried_is_named_and_a_history_that_does_not_name_it_is_gone_on_with(made, blank):
    seen = made.run.revision
    for call, expected in (
        (append_events, {"expected_revision": seen}),
        (append_history, {"expected_count": 0}),
    ):
        events = unconfirmed(made.run, "e", blank)
        found = stays_refused("INVALID_EVENTS", made.path, call, events, HOST, **expected)
        assert found.pointer == "/0/spec/attemptEvidenceIds/1"
    good = unconfirmed(made.run, "e")
    append_events(made.path, good, HOST, expected_revision=seen)
    forged = Forged(made.path)
    for event in forged.events:
        event["spec"]["attemptEvidenceIds"] = [blank]
    forged.save(rechain=True)
    run = open_run(made.path)
    added = append_history(
        made.path, [*run.log.events, note(run)], HOST, expected_count=run.log.count
    )
    assert added.added == 1


DEEP = json.loads("[" * 500 + "]" * 500)


@pytest.mark.parametrize(
    ("value", "code"),
    [("\ud800", "json-lone-surrogate"), (float("nan"), "json-number-range"), (DEEP, "json-depth")],
    ids=["surrogate", "nan", "deep"],
)
def test_what_no_log_can_hold_is_refused(made, value, code):
    seen = made.run.revision
    event = note(made.run)
    event["metadata"]["labels"] = {"x": value}
    stays_refused(code, made.path, append_events, [event], HOST, expected_revision=seen)
    stays_refused(code, made.path, append_history, [event], HOST, expected_count=0)


@pytest.mark.parametrize("events", [None, "text", 7, {"a": 1}], ids=repr)
def test_what_is_no_list_is_misuse(made, events):
    with pytest.raises(TypeError):
        append_events(made.path, events, HOST, expected_revision=made.run.revision)


# The whole history


def test_row_63_a_copy_that_never_learned_the_stamps_is_a_prefix(made):
    first = accepting(made.run)
    append_history(made.path, first, HOST, expected_count=0)
    second = note(made.run, item="fee", sequence=3)
    # The browser still has its own actor and time, and no stamp, on what it sent before.
    done = append_history(
        made.path, [*first, second], host(Reviewer.named("ben")), expected_count=2
    )
    assert (done.added, len(done.events)) == (1, 3)
    stored = open_run(made.path).log.events
    assert [one["spec"]["actor"]["id"] for one in stored] == ["ana", "ana", "ben"]


def test_a_copy_that_has_the_stamps_is_a_prefix_as_well(made):
    append_history(made.path, accepting(made.run), HOST, expected_count=0)
    stored = open_run(made.path).log.events
    third = note(made.run, item="fee", sequence=3)
    assert append_history(made.path, [*stored, third], HOST, expected_count=2).added == 1
    assert open_run(made.path).log.events[:2] == stored


def prefixes():
    def reworded(events):
        events[0]["spec"]["status"] = "rejected"

    def labelled(events):
        events[0]["metadata"]["labels"] = {"a": "b"}

    def other_producer(events):
        events[0]["metadata"]["producer"] = {"tool": 1}

    def swapped(events):
        events[:2] = reversed(events[:2])

    def shorter(events):
        del events[0]

    return [reworded, labelled, other_producer, swapped, shorter]


@pytest.mark.parametrize("change", prefixes(), ids=lambda one: one.__name__)
def test_another_prefix_is_refused(made, change):
    first = accepting(made.run)
    append_history(made.path, first, HOST, expected_count=0)
    history = [*copy.deepcopy(first), note(made.run, item="fee", sequence=3)]
    change(history)
    stays_refused("REVIEW_CONFLICT", made.path, append_history, history, HOST, expected_count=2)


@pytest.mark.parametrize("count", [-1, 0, 1, 3, 10**9])
def test_another_count_is_refused(made, count):
    first = accepting(made.run)
    append_history(made.path, first, HOST, expected_count=0)
    history = [*first, note(made.run, item="fee", sequence=3)]
    error = stays_refused(
        "REVIEW_CONFLICT", made.path, append_history, history, HOST, expected_count=count
    )
    assert error.details["eventCount"] == 2


def test_row_62_of_two_posts_from_one_state_one_wins_also_by_another_path(made, tmp_path):
    (tmp_path / "alias").symlink_to(made.path.parent)
    alias = tmp_path / "alias" / made.path.name
    append_history(alias, accepting(made.run), host(Reviewer.named("ben")), expected_count=0)
    other = [note(made.run)]
    stays_refused("REVIEW_CONFLICT", made.path, append_history, other, HOST, expected_count=0)
    actors = {one["spec"]["actor"]["id"] for one in open_run(made.path).log.events}
    assert actors == {"ben"}


# The run under the lock


def test_row_34_an_envelope_edited_since_the_page_was_loaded(made):
    forged = Forged(made.path)
    forged.envelope["result"]["proposals"].pop()
    forged.save(rechain=False)
    for call, options in (
        (append_events, {"expected_revision": made.run.revision}),
        (append_history, {"expected_count": 0}),
    ):
        stays_refused(
            "RUN_ENVELOPE_MISMATCH", made.path, call, accepting(made.run), HOST, **options
        )
    stays_refused("RUN_ENVELOPE_MISMATCH", made.path, decide_run, requests_for(made.run), HOST)


def test_a_tail_is_cut_off_by_the_next_writer(made):
    log = made.path / "review-events.jsonl"
    log.write_bytes(b'{"event":{"half":')
    assert decide_run(made.path, requests_for(made.run), HOST).ok
    assert log.read_bytes().startswith(b'{"event":{"apiVersion"')
    assert open_run(made.path).log.count == 4


@pytest.mark.parametrize("kind", ["link", "hard link", "missing"])
def test_a_log_that_is_not_the_runs_own_takes_nothing(made, tmp_path, kind):
    log, target = made.path / "review-events.jsonl", tmp_path / "target"
    log.rename(target)
    if kind == "link":
        log.symlink_to(target)
    elif kind == "hard link":
        log.hardlink_to(target)
    code = "RUN_EVENTS_BROKEN" if kind == "missing" else "RUN_PATH_REFUSED"
    refused(code, decide_run, made.path, requests_for(made.run), HOST)
    assert target.read_bytes() == b""
    assert not (made.path / ".review.lock").exists()


def test_no_lock_is_left_whatever_happens(made):
    requests = requests_for(made.run)
    decide_run(made.path, requests, HOST)
    decide_run(made.path, requests, HOST)
    refused("REVIEW_CONFLICT", decide_run, made.path, requests, HOST, expected_revision="0:x")
    (made.path / "prepared.txt").write_bytes(b"x")
    refused("RUN_PREPARED_MISMATCH", decide_run, made.path, requests, HOST)
    assert not [one.name for one in made.path.iterdir() if one.name.startswith(".")]


def test_no_run_there(tmp_path):
    refused("RUN_NOT_FOUND", decide_run, tmp_path / "none", [], HOST)


def test_a_full_disk_adds_nothing(made):
    class Full:
        """No byte fits into a log any more."""

        def __getattr__(self, name):
            return getattr(SYSTEM, name)

        def ftruncate(self, descriptor, length):
            SYSTEM.ftruncate(descriptor, length)

        def write(self, descriptor, content):
            if b'"sequence"' in bytes(content):
                raise OSError(28, "No space left on device")
            return SYSTEM.write(descriptor, content)

    before = content(made.path)
    full = Host(ANA, LATER, wait=0, files=Full())
    refused("STORAGE_FAILED", decide_run, made.path, requests_for(made.run), full)
    assert content(made.path) == before


def test_every_event_that_was_taken_is_read_again(tmp_path):
    path = decided(tmp_path / "runs", many(40))
    run = open_run(path)
    assert run.log.count == 80
    with pytest.raises(SurveyError):
        append_events(path, [note_of(run, 82)], HOST, expected_revision=run.revision)
    append_events(path, [note_of(run, 81)], HOST, expected_revision=run.revision)
    assert open_run(path).log.count == 81


def note_of(run, sequence):
    writer = EventWriter(SESSION_NAME, "browser", AT, sequence=sequence - 1)
    name = run.state["items"][0]["metadata"]["name"]
    return writer.write(("note-changed", {"reviewItemName": name, "rationale": "n"}))
