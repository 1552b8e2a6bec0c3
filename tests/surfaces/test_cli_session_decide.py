"""survey-fast session decide: one item or many, all or nothing, and what is refused."""

from __future__ import annotations

import fcntl
import json

import pytest
from tests.surfaces.conftest import MOMENT
from tests.surfaces.sessions import STAMP

DECIDE = ["session", "decide", "s/round.json"]


def codes(body):
    return [result.get("error", {}).get("code") for result in body["results"]]


@pytest.fixture
def batch(run_json, session, tmp_path):
    """Decide a batch of lines; what is no text is written as JSON."""

    def batch(*lines, options=(), ending="\n"):
        texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
        (tmp_path / "lines.jsonl").write_text("\n".join(texts) + ending)
        return run_json("session", "decide", session.path, "--batch", "lines.jsonl", *options)

    return batch


ACCEPT = {"item": "single", "decision": "accept"}
CHOOSE = {"item": "rivals", "decision": "select", "candidateId": "r-2"}


def test_a_choice_writes_its_events_with_the_hosts_stamp(run_json, session):
    choose = ["--item", "rivals", "select", "--candidate", "r-2", "--note", "newer"]
    code, body = run_json(*DECIDE, *choose, "--reviewer", "ana")
    assert code == 0
    assert body["results"] == [{"line": 1, "ok": True, "item": "rivals"}]
    assert body["revision"].startswith("3:")
    events = session.events
    kinds = [event["spec"]["eventType"] for event in events]
    assert kinds == ["note-changed", "decision-changed", "decision-submitted"]
    for event in events:
        assert event["spec"]["actor"] == {"id": "ana"}
        assert event["spec"]["occurredAt"] == MOMENT
        assert event["metadata"]["producer"][STAMP] == {"actorKind": "human", "mode": "individual"}
    assert events[1]["spec"]["candidateId"] == "r-2"


def test_an_agent_is_called_one(run_json, session):
    assert run_json(*DECIDE, "--field", "fee", "accept", "--reviewer", "bot", "--agent")[0] == 0
    stamp = session.events[0]["metadata"]["producer"][STAMP]
    assert stamp == {"actorKind": "agent", "mode": "agent"}


def test_without_a_reviewer_it_is_unattributed(run_json, session):
    run_json(*DECIDE, "--field", "fee", "accept")
    event = session.events[0]
    assert event["spec"]["actor"] == {"id": "unattributed"}
    assert event["metadata"]["producer"][STAMP]["actorKind"] == "unattributed"


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["--item", "single", "accept"], "accept-proposed"),
        (["--item", "single", "reject"], "reject-proposed"),
        (["--item", "rivals", "reject"], "reject-proposed"),
        (["--item", "kept", "keep"], "keep-current"),
        (["--field", "vendor", "accept"], "accept-proposed"),
        (
            ["--item", "single", "could-not-confirm", "--note", "x", "--attempt", "e1"],
            "could-not-confirm",
        ),
        (["--item", "single", "accept", "--value", "null"], "accept-proposed"),
    ],
)
def test_every_kind(run_json, session, arguments, kind):
    code, body = run_json(*DECIDE, *arguments)
    assert code == 0
    assert session.events[-1]["spec"]["data"]["workbenchDecision"] == kind
    assert body["eventsWritten"] == len(session.events)


def test_what_goes_with_a_decision_is_recorded(run_json, session):
    run_json(*DECIDE, "--item", "twin-1", "accept", "--value", '{"a":1}')
    data = session.events[-1]["spec"]["data"]
    assert data["workbenchEditedValue"] == {"a": 1}
    attempts = ["--attempt", "e1", "--attempt", "e2"]
    run_json(*DECIDE, "--item", "single", "could-not-confirm", "--note", "why", *attempts)
    assert session.events[-1]["spec"]["attemptEvidenceIds"] == ["e1", "e2"]
    assert session.events[-1]["spec"]["resolutionReason"] == "why"


