"""survey-fast calibrate: what it reads, what it says, what it draws."""

from __future__ import annotations

import builtins
import json
import sys

import pytest
from tests.surfaces.sessions import SENTINEL, candidate, review_item, write_json
from tests.unit.audit.calibrating import BLIND, Reviewed, many
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import conflict
from tests.unit.trust.bundles import base
from tests.unit.trust.test_labels import bundle_of, fee

DECIDE = ["session", "decide", "s/round.json"]


@pytest.fixture
def survey(tmp_path):
    """A survey input of sixty values at 0.95, five of them wrong, and some that give no sample."""
    reviewed = many(60, wrong=2, extraction={"extractor": "model-a", "target": "fee"})
    reviewed.add(0.3, extraction={"extractor": "model-b", "target": "term"})
    reviewed.add(None)
    reviewed.add(status="proposed", resolution="could_not_confirm")
    write_json(tmp_path / "input.json", reviewed.document)
    return reviewed


def scored(name, confidence, *, document="file:a.txt"):
    source = {"sourceRef": document}
    return review_item(name, "fee", candidate("c-1", name, confidence=confidence, source=source))


@pytest.fixture
def decided(run_json, tmp_path):
    """A session of three values, one right, one wrong, one not decided."""
    (tmp_path / "s").mkdir()
    write_json(tmp_path / "items.json", [scored("a", 0.9), scored("b", 0.8), scored("c", 0.7)])
    assert run_json("session", "new", "s/round.json", "--queue", "items.json")[0] == 0
    assert run_json(*DECIDE, "--item", "a", "accept")[0] == 0
    assert run_json(*DECIDE, "--item", "b", "reject")[0] == 0
    return tmp_path / "s/round.json"


def calibrated(run_json, *arguments):
    code, body = run_json("calibrate", *arguments)
    assert code == 0, body
    return body["calibration"]


# What is said


@pytest.mark.usefixtures("survey")
def test_people_read_counts_bounds_and_reasons(run):
    result = run("calibrate", "input.json")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    for part in (
        "61 samples from 61 documents",
        "survey inputs, taken at their word",
        "1 input, 61 samples, 2 skipped",
        "the value came without a confidence",
        "the reviewer could not confirm the value",
        "model-a",
        "model-b",
        "0.967",
        "0.904",
    ):
        assert part in said


@pytest.mark.usefixtures("survey")
def test_the_document_holds_every_group_and_bin(run_json):
    found = calibrated(run_json, "input.json")
    assert (found["sampleCount"], found["skippedCount"]) == (61, 2)
    assert found["skipped"] == {"could-not-confirm": 1, "no-confidence": 1}
    assert [one["extractor"] for one in found["byExtractor"]] == ["model-a", "model-b"]
    assert [len(one["bins"]) for one in found["byExtractorAndField"]] == [10, 10]
    assert "suggestedThreshold" not in found["overall"]


@pytest.mark.usefixtures("survey")
def test_options_are_those_of_the_calculation(run_json):
    options = ["--target-accuracy", "0.9", "--bins", "4", "--min-samples", "60"]
    found = calibrated(run_json, "input.json", *options)
    assert (found["binCount"], found["targetAccuracy"], found["minBinSamples"]) == (4, 0.9, 60)
    assert found["overall"]["suggestedThreshold"] == 0.95
    assert (
        "suggestedThreshold"
        not in calibrated(run_json, "input.json", *options[:4], "--min-samples", "61")["overall"]
    )


@pytest.mark.usefixtures("survey")
def test_a_window_ends_now_unless_it_is_said(run_json):
    # The clock of these tests stands before the reviews, so none is too old.
    found = calibrated(run_json, "input.json", "--window-days", "1")
    assert (found["sampleCount"], found["windowEnd"]) == (61, "2026-01-31T09:00:00.000Z")
    now = ["--now", "2026-12-01T00:00:00+01:00"]
    found = calibrated(run_json, "input.json", "--window-days", "1", *now)
    assert (found["sampleCount"], found["skipped"]["outside-window"]) == (0, 62)
    assert found["windowStart"] == "2026-11-29T23:00:00.000Z"


