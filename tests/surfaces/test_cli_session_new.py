"""survey-fast session new: what a session is opened over, and what none is opened over."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.conftest import MOMENT
from tests.surfaces.sessions import Stored, plain_items, write_json

NEW = ["session", "new", "r.json"]


def left(tmp_path):
    """Names of what stands in the folder."""
    return sorted(one.name for one in tmp_path.iterdir())


def test_a_session_over_an_array_of_items(run_json, tmp_path):
    write_json(tmp_path / "items.json", plain_items())
    code, body = run_json(*NEW, "--queue", "items.json", "--name", "round-7")
    assert code == 0
    revision = body.pop("revision")
    assert revision.startswith("0:")
    assert body == {
        "ok": True,
        "name": "round-7",
        "items": 5,
        "scoreBlind": False,
        "sampling": None,
        "attestation": "not-extraction",
        "files": {"session": "r.json", "log": "r.events.jsonl"},
    }
    stored = Stored(tmp_path / "r.json")
    assert stored.log.read_bytes() == b""
    document = stored.document
    assert set(document) == {"session", "snapshot", "queueBinding"}
    assert document["snapshot"]["actorId"] == "unattributed"
    assert document["snapshot"]["reviewedAt"] == MOMENT
    assert document["queueBinding"]["spec"]["sessionName"] == "round-7"


def test_a_snapshot_keeps_its_time_and_reviewer_unless_others_are_named(run_json, imported, opened):
    assert imported.document["snapshot"] == json.loads(opened.queue.read_bytes())
    other = ["--reviewer-of-record", "ana", "--reviewed-at", "2027-02-01T00:00:00Z"]
    assert run_json(*NEW, "--queue", opened.queue, *other)[0] == 0
    snapshot = Stored(imported.path.parents[1] / "r.json").document["snapshot"]
    assert (snapshot["actorId"], snapshot["reviewedAt"]) == ("ana", "2027-02-01T00:00:00.000Z")


def test_a_session_over_an_import_holds_its_items_and_attests(run_json, opened, tmp_path):
    code, body = run_json(*NEW, "--import", opened.record)
    assert (code, body["items"], body["attestation"]) == (0, 60, "attested")
    stored = Stored(tmp_path / "r.json")
    assert stored.items == json.loads(opened.queue.read_bytes())["items"]
    assert "extractionImport" in stored.document


def test_a_random_audit_opens_blind_and_attests_by_drawing_again(run_json, opened, tmp_path):
    draw = ["--audit-rate", "0.3", "--audit-seed", "2026-Q1"]
    code, body = run_json(*NEW, "--import", opened.record, *draw)
    assert (code, body["scoreBlind"], body["attestation"]) == (0, True, "attested")
    assert body["sampling"] == {"kind": "random-audit", "rate": 0.3, "seed": "2026-Q1"}
    _, drawn = run_json("audit-sample", opened.queue, "--rate", "0.3", "--seed", "2026-Q1")
    assert Stored(tmp_path / "r.json").names == drawn["drawn"]


def test_a_queue_without_its_import_is_called_unverified(run, opened):
    result = run(*NEW, "--queue", opened.queue)
    assert result.exit_code == 0
    assert "Unverified queue" in result.stdout


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--queue", "items.json", "--audit-rate", "1"],
        ["--queue", "items.json", "--audit-seed", "s"],
        ["--queue", "items.json", "--reviewed-at", "yesterday"],
        ["--queue", "items.json", "--reviewer-of-record", "\udcff"],
    ],
)
def test_wrong_usage(run_json, tmp_path, wrong):
    write_json(tmp_path / "items.json", plain_items())
    code, body = run_json(*NEW, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert left(tmp_path) == ["items.json"]


def twice(items):
    items.append(items[0])


def nameless(items):
    del items[0]["metadata"]["name"]


def without_candidates(items):
    items[0]["spec"]["candidates"] = []


def without_id(items):
    del items[0]["spec"]["candidates"][0]["id"]


def candidate_twice(items):
    items[1]["spec"]["candidates"][1]["id"] = "r-1"


def empty(items):
    items.clear()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (twice, "ambiguous-item-identity"),
        (nameless, "queue-malformed"),
        (without_candidates, "session-malformed"),
        (without_id, "session-malformed"),
        (candidate_twice, "ambiguous-candidate-identity"),
        (empty, "empty-queue"),
    ],
)
def test_what_is_no_queue_opens_no_session(run_json, tmp_path, change, code):
    items = plain_items()
    change(items)
    write_json(tmp_path / "items.json", items)
    exit_code, body = run_json(*NEW, "--queue", "items.json")
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert left(tmp_path) == ["items.json"]


@pytest.mark.parametrize(
    ("draw", "code"),
    [
        (["1.5", "s"], "audit-options-invalid"),
        (["nan", "s"], "audit-options-invalid"),
        (["0.5", "a seed"], "audit-options-invalid"),
        (["0.000001", "s"], "audit-sample-empty"),
    ],
)
def test_a_draw_that_is_none_opens_no_session(run_json, tmp_path, draw, code):
    write_json(tmp_path / "items.json", plain_items())
    rate, seed = draw
    options = ["--audit-rate", rate, "--audit-seed", seed]
    exit_code, body = run_json(*NEW, "--queue", "items.json", *options)
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert left(tmp_path) == ["items.json"]


def seeded(snapshot):
    snapshot["decisionsByItemName"] = {snapshot["items"][0]["metadata"]["name"]: "accept-proposed"}


def conditions(snapshot):
    snapshot["presentation"] = {"scoreBlind": "yes"}


def shortened(snapshot):
    del snapshot["items"][3]


def edited(snapshot):
    snapshot["items"][3]["spec"]["candidates"][0]["value"] = "another"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (seeded, "seeded-snapshot"),
        (conditions, "invalid-session-conditions"),
        (shortened, "item-missing-from-queue"),
        (edited, "item-diverges-from-extraction"),
    ],
)
def test_a_snapshot_that_is_not_the_imports_opens_no_session(
    run_json, opened, tmp_path, change, code
):
    opened.edit(change)
    exit_code, body = run_json(*NEW, "--queue", opened.queue, "--import", opened.record)
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert not (tmp_path / "r.json").exists()
    assert not (tmp_path / "r.events.jsonl").exists()


def test_an_unresolved_import_has_nothing_to_review(run_json, vendor, tmp_path):
    inputs = vendor("failure-no-usable-answer")
    run_json(*inputs.arguments(tmp_path / "o"))
    code, body = run_json(*NEW, "--import", "o/import.json")
    assert (code, body["error"]["code"]) == (1, "import-not-grounded")


def test_nothing_that_stands_there_is_replaced(run_json, session):
    before = session.bytes()
    again = ["session", "new", "s/round.json", "--queue", "items.json"]
    code, body = run_json(*again)
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert session.bytes() == before


def test_a_folder_that_is_not_there_is_refused(run_json, tmp_path):
    write_json(tmp_path / "items.json", plain_items())
    code, body = run_json("session", "new", "no/r.json", "--queue", "items.json")
    assert (code, body["error"]["code"]) == (1, "file-not-found")


def test_a_sample_is_not_drawn_from_again(run_json, opened, tmp_path):
    draw = ["--audit-rate", "0.5", "--audit-seed", "s"]
    run_json(*NEW, "--import", opened.record, *draw)
    sample = Stored(tmp_path / "r.json").document["snapshot"]
    write_json(tmp_path / "sample.json", sample)
    code, body = run_json("session", "new", "t.json", "--queue", "sample.json", *draw)
    assert (code, body["error"]["code"]) == (1, "audit-options-invalid")
