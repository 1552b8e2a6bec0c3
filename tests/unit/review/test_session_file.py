"""Session files: rows 13, 56, 57 and 59 of the edge table, for what is stored.

Of the surfaces' table: 25 and 30. The reference system's single-file form is read, converted and
written again.
"""

import hashlib
import json

import pytest
from tests.unit.review.sessions import (
    LATER,
    codes_of,
    decides,
    history,
    notes,
    single_file,
    stored,
)
from tests.unit.review.sessions import STORED_EVENTS as EVENTS
from tests.unit.review.sessions import STORED_SNAPSHOT as SNAPSHOT

from survey_fast import canonical_digest, canonical_json
from survey_fast.errors import FileError, SessionError, SurveyError, UnattestedReviewQueueError
from survey_fast.review.attribution import Reviewer
from survey_fast.review.session_file import new_session, read_session, single_file_revision
from survey_fast.review.session_store import (
    convert_session,
    create_session,
    decide_session,
    load_session,
    log_path,
    pack_session,
)

EMPTY_HASH = "a0dd983e9ec5914efad2672e459bbfee53516ef4f99c672ef4cb634a310675fb"
AUDIT_HASH = "9c07c5019009afc95490097b5aa9a80633ba92b13b7d8a413fee52947b21299b"


def compact_token(events):
    """The token by its rule: compact text, members in the order they stand in."""
    text = json.dumps(events, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def test_the_known_snapshot_hashes():
    state = {
        "items": [],
        "activeItemName": "",
        "notesByItemName": {},
        "decisionsByItemName": {},
        "editedValuesByItemName": {},
        "reviewedAt": "2026-10-01T09:00:00.000Z",
        "actorId": "ana",
    }
    audit = {
        "presentation": {"scoreBlind": True},
        "sampling": {"kind": "random-audit", "rate": 0.25, "seed": "q3-2026"},
    }
    for given, expected in ((state, EMPTY_HASH), ({**state, **audit}, AUDIT_HASH)):
        for profile in ("jcs", "collated"):
            assert canonical_digest(given, profile) == expected


@pytest.mark.parametrize("snapshot", [SNAPSHOT, {**SNAPSHOT, "selectedCandidateIdsByItemName": {}}])
def test_row_13_loading_leaves_the_hash_of_the_snapshot(tmp_path, snapshot):
    expected = canonical_digest(snapshot)
    document = load_session(stored(tmp_path, single_file(snapshot=snapshot)))
    assert canonical_digest(document.snapshot) == canonical_digest(document.state) == expected
    root = new_session(snapshot, name="s1")
    assert canonical_digest(read_session(root).snapshot) == expected
    binding = read_session(root).binding
    assert binding["spec"]["snapshotHash"].endswith(expected)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("events", [[], EVENTS])
def test_a_single_file_is_read_with_its_token(tmp_path, events, indent):
    path = stored(tmp_path, single_file(events, name="plain"), indent=indent)
    document = load_session(path)
    assert document.is_single_file
    assert document.events == events
    assert document.name == ("s1" if events else "plain")
    assert document.revision == compact_token(events)
    assert document.apply().ok


@pytest.mark.parametrize(
    "value",
    ["caf\u00e9 \u2028 \U0001f600", 1.5, 1e21, -0.0, 1e-7, {"b": 1, "a": 4}],
    ids=str,
)
def test_the_token_is_over_the_text_another_program_would_write(value):
    events = history(notes("x"))
    events[0]["spec"]["data"] = {"z": value, "a": 1}
    text = json.dumps(single_file(events)).encode()
    plain = json.loads(text)["events"]
    token = single_file_revision(text)
    if isinstance(value, float):
        written = {1.5: "1.5", 1e21: "1e+21", -0.0: "0", 1e-7: "1e-7"}[value]
        held = json.dumps(plain, separators=(",", ":")).replace(f'"z":{value!r}', f'"z":{written}')
        assert token == hashlib.sha256(held.encode()).hexdigest()[:32]
    else:
        assert token == compact_token(plain)
    assert single_file_revision(json.dumps(single_file([]), indent=2).encode()) == compact_token([])


def test_a_single_file_is_not_decided_on(tmp_path):
    path = stored(tmp_path, single_file())
    before = path.read_bytes()
    with pytest.raises(SessionError) as caught:
        decide_session(path, [], reviewer=Reviewer(), now=LATER)
    assert caught.value.code == "session-single-file"
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["old.json"]


def test_converting(tmp_path):
    source = stored(tmp_path, single_file(custom={"kept": [1, 2]}))
    before = source.read_bytes()
    target = tmp_path / "new.json"
    document = convert_session(source, target)
    assert source.read_bytes() == before
    assert not document.is_single_file
    assert document.events == EVENTS
    members = json.loads(target.read_bytes())
    assert members["custom"] == {"kept": [1, 2]}
    assert "events" not in members
    assert members["snapshot"] == SNAPSHOT
    assert document.binding["spec"]["sessionName"] == "s1" == document.name
    assert target.read_bytes() == canonical_json(members) + b"\n"
    made = decide_session(
        target, [{"item": "b", "decision": "reject"}], reviewer=Reviewer(), now=LATER
    )
    assert made.ok
    assert load_session(target).apply().attributions == {
        "a": "legacy-synthetic-actor",
        "b": "event",
    }


def test_converting_without_events(tmp_path):
    source = stored(tmp_path, single_file([], name="plain"))
    document = convert_session(source, tmp_path / "new.json")
    assert (document.name, document.events) == ("plain", [])


@pytest.mark.parametrize(
    "document",
    [
        single_file(history(decides("accept-proposed", "zz"))),
        single_file(snapshot={**SNAPSHOT, "items": SNAPSHOT["items"] * 2}),
        single_file(snapshot={**SNAPSHOT, "sampling": {"kind": "manual"}}),
    ],
    ids=["events", "queue", "conditions"],
)
def test_what_is_not_valid_is_not_converted(tmp_path, document):
    source = stored(tmp_path, document)
    with pytest.raises(SurveyError):
        convert_session(source, tmp_path / "new.json")
    assert [one.name for one in tmp_path.iterdir()] == ["old.json"]


def test_what_is_ours_already_is_not_converted(tmp_path):
    source = tmp_path / "ours.json"
    create_session(source, SNAPSHOT, name="s1")
    with pytest.raises(SessionError) as caught:
        convert_session(source, tmp_path / "new.json")
    assert caught.value.code == "session-malformed"
    assert not (tmp_path / "new.json").exists()


def test_packing(tmp_path):
    source = tmp_path / "ours.json"
    create_session(source, SNAPSHOT, name="s1")
    decide_session(
        source,
        [{"item": "a", "decision": "accept", "note": "fine"}],
        reviewer=Reviewer.named("ben"),
        now=LATER,
    )
    target = tmp_path / "packed.json"
    revision = pack_session(source, target)
    packed, ours = load_session(target), load_session(source)
    assert packed.is_single_file
    assert packed.events == ours.events
    assert packed.revision == revision == compact_token(json.loads(target.read_bytes())["events"])
    assert packed.apply() == ours.apply()
    with pytest.raises(FileError) as caught:
        pack_session(source, target)
    assert caught.value.code == "file-exists"
    again = convert_session(target, tmp_path / "again.json")
    assert again.events == ours.events


def test_a_bound_single_file_is_held_to_its_binding(tmp_path):
    source = tmp_path / "ours.json"
    create_session(source, SNAPSHOT, name="s1")
    target = tmp_path / "packed.json"
    pack_session(source, target)
    document = json.loads(target.read_bytes())
    document["snapshot"]["items"][0]["spec"]["candidates"][0]["value"] = 1
    edited = stored(tmp_path, document, "edited.json")
    with pytest.raises(UnattestedReviewQueueError):
        load_session(edited).apply()
    with pytest.raises(UnattestedReviewQueueError):
        convert_session(edited, tmp_path / "new.json")


def test_a_session_that_brings_decisions_along_is_read(tmp_path):
    snapshot = {**SNAPSHOT, "decisionsByItemName": {"a": "accept-proposed"}}
    document = load_session(stored(tmp_path, single_file([], snapshot)))
    with pytest.raises(SessionError) as caught:
        document.apply()
    assert caught.value.code == "seeded-snapshot"
    assert document.apply(allow_seeded=True).ok


def test_names_of_logs(tmp_path):
    assert log_path(tmp_path / "round.json") == tmp_path / "round.events.jsonl"
    assert log_path(tmp_path / "round") == tmp_path / "round.events.jsonl"


def test_a_session_without_its_log(tmp_path):
    path = tmp_path / "ours.json"
    create_session(path, SNAPSHOT, name="s1")
    log_path(path).unlink()
    with pytest.raises(SurveyError) as caught:
        load_session(path)
    assert caught.value.code == "RUN_EVENTS_BROKEN"


def test_row_25_a_stored_plain_queue(tmp_path):
    path = tmp_path / "ours.json"
    result = create_session(path, SNAPSHOT, name="s1").apply(required="any")
    assert result.attestation.state == "not-extraction"
    assert codes_of(result.issues) == ["no-resolved-review-items"]
