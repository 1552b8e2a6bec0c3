"""survey-fast extract: bad input and wrong usage end in a code and a reason, and write nothing."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from survey_fast.extraction.task import read_task

EXAMPLES = Path(__file__).parents[1] / "vectors/fieldwork-examples/examples"
FILES = ["extraction-envelope.json", "extraction-report.json", "prepared.txt", "targets.json"]
TASK = ["--task", "task.json"]
LINE = "Vendor: Zoë\n"

PROVIDERS = """
import sys, threading

def found(request):
    return [{"fieldPath": "vendor.name", "candidateValue": "Zoë", "excerpt": "Vendor: Zoë"}]

async def later(request):
    return found(request)

def printing(request):
    print("noise of the provider")
    return found(request)

def ending(request):
    sys.exit(0)

def lazily(request):
    yield from found(request)

def quietly(request):
    raise KeyError("x")

def warning(request):
    return {"proposals": found(request), "warnings": ["a note"], "malformedToolItems": {
        "dropped": 2, "total": 3}}

def sure(request):
    return [{**one, "confidence": 1} for one in found(request)]

def blocking(request):
    print("started", flush=True)
    threading.Event().wait()

class Class:
    def extract(self, request):
        return found(request)

class Odd:
    name = "odd"
    capabilities = {}
    extract = Class.extract

