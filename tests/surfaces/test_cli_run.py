"""survey-fast run: run directories, an ordered list with contained failures, what comes next.

Rows 1 to 3, 6, 10, 17 and 20 of the edge table of runs, as far as a command line goes; the others
about making runs are in ``tests/unit/runs/test_make.py``. Left: 18 and 19, which are about a store
of snapshots.
"""

import errno
import json
import os
import shlex
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.extraction.conftest import ModelServer

from survey_fast.cli.output import Output
from survey_fast.review.attribution import Reviewer
from survey_fast.runs.append import Host, decide_run
from survey_fast.runs.verify import verify_run

EXAMPLES = Path(__file__).parents[1] / "vectors/fieldwork-examples/examples"
GENERIC = "run-ee0f5783bcfa2891"
HOST = Host(Reviewer.named("ana"), "2026-01-31T10:00:00.000Z")


@pytest.fixture
def inputs(tmp_path):
    """The smallest published task and its source, in the working folder."""
    for name in ("task.json", "source.txt"):
        shutil.copy(EXAMPLES / "generic" / name, tmp_path / name)
    return ["run", "--task", "task.json", "--source", "source.txt"]


@pytest.fixture
def edited(tmp_path, inputs):
    """The same with another task."""

    def edited(change):
        task = json.loads((tmp_path / "task.json").read_bytes())
        change(task["spec"])
        (tmp_path / "task.json").write_text(json.dumps(task))
        return inputs

    return edited


def test_a_run_is_made_below_the_default_root_out_of_version_control(run_json, inputs, tmp_path):
    code, body = run_json(*inputs)
    assert code == 0
    path = tmp_path / ".survey-fast/runs" / GENERIC
    assert body["runDirectory"] == f".survey-fast/runs/{GENERIC}"
    assert body["runResource"] == "survey-fast-run:v1:generic-record:ee0f5783bcfa2891"
    assert (body["runId"], body["reused"]) == ("ee0f5783bcfa2891", False)
    assert (body["proposalCount"], body["itemCount"], body["outcome"]) == (
        *(1, 1, {"status": "success"}),
    )
    assert body["disclosures"]["findings"] == []
    assert (tmp_path / ".survey-fast/runs/.gitignore").read_text() == "*\n"
    verified = verify_run(path).run
    assert verified.revision == body["revision"]
    assert verified.manifest.created_at == "2026-01-31T09:00:00.000Z"


def test_the_text_says_where_it_is_and_what_comes_next(run, inputs):
    shown = run(*inputs, "--root", "my runs")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert "source.txt: 1 proposal, 1 item to review" in shown.stdout
    for word in ("decide", "verify", "export"):
        assert f"  survey-fast {word} 'my runs/{GENERIC}'\n" in shown.stdout


def test_what_comes_next_can_be_typed_as_it_is_shown(run, inputs):
    shown = run(*inputs).stdout
    steps = [shlex.split(line) for line in shown.splitlines() if line.startswith("  survey-fast ")]
    assert [step[1] for step in steps] == ["decide", "verify", "export"]
    open_items, verified, exported = (run(*step[1:]) for step in steps)
    assert "record.status" in open_items.stdout
    assert (open_items.exit_code, verified.exit_code) == (0, 0)
    # Nothing is decided yet.
    assert exported.exit_code == 1
    assert "EXPORT_UNDECIDED" in exported.stderr


def test_a_root_that_was_there_is_left_as_it_is(run_json, inputs, tmp_path):
    (tmp_path / "runs").mkdir()
    assert run_json(*inputs, "--root", "runs")[0] == 0
    assert [one.name for one in (tmp_path / "runs").iterdir()] == [GENERIC]


