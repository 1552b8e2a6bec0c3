"""Opening a run: what stands in for a file, what is missing, and which check comes first.

Row 22 of the edge table of runs for every artifact. Edited artifacts are in
``tests/tamper/test_tamper_run.py``; what is told of a run that never bound its envelope, too.
"""

import fcntl
import os

import pytest
from tests.unit.runs.samples import (
    FILES,
    HOST,
    Forged,
    conflict,
    content,
    decided,
    example,
    refused,
    requests_for,
    stays_refused,
)

from survey_fast.errors import SurveyError
from survey_fast.limits import ENVELOPE, EVENTS_BYTES, MANIFEST, PREPARED, QUEUE
from survey_fast.runs.append import decide_run
from survey_fast.runs.layout import CAPS
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.storage import SYSTEM


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


BOTH = pytest.mark.parametrize("read", [open_run, open_metadata])
# What a reading without the text does not touch.
UNREAD = {open_metadata: {"prepared.txt", "extraction-report.json"}, open_run: set()}


@BOTH
def test_an_alias_of_the_folder_above_leads_to_the_run(path, tmp_path, read):
    (tmp_path / "alias").symlink_to(path.parent)
    assert read(tmp_path / "alias" / path.name).artifacts.path == path.resolve()


@BOTH
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["link", "dangling", "folder", "pipe", "hard link"])
def test_row_22_what_is_no_file_of_the_run_is_refused(path, tmp_path, read, name, kind):
    place, target = path / name, tmp_path / "target"
    place.rename(target)
    if kind == "hard link":
        place.hardlink_to(target)
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(target if kind == "link" else "nowhere")
    if name in UNREAD[read]:
        read(path)
    else:
        refused("RUN_PATH_REFUSED", read, path)
    place.rmdir() if kind == "folder" else place.unlink()
    target.rename(place)
    read(path)


@BOTH
@pytest.mark.parametrize("name", FILES)
def test_a_missing_file(path, read, name):
    (path / name).unlink()
    if name in UNREAD[read]:
        read(path)
        return
    code = "RUN_EVENTS_BROKEN" if name == "review-events.jsonl" else "INVALID_RUN"
    stays_refused(code, path, read)


