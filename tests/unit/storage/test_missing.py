"""Folders that are missing: made, kept, and removed again when their purpose fails."""

import stat

import pytest
from tests.unit.storage.appending import names, plant, refused

from survey_fast.storage import SYSTEM
from survey_fast.storage.missing import folders_made


class Stop(BaseException):
    """Whatever ends a block."""


def make(folder, inside=lambda: None, **options):
    with folders_made(folder, **options):
        inside()


def fail():
    raise Stop


def test_what_is_missing_is_made_and_stays(tmp_path):
    make(tmp_path / "a" / "b" / "c", mode=0o700)
    assert (tmp_path / "a" / "b" / "c").is_dir()
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    make(tmp_path / "a" / "b" / "c")
    make(tmp_path)


def test_what_was_made_goes_again_when_the_block_fails(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(Stop):
        make(tmp_path / "a" / "b" / "c", fail)
    assert names(tmp_path / "a") == []


def test_what_somebody_put_there_stays(tmp_path):
    def inside():
        (tmp_path / "a" / "theirs").write_bytes(b"x")
        raise Stop

    with pytest.raises(Stop):
        make(tmp_path / "a" / "b", inside)
    assert names(tmp_path / "a") == ["theirs"]


def test_what_somebody_else_made_meanwhile_is_as_good_and_stays(tmp_path):
    class Late:
        def __getattr__(self, name):
            return getattr(SYSTEM, name)

        def mkdir(self, path, mode):
            path.mkdir()
            SYSTEM.mkdir(path, mode)

    with pytest.raises(Stop):
        make(tmp_path / "a" / "b", fail, files=Late())
    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("kind", ["file", "pipe", "dangling"])
def test_what_is_no_folder_is_refused_and_nothing_is_left(tmp_path, kind):
    plant(tmp_path / "odd", kind, tmp_path)
    refused("file-refused", make, tmp_path / "odd")
    refused("file-refused", make, tmp_path / "odd" / "a" / "b")
    assert names(tmp_path) == ["odd"]


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    refused("file-refused", make, tmp_path / "loop" / "a")
    assert names(tmp_path) == ["loop"]


def test_a_name_that_the_system_does_not_take_leaves_nothing(tmp_path):
    refused("STORAGE_FAILED", make, tmp_path / "a" / ("n" * 300))
    assert names(tmp_path) == []


def test_names_that_lead_back_are_followed(tmp_path):
    make(tmp_path / "a" / ".." / "b")
    assert names(tmp_path) == ["a", "b"]
