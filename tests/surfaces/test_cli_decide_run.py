"""survey-fast decide: what is open is listed, and decided as in a session, under a run's checks."""

from __future__ import annotations

import fcntl
import io
import json
from contextlib import redirect_stdout

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surfaces.conftest import MOMENT
from tests.surfaces.sessions import STAMP
from tests.unit.runs.samples import (
    UPSTREAM,
    conflict,
    content,
    example,
    items_of,
    many,
    rival_misquoted,
)

from survey_fast.cli import cli
from survey_fast.cli.nearest import nearest
from survey_fast.cli.session.rows import Rows, name_items, row_name
from survey_fast.review.decisions import item_name
from survey_fast.runs.export.describe import describe_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run

TORN = ["could-not-confirm", "--note", "torn off"]
NO_REVISIONS = ["", "garbage", "4", "0:ab", f"4:{'A' * 64}", f"04:{'0' * 64}", f"4:{'0' * 64}\n"]


@pytest.fixture
def made(tmp_path):
    return conflict().create(tmp_path / "runs")


@pytest.fixture
def fee(made):
    """Name and candidate ids of the conflict."""
    item = items_of(made.run)["fee"]
    return item["metadata"]["name"], [one["id"] for one in item["spec"]["candidates"]]


def codes(body):
    return [result.get("error", {}).get("code") for result in body["results"]]


def events(made):
    return open_run(made.path).log.events


def test_a_choice_writes_its_events_with_the_hosts_stamp(run_json, made, fee):
    name, (_, second) = fee
    choose = ["--item", name, "select", "--candidate", second, "--note", "newer"]
    code, body = run_json("decide", made.path, *choose, "--reviewer", "ana")
    assert code == 0
    assert body["results"] == [{"line": 1, "ok": True, "item": name}]
    assert (body["eventsWritten"], body["revision"][:2]) == (3, "3:")
    assert [one["spec"]["eventType"] for one in events(made)] == [
        "note-changed",
        "decision-changed",
        "decision-submitted",
    ]
    for event in events(made):
        assert event["spec"]["actor"] == {"id": "ana"}
        assert event["spec"]["occurredAt"] == MOMENT
        assert event["metadata"]["producer"][STAMP] == {"actorKind": "human", "mode": "individual"}


def test_an_agent_and_nobody_are_called_so(run_json, made):
    city = ["decide", made.path, "--field", "city"]
    run_json(*city, "accept", "--reviewer", "bot", "--agent")
    run_json(*city, "reject", "--replace")
    kinds = [one["metadata"]["producer"][STAMP]["actorKind"] for one in events(made)]
    assert kinds == ["agent", "agent", "unattributed", "unattributed"]


def test_a_batch_from_a_file_and_from_standard_input_is_one_append(run_json, made, fee, tmp_path):
    name, (first, _) = fee
    choose = {"item": name, "decision": "select", "candidateId": first}
    text = json.dumps({"field": "city", "decision": "accept"}) + "\n" + json.dumps(choose)
    (tmp_path / "lines.jsonl").write_text(text)
    code, body = run_json("decide", made.path, "--batch", "lines.jsonl")
    assert (code, codes(body), body["eventsWritten"]) == (0, [None, None], 4)
    log = (made.path / "review-events.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["remaining"] for line in log] == [3, 2, 1, 0]
    code, body = run_json("decide", made.path, "--batch", "-", "--replace", input=text)
    assert (code, codes(body), body["eventsWritten"]) == (0, [None, None], 4)


def test_one_bad_line_keeps_the_batch_out_unless_told_to_go_on(run_json, made):
    lines = '{"field":"city","decision":"accept"}\n{nope\n'
    before = content(made.path)
    code, body = run_json("decide", made.path, "--batch", "-", input=lines)
    assert (code, codes(body), body["eventsWritten"]) == (1, [None, "json-syntax"], 0)
    assert body["error"]["code"] == "json-syntax"
    assert content(made.path) == before
    code, body = run_json("decide", made.path, "--batch", "-", "--keep-going", input=lines)
    assert (code, codes(body), body["eventsWritten"]) == (1, [None, "json-syntax"], 2)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--field", "fee", "accept"], "decision-not-recordable"),
        (["--field", "fee", "select"], "invalid-conflict-selection"),
        (["--field", "city", "keep"], "decision-not-recordable"),
        (["--field", "city", "could-not-confirm"], "reason-missing"),
        (["--field", "city", "clear"], "decision-not-recordable"),
        *(
            (["--field", "city", *TORN, "--attempt", one], "decision-malformed")
            for one in ("", " ")
        ),
        (["--field", "other", "accept"], "unknown-review-item"),
        (["--item", "other", "accept"], "unknown-review-item"),
        (["--field", "city", "accept", "--value", "{"], "json-syntax"),
        (["--field", "city", "accept", "--reviewer", "a b"], "decision-malformed"),
        (["--field", "city", "accept", "--expect", f"0:{'0' * 64}"], "REVIEW_CONFLICT"),
        (["--item", "other"], "unknown-review-item"),
        (["--field", "other"], "unknown-review-item"),
    ],
)
def test_a_refusal_has_its_code_and_nothing_changes(run, run_json, made, arguments, code):
    before = content(made.path)
    exit_code, body = run_json("decide", made.path, *arguments)
    assert (exit_code, body["error"]["code"]) == (1, code)
    result = run("decide", made.path, *arguments)
    assert result.exit_code == 1
    assert f"({code})" in result.stderr
    assert content(made.path) == before


