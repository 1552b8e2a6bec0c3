"""survey-fast extract: files that import takes as they are, contained failures, every provider."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import sys
import threading
import time
from pathlib import Path

import pytest
from langextract import data_lib
from langextract.core.data import AnnotatedDocument, CharInterval, Extraction
from tests.unit.extraction.conftest import ModelServer

from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.cli import output as output_module
from survey_fast.cli.output import Output
from survey_fast.extraction.task import read_task

EXAMPLES = Path(__file__).parents[1] / "vectors/fieldwork-examples/examples"
FILES = ["extraction-envelope.json", "extraction-report.json", "prepared.txt", "targets.json"]


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def vendor_task(tmp_path):
    """A task and its source, in the working folder."""
    for name in ("task.json", "source.txt"):
        shutil.copy(EXAMPLES / "vendor-obligations" / name, tmp_path / name)
    return ["--task", "task.json"]


def test_four_files_are_written_and_import_takes_them(run, run_json, vendor_task, tmp_path):
    code, body = run_json("extract", "source.txt", *vendor_task, "--out", "ex")
    assert (code, body["extracted"], body["failed"]) == (0, 1, 0)
    assert listing(tmp_path / "ex") == FILES
    (one,) = body["sources"]
    assert (len(one["proposals"]), one["outcome"], one["notFound"]) == (
        7,
        {"status": "success"},
        [],
    )
    envelope = (tmp_path / "ex/extraction-envelope.json").read_bytes()
    assert envelope == canonical_json(envelope)
    assert one["digests"]["envelope"] == canonical_digest(envelope)
    assert (tmp_path / "ex/prepared.txt").read_bytes() == (tmp_path / "source.txt").read_bytes()
    report = (tmp_path / "ex/extraction-report.json").read_bytes()
    assert report == canonical_json(report) + b"\n"
    task = read_task((tmp_path / "task.json").read_bytes())
    assert json.loads((tmp_path / "ex/targets.json").read_bytes()) == task.claim_targets()
    shown = run("extract", "source.txt", *vendor_task, "--out", "ex").stdout
    (step,) = [text for text in shown.splitlines() if text.startswith("  survey-fast import")]
    code, body = run_json(*shlex.split(step)[1:])
    assert (code, body["provenance"], body["items"], body["excluded"]) == (0, "verified", 7, [])


def test_the_source_is_called_by_its_task_and_content(run_json, vendor_task, tmp_path):
    run_json("extract", "source.txt", *vendor_task, "--out", "a")
    (tmp_path / "other").mkdir()
    shutil.copy(tmp_path / "source.txt", tmp_path / "other/renamed.txt")
    run_json("extract", tmp_path / "other/renamed.txt", *vendor_task, "--out", "b")
    first, second = ((tmp_path / name / FILES[0]).read_bytes() for name in "ab")
    assert first == second
    source = json.loads(first)["source"]
    assert source["ref"].startswith("fieldwork-source:v1:vendor-renewal-review:")
    assert source["snapshotRef"] == source["ref"]
    assert str(tmp_path).encode() not in first


def test_the_instant_comes_from_the_clock_or_the_option(run_json, vendor_task, tmp_path):
    run_json("extract", "source.txt", *vendor_task, "--out", "a")
    given = ["--extracted-at", "2026-03-01T12:00:00+02:00"]
    run_json("extract", "source.txt", *vendor_task, "--out", "b", *given)
    found = [json.loads((tmp_path / name / FILES[0]).read_bytes()) for name in "ab"]
    assert [one["result"]["extractedAt"] for one in found] == [
        "2026-01-31T09:00:00.000Z",
        "2026-03-01T10:00:00.000Z",
    ]
    assert found[0]["result"]["runId"] == found[1]["result"]["runId"]


def test_without_a_folder_nothing_is_written(run, vendor_task, tmp_path):
    before = listing(tmp_path)
    shown = run("extract", "source.txt", *vendor_task)
    assert (shown.exit_code, listing(tmp_path)) == (0, before)
    assert "--out" in shown.stdout
    assert "Northstar" in shown.stdout
    assert "chars:" in shown.stdout


def test_the_same_extraction_again_keeps_what_is_there(run_json, vendor_task, tmp_path):
    arguments = ["extract", "source.txt", *vendor_task, "--out", "ex"]
    assert run_json(*arguments)[0] == 0
    before = {name: (tmp_path / "ex" / name).stat().st_ino for name in FILES}
    assert run_json(*arguments)[0] == 0
    assert {name: (tmp_path / "ex" / name).stat().st_ino for name in FILES} == before


def test_other_content_is_refused_and_replaced_only_by_force(run_json, vendor_task, tmp_path):
    arguments = ["extract", "source.txt", *vendor_task, "--out", "ex"]
    run_json(*arguments)
    before = {name: (tmp_path / "ex" / name).read_bytes() for name in FILES}
    (tmp_path / "source.txt").write_text("Vendor: Other\n")
    code, body = run_json(*arguments)
    assert (code, body["error"]["code"]) == (1, "file-exists")
    assert {name: (tmp_path / "ex" / name).read_bytes() for name in FILES} == before
    assert run_json(*arguments, "--force")[0] == 0
    assert (tmp_path / "ex/prepared.txt").read_text() == "Vendor: Other\n"


def test_several_sources_have_a_folder_each_and_one_failure_stops_no_other(
    run, run_json, vendor_task, tmp_path
):
    (tmp_path / "sub").mkdir()
    shutil.copy(tmp_path / "source.txt", tmp_path / "sub/source.txt")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe\xff")
    (tmp_path / "odd.txt").write_text("Annual renewal fee USD: many\n")
    sources = ["source.txt", "bad.txt", "odd.txt", "missing.txt", "sub/source.txt"]
    code, body = run_json("extract", *sources, *vendor_task, "--out", "all")
    assert (code, body["extracted"], body["failed"]) == (1, 2, 3)
    assert [one.get("error", {}).get("code") for one in body["sources"]] == [
        None,
        "INVALID_SOURCE",
        "EXTRACTION_FAILED",
        "file-not-found",
        None,
    ]
    assert [one["source"] for one in body["sources"]] == sources
    assert listing(tmp_path / "all") == ["source", "source-2"]
    assert listing(tmp_path / "all/source-2") == FILES
    result = run("extract", *sources, *vendor_task, "--out", "all")
    assert result.exit_code == 1
    assert "bad.txt: INVALID_SOURCE" in result.stdout


def test_a_failure_writes_nothing(run_json, vendor_task, tmp_path):
    (tmp_path / "source.txt").write_text("Annual renewal fee USD: many\n")
    code, body = run_json("extract", "source.txt", *vendor_task, "--out", "new/ex")
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")
    assert body["error"]["details"]["fieldPath"] == "commercial.annualFeeUsd"
    assert not (tmp_path / "new").exists()


def test_a_field_that_the_text_does_not_state_is_shown(run, run_json, vendor_task, tmp_path):
    (tmp_path / "source.txt").write_text("Vendor: Other\n")
    _, body = run_json("extract", "source.txt", *vendor_task)
    assert len(body["sources"][0]["notFound"]) == 6
    assert "renewal.noticeDays" in run("extract", "source.txt", *vendor_task).stdout


def test_a_capped_extraction_is_written_and_says_that_it_is_partial(run, run_json, vendor_task):
    sizes = ["--chunk-size", "100", "--chunk-overlap", "0", "--max-chunks", "1"]
    code, body = run_json("extract", "source.txt", *vendor_task, *sizes, "--out", "ex")
    assert code == 0
    assert body["sources"][0]["outcome"] == {"status": "partial", "reason": "max-chunks"}
    assert body["sources"][0]["partial"]["remainingChunks"] == 7
    assert "max-chunks" in run("extract", "source.txt", *vendor_task, *sizes).stdout


def test_the_extension_or_the_option_says_what_a_source_is(run_json, vendor_task, tmp_path):
    (tmp_path / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nVendor: Other\n")
    run_json("extract", "a.vtt", *vendor_task, "--out", "a")
    assert (tmp_path / "a/prepared.txt").read_text() == "Vendor: Other"
    report = json.loads((tmp_path / "a/extraction-report.json").read_bytes())
    assert report["cueOffsets"][0]["cueStart"] == 1000
    run_json("extract", "a.vtt", *vendor_task, "--content-type", "text", "--out", "b")
    assert (tmp_path / "b/prepared.txt").read_text().startswith("WEBVTT")


def test_a_task_that_does_not_hold_is_refused_before_any_source(run_json, vendor_task, tmp_path):
    task = json.loads((tmp_path / "task.json").read_bytes())
    task["spec"]["projections"].pop()
    (tmp_path / "task.json").write_bytes(canonical_json(task))
    code, body = run_json("extract", "source.txt", *vendor_task, "--out", "ex")
    assert (code, body["error"]["code"]) == (1, "INVALID_TASK")
    assert body["error"]["details"]["path"] == "task.json"
    assert not (tmp_path / "ex").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--task", "task.json"],
        ["source.txt"],
        ["source.txt", "--task", "task.json", "--provider", "openai"],
        ["source.txt", "--task", "task.json", "--provider", "nobody"],
        ["source.txt", "--task", "task.json", "--provider", "no_such_module:f"],
        ["source.txt", "--task", "task.json", "--provider", "json:no_such_name"],
        ["source.txt", "--task", "task.json", "--provider", "json:__doc__"],
        ["source.txt", "--from-langextract", "x.jsonl"],
        ["source.txt", "--task", "task.json", "--max-chunks", "0"],
        ["source.txt", "--task", "task.json", "--content-type", "png"],
    ],
    ids=range(10),
)
@pytest.mark.usefixtures("vendor_task")
def test_wrong_usage_is_explained(run, run_json, arguments):
    code, body = run_json("extract", *arguments)
    assert (code, body["error"]["code"]) == (2, "usage")
    result = run("extract", *arguments)
    assert (result.exit_code, "Traceback" in result.output) == (2, False)


OWN = """
def propose(request):
    start = request.content.find("Vendor: ")
    if start < 0:
        return []
    line = request.content[start:].split("\\n")[0]
    return [
        {"fieldPath": "vendor.name", "candidateValue": line[8:], "excerpt": line},
        {"fieldPath": "vendor.name", "candidateValue": "x", "excerpt": "words of nobody"},
    ]