@pytest.mark.usefixtures("session")
def test_a_decision_is_taken_back_and_the_note_stays(run_json):
    run_json(*DECIDE, "--item", "single", "accept", "--note", "mine")
    assert run_json(*DECIDE, "--item", "single", "clear")[0] == 0
    _, body = run_json("session", "show", "s/round.json", "--item", "single")
    assert (body["item"]["status"], body["item"]["note"]) == ("pending", "mine")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--item", "rivals", "accept"], "decision-not-recordable"),
        (["--item", "rivals", "select"], "invalid-conflict-selection"),
        (["--item", "rivals", "select", "--candidate", "k-1"], "invalid-conflict-selection"),
        (["--item", "kept", "select", "--candidate", "k-1"], "invalid-conflict-selection"),
        (["--item", "single", "select", "--candidate", "s-1"], "invalid-conflict-selection"),
        (["--item", "single", "keep"], "decision-not-recordable"),
        (["--item", "single", "could-not-confirm"], "reason-missing"),
        (["--item", "single", "could-not-confirm", "--note", " \n"], "reason-missing"),
        (["--item", "single", "clear"], "decision-not-recordable"),
        (["--item", "other", "accept"], "unknown-review-item"),
        (["--field", "city", "accept"], "unknown-review-item"),
        (["--field", "other", "accept"], "unknown-review-item"),
        (["--item", "single", "accept", "--candidate", "s-1"], "decision-malformed"),
        (["--item", "single", "reject", "--value", "1"], "decision-malformed"),
        (["--item", "single", "accept", "--attempt", "e"], "decision-malformed"),
        (["--item", "single", "accept", "--note", "x" * 65_537], "decision-malformed"),
        (["--item", "single", "accept", "--value", "{"], "json-syntax"),
        (["--item", "single", "accept", "--value", '{"a":1,"a":2}'], "json-duplicate-member"),
        (["--item", "single", "accept", "--reviewer", "a b"], "decision-malformed"),
        (["--item", "single", "accept", "--reviewer", "unattributed"], "decision-malformed"),
        (["--item", "single", "accept", "--expect", f"0:{'0' * 64}"], "stale-revision"),
        (["--item", "single", "accept", "--max-bytes", "10"], "file-too-large"),
    ],
)
def test_a_refusal_has_its_code_and_nothing_changes(run, run_json, session, arguments, code):
    before = session.bytes()
    exit_code, body = run_json(*DECIDE, *arguments)
    assert (exit_code, body["error"]["code"]) == (1, code)
    result = run(*DECIDE, *arguments)
    assert result.exit_code == 1
    assert f"({code})" in result.stderr
    assert session.bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["accept"],
        ["--item", "single"],
        ["--item", "single", "--field", "fee", "accept"],
        ["--item", "single", "constructor"],
        ["--batch", "x", "accept"],
        ["--batch", "x", "--item", "single"],
        ["--item", "single", "accept", "--agent"],
        ["--item", "single", "accept", "--wait", "-1"],
        ["--item", "single", "accept", "--wait", "nan"],
        ["--item", "single", "accept", "--expect", "0:ab"],
    ],
)
def test_wrong_usage(run_json, session, wrong):
    before = session.bytes()
    code, body = run_json(*DECIDE, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert session.bytes() == before


def test_an_item_is_decided_again_only_when_that_is_asked_for(run_json, session):
    assert run_json(*DECIDE, "--item", "single", "accept")[0] == 0
    before = session.bytes()
    code, body = run_json(*DECIDE, "--item", "single", "reject")
    assert (code, body["error"]["code"]) == (1, "ALREADY_DECIDED")
    assert session.bytes() == before
    assert run_json(*DECIDE, "--item", "single", "reject", "--replace")[0] == 0
    _, body = run_json("session", "show", "s/round.json", "--item", "single")
    assert body["item"]["status"] == "rejected"


@pytest.mark.usefixtures("session")
def test_a_revision_that_was_seen_is_checked(run_json):
    _, body = run_json(*DECIDE, "--item", "single", "accept")
    seen = body["revision"]
    assert run_json(*DECIDE, "--item", "twin-1", "accept", "--expect", seen)[0] == 0
    code, body = run_json(*DECIDE, "--item", "twin-2", "accept", "--expect", seen)
    assert (code, body["error"]["code"]) == (1, "stale-revision")
    assert body["error"]["details"]["revision"].startswith("4:")


def test_a_batch_is_one_append(batch, session):
    code, body = batch(ACCEPT, CHOOSE, {"field": "vendor", "decision": "keep-current"})
    assert code == 0
    assert [result["item"] for result in body["results"]] == ["single", "rivals", "kept"]
    assert (body["eventsWritten"], body["revision"][:2]) == (6, "6:")
    remaining = [json.loads(line)["remaining"] for line in session.log.read_bytes().splitlines()]
    assert remaining == [5, 4, 3, 2, 1, 0]
    stamp = session.events[0]["metadata"]["producer"][STAMP]
    assert stamp["mode"] == "batch"


@pytest.mark.usefixtures("session")
def test_a_batch_from_standard_input(run_json):
    lines = json.dumps(ACCEPT) + "\r\n" + json.dumps(CHOOSE)
    code, body = run_json(*DECIDE, "--batch", "-", input=lines)
    assert (code, codes(body)) == (0, [None, None])


BAD_LINES = [
    ("{", "json-syntax"),
    ("\x0b", "json-syntax"),
    ("[]", "decision-malformed"),
    ("null", "decision-malformed"),
    ('{"item":"single","item":"single","decision":"accept"}', "json-duplicate-member"),
    ({"item": "single"}, "decision-malformed"),
    ({"item": "single", "field": "fee", "decision": "accept"}, "decision-malformed"),
    ({"item": "single", "decision": "constructor"}, "decision-malformed"),
    ({"item": "single", "decision": ["accept"]}, "decision-malformed"),
    ({"item": "single", "decision": "accept", "actor": "ana"}, "decision-malformed"),
    ({"item": 1, "decision": "accept"}, "decision-malformed"),
    ({"item": "other", "decision": "accept"}, "unknown-review-item"),
    ({"item": "rivals", "decision": "accept"}, "decision-not-recordable"),
    ({"item": "twin-1", "decision": "could-not-confirm", "note": ""}, "reason-missing"),
    (CHOOSE | {"candidateId": "s-1"}, "invalid-conflict-selection"),
]


@pytest.mark.parametrize(("line", "code"), BAD_LINES)
def test_one_bad_line_keeps_the_whole_batch_out(batch, session, line, code):
    before = session.log.read_bytes()
    exit_code, body = batch(ACCEPT, line, {"item": "kept", "decision": "keep"})
    assert (exit_code, codes(body)) == (1, [None, code, None])
    assert (body["error"]["code"], body["eventsWritten"]) == (code, 0)
    assert body["revision"].startswith("0:")
    assert session.log.read_bytes() == before


@pytest.mark.parametrize(("line", "code"), BAD_LINES)
def test_with_keep_going_the_good_lines_are_stored(batch, session, line, code):
    options = ["--keep-going"]
    exit_code, body = batch(ACCEPT, line, {"item": "kept", "decision": "keep"}, options=options)
    assert (exit_code, codes(body)) == (1, [None, code, None])
    assert (body["eventsWritten"], body["revision"][:2]) == (4, "4:")
    assert {event["spec"]["reviewItemName"] for event in session.events} == {"single", "kept"}


@pytest.mark.usefixtures("session")
def test_a_line_that_is_no_json_says_which_it_is(run, tmp_path):
    (tmp_path / "lines.jsonl").write_text(json.dumps(ACCEPT) + "\n{nope\n")
    result = run(*DECIDE, "--batch", "lines.jsonl")
    assert result.exit_code == 1
    assert "line 2: refused (json-syntax)" in result.stderr
    assert "nothing was written" in result.stdout


def test_blank_lines_are_no_decisions_and_lines_keep_their_numbers(batch):
    code, body = batch(ACCEPT, "", " \t\r", CHOOSE, "", {"item": "other", "decision": "accept"})
    assert code == 1
    told = [(one["line"], one["ok"]) for one in body["results"]]
    assert told == [(1, True), (4, True), (6, False)]
    code, body = batch("", ACCEPT, "", ending="\n\n")
    assert (code, [one["line"] for one in body["results"]]) == (0, [2])


@pytest.mark.usefixtures("session")
def test_a_batch_written_as_one_array_is_told_what_a_batch_is(run, run_json, tmp_path):
    (tmp_path / "lines.jsonl").write_text(json.dumps([ACCEPT, CHOOSE]))
    code, body = run_json(*DECIDE, "--batch", "lines.jsonl")
    assert (code, codes(body)) == (1, ["decision-malformed"])
    assert "one object a line" in body["error"]["message"]
    (tmp_path / "lines.jsonl").write_text(json.dumps([ACCEPT, CHOOSE], indent=1))
    result = run(*DECIDE, "--batch", "lines.jsonl")
    assert "one JSON object on each line" in result.stderr


def test_what_is_decided_is_passed_over_where_that_is_asked(batch, session, run):
    assert batch(ACCEPT, CHOOSE)[0] == 0
    before = session.log.read_bytes()
    skip = ["--skip-decided"]
    code, body = batch(ACCEPT, CHOOSE, options=skip)
    assert (code, body["eventsWritten"]) == (0, 0)
    assert [one.get("skipped") for one in body["results"]] == [True, True]
    assert session.log.read_bytes() == before
    code, body = batch(ACCEPT, CHOOSE, {"item": "kept", "decision": "keep"}, options=skip)
    assert (code, body["eventsWritten"]) == (0, 2)
    assert [one.get("skipped", False) for one in body["results"]] == [True, True, False]
    result = run(*DECIDE, "--item", "single", "reject", "--skip-decided")
    assert (result.exit_code, "1 line passed over" in result.stdout) == (0, True)
    assert run(*DECIDE, "--item", "single", "reject", "--skip-decided", "--replace").exit_code == 2


def test_an_item_twice_in_one_batch_is_decided_already(batch):
    code, body = batch(ACCEPT, ACCEPT)
    assert (code, codes(body)) == (1, [None, "ALREADY_DECIDED"])
    code, body = batch(ACCEPT, {"item": "single", "decision": None}, ACCEPT)
    assert (code, codes(body)) == (0, [None, None, None])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--item", "rivals", "accept"], "--candidate r-2   24"),
        (["--item", "rivals", "select"], "--candidate r-1   12"),
        (["--field", "term", "select", "--candidate", "x"], "--candidate r-2   24"),
        (["--item", "single", "select", "--candidate", "s-1"], "accept takes 48000"),
        (["--item", "single", "keep"], "accept takes 48000"),
        (["--item", "single", "clear"], "session show s/round.json lists them"),
        (["--item", "single", "could-not-confirm"], "--note"),
        (["--item", "singel", "accept"], "did you mean single?"),
        (["--field", "vendr", "accept"], "did you mean vendor?"),
        (["--field", "nothing-like-it", "accept"], "session show s/round.json lists items"),
        (["--field", "city", "accept"], "--item twin-2   city"),
        (["--item", "single", "reject", "--value", "1"], "--value goes with accept only"),
        (["--item", "single", "accept", "--attempt", "e"], "--attempt goes with could-not-confirm"),
        (["--item", "single", "accept", "--value", "Acme"], """--value '"Acme"'"""),
        (["--item", "single", "accept", "--value", "x" * 99], """--value '"Acme"'"""),
    ],
)
@pytest.mark.usefixtures("session")
def test_a_refusal_says_what_helps_in_the_words_of_the_command_line(run, arguments, said):
    result = run(*DECIDE, *arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    for word in ("accept-proposed", "select-proposed", "keep-current", "FILE"):
        assert word not in result.stderr


@pytest.mark.usefixtures("session")
def test_an_unknown_name_says_what_was_meant_in_the_document_too(run_json):
    _, body = run_json(*DECIDE, "--field", "vendr", "accept")
    assert body["results"][0]["error"]["details"]["didYouMean"] == ["vendor"]
    _, body = run_json(*DECIDE, "--field", "city", "accept")
    twins = [{"item": "twin-1", "field": "city"}, {"item": "twin-2", "field": "city"}]
    assert body["error"]["details"]["items"] == twins


def test_an_empty_batch_writes_nothing(batch, session):
    code, body = batch(ending="")
    assert (code, body["results"], body["eventsWritten"]) == (0, [], 0)
    assert session.log.read_bytes() == b""


@pytest.mark.usefixtures("session")
def test_people_see_what_was_refused_and_what_was_stored(run, tmp_path):
    lines = [{"item": f"no-{n}", "decision": "accept"} for n in range(25)]
    text = "".join(json.dumps(line) + "\n" for line in [CHOOSE, *lines])
    (tmp_path / "lines.jsonl").write_text(text)
    result = run(*DECIDE, "--batch", "lines.jsonl", "--keep-going")
    assert result.exit_code == 1
    assert result.stderr.count("unknown-review-item") == 20
    assert "and 5 more" in result.stderr
    assert "Chosen       24" in result.stdout
    assert "Not chosen   12" in result.stdout
    assert "1 decision written" in result.stdout


@pytest.mark.usefixtures("session")
def test_a_session_in_one_file_asks_to_be_converted(run_json, tmp_path):
    run_json("session", "pack", "s/round.json", "packed.json")
    before = (tmp_path / "packed.json").read_bytes()
    decide = ["--item", "single", "accept"]
    code, body = run_json("session", "decide", "packed.json", *decide)
    assert (code, body["error"]["code"]) == (1, "session-single-file")
    assert (tmp_path / "packed.json").read_bytes() == before
    assert run_json("session", "convert", "packed.json", "own.json")[0] == 0
    assert run_json("session", "decide", "own.json", *decide)[0] == 0


def test_a_busy_session_is_waited_for_and_then_refused(run_json, session):
    with session.log.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, body = run_json(*DECIDE, "--item", "single", "accept", "--wait", "0.05")
    assert (code, body["error"]["code"]) == (1, "REVIEW_BUSY")
    assert run_json(*DECIDE, "--item", "single", "accept")[0] == 0