@pytest.mark.parametrize("root", [[], ["--root", ".survey-fast/runs"]])
@pytest.mark.parametrize("theirs", [None, "", "!keep\n"])
def test_the_default_root_is_kept_out_of_version_control_unless_it_says_what_is_to_be(
    run_json, inputs, tmp_path, root, theirs
):
    ignored = tmp_path / ".survey-fast/runs/.gitignore"
    ignored.parent.mkdir(parents=True)
    if theirs is not None:
        ignored.write_text(theirs)
    assert run_json(*inputs, *root)[0] == 0
    assert ignored.read_text() == ("*\n" if theirs is None else theirs)


def test_a_root_that_is_made_for_nothing_goes_again(run_json, inputs, tmp_path, monkeypatch):
    before = sorted(one.name for one in tmp_path.iterdir())
    genuine = os.replace

    def failing(source, target, **options):
        if Path(target).name == GENERIC:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return genuine(source, target, **options)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        code, body = run_json(*inputs, "--root", "new/runs")
    assert (code, body["error"]["code"]) == (1, "STORAGE_FAILED")
    assert sorted(one.name for one in tmp_path.iterdir()) == before
    assert run_json(*inputs, "--root", "new/runs")[0] == 0


def test_a_source_that_cannot_be_read_is_told_and_the_others_have_their_runs(
    run_json, inputs, tmp_path, unreadable
):
    (tmp_path / "other.txt").write_text("x")
    unreadable("other.txt")
    code, body = run_json(*inputs[:3], "--source", "other.txt", "--source", "source.txt")
    assert code == 1
    first, second = body["items"]
    assert first["error"]["code"] == "STORAGE_FAILED"
    assert "other.txt" in first["error"]["message"]
    assert second["run"]["runId"] == GENERIC.removeprefix("run-")
    unreadable("task.json")
    code, body = run_json(*inputs)
    assert (code, body["error"]["code"]) == (1, "STORAGE_FAILED")


def test_row_6_an_identical_rerun_is_reused_and_says_so(run, run_json, inputs, tmp_path):
    run_json(*inputs)
    path = tmp_path / ".survey-fast/runs" / GENERIC
    item = verify_run(path).run.state["items"][0]["metadata"]["name"]
    assert decide_run(path, [{"item": item, "decision": "accept"}], HOST).ok
    before = {one.name: one.read_bytes() for one in path.iterdir()}
    code, body = run_json(*inputs)
    assert (code, body["reused"], body["revision"].partition(":")[0]) == (0, True, "2")
    shown = run(*inputs).stdout
    assert "made before" in shown
    assert "2 events" in shown
    assert {one.name: one.read_bytes() for one in path.iterdir()} == before


def test_another_run_of_the_same_gets_the_number_it_is_given(run_json, inputs):
    first = run_json(*inputs)[1]
    second = run_json(*inputs, "--again", 2)[1]
    assert second["runId"] != first["runId"]
    assert second["reused"] is False
    assert run_json(*inputs, "--again", 2)[1]["reused"] is True


def test_a_score_blind_round_is_stored_as_one(run_json, inputs, tmp_path):
    _, body = run_json(*inputs, "--score-blind")
    queue = json.loads((tmp_path / body["runDirectory"] / "review-queue.json").read_bytes())
    assert queue["presentation"] == {"scoreBlind": True}
    code, body = run_json(*inputs)
    assert (code, body["error"]["code"]) == (1, "RUN_EXISTS_DIFFERENT")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (
            lambda spec: spec["projections"][0].update(fieldPath="no.such"),
            "/spec/projections/0/fieldPath",
        ),
        (
            lambda spec: spec["projections"].append(spec["projections"][0]),
            "/spec/projections/1/fieldPath",
        ),
        (
            lambda spec: spec["projections"][0].update(pattern="Status: ((a+)+)$"),
            "/spec/projections/0/pattern",
        ),
    ],
    ids=["row 1 undeclared path", "row 2 one path twice", "row 3 another pattern"],
)
def test_rows_1_to_3_a_wrong_task_is_refused_and_nothing_is_made(
    run_json, edited, tmp_path, change, pointer
):
    code, body = run_json(*edited(change))
    assert (code, body["error"]["code"], body["error"]["pointer"]) == (1, "INVALID_TASK", pointer)
    assert not (tmp_path / ".survey-fast").exists()


