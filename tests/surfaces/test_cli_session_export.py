"""survey-fast session export: bundles as files, and what the command says of them.

Rows of the edge table of runs: 38 and 46 as far as the exit code is concerned. The rest is proven
where the export is made.
"""

from __future__ import annotations

import json
import os

import pytest
from tests.surfaces.sessions import Stored, plain_items, write_json

from survey_fast.canon import sha256_hex
from survey_fast.trust.validation import validate_trust_bundle

EXPORT = ["session", "export", "s/round.json"]
SINGLE = {"item": "single", "decision": "accept"}
BATCH = [
    SINGLE,
    {"item": "rivals", "decision": "select", "candidateId": "r-2"},
    {"item": "kept", "decision": "keep"},
    {"item": "twin-1", "decision": "accept"},
    {"item": "twin-2", "decision": "reject"},
]


@pytest.fixture
def sourced(run_json, tmp_path):
    """A session of the usual items, each candidate of which says where its value comes from."""
    items = plain_items()
    for item in items:
        for one in item["spec"]["candidates"]:
            one["source"] |= {
                "sourceId": "contract",
                "kind": "uploaded-document",
                "observedAt": "2026-01-15T06:30:00.000Z",
                "locatorScheme": "text-span",
            }
            one["extraction"] |= {
                "extractor": "reader",
                "extractedAt": "2026-01-15T06:30:00.000Z",
            }
            one["claimTarget"]["fieldOrBehavior"] = item["metadata"]["name"]
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "items.json", items)
    new = ["session", "new", "s/round.json", "--queue", "items.json", "--name", "round"]
    assert run_json(*new)[0] == 0
    return Stored(tmp_path / "s/round.json")


@pytest.fixture
def export(run):
    """``export(…)``: the exit code, and the one document of an export that was made."""

    def export(*arguments):
        result = run(*EXPORT, *arguments, "--json")
        assert result.stderr == ""
        return result.exit_code, json.loads(result.stdout)

    return export


def decide(run, batch, path="s/round.json"):
    text = "".join(json.dumps(line) + "\n" for line in batch)
    done = run("session", "decide", path, "--batch", "-", "--reviewer", "ana", input=text)
    assert done.exit_code == 0, done.output


def test_a_decided_session_is_written_as_a_bundle_that_the_package_validates(
    run, export, sourced, tmp_path
):
    decide(run, BATCH)
    code, body = export("--output", "bundle.json")
    assert (code, body["ok"], body["complete"]) == (0, True, True)
    text = (tmp_path / "bundle.json").read_bytes()
    assert text.endswith(b"}\n")
    assert (len(text), sha256_hex(text)) == (body["bytes"], body["sha256"])
    assert run("bundle", "validate", "bundle.json", "--writing").exit_code == 0
    assert body["statuses"] == {"verified": 4, "rejected": 1}
    assert [one["reviewItemName"] for one in body["claims"]] == sourced.names
    assert body["grounding"] == {"outcome": "not-evaluated", "reason": "import-record-missing"}
    assert run("bundle", "report", "bundle.json").exit_code == 0


def test_without_a_file_to_write_the_document_holds_the_bundle(run, export, sourced):
    decide(run, BATCH)
    before = sourced.bytes()
    code, body = export()
    assert (code, "output" in body) == (0, False)
    assert validate_trust_bundle(body["bundle"], writing=True)
    _, whole = export("--whole")
    assert whole["export"]["bundle"] == body["bundle"]
    assert whole["export"]["kind"] == "ReviewedExport"
    assert whole["export"]["reviewRound"]["revision"] == body["revision"]
    assert sourced.bytes() == before


@pytest.mark.usefixtures("sourced")
def test_people_get_claims_with_their_statuses_and_are_told_that_nothing_was_judged(run):
    decide(run, BATCH)
    result = run(*EXPORT, "--output", "bundle.json")
    assert result.exit_code == 0
    assert "verified" in result.stdout
    assert "single.claim" in result.stdout
    assert "not evaluated" in result.stdout
    assert "5 claims" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.usefixtures("sourced")
def test_row_46_a_partial_export_is_written_and_exits_with_3(run, export, tmp_path):
    decide(run, BATCH[:2])
    code, body = export("--output", "bundle.json")
    assert (code, body["ok"], body["complete"]) == (3, True, False)
    assert [one["code"] for one in body["excluded"]] == ["EXPORT_UNDECIDED"] * 3
    assert len(json.loads((tmp_path / "bundle.json").read_bytes())["claims"]) == 2
    result = run(*EXPORT)
    assert result.exit_code == 3
    assert "EXPORT_UNDECIDED" in result.stdout


@pytest.mark.usefixtures("sourced")
def test_nothing_decided_is_refused_and_nothing_is_written(run, run_json, export, tmp_path):
    code, body = run_json(*EXPORT, "--output", "bundle.json")
    assert (code, body["error"]["code"]) == (1, "EXPORT_UNDECIDED")
    assert not (tmp_path / "bundle.json").exists()
    decide(run, BATCH)
    assert export("--output", "bundle.json")[0] == 0


@pytest.mark.usefixtures("sourced")
@pytest.mark.parametrize("whole", [[], ["--whole"]])
def test_an_export_can_be_piped_and_people_are_told_beside_it(
    run, run_json, export, tmp_path, whole
):
    decide(run, BATCH)
    assert export("--output", "bundle.json", *whole)[0] == 0
    result = run(*EXPORT, "--output", "-", *whole)
    assert result.stdout_bytes == (tmp_path / "bundle.json").read_bytes()
    assert "standard output" in result.stderr
    code, body = run_json(*EXPORT, "--output", "-", *whole)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert not (tmp_path / "-").exists()


