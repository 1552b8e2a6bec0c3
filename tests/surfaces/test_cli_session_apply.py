"""survey-fast session apply and attest: what a session comes to, and whether it holds."""

from __future__ import annotations

import json

import pytest
from tests.surfaces.sessions import (
    COMMANDS,
    SENTINEL,
    STAMP,
    Stored,
    candidate,
    review_item,
    write_json,
)

from survey_fast.attest import bind_review_queue

APPLY = ["session", "apply", "s/round.json"]
ATTEST = ["session", "attest", "s/round.json"]
DECIDE = ["session", "decide", "s/round.json"]
ALL = [
    {"item": "single", "decision": "accept"},
    {"item": "rivals", "decision": "select", "candidateId": "r-2"},
    {"item": "kept", "decision": "keep"},
    {"item": "twin-1", "decision": "reject"},
    {"item": "twin-2", "decision": "could-not-confirm", "note": "nobody answered"},
]


def decide(run_json, lines, *options):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    code, body = run_json(*DECIDE, "--batch", "-", *options, input=text)
    assert code == 0
    return body["revision"]


def states(body):
    return {check["check"]: check["state"] for check in body["checks"]}


def test_results_say_what_was_chosen_over_what(run_json, session):
    revision = decide(run_json, ALL, "--reviewer", "ana")
    code, body = run_json(*APPLY, "--require", "all")
    assert (code, body["revision"], body["attestation"]) == (0, revision, "not-extraction")
    results = {one["reviewItemName"]: one for one in body["results"]}
    assert list(results) == session.names
    choice = results["rivals"]
    assert (choice["decision"], choice["effectiveValue"]) == ("select-proposed", 24)
    assert [one["id"] for one in choice["unselectedCandidates"]] == ["r-1"]
    assert results["twin-2"]["status"] == "proposed"
    assert set(body["attributions"].values()) == {"event"}
    assert {one["spec"]["actor"]["id"] for one in body["decisions"]} == {"ana"}
    assert body["unresolvedItemNames"] == []


@pytest.mark.usefixtures("session")
def test_people_read_the_same(run, run_json):
    decide(run_json, ALL)
    result = run(*APPLY)
    assert result.exit_code == 0
    assert "select-proposed     24      12           rivals" in result.stdout
    assert "5 results, 0 items open" in result.stdout


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    ("lines", "required", "code"),
    [
        ([], "none", None),
        ([], "any", "no-resolved-review-items"),
        (ALL[:1], "any", None),
        (ALL[:4], "all", "unresolved-review-item"),
        (ALL, "all", None),
    ],
)
def test_as_much_as_was_asked_for_has_to_be_decided(run_json, lines, required, code):
    if lines:
        decide(run_json, lines)
    exit_code, body = run_json(*APPLY, "--require", required)
    assert (exit_code, body.get("error", {}).get("code")) == (1 if code else 0, code)
    assert len(body["results"]) == len(lines)


@pytest.mark.usefixtures("session")
def test_an_unknown_requirement_is_wrong_usage(run_json):
    assert run_json(*APPLY, "--require", "some")[0] == 2


def test_decisions_of_the_snapshot_count_only_when_allowed(run_json, session, tmp_path):
    document = session.document
    document["snapshot"]["decisionsByItemName"] = {"single": "accept-proposed"}
    del document["queueBinding"]
    write_json(tmp_path / "old.json", document | {"events": []})
    code, body = run_json("session", "apply", "old.json")
    assert (code, body["error"]["code"]) == (1, "seeded-snapshot")
    code, body = run_json("session", "apply", "old.json", "--allow-seeded")
    assert (code, body["attributions"]) == (0, {"single": "legacy-synthetic-actor"})


@pytest.mark.usefixtures("blind")
def test_results_of_a_blind_round_wait_until_it_is_done(run, run_json):
    decide(run_json, ALL[:2])
    code, body = run_json(*APPLY)
    assert code == 0
    assert "results" not in body
    assert body["withheld"]
    assert "Results withheld" in run(*APPLY).stdout
    # Decided is not over: any of it can still be replaced.
    decide(run_json, ALL[2:])
    for required in ("none", "any", "all"):
        code, body = run_json(*APPLY, "--require", required)
        assert (code, "results" in body, "decisions" in body) == (0, False, False)
        assert SENTINEL not in run(*APPLY, "--require", required, "--json").stdout
    assert run_json("session", "complete", "s/round.json", "--reviewer", "ana")[0] == 0
    code, body = run_json(*APPLY, "--require", "all")
    assert (code, len(body["results"]), "withheld" in body) == (0, 5, False)
    assert "5 results" in run(*APPLY).stdout


