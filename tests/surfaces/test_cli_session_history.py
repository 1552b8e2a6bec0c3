"""Histories that are forged, mixed or torn: refused with a code, and their bytes stay."""

from __future__ import annotations

import copy
import json

import pytest
from tests.surfaces.sessions import AT, COMMANDS, STAMP, drop, named, put

from survey_fast.attest import bind_review_queue


@pytest.fixture
def chosen(run_json, session):
    """A session whose conflict is decided, with a note."""
    choose = ["--item", "rivals", "select", "--candidate", "r-2", "--note", "newer"]
    assert run_json("session", "decide", "s/round.json", *choose, "--reviewer", "ana")[0] == 0
    return session


def spec(place, **members):
    def change(events):
        events[place]["spec"].update(members)

    return named(change, place, *members.items())


def data(place, **members):
    def change(events):
        events[place]["spec"]["data"].update(members)

    return named(change, place, *members.items())


def stamp(value):
    return named(put(value, 1, "metadata", "producer", STAMP), "stamp", *value)


def again(events):
    events.append(copy.deepcopy(events[0]))


def swap(events):
    events[0], events[1] = events[1], events[0]


def lose(events):
    del events[0]


BLIND = {"presentation": {"scoreBlind": True}}
EVENTS = [
    (put(1, 0, "foreign"), "session-malformed"),
    (put(1, 0, "metadata", "foreign"), "session-malformed"),
    (put(1, 0, "spec", "foreign"), "session-malformed"),
    (drop(0, "spec", "sequence"), "session-malformed"),
    (spec(0, eventType="toString"), "session-malformed"),
    (spec(0, rationale=1), "session-malformed"),
    (spec(0, rationale="x" * 70_000), "session-malformed"),
    (spec(1, data=[]), "session-malformed"),
    (spec(1, actor={"id": "ana", "name": "Ana"}), "session-malformed"),
    (spec(1, candidateId=7), "session-malformed"),
    (drop(2, "spec", "actor"), "session-malformed"),
    (put("other", 0, "apiVersion"), "session-malformed"),
    (stamp({"actorKind": "wizard", "mode": "individual"}), "session-malformed"),
    (stamp({"actorKind": "human", "mode": "individual", "approved": True}), "session-malformed"),
    (stamp("ana"), "session-malformed"),
    (data(1, workbenchDecision="constructor"), "invalid-workbench-decision"),
    (data(1, workbenchDecision="__proto__"), "invalid-workbench-decision"),
    (data(1, workbenchDecision=1), "invalid-workbench-decision"),
    (data(1, workbenchDecision="accept-proposed"), "decision-not-recordable"),
    (data(1, sessionConditions=BLIND), "session-conditions-mismatch"),
    (spec(1, candidateId="r-9"), "invalid-conflict-selection"),
    (spec(1, status="proposed"), "decision-status-mismatch"),
    (spec(1, reviewItemName="other"), "unknown-review-item"),
    (spec(0, sequence=0), "invalid-sequence"),
    (spec(0, sequence=1.5), "invalid-sequence"),
    (spec(0, sequence="1"), "invalid-sequence"),
    (spec(0, sequence=2), "non-contiguous-sequence"),
    (again, "duplicate-sequence"),
    (swap, "non-contiguous-sequence"),
    (lose, "non-contiguous-sequence"),
]


@pytest.mark.parametrize(("change", "code"), EVENTS)
def test_a_forged_history_in_a_log_that_chains(refused, chosen, change, code):
    events = chosen.events
    change(events)
    chosen.chain(events)
    refused(code)


NO_EVENTS = [(put("x", 0), "session-malformed"), (put(None, 0), "session-malformed")]


@pytest.mark.parametrize(("change", "_"), NO_EVENTS)
def test_a_line_of_the_log_that_holds_no_event(refused, chosen, change, _):
    events = chosen.events
    change(events)
    chosen.chain(events)
    refused("RUN_EVENTS_BROKEN")


@pytest.mark.parametrize(("change", "code"), EVENTS + NO_EVENTS)
def test_the_same_in_a_session_of_one_file(run, run_json, chosen, tmp_path, change, code):
    run_json("session", "pack", "s/round.json", "s/packed.json")
    packed = tmp_path / "s/packed.json"
    document = json.loads(packed.read_bytes())
    change(document["events"])
    packed.write_text(json.dumps(document))
    before = chosen.bytes()
    for arguments in (
        ["show", "s/packed.json"],
        ["apply", "s/packed.json"],
        ["convert", "s/packed.json", "s/c.json"],
    ):
        exit_code, body = run_json("session", *arguments)
        assert (exit_code, body["error"]["code"]) == (1, code)
        assert "Traceback" not in run("session", *arguments).output
    assert chosen.bytes() == before


@pytest.mark.parametrize("is_blind", [True, False])
def test_sighted_work_never_passes_for_blind_work_nor_the_reverse(run_json, session, is_blind):
    run_json("session", "decide", "s/round.json", "--item", "single", "accept")
    events = session.events

    def change(document):
        document["snapshot"]["presentation"] = {"scoreBlind": is_blind}
        document["queueBinding"] = bind_review_queue(
            document["snapshot"], session_name="round", bound_at=AT
        )

    session.edit(change)
    session.chain(events)
    for name in ("show", "apply", "attest"):
        code, body = run_json(*COMMANDS[name])
        assert (code, body["error"]["code"]) == (1, "session-conditions-mismatch")


def cut(log):
    return log[: len(log) // 3] + b"x" + log[len(log) // 3 :]


def middle(log):
    lines = log.splitlines(keepends=True)
    return b"".join([lines[0], *lines[2:]])


def empty_line(log):
    return b"\n" + log


@pytest.mark.parametrize("change", [cut, middle, empty_line])
def test_a_log_that_does_not_chain(refused, chosen, change):
    chosen.log.write_bytes(change(chosen.log.read_bytes()))
    refused("RUN_EVENTS_BROKEN")


def test_a_log_that_is_not_there(refused, chosen):
    chosen.log.unlink()
    refused("RUN_EVENTS_BROKEN")


def test_a_log_of_another_session(refused, chosen):
    def rename(document):
        document["extra"] = 1

    chosen.edit(rename)
    refused("RUN_EVENTS_BROKEN")


def test_a_log_that_is_a_link(run_json, chosen, tmp_path):
    chosen.log.rename(tmp_path / "elsewhere")
    chosen.log.symlink_to(tmp_path / "elsewhere")
    for arguments in COMMANDS.values():
        code, body = run_json(*arguments)
        assert (code, body["error"]["code"]) == (1, "file-refused")


def test_an_unfinished_append_counts_for_nothing(run_json, chosen):
    text = chosen.log.read_bytes()
    chosen.log.write_bytes(text + text.splitlines()[0][:50])
    code, body = run_json(*COMMANDS["show"])
    assert (code, body["revision"][:2]) == (0, "3:")
    assert run_json(*COMMANDS["decide"])[0] == 0
    assert run_json(*COMMANDS["attest"])[0] == 0
