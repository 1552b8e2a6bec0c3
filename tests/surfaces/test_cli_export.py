"""survey-fast export, describe and inspect: files, exit codes, and what is said.

Rows of the edge table of runs: 30, 38, 45, 46, 48 and 79 as far as the exit code and files go; the
rest is proven where the export is made. Left: recheck rounds.
"""

from __future__ import annotations

import json
import shlex

import pytest
from tests.unit.runs.exporting import made, typed
from tests.unit.runs.samples import (
    HOST,
    conflict,
    content,
    decided,
    many,
    nothing,
    rival_misquoted,
    sample_of,
    task_document,
)
from tests.unit.runs.test_import_run import Upstream, unbound

from survey_fast.canon import sha256_hex
from survey_fast.cli.output import MOST_ROWS
from survey_fast.runs.append import decide_run
from survey_fast.runs.export.export import export_run
from survey_fast.runs.export.inspection import inspect_run
from survey_fast.runs.export.values import values_csv, values_jsonl
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


def test_the_file_is_the_export_and_the_answer_says_what_it_covers(path, told, tmp_path):
    target = tmp_path / "out/deep/export.json"
    code, body = told("export", path, "--output", target)
    exported = export_run(path)
    assert (code, target.read_bytes()) == (0, exported.text)
    assert body == {
        "ok": True,
        "run": exported.run,
        "revision": exported.scope["revision"],
        "generatedAt": exported.generated_at,
        "complete": True,
        "grounding": "allowed",
        "claims": 2,
        "statuses": {"verified": 2},
        "withoutEvidence": [],
        "bytes": len(exported.text),
        "sha256": sha256_hex(exported.text),
        "output": str(target),
    }
    assert (target.stat().st_mode & 0o777) == 0o600


def test_without_a_file_the_document_is_the_answer(path, told, run):
    code, body = told("export", path)
    assert (code, body["export"]) == (0, json.loads(export_run(path).text))
    said = run("export", path).stdout
    assert "nothing written" in said
    assert "52000" in said


def test_values_are_written_beside_it(path, told, tmp_path):
    exported = export_run(path)
    for ending, written in ((".csv", values_csv), (".jsonl", values_jsonl)):
        place = tmp_path / f"values{ending}"
        assert told("export", path, "--values", place)[0] == 0
        assert place.read_bytes() == written(exported.document)


def test_more_columns_are_written_only_where_they_are_asked_for(path, told, tmp_path):
    exported, place = export_run(path), tmp_path / "values.csv"
    assert told("export", path, "--values", place, "--values-more")[0] == 0
    assert place.read_bytes() == values_csv(exported.document, more=True)
    assert place.read_bytes() != values_csv(exported.document)


def test_more_columns_of_no_table_are_wrong_usage(path, run, tmp_path):
    before = content(tmp_path)
    result = run("export", path, "--output", tmp_path / "a.json", "--values-more")
    assert (result.exit_code, content(tmp_path)) == (2, before)
    assert "--values FILE" in result.stderr


def test_a_table_of_another_format_is_wrong_usage_and_writes_nothing(path, run, tmp_path):
    before = content(tmp_path)
    result = run("export", path, "--output", "a.json", "--values", "values.xlsx")
    assert (result.exit_code, content(tmp_path)) == (2, before)


def test_row_46_a_partial_export_is_written_and_exits_3(tmp_path, told, run):
    path = made(tmp_path / "runs", conflict(), ("city", "accept"))
    code, body = told("export", path, "--output", tmp_path / "export.json")
    assert (code, body["ok"], body["complete"]) == (3, True, False)
    assert [one["code"] for one in body["excluded"]] == ["EXPORT_UNDECIDED"]
    assert (tmp_path / "export.json").read_bytes() == export_run(path).text
    assert "EXPORT_UNDECIDED" in run("export", path).stdout


def test_row_45_of_many_fields_one_is_left_out(tmp_path, told):
    path = decided(tmp_path / "runs", many(6))
    fresh = many(6).create(tmp_path / "others")
    names = [item["metadata"]["name"] for item in fresh.run.state["items"]]
    assert told("export", path)[0] == 0
    requests = [{"item": name, "decision": "accept"} for name in names[:5]]
    assert decide_run(fresh.path, requests, HOST).ok
    code, body = told("export", fresh.path, "--output", tmp_path / "export.json")
    assert (code, body["claims"], len(body["excluded"])) == (3, 5, 1)
    assert (tmp_path / "export.json").exists()