def test_only_audits_count_where_that_is_asked_for(run, run_json, tmp_path):
    write_json(tmp_path / "input.json", Reviewed().add(metadata=BLIND).add().document)
    assert calibrated(run_json, "input.json")["sampleCount"] == 2
    found = calibrated(run_json, "input.json", "--audit-samples-only")
    assert (found["sampleCount"], found["skipped"]) == (1, {"not-random-audit": 1})
    write_json(tmp_path / "input.json", Reviewed().add().document)
    result = run("calibrate", "input.json", "--audit-samples-only")
    assert result.exit_code == 0
    assert "nothing to calibrate on" in result.stdout


def test_names_of_a_document_cannot_move_the_cursor(run, tmp_path):
    reviewed = Reviewed().add(extraction={"extractor": "a\x1b[2J", "target": "fee\u202e"})
    write_json(tmp_path / "input.json", reviewed.document)
    result = run("calibrate", "input.json")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


# What is read


def test_a_session_is_applied_first(run_json, decided):
    found = calibrated(run_json, decided)
    assert found["origins"] == [
        {"origin": "session", "inputCount": 1, "sampleCount": 2, "skippedCount": 0}
    ]
    assert found["overall"]["correctCount"] == 1
    assert found["overall"]["documentCount"] == 1


def test_a_session_that_does_not_hold_is_refused(run_json, decided):
    assert run_json("calibrate", decided)[0] == 0
    document = json.loads(decided.read_bytes())
    document["snapshot"]["items"][0]["spec"]["candidates"][0]["confidence"] = 1.0
    write_json(decided, document)
    code, body = run_json("calibrate", decided)
    assert (code, body["error"]["code"]) == (1, "RUN_EVENTS_BROKEN")


def test_a_blind_round_says_nothing_before_it_is_over(run, run_json, blind):
    for item, word in (("single", "accept"), ("twin-1", "accept"), ("twin-2", "reject")):
        assert run_json(*DECIDE, "--item", item, word)[0] == 0
    found = calibrated(run_json, blind.path)
    assert (found["sampleCount"], found["skipped"]) == (0, {"blind-round-open": 3})
    shown = run("calibrate", blind.path).output + json.dumps(found)
    assert SENTINEL not in shown
    assert "0.512" not in shown
    choose = ["--item", "rivals", "select", "--candidate", "r-2"]
    assert run_json(*DECIDE, *choose)[0] == 0
    assert run_json(*DECIDE, "--item", "kept", "keep")[0] == 0
    assert run_json("session", "complete", blind.path)[0] == 0
    found = calibrated(run_json, blind.path)
    assert (found["sampleCount"], found["overall"]["correctCount"]) == (6, 3)


def test_a_bundle_is_read_through_its_reviewed_evidence(run_json, tmp_path):
    bundle = bundle_of(fee())
    write_json(tmp_path / "bundle.json", bundle)
    found = calibrated(run_json, "bundle.json")
    assert (found["origins"][0]["origin"], found["sampleCount"]) == ("bundle", 2)
    export = {"apiVersion": "survey-fast/v1", "kind": "ReviewedExport", "bundle": bundle}
    write_json(tmp_path / "export.json", export)
    assert calibrated(run_json, "export.json")["sampleCount"] == 2
    write_json(tmp_path / "bare.json", base())
    assert calibrated(run_json, "bare.json")["sampleCount"] == 0


def test_several_inputs_are_calculated_together(run, run_json, tmp_path, decided, survey):
    write_json(tmp_path / "again.json", survey.document)
    write_json(
        tmp_path / "built.json", {"projectionContextId": "c", "surveyInput": many(1).document}
    )
    found = calibrated(run_json, decided, "input.json")
    assert [one["origin"] for one in found["origins"]] == ["session", "survey-input"]
    assert found["sampleCount"] == 63
    twice = run("calibrate", "input.json", "again.json")
    assert "counted once" in twice.stderr
    assert "61 samples" in twice.stdout
    assert calibrated(run_json, "built.json")["sampleCount"] == 1


