"""Several files that change together: all of them, or none.

Every call to the file system fails or is the last one in ``tests/faults/test_together_faults.py``.
"""

import errno
import os
import stat

import pytest
from tests.unit.storage.appending import names, plant, refused

from survey_fast.storage import SYSTEM
from survey_fast.storage.together import together

OLD, NEW = b"old content", b"new content, and longer"


class Stop(BaseException):
    """Whatever ends a block."""


def put_all(content, *, files=SYSTEM, **options):
    with together(content, files=files) as change:
        for path in content:
            change.put(path, **options)


def fail(content, *steps, files=SYSTEM):
    """A block of these steps, which are given the change, and which fails after the last."""

    def attempt():
        with together(content, files=files) as change:
            for step in steps:
                step(change)
            raise Stop

    with pytest.raises(Stop):
        attempt()


def texts(folder):
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_every_file_takes_its_place(tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    put_all({tmp_path / "a": b"1", tmp_path / "b": b"2"})
    assert texts(tmp_path) == {"a": b"1", "b": b"2"}
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    put_all({})
    assert names(tmp_path) == ["a", "b"]


def test_nothing_has_changed_until_the_last_file_is_written(tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    with together({tmp_path / "a": NEW, tmp_path / "b": NEW}) as change:
        assert (tmp_path / "a").read_bytes() == OLD
        assert not (tmp_path / "b").exists()
        assert len(names(tmp_path)) == 3
        change.put(tmp_path / "a")
        change.put(tmp_path / "b")
    assert texts(tmp_path) == {"a": NEW, "b": NEW}


def test_what_is_not_put_is_not_there(tmp_path):
    with together({tmp_path / "a": NEW, tmp_path / "b": NEW}) as change:
        change.put(tmp_path / "b")
    assert texts(tmp_path) == {"b": NEW}


def test_what_is_removed_is_gone_and_what_is_not_there_can_be_removed(tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    with together({}) as change:
        change.remove(tmp_path / "a")
        change.remove(tmp_path / "b")
    assert names(tmp_path) == []


@pytest.mark.parametrize("steps", range(6))
def test_after_a_failure_every_place_is_as_it_was(tmp_path, steps):
    (tmp_path / "a").write_bytes(OLD)
    (tmp_path / "c").write_bytes(OLD)
    before = {one: one.stat().st_ino for one in tmp_path.iterdir()}
    paths = [tmp_path / name for name in "abc"]
    done = (
        lambda change: change.remove(paths[2]),
        lambda change: change.put(paths[0]),
        lambda change: change.put(paths[1]),
        lambda change: change.put(paths[2]),
        lambda change: change.remove(paths[0]),
    )
    fail(dict.fromkeys(paths, NEW), *done[:steps])
    assert texts(tmp_path) == {"a": OLD, "c": OLD}
    assert {one: one.stat().st_ino for one in tmp_path.iterdir()} == before


def test_a_free_name_stays_with_whoever_takes_it_first(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]

    def race():
        with together(dict.fromkeys(paths, NEW)) as change:
            change.put(paths[0], replacing=False)
            paths[1].write_bytes(b"theirs")
            change.put(paths[1], replacing=False)

    refused("file-exists", race)
    assert texts(tmp_path) == {"b": b"theirs"}


def test_what_somebody_else_put_in_a_place_meanwhile_is_not_taken_back(tmp_path):
    def theirs(_):
        (tmp_path / "theirs").write_bytes(b"theirs")
        (tmp_path / "theirs").replace(tmp_path / "a")

    fail({tmp_path / "a": NEW}, lambda change: change.put(tmp_path / "a"), theirs)
    assert texts(tmp_path) == {"a": b"theirs"}


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling"])
def test_a_place_that_no_file_can_take_is_refused_before_anything_changes(tmp_path, kind):
    (tmp_path / "a").write_bytes(OLD)
    plant(tmp_path / "b", kind, tmp_path)
    fault = refused("file-refused", put_all, {tmp_path / "a": NEW, tmp_path / "b": NEW})
    assert fault.details["path"] == str(tmp_path / "b")
    assert names(tmp_path) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == OLD


def test_a_folder_that_is_missing_is_told_before_anything_changes(tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    refused("file-not-found", put_all, {tmp_path / "a": NEW, tmp_path / "none" / "b": NEW})
    assert texts(tmp_path) == {"a": OLD}


@pytest.mark.parametrize("length", [230, 255])
def test_any_name_that_the_system_takes_can_be_written(tmp_path, length):
    path = tmp_path / ("n" * length)
    for content in (OLD, NEW):
        put_all({path: content, tmp_path / "b": content})
        assert path.read_bytes() == content
    refused("STORAGE_FAILED", put_all, {tmp_path / "b": b"x", tmp_path / ("n" * 256): b"x"})
    assert texts(tmp_path) == {path.name: NEW, "b": NEW}


class NoLinks:
    """A file system without hard links."""

    def __getattr__(self, name):
        return getattr(SYSTEM, name)

    def link(self, source, target):
        source.lstat()
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), target)


def test_without_hard_links_files_change_together_all_the_same(tmp_path):
    (tmp_path / "a").write_bytes(OLD)
    paths = [tmp_path / "a", tmp_path / "b"]
    steps = [lambda change, path=path: change.put(path) for path in paths]
    fail(dict.fromkeys(paths, NEW), *steps, files=NoLinks())
    assert texts(tmp_path) == {"a": OLD}
    put_all(dict.fromkeys(paths, NEW), files=NoLinks())
    assert texts(tmp_path) == {"a": NEW, "b": NEW}


def test_the_files_are_on_disk_before_the_first_takes_its_place(tmp_path):
    done = []

    class Recording:
        def __getattr__(self, name):
            genuine = getattr(SYSTEM, name)

            def act(*arguments, **options):
                done.append(name)
                return genuine(*arguments, **options)

            return act

    put_all({tmp_path / "a": NEW, tmp_path / "b": NEW}, files=Recording())
    flushed = [at for at, name in enumerate(done) if name == "fsync"]
    placed = [at for at, name in enumerate(done) if name == "replace"]
    # Both files before, their one folder after.
    assert len(flushed) == 3
    assert flushed[1] < placed[0]
    assert placed[-1] < flushed[2]