def broken(request):
    raise TimeoutError("slow")

def interrupted(request):
    raise KeyboardInterrupt

class Provider:
    name = "own:v1"
    capabilities = None
    def extract(self, request):
        from survey_fast.extraction.providers.function import output_of
        return output_of(propose(request), self.name)

provider = Provider()
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module in the working folder, under a name that no other test uses."""
    name = f"own_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


@pytest.mark.parametrize("name", ["propose", "provider"])
def test_a_function_or_provider_of_the_user_is_asked(run, run_json, vendor_task, own, name):
    arguments = ["extract", "source.txt", *vendor_task, "--provider", f"{own}:{name}"]
    code, body = run_json(*arguments)
    (one,) = body["sources"]
    assert (code, [found["value"] for found in one["proposals"]]) == (0, ["Northstar Analytics"])
    assert one["dropped"] == [
        {"chunk": 1, "count": 1, "fieldPath": "vendor.name", "reason": "excerpt-not-found"}
    ]
    assert "excerpt-not-found" in run(*arguments).stdout


def test_a_provider_that_fails_is_a_failed_extraction(run_json, vendor_task, own, tmp_path):
    asked = ["--provider", f"{own}:broken", "--out", "ex"]
    code, body = run_json("extract", "source.txt", *vendor_task, *asked)
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")
    assert body["error"]["details"]["code"] == "provider-failure"
    assert not (tmp_path / "ex").exists()


def test_an_interruption_ends_the_command_and_writes_nothing(run, vendor_task, own, tmp_path):
    asked = ["--provider", f"{own}:interrupted", "--out", "ex"]
    assert run("extract", "source.txt", *vendor_task, *asked).exit_code == 130
    assert not (tmp_path / "ex").exists()


@pytest.fixture
def model():
    started = ModelServer()
    yield started
    started.close()


def completion(proposals):
    call = {
        "id": "1",
        "type": "function",
        "function": {
            "name": "submit_extraction_proposals",
            "arguments": json.dumps({"proposals": proposals}),
        },
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "model": "small-1",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        "usage": {"total_tokens": 42},
    }


def test_a_model_behind_a_server_is_asked(run_json, vendor_task, model, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", "sesame")
    excerpt = "Vendor: Northstar Analytics"
    found = {"fieldPath": "vendor.name", "value": "Northstar Analytics", "excerpt": excerpt}
    model.answers(completion([found]))
    asked = ["--provider", "openai", "--base-url", model.url, "--model", "small"]
    code, body = run_json(
        "extract", "source.txt", *vendor_task, *asked, "--key-env", "MY_KEY", "--out", "ex"
    )
    (one,) = body["sources"]
    assert (code, one["totalTokensUsed"], len(one["proposals"])) == (0, 42, 1)
    assert model.headers[0][1]["Authorization"] == "Bearer sesame"
    stored = b"".join((tmp_path / "ex" / name).read_bytes() for name in FILES)
    assert b"sesame" not in stored + json.dumps(body).encode()
    runs = json.loads((tmp_path / "ex" / FILES[0]).read_bytes())["result"]
    assert runs["model"] == "small-1"


def test_a_key_that_is_not_there_and_a_server_that_fails_are_refusals(
    run_json, vendor_task, model, monkeypatch
):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    asked = ["extract", "source.txt", *vendor_task, "--provider", "openai", "--model", "small"]
    code, body = run_json(*asked, "--base-url", model.url, "--key-env", "NO_SUCH_KEY")
    assert (code, body["error"]["code"]) == (1, "provider-options-invalid")
    model.answers({"error": {"message": "no"}}, status=401)
    code, body = run_json(*asked, "--base-url", model.url, "--no-key")
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")
    assert len(model.asked) == 1


def saved(*documents):
    return "".join(
        json.dumps(data_lib.annotated_document_to_dict(one), ensure_ascii=False) + "\n"
        for one in documents
    )


def document(name, text="😀 Fee: 5"):
    place = CharInterval(2, 8)
    found = [
        Extraction("fee", "Fee: 5", char_interval=place, attributes={"amount": "5"}),
        Extraction("fee", "fee five", char_interval=place),
    ]
    return AnnotatedDocument(document_id=name, extractions=found, text=text)


def test_saved_langextract_documents_are_taken(run, run_json, tmp_path):
    (tmp_path / "one.jsonl").write_text(saved(document("case-1")), encoding="utf-8")
    code, body = run_json("extract", "--from-langextract", "one.jsonl", "--out", "ex")
    (one,) = body["sources"]
    assert (code, one["sourceRef"], one["provider"]) == (0, "case-1", "langextract")
    assert [found["locator"] for found in one["proposals"]] == ["chars:3-9"] * 2
    assert one["dropped"] == [
        {"chunk": 1, "count": 1, "fieldPath": "fee", "reason": "excerpt-not-found"}
    ]
    assert one["files"]["targets"] is None
    assert listing(tmp_path / "ex") == [name for name in FILES if name != "targets.json"]
    shown = run("extract", "--from-langextract", "one.jsonl", "--out", "ex").stdout
    assert "survey-fast import" in shown
    rows = run_json("extract", "--from-langextract", "one.jsonl", "--rows")[1]["sources"][0]
    assert [found["fieldPath"] for found in rows["proposals"]] == ["fee[]", "fee[].amount"]


def test_several_documents_have_a_folder_each(run_json, tmp_path):
    lines = saved(document("case-1"), document("case-2", "Fee: 5 for all"))
    (tmp_path / "two.jsonl").write_text(lines, encoding="utf-8")
    code, body = run_json("extract", "--from-langextract", "two.jsonl", "--out", "all")
    assert (code, body["extracted"]) == (0, 2)
    assert listing(tmp_path / "all") == ["document-1", "document-2"]


def test_a_damaged_line_is_named(run_json, tmp_path):
    (tmp_path / "bad.jsonl").write_text(saved(document("case-1")) + "{\n", encoding="utf-8")
    code, body = run_json("extract", "--from-langextract", "bad.jsonl", "--out", "ex")
    assert (code, body["error"]["code"]) == (1, "json-syntax")
    assert body["error"]["details"]["path"] == "bad.jsonl"
    assert not (tmp_path / "ex").exists()


def test_help_teaches_providers_files_and_exits(run):
    shown = run("extract", "--help").stdout
    for word in ("offline", "openai", "MODULE:NAME", "extraction-envelope.json", "--from-lang"):
        assert word in shown
    assert "Exit codes" in shown


def test_control_characters_of_a_source_reach_no_terminal(run, vendor_task, tmp_path):
    (tmp_path / "source.txt").write_text("Vendor: \x1b[31mred\u202e\n")
    shown = run("extract", "source.txt", *vendor_task).stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    """Without patience, so that long work need not be long."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(output_module, "_PATIENCE", 0.0)
    monkeypatch.setattr(output_module, "_REFRESH", 0.001)
    return monkeypatch


