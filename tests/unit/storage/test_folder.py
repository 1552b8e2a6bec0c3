"""A folder read through one handle: own regular files only, and the same folder from first to last.

Row 22 of the edge table of runs is proven here for every kind of thing that can stand in for a
file, and once more on a run in ``tests/tamper/test_tamper_run.py``.
"""

import os

import pytest
from tests.faults.seam import RecordingFiles
from tests.unit.storage.appending import plant, refused
from tests.unit.storage.test_read_bounded import descriptors

from survey_fast.limits import Cap
from survey_fast.storage.folder import opened_folder

CAP = Cap("a sample", 100, 1000)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    (path / "file").write_bytes(b"content")
    return path


def read(path, name="file", most=None):
    with opened_folder(path) as folder:
        return folder.read(name, CAP, most)


def require(path, name="file"):
    with opened_folder(path) as folder:
        folder.require_own(name)


def test_the_bytes_of_a_file_and_no_handle_left(path):
    before = descriptors()
    assert read(path) == b"content"
    require(path)
    assert descriptors() == before


def test_the_real_path_is_told(path, tmp_path):
    (tmp_path / "alias").symlink_to(tmp_path)
    with opened_folder(tmp_path / "alias" / "folder") as folder:
        assert folder.path == path.resolve()
        folder.require_unmoved()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling"])
@pytest.mark.parametrize("use", [read, require])
def test_row_22_what_is_no_file_of_its_own_is_refused(path, tmp_path, kind, use):
    target = tmp_path / "target"
    target.write_bytes(b"secret")
    plant(path / "other", kind, target)
    details = refused("file-refused", use, path, "other").details
    assert details["path"] == str(path / "other")
    assert use(path) in {b"content", None}


@pytest.mark.parametrize("use", [read, require])
def test_a_file_with_a_second_name_is_refused(path, tmp_path, use):
    (tmp_path / "second").hardlink_to(path / "file")
    refused("file-refused", use, path)
    (tmp_path / "second").unlink()
    use(path)


@pytest.mark.parametrize("use", [read, require])
def test_a_missing_file(path, use):
    refused("file-not-found", use, path, "none")


def test_a_file_over_its_cap(path):
    (path / "file").write_bytes(b"x" * 101)
    assert refused("file-too-large", read, path).details["allowed"] == 100
    assert len(read(path, most=101)) == 101


@pytest.mark.parametrize("name", ["", ".", "..", "../file", "a/b", "/etc/passwd", "a\0b"])
@pytest.mark.parametrize("use", [read, require])
def test_a_name_is_one_component(path, use, name):
    with pytest.raises(ValueError, match="no name"):
        use(path, name)


@pytest.mark.parametrize("kind", ["file", "pipe", "link", "dangling"])
def test_what_is_no_folder_is_refused(path, tmp_path, kind):
    place = tmp_path / "place"
    plant(place, kind, path)
    assert refused("file-refused", read, place).details["path"] == str(place)


def test_a_missing_folder(tmp_path):
    refused("file-not-found", read, tmp_path / "none")
    (tmp_path / "file").write_bytes(b"x")
    refused("file-refused", read, tmp_path / "file" / "below")


def test_a_folder_that_was_exchanged_is_noticed(path, tmp_path):
    with opened_folder(path) as folder:
        path.rename(tmp_path / "moved")
        path.mkdir()
        (path / "file").write_bytes(b"another")
        assert folder.read("file", CAP) == b"content"
        refused("file-refused", folder.require_unmoved)
    with opened_folder(path) as folder:
        path.rename(tmp_path / "moved again")
        refused("file-not-found", folder.require_unmoved)


def test_a_folder_exchanged_while_it_is_opened_is_noticed(path, tmp_path):
    class Exchanging(RecordingFiles):
        def do(self, name, call, *arguments):
            result = super().do(name, call, *arguments)
            if name == "open":
                path.rename(tmp_path / "moved")
                path.mkdir()
            return result

    def open_it():
        with opened_folder(path, files=Exchanging()):
            pytest.fail("the wrong folder was opened")

    before = descriptors()
    refused("file-refused", open_it)
    assert descriptors() == before


def test_a_file_that_cannot_be_opened(path, monkeypatch):
    monkeypatch.setattr(os, "open", failing(os.open, "file"))
    refused("STORAGE_FAILED", read, path)


def failing(genuine, name):
    def call(path, *arguments, **options):
        if str(path) == name:
            raise PermissionError(13, "Permission denied")
        return genuine(path, *arguments, **options)

    return call
