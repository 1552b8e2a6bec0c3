"""Reading a file: only a regular one, never through a link, never more than allowed."""

import os
import socket
import stat
from pathlib import Path

import pytest

from survey_fast.errors import FileError
from survey_fast.limits import ENVELOPE, Cap
from survey_fast.storage import read_bounded

CAP = Cap("a sample", 100, 1000)


def refused(path, code, most=None):
    with pytest.raises(FileError) as caught:
        read_bounded(path, CAP, most)
    assert caught.value.code == code
    assert caught.value.details["path"] == str(path)
    return caught.value


@pytest.mark.parametrize("content", [b"", b"x", bytes(range(256))[:100]], ids=len)
def test_the_bytes_as_they_are(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    before = path.stat()
    assert read_bounded(path, CAP) == content
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_more_than_one_read(tmp_path):
    content = os.urandom(3 * (1 << 20) + 7)
    path = tmp_path / "file"
    path.write_bytes(content)
    assert read_bounded(path, ENVELOPE) == content


def test_short_reads_are_put_together(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, _: read(descriptor, 3))
    assert read_bounded(path, CAP) == b"0123456789"


def test_a_file_over_its_cap(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 101)
    assert refused(path, "file-too-large").details["allowed"] == 100
    assert len(read_bounded(path, CAP, 101)) == 101
    refused(path, "file-too-large", 7)
    path.write_bytes(b"x" * 100)
    assert len(read_bounded(path, CAP)) == 100


def test_a_hole_is_not_read(tmp_path):
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    refused(path, "file-too-large")


def test_the_cap_itself_has_bounds(tmp_path):
    for most in (0, -1, 1001):
        with pytest.raises(ValueError, match="cap"):
            read_bounded(tmp_path / "none", CAP, most)


def test_a_file_that_grows_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 90)
    read = os.read

    def growing(descriptor, count):
        chunk = read(descriptor, count)
        with path.open("ab") as file:
            file.write(b"y" * 90)
        return chunk

    monkeypatch.setattr(os, "read", growing)
    refused(path, "file-too-large")


def test_an_endless_file_ends_at_the_cap(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    asked = []

    def endless(_, count):
        asked.append(count)
        return b"x" * min(count, 60)

    monkeypatch.setattr(os, "read", endless)
    refused(path, "file-too-large")
    assert len(asked) == 2


def test_missing(tmp_path):
    refused(tmp_path / "none", "file-not-found")
    refused(tmp_path / "none" / "deeper", "file-not-found")


def test_a_link_is_not_followed(tmp_path):
    target = tmp_path / "target"
    target.write_bytes(b"secret")
    for name, aim in (("to file", target), ("to nothing", "nowhere"), ("to itself", "to itself")):
        link = tmp_path / name
        link.symlink_to(aim)
        refused(link, "file-refused")
    assert read_bounded(target, CAP) == b"secret"


def test_a_hard_link_is_a_file(tmp_path):
    (tmp_path / "one").write_bytes(b"x")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    assert read_bounded(tmp_path / "two", CAP) == b"x"


def test_a_directory(tmp_path):
    refused(tmp_path, "file-refused")
    (tmp_path / "file").write_bytes(b"x")
    refused(tmp_path / "file" / "below", "file-refused")
    (tmp_path / "link").symlink_to(tmp_path)
    refused(tmp_path / "link", "file-refused")


def test_a_pipe_is_refused_without_waiting(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    refused(path, "file-refused")
    reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(reader, b"waiting")
        refused(path, "file-refused")
        assert os.read(reader, 100) == b"waiting"
    finally:
        os.close(reader)


def test_a_socket(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        refused(tmp_path / "socket", "file-refused")


@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero"])
def test_a_device(name):
    path = Path(name)
    if not stat.S_ISCHR(path.stat().st_mode):
        pytest.skip("no such device here")
    refused(path, "file-refused")


@pytest.mark.parametrize("call", ["open", "fstat", "read"])
def test_what_the_system_says_becomes_a_refusal(tmp_path, monkeypatch, call):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    before = descriptors()

    def failing(*_, **__):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, failing)
        refused(path, "STORAGE_FAILED")
    assert descriptors() == before
    assert read_bounded(path, CAP) == b"x"


def test_a_name_that_no_system_takes(tmp_path):
    refused(tmp_path / ("x" * 300), "STORAGE_FAILED")


def descriptors():
    folder = Path("/dev/fd")
    return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