def test_a_survey_input_is_read_from_standard_input(run_json):
    document = json.dumps(many(2).document)
    code, body = run_json("calibrate", "-", input=document)
    assert (code, body["calibration"]["sampleCount"]) == (0, 2)


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "calibration-input-invalid"),
        ("{}", "calibration-input-invalid"),
        ('{"bundle": []}', "calibration-input-invalid"),
        ('{"reviewOutcomes": 1, "candidateSets": []}', "calibration-input-invalid"),
        ('{"session": {}, "snapshot": {}}', "binding-malformed"),
        ('{"a": 1, "a": 2}', "json-duplicate-member"),
        ("", "json-syntax"),
    ],
    ids=["array", "empty", "no-bundle", "no-reviews", "no-session", "twice", "nothing"],
)
def test_other_documents_are_refused_by_name(run, run_json, tmp_path, text, code):
    assert run_json("calibrate", "input.json")[0] == 0
    (tmp_path / "other.json").write_text(text)
    exit_code, body = run_json("calibrate", "input.json", "other.json", "--plot", "p.svg")
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["details"]["path"] == "other.json"
    assert "Traceback" not in run("calibrate", "other.json").output
    assert not (tmp_path / "p.svg").exists()


def test_a_folder_and_a_session_on_standard_input_are_refused(run_json, decided, tmp_path):
    code, body = run_json("calibrate", tmp_path / "s")
    assert (code, body["error"]["code"]) == (1, "calibration-input-invalid")
    code, body = run_json("calibrate", "-", input=decided.read_bytes())
    assert (code, body["error"]["code"]) == (1, "calibration-input-invalid")
    code, body = run_json("calibrate", "absent.json")
    assert (code, body["error"]["code"]) == (1, "file-not-found")


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize(
    "wrong",
    [
        ["--bins", "0"],
        ["--bins", "1001"],
        ["--target-accuracy", "0"],
        ["--target-accuracy", "nan"],
        ["--target-accuracy", "1.01"],
        ["--min-samples", "0"],
        ["--window-days", "0"],
        ["--window-days", "nan"],
        ["--now", "yesterday"],
        ["--plot", "p.pdf"],
        ["--plot", "svg"],
    ],
    ids="-".join,
)
def test_wrong_options_are_wrong_usage(run, wrong):
    assert run("calibrate", "input.json").exit_code == 0
    assert run("calibrate", "input.json", *wrong).exit_code == 2


def test_without_an_input_the_command_is_used_wrongly(run):
    assert run("calibrate").exit_code == 2


@pytest.mark.usefixtures("survey")
def test_a_window_that_starts_before_all_years_is_wrong_usage(run):
    late = ["--now", "0050-01-01T00:00:00Z", "--window-days", "36525"]
    assert run("calibrate", "input.json", *late).exit_code == 2


# What is drawn


STARTS = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml"}


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize("form", STARTS)
def test_a_diagram_is_drawn_and_is_the_same_for_the_same_figures(run, run_json, tmp_path, form):
    result = run("calibrate", "input.json", "--plot", f"one.{form}")
    assert (result.exit_code, result.exception) == (0, None)
    assert f"one.{form}" in result.stdout
    assert run_json("calibrate", "input.json", "--plot", f"two.{form}")[1]["plot"] == f"two.{form}"
    one, two = (tmp_path / f"{name}.{form}" for name in ("one", "two"))
    assert one.read_bytes().startswith(STARTS[form])
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.usefixtures("survey")
def test_a_diagram_replaces_nothing_unless_that_is_asked_for(run_json, tmp_path):
    drawn = tmp_path / "p.svg"
    drawn.write_text("mine")
    code, body = run_json("calibrate", "input.json", "--plot", drawn)
    assert (code, body["error"]["code"], drawn.read_text()) == (1, "file-exists", "mine")
    assert run_json("calibrate", "input.json", "--plot", drawn, "--force")[0] == 0
    assert drawn.read_bytes().startswith(b"<?xml")


def test_names_in_a_diagram_are_text_and_never_formulas(run_json, tmp_path):
    reviewed = Reviewed()
    for name in ("$\\frac{", "a\x1b[2J", "\u4e2d\U0001f600", "x" * 500):
        reviewed.add(extraction={"extractor": name})
    write_json(tmp_path / "input.json", reviewed.document)
    assert run_json("calibrate", "input.json", "--plot", "p.svg")[0] == 0
    assert run_json("calibrate", "input.json", "--plot", "p.png")[0] == 0


def test_without_a_sample_the_diagram_says_so(run_json, tmp_path):
    write_json(tmp_path / "input.json", Reviewed().document)
    assert run_json("calibrate", "input.json", "--plot", "p.png")[0] == 0