def test_a_terminal_is_shown_how_far_long_work_is(impatient):
    stream = Terminal()
    impatient.setattr(sys, "stderr", stream)
    deadline = time.monotonic() + 20
    with Output(as_json=False).counting("reading [b]x\x1b") as tell:
        tell(3, 7)
        while "3/7" not in stream.getvalue() and time.monotonic() < deadline:
            threading.Event().wait(0.005)
    assert "3/7" in stream.getvalue()
    assert "[b]x\\x1b" in stream.getvalue()


@pytest.mark.parametrize(
    ("as_json", "kind", "patience"),
    [(True, Terminal, 0.0), (False, io.StringIO, 0.0), (False, Terminal, 60.0)],
    ids=["json", "file", "short"],
)
def test_json_files_and_short_work_have_no_bar(impatient, as_json, kind, patience):
    stream = kind()
    impatient.setattr(sys, "stderr", stream)
    impatient.setattr(output_module, "_PATIENCE", patience)
    with Output(as_json=as_json).counting("reading") as tell:
        tell(1, 2)
    assert stream.getvalue() == ""


def test_the_same_labels_read_everywhere_are_another_extraction(run_json, vendor_task, tmp_path):
    source = tmp_path / "source.txt"
    label, _, value = next(
        line for line in source.read_text().splitlines() if ": " in line
    ).partition(": ")
    source.write_text(f"{source.read_text()}\n{label}: {value}, or another\n")
    asked = ["extract", "source.txt", *vendor_task]
    (first,) = run_json(*asked)[1]["sources"]
    (every,) = run_json(*asked, "--provider", "pattern")[1]["sources"]
    (again,) = run_json(*asked, "--provider", "pattern")[1]["sources"]
    assert [(one["label"], one["form"], one["count"]) for one in first["unreadLabels"]] == [
        (label, "further", 1)
    ]
    assert "unreadLabels" not in every
    assert len(every["proposals"]) == len(first["proposals"]) + 1
    assert every["runId"] == again["runId"] != first["runId"]
    assert every["digests"] == again["digests"]