def test_row_10_a_failed_extraction_stores_nothing(run_json, edited, tmp_path):
    number = edited(lambda spec: spec["traverse"]["targetSchema"][0].update(type="number"))
    code, body = run_json(*number)
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")
    assert body["error"]["details"]["path"] == "source.txt"
    assert not (tmp_path / ".survey-fast").exists()


@pytest.mark.parametrize(
    "missing", [["--task", "task.json"], ["--source", "source.txt"]], ids=["source", "task"]
)
@pytest.mark.usefixtures("inputs")
def test_row_17_a_run_needs_a_task_and_a_source(run_json, missing):
    code, body = run_json("run", *missing)
    assert (code, body["error"]["code"]) == (2, "usage")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--again", "0"],
        ["--again", "x"],
        ["--model", "gpt-x"],
        ["--provider", "nobody"],
        ["--provider", "openai"],
        [word for _ in range(128) for word in ("--source", "source.txt")],
        ["--max-items", "0"],
    ],
    ids=["again 0", "again x", "model", "provider", "no model", "129 sources", "items"],
)
def test_wrong_usage_makes_nothing(run_json, inputs, tmp_path, wrong):
    code, body = run_json(*inputs, *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert not (tmp_path / ".survey-fast").exists()


def test_row_20_a_list_keeps_its_order_and_contains_a_failure(run, run_json, inputs, tmp_path):
    (tmp_path / "other.txt").write_text("Status: other\n")
    listed = [*inputs, "--source", "gone.txt", "--source", "other.txt"]
    code, body = run_json(*listed)
    assert (code, body["succeeded"], body["failed"]) == (1, 2, 1)
    assert [(one["id"], one["source"], one["ok"]) for one in body["items"]] == [
        ("source-1", "source.txt", True),
        ("source-2", "gone.txt", False),
        ("source-3", "other.txt", True),
    ]
    assert body["items"][1]["error"]["code"] == body["error"]["code"] == "file-not-found"
    assert body["items"][0]["run"]["runId"] == "ee0f5783bcfa2891"
    shown = run(*listed)
    assert shown.exit_code == 1
    assert "gone.txt: file-not-found" in shown.stdout
    assert "likewise for the other 1" in shown.stdout


def test_a_list_in_which_all_went_well_exits_0(run_json, inputs, tmp_path):
    (tmp_path / "other.txt").write_text("Status: other\n")
    code, body = run_json(*inputs, "--source", "other.txt")
    assert (code, body["succeeded"], body["failed"]) == (0, 2, 0)


@pytest.mark.usefixtures("inputs")
def test_a_list_of_failures_only_says_nothing_about_what_comes_next(run):
    shown = run("run", "--task", "task.json", "--source", "x.txt", "--source", "y.txt")
    assert shown.exit_code == 1
    assert "Next" not in shown.stdout


def test_a_part_of_a_text_is_a_notice_and_no_failure(run, run_json, inputs, tmp_path):
    (tmp_path / "source.txt").write_text("Status: active\n" + "x" * 300)
    part = [*inputs, "--chunk-size", 100, "--chunk-overlap", 0, "--max-chunks", 1]
    code, body = run_json(*part)
    assert (code, body["outcome"]) == (0, {"status": "partial", "reason": "max-chunks"})
    shown = run(*part, "--again", 2)
    assert shown.exit_code == 0
    assert "read only in part (max-chunks)" in shown.stdout


def test_what_must_not_leave_is_told_by_rule_and_place(run, run_json, inputs, tmp_path):
    (tmp_path / "source.txt").write_text("Status: see /home/ana/status.txt\n")
    code, body = run_json(*inputs)
    assert code == 0
    (first, *_) = body["disclosures"]["findings"]
    shown = run(*inputs)
    assert shown.exit_code == 0
    assert f"{first['rule']} at {first['pointer']}" in shown.stdout
    assert "/home/ana" not in shown.stdout


OWN = """
def propose(request):
    print("this goes to standard error")
    line = request.content.splitlines()[0]
    return [{"fieldPath": "record.status", "candidateValue": line.split(": ")[1], "excerpt": line}]


def interrupted(request):
    raise KeyboardInterrupt
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module in the working folder, under a name that no other test uses."""
    name = f"own_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_function_of_the_user_is_recorded_and_draws_an_id(run, inputs, own, tmp_path):
    found = []
    for number in (1, 2):
        shown = run(*inputs, "--provider", f"{own}:propose", "--again", number, "--json")
        assert shown.exit_code == 0
        path = tmp_path / json.loads(shown.stdout)["runDirectory"]
        provider = json.loads((path / "run.json").read_bytes())["provider"]
        assert provider == {
            "kind": "python",
            "name": "function:propose",
            "options": {"again": number, "function": f"{own}:propose"},
        }
        envelope = json.loads((path / "extraction-envelope.json").read_bytes())
        found.append(envelope["result"]["runId"])
    assert found[0] != found[1]


def test_an_interruption_ends_the_command_and_makes_nothing(run, inputs, own, tmp_path):
    assert run(*inputs, "--provider", f"{own}:interrupted").exit_code == 130
    assert not (tmp_path / ".survey-fast").exists()


@pytest.fixture
def model():
    started = ModelServer()
    yield started
    started.close()


def completion(proposals):
    written = json.dumps({"proposals": proposals})
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "submit_extraction_proposals", "arguments": written},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "model": "small-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"total_tokens": 42},
    }


