"""survey-fast demo: a stranger can read it, and every tampering is refused."""

from __future__ import annotations

import json
import shlex

import pytest

from survey_fast.cli import demo_export, demo_forgeries, demo_loop, demo_tampers
from survey_fast.cli.sample import IMPORT_OPTIONS
from survey_fast.runs.verify import verify_run


def test_all_five_tamperings_are_refused_by_the_check_that_should_see_them(run_json):
    code, body = run_json("demo", "--items", 200)
    assert code == 0
    found = {one["tamper"]: (one["refused"], one["code"], one["seenBy"]) for one in body["tampers"]}
    both, import_only = ["binding", "import"], ["import"]
    assert found == {
        "value-edited": (True, "snapshot-hash-mismatch", both),
        "item-removed": (True, "item-removed", both),
        "item-added": (True, "item-added", both),
        "edited-and-rebound": (True, "item-diverges-from-extraction", import_only),
        "excluded-rival-deleted": (True, "item-diverges-from-extraction", import_only),
    }


def test_the_loop_goes_from_a_brief_to_the_statuses_of_its_claims(run_json):
    _, body = run_json("demo", "--items", 50)
    loop = body["loop"]
    told = [(loop[name]["proposalCount"], loop[name]["itemCount"]) for name in ("brief", "amended")]
    assert told == [(7, 7), (8, 7)]
    assert loop["brief"]["runId"] == "cdecb02ac92d8fa1"
    assert (loop["brief"]["conflicts"], loop["amended"]["conflicts"]) == (0, 1)
    assert loop["amended"]["values"]["commercial.annualFeeUsd"] == [48000, 52500]
    export = loop["export"]
    assert (export["complete"], export["groundingRefused"]) == (True, [])
    statuses = {one["field"]: (one["value"], one["status"]) for one in export["claims"]}
    assert statuses.pop("renewal.date") == ("2027-04-01", "proposed")
    assert statuses["commercial.annualFeeUsd"] == (52500, "verified")
    assert {status for _, status in statuses.values()} == {"verified"}


def test_the_conflict_of_the_brief_is_chosen_and_never_just_accepted(run_json):
    _, body = run_json("demo", "--items", 50)
    assert body["loop"]["accept"] == "decision-not-recordable"
    decisions = {one.pop("field"): one for one in body["loop"]["decisions"]}
    assert decisions["commercial.annualFeeUsd"] == {
        "decision": "select-proposed",
        "chosen": [52500],
        "notChosen": [48000],
        "prompt": "Review of Commercial.Annual Fee Usd. No current value is set. Proposed values: "
        "48000; 52500. Selected decision: Use this value: 52500 (not chosen: 48000).",
    }
    kinds = {field: one["decision"] for field, one in decisions.items()}
    assert kinds.pop("renewal.date") == "could-not-confirm"
    assert kinds.pop("commercial.annualFeeUsd") == "select-proposed"
    assert list(kinds.values()) == ["accept-proposed"] * 5


def test_all_five_forgeries_of_the_run_are_refused_by_the_check_that_should_see_them(run_json):
    _, body = run_json("demo", "--items", 50)
    found = {one["tamper"]: (one["refused"], one["code"]) for one in body["loop"]["tampers"]}
    assert found == {
        "value-edited": (True, "REVIEW_BINDING_BROKEN"),
        "quotation-edited": (True, "RUN_ENVELOPE_MISMATCH"),
        "note-edited": (True, "RUN_EVENTS_BROKEN"),
        "rival-dropped": (True, "REVIEW_QUEUE_UNATTESTED"),
        "log-cut": (True, "stale-revision"),
    }


def test_the_generated_queue_is_decided_whole_and_audited_blind(run_json):
    _, body = run_json("demo", "--items", 200)
    review = body["review"]
    assert (review["decided"], review["refused"]) == (200, 0)
    assert review["unconfirmed"]["resolution"] == "could_not_confirm"
    audit = review["audit"]
    assert 0 < audit["drawn"] < audit["of"] == 200
    assert audit["scoresHeld"] > audit["scoresSent"] == 0
    assert len(audit["shown"]) == 3
    assert "confidence" not in json.dumps(audit["shown"])


def test_the_generated_queue_has_as_many_items_as_asked_for(run_json):
    _, body = run_json("demo", "--items", 123)
    generated = body["generated"]
    assert (generated["items"], generated["attestation"]) == (123, "attested")
    assert generated["steps"][-1]["timesRawSha256"] == 1


def test_the_text_tells_the_story_in_plain_lines(run):
    result = run("demo", "--items", 200)
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    headings = [
        line for line in result.stdout.splitlines() if line[:2] in {f"{n}." for n in range(1, 8)}
    ]
    assert len(headings) == 7
    assert "Annual renewal fee USD: 48000" in result.stdout
    assert "refused  REVIEW_QUEUE_UNATTESTED" in result.stdout
    assert "All five were refused." in result.stdout
    assert "refused (decision-not-recordable)" in result.stdout
    assert "Chosen 52500 / Not chosen 48000" in result.stdout
    assert "stays proposed: could_not_confirm" in result.stdout
    assert result.stderr == ""


