"""survey-fast digest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from survey_fast.canon import canonical_digest

VECTORS = Path(__file__).parents[1] / "vectors"


def test_a_line_has_the_digest_two_spaces_and_the_name(run, tmp_path):
    (tmp_path / "a.json").write_text('{ "b": 1.0, "a": "é" }', encoding="utf-8")
    result = run("digest", "a.json")
    assert result.exit_code == 0
    assert result.stdout == f"{canonical_digest({'a': 'é', 'b': 1})}  a.json\n"


def test_files_that_say_the_same_have_one_digest(run):
    inputs = VECTORS / "jcs/input/weird.json"
    output = VECTORS / "jcs/output/weird.json"
    first, second = run("digest", inputs, output).stdout.splitlines()
    assert first.split()[0] == second.split()[0]


@pytest.mark.parametrize("profile", ["jcs", "collated", "as-stored"])
def test_each_profile_gives_its_own_digest(run_json, tmp_path, profile):
    text = '{"candidates":[],"candidateSetStatus":"x","2":0,"10":0}'
    (tmp_path / "a.json").write_text(text)
    code, body = run_json("digest", "a.json", "--profile", profile)
    digest = canonical_digest(text, profile)
    assert code == 0
    assert body == {
        "ok": True,
        "profile": profile,
        "files": [{"file": "a.json", "digest": digest}],
    }


def test_a_dash_is_standard_input(run):
    result = run("digest", "-", input=b'{"a":1}')
    assert result.stdout == f"{canonical_digest({'a': 1})}  -\n"


def test_standard_input_is_bounded(run_json):
    assert run_json("digest", "-", "--max-bytes", 7, input=b'{"a":1}')[0] == 0
    code, body = run_json("digest", "-", "--max-bytes", 6, input=b'{"a":1}')
    assert code == 1
    assert body["error"]["code"] == "file-too-large"


def test_a_refused_file_does_not_hide_the_others(run, run_json, tmp_path):
    (tmp_path / "good.json").write_text("1")
    (tmp_path / "bad.json").write_text("01")
    files = ("good.json", "bad.json", "good.json")
    result = run("digest", *files)
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert "json-syntax" in result.stderr
    code, body = run_json("digest", *files)
    assert code == 1
    assert body["error"]["code"] == "json-syntax"
    assert ["digest" in one for one in body["files"]] == [True, False, True]
    assert body["files"][1]["error"] == body["error"]


def test_a_refusal_names_file_line_column_byte_and_pointer(run, run_json, tmp_path):
    (tmp_path / "a.json").write_text('{"ü": 1,\n "é": [nul]}', encoding="utf-8")
    result = run("digest", "a.json")
    assert "a.json, line 2, column 8, byte 18, at /é/0" in result.stderr
    _, body = run_json("digest", "a.json")
    assert body["error"]["pointer"] == "/é/0"
    details = {"path": "a.json", "offset": 18, "line": 2, "column": 8}
    assert body["error"]["details"] == details


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "json-syntax"),
        (b"\xef\xbb\xbf{}", "json-encoding"),
        (b'{"a":1,"a":1}', "json-duplicate-member"),
        (b'"\\ud800"', "json-lone-surrogate"),
        (b"1e400", "json-number-range"),
        (b"[" * 129, "json-depth"),
    ],
)
def test_hostile_text_is_refused_by_name(run_json, tmp_path, text, code):
    (tmp_path / "a.json").write_bytes(text)
    exit_code, body = run_json("digest", "a.json")
    assert exit_code == 1
    assert body["error"]["code"] == code


def test_collated_order_of_odd_names_is_no_verdict(run_json, tmp_path):
    (tmp_path / "a.json").write_text('{"é":1}', encoding="utf-8")
    code, body = run_json("digest", "a.json", "--profile", "collated")
    assert code == 1
    assert body["error"]["code"] == "digest-not-portable"


def test_json_output_is_itself_strict_json(run, tmp_path):
    (tmp_path / "a.json").write_text("1")
    text = run("digest", "a.json", b"\xff\x1b[31m".decode("utf-8", "surrogateescape"), "--json")
    assert canonical_digest(text.stdout)
    assert json.loads(text.stdout)["error"]["code"] == "file-not-found"
