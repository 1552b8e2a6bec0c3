"""Verifying a run: every check, nothing written, and what a reader should know besides."""

import fcntl
import os

import pytest
from tests.unit.runs.samples import (
    HOST,
    UPSTREAM,
    Forged,
    conflict,
    content,
    decided,
    example,
    partial,
    refused,
    requests_for,
    stays_refused,
)

from survey_fast.canon import sha256_hex
from survey_fast.runs.append import decide_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run
from survey_fast.runs.verify import verify_run


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


def codes(verified):
    return [one.code for one in verified.notices]


def test_a_sound_run_is_told_in_numbers(path):
    run = open_run(path)
    before = content(path)
    assert verify_run(path).to_json() == {
        "run": run.manifest.resource,
        "revision": run.revision,
        "events": 4,
        "items": 2,
        "proposals": 3,
        "outcome": {"status": "success"},
        "notices": [],
    }
    assert content(path) == before


def test_a_run_that_may_not_be_written_is_verified(path):
    before = [(one, one.stat().st_mode) for one in (*path.iterdir(), path)]
    for one, mode in before:
        one.chmod(mode & 0o555)
    try:
        verify_run(path)
    finally:
        for one, mode in before:
            one.chmod(mode)


def test_a_writer_is_waited_for_and_then_refused(path):
    with (path / "review-events.jsonl").open("rb") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        refused("REVIEW_BUSY", verify_run, path, wait=0)
    verify_run(path, wait=0)


# What a reader should know


def test_what_an_unfinished_append_left_is_told(path):
    assert codes(verify_run(path)) == []
    with (path / "review-events.jsonl").open("ab") as log:
        log.write(b"half")
    assert codes(verify_run(path)) == ["uncommitted-tail"]


def test_a_partial_extraction_is_told(tmp_path):
    assert codes(verify_run(partial().create(tmp_path / "runs").path)) == ["partial-extraction"]


def test_another_name_is_told(path):
    moved = path.with_name("copy")
    path.rename(moved)
    assert codes(verify_run(moved)) == ["renamed"]


def test_a_run_that_is_only_read_is_told(tmp_path):
    path = import_run(UPSTREAM, tmp_path / "runs").artifacts.path
    assert codes(verify_run(path)) == []
    forged = Forged(path)
    forged.events.clear()
    del forged.manifest["extraction"]
    forged.report = None
    forged.save(rechain=True)
    refused("REVIEW_QUEUE_UNATTESTED", verify_run, path)


# A revision from earlier


def test_the_revision_that_was_noted_still_holds(path):
    noted = verify_run(path).run.revision
    assert codes(verify_run(path, expect=noted)) == []
    requests = [one | {"decision": "reject"} for one in requests_for(open_run(path))]
    for one in requests:
        one.pop("candidateId", None)
    decide_run(path, requests, HOST, replace_decided=True)
    assert codes(verify_run(path, expect=noted)) == ["history-grew"]


def test_a_run_without_decisions_has_a_revision_too(tmp_path):
    made = conflict().create(tmp_path / "runs")
    noted = made.run.revision
    assert codes(verify_run(made.path, expect=noted)) == []
    decide_run(made.path, requests_for(made.run), HOST)
    assert codes(verify_run(made.path, expect=noted)) == ["history-grew"]


def test_whole_appends_taken_from_the_end_are_found_by_what_was_noted(path):
    log = path / "review-events.jsonl"
    before = log.read_bytes()
    requests = [one | {"decision": "reject"} for one in requests_for(open_run(path))]
    for one in requests:
        one.pop("candidateId", None)
    noted = decide_run(path, requests, HOST, replace_decided=True).revision
    log.write_bytes(before)
    verify_run(path)
    error = stays_refused("stale-revision", path, verify_run, expect=noted)
    assert error.details["expected"] == noted


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5])
def test_another_head_is_refused_whatever_its_count(path, count):
    stays_refused("stale-revision", path, verify_run, expect=f"{count}:{'0' * 64}")


def test_a_revision_within_an_append_names_a_line_of_the_history(path):
    first = (path / "review-events.jsonl").read_bytes().splitlines(keepends=True)[0]
    assert codes(verify_run(path, expect=f"1:{sha256_hex(first)}")) == ["history-grew"]


@pytest.mark.parametrize(
    "expect", ["", "4", "4:", f"4:{'A' * 64}", f"-1:{'0' * 64}", f"04:{'0' * 64}"]
)
def test_what_is_no_revision_is_misuse(path, expect):
    with pytest.raises(ValueError, match="revision"):
        verify_run(path, expect=expect)


def test_what_is_wrong_is_refused_by_its_code(path):
    forged = Forged(path)
    forged.prepared += b"x"
    forged.save(rechain=False)
    stays_refused("RUN_PREPARED_MISMATCH", path, verify_run)
    refused("RUN_NOT_FOUND", verify_run, path / "none")


def test_a_fifo_in_the_place_of_the_log_is_not_waited_for(tmp_path):
    path = example().create(tmp_path / "runs").path
    (path / "review-events.jsonl").unlink()
    os.mkfifo(path / "review-events.jsonl")
    refused("RUN_PATH_REFUSED", verify_run, path)