def test_row_38_a_refused_grounding_exits_3_though_nothing_is_left_out(tmp_path, told, run):
    path = decided(tmp_path / "runs", rival_misquoted())
    code, body = told("export", path, "--output", tmp_path / "export.json")
    assert (code, body["complete"], body["statuses"]) == (3, True, {"disputed": 1, "verified": 1})
    assert [one["gaps"] for one in body["groundingRefused"]] == [["excluded-rival-unresolved"]]
    assert "excluded-rival-unresolved" in run("export", path).stdout


def test_row_53_an_unchecked_structure_exits_0(tmp_path, told, run):
    path = made(tmp_path / "runs", typed("array", ["a"], '["a"]'), ("it", "accept"))
    code, body = told("export", path)
    assert (code, len(body["groundingUnchecked"])) == (0, 1)
    assert "structure-not-validated" in run("export", path).stdout


def test_row_48_a_run_of_which_nothing_is_decided_writes_nothing(tmp_path, told):
    path = conflict().create(tmp_path / "runs").path
    before = content(tmp_path)
    code, body = told("export", path, "--output", tmp_path / "export.json")
    assert (code, body["ok"], body["error"]["code"]) == (1, False, "EXPORT_UNDECIDED")
    assert content(tmp_path) == before


def test_row_30_an_edited_queue_exits_1(path, told):
    queue = path / "review-queue.json"
    assert told("export", path)[0] == 0
    queue.write_bytes(queue.read_bytes().replace(b"48000", b"48001"))
    for command in ("export", "describe", "inspect"):
        code, body = told(command, path)
        assert (code, body["error"]["code"]) == (1, "REVIEW_BINDING_BROKEN")


def test_row_79_a_hostile_note_exits_1_and_is_repeated_nowhere(tmp_path, run):
    note = {"note": "as in /home/ana/contract.txt"}
    path = made(tmp_path / "runs", conflict(), ("fee", "reject", note), ("city", "accept"))
    result = run("export", path, "--output", "export.json", "--values", "values.csv")
    assert result.exit_code == 1
    assert "DISCLOSURE_REFUSED" in result.stderr
    assert "contract.txt" not in result.output
    assert not [one for one in tmp_path.iterdir() if one.name != "runs"]


def test_what_is_allowed_leaves_and_is_said(tmp_path, told, run):
    path = made(
        tmp_path / "runs", typed("string", "/srv/share/x", "/srv/share/x"), ("it", "accept")
    )
    assert told("export", path)[0] == 1
    allow = [
        "--allow-disclosure", "path-posix@/result/proposals/0/candidateValue",
        "--allow-disclosure", "path-posix@/result/proposals/0/provenance/excerpt",
    ]  # fmt: skip
    code, body = told("export", path, *allow)
    assert (code, len(body["allowedDisclosures"])) == (0, 2)
    assert "path-posix" in run("export", path, *allow).stderr
    assert told("inspect", path, "--include-excerpts")[0] == 1
    assert told("inspect", path, "--include-excerpts", *allow)[0] == 0


@pytest.mark.parametrize("command", ["export", "inspect"])
def test_other_content_is_replaced_only_when_asked(path, told, tmp_path, command):
    target = tmp_path / "out.json"
    assert told(command, path, "--output", target)[0] == 0
    written, stamp = target.read_bytes(), target.stat().st_mtime_ns
    assert told(command, path, "--output", target)[0] == 0
    assert target.stat().st_mtime_ns == stamp
    target.write_bytes(b"mine")
    code, body = told(command, path, "--output", target)
    assert (code, body["error"]["code"], target.read_bytes()) == (1, "file-exists", b"mine")
    assert told(command, path, "--output", target, "--force")[0] == 0
    assert target.read_bytes() == written


def test_of_two_files_neither_is_written_when_one_is_in_the_way(path, told, tmp_path):
    (tmp_path / "values.csv").write_bytes(b"mine")
    before = content(tmp_path)
    code, body = told(
        "export",
        path,
        "--output",
        tmp_path / "new/export.json",
        "--values",
        tmp_path / "values.csv",
    )
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert content(tmp_path) == before


@pytest.mark.parametrize("command", ["export", "inspect"])
@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("name", ["run.json", "export.json", "deep/export.json"])
def test_nothing_is_written_into_the_run(path, told, command, force, name):
    before = content(path)
    code, body = told(command, path, "--output", path / name, *force)
    assert (code, body["error"]["code"], content(path)) == (1, "file-refused", before)


def test_a_link_is_not_written_through(path, told, tmp_path):
    (tmp_path / "target").write_bytes(b"mine")
    (tmp_path / "link.json").symlink_to("target")
    code, body = told("export", path, "--output", tmp_path / "link.json", "--force")
    assert (code, body["error"]["code"]) == (1, "file-refused")
    assert (tmp_path / "target").read_bytes() == b"mine"


