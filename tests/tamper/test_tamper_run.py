"""A run whose artifacts were edited, by somebody who knows every form.

Each forgery is made twice: with a log that was chained anew to the edited manifest, which leaves
the check that the forgery is about, and without, where the chain or the manifest's own identity
tells. An edit that leaves the manifest alone is told by the same check both times.

Rows 21, 22, 23, 25, 26, 27 (its first half), 28, 29, 30, 31, 32, 33, 34, 35, 36 and 37 of the edge
table of runs, as far as opening, reading without the text, and appending go; row 24 as far as
opening goes, which refuses it before any export. Row 27b is in ``tests/unit/runs/test_create.py``.
Left: every export of these rows, and what of 27 and 94 to 96 is about rechecks.
"""

import json

import pytest
from tests.unit.runs.samples import (
    FILES,
    HOST,
    Forged,
    conflict,
    content,
    decided,
    names_in,
    nothing,
    partial,
    refused,
    requests_for,
    rival_misquoted,
    stays_refused,
)

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.runs.append import append_events, append_history, decide_run
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.runs.verify import verify_run

BROKEN = "RUN_EVENTS_BROKEN"


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


def told(code, path, metadata=None):
    """Every reader and every writer refuses alike; nothing moves."""
    stays_refused(code, path, open_run)
    stays_refused(code if metadata is None else metadata, path, open_metadata)
    stays_refused(code, path, verify_run)
    stays_refused(code, path, decide_run, [], HOST)
    stays_refused(code, path, append_events, [], HOST, expected_revision="0:x")
    stays_refused(code, path, append_history, [], HOST, expected_count=0)


def forge(path, change, *, rechain):
    forged = Forged(path)
    change(forged)
    assert (forged.manifest != forged.before) or not rechain
    return forged.save(rechain=rechain)


def twins(path, change, code, metadata=None):
    """The forgery without a log that follows, then with one."""
    before = content(path)
    forge(path, change, rechain=False)
    told(BROKEN, path)
    restore(path, before)
    open_run(path)
    forge(path, change, rechain=True)
    told(code, path, metadata)


def restore(path, before):
    for name, text in before.items():
        (path / name).write_bytes(text)


def alone(path, change, code, metadata=None):
    """The same for an edit that needs no other manifest."""
    open_run(path)
    forge(path, change, rechain=False)
    told(code, path, metadata)


def item(forged, target="fee"):
    return next(one for one in forged.items if one["spec"]["target"] == target)


# The prepared text


def other_text(forged):
    forged.prepared = forged.prepared.replace(b"Basel", b"Genf!")


def other_text_told(forged):
    other_text(forged)
    forged.manifest["preparedArtifact"]["digest"] = sha256_hex(forged.prepared)


def longer_text_told(forged):
    forged.prepared += b"more"
    digest, length = sha256_hex(forged.prepared), len(forged.prepared)
    forged.manifest["preparedArtifact"] |= {"digest": digest, "contentLength": length}


def test_row_21_another_prepared_text_whatever_the_manifest_says_of_it(path):
    twins(path, other_text_told, "RUN_PREPARED_MISMATCH", metadata="read")


def read_metadata_of_other_text(path):
    return open_metadata(path)


@pytest.fixture(autouse=True)
def _metadata_reads_no_text(monkeypatch):
    """``metadata="read"`` says that a reading without the text finds nothing wrong."""
    genuine = stays_refused

    def either(code, path, call=open_run, *arguments, **options):
        if code == "read":
            call(path)
            return None
        return genuine(code, path, call, *arguments, **options)

    monkeypatch.setitem(globals(), "stays_refused", either)