def test_a_completion_that_no_host_stamped_gives_no_score_out(run_json, blind):
    decide(run_json, ALL)
    end = {**blind.events[-1], "metadata": {"name": "end"}}
    end["spec"] = {name: end["spec"][name] for name in ("sessionName", "occurredAt", "actor")} | {
        "eventType": "session-completed",
        "sequence": len(blind.events) + 1,
    }
    blind.chain([*blind.events, end])
    code, body = run_json(*APPLY)
    assert (code, "results" in body, bool(body["withheld"])) == (0, False, True)


def test_a_round_is_completed_once_and_when_nothing_is_open(run, run_json, session):
    complete = ["session", "complete", "s/round.json", "--reviewer", "ana"]
    decide(run_json, ALL[:4])
    before = session.bytes()
    code, body = run_json(*complete)
    assert (code, body["error"]["code"]) == (1, "unresolved-review-item")
    assert session.bytes() == before
    revision = decide(run_json, ALL[4:])
    stale = f"0:{'0' * 64}"
    assert run_json(*complete, "--expect", stale)[1]["error"]["code"] == "stale-revision"
    assert run_json(*complete, "--expect", "0:x")[1]["error"]["code"] == "usage"
    code, body = run_json(*complete, "--expect", revision)
    assert code == 0
    assert run_json("session", "show", "s/round.json")[1]["completed"] is True
    assert "completed" in run("session", "show", "s/round.json").stdout.splitlines()[0]
    assert run_json("session", "attest", "s/round.json", "--expect", body["revision"])[0] == 0
    before = session.bytes()
    for again in (complete, [*DECIDE, "--item", "single", "reject", "--replace"]):
        code, body = run_json(*again)
        assert (code, body["error"]["code"]) == (1, "event-after-completion")
    assert session.bytes() == before


def test_a_decision_of_the_snapshot_that_is_refused_is_not_counted(run, session, tmp_path):
    document = session.document
    document["snapshot"]["decisionsByItemName"] = {
        "single": "accept-proposed",
        "rivals": "select-proposed",
    }
    del document["queueBinding"]
    write_json(tmp_path / "old.json", document | {"events": []})
    result = run("session", "apply", "old.json", "--allow-seeded")
    assert result.exit_code == 1
    assert "invalid-conflict-selection" in result.stdout
    assert "4 to review, 1 accepted" in result.stdout


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    "command",
    [
        ["show", "s/round.json"],
        ["decide", "s/round.json", "--item", "twin-2", "accept"],
        ["complete", "s/round.json"],
        ["apply", "s/round.json"],
        ["attest", "s/round.json"],
        ["audit", "s/round.json", "s/a.json", "--rate", "1", "--seed", "s"],
        ["pack", "s/round.json", "s/p.json"],
        ["new", "s/new.json", "--queue", "items.json"],
    ],
    ids=lambda command: command[0],
)
def test_every_session_command_takes_larger_and_smaller_caps(run_json, command):
    decide(run_json, [*ALL[:4], {"item": "twin-2", "decision": "accept"}])
    for cap in ("--max-items", "--max-events"):
        if cap == "--max-events" and command[0] == "new":
            continue
        code, body = run_json("session", *command, cap, "4")
        assert code == 1
        assert body["error"]["code"] in {
            "queue-malformed",
            "session-malformed",
            "RUN_FILE_TOO_LARGE",
            "import-too-large",
        }
    larger = ["--max-items", "100000", "--max-events", "800000", "--max-bytes", str(1 << 30)]
    extra = ["--replace"] if command[0] == "decide" else []
    assert run_json("session", *command, *larger, *extra)[0] == 0
    for cap, most in (("--max-items", "100001"), ("--max-events", "800001")):
        assert run_json("session", *command, cap, most)[0] == 2


def test_more_items_than_by_default(run_json, tmp_path):
    items = [review_item(f"i-{at}", f"f-{at}", candidate("c", at)) for at in range(10_001)]
    write_json(tmp_path / "many.json", items)
    assert run_json("session", "new", "r.json", "--queue", "many.json")[0] == 1
    caps = ["--max-items", "10001"]
    assert run_json("session", "new", "r.json", "--queue", "many.json", *caps)[0] == 0
    assert run_json("session", "show", "r.json")[0] == 1
    code, body = run_json("session", "decide", "r.json", "--field", "f-10000", "accept", *caps)
    assert (code, body["eventsWritten"]) == (0, 2)
    assert len(run_json("session", "apply", "r.json", *caps)[1]["results"]) == 1
    assert run_json("session", "pack", "r.json", "p.json", *caps)[0] == 0
    assert run_json("session", "convert", "p.json", "again.json")[0] == 1
    assert run_json("session", "convert", "p.json", "again.json", *caps)[0] == 0