@pytest.mark.parametrize(
    "wrong",
    [
        ["accept"],
        ["--note", "x"],
        ["--item", "single", "--field", "fee", "accept"],
        ["--field", "city", "constructor"],
        ["--batch", "x", "accept"],
        ["--batch", "x", "--item", "single"],
        ["--field", "city", "accept", "--agent"],
        ["--field", "city", "accept", "--wait", "-1"],
        *(["--field", "city", "accept", "--expect", one] for one in NO_REVISIONS),
        ["--expect", "garbage"],
    ],
)
def test_wrong_usage(run_json, made, wrong):
    before = content(made.path)
    code, body = run_json("decide", made.path, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert content(made.path) == before


def test_a_revision_that_was_seen_is_checked(run_json, made):
    _, body = run_json("decide", made.path)
    seen = body["revision"]
    city = ["decide", made.path, "--field", "city", "accept"]
    _, body = run_json(*city, "--expect", seen)
    again = body["revision"]
    code, body = run_json(*city, "--replace", "--expect", seen)
    assert (code, body["error"]["code"]) == (1, "REVIEW_CONFLICT")
    assert body["error"]["details"]["revision"] == again
    code, body = run_json(*city)
    assert (code, body["error"]["code"]) == (1, "ALREADY_DECIDED")


def test_a_tampered_run_takes_no_decision(run_json, made):
    (made.path / "prepared.txt").write_bytes(b"other")
    before = content(made.path)
    code, body = run_json("decide", made.path, "--field", "city", "accept")
    assert (code, body["error"]["code"]) == (1, "RUN_PREPARED_MISMATCH")
    code, body = run_json("decide", made.path)
    assert (code, body["error"]["code"]) == (1, "RUN_PREPARED_MISMATCH")
    assert content(made.path) == before


def test_no_run_there(run_json, tmp_path):
    code, body = run_json("decide", tmp_path / "none", "--field", "city", "accept")
    assert (code, body["error"]["code"]) == (1, "RUN_NOT_FOUND")


def test_a_busy_run_is_waited_for_and_then_refused(run_json, made):
    city = ["decide", made.path, "--field", "city", "accept"]
    with (made.path / "review-events.jsonl").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, body = run_json(*city, "--wait", "0.05")
    assert (code, body["error"]["code"]) == (1, "REVIEW_BUSY")
    assert run_json(*city)[0] == 0


# What is shown


def test_without_a_decision_what_is_open_is_listed_with_its_values(run_json, made, fee):
    name, ids = fee
    _, body = run_json("decide", made.path)
    assert (body["run"], body["open"]) == (made.run.manifest.resource, 2)
    listed = {one["name"]: one for one in body["items"]}
    assert [one["id"] for one in listed[name]["candidates"]] == ids
    run_json("decide", made.path, "--field", "city", "accept")
    _, body = run_json("decide", made.path)
    assert (body["open"], [one["name"] for one in body["items"]]) == (1, [name])
    _, body = run_json("decide", made.path, "--field", "city")
    assert [one["status"] for one in body["items"]] == ["accepted"]


def test_people_see_ids_chosen_and_not_chosen(run, made, fee):
    name, (_, second) = fee
    result = run("decide", made.path, "--item", name)
    assert result.exit_code == 0
    assert second in result.stdout
    result = run("decide", made.path, "--item", name, "select", "--candidate", second)
    assert 'Chosen       "52000"' in result.stdout
    assert 'Not chosen   "48000"' in result.stdout
    assert "1 decision written" in result.stdout
    result = run("decide", made.path, "--field", "fee", "accept")
    assert "--replace" in result.stderr
    run("decide", made.path, "--field", "city", "accept")
    assert "everything is decided" in run("decide", made.path).stdout


def test_an_excluded_rival_is_shown(run, tmp_path):
    made = rival_misquoted().create(tmp_path / "runs")
    assert "excluded" in run("decide", made.path).stdout
    assert "Excluded" in run("decide", made.path, "--field", "fee").stdout


def test_a_long_list_is_cut_for_people(run, tmp_path):
    made = many(30).create(tmp_path / "runs")
    assert "1 to 20 of 30; --offset 20 goes on" in run("decide", made.path).stdout


def test_a_blind_run_shows_no_score(run, run_json, tmp_path):
    sighted = example().create(tmp_path / "sighted")
    blind = example().with_order(score_blind=True).create(tmp_path / "blind")
    for made, has_scores in ((sighted, True), (blind, False)):
        _, body = run_json("decide", made.path)
        assert body["scoreBlind"] is not has_scores
        assert ("confidence" in json.dumps(body)) is has_scores
        result = run("decide", made.path, "--field", "record.status", "accept")
        assert ("confidence" in result.stdout) is has_scores
    assert "score-blind" in run("decide", blind.path).stdout


def test_a_run_that_is_only_read_says_so(run, run_json, tmp_path):
    path = import_run(UPSTREAM, tmp_path / "runs").artifacts.path
    _, body = run_json("decide", path)
    assert (body["open"], body["items"]) == (0, [])
    assert "blocked" not in body
    assert run("decide", path).exit_code == 0


# Rows, and the list as a whole


@pytest.fixture
def listed(tmp_path):
    """A run of thirty rows of one field."""
    return many(30).create(tmp_path / "runs")


def test_a_row_of_a_field_is_told_by_its_number(run, run_json, listed):
    _, body = run_json("decide", listed.path)
    described = describe_run(listed.path).claims
    assert {one["name"]: (one["target"], one["pathIndices"]) for one in body["items"]} == {
        one.item_name: (one.field_path, list(one.path_indices)) for one in described
    }
    assert [one["field"] for one in body["items"]] == [f"fees[{n}].fee" for n in range(30)]
    assert "fees[7].fee" in run("decide", listed.path).stdout


def test_a_field_in_no_list_is_called_as_it_is(run_json, made):
    _, body = run_json("decide", made.path)
    assert [one["field"] for one in body["items"]] == ["fee", "city"]
    assert not any("pathIndices" in one for one in body["items"])


def test_a_row_is_shown_and_decided_by_its_name(run, run_json, listed):
    _, body = run_json("decide", listed.path, "--field", "fees[3].fee")
    (shown,) = body["items"]
    assert shown["candidates"][0]["value"] == "00003"
    code, body = run_json("decide", listed.path, "--field", "fees[3].fee", "accept")
    assert (code, body["results"][0]["item"]) == (0, shown["name"])
    lines = '{"field":"fees[4].fee","decision":"reject"}\n{"field":"fees[30].fee","decision":null}'
    code, body = run_json("decide", listed.path, "--batch", "-", "--keep-going", input=lines)
    assert (code, codes(body)) == (1, [None, "unknown-review-item"])
    meant = ["fees[0].fee", "fees[29].fee"]
    assert body["results"][1]["error"]["details"]["didYouMean"] == meant
    _, body = run_json("decide", listed.path, "--all", "--limit", 5)
    states = [one["status"] for one in body["items"]]
    assert states == ["pending"] * 3 + ["accepted", "rejected"]
    result = run("decide", listed.path, "--field", "fees[3].fee", "accept")
    assert "ALREADY_DECIDED" in result.stderr


def test_a_field_of_many_rows_lists_them(run, run_json, listed):
    _, body = run_json("decide", listed.path, "--field", "fees[].fee")
    assert (body["matching"], len(body["items"])) == (30, 30)
    code, body = run_json("decide", listed.path, "--field", "fees[].fee", "accept")
    assert (code, codes(body)) == (1, ["unknown-review-item"])
    assert len(body["error"]["details"]["items"]) == 20
    result = run("decide", listed.path, "--field", "fees[].fee", "accept")
    assert "--field 'fees[2].fee'" in result.stderr


def test_all_lists_every_item_with_its_value_decision_reviewer_and_note(run, run_json, made, fee):
    name, (_, second) = fee
    choose = ["--item", name, "select", "--candidate", second, "--note", "newer"]
    run_json("decide", made.path, *choose, "--reviewer", "ana")
    told = run("decide", made.path, "--all").stdout.splitlines()
    (line,) = [one for one in told if one.startswith("fee ")]
    assert line.split() == ["fee", name, "accepted", '"52000"', "ana", "newer"]
    (line,) = [one for one in told if one.startswith("city ")]
    assert line.split()[2:] == ["pending", '"Basel"']
    _, body = run_json("decide", made.path, "--all")
    assert body["items"][0]["name"] == name
    assert (body["open"], body["matching"], body["offset"]) == (1, 2, 0)
    assert body["completed"] is False


def test_a_conflict_is_one_line_with_all_of_its_values(run, made):
    told = run("decide", made.path).stdout.splitlines()
    (line,) = [one for one in told if one.startswith("fee ")]
    assert '"48000" | "52000"' in line


@pytest.mark.parametrize(
    ("options", "numbers", "said"),
    [
        ([], range(20), "1 to 20 of 30; --offset 20 goes on"),
        (["--limit", 3], range(3), "1 to 3 of 30; --offset 3 goes on"),
        (["--offset", 20], range(20, 30), "21 to 30 of 30"),
        (["--offset", 5, "--limit", 2], range(5, 7), "6 to 7 of 30; --offset 7 goes on"),
        (["--limit", 30], range(30), "revision"),
        (["--limit", 10**9], range(30), "revision"),
        (["--offset", 30], range(0), "none of 30 from --offset 30 on"),
        (["--all", "--offset", 29], range(29, 30), "30 to 30 of 30"),
        (["--field", "fees[].fee", "--offset", 28], range(28, 30), "29 to 30 of 30"),
    ],
)
def test_the_list_is_read_in_parts(run, run_json, listed, options, numbers, said):
    result = run("decide", listed.path, *options)
    assert result.exit_code == 0
    shown = [one.split()[0] for one in result.stdout.splitlines() if one.startswith("fees")]
    assert shown == [f"fees[{number}].fee" for number in numbers]
    assert said in result.stdout
    _, body = run_json("decide", listed.path, *options)
    fields = [one["field"] for one in body["items"]]
    assert fields == ([f"fees[{number}].fee" for number in range(30)] if not options else shown)
    assert body["matching"] == 30


@pytest.mark.parametrize(
    "wrong",
    [
        ["--all", "--field", "city"],
        ["--all", "--item", "x"],
        ["--all", "--field", "city", "accept"],
        ["--limit", "3", "--field", "city", "accept"],
        ["--offset", "1", "--batch", "x"],
        ["--limit", "0"],
        ["--offset", "-1"],
        ["--field", "city", "accept", "--replace", "--skip-decided"],
    ],
)
def test_wrong_usage_of_the_list(run_json, made, wrong):
    code, body = run_json("decide", made.path, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")


def test_a_batch_that_was_stored_in_part_is_given_again(run, run_json, listed):
    lines = "".join(
        json.dumps({"field": f"fees[{number}].fee", "decision": "accept"}) + "\n"
        for number in range(5)
    )
    first = "".join(lines.splitlines(keepends=True)[:2])
    assert run_json("decide", listed.path, "--batch", "-", input=first)[0] == 0
    code, body = run_json("decide", listed.path, "--batch", "-", input=lines)
    assert (code, codes(body)[:3]) == (1, ["ALREADY_DECIDED", "ALREADY_DECIDED", None])
    again = ["decide", listed.path, "--batch", "-", "--skip-decided"]
    code, body = run_json(*again, input=lines)
    assert (code, body["eventsWritten"]) == (0, 6)
    assert [one.get("skipped", False) for one in body["results"]] == [True] * 2 + [False] * 3
    before = content(listed.path)
    result = run(*again, input=lines)
    assert (result.exit_code, "5 lines passed over" in result.stdout) == (0, True)
    assert content(listed.path) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--field", "citi"], "did you mean city?"),
        (["--field", "citi", "accept"], "did you mean city?"),
        (["--field", "nothing-like-it", "accept"], "decide {path} --all lists items"),
        (["--field", "city", "keep"], 'accept takes "Basel"'),
        (["--field", "city", "clear"], "decide {path} --all lists them"),
        (["--field", "fee", "accept"], "of the values:\n    --candidate "),
        (["--field", "city", "could-not-confirm"], "--note TEXT"),
    ],
)
def test_a_hint_fits_what_was_refused_and_names_the_run(run, made, arguments, said):
    result = run("decide", made.path, *arguments)
    assert result.exit_code == 1
    assert said.format(path=made.path) in result.stderr
    assert "RUN" not in result.stderr


