"""survey-fast attest: both verdicts, and what each kind of tampering is called."""

from __future__ import annotations

import json

import pytest

from survey_fast.attest import bind_review_queue
from survey_fast.canon import canonical_json
from survey_fast.cli.import_summary import PRODUCER_KEY


def codes(issues):
    return [issue["code"] for issue in issues]


def edit_value(snapshot):
    snapshot["items"][7]["spec"]["candidates"][0]["value"] = "another"


def remove_item(snapshot):
    del snapshot["items"][7]


def add_item(snapshot):
    added = json.loads(json.dumps(snapshot["items"][7]))
    added["metadata"]["name"] = "extraction-envelope.0badc0de0badc0de0bad"
    snapshot["items"].append(added)


def repeat_item(snapshot):
    snapshot["items"].append(snapshot["items"][7])


def delete_rival(snapshot):
    for item in snapshot["items"]:
        item["metadata"]["producer"][PRODUCER_KEY].pop("excludedProposals", None)


def change_round(snapshot):
    snapshot["actorId"] = "somebody else"


TAMPERS = [
    (edit_value, ["item-diverges-from-extraction"], ["snapshot-hash-mismatch"]),
    (remove_item, ["item-missing-from-queue"], ["item-removed", "snapshot-hash-mismatch"]),
    (add_item, ["item-not-in-extraction"], ["item-added", "snapshot-hash-mismatch"]),
    (delete_rival, ["item-diverges-from-extraction"], ["snapshot-hash-mismatch"]),
    (change_round, [], ["snapshot-hash-mismatch"]),
]


def test_an_untouched_queue_is_attested_and_bound(run_json, opened):
    code, body = run_json(*opened.attest())
    assert code == 0
    assert body == {
        "ok": True,
        "state": "attested",
        "profile": "jcs",
        "provenance": "verified",
        "drawn": None,
        "issues": [],
        "binding": {"ok": True, "issues": []},
    }


def test_an_array_of_items_attests_as_a_snapshot_does(run_json, opened, tmp_path):
    items = json.loads(opened.queue.read_bytes())["items"]
    (tmp_path / "items.json").write_bytes(canonical_json(items))
    code, body = run_json("attest", "items.json", "--import", opened.record)
    assert (code, body["state"]) == (0, "attested")


@pytest.mark.parametrize(("tamper", "from_import", "from_binding"), TAMPERS)
def test_a_tampered_queue_is_refused(run_json, opened, tamper, from_import, from_binding):
    opened.edit(tamper)
    code, body = run_json(*opened.attest())
    assert code == 1
    assert codes(body["issues"]) == from_import
    assert codes(body["binding"]["issues"]) == from_binding
    assert body["error"]["code"] == [*from_import, *from_binding][0]


@pytest.mark.parametrize(("tamper", "from_import", "_"), TAMPERS[:4])
def test_a_binding_taken_again_does_not_help(run_json, opened, tamper, from_import, _):
    opened.edit(tamper)
    bound = bind_review_queue(
        opened.queue.read_bytes(),
        session_name="review-workbench-session",
        bound_at="2026-01-31T09:00:00.000Z",
    )
    opened.binding.write_bytes(canonical_json(bound))
    code, body = run_json(*opened.attest())
    assert (code, body["binding"]["ok"]) == (1, True)
    assert codes(body["issues"]) == from_import


def test_a_repeated_item_is_ambiguous(run_json, opened):
    opened.edit(repeat_item)
    code, body = run_json(*opened.attest())
    assert code == 1
    assert "ambiguous-item-identity" in codes(body["issues"])


def test_people_see_at_most_twenty_findings_and_the_count_of_the_rest(run, opened):
    def empty(snapshot):
        del snapshot["items"][1:]

    opened.edit(empty)
    result = run("attest", opened.queue, "--import", opened.record)
    assert result.exit_code == 1
    assert result.stdout.count("item-missing-from-queue") == 20
    assert "and 39 more" in result.stdout


def test_without_the_record_nothing_is_attested(run, run_json, opened):
    code, body = run_json("attest", opened.queue)
    assert (code, body["state"], body["error"]["code"]) == (1, "unverified", "unverified")
    code, body = run_json("attest", opened.queue, "--binding", opened.binding)
    assert (code, body["state"], body["binding"]["ok"]) == (1, "unverified", True)
    assert "--import" in run("attest", opened.queue).stdout


def strip_producer(snapshot):
    for item in snapshot["items"]:
        del item["metadata"]["producer"]
        for candidate in item["spec"]["candidates"]:
            del candidate["producer"]


def test_a_queue_of_other_origin_is_accepted_by_its_binding_alone(run_json, opened):
    opened.edit(strip_producer)
    code, body = run_json("attest", opened.queue)
    assert (code, body["state"]) == (1, "not-extraction")
    bound = bind_review_queue(opened.queue.read_bytes(), session_name="s", bound_at="t")
    opened.binding.write_bytes(canonical_json(bound))
    code, body = run_json("attest", opened.queue, "--binding", opened.binding)
    assert (code, body["state"]) == (0, "not-extraction")
    opened.edit(edit_value)
    code, body = run_json("attest", opened.queue, "--binding", opened.binding)
    assert (code, body["error"]["code"]) == (1, "snapshot-hash-mismatch")


def test_the_session_is_compared_when_it_is_named(run_json, opened):
    code, _ = run_json(*opened.attest(), "--session-name", "review-workbench-session")
    assert code == 0
    code, body = run_json(*opened.attest(), "--session-name", "another")
    assert code == 1
    assert codes(body["binding"]["issues"]) == ["session-name-mismatch"]


def test_a_session_without_a_binding_is_wrong_usage(run_json, opened):
    code, body = run_json("attest", opened.queue, "--session-name", "s")
    assert (code, body["error"]["code"]) == (2, "usage")


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"\xff", b'{"a":1,"a":1}'])
def test_a_record_that_does_not_validate_attests_nothing(run_json, opened, text):
    opened.record.write_bytes(text)
    code, body = run_json(*opened.attest())
    assert (code, body["state"]) == (1, "diverges")
    assert codes(body["issues"]) == ["import-invalid"]
    assert body["binding"]["ok"]


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"\xff", b'{"a":1,"a":1}'])
def test_a_binding_that_breaks_its_shape_binds_nothing(run_json, opened, text):
    opened.binding.write_bytes(text)
    code, body = run_json(*opened.attest())
    assert (code, body["state"]) == (1, "attested")
    assert codes(body["binding"]["issues"]) == ["binding-malformed"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "json-syntax"),
        (b"3", "queue-malformed"),
        (b"{}", "queue-malformed"),
        (b"[3]", "queue-malformed"),
        (b"[{}]", "queue-malformed"),
    ],
)
def test_what_is_no_queue_is_refused_in_its_file(run_json, opened, text, code):
    opened.queue.write_bytes(text)
    exit_code, body = run_json(*opened.attest())
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["details"]["path"] == str(opened.queue)


def test_max_bytes_and_max_items_bound_what_is_read(run_json, opened):
    size = opened.queue.stat().st_size
    _, body = run_json(*opened.attest(), "--max-bytes", size - 1)
    assert body["error"]["code"] == "file-too-large"
    assert run_json(*opened.attest(), "--max-items", 59)[0] == 1
    assert run_json(*opened.attest(), "--max-bytes", size, "--max-items", 61)[0] == 0