def test_a_model_is_recorded_without_its_key(run_json, inputs, model, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sesame")
    found = {"fieldPath": "record.status", "value": "Active", "excerpt": "Status: Active"}
    model.answers(completion([found]))
    asked = [*inputs, "--provider", "openai", "--model", "small", "--base-url", model.url]
    asked += ["--key-env", "MY_KEY", "--retries", 2, "--timeout", 9, "--concurrency", 2]
    code, body = run_json(*asked)
    assert (code, body["proposalCount"]) == (0, 1)
    assert model.headers[0][1]["Authorization"] == "Bearer sesame"
    path = tmp_path / body["runDirectory"]
    provider = json.loads((path / "run.json").read_bytes())["provider"]
    assert (provider["kind"], provider["model"]) == ("openai", "small")
    assert provider["options"] == {"baseUrl": model.url}
    stored = b"".join(one.read_bytes() for one in path.iterdir())
    assert b"sesame" not in stored + json.dumps(body).encode()
    # What only says how long to wait and how often to try makes no other run.
    assert run_json(*inputs, *asked[len(inputs) : -6])[1]["reused"] is True
    assert len(model.asked) == 1


def test_the_bar_is_told_of_every_chunk(run, inputs, monkeypatch):
    told = []

    @contextmanager
    def counting(_, label):
        yield lambda done, total: told.append((label, done, total))

    monkeypatch.setattr(Output, "counting", counting)
    assert run(*inputs, "--chunk-size", 10, "--chunk-overlap", 0).stderr == ""
    assert told == [("reading source.txt", 1, 2), ("reading source.txt", 2, 2)]


# What a newcomer would otherwise not see


FIELDS = [("fee", "Annual fee", "number"), ("day", "Renewal date", "date")]
TEXT = "Annual fee: 48000\nRenewal date: soon\nAnnual fee: 52500\n"


@pytest.fixture
def terms(tmp_path):
    """A task of a fee, a day and line items, and a source in which the fee stands twice."""
    fields = [*FIELDS, ("lineItems[]", "Line item", "string")]
    claim = json.loads((EXAMPLES / "generic/task.json").read_bytes())["spec"]["projections"][0]
    task = {
        "apiVersion": "fieldwork.kontourai.io/v1alpha1",
        "kind": "FieldworkTask",
        "metadata": {"name": "terms"},
        "spec": {
            "traverse": {
                "version": "1",
                "targetSchema": [{"path": path, "type": kind} for path, _, kind in fields],
            },
            "projections": [
                {**claim, "fieldPath": path, "pattern": f"{label}: ([^\\n]+)"}
                for path, label, _ in fields
            ],
        },
    }
    (tmp_path / "terms.json").write_text(json.dumps(task))
    (tmp_path / "terms.txt").write_text(TEXT)
    return ["run", "--task", "terms.json", "--source", "terms.txt"]


def test_offline_says_what_it_passed_over_and_who_does_not(run, run_json, terms):
    for _ in ("made", "there already"):
        shown = run(*terms)
        assert shown.exit_code == 0
        assert 'not read: 1 further place of "Annual fee:" at chars:37-54' in shown.stdout
        assert "--provider pattern" in shown.stdout
    assert [one["count"] for one in run_json(*terms)[1]["unreadLabels"]] == [1]


def test_pattern_takes_every_place_as_a_rival_or_a_row(run, run_json, terms, tmp_path):
    (tmp_path / "terms.txt").write_text(f"{TEXT}Line item: a\nLine item: b\nLine item: a\n")
    asked = [*terms, "--provider", "pattern"]
    code, body = run_json(*asked)
    assert (code, body["proposalCount"], body["itemCount"], body["conflicts"]) == (0, 6, 5, 1)
    assert "unreadLabels" not in body
    path = tmp_path / body["runDirectory"]
    assert json.loads((path / "run.json").read_bytes())["provider"] == {
        "kind": "pattern",
        "name": "survey-fast-every-label-v1",
        "options": {},
    }
    assert "1 of them in conflict" in run(*asked).stdout
    # A function of its input: somewhere else it is the same run with the same items.
    elsewhere = run_json(*asked, "--root", "others")[1]
    assert elsewhere["runId"] == body["runId"]
    names = [
        (one / "extraction-envelope.json").read_bytes()
        for one in (path, tmp_path / elsewhere["runDirectory"])
    ]
    assert names[0] == names[1]
    assert run("verify", path).exit_code == 0


def test_a_value_that_is_no_date_is_told_without_its_words(run, run_json, terms):
    assert run_json(*terms)[1]["misfits"][0]["schema"] == "format-invalid"
    shown = run(*terms).stdout
    assert "day at chars:18-36 is no date; accepted, it is disputed" in shown
    assert "soon" not in shown


def test_a_value_that_cannot_be_read_is_told_by_field_label_line_and_text(
    run, run_json, terms, tmp_path
):
    (tmp_path / "terms.txt").write_text("Terms\nAnnual fee: EUR 48,000\n")
    code, body = run_json(*terms)
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")
    assert body["error"]["details"] == {
        "fieldPath": "fee",
        "label": "Annual fee",
        "type": "number",
        "locator": "chars:6-28",
        "text": "EUR 48,000",
        "line": 2,
        "path": "terms.txt",
    }
    shown = run(*terms).stderr
    assert "fee" in shown
    assert "'Annual fee'" in shown
    assert "terms.txt, line 2" in shown
    assert '"EUR 48,000"' in shown
    assert run_json(*terms, "--provider", "pattern")[0] == 0


def test_a_label_that_a_page_sets_in_bold_is_told(run, terms, tmp_path):
    (tmp_path / "terms.html").write_text(
        "<body><p><b>Annual fee:</b> 5</p><p>Renewal date: 2027-04-01</p></body>"
    )
    shown = run(*terms[:-1], "terms.html").stdout
    assert 'not read: "Annual fee:"' in shown
    assert "written otherwise" in shown


def test_a_run_in_which_nothing_was_found_leads_nowhere(run, run_json, terms, tmp_path):
    (tmp_path / "terms.txt").write_text("nothing of the kind\n")
    code, body = run_json(*terms)
    assert (code, body["itemCount"]) == (0, 0)
    shown = run(*terms)
    assert "nothing to review" in shown.stdout
    assert "Next" not in shown.stdout


@pytest.mark.usefixtures("inputs")
def test_what_comes_next_is_about_a_run_with_something_to_decide(run, tmp_path):
    (tmp_path / "none.txt").write_text("nothing\n")
    shown = run("run", "--task", "task.json", "--source", "none.txt", "--source", "source.txt")
    steps = [line for line in shown.stdout.splitlines() if line.startswith("  survey-fast")]
    assert len(steps) == 3
    assert all(line.endswith(GENERIC) for line in steps)
    assert "likewise" not in shown.stdout


def test_a_run_that_is_there_tells_the_number_of_another(run, run_json, inputs):
    run_json(*inputs)
    assert "--again 2 makes another" in run(*inputs).stdout
    assert "again 2" in run(*inputs, "--again", 2).stdout
    assert "--again 3 makes another" in run(*inputs, "--again", 2).stdout
    assert run_json(*inputs, "--again", 2)[1]["again"] == 2
    refused = run(*inputs, "--score-blind")
    assert "RUN_EXISTS_DIFFERENT" in refused.stderr
    assert "--again 3 makes another" in refused.stderr


def test_a_source_that_is_given_twice_is_one_run_and_said_to_be(run, run_json, inputs, tmp_path):
    shutil.copy(tmp_path / "source.txt", tmp_path / "copy.txt")
    listed = [*inputs, "--source", "copy.txt", "--source", "source.txt"]
    code, body = run_json(*listed)
    assert (code, body["succeeded"]) == (0, 3)
    assert [one.get("sameAs") for one in body["items"]] == [None, "source-1", "source-1"]
    shown = run(*listed).stdout
    assert "copy.txt: its bytes are those of source.txt" in shown
    assert "source.txt: given twice" in shown
    assert "likewise" not in shown


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (["--task", "task.json", "source.txt"], "--source source.txt"),
        (["--task", "task.json", "a b.txt"], "--source 'a b.txt'"),
        (["--task", "task.json"], "--source FILE"),
        (["--task", "task.json", "--source", "source.txt", "x.txt"], "--source x.txt"),
    ],
)
@pytest.mark.usefixtures("inputs")
def test_a_word_that_stands_alone_is_answered_with_the_option(run, run_json, wrong, hint):
    code, body = run_json("run", *wrong)
    assert (code, body["error"]["code"]) == (2, "usage")
    assert hint in body["error"]["message"]
    assert hint in run("run", *wrong).stderr