def test_what_was_passed_over_is_said_with_what_takes_it(run, vendor_task, tmp_path):
    source = tmp_path / "source.txt"
    line = next(line for line in source.read_text().splitlines() if ": " in line)
    source.write_text(f"{source.read_text()}\n" + f"{line}\n" * 9)
    shown = run("extract", "source.txt", *vendor_task).stdout
    assert "9 further places" in shown
    assert "and 4 more" in shown
    assert "--provider pattern" in shown
    shown = run("extract", "source.txt", *vendor_task, "--provider", "pattern").stdout
    assert "not read" not in shown


def test_a_number_is_shown_as_the_envelope_writes_it(run, run_json, vendor_task, tmp_path):
    name = f"floats_{abs(hash(str(tmp_path)))}"
    task = read_task((tmp_path / "task.json").read_bytes())
    path = next(one["path"] for one in task.target_schema if one["type"] == "number")
    code = f"""
def propose(request):
    line = request.content.splitlines()[0]
    return [{{"fieldPath": {path!r}, "candidateValue": 48000.0, "excerpt": line, "odd": 1}}]
"""
    (tmp_path / f"{name}.py").write_text(code)
    asked = ["extract", "source.txt", *vendor_task, "--provider", f"{name}:propose"]
    shown = run(*asked).stdout
    assert "48000" in shown
    assert "48000.0" not in shown
    assert "nobody reads: odd" in shown
    (one,) = run_json(*asked)[1]["sources"]
    assert repr(one["proposals"][0]["value"]) == "48000"


