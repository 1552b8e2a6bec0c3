"""Many processes on one run: made by one, decided by one at a time, killed at any call.

Row 62 of the edge table of runs, with real processes.
"""

from __future__ import annotations

import signal

from tests.faults.seam import RecordingFiles
from tests.races.running import CONTEXT, alone, together
from tests.races.workers import FILES, PATIENCE, KillingFiles
from tests.unit.runs.samples import (
    ANA,
    LATER,
    content,
    decided,
    example,
    many,
    names_of,
    requests_for,
    sample_of,
    task_document,
)
from tests.unit.runs.test_append import note_of

from survey_fast.errors import SurveyError
from survey_fast.review.attribution import Reviewer
from survey_fast.runs.append import Host, append_history, decide_run
from survey_fast.runs.opened import open_run

CREATORS, TURNS = 4, 12
WRITERS, EACH = 6, 4
# Each call is the last one in ``tests/faults/test_run_faults.py``; here the process is really gone.
STRIDE = 5


def sample_for(turn):
    return sample_of(task_document("fee", name=f"turn-{turn}"), "Fee: 48000\n")


def creating(root, start):
    """Make the runs that others make as well; returns which of them were made here."""
    samples = [sample_for(turn) for turn in range(TURNS)]
    start.wait()
    return [not sample.create(root, files=FILES).is_reused for sample in samples]


def test_a_run_is_made_by_one_of_four_and_opened_by_the_others(tmp_path):
    root = tmp_path / "runs"
    start = CONTEXT.Barrier(CREATORS)
    told = together(*((creating, root, start) for _ in range(CREATORS)))
    assert [sum(answers) for answers in zip(*told, strict=True)] == [1] * TURNS
    runs = [one for one in root.iterdir() if one.name != ".gitignore"]
    assert len(runs) == TURNS
    assert {open_run(one).log.count for one in runs} == {0}


def host(writer):
    return Host(Reviewer.named(f"writer-{writer}"), LATER, wait=PATIENCE, files=FILES)


def deciding(path, writer, start):
    """Decide items of one's own, each at the revision seen before; returns the revisions won."""
    mine = names_of(open_run(path, files=FILES))[writer::WRITERS]
    start.wait()
    won = []
    for name in mine:
        request = {"item": name, "decision": "accept"}
        while True:
            seen = open_run(path, files=FILES).revision
            try:
                done = decide_run(path, [request], host(writer), expected_revision=seen)
            except SurveyError as refused:
                if refused.code != "REVIEW_CONFLICT":
                    raise
                continue
            assert done.ok
            won.append((seen, done.revision))
            break
    return won


def test_one_winner_for_each_revision_and_no_lost_decision(tmp_path):
    made = many(WRITERS * EACH).create(tmp_path / "runs")
    start = CONTEXT.Barrier(WRITERS)
    won = together(*((deciding, made.path, writer, start) for writer in range(WRITERS)))
    steps = dict(pair for pairs in won for pair in pairs)
    assert len(steps) == WRITERS * EACH
    revision = made.run.revision
    for _ in steps:
        revision = steps[revision]
    run = open_run(made.path)
    assert (run.revision, run.log.count) == (revision, 2 * WRITERS * EACH)
    names = names_of(run)
    for event in run.log.events:
        writer = names.index(event["spec"]["reviewItemName"]) % WRITERS
        assert event["spec"]["actor"] == {"id": f"writer-{writer}"}
    assert not [one for one in made.path.iterdir() if one.name.startswith(".")]


def posting(path, writer, start):
    """Post the whole history that everybody has, with one note more; returns what came of it."""
    run = open_run(path, files=FILES)
    history = [*run.log.events, note_of(run, run.log.count + 1)]
    start.wait()
    try:
        append_history(path, history, host(writer), expected_count=run.log.count)
    except SurveyError as refused:
        return refused.code
    return "won"


def test_row_62_of_posts_from_one_state_one_wins(tmp_path):
    path = decided(tmp_path / "runs", example())
    for turn in range(1, 4):
        start = CONTEXT.Barrier(WRITERS)
        told = together(*((posting, path, writer, start) for writer in range(WRITERS)))
        assert sorted(told) == ["REVIEW_CONFLICT"] * (WRITERS - 1) + ["won"]
        run = open_run(path)
        assert run.log.count == 2 + turn
        assert run.log.events[-1]["spec"]["actor"] == {"id": f"writer-{told.index('won')}"}


def creating_until_killed(root, at, acknowledged):
    example().create(root, files=KillingFiles(at))
    acknowledged.value = 1


def test_a_creator_killed_at_any_of_its_calls_leaves_a_whole_run_or_none(tmp_path):
    for at in range(1, 400, STRIDE):
        root = tmp_path / str(at) / "runs"
        root.parent.mkdir()
        acknowledged = CONTEXT.Value("i", 0)
        code = alone(creating_until_killed, root, at, acknowledged)
        path = root / "run-ee0f5783bcfa2891"
        assert path.exists() or not acknowledged.value
        if not path.exists():
            assert not example().create(root, files=RecordingFiles()).is_reused
        assert open_run(path).log.count == 0
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert acknowledged.value == 1
    assert at > 60


def deciding_until_killed(path, requests, at, acknowledged):
    done = decide_run(path, requests, Host(ANA, LATER, wait=0, files=KillingFiles(at)))
    acknowledged.value = done.committed


def test_a_reviewer_killed_at_any_call_leaves_exactly_what_was_committed(tmp_path):
    made = many(3).create(tmp_path / "sound" / "runs")
    requests, files = requests_for(made.run), content(made.path)
    for at in range(1, 400, STRIDE):
        path = tmp_path / str(at) / made.path.name
        path.mkdir(parents=True)
        for name, text in files.items():
            (path / name).write_bytes(text)
        acknowledged = CONTEXT.Value("i", 0)
        code = alone(deciding_until_killed, path, requests, at, acknowledged)
        run = open_run(path)
        assert run.log.count in {0, 6}
        assert run.log.count >= acknowledged.value
        if not run.log.count:
            # The record of the dead owner stands in nobody's way.
            assert decide_run(path, requests, Host(ANA, LATER, wait=5)).ok
        assert open_run(path).log.count == 6
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert acknowledged.value == 6
    assert at > 40