@BOTH
@pytest.mark.parametrize("name", sorted({*FILES} - {"review-events.jsonl", "prepared.txt"}))
@pytest.mark.parametrize("kept", [0, 2, 1])
def test_what_is_wrong_with_a_file_is_told_with_its_name(path, read, name, kept):
    text = (path / name).read_bytes()
    (path / name).write_bytes(text[: len(text) * kept // 2] + (b"}" if kept else b""))
    if name in UNREAD[read]:
        read(path)
        return
    with pytest.raises(SurveyError) as caught:
        read(path)
    assert caught.value.details["path"] == str(path / name)
    assert name in caught.value.message


MOST = {
    "run.json": MANIFEST.default,
    "extraction-envelope.json": ENVELOPE.ceiling,
    "extraction-report.json": CAPS["extraction-report.json"].default,
    "prepared.txt": PREPARED.default,
    "review-events.jsonl": EVENTS_BYTES.default,
    "review-queue.json": QUEUE.ceiling,
}


@pytest.mark.parametrize("name", FILES)
def test_an_oversized_file_is_refused_before_it_is_read(path, name):
    with (path / name).open("r+b") as file:
        file.truncate(MOST[name] + 1)
    refused("RUN_FILE_TOO_LARGE", open_run, path)


@BOTH
def test_no_run_at_all(path, tmp_path, read):
    refused("RUN_NOT_FOUND", read, tmp_path / "none")
    refused("INVALID_RUN", read, path.parent)
    (tmp_path / "empty").mkdir()
    refused("INVALID_RUN", read, tmp_path / "empty")


@BOTH
@pytest.mark.parametrize("kind", ["link", "dangling", "file", "pipe"])
def test_what_is_no_directory_is_refused(path, tmp_path, read, kind):
    place = tmp_path / "place"
    if kind == "file":
        place.write_bytes(b"x")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(path if kind == "link" else "nowhere")
    refused("RUN_PATH_REFUSED", read, place)


@BOTH
def test_a_renamed_directory_is_read_and_not_decided(path, read):
    moved = path.with_name("run-0000000000000000")
    path.rename(moved)
    run = read(moved)
    assert run.is_renamed
    requests = [one | {"decision": "reject"} for one in requests_for(run)]
    for one in requests:
        one.pop("candidateId", None)
    stays_refused("INVALID_RUN", moved, decide_run, requests, HOST, replace_decided=True)
    moved.rename(path)
    assert decide_run(path, requests, HOST, replace_decided=True).ok


@BOTH
def test_what_else_lies_there_is_not_read(path, read):
    before = read(path).revision
    (path / ".review.lock.x.pending").write_bytes(b"x")
    (path / "notes.txt").symlink_to("nowhere")
    assert read(path).revision == before


@BOTH
def test_what_an_unfinished_append_left_is_ignored(path, read):
    before = read(path)
    with (path / "review-events.jsonl").open("ab") as log:
        log.write(b'{"event":{"half":')
    after = read(path)
    assert (after.log.events, after.revision) == (before.log.events, before.revision)
    assert after.log.tail_bytes == 17


def test_a_writer_is_waited_for_only_when_asked(path):
    with (path / "review-events.jsonl").open("rb") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        assert open_run(path).log.count == 4
        refused("REVIEW_BUSY", open_run, path, read_shared_lock=True, wait=0)
    assert open_run(path, read_shared_lock=True, wait=0).log.count == 4


# The first thing wrong is the one reported.


def break_manifest(forged):
    forged.manifest["createdAt"] = "yesterday"


def break_log(forged):
    forged.events[0]["metadata"]["name"] = "another"
    forged.write("review-events.jsonl", b"{}\n")


def break_queue(forged):
    forged.items[0]["spec"]["candidates"][0]["value"] = "1"


def break_envelope(forged):
    forged.envelope["result"]["model"] = "another"


def break_report(forged):
    forged.report["duplicates"] = 7


def break_text(forged):
    forged.prepared += b"more"


ORDER = {
    break_manifest: "INVALID_RUN",
    break_log: "RUN_EVENTS_BROKEN",
    break_queue: "REVIEW_BINDING_BROKEN",
    break_envelope: "RUN_ENVELOPE_MISMATCH",
    break_report: "RUN_EXTRACTION_MISMATCH",
    break_text: "RUN_PREPARED_MISMATCH",
}


@pytest.mark.parametrize("first", ORDER, ids=lambda one: one.__name__)
def test_of_all_that_is_wrong_the_earliest_check_is_told(path, first):
    wrong = list(ORDER)[list(ORDER).index(first) :]
    forged = Forged(path)
    for change in wrong:
        change(forged)
    forged.save(rechain=False)
    stays_refused(ORDER[first], path)


class Watching:
    """The real files; keeps what was opened and for what."""

    def __init__(self):
        self.opened = []

    def __getattr__(self, name):
        return getattr(SYSTEM, name)

    def open(self, path, flags, mode=0o600):
        self.opened.append((path.name, flags))
        return SYSTEM.open(path, flags, mode)

    def open_at(self, folder, name, flags):
        self.opened.append((name, flags))
        return SYSTEM.open_at(folder, name, flags)


def test_a_reading_opens_each_file_once_without_following_links_and_writes_nothing(path):
    files = Watching()
    before = content(path)
    open_run(path, read_shared_lock=True, wait=0, files=files)
    assert sorted(name for name, _ in files.opened) == sorted([path.name, *FILES])
    assert all(flags & os.O_NOFOLLOW for _, flags in files.opened)
    assert not any(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) for _, flags in files.opened)
    assert content(path) == before


def test_a_reading_without_the_text_never_opens_it(path):
    files = Watching()
    open_metadata(path, files=files)
    assert {name for name, _ in files.opened} == {path.name, *FILES} - UNREAD[open_metadata]


def test_a_directory_exchanged_while_it_is_read_is_refused(tmp_path):
    path = decided(tmp_path / "runs", conflict())
    other = example().create(tmp_path / "others").path

    class Exchanging(Watching):
        def open(self, name, flags, mode=0o600):
            descriptor = super().open(name, flags, mode)
            if name.name == "review-events.jsonl":
                path.rename(tmp_path / "moved")
                other.rename(path)
            return descriptor

    refused("RUN_PATH_REFUSED", open_run, path, files=Exchanging())
