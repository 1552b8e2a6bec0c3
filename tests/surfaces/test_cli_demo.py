"""survey-fast demo: a stranger can read it, and every tampering is refused."""

from __future__ import annotations

import json

import pytest

from survey_fast.cli import demo_tampers


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


def test_the_published_extraction_is_imported_bound_and_attested(run_json):
    _, body = run_json("demo", "--items", 50)
    published = body["published"]
    assert published["status"] == {
        "state": "grounded",
        "provenance": "verified",
        "diagnostics": [],
    }
    assert published["values"] == [48000, 52000]
    assert [one["value"] for one in published["excludedInVariant"]] == [58000]
    assert (published["bound"], published["attestation"]) == (True, "attested")


def test_the_conflict_of_the_published_extraction_is_chosen_and_never_just_accepted(run_json):
    _, body = run_json("demo", "--items", 50)
    assert body["review"]["published"] == {
        "accept": "decision-not-recordable",
        "chosen": [52000],
        "notChosen": [48000],
        "prompt": "Review of Fee. No current value is set. Proposed values: 48000; 52000. "
        "Selected decision: Use this value: 52000 (not chosen: 48000).",
        "attestation": "attested",
    }


def test_the_generated_queue_is_decided_whole_and_audited_blind(run_json):
    _, body = run_json("demo", "--items", 200)
    review = body["review"]["generated"]
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
    assert "Fee: 48000 per year." in result.stdout
    assert "All five were refused." in result.stdout
    assert "refused (decision-not-recordable)" in result.stdout
    assert "Chosen 52000 / Not chosen 48000" in result.stdout
    assert "stays proposed: could_not_confirm" in result.stdout
    assert result.stderr == ""


def test_a_tampering_that_goes_unnoticed_fails_the_demonstration(run, run_json, monkeypatch):
    harmless = demo_tampers.Tamper("value-edited", "Nothing is edited", lambda _: "nothing")
    monkeypatch.setattr(demo_tampers, "_TAMPERS", (harmless,))
    code, body = run_json("demo", "--items", 50)
    assert (code, body["error"]["code"]) == (1, "demo-failed")
    assert "NOT NOTICED" in run("demo", "--items", 50).stdout


def test_kept_files_attest_and_show_later_edits(run, tmp_path):
    keep = tmp_path / "kept"
    assert run("demo", "--items", 50, "--keep", keep).exit_code == 0
    for name in ("published", "generated"):
        folder = keep / name
        queue = folder / "review-queue.json"
        checks = ["--import", folder / "import.json", "--binding", folder / "binding.json"]
        assert run("attest", queue, *checks).exit_code == 0
        queue.write_bytes(queue.read_bytes().replace(b"EUR", b"USD").replace(b"52000", b"52001"))
        assert run("attest", queue, *checks).exit_code == 1


def test_kept_inputs_import_to_the_kept_record(run, tmp_path):
    keep = tmp_path / "kept"
    run("demo", "--items", 50, "--keep", keep)
    folder = keep / "published"
    again = ["--targets", folder / "targets.json", "--source-kind", "uploaded-document"]
    prepared = ["--prepared", folder / "prepared.txt"]
    run("import", folder / "envelope.json", *prepared, *again, "--output", tmp_path / "o")
    for name in ("import.json", "review-queue.json", "binding.json"):
        assert (tmp_path / "o" / name).read_bytes() == (folder / name).read_bytes()


def test_keeping_never_replaces_what_is_there(run_json, tmp_path):
    (tmp_path / "kept/generated").mkdir(parents=True)
    (tmp_path / "kept/generated/import.json").write_text("mine")
    code, body = run_json("demo", "--items", 50, "--keep", "kept")
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert not (tmp_path / "kept/published").exists()
    assert (tmp_path / "kept/generated/import.json").read_text() == "mine"


@pytest.mark.parametrize("items", ["0", "49", "10001", "many"])
def test_a_size_out_of_range_is_wrong_usage(run_json, items):
    code, body = run_json("demo", "--items", items)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_the_facts_do_not_depend_on_when_it_runs(run_json):
    def facts():
        _, body = run_json("demo", "--items", 50)
        del body["generated"]["steps"], body["review"]["generated"]["steps"]
        return json.dumps(body)

    assert facts() == facts()