@pytest.mark.usefixtures("sourced")
def test_another_file_is_never_replaced_unasked(run, run_json, export, tmp_path):
    decide(run, BATCH)
    target = tmp_path / "bundle.json"
    assert export("--output", target)[0] == 0
    # The same export again changes nothing, so it may be repeated.
    assert export("--output", target)[0] == 0
    target.write_bytes(b"something else")
    code, body = run_json(*EXPORT, "--output", target)
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert target.read_bytes() == b"something else"
    assert export("--output", target, "--force")[0] == 0
    assert validate_trust_bundle(target.read_bytes())
    target.unlink()
    target.symlink_to(tmp_path / "elsewhere")
    code, body = run_json(*EXPORT, "--output", target, "--force")
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert not (tmp_path / "elsewhere").exists()


def test_row_38_refused_grounding_exits_with_3_though_the_export_is_complete(
    run, export, imported, tmp_path
):
    decide(run, [_of_import(item) for item in imported.items])
    code, body = export("--output", "bundle.json", "--whole")
    assert (code, body["complete"], body["attestation"]) == (3, True, "attested")
    assert [one["gaps"] for one in body["groundingRefused"]] == [["excluded-rival-unresolved"]]
    assert body["statuses"] == {"verified": 59, "disputed": 1}
    assert body["grounding"] == {"outcome": "refused"}
    document = json.loads((tmp_path / "bundle.json").read_bytes())
    assert [*document] == ["apiVersion", "bundle", "kind", "reviewRound", "reviewedGrounding"]
    shown = run(*EXPORT).stdout
    assert "excluded-rival-unresolved" in shown
    assert "1 refused grounding" in shown


def _of_import(item):
    name, held = item["metadata"]["name"], item["spec"]["candidates"]
    if len(held) == 1:
        return {"item": name, "decision": "accept"}
    return {"item": name, "decision": "select", "candidateId": held[-1]["id"]}


def test_a_blind_round_is_refused_until_it_is_completed(run, run_json, sourced, tmp_path):
    new = ["session", "new", "s/blind.json", "--queue", "items.json", "--score-blind"]
    assert run_json(*new)[0] == 0
    decide(run, BATCH, "s/blind.json")
    before = sourced.bytes()
    asked = ["session", "export", "s/blind.json", "--output", "bundle.json"]
    code, body = run_json(*asked)
    assert (code, body["error"]["code"]) == (1, "scores-withheld")
    assert not (tmp_path / "bundle.json").exists()
    assert sourced.bytes() == before
    assert run("session", "complete", "s/blind.json").exit_code == 0
    assert run_json(*asked)[0] == 0
    assert (tmp_path / "bundle.json").exists()


def test_a_broken_log_and_an_edited_session_are_refused(run, run_json, export, sourced):
    decide(run, BATCH)
    assert export()[0] == 0
    kept = sourced.log.read_bytes()
    sourced.log.write_bytes(kept.replace(b'"ana"', b'"eve"'))
    assert run_json(*EXPORT)[1]["error"]["code"] == "RUN_EVENTS_BROKEN"
    sourced.log.write_bytes(kept)
    events = sourced.events
    sourced.edit(lambda document: document["snapshot"]["items"].pop())
    sourced.chain(events)
    assert run_json(*EXPORT)[1]["error"]["code"] == "item-removed"


@pytest.mark.usefixtures("sourced")
def test_a_session_in_one_file_is_exported_alike(run, run_json, export):
    decide(run, BATCH)
    _, body = export()
    assert run("session", "pack", "s/round.json", "s/packed.json").exit_code == 0
    _, packed = run_json("session", "export", "s/packed.json")
    assert packed["bundle"] == body["bundle"]


@pytest.mark.parametrize("name", ["round.json", "round.events.jsonl", "again.json"])
def test_what_is_read_is_never_written_over(run, run_json, sourced, tmp_path, name):
    decide(run, BATCH)
    (tmp_path / "s/again.json").hardlink_to(sourced.path)
    before = sourced.bytes()
    exit_code, body = run_json(*EXPORT, "--output", f"s/{name}", "--force")
    assert (exit_code, body["error"]["code"]) == (1, "file-refused")
    assert sourced.bytes() == before
    assert run(*EXPORT, "--output", "s/other.json", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("folder", "file-refused"),
        ("pipe", "file-refused"),
        ("link", "file-refused"),
        ("loop/x", "file-refused"),
        ("none/x", "file-not-found"),
        ("/dev/full", "file-refused"),
    ],
)
def test_places_that_cannot_be_written(run, run_json, sourced, tmp_path, place, code):
    decide(run, BATCH)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("other")
    (tmp_path / "loop").symlink_to("loop")
    before = sourced.bytes()
    exit_code, body = run_json(*EXPORT, "--output", place, "--force")
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["details"]["path"] == place
    assert sourced.bytes() == before
    assert not (tmp_path / "other").exists()


def test_a_refusal_names_the_session_and_the_item_in_it(run, run_json, tmp_path):
    items = plain_items()
    for at, item in enumerate(items):
        item["spec"]["candidates"][0]["claimTarget"]["fieldOrBehavior"] = f"f{at}"
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "items.json", items)
    new = ["session", "new", "s/round.json", "--queue", "items.json", "--name", "round"]
    assert run_json(*new)[0] == 0
    decide(run, [{"item": "twin-1", "decision": "accept"}])
    exit_code, body = run_json(*EXPORT)
    error = body["error"]
    assert (exit_code, error["code"]) == (1, "candidate-provenance-missing")
    assert error["pointer"].startswith("/snapshot/items/3/spec/candidates/0")
    assert error["details"] == {"reviewItemName": "twin-1", "path": "s/round.json"}
