"""survey-fast audit-sample."""

from __future__ import annotations

import json

import pytest

from survey_fast.audit import draw_random_audit_sample
from survey_fast.canon import canonical_json


def names(opened):
    return [item["metadata"]["name"] for item in json.loads(opened.queue.read_bytes())["items"]]


def test_the_drawn_names_are_printed_one_on_a_line(run, opened):
    expected = draw_random_audit_sample(names(opened), rate=0.25, seed="2026-Q1")
    assert 0 < len(expected) < 60
    result = run("audit-sample", opened.queue, "--rate", "0.25", "--seed", "2026-Q1")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == expected
    assert f"{len(expected)} of 60 items" in result.stderr


def test_json_holds_rate_seed_and_names(run_json, opened):
    code, body = run_json("audit-sample", opened.queue, "--rate", "1", "--seed", "s")
    assert code == 0
    assert body == {"ok": True, "rate": 1, "seed": "s", "drawn": names(opened), "of": 60}


def test_an_array_of_items_is_drawn_from_as_a_snapshot_is(run, opened, tmp_path):
    items = json.loads(opened.queue.read_bytes())["items"]
    (tmp_path / "items.json").write_bytes(canonical_json(items))
    options = ("--rate", "0.5", "--seed", "s")
    snapshot = run("audit-sample", opened.queue, *options)
    assert run("audit-sample", "items.json", *options).stdout == snapshot.stdout


def test_a_draw_of_nothing_is_an_answer(run, tmp_path):
    (tmp_path / "q.json").write_text("[]")
    result = run("audit-sample", "q.json", "--rate", "0.1", "--seed", "s")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "0 of 0" in result.stderr


@pytest.mark.parametrize(
    ("rate", "seed"), [("0", "s"), ("1.1", "s"), ("nan", "s"), ("inf", "s"), ("0.5", "a b")]
)
def test_unusable_options_are_refused(run_json, opened, rate, seed):
    code, body = run_json("audit-sample", opened.queue, "--rate", rate, "--seed", seed)
    assert (code, body["error"]["code"]) == (1, "audit-options-invalid")


@pytest.mark.parametrize("options", [[], ["--rate", "x", "--seed", "s"], ["--rate", "1"]])
def test_missing_and_unreadable_options_are_wrong_usage(run_json, opened, options):
    code, body = run_json("audit-sample", opened.queue, *options)
    assert (code, body["error"]["code"]) == (2, "usage")


@pytest.mark.parametrize(
    ("text", "code", "pointer"),
    [
        (b"3", "queue-malformed", ""),
        (b"{}", "queue-malformed", "/items"),
        (b"[3]", "queue-malformed", "/0/metadata/name"),
        (b'{"items":[{"metadata":{}}]}', "queue-malformed", "/items/0/metadata/name"),
        (b'[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]', "ambiguous-item-identity", "/1"),
        (
            b'{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]}',
            "ambiguous-item-identity",
            "/items/1",
        ),
    ],
)
def test_what_is_no_queue_is_refused(run_json, tmp_path, text, code, pointer):
    (tmp_path / "q.json").write_bytes(text)
    exit_code, body = run_json("audit-sample", "q.json", "--rate", "1", "--seed", "s")
    assert (exit_code, body["error"]["code"]) == (1, code)
    assert body["error"]["pointer"] == pointer
