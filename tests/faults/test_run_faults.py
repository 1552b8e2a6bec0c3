"""A run is made, taken over or decided on while one of the calls fails or is the last one.

Afterwards there is the run, whole, or no run, and then it can be made; a run that was decided on
opens with the history it had or the whole one after. Nothing half-written stays, except where the
process died or its disk failed for good; the next creator sweeps that once it is old.
"""

from __future__ import annotations

import os

import pytest
from tests.faults.seam import DEATHS, FAULTS, FaultyFiles, RecordingFiles, outcome_of
from tests.unit.runs.samples import (
    ANA,
    FILES,
    LATER,
    UPSTREAM,
    conflict,
    content,
    example,
    requests_for,
)

from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.identity import OFFLINE
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run
from survey_fast.storage.staging import STAGING

EXAMPLE, CONFLICT = example(), conflict()
UNKNOWN = {"RUN_COMMIT_UNKNOWN", "died"}
ENOUGH = 400
LASTING = {one for one in FAULTS if one.endswith("from here on")}


def create(root, files):
    EXAMPLE.create(root, files=files)
    return "made"


def take_over(root, files):
    import_run(UPSTREAM, root, files=files)
    return "made"


MAKERS = {create: 0, take_over: 5}


def staged(root):
    return [one for one in root.iterdir() if one.name.startswith(STAGING)] if root.exists() else []


@pytest.mark.parametrize("make", MAKERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_run_is_made_whole_or_not_at_all(tmp_path, make, fault):
    theirs = content(UPSTREAM)
    for at in range(1, ENOUGH):
        root = tmp_path / str(at) / "runs"
        root.parent.mkdir()
        path = root / "run-ee0f5783bcfa2891"
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda root=root, files=files: make(root, files))
        assert outcome in {"made", "STORAGE_FAILED", "died"}
        if outcome == "STORAGE_FAILED" and fault not in LASTING:
            assert not staged(root), files.calls[-1]
            # What was made for a run that is not there goes again.
            assert path.exists() or not list(root.parent.iterdir()), files.calls[-1]
        if not path.exists():
            assert outcome != "made"
            assert make(root, RecordingFiles()) == "made"
        assert open_run(path).log.count == MAKERS[make]
        assert set(content(path)) == set(FILES)
        if not files.was_met:
            break
    assert outcome == "made"
    assert at > 60
    assert content(UPSTREAM) == theirs


def test_what_a_dead_creator_left_is_swept_when_it_is_old(tmp_path):
    root = tmp_path / "runs"
    files = FaultyFiles(60, "death halfway through")
    assert outcome_of(files, lambda: create(root, files)) == "died"
    (left,) = staged(root)
    assert content(left)
    create(root, RecordingFiles())
    assert staged(root) == [left]
    os.utime(left, (0, 0))
    EXAMPLE.with_order(provider={**OFFLINE, "options": {"again": 2}}).create(root)
    assert staged(root) == []
    assert len([one for one in root.iterdir() if one.name.startswith("run-")]) == 2


def decide(path, requests, files):
    done = decide_run(path, requests, Host(ANA, LATER, wait=0, files=files))
    assert done.ok
    return done.revision


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A run in which one of two items is decided, its bytes by name, and what is left to decide."""
    made = CONFLICT.create(tmp_path_factory.mktemp("sound") / "runs", files=RecordingFiles())
    first, second = requests_for(made.run)
    decide(made.path, [first], RecordingFiles())
    return made.path.name, content(made.path), [second | {"note": "x" * 500}]


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_batch_is_committed_whole_or_not_at_all(tmp_path, sound, fault):
    name, files_before, requests = sound
    for at in range(1, ENOUGH):
        path = restored(tmp_path / str(at) / name, files_before)
        before = open_run(path).revision
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda path=path, files=files: decide(path, requests, files))
        run = open_run(path)
        is_after = run.revision != before
        assert run.log.count == (5 if is_after else 2)
        assert outcome in {"STORAGE_FAILED", "REVIEW_BUSY"} | UNKNOWN or outcome == run.revision
        assert not is_after or outcome in UNKNOWN | {run.revision}
        unchanged = {one: text for one, text in files_before.items() if "events" not in one}
        assert unchanged.items() <= content(path).items()
        if not is_after:
            # A record left by a process of this very number would look like a live owner's.
            for record in path.glob(".review.lock*"):
                record.unlink()
            decide(path, requests, RecordingFiles())
        assert open_run(path).log.count == 5
        if not files.was_met:
            break
    assert outcome == run.revision
    assert at > 40


def restored(path, files):
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / name).write_bytes(text)
    return path


@pytest.mark.parametrize("fault", FAULTS)
def test_reading_fails_with_a_refusal_and_never_with_a_verdict(tmp_path, sound, fault):
    name, files_before, _ = sound
    path = restored(tmp_path / name, files_before)
    for at in range(1, ENOUGH):
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda files=files: open_run(path, files=files).log.count)
        assert outcome in {2, "STORAGE_FAILED"}
        if not files.was_met:
            break
    assert outcome == 2
    assert at > 20


@pytest.mark.parametrize("fault", FAULTS)
def test_a_rerun_on_a_failing_disk_does_not_call_the_run_another_one(tmp_path, fault):
    root = tmp_path / "runs"
    create(root, RecordingFiles())
    before = content(root)
    for at in range(1, ENOUGH):
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, lambda files=files: create(root, files))
        assert outcome in {"made", "STORAGE_FAILED"}
        assert content(root) == before
        if not files.was_met:
            break
    assert outcome == "made"