def classes_saved(tmp_path, *classes):
    """A document as langextract saves it, with one extraction of each class."""
    items = [
        {"extraction_class": name, "extraction_text": "Fee: 5", "attributes": {"currency": "EUR"}}
        for name in classes
    ]
    document = {"document_id": "case-7", "text": "Fee: 5", "extractions": items}
    (tmp_path / "saved.jsonl").write_text(json.dumps(document) + "\n")
    return ["extract", "--from-langextract", "saved.jsonl", "--out", "ex"]


def test_targets_are_shown_for_every_field_that_an_import_needs(run, run_json, tmp_path):
    shown = run(*classes_saved(tmp_path, "fee", "day")).stdout.splitlines()
    (targets,) = [line for line in shown if line.startswith("  {")]
    assert list(json.loads(targets)) == ["fee", "fee.currency", "day", "day.currency"]
    (tmp_path / "targets.json").write_text(targets)
    (step,) = [line for line in shown if line.startswith("  survey-fast import")]
    code, body = run_json(*shlex.split(step)[1:])
    assert (code, body["items"]) == (0, 4)


def test_targets_of_very_many_fields_are_counted(run, tmp_path):
    shown = run(*classes_saved(tmp_path, *[f"class-{at}" for at in range(15)])).stdout.splitlines()
    (targets,) = [line for line in shown if line.startswith("  {")]
    assert len(json.loads(targets)) == 20
    assert any("likewise for 10 more fields" in line for line in shown)
