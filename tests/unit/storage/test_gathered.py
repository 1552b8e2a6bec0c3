"""Bytes that come piece by piece and may be known: they are what came, whatever was known."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.faults.seam import RecordingFiles

from survey_fast.errors import FileError
from survey_fast.limits import Cap
from survey_fast.storage import SYSTEM, SystemFiles
from survey_fast.storage.files import Gathered
from survey_fast.storage.folder import opened_folder

pieces = st.lists(st.binary(min_size=1, max_size=3), max_size=6)


@given(pieces, st.binary(max_size=8) | pieces.map(b"".join))
@example([b"ab"], b"ab")
@example([b"ab", b"c"], b"ab")
@example([b"a"], b"ab")
def test_what_came_is_what_is_had(came, known):
    gathered = Gathered(known)
    for piece in came:
        assert gathered.room(100) > 0
        gathered.add(piece)
    whole = b"".join(came)
    assert gathered.length == len(whole)
    assert gathered.joined() == whole
    if whole == known:
        assert gathered.joined() is known


CAP = Cap("a test", 1 << 22, 1 << 22)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "file").write_bytes(bytes(range(256)) * 4000)
    return tmp_path / "file"


def read(path, known, files=SYSTEM):
    with opened_folder(path.parent, files=files) as folder:
        return folder.read(path.name, CAP, known=known)


def test_a_file_that_is_known_is_not_held_twice(path):
    known = read(path, None)
    files = RecordingFiles()
    assert read(path, known, files) is known
    assert [name for name, *_ in files.calls].count("read") == 5


def test_any_byte_that_differs_is_read(path):
    known = read(path, None)
    for at in (0, 1, 262_143, 262_144, 262_145, len(known) - 1):
        changed = known[:at] + bytes([known[at] ^ 1]) + known[at + 1 :]
        path.write_bytes(changed)
        assert read(path, known) == changed
    for changed in (b"", known[:-1], known + b"x", known[1:]):
        path.write_bytes(changed)
        assert read(path, known) == changed


class Growing(SystemFiles):
    """A file that is longer than it was when it was opened, or shorter."""

    def __init__(self, path, text):
        self.path = path
        self.text = text

    def fstat(self, descriptor):
        found = super().fstat(descriptor)
        self.path.write_bytes(self.text)
        return found


def test_a_file_that_changes_while_it_is_read_is_read_as_it_is_then(path):
    known = read(path, None)
    for text in (known + b"more", known[:-300_000], known[:100] + b"?" + known[101:]):
        path.write_bytes(known)
        assert read(path, known, Growing(path, text)) == text
    path.write_bytes(known)
    with pytest.raises(FileError) as caught:
        read(path, known, Growing(path, known + bytes(1 << 22)))
    assert caught.value.code == "file-too-large"
