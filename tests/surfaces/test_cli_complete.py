"""survey-fast complete: a score-blind run comes to its export, and is told what is missing."""

import shlex

import pytest
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import conflict, content, decided

from survey_fast.runs.opened import open_run

NOTES = "survey-fast complete"


@pytest.fixture
def blind(tmp_path):
    return decided(tmp_path / "runs", conflict().with_order(score_blind=True))


def test_a_withheld_export_names_the_command_and_after_it_works(blind, run, run_json):
    shown = run("export", blind)
    assert (shown.exit_code, "scores-withheld" in shown.stderr) == (1, True)
    (hint,) = [line for line in shown.stderr.splitlines() if NOTES in line]
    words = shlex.split(hint.partition(" ends the round")[0])
    code, body = run_json(*words[1:], "--reviewer", "ana")
    assert (code, body) == (0, {"ok": True, "revision": open_run(blind).revision})
    assert open_run(blind).log.events[-1]["spec"]["actor"] == {"id": "ana"}
    assert run_json("export", blind)[0] == 0
    assert run("verify", blind).exit_code == 0


def test_it_says_that_the_round_is_over(blind, run):
    shown = run("complete", blind)
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.splitlines() == [
        "the round is over",
        f"revision {open_run(blind).revision}",
    ]


def test_open_items_are_counted_and_the_command_that_lists_them_is_named(tmp_path, run, run_json):
    path = made(tmp_path / "runs", conflict().with_order(score_blind=True), ("city", "accept"))
    before = content(path)
    code, body = run_json("complete", path)
    assert (code, body["error"]["code"]) == (1, "unresolved-review-item")
    assert (body["error"]["details"]["open"], body["error"]["details"]["items"]) == (1, 2)
    shown = run("complete", path)
    assert (shown.exit_code, shown.stdout) == (1, "")
    assert "1 of 2 items is not decided" in shown.stderr
    assert f"survey-fast decide {path}" in shown.stderr
    assert content(path) == before


def test_a_round_is_over_once_and_a_revision_is_held_to(blind, run_json):
    before = content(blind)
    code, body = run_json("complete", blind, "--expect", f"4:{'0' * 64}")
    assert (code, body["error"]["code"], content(blind)) == (1, "REVIEW_CONFLICT", before)
    revision = open_run(blind).revision
    assert run_json("complete", blind, "--expect", revision)[0] == 0
    before = content(blind)
    code, body = run_json("complete", blind)
    assert (code, body["error"]["code"]) == (1, "event-after-completion")
    assert content(blind) == before


def test_who_decides_afterwards_is_told_that_the_round_is_complete(blind, run, run_json):
    assert run_json("complete", blind)[0] == 0
    before = content(blind)
    decision = ["decide", blind, "--field", "city", "reject"]
    for arguments in (decision, [*decision, "--replace"]):
        code, body = run_json(*arguments)
        assert (code, body["error"]["code"]) == (1, "INVALID_EVENTS")
        shown = run(*arguments)
        assert "the round of this run is complete" in shown.stderr
        assert shown.exit_code == 1
    assert content(blind) == before


def test_an_agent_may_end_it_under_its_name(blind, run, run_json):
    assert run("complete", blind, "--agent").exit_code == 2
    assert run_json("complete", blind, "--reviewer", "robot", "--agent")[0] == 0
    assert "agent" in str(open_run(blind).log.events[-1]["metadata"]["producer"])


def test_the_folder_of_runs_is_answered_with_their_names(blind, run):
    shown = run("complete", blind.parent)
    assert (shown.exit_code, blind.name in shown.stderr) == (1, True)


def test_its_samples_are_counted_from_then_on(blind, run_json):
    def skipped():
        return run_json("calibrate", blind)[1]["calibration"]["skipped"]

    assert "blind-round-open" in skipped()
    assert run_json("complete", blind)[0] == 0
    assert "blind-round-open" not in skipped()


def test_nothing_is_decided_after_it(blind, run_json):
    assert run_json("complete", blind)[0] == 0
    before = content(blind)
    code, body = run_json("decide", blind, "--field", "city", "reject", "--replace")
    assert (code, body["ok"], content(blind)) == (1, False, before)
