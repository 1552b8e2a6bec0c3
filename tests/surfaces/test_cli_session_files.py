"""Session files with a defect: every command refuses them with a code, and their bytes stay."""

from __future__ import annotations

import pytest
from tests.surfaces.sessions import AT, COMMANDS, drop, put

from survey_fast.attest import bind_review_queue

ITEM = ("snapshot", "items", 0)
STRUCTURE = [
    drop("session"),
    drop("snapshot"),
    put([], "session"),
    put("x", "snapshot"),
    put(3, "queueBinding"),
    put(None, "queueBinding"),
    put("ReviewQueue", "session", "kind"),
    put("", "session", "metadata", "name"),
    put(5, "session", "metadata"),
    put(None, "snapshot", "items"),
    put({}, "snapshot", "items"),
    put(1, "snapshot", "actorId"),
    drop("snapshot", "reviewedAt"),
    put([], "snapshot", "decisionsByItemName"),
    put({"single": 1}, "snapshot", "notesByItemName"),
    put("x", *ITEM),
    drop(*ITEM, "metadata", "name"),
    put(7, *ITEM, "spec", "target"),
    put([], *ITEM, "spec", "candidates"),
    put("x", *ITEM, "spec", "candidates"),
    put([3], *ITEM, "spec", "candidates"),
    drop(*ITEM, "spec", "candidates", 0, "value"),
    put(7.5, *ITEM, "spec", "candidates", 0, "id"),
    put(["proposed"], *ITEM, "spec", "candidates", 0, "role"),
    put([], *ITEM, "spec", "producerPolicy"),
]


@pytest.mark.parametrize("change", STRUCTURE)
def test_a_member_of_a_wrong_type(refused, session, change):
    session.edit(change)
    refused("session-malformed")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "json-syntax"),
        (b"[]", "session-malformed"),
        (b"null", "session-malformed"),
        (b"\xff", "json-encoding"),
        (b'{"session":1,"session":2}', "json-duplicate-member"),
        (b'{"session":"\\ud800"}', "json-lone-surrogate"),
        (b'{"session":1e999}', "json-number-range"),
        (b"[" * 200 + b"]" * 200, "json-depth"),
    ],
)
def test_what_is_no_session_at_all(refused, session, text, code):
    session.path.write_bytes(text)
    refused(code)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (put("another", *ITEM, "spec", "candidates", 0, "value"), "snapshot-hash-mismatch"),
        (put("ben", "snapshot", "actorId"), "snapshot-hash-mismatch"),
        (drop(*ITEM), "item-removed"),
        (put("0" * 64, "queueBinding", "spec", "snapshotHash"), "snapshot-hash-mismatch"),
        (put({}, "queueBinding"), "binding-malformed"),
    ],
)
def test_a_queue_that_is_not_the_bound_one(refused, session, change, code):
    session.edit(change)
    refused(code)


def test_a_session_of_ours_without_its_binding(refused, session):
    session.edit(drop("queueBinding"))
    refused("binding-malformed")


def test_an_item_twice(refused, session):
    session.edit(lambda document: document["snapshot"]["items"].append(session.items[0]))
    refused("ambiguous-item-identity")


def test_a_queue_that_its_import_does_not_derive(run_json, imported):
    """The binding was taken again, so that the import alone can tell."""

    def forge(document):
        del document["snapshot"]["items"][7]
        document["queueBinding"] = bind_review_queue(
            document["snapshot"], session_name="review-workbench-session", bound_at=AT
        )

    imported.edit(forge)
    before = imported.bytes()
    name = imported.names[0]
    for arguments in COMMANDS.values():
        asked = [name if one == "twin-2" else one for one in arguments]
        code, body = run_json(*asked)
        assert (code, body["error"]["code"]) == (1, "item-missing-from-queue")
    assert imported.bytes() == before


def test_decisions_that_no_event_accounts_for(run_json, session):
    def seed(document):
        document["snapshot"]["decisionsByItemName"] = {"single": "accept-proposed"}

    session.edit(seed)
    for name in ("decide", "apply"):
        code, body = run_json(*COMMANDS[name])
        assert (code, body["error"]["code"]) == (1, "seeded-snapshot")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_session_over_the_cap_is_refused_unread(run_json, session, name):
    with session.path.open("r+b") as sparse:
        sparse.truncate(129 * 1024 * 1024)
    code, body = run_json(*COMMANDS[name])
    assert (code, body["error"]["code"]) == (1, "file-too-large")


def test_a_log_over_the_cap_is_refused_unread(run_json, session):
    with session.log.open("r+b") as sparse:
        sparse.truncate(257 * 1024 * 1024)
    code, body = run_json(*COMMANDS["show"])
    assert (code, body["error"]["code"]) == (1, "RUN_FILE_TOO_LARGE")
