"""A folder that appears whole or not at all, and the sweep of what dead creators left.

Faults and deaths at every call are in ``tests/faults/test_run_faults.py``, two creators at once in
``tests/races/test_run_races.py``.
"""

import fcntl
import os
import stat
import uuid

import pytest
from tests.unit.storage.appending import names, plant, refused

from survey_fast.errors import refusal
from survey_fast.storage import SYSTEM
from survey_fast.storage.staging import STAGING, create_folder, root_made

CONTENT = {"one": b"1", "two": b"22"}
HOUR = 3600


def create(target, content=CONTENT, check=lambda _: None, **options):
    create_folder(target, content, check, **options)


def test_the_folder_holds_its_files_and_nothing_else(tmp_path):
    create(tmp_path / "made")
    assert names(tmp_path) == ["made"]
    assert {one.name: one.read_bytes() for one in (tmp_path / "made").iterdir()} == CONTENT
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "made").iterdir()} == {0o600}


def test_the_check_sees_every_file_under_another_name(tmp_path):
    seen = []

    def check(staged):
        assert not (tmp_path / "made").exists()
        assert staged.name.startswith(STAGING)
        seen.extend(names(staged))

    create(tmp_path / "made", check=check)
    assert seen == sorted(CONTENT)


def test_what_the_check_refuses_is_not_made(tmp_path):
    def check(_):
        raise refusal("INVALID_RUN", "it does not hold")

    create(tmp_path / "sound")
    refused("INVALID_RUN", create, tmp_path / "made", check=check)
    assert names(tmp_path) == ["sound"]


@pytest.mark.parametrize("kind", ["file", "folder", "pipe", "link", "dangling"])
def test_a_name_that_is_taken_stays_as_it_is(tmp_path, kind):
    target = tmp_path / "made"
    plant(target, kind, tmp_path)
    before = target.lstat()
    refused("file-exists", create, target)
    assert target.lstat() == before
    assert names(tmp_path) == ["made"]


@pytest.mark.parametrize("kind", ["file", "full folder", "dangling"])
def test_a_name_taken_at_the_last_moment_stays_as_it_is(tmp_path, kind):
    target = tmp_path / "made"

    class Late:
        """Somebody takes the name just before the folder does."""

        def __getattr__(self, name):
            return getattr(SYSTEM, name)

        def replace(self, source, destination):
            if destination == target:
                plant(target, kind.removeprefix("full "), tmp_path)
                if kind == "full folder":
                    (target / "theirs").write_bytes(b"theirs")
            SYSTEM.replace(source, destination)

    refused("file-exists", create, target, files=Late())
    assert names(tmp_path) == ["made"]
    assert names(target) == ["theirs"] if kind == "full folder" else not target.is_dir()


def test_no_root(tmp_path):
    refused("file-not-found", create, tmp_path / "none" / "made")
    (tmp_path / "file").write_bytes(b"x")
    refused("file-refused", create, tmp_path / "file" / "made")


def staging(root, age, name=None):
    place = root / (name or f"{STAGING}{uuid.uuid4()}")
    place.mkdir()
    (place / "half").write_bytes(b"written")
    os.utime(place, (place.stat().st_mtime - age,) * 2)
    return place


def test_what_a_dead_creator_left_is_swept_after_an_hour(tmp_path):
    old, young = staging(tmp_path, HOUR + 60), staging(tmp_path, HOUR - 60)
    other = staging(tmp_path, HOUR + 60, name="run-of-somebody")
    create(tmp_path / "made")
    assert not old.exists()
    assert names(young) == names(other) == ["half"]


