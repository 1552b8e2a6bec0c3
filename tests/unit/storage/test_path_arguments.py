"""Whoever names a file by a text is understood, and what names none is misuse."""

from pathlib import Path

import pytest
from tests.unit.runs.samples import conflict, decided

from survey_fast.review.session_store import load_session
from survey_fast.runs.opened import open_metadata, open_run
from survey_fast.storage import path_argument


def test_a_text_is_a_path():
    assert path_argument("path", "a/b") == path_argument("path", Path("a/b")) == Path("a/b")


@pytest.mark.parametrize("value", [b"a", 3, None, ["a"]])
def test_what_names_no_file_is_misuse(value):
    for read in (lambda: path_argument("path", value), lambda: open_run(value)):
        with pytest.raises(TypeError, match="path must be a path or a str"):
            read()
    with pytest.raises(TypeError):
        load_session(value)


def test_a_run_opens_by_the_text_of_its_path(tmp_path):
    path = str(decided(tmp_path, conflict()))
    assert open_run(path).revision == open_metadata(path).revision
