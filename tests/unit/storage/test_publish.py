"""Publishing a file: a reader sees the old content or the new one, and nothing is left behind.

Every call to the system that publishing makes is failed in turn, the first, the second and so on.
"""

import errno
import os
import stat
from pathlib import Path

import pytest

from survey_fast.errors import FileError
from survey_fast.limits import ENVELOPE
from survey_fast.storage import publish, read_bounded

OLD, NEW = b"old content", b"new content, and longer"
MOST_CALLS = 12


def refused(path, code, content=NEW):
    with pytest.raises(FileError) as caught:
        publish(path, content)
    assert caught.value.code == code
    assert caught.value.details["path"] == str(path)


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("content", [b"", NEW, bytes(range(256)) * 20_000], ids=len)
def test_a_new_file(tmp_path, content):
    path = tmp_path / "file"
    publish(path, content)
    assert path.read_bytes() == read_bounded(path, ENVELOPE) == content
    assert names(tmp_path) == ["file"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_stands_there_is_replaced(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o644)
    reader = path.open("rb")
    publish(path, NEW)
    with reader:
        assert reader.read() == OLD
    assert path.read_bytes() == NEW
    assert names(tmp_path) == ["file"]


def test_short_writes_are_put_together(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, rest: write(descriptor, rest[:3]))
    publish(tmp_path / "file", NEW)
    assert (tmp_path / "file").read_bytes() == NEW


def test_a_write_that_takes_nothing_ends(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(OLD)
    monkeypatch.setattr(os, "write", lambda descriptor, rest: 0)  # noqa: ARG005
    refused(tmp_path / "file", "STORAGE_FAILED")
    assert (tmp_path / "file").read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def test_a_link_at_the_place_is_not_followed(tmp_path):
    target = tmp_path / "target"
    target.write_bytes(OLD)
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("link", "dangling"):
        refused(tmp_path / name, "file-refused")
        assert (tmp_path / name).is_symlink()
    assert target.read_bytes() == OLD
    assert names(tmp_path) == ["dangling", "link", "target"]


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        refused(tmp_path / name, "file-refused")
    assert (tmp_path / "folder").is_dir()
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert names(tmp_path) == ["folder", "pipe"]


@pytest.mark.parametrize("length", [1, 229, 230, 255])
@pytest.mark.parametrize("letter", ["n", "\u00e9"])
@pytest.mark.parametrize("replacing", [False, True])
def test_any_name_that_the_system_takes_can_be_published(tmp_path, length, letter, replacing):
    path = tmp_path / (letter * (length // len(letter.encode())) or letter)
    publish(path, OLD, replacing=replacing)
    publish(path, NEW)
    assert path.read_bytes() == NEW
    assert names(tmp_path) == [path.name]
    refused(tmp_path / ("n" * 256), "STORAGE_FAILED")
    assert names(tmp_path) == [path.name]


def test_a_folder_in_which_nothing_can_be_made_is_told():
    if Path("/proc/self").exists():
        refused(Path("/proc/self/x"), "file-not-found")


def test_no_folder(tmp_path):
    refused(tmp_path / "none" / "file", "file-not-found")
    (tmp_path / "file").write_bytes(OLD)
    refused(tmp_path / "file" / "below", "file-refused")
    assert (tmp_path / "file").read_bytes() == OLD


def test_a_link_put_there_meanwhile_is_replaced_and_not_followed(tmp_path, monkeypatch):
    path, target = tmp_path / "file", tmp_path / "target"
    target.write_bytes(OLD)
    replace = os.replace

    def racing(source, destination):
        path.symlink_to(target)
        replace(source, destination)

    monkeypatch.setattr(os, "replace", racing)
    publish(path, NEW)
    assert target.read_bytes() == OLD
    assert path.read_bytes() == NEW
    assert not path.is_symlink()


def test_the_content_is_on_disk_before_it_has_the_name(tmp_path, monkeypatch):
    done = []

    def recording(call):
        genuine = getattr(os, call)

        def act(*arguments, **options):
            is_folder = call == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            done.append("fsync folder" if is_folder else call)
            return genuine(*arguments, **options)

        return act

    for call in ("write", "fsync", "replace"):
        monkeypatch.setattr(os, call, recording(call))
    publish(tmp_path / "file", NEW)
    assert done == ["write", "fsync", "replace", "fsync folder"]


# Faults

# From here on the new file has its name, and only the folder's own flush is still to come.
LATE = {("fsync", 2), ("open", 2), ("close", 2)}


def failing_at(patch, call, turn, fault):
    """Fail the ``turn``-th call; the list grows with every call."""
    genuine = getattr(os, call)
    calls = []

    def act(*arguments, **options):
        calls.append(call)
        if len(calls) != turn:
            return genuine(*arguments, **options)
        if call == "close":
            genuine(*arguments, **options)
        raise fault

    patch.setattr(os, call, act)
    return calls


def code_of(path):
    try:
        publish(path, NEW)
    except FileError as refusal:
        return refusal.code
    return None


@pytest.mark.parametrize("old", [OLD, None], ids=["over an old file", "as a new file"])
@pytest.mark.parametrize("call", ["lstat", "open", "write", "fsync", "close", "replace"])
def test_every_call_that_may_fail(tmp_path, monkeypatch, call, old):
    for turn in range(1, MOST_CALLS):
        folder = tmp_path / str(turn)
        folder.mkdir()
        path = folder / "file"
        if old is not None:
            path.write_bytes(old)
        before = names(folder)
        with monkeypatch.context() as patch:
            if call == "write":
                write = os.write
                patch.setattr(os, "write", lambda at, rest, write=write: write(at, rest[:5]))
            calls = failing_at(patch, call, turn, OSError(errno.ENOSPC, "No space left"))
            code = code_of(path)
        if len(calls) < turn:
            assert code is None
            assert path.read_bytes() == NEW
            break
        assert code == "STORAGE_FAILED"
        is_late = (call, turn) in LATE
        assert names(folder) == (["file"] if is_late else before)
        if path.exists():
            assert path.read_bytes() == (NEW if is_late else old)
    assert turn > 1


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_an_interruption_leaves_nothing_behind(tmp_path, monkeypatch, call):
    path = tmp_path / "file"
    path.write_bytes(OLD)
    with monkeypatch.context() as patch:
        failing_at(patch, call, 1, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            publish(path, NEW)
    assert names(tmp_path) == ["file"]
    assert path.read_bytes() == OLD


@pytest.mark.parametrize("call", ["open", "write", "fsync", "close", "replace"])
@pytest.mark.parametrize("turn", [1, 2])
def test_no_descriptor_stays_open(tmp_path, monkeypatch, call, turn):
    before = descriptors()
    with monkeypatch.context() as patch:
        failing_at(patch, call, turn, OSError(errno.EIO, "Input/output error"))
        assert code_of(tmp_path / "file") in {"STORAGE_FAILED", None}
    assert descriptors() == before


def descriptors():
    folder = Path("/dev/fd")
    return names(folder) if folder.is_dir() else []
