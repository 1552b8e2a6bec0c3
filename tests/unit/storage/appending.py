"""Logs as tests use them: appended to in one call, refused in another, planted over."""

import os

import pytest
from tests.unit.storage.chains import ROOT

from survey_fast.errors import SurveyError
from survey_fast.storage import AppendLog, held


def append(path, new, *, expected=None, **options):
    log = AppendLog(ROOT, path, **options)
    files = {"files": options["files"]} if "files" in options else {}
    with held(path, 0, **files) as lock:
        expected = log.read(lock=lock).revision if expected is None else expected
        return log.append(new, expected, lock)


def refused(code, call, *arguments, **options):
    with pytest.raises(SurveyError) as caught:
        call(*arguments, **options)
    assert caught.value.code == code
    return caught.value


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def plant(place, kind, target):
    """Put something at ``place`` that is no log."""
    if kind == "file":
        place.write_bytes(b"content")
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(target if kind == "link" else "nowhere")