@pytest.mark.usefixtures("survey")
def test_without_matplotlib_the_refusal_names_the_extra(run, run_json, tmp_path, monkeypatch):
    for name in [one for one in sys.modules if one.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    load = builtins.__import__

    def refusing(name, *arguments, **options):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return load(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refusing)
    assert run_json("calibrate", "input.json")[0] == 0
    code, body = run_json("calibrate", "input.json", "--plot", "p.png")
    assert (code, body["error"]["code"]) == (1, "extra-not-installed")
    assert body["error"]["details"] == {"extra": "plot"}
    assert "survey-fast[plot]" in run("calibrate", "input.json", "--plot", "p.png").stderr
    assert not (tmp_path / "p.png").exists()


# Runs


def test_a_run_is_opened_first_and_counts_once_beside_its_export(run, run_json, tmp_path):
    path = made(tmp_path / "runs", conflict(), ("city", "accept"))
    found = calibrated(run_json, path, path)
    assert found["origins"] == [
        {"origin": "run", "inputCount": 1, "sampleCount": 0, "skippedCount": 1}
    ]
    assert found["skipped"] == {"no-confidence": 1}
    assert run("export", path, "--output", "export.json").exit_code == 3
    assert calibrated(run_json, path, "export.json")["skipped"] == {
        "superseded": 1,
        "no-confidence": 1,
    }
    queue = path / "review-queue.json"
    queue.write_bytes(queue.read_bytes().replace(b"Basel", b"Baselx"))
    code, body = run_json("calibrate", path)
    assert (code, body["error"]["details"]["path"]) == (1, str(queue))
    assert body["error"]["code"] == "REVIEW_BINDING_BROKEN"


def test_a_folder_of_runs_is_told_to_be_one(run_json, tmp_path):
    path = conflict().create(tmp_path / "runs").path
    code, body = run_json("calibrate", "runs")
    assert (code, body["error"]["code"]) == (1, "calibration-input-invalid")
    assert path.name in body["error"]["message"]
    assert run_json("calibrate", path)[0] == 0


def test_extractor_and_field_stand_in_every_line(run, tmp_path):
    long = "model-" + "x" * 60
    reviewed = many(3, extraction={"extractor": long, "target": "fee"})
    reviewed.add(0.3, extraction={"extractor": "model-b", "target": "term"})
    write_json(tmp_path / "input.json", reviewed.document)
    said = run("calibrate", "input.json").stdout.splitlines()
    (head,) = [one for one in said if one.startswith("extractor")]
    assert " ".join(head.split()) == (
        "extractor field samples right accuracy at least confidence gap threshold"
    )
    assert [one.split()[:2] for one in said if one.startswith(long)] == [
        [long, "all"],
        [long, "fee"],
    ]


def test_a_blind_run_says_nothing_before_it_is_over(run_json, tmp_path):
    path = made(tmp_path / "runs", conflict().with_order(score_blind=True), ("city", "accept"))
    assert calibrated(run_json, path)["skipped"] == {"blind-round-open": 1}


# What a diagram must not be drawn over


@pytest.mark.usefixtures("survey")
@pytest.mark.parametrize("name", ["input.svg", "again.svg", "s/round.svg"])
def test_a_diagram_is_never_drawn_over_what_is_read(run_json, tmp_path, decided, name):
    (tmp_path / "input.svg").write_bytes((tmp_path / "input.json").read_bytes())
    (tmp_path / "again.svg").hardlink_to(tmp_path / "input.svg")
    (tmp_path / "s/round.svg").hardlink_to(decided.with_name("round.events.jsonl"))
    before = (tmp_path / name).read_bytes()
    code, body = run_json("calibrate", "input.svg", decided, "--plot", name, "--force")
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert (tmp_path / name).read_bytes() == before


def test_a_diagram_is_never_drawn_into_a_run(run_json, tmp_path):
    path = made(tmp_path / "runs", conflict())
    code, body = run_json("calibrate", path, "--plot", path / "p.svg")
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert not (path / "p.svg").exists()


def test_people_read_every_digit_of_a_threshold(run, tmp_path):
    reviewed = Reviewed()
    for _ in range(60):
        reviewed.add(0.91234567891)
    write_json(tmp_path / "input.json", reviewed.document)
    assert "0.91234567891" in run("calibrate", "input.json").stdout