@pytest.mark.usefixtures("session")
def test_a_log_in_the_place_of_its_session_is_told_apart(run_json):
    code, body = run_json("session", "show", "s/round.events.jsonl")
    assert (code, body["error"]["code"]) == (1, "session-malformed")
    assert body["error"]["details"]["session"] == "s/round.json"


@pytest.mark.parametrize(
    "conditions",
    [
        {"presentation": {"scoreBlind": "true"}},
        {"sampling": {"kind": "random-audit", "rate": 1, "seed": "s"}},
    ],
    ids=["presentation", "a sighted audit"],
)
def test_conditions_out_of_shape_are_refused_by_every_command(run_json, session, conditions):
    session.edit(lambda document: document["snapshot"].update(conditions))
    for command in COMMANDS.values():
        code, body = run_json(*command)
        assert (code, body["error"]["code"]) == (1, "invalid-session-conditions")


def test_an_unverified_queue_gives_a_warning(run, run_json, opened):
    run_json("session", "new", "r.json", "--queue", opened.queue)
    _, body = run_json("session", "apply", "r.json")
    assert [one["code"] for one in body["warnings"]] == ["unverified-extraction-queue"]
    assert "Unverified queue" in run("session", "apply", "r.json").stdout


def test_every_check_of_an_untouched_session_passes(run, run_json, imported):
    name = imported.names[0]
    assert run_json(*DECIDE, "--item", name, "accept")[0] == 0
    code, body = run_json(*ATTEST)
    assert code == 0
    assert states(body) == {
        "log": "chained",
        "binding": "bound",
        "import": "attested",
        "events": "valid",
    }
    lines = run(*ATTEST).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["log", "binding", "import", "events", "revision"]


def test_a_log_that_lost_its_end_is_seen_against_the_noted_revision(run_json, session):
    run_json(*DECIDE, "--item", "single", "accept")
    whole = session.log.read_bytes()
    _, body = run_json(*DECIDE, "--item", "twin-1", "accept")
    noted = body["revision"]
    assert states(run_json(*ATTEST, "--expect", noted)[1])["revision"] == "expected"
    session.log.write_bytes(whole)
    assert run_json(*ATTEST)[0] == 0
    code, body = run_json(*ATTEST, "--expect", noted)
    assert (code, body["error"]["code"]) == (1, "stale-revision")


def test_one_check_that_fails_hides_no_other(run, run_json, imported):
    imported.edit(lambda document: document["snapshot"]["items"].pop())
    imported.log.write_bytes(b"{}\n")
    code, body = run_json(*ATTEST)
    assert code == 1
    assert states(body) == {"log": "broken", "binding": "differs", "import": "diverges"}
    assert body["error"]["code"] == "RUN_EVENTS_BROKEN"
    text = run(*ATTEST).stdout
    assert "item-removed" in text
    assert "item-missing-from-queue" in text


def test_items_of_an_import_that_is_not_stored_do_not_attest(run_json, opened):
    run_json("session", "new", "r.json", "--queue", opened.queue)
    code, body = run_json("session", "attest", "r.json")
    assert (code, states(body)["import"], body["error"]["code"]) == (1, "unverified", "unverified")


AUDIT = ["session", "audit", "s/round.json", "s/audit.json"]
DRAW = ["--rate", "0.3", "--seed", "2026-Q1"]


def test_an_audit_is_blind_bare_and_attests_by_drawing_again(run_json, imported):
    name = imported.names[0]
    assert run_json(*DECIDE, "--item", name, "accept", "--note", "sure")[0] == 0
    code, body = run_json(*AUDIT, *DRAW, "--reviewer-of-record", "ben")
    assert (code, body["of"], body["scoreBlind"]) == (0, 60, True)
    assert (body["name"], body["attestation"]) == ("review-workbench-session-audit", "attested")
    audit = Stored(imported.path.with_name("audit.json"))
    _, drawn = run_json("audit-sample", "round/review-queue.json", *DRAW)
    assert audit.names == drawn["drawn"]
    snapshot = audit.document["snapshot"]
    assert (snapshot["actorId"], snapshot["decisionsByItemName"]) == ("ben", {})
    assert "sure" not in audit.path.read_text()
    assert run_json("session", "attest", "s/audit.json")[0] == 0


def test_an_item_taken_out_of_an_audit_is_missed(run_json, imported):
    run_json(*AUDIT, *DRAW)
    audit = Stored(imported.path.with_name("audit.json"))

    def forge(document):
        document["snapshot"]["items"].pop()
        document["queueBinding"] = bind_review_queue(
            document["snapshot"], session_name=document["session"]["metadata"]["name"], bound_at="t"
        )

    audit.edit(forge)
    code, body = run_json("session", "attest", "s/audit.json")
    assert (code, body["error"]["code"]) == (1, "item-missing-from-queue")