def test_a_tampering_that_goes_unnoticed_fails_the_demonstration(run, run_json, monkeypatch):
    harmless = demo_tampers.Tamper("value-edited", "Nothing is edited", lambda _: "nothing")
    monkeypatch.setattr(demo_tampers, "_TAMPERS", (harmless,))
    code, body = run_json("demo", "--items", 50)
    assert (code, body["error"]["code"]) == (1, "demo-failed")
    assert "NOT NOTICED" in run("demo", "--items", 50).stdout


def test_a_forgery_that_goes_unnoticed_fails_the_demonstration(run, run_json, monkeypatch):
    harmless = demo_forgeries.Forger("value-edited", "nothing is edited", lambda _: None)
    monkeypatch.setattr(demo_forgeries, "_FORGERS", (harmless,))
    code, body = run_json("demo", "--items", 50)
    assert (code, body["error"]["code"]) == (1, "demo-failed")
    assert "NOT NOTICED" in run("demo", "--items", 50).stdout


def test_statuses_that_should_not_be_fail_the_demonstration(run, run_json, monkeypatch):
    def nothing_verified(bundle, *, now):
        del now
        return {one["id"]: "proposed" for one in bundle["claims"]}

    monkeypatch.setattr(demo_export, "derive_claim_statuses", nothing_verified)
    code, body = run_json("demo", "--items", 50)
    assert (code, body["error"]["code"]) == (1, "demo-failed")
    assert "NOT THE STATUSES" in run("demo", "--items", 50).stdout


def test_an_accepted_conflict_fails_the_demonstration(run, run_json, monkeypatch):
    monkeypatch.setattr(demo_loop, "_refusal", lambda _: None)
    code, body = run_json("demo", "--items", 50)
    assert (code, body["loop"]["accept"]) == (1, None)
    assert "NOT REFUSED" in run("demo", "--items", 50).stdout


def test_the_generated_round_is_kept_attests_and_shows_later_edits(run, tmp_path):
    keep = tmp_path / "kept"
    assert run("demo", "--items", 50, "--keep", keep).exit_code == 0
    folder = keep / "generated"
    queue = folder / "review-queue.json"
    checks = ["--import", folder / "import.json", "--binding", folder / "binding.json"]
    assert run("attest", queue, *checks).exit_code == 0
    queue.write_bytes(queue.read_bytes().replace(b"EUR", b"USD"))
    assert run("attest", queue, *checks).exit_code == 1


def test_both_runs_are_kept_whole_and_are_the_ones_that_run_makes(run, run_json, tmp_path):
    keep = tmp_path / "kept"
    _, body = run_json("demo", "--items", 50, "--keep", keep)
    loop = body["loop"]
    brief, amended = (keep / "runs" / f"run-{loop[name]['runId']}" for name in ("brief", "amended"))
    assert verify_run(amended, expect=loop["revision"]).run.log.count == 15
    assert verify_run(brief).run.log.count == 0
    again = ["--task", keep / "vendor-renewal.task.json"]
    again += ["--source", keep / "vendor-renewal.brief.txt", "--root", keep / "runs"]
    code, made = run_json("run", *again)
    assert (code, made["reused"], made["runDirectory"]) == (0, True, str(brief))
    shown = run("demo", "--items", 50, "--keep", keep).stdout
    steps = [shlex.split(line) for line in shown.splitlines() if line.startswith("  survey-fast ")]
    assert steps[0] == [*f"survey-fast verify {amended} --expect {loop['revision']}".split()]
    assert [(step[1], run(*step[1:]).exit_code) for step in steps] == [("verify", 0), ("attest", 0)]


def test_kept_inputs_import_to_the_kept_record(run, tmp_path):
    keep = tmp_path / "kept"
    run("demo", "--items", 50, "--keep", keep)
    folder = keep / "generated"
    again = ["--targets", folder / "targets.json"]
    for name, value in IMPORT_OPTIONS.items():
        flag = {"producer_namespace": "namespace"}.get(name, name).replace("_", "-")
        again += [f"--{flag}", value]
    prepared = ["--prepared", folder / "prepared.txt"]
    run("import", folder / "envelope.json", *prepared, *again, "--output", tmp_path / "o")
    for name in ("import.json", "review-queue.json", "binding.json"):
        assert (tmp_path / "o" / name).read_bytes() == (folder / name).read_bytes()


def test_keeping_never_replaces_what_is_there(run_json, tmp_path):
    (tmp_path / "kept/generated").mkdir(parents=True)
    (tmp_path / "kept/generated/import.json").write_text("mine")
    code, body = run_json("demo", "--items", 50, "--keep", "kept")
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert not (tmp_path / "kept/runs").exists()
    assert (tmp_path / "kept/generated/import.json").read_text() == "mine"


@pytest.mark.parametrize("items", ["0", "49", "10001", "many"])
def test_a_size_out_of_range_is_wrong_usage(run_json, items):
    code, body = run_json("demo", "--items", items)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_the_facts_do_not_depend_on_when_it_runs(run_json):
    def facts():
        _, body = run_json("demo", "--items", 50)
        del body["generated"]["steps"], body["review"]["steps"]
        return json.dumps(body)

    assert facts() == facts()
