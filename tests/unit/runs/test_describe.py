"""The states of a run's claims, told without its text, its values and its scores.

Rows of the edge table of runs: 21 and 22 as far as this reads no text, 38, 46, 48, 55, 61 (left).
"""

import json

import pytest
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import (
    UPSTREAM,
    conflict,
    content,
    decided,
    many,
    nothing,
    partial,
    rival_misquoted,
    stays_refused,
)
from tests.unit.runs.test_import_run import Upstream, unbound

from survey_fast.errors import refusal
from survey_fast.runs.export.describe import describe_run
from survey_fast.runs.export.exclusions import Projecting
from survey_fast.runs.export.export import export_run
from survey_fast.runs.import_run import import_run
from survey_fast.runs.opened import open_run


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def states(path):
    return {one.field_path: (one.state, one.reasons) for one in describe_run(path).claims}


def test_a_decided_run_is_reviewed_and_nothing_moves(root):
    path = decided(root, conflict())
    before = content(path)
    described = describe_run(path)
    assert content(path) == before
    run = open_run(path)
    body = described.to_json()
    assert {name: body[name] for name in body if name != "claims"} == {
        "run": run.manifest.resource,
        "createdAt": run.manifest.created_at,
        "round": "first",
        "revision": run.revision,
        "events": 4,
        "proposals": 3,
        "outcome": {"status": "success"},
        "states": {"undecided": 0, "excluded": 0, "reviewed": 2, "grounding-refused": 0},
    }
    told = {one["reviewItemName"]: one["claimId"] for one in body["claims"]}
    assert told == dict(export_run(path).claim_ids)


def test_neither_values_nor_words_nor_scores_are_told(root):
    text = json.dumps(describe_run(decided(root, conflict())).to_json())
    assert not [one for one in ("48000", "52000", "Basel", "Fee", "confidence") if one in text]


def test_row_46_what_nobody_decided_is_undecided(root):
    path = made(root, conflict(), ("city", "reject"))
    assert states(path) == {"fee": ("undecided", ("EXPORT_UNDECIDED",)), "city": ("reviewed", ())}
    claims = describe_run(path).to_json()["claims"]
    assert [sorted(one) for one in claims] == [
        ["fieldPath", "reviewItemName", "state"],
        ["claimId", "fieldPath", "reviewItemName", "state"],
    ]


def test_row_48_a_run_of_which_nothing_is_decided_is_described(root):
    described = describe_run(conflict().create(root).path)
    assert described.counts() == {
        "undecided": 2,
        "excluded": 0,
        "reviewed": 0,
        "grounding-refused": 0,
    }


def test_row_38_a_claim_that_its_evidence_does_not_carry_is_refused(root):
    path = decided(root, rival_misquoted())
    assert states(path) == {
        "fee": ("grounding-refused", ("excluded-rival-unresolved",)),
        "city": ("reviewed", ()),
    }
    assert describe_run(path).to_json()["claims"][0]["gaps"] == ["excluded-rival-unresolved"]


def test_row_55_a_run_that_was_read_in_part_is_described(root):
    path = decided(root, partial())
    body = describe_run(path).to_json()
    assert body["outcome"] == {"status": "partial", "reason": "max-chunks"}
    assert {state for state, _ in states(path).values()} == {"grounding-refused"}


def test_an_empty_run_is_described(root):
    assert describe_run(nothing().create(root).path).to_json()["claims"] == []


def test_rows_of_a_list_say_where_they_stand(root):
    claims = describe_run(decided(root, many(3))).to_json()["claims"]
    assert [one["pathIndices"] for one in claims] == [[0], [1], [2]]


def test_a_blind_round_in_progress_is_described(root):
    path = made(root, conflict().with_order(score_blind=True), ("city", "accept"))
    assert states(path)["city"] == ("reviewed", ())


def test_a_run_that_never_bound_its_envelope_is_described_as_closed(root, tmp_path):
    path = import_run(UPSTREAM, root).artifacts.path
    assert "reviewBlocked" not in describe_run(path).to_json()
    never = unbound(Upstream(tmp_path / "theirs"))
    closed = describe_run(import_run(never, tmp_path / "others").artifacts.path).to_json()
    assert closed["reviewBlocked"] == "unbound-envelope"
    assert [one["state"] for one in closed["claims"]] == ["grounding-refused"]


def test_what_cannot_be_stated_is_excluded_with_its_code(root, monkeypatch):
    path = made(root, conflict(), ("fee", "reject"), ("city", "accept"))
    original = Projecting.__init__

    def without_fee(self, together, alone):
        def refuse(items):
            if any(one["spec"]["target"] == "fee" for one in items):
                raise refusal("record-conflict", "made to fail")

        def all_of(items, results):
            refuse(items)
            return together(items, results)

        def one_of(item, result):
            refuse([item])
            return alone(item, result)

        original(self, all_of, one_of)

    monkeypatch.setattr(Projecting, "__init__", without_fee)
    assert states(path) == {
        "fee": ("excluded", ("EXPORT_NOT_PROJECTABLE",)),
        "city": ("reviewed", ()),
    }
    assert describe_run(path).to_json()["claims"][0]["codes"] == ["EXPORT_NOT_PROJECTABLE"]


def test_row_21_the_prepared_text_is_not_read(root):
    path = decided(root, conflict())
    before = states(path)
    (path / "prepared.txt").write_bytes(b"something else")
    assert states(path) == before
    (path / "prepared.txt").unlink()
    assert states(path) == before
    stays_refused("INVALID_RUN", path, export_run)


def test_an_edited_queue_is_refused(root):
    path = decided(root, conflict())
    describe_run(path)
    queue = path / "review-queue.json"
    queue.write_bytes(queue.read_bytes().replace(b"48000", b"48001"))
    stays_refused("REVIEW_BINDING_BROKEN", path, describe_run)