@pytest.mark.usefixtures("imported")
def test_an_audit_is_not_audited(run_json):
    run_json(*AUDIT, *DRAW)
    code, body = run_json("session", "audit", "s/audit.json", "s/b.json", *DRAW)
    assert (code, body["error"]["code"]) == (1, "audit-options-invalid")


@pytest.mark.parametrize(
    ("draw", "code"),
    [
        (["--rate", "0", "--seed", "s"], "audit-options-invalid"),
        (["--rate", "1", "--seed", ""], "audit-options-invalid"),
        (["--rate", "0.0001", "--seed", "s"], "audit-sample-empty"),
    ],
)
def test_a_draw_that_is_none(run_json, session, draw, code):
    before = session.bytes()
    exit_code, body = run_json(*AUDIT, *draw)
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert session.bytes() == before


def test_packed_and_converted_a_session_is_the_same(run_json, imported, tmp_path):
    decide(run_json, [{"item": imported.names[0], "decision": "accept"}], "--reviewer", "ana")
    code, body = run_json("session", "pack", "s/round.json", "packed.json")
    assert (code, body["events"], len(body["revision"])) == (0, 2, 32)
    packed = json.loads((tmp_path / "packed.json").read_bytes())
    assert packed["events"] == imported.events
    code, again = run_json("session", "convert", "packed.json", "again.json")
    assert (code, again["events"]) == (0, 2)
    stored = Stored(tmp_path / "again.json")
    assert stored.path.read_bytes() == imported.path.read_bytes()
    assert stored.log.read_bytes() == imported.log.read_bytes()
    _, first = run_json(*APPLY)
    for name in ("packed.json", "again.json"):
        assert run_json("session", "apply", name)[1]["results"] == first["results"]


@pytest.mark.usefixtures("imported")
def test_a_packed_session_attests_without_a_chain(run_json):
    run_json("session", "pack", "s/round.json", "packed.json")
    code, body = run_json("session", "attest", "packed.json")
    assert (code, states(body)["log"], states(body)["binding"]) == (0, "none", "bound")


@pytest.mark.usefixtures("session")
def test_a_session_without_a_binding_is_bound_when_it_is_converted(run_json, tmp_path):
    run_json("session", "pack", "s/round.json", "packed.json")
    document = json.loads((tmp_path / "packed.json").read_bytes())
    del document["queueBinding"]
    document["kept"] = {"by": "others"}
    write_json(tmp_path / "packed.json", document)
    assert states(run_json("session", "attest", "packed.json")[1])["binding"] == "unbound"
    assert run_json("session", "convert", "packed.json", "own.json")[0] == 0
    assert states(run_json("session", "attest", "own.json")[1])["binding"] == "bound"
    assert Stored(tmp_path / "own.json").document["kept"] == {"by": "others"}


def test_a_session_of_ours_is_not_converted(run_json, session):
    before = session.bytes()
    code, body = run_json("session", "convert", "s/round.json", "s/c.json")
    assert (code, body["error"]["code"]) == (1, "session-malformed")
    assert session.bytes() == before


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("command", ["pack", "convert", "audit"])
def test_nothing_that_stands_there_is_replaced(run_json, tmp_path, command):
    run_json("session", "pack", "s/round.json", "packed.json")
    source = "packed.json" if command == "convert" else "s/round.json"
    (tmp_path / "there.json").write_text("mine")
    draw = ["--rate", "1", "--seed", "s"] if command == "audit" else []
    code, body = run_json("session", command, source, "there.json", *draw)
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert (tmp_path / "there.json").read_text() == "mine"
    assert not (tmp_path / "there.events.jsonl").exists()


@pytest.mark.usefixtures("session")
def test_a_log_that_stands_there_is_not_replaced(run_json, tmp_path):
    (tmp_path / "there.events.jsonl").write_text("mine")
    code, body = run_json("session", "new", "there.json", "--queue", "items.json")
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert (tmp_path / "there.events.jsonl").read_text() == "mine"
    assert not (tmp_path / "there.json").exists()


def test_a_stamp_of_the_reference_system_is_read(run_json, session):
    decide(run_json, ALL[:1], "--reviewer", "ana")
    events = session.events
    for event in events:
        producer = event["metadata"]["producer"]
        producer["fieldwork.kontourai.io/review-attribution"] = producer.pop(STAMP)
    session.chain(events)
    assert run_json(*APPLY)[1]["attributions"] == {"single": "event"}