odd = Odd()
print("noise of the module")
"""


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A task and a source in the working folder, and modules that are new to this process."""
    shutil.copy(EXAMPLES / "vendor-obligations/task.json", tmp_path / "task.json")
    (tmp_path / "a.txt").write_text(LINE)
    (tmp_path / "hostile_providers.py").write_text(PROVIDERS)
    (tmp_path / "hostile_script.py").write_text("import sys\nsys.exit(0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("hostile_providers", "hostile_script"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


SOURCES = {
    "empty.txt": (b"", None),
    "mark-only.txt": (b"\xef\xbb\xbf", None),
    "two-marks.txt": (b"\xef\xbb\xbf\xef\xbb\xbf" + LINE.encode(), "chars:1-12"),
    "utf16-le.txt": (b"\xff\xfe" + LINE.encode("utf-16-le"), "chars:0-11"),
    "utf16-be.txt": (b"\xfe\xff" + LINE.encode("utf-16-be"), "chars:0-11"),
    "utf16-no-mark.txt": (LINE.encode("utf-16-le"), "INVALID_SOURCE"),
    "utf16-odd.txt": (b"\xff\xfe\x41", "INVALID_SOURCE"),
    "utf32.txt": (LINE.encode("utf-32"), "INVALID_SOURCE"),
    "latin.txt": (LINE.encode("latin-1"), "INVALID_SOURCE"),
    "latin.html": (b"<meta charset=latin1><p>" + LINE.encode("latin-1"), "chars:0-11"),
    "unknown.html": (b"<meta charset=x-none><p>" + LINE.encode(), "INVALID_SOURCE"),
    "surrogate.txt": (b"Vendor: \xed\xa0\x80", "INVALID_SOURCE"),
    "nul.txt": (b"Vendor: a\0b", "INVALID_SOURCE"),
    "binary.txt": (bytes(range(256)), "INVALID_SOURCE"),
    "image.txt": (b"\x89PNG\r\n\x1a\n", "INVALID_SOURCE"),
    "image.png": (b"\x89PNG\r\n\x1a\n", "INVALID_SOURCE"),
    "word.docx": (b"PK\x03\x04xx", "INVALID_SOURCE"),
    "broken.pdf": (b"%PDF-1.4 x", "INVALID_SOURCE"),
    "deep.html": (b"<div>" * 5000 + LINE.encode() + b"</div>" * 5000, "chars:0-11"),
    "open.html": (b"<" * 100_000 + b"p>" + LINE.encode(), "chars:100001-100012"),
    "open.vtt": (b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + b"<" * 100_000, None),
    "long-line.txt": (b"x" * 1_000_000 + b"\n" + LINE.encode(), "chars:1000001-1000012"),
    "too-long.txt": (b"x" * 5_000_001, "prepared-too-large"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_is_extracted_from_or_refused_with_a_code(run, run_json, folder, name):
    raw, expected = SOURCES[name]
    (folder / name).write_bytes(raw)
    code, body = run_json("extract", name, *TASK, "--out", "ex")
    (one,) = body["sources"]
    if code:
        assert (code, one["error"]["code"]) == (1, expected)
        assert one["error"]["details"]["path"] == name
        assert not (folder / "ex").exists()
    else:
        found = [proposal["locator"] for proposal in one["proposals"]]
        assert found == ([] if expected is None else [expected])
        assert listing(folder / "ex") == FILES
    assert run("extract", name, *TASK).exit_code == code


def test_a_source_over_64_mebibytes_is_refused(run_json, folder):
    with (folder / "large.txt").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    code, body = run_json("extract", "large.txt", *TASK)
    assert (code, body["error"]["code"]) == (1, "file-too-large")


def test_an_empty_source_says_that_it_is(run, folder):
    (folder / "empty.txt").write_bytes(b"")
    shown = run("extract", "empty.txt", *TASK).stdout
    assert "0 proposals" in shown
    assert "nothing was left" in shown


def test_the_character_set_can_be_named_and_what_does_not_decode_replaced(run, run_json, folder):
    (folder / "latin.txt").write_bytes(LINE.encode("latin-1"))
    assert run_json("extract", "latin.txt", *TASK)[0] == 1
    code, body = run_json("extract", "latin.txt", *TASK, "--charset", "latin1")
    named = body["sources"][0]
    assert (code, named["proposals"][0]["value"], named["warnings"]) == (0, "Zoë", [])
    code, body = run_json("extract", "latin.txt", *TASK, "--errors", "replace")
    replaced = body["sources"][0]
    assert (code, replaced["proposals"][0]["value"]) == (0, "Zo\ufffd")
    assert replaced["warnings"][0]["code"] == "content-preparation-warning"
    assert "U+FFFD" in run("extract", "latin.txt", *TASK, "--errors", "replace").stdout
    assert len({named["runId"], replaced["runId"]}) == 2
    code, body = run_json("extract", "latin.txt", *TASK, "--charset", "none-such")
    assert (code, body["error"]["code"]) == (1, "INVALID_SOURCE")


@pytest.fixture
def odd_paths(folder):
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    (folder / "link").symlink_to("a.txt")
    (folder / "nowhere").symlink_to("gone")
    return ["fifo", "folder", "link", "nowhere", "gone", "a.txt/below", "n" * 300]


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("role", ["source", "task", "langextract"])
def test_what_is_no_plain_file_is_refused_in_every_role(run_json, odd_paths, role, place):
    arguments = {
        "source": [odd_paths[place], *TASK],
        "task": ["a.txt", "--task", odd_paths[place]],
        "langextract": ["--from-langextract", odd_paths[place]],
    }
    code, body = run_json("extract", *arguments[role], "--out", "ex")
    assert (code, body["error"]["code"] in REFUSED) == (1, True)
    assert not Path("ex").exists()


REFUSED = {"file-not-found", "file-refused", "STORAGE_FAILED"}


@pytest.mark.parametrize("name", ["fifo", "a.txt", "link", "nowhere", "a.txt/below", "n" * 300])
@pytest.mark.usefixtures("odd_paths")
def test_a_folder_that_cannot_be_made_is_refused(run, run_json, folder, name):
    assert run_json("extract", "a.txt", *TASK, "--out", "folder")[0] == 0
    before = listing(folder)
    code, body = run_json("extract", "a.txt", *TASK, "--out", name)
    assert (code, body["error"]["code"] in REFUSED) == (1, True)
    assert "Traceback" not in run("extract", "a.txt", *TASK, "--out", name).output
    assert listing(folder) == before


def test_what_a_killed_process_left_is_in_nobodys_way(run_json, folder):
    left = folder / ".ex.0011223344556677.pending"
    left.mkdir()
    (left / "prepared.txt").write_text("half")
    assert run_json("extract", "a.txt", *TASK, "--out", "ex")[0] == 0
    assert listing(folder / "ex") == FILES
    # One that died while it replaced files leaves a set without its envelope.
    (folder / "ex/extraction-envelope.json").unlink()
    assert run_json("extract", "a.txt", *TASK, "--out", "ex")[0] == 0
    assert listing(folder / "ex") == FILES


LANGEXTRACT = ["--from-langextract", "x.jsonl"]
OPENAI = ["a.txt", *TASK, "--provider", "openai", "--model", "m"]
MISUSED = [
    *[
        [*LANGEXTRACT, *more]
        for more in (
            ["a.txt"],
            TASK,
            ["--provider", "offline"],
            ["--provider", "openai"],
            ["--base-url", "http://localhost/v1"],
            ["--key-env", "K"],
            ["--no-key"],
            ["--allow-plain-http"],
            ["--mode", "tools"],
            ["--timeout", "5"],
            ["--retries", "0"],
            ["--concurrency", "2"],
            ["--max-calls", "2"],
            ["--max-tokens", "2"],
            ["--max-chunks", "2"],
            ["--chunk-size", "2"],
            ["--chunk-overlap", "2"],
            ["--wire", "0.25"],
            ["--content-type", "text"],
            ["--charset", "utf-8"],
            ["--errors", "strict"],
            ["--truncate"],
            ["--force"],
        )
    ],
    *[
        ["a.txt", *TASK, *more]
        for more in (
            ["--rows"],
            ["--force"],
            ["--model", "m"],
            ["--base-url", "http://localhost/v1"],
            ["--key-env", "K"],
            ["--no-key"],
            ["--allow-plain-http"],
            ["--mode", "json"],
            ["--timeout", "5"],
            ["--provider", "hostile_providers:found", "--model", "m"],
            ["--provider", "hostile_providers:Class"],
            ["--provider", "hostile_script:f"],
            ["--provider", "hostile_providers:"],
            ["--provider", ".hostile_providers:found"],
            ["--provider", "OFFLINE"],
            ["--max-calls", "0"],
            ["--max-tokens", "0"],
            ["--concurrency", "0"],
            ["--chunk-size", "0"],
            ["--chunk-overlap", "-1"],
            ["--chunk-overlap", "99999999999999999999"],
            ["--max-items", "0"],
            ["--timeout", "nan"],
        )
    ],
    [*OPENAI, "--no-key", "--key-env", "K"],
    [*OPENAI, "--no-key", "--allow-plain-http"],
    [*OPENAI, "--no-key", "--timeout", "nan"],
    [*OPENAI, "--no-key", "--timeout", "0"],
]


@pytest.mark.parametrize("arguments", MISUSED, ids=range(len(MISUSED)))
def test_an_option_that_would_change_nothing_is_wrong_usage(run, folder, arguments):
    assert run("extract", "a.txt", *TASK).exit_code == 0
    (folder / "x.jsonl").write_text('{"text": "x", "extractions": []}\n')
    assert run("extract", *LANGEXTRACT).exit_code == 0
    before = listing(folder)
    result = run("extract", *arguments, "--json")
    assert (result.exit_code, json.loads(result.stdout)["error"]["code"]) == (2, "usage")
    assert listing(folder) == before
    assert "Traceback" not in run("extract", *arguments).output


def test_the_help_shows_a_task_that_works(run, run_json, folder):
    shown = run("extract", "--help").stdout
    task = shown[shown.index('{"apiVersion"') :]
    assert read_task(task.encode()).projections[0].label == "Rent"
    (folder / "task.json").write_text(task)
    (folder / "lease.txt").write_text("Rent: 1250\n")
    code, body = run_json("extract", "lease.txt", *TASK)
    assert (code, body["sources"][0]["proposals"][0]["value"]) == (0, 1250)


@pytest.mark.parametrize("name", ["found", "later", "printing", "warning"])
def test_standard_output_is_the_commands_own(run, folder, name):
    result = run("extract", "a.txt", *TASK, "--provider", f"hostile_providers:{name}", "--json")
    (one,) = json.loads(result.stdout)["sources"]
    assert [proposal["value"] for proposal in one["proposals"]] == ["Zoë"]
    assert "noise of the module" in result.stderr
    assert ("noise of the provider" in result.stderr) == (name == "printing")
    assert listing(folder).count("ex") == 0


def test_notes_and_items_that_are_no_proposals_are_shown(run):
    shown = run("extract", "a.txt", *TASK, "--provider", "hostile_providers:warning").stdout
    assert "a note" in shown
    assert "2 items" in shown


@pytest.mark.parametrize("name", ["ending", "lazily", "quietly", "odd"])
def test_a_provider_that_fails_says_how(run, folder, name):
    result = run(
        "extract",
        "a.txt",
        *TASK,
        "--provider",
        f"hostile_providers:{name}",
        "--out",
        "ex",
        "--json",
    )
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["code"]) == (1, "EXTRACTION_FAILED")
    hint = {"ending": "SystemExit", "lazily": "generator", "quietly": "KeyError", "odd": "declares"}
    assert hint[name] in error["message"]
    assert error["details"]["path"] == "a.txt"
    assert not (folder / "ex").exists()


def test_the_form_of_an_older_release_is_written_and_shown(run, folder):
    asked = ["--provider", "hostile_providers:sure", "--wire", "0.25"]
    result = run("extract", "a.txt", *TASK, *asked, "--out", "ex", "--json")
    (one,) = json.loads(result.stdout)["sources"]
    assert (result.exit_code, one["proposals"][0]["valueInExcerpt"]) == (0, None)
    stored = json.loads((folder / "ex/extraction-envelope.json").read_bytes())
    assert "evidenceMatch" not in stored["result"]["proposals"][0]
    asked[1] = "hostile_providers:found"
    result = run("extract", "a.txt", *TASK, *asked, "--json")
    error = json.loads(result.stdout)["error"]
    assert (result.exit_code, error["code"]) == (1, "envelope-missing-member")


def test_a_key_goes_in_the_clear_to_this_machine_only(run_json, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sesame")
    asked = [*OPENAI, "--key-env", "MY_KEY", "--base-url"]
    code, body = run_json("extract", *asked, "http://192.0.2.1:1/v1")
    assert (code, body["error"]["code"]) == (1, "provider-options-invalid")
    code, body = run_json("extract", *asked, "http://127.0.0.1:1/v1")
    assert (code, body["error"]["code"]) == (1, "EXTRACTION_FAILED")


@pytest.mark.parametrize("concurrency", ["1", "32"])
def test_an_interruption_does_not_wait_for_calls_that_never_come_back(folder, concurrency):
    (folder / "many.txt").write_text(LINE * 3000)
    asked = ["--provider", "hostile_providers:blocking", "--concurrency", concurrency]
    with subprocess.Popen(
        [sys.executable, "-m", "survey_fast", "extract", "many.txt", *TASK, *asked, "--out", "ex"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        lines = iter(program.stderr.readline, b"")
        assert any(line == b"started\n" for line in lines)
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == 130
        assert b"Traceback" not in program.stderr.read()
    assert not (folder / "ex").exists()


def test_from_langextract_to_a_queue_as_each_command_says(run, run_json, folder):
    item = {"extraction_class": "fee", "extraction_text": "Fee: 5"}
    document = {"document_id": "case-7", "text": "Fee: 5", "extractions": [item]}
    (folder / "x.jsonl").write_text(json.dumps(document) + "\n")
    shown = run("extract", *LANGEXTRACT, "--out", "ex").stdout.splitlines()
    (step,) = [line for line in shown if line.startswith("  survey-fast import")]
    (targets,) = [line for line in shown if line.startswith("  {")]
    (folder / "targets.json").write_text(targets)
    code, body = run_json(*shlex.split(step)[1:])
    assert (code, body["provenance"], body["items"]) == (0, "verified", 1)


def test_from_a_source_to_results_as_each_command_says(run, run_json, folder):
    shutil.copy(EXAMPLES / "vendor-obligations/source.txt", folder / "source.txt")
    shown = run("extract", "source.txt", *TASK, "--out", "ex").stdout
    (step,) = [line for line in shown.splitlines() if line.startswith("  survey-fast import")]
    assert run_json(*shlex.split(step)[1:])[0] == 0
    code, body = run_json("session", "new", "round.json", "--import", "ex/review/import.json")
    assert (code, body["ok"]) == (0, True)
    paths = [one.field_path for one in read_task((folder / "task.json").read_bytes()).projections]
    lines = [json.dumps({"field": path, "decision": "accept"}) + "\n" for path in paths]
    (folder / "lines.jsonl").write_text("".join(lines))
    assert run_json("session", "decide", "round.json", "--batch", "lines.jsonl")[0] == 0
    assert run_json("session", "complete", "round.json")[0] == 0
    code, body = run_json("session", "apply", "round.json")
    assert (code, body["ok"]) == (0, True)