def test_one_wording_for_a_field_that_is_not_there(run_json, made):
    _, shown = run_json("decide", made.path, "--field", "citi")
    _, decided = run_json("decide", made.path, "--field", "citi", "accept")
    for body in (shown, decided):
        assert body["error"]["message"].startswith("no item is about the field 'citi'")
        assert body["error"]["details"]["didYouMean"] == ["city"]


def test_a_folder_of_runs_is_told_to_be_one(run_json, made):
    decision = ["--field", "city", "accept"]
    for arguments, refused in (([], "INVALID_RUN"), (decision, "RUN_EVENTS_BROKEN")):
        code, body = run_json("decide", made.path.parent, *arguments)
        assert (code, body["error"]["code"]) == (1, refused)
        assert f"1 run: {made.path.name}" in body["error"]["message"]


def test_a_terminal_breaks_no_state_and_no_name(made, fee, monkeypatch):
    name, _ = fee
    monkeypatch.setenv("TERM", "dumb")
    for width in (40, 60, 80, 100, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        stream = Terminal()
        with redirect_stdout(stream):
            cli.main(["decide", str(made.path)], "survey-fast", standalone_mode=False)
        told = stream.getvalue()
        assert name in told
        assert told.count("pending") == 2
        rows = told[told.index("field") :].splitlines()
        assert max(map(len, rows)) <= max(width, len(name) + 13)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


# How rows are named


@pytest.mark.parametrize(
    ("target", "indices", "name"),
    [
        ("fee", None, "fee"),
        ("lines[]", (0,), "lines[0]"),
        ("a[].b[].c", (2, 10), "a[2].b[10].c"),
        ("a[].b[].c", (2,), "a[].b[].c#2"),
        ("total", (3,), "total#3"),
        ("total", (3, 1), "total#3.1"),
        ("a[]", None, "a[]"),
    ],
)
def test_the_name_of_a_row(target, indices, name):
    assert row_name(target, indices) == name


def test_a_target_that_looks_like_a_row_is_itself():
    def item(name, target):
        return {"metadata": {"name": name}, "spec": {"target": target, "candidates": []}}

    items = [item("a", "x[0]"), item("b", "x[]"), item("c", "x[]")]
    rows = Rows(items, None)
    assert [item_name(one) for one in rows.about("x[0]")] == ["a"]
    assert [item_name(one) for one in rows.about("x[]")] == ["b", "c"]
    assert rows.about("x[1]") == []
    assert rows.near("x[1]") == ["x[]"]
    asked = [{"field": "x[0]", "decision": None}, {"field": "x[]"}, ["x[0]"], {"field": 1}]
    assert name_items(asked, rows) == [{"item": "a", "decision": None}, *asked[1:]]


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=30))
def test_any_name_is_answered_with_at_most_three_that_are_known(name, known):
    found = nearest(name, known)
    assert len(found) <= 3
    assert set(found) <= set(known)
    if name and name in known:
        assert [one.casefold() for one in found] == [name.casefold()]