def test_a_folder_that_cannot_be_made_is_told(path, told, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    code, body = told("export", path, "--output", tmp_path / "file/export.json")
    assert (code, body["error"]["code"]) == (1, "file-refused")


@pytest.mark.parametrize("command", ["export", "describe", "inspect"])
def test_a_run_that_is_not_there_is_told(told, tmp_path, command):
    code, body = told(command, tmp_path / "nowhere")
    assert (code, body["error"]["code"]) == (1, "RUN_NOT_FOUND")


def test_the_size_can_be_bounded(path, told):
    code, body = told("export", path, "--max-bytes", "100")
    assert (code, body["error"]["code"]) == (1, "EXPORT_TOO_LARGE")


def test_describing_says_the_state_of_every_claim(tmp_path, told, run):
    path = made(tmp_path / "runs", rival_misquoted(), ("fee", "accept"))
    code, body = told("describe", path)
    assert (code, body["ok"]) == (0, True)
    assert [one["state"] for one in body["claims"]] == ["grounding-refused", "undecided"]
    said = run("describe", path).stdout
    assert "grounding-refused" in said
    assert "EXPORT_UNDECIDED" in said
    assert "48000" not in said


def test_describing_says_which_run_of_its_source_it_is_and_names_rows(tmp_path, told, run):
    first = many(2).create(tmp_path / "runs").path
    assert told("describe", first)[1]["again"] == 1
    assert "round       first\n" in run("describe", first).stdout
    assert "fees[1].fee" in run("describe", first).stdout
    asked = many(2).order.provider
    second = many(2).with_order(provider={**asked, "options": {**asked["options"], "again": 2}})
    path = second.create(tmp_path / "runs").path
    assert told("describe", path)[1]["again"] == 2
    assert "--again 2" in run("describe", path).stdout


def test_describing_a_folder_of_runs_names_them(tmp_path, told):
    names = sorted(one.create(tmp_path / "runs").path.name for one in (conflict(), many(2)))
    code, body = told("describe", tmp_path / "runs")
    assert (code, body["error"]["code"]) == (1, "INVALID_RUN")
    assert f"2 runs: {names[0]}, {names[1]}" in body["error"]["message"]


def test_describing_an_empty_or_closed_run_says_so(tmp_path, run):
    empty = nothing().create(tmp_path / "runs").path
    assert "there is no item" in run("describe", empty).stdout
    closed = import_run(unbound(Upstream(tmp_path / "theirs")), tmp_path / "others")
    for command in ("describe", "inspect"):
        assert "unbound-envelope" in run(command, closed.artifacts.path).stdout


def test_inspecting_writes_the_inspection_and_redacts_unless_asked(path, told, run, tmp_path):
    target = tmp_path / "inspection.json"
    code, body = told("inspect", path, "--output", target)
    assert (code, body["output"]) == (0, str(target))
    assert target.read_bytes() == inspect_run(path).text
    assert "Basel" not in run("inspect", path).stdout
    said = run("inspect", path, "--include-excerpts").stdout
    assert "City: Basel" in said
    code, body = told("inspect", path, "--include-prepared-text")
    assert body["inspection"]["spec"]["sources"][0]["preparedText"].startswith("Fee: 48000")


def test_more_rows_than_a_person_reads_are_counted(tmp_path, run):
    path = decided(tmp_path / "runs", many(25))
    for command in ("export", "describe", "inspect"):
        assert "and 5 more" in run(command, path).stdout


# One file for two things, sizes, and what helps


@pytest.mark.parametrize(
    ("output", "values"),
    [
        ("same.csv", "same.csv"),
        ("same.csv", "./same.csv"),
        ("same.csv", "folder/../same.csv"),
        ("link/same.csv", "folder/same.csv"),
        ("folder/alias.csv", "alias.csv"),
        ("hard.csv", "taken.csv"),
    ],
)
def test_a_table_never_takes_the_place_of_the_export(path, run, tmp_path, output, values):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "folder/alias.csv").symlink_to("../alias.csv")
    (tmp_path / "taken.csv").write_bytes(b"mine")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "taken.csv")
    before = content(tmp_path)
    for force in ([], ["--force"]):
        shown = run("export", path, "--output", output, "--values", values, *force)
        assert (shown.exit_code, content(tmp_path)) == (2, before)
        assert "one file" in shown.stderr


def test_two_files_of_one_folder_are_two_files(path, run, tmp_path):
    shown = run("export", path, "--output", "same.json", "--values", "same.csv")
    assert shown.exit_code == 0
    for name in ("same.json", "same.csv"):
        size = (tmp_path / name).stat().st_size
        assert f"{name} ({size:,} bytes)" in shown.stdout


