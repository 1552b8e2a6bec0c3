"""Publishing a file fails or dies at each of its calls: the old file stands, or the new one."""

from functools import partial

import pytest
from tests.faults.seam import DEATHS, FAULTS, FaultyFiles, outcome_of

from survey_fast.limits import ENVELOPE
from survey_fast.storage import publish, read_bounded

OLD, NEW = b"old content", b"new content, and longer"


def left_over(folder):
    return [entry for entry in folder.iterdir() if entry.name != "file"]


@pytest.mark.parametrize("old", [OLD, None], ids=["over an old file", "as a new file"])
@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_the_old_file_or_the_new_one(tmp_path, fault, old):
    at = 0
    while True:
        at += 1
        path = tmp_path / str(at) / "file"
        path.parent.mkdir()
        if old is not None:
            path.write_bytes(old)
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, partial(publish, path, NEW, files=files))
        content = path.read_bytes() if path.exists() else None
        assert content in {old, NEW}
        assert outcome in {"STORAGE_FAILED", "died", None}
        assert content == NEW or outcome is not None
        if outcome == "STORAGE_FAILED" and "from here on" not in fault:
            assert not left_over(path.parent)
        publish(path, b"next")
        assert read_bounded(path, ENVELOPE) == b"next"
        if not files.was_met:
            break
    assert outcome is None
    assert at > 8


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_a_reader_gets_the_whole_file_or_a_refusal(tmp_path, fault):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    for at in range(1, 7):
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, partial(read_bounded, path, ENVELOPE, files=files))
        assert outcome in {OLD, "STORAGE_FAILED", "died"}
    assert not files.was_met
    assert outcome == OLD
    assert path.read_bytes() == OLD
