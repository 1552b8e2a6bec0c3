"""survey-fast session show: every value, what was decided, and no score where none belongs."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.sessions import SENTINEL, write_json

SHOW = ["session", "show", "s/round.json"]
DECIDE = ["session", "decide", "s/round.json"]


def shown(body):
    return [item["name"] for item in body["items"]]


def standings(item):
    return {one["value"]: one.get("standing") for one in item["candidates"]}


@pytest.fixture
def decided(run_json, session):
    """Four of the five items decided, each in another way."""
    for request in (
        ["--item", "rivals", "select", "--candidate", "r-2", "--reviewer", "ana"],
        ["--item", "single", "could-not-confirm", "--note", "nobody answered"],
        ["--item", "kept", "keep"],
        ["--item", "twin-1", "accept", "--value", '"Basle"'],
    ):
        assert run_json(*DECIDE, *request)[0] == 0
    return session


def test_an_untouched_session(run_json, session):
    code, body = run_json(*SHOW)
    assert code == 0
    assert shown(body) == session.names
    assert {item["status"] for item in body["items"]} == {"pending"}
    assert body["summary"]["unresolved"] == 5
    assert body["attestation"] == {"state": "not-extraction"}
    assert body["revision"].startswith("0:")


@pytest.mark.usefixtures("decided")
def test_each_decided_item_tells_what_was_chosen_and_what_was_not(run_json):
    _, body = run_json(*SHOW)
    items = {item["name"]: item for item in body["items"]}
    assert standings(items["rivals"]) == {12: "not-chosen", 24: "chosen"}
    assert standings(items["single"]) == {48000: "not-chosen"}
    assert standings(items["kept"]) == {"Old": "chosen", "New": "not-chosen"}
    assert items["twin-1"]["decision"]["editedValue"] == "Basle"
    assert items["rivals"]["decision"]["actor"] == "ana"
    assert items["rivals"]["decision"]["prompt"].endswith("Use this value: 24 (not chosen: 12).")
    assert [items[name]["status"] for name in ("rivals", "single", "kept", "twin-2")] == [
        "accepted",
        "could-not-confirm",
        "kept",
        "pending",
    ]
    assert body["summary"] == {
        "accepted": 2,
        "couldNotConfirm": 1,
        "escalated": 0,
        "keptCurrent": 1,
        "rejected": 0,
        "unresolved": 1,
    }


@pytest.mark.usefixtures("decided")
def test_people_read_the_same(run):
    text = run(*SHOW).stdout
    assert "round: 5 items" in text
    assert "Chosen       24" in text
    assert "Not chosen   12" in text
    assert "nobody answered" in text
    assert '"Basle"' in text
    assert "1 to review, 2 accepted, 1 kept, 1 could not be confirmed" in text


@pytest.mark.usefixtures("decided")
@pytest.mark.parametrize(
    ("status", "names"),
    [
        ("all", ["single", "rivals", "kept", "twin-1", "twin-2"]),
        ("unresolved", ["twin-2"]),
        ("accepted", ["rivals", "twin-1"]),
        ("kept", ["kept"]),
        ("rejected", []),
        ("could-not-confirm", ["single"]),
    ],
)
def test_one_status(run_json, status, names):
    code, body = run_json(*SHOW, "--status", status)
    assert (code, shown(body), body["matching"]) == (0, names, len(names))


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    ("query", "names"),
    [("CITY", ["twin-1", "twin-2"]), ("bern", ["twin-2"]), ("24", ["rivals"]), ("nothing", [])],
)
def test_a_query_finds_names_fields_and_values(run, run_json, query, names):
    assert shown(run_json(*SHOW, "--query", query)[1]) == names
    assert ("no item matches" in run(*SHOW, "--query", query).stdout) is not names


@pytest.mark.usefixtures("session")
def test_pages(run_json):
    _, body = run_json(*SHOW, "--page", 2, "--page-size", 2)
    assert (shown(body), body["page"], body["pages"]) == (["kept", "twin-1"], 2, 3)
    _, body = run_json(*SHOW, "--page", 99, "--page-size", 2)
    assert (shown(body), body["page"]) == (["twin-2"], 3)


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("wrong", [["--page", 0], ["--page-size", 251], ["--status", "open"]])
def test_wrong_usage(run_json, wrong):
    code, body = run_json(*SHOW, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")


@pytest.mark.usefixtures("decided")
def test_one_item_in_detail(run, run_json):
    _, body = run_json(*SHOW, "--item", "rivals")
    assert body["item"]["name"] == "rivals"
    text = run(*SHOW, "--item", "rivals").stdout
    assert "r-2" in text
    assert "read at chars:0-5 of file:contract.txt" in text
    assert "Decided by ana" in text
    assert "(not chosen: 12)." in text


@pytest.mark.usefixtures("session")
def test_an_item_that_is_not_there(run_json):
    code, body = run_json(*SHOW, "--item", "other")
    assert (code, body["error"]["code"]) == (1, "unknown-review-item")


@pytest.mark.usefixtures("imported")
def test_excluded_rivals_are_shown(run, run_json):
    _, body = run_json(*SHOW, "--page-size", 250)
    excluded = [item for item in body["items"] if "excludedProposals" in item]
    assert len(excluded) == 1
    text = run(*SHOW, "--item", excluded[0]["name"]).stdout
    assert "Excluded" in text
    assert "does not" in text


def test_an_unverified_queue_is_shown_under_a_notice(run, run_json, opened):
    assert run("session", "new", "r.json", "--queue", opened.queue).exit_code == 0
    result = run("session", "show", "r.json")
    assert result.exit_code == 0
    assert "Unverified queue: 60 of 60" in result.stdout
    _, body = run_json("session", "show", "r.json")
    assert body["attestation"]["state"] == "unverified"
    assert body["attestation"]["message"]


@pytest.mark.usefixtures("imported")
def test_a_sighted_session_shows_its_scores(run, run_json):
    _, body = run_json(*SHOW)
    assert isinstance(body["items"][0]["candidates"][0]["confidence"], float)
    assert "confidence" in run(*SHOW).stdout


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_no_command_on_a_blind_session_leaks_a_score(run, tmp_path, json_too):
    lines = "".join(
        json.dumps(line) + "\n"
        for line in (
            {"item": "single", "decision": "could-not-confirm", "note": "unclear"},
            {"item": "rivals", "decision": "select", "candidateId": "r-1"},
            {"item": "kept", "decision": "accept"},
        )
    )
    (tmp_path / "lines.jsonl").write_text(lines)
    for arguments in (
        SHOW,
        [*SHOW, "--item", "rivals"],
        [*DECIDE, "--item", "twin-1", "accept"],
        [*DECIDE, "--item", "twin-1", "accept"],
        [*DECIDE, "--batch", "lines.jsonl"],
        [*SHOW, "--status", "accepted"],
        [*SHOW, "--item", "rivals"],
        ["session", "apply", "s/round.json"],
        ["session", "attest", "s/round.json"],
        ["session", "audit", "s/round.json", "a.json", "--rate", "1", "--seed", "s", "--name", "a"],
        ["session", "pack", "s/round.json", "p.json"],
        ["session", "show", "p.json"],
        ["session", "convert", "p.json", "c.json"],
        ["session", "show", "c.json", "--item", "rivals"],
    ):
        result = run(*arguments, *json_too)
        for told in (result.stdout, result.stderr):
            assert SENTINEL not in told
            assert "0.51" not in told
            assert "confidence" not in told


@pytest.mark.usefixtures("blind")
def test_a_blind_view_keeps_excerpts_and_the_decision(run_json):
    assert run_json(*DECIDE, "--item", "rivals", "select", "--candidate", "r-1")[0] == 0
    _, body = run_json(*SHOW, "--item", "rivals")
    item = body["item"]
    assert body["scoreBlind"] is True
    assert item["candidates"][0]["locator"]["excerpt"] == "reads 12"
    assert standings(item) == {12: "chosen", 24: "not-chosen"}
    assert "says" not in item["decision"]["prompt"]


def test_a_session_that_brings_its_decisions_is_shown_with_them(run_json, session, tmp_path):
    document = session.document
    document["snapshot"]["decisionsByItemName"] = {"single": "accept-proposed"}
    del document["queueBinding"]
    write_json(tmp_path / "old.json", document | {"events": []})
    code, body = run_json("session", "show", "old.json", "--item", "single")
    assert (code, body["item"]["status"]) == (0, "accepted")
    assert body["item"]["decision"]["attribution"] == "legacy-synthetic-actor"


@pytest.mark.parametrize("kind", ["constructor", "accept", "", "__proto__"])
def test_a_decision_it_brings_that_is_none_is_refused(run_json, session, tmp_path, kind):
    document = session.document
    document["snapshot"]["decisionsByItemName"] = {"single": kind}
    write_json(tmp_path / "old.json", document | {"events": []})
    del document["queueBinding"]
    write_json(tmp_path / "old.json", document | {"events": []})
    code, body = run_json("session", "show", "old.json")
    assert (code, body["error"]["code"]) == (1, "decision-malformed")


def test_control_characters_of_a_value_reach_no_terminal(run, run_json, session, tmp_path):
    items = session.items
    items[0]["spec"]["candidates"][0]["value"] = "\x1b[31mred\x07"
    items[0]["spec"]["target"] = "fee\x1b[2J"
    write_json(tmp_path / "items.json", items)
    run_json("session", "new", "r.json", "--queue", "items.json")
    for options in ([], ["--item", "single"]):
        assert "\x1b" not in run("session", "show", "r.json", *options).stdout