def test_what_a_living_creator_works_on_is_not_swept(tmp_path):
    old = staging(tmp_path, HOUR + 60)
    descriptor = os.open(old, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        create(tmp_path / "first")
        assert names(old) == ["half"]
    finally:
        os.close(descriptor)
    create(tmp_path / "second")
    assert not old.exists()


def test_what_only_looks_like_a_folder_in_the_making_is_left(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_bytes(b"x")
    link, file = tmp_path / f"{STAGING}link", tmp_path / f"{STAGING}file"
    link.symlink_to(tmp_path / "theirs")
    file.write_bytes(b"x")
    os.utime(file, (0, 0))
    os.utime(link, (0, 0), follow_symlinks=False)
    create(tmp_path / "made")
    assert names(tmp_path / "theirs") == ["file"]
    assert link.is_symlink()
    assert file.exists()


# The folder that runs live in


def make(root, **options):
    with root_made(root, **options):
        assert root.is_dir()


class Stop(BaseException):
    """Whatever ends what a root was made for."""


def fail(root, inside=lambda: None, **options):
    def attempt():
        with root_made(root, **options):
            inside()
            raise Stop

    with pytest.raises(Stop):
        attempt()


def test_a_root_is_made_with_all_above_it_and_kept_out_of_version_control(tmp_path):
    root = tmp_path / "a" / "b" / "runs"
    make(root)
    assert (root / ".gitignore").read_bytes() == b"*\n"
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    make(root)
    assert names(root) == [".gitignore"]
    assert names(root.parent) == ["runs"]


def test_a_root_that_exists_is_left_as_it_is(tmp_path):
    make(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    make(tmp_path / "link")
    fail(tmp_path)
    assert names(tmp_path) == ["link"]


def test_a_root_that_is_adopted_is_kept_out_of_version_control_unless_it_says_otherwise(tmp_path):
    for name, content in (("bare", None), ("theirs", b""), ("new", None)):
        root = tmp_path / name
        if name != "new":
            root.mkdir()
        if content is not None:
            (root / ".gitignore").write_bytes(content)
        make(root, adopts=True)
        assert (root / ".gitignore").read_bytes() == (b"*\n" if content is None else content)
        assert names(root) == [".gitignore"]
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".gitignore").symlink_to("nowhere")
    make(tmp_path / "odd", adopts=True)
    assert (tmp_path / "odd" / ".gitignore").is_symlink()


def test_a_root_appears_together_with_what_keeps_it_out_of_version_control(tmp_path):
    root = tmp_path / "runs"

    class Watched:
        """Whoever looks at the root finds none, or finds it ignored."""

        def __getattr__(self, name):
            assert not root.exists() or (root / ".gitignore").read_bytes() == b"*\n"
            return getattr(SYSTEM, name)

    make(root, files=Watched())
    assert names(tmp_path) == ["runs"]


@pytest.mark.parametrize("kind", ["file", "pipe", "dangling"])
@pytest.mark.parametrize("adopts", [False, True])
def test_a_root_that_is_no_folder_is_refused(tmp_path, kind, adopts):
    plant(tmp_path / "root", kind, tmp_path)
    refused("file-refused", make, tmp_path / "root", adopts=adopts)
    assert names(tmp_path) == ["root"]
    refused("file-refused", make, tmp_path / "root" / "below", adopts=adopts)
    assert names(tmp_path) == ["root"]


def test_a_root_goes_again_when_what_it_was_made_for_fails(tmp_path):
    fail(tmp_path / "a" / "b" / "runs")
    assert names(tmp_path) == []
    (tmp_path / "a").mkdir()
    fail(tmp_path / "a" / "b" / "runs")
    assert names(tmp_path) == ["a"]
    assert names(tmp_path / "a") == []


@pytest.mark.parametrize("theirs", ["root", "above"])
def test_a_root_that_somebody_put_something_into_stays_and_stays_ignored(tmp_path, theirs):
    root = tmp_path / "a" / "runs"
    place = root if theirs == "root" else root.parent
    fail(root, lambda: (place / "theirs").write_bytes(b"x"))
    assert "theirs" in names(place)
    assert names(root) == [".gitignore", "theirs"] if theirs == "root" else not root.exists()


def test_what_comes_into_a_root_at_the_last_moment_stays_ignored(tmp_path):
    root = tmp_path / "runs"

    class Late:
        """Somebody puts a run into the root just before it is removed."""

        def __getattr__(self, name):
            return getattr(SYSTEM, name)

        def rmdir(self, path):
            if path == root:
                (root / "run").mkdir()
            SYSTEM.rmdir(path)

    fail(root, files=Late())
    assert names(root) == [".gitignore", "run"]
    assert (root / ".gitignore").read_bytes() == b"*\n"


def test_of_two_who_make_a_root_the_later_one_uses_the_first(tmp_path):
    root = tmp_path / "runs"

    class Second:
        """Another creator was faster, and is at work in the root."""

        def __getattr__(self, name):
            return getattr(SYSTEM, name)

        def replace(self, source, destination):
            if destination == root:
                make(root)
            SYSTEM.replace(source, destination)

    fail(root, files=Second())
    assert names(root) == [".gitignore"]
    assert names(tmp_path) == ["runs"]


def test_what_a_creator_that_was_killed_left_of_a_root_does_not_stand_in_its_place(tmp_path):
    root = tmp_path / "runs"
    left = staging(tmp_path, HOUR + 60)
    make(root)
    assert not left.exists()
    assert names(tmp_path) == ["runs"]