@pytest.mark.parametrize("wrong", [["--sorce", "x"], ["--again", "x"], ["--task"]])
def test_other_wrong_usage_is_told_as_it_is(run, inputs, wrong):
    shown = run(*inputs, *wrong)
    assert shown.exit_code == 2
    assert "Give each source" not in shown.stderr


def test_what_must_not_leave_is_told_with_the_option_that_lets_it(run, inputs, tmp_path):
    (tmp_path / "source.txt").write_text("Status: see /home/ana/status.txt\n")
    shown = run(*inputs).stdout
    assert "--allow-disclosure RULE@POINTER" in shown
    assert "path-posix@/result/proposals/0/candidateValue" in shown


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ([], "--no-key"),
        (["--base-url", "http://example.com/v1"], "--allow-plain-http"),
        (["--base-url", "https://ana:key@example.com/v1"], "--key-env"),
    ],
)
def test_a_key_that_is_missing_is_answered_with_options(run, inputs, wrong, hint, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    shown = run(*inputs, "--provider", "openai", "--model", "m", *wrong)
    assert (shown.exit_code, hint in shown.stderr) == (1, True)


def test_bytes_that_do_not_decode_are_answered_with_options(run, inputs, tmp_path):
    (tmp_path / "source.txt").write_bytes(b"Status: \xff\n")
    shown = run(*inputs)
    assert (shown.exit_code, "--charset" in shown.stderr) == (1, True)
    assert "--errors replace" in shown.stderr
    (tmp_path / "source.txt").write_bytes(b"Status: \0\n")
    assert "--charset" not in run(*inputs).stderr
