"""Files that change together while one of the calls fails or is the last one.

After a failure every place is as it was; after a death each place has its old file or its new one.
"""

from functools import partial

import pytest
from tests.faults.seam import DEATHS, FAULTS, FaultyFiles, RecordingFiles, outcome_of

from survey_fast.storage.missing import folders_made
from survey_fast.storage.together import together

OLD, NEW = b"old content", b"new content, and longer"
BEFORE = {"a": OLD, "gone": OLD}
AFTER = {"a": NEW, "b": NEW}
ENOUGH = 200
LASTING = {one for one in FAULTS if one.endswith("from here on")}


def change_all(folder, files):
    with together({folder / name: text for name, text in AFTER.items()}, files=files) as change:
        change.remove(folder / "gone")
        for name in AFTER:
            change.put(folder / name)
    return "changed"


def texts(folder):
    return {one.name: one.read_bytes() for one in folder.iterdir()}


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_all_of_them_change_or_none(tmp_path, fault):
    for at in range(1, ENOUGH):
        folder = tmp_path / str(at)
        folder.mkdir()
        for name, text in BEFORE.items():
            (folder / name).write_bytes(text)
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, partial(change_all, folder, files))
        held = texts(folder)
        placed = {name: text for name, text in held.items() if not name.startswith(".")}
        assert outcome in {"changed", "STORAGE_FAILED", "died"}
        if outcome == "STORAGE_FAILED" and fault not in LASTING:
            assert held == BEFORE, files.calls[-1]
        for name in {*BEFORE, *AFTER}:
            assert placed.get(name) in {BEFORE.get(name), AFTER.get(name)}
        if outcome != "changed":
            assert change_all(folder, RecordingFiles()) == "changed"
        assert {one for one in texts(folder) if not one.startswith(".")} == set(AFTER)
        if not files.was_met:
            break
    assert outcome == "changed"
    assert held == AFTER
    assert at > 20


def make(folder, files):
    with folders_made(folder, files=files):
        pass
    return "made"


@pytest.mark.parametrize("fault", [*FAULTS, *DEATHS])
def test_folders_are_made_or_nothing_is_left_of_them(tmp_path, fault):
    for at in range(1, ENOUGH):
        root = tmp_path / str(at)
        root.mkdir()
        files = FaultyFiles(at, fault)
        outcome = outcome_of(files, partial(make, root / "x" / "y", files))
        assert outcome in {"made", "STORAGE_FAILED", "died"}
        if outcome == "STORAGE_FAILED" and fault not in LASTING:
            assert list(root.iterdir()) == [], files.calls[-1]
        if outcome != "made":
            assert make(root / "x" / "y", RecordingFiles()) == "made"
        assert (root / "x" / "y").is_dir()
        if not files.was_met:
            break
    assert outcome == "made"
    assert at > 6
