"""Files that are no sessions: refused with a code and a place, and left as they are."""

import copy

import pytest
from tests.unit.review.sessions import single_file, stored

from survey_fast.errors import SessionError, SurveyError
from survey_fast.limits import ImportLimits
from survey_fast.review.session_store import convert_session, load_session


def dropped(name):
    document = single_file()
    del document[name]
    return document


def put(path, value):
    document = copy.deepcopy(single_file())
    *steps, last = path
    place = document
    for step in steps:
        place = place[step]
    place[last] = value
    return document


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (dropped("session"), "/session"),
        (dropped("snapshot"), "/snapshot"),
        (put(["session"], []), "/session"),
        (put(["session", "kind"], "ReviewItem"), "/session/kind"),
        (put(["session", "apiVersion"], "v2"), "/session/kind"),
        (put(["session", "metadata", "name"], " "), "/session/metadata/name"),
        (put(["session", "metadata"], 1), "/session/metadata/name"),
        (put(["snapshot"], []), "/snapshot"),
        (put(["snapshot", "actorId"], 1), "/snapshot/actorId"),
        (put(["snapshot", "notesByItemName"], {"a": 1}), "/snapshot/notesByItemName"),
        (put(["events"], {}), "/events"),
        (put(["events", 1, "spec", "x"], 1), "/events/1/spec/x"),
        (put(["events", 1], None), "/events/1"),
        (put(["events", 0, "spec", "sessionName"], 1), "/events/0/spec/sessionName"),
        (put(["queueBinding"], []), "/queueBinding"),
    ],
    ids=[f"defect {number}" for number in range(15)],
)
def test_files_that_are_none(tmp_path, document, pointer):
    path = stored(tmp_path, document)
    before = path.read_bytes()
    for call in (load_session, lambda p: convert_session(p, tmp_path / "new.json")):
        with pytest.raises(SessionError) as caught:
            call(path)
        assert caught.value.code == "session-malformed"
        assert (caught.value.pointer or "").startswith(pointer)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["old.json"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "json-syntax"),
        (b"[]", "session-malformed"),
        (b'{"session":1,"session":2}', "json-duplicate-member"),
        (b"\xff", "json-encoding"),
        (b'{"a":' * 200, "json-depth"),
    ],
)
def test_bytes_that_are_none(tmp_path, text, code):
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with pytest.raises(SurveyError) as caught:
        load_session(path)
    assert caught.value.code == code


def test_a_larger_file_than_allowed(tmp_path):
    path = stored(tmp_path, single_file())
    with pytest.raises(SurveyError) as caught:
        load_session(path, limits=ImportLimits(queue_bytes=100))
    assert caught.value.code in {"RUN_FILE_TOO_LARGE", "json-size", "file-too-large"}