def test_a_table_alone_is_told_with_its_own_size(path, run, tmp_path):
    shown = run("export", path, "--values", "only.csv")
    size = (tmp_path / "only.csv").stat().st_size
    assert f"only.csv ({size:,} bytes)" in shown.stdout
    assert f"{len(export_run(path).text):,} bytes" not in shown.stdout


def test_an_export_of_which_nothing_is_decided_names_what_lists_it(tmp_path, run):
    path = conflict().create(tmp_path / "runs").path
    assert f"survey-fast decide {path}" in run("export", path).stderr


def options_in(shown):
    """The options that a refusal shows, as a shell would read them."""
    lines = [line for line in shown.stderr.splitlines() if line.startswith("    --allow")]
    return [word for line in lines for word in shlex.split(line)]


def test_every_finding_of_an_extraction_is_an_option_that_can_be_typed(tmp_path, run):
    path = made(tmp_path / "runs", typed("string", "/srv/a b", "/srv/a b"), ("it", "accept"))
    shown = run("export", path)
    assert (shown.exit_code, "DISCLOSURE_REFUSED" in shown.stderr) == (1, True)
    options = options_in(shown)
    assert len(options) == 4
    assert run("export", path, *options).exit_code == 0
    assert "/srv/a" not in shown.stderr


def test_many_findings_are_counted(tmp_path, run):
    task = task_document(*[f"f{at}" for at in range(30)])
    text = "".join(f"F{at}: /srv/secret/{at}\n" for at in range(30))
    told = run("export", decided(tmp_path / "runs", sample_of(task, text)))
    assert len(options_in(told)) == 2 * MOST_ROWS
    assert "and 40 more" in told.stderr


def test_a_finding_in_a_note_is_no_option(tmp_path, run):
    note = {"note": "as in /home/ana/contract.txt"}
    path = made(tmp_path / "runs", conflict(), ("fee", "reject", note), ("city", "accept"))
    shown = run("export", path)
    assert options_in(shown) == []
    assert "--replace" in shown.stderr


def test_a_finding_of_an_inspection_says_what_to_leave_out(tmp_path, run):
    path = made(tmp_path / "runs", typed("string", "/srv/x/y", "/srv/x/y"), ("it", "accept"))
    shown = run("inspect", path, "--include-excerpts")
    assert (shown.exit_code, options_in(shown)) == (1, [])
    assert "--include-excerpts" in shown.stderr


def test_the_text_that_was_asked_for_is_shown_where_no_file_is_named(path, run):
    text = open_run(path).artifacts.prepared.decode()
    shown = run("inspect", path, "--include-prepared-text").stdout
    assert shown.endswith(f"\ntext\n{text}")
    kept = run("inspect", path, "--include-prepared-text", "--output", "i.json").stdout
    assert text not in kept
    assert text not in run("inspect", path).stdout


def test_a_text_is_shown_without_moving_the_terminal(tmp_path, run):
    path = made(tmp_path / "runs", typed("string", "a\x1b[2J", "a\x1b[2J"), ("it", "accept"))
    shown = run("inspect", path, "--include-prepared-text")
    assert (shown.exit_code, "\x1b" in shown.stdout) == (0, False)
    assert "\\x1b[2J" in shown.stdout


@pytest.mark.parametrize("command", ["export", "inspect"])
def test_the_folder_of_runs_is_answered_with_their_names(path, run, command):
    shown = run(command, path.parent)
    assert (shown.exit_code, path.name in shown.stderr) == (1, True)


def test_a_value_of_a_run_is_corrected_in_another_way(tmp_path, run):
    path = conflict().create(tmp_path / "runs").path
    shown = run("decide", path, "--field", "city", "accept", "--value", '"Bern"')
    assert (shown.exit_code, "edited-value-not-editable" in shown.stderr) == (1, True)
    assert "reject it with a --note" in shown.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["session", "show"],
        ["session", "complete"],
        ["session", "export"],
        ["session", "attest"],
        ["session", "apply"],
        ["attest"],
        ["session", "new", "round.json", "--queue"],
    ],
    ids=" ".join,
)
def test_a_run_where_a_file_belongs_is_said_to_be_one(path, run, words):
    shown = run(*words, path)
    assert shown.exit_code == 1
    assert f"this is a run: survey-fast decide {path}" in shown.stderr


def test_another_folder_is_no_run(run, tmp_path):
    (tmp_path / "folder").mkdir()
    shown = run("session", "show", "folder")
    assert (shown.exit_code, "this is a run" in shown.stderr) == (1, False)
