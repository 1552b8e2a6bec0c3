"""What is kept of an export: its text, and what of it is small; the rest is read from the text."""

import json

import pytest
from tests.unit.runs.exporting import made
from tests.unit.runs.samples import conflict, decided, many, refused

from survey_fast.errors import refusal
from survey_fast.runs.export.export import export_run, make_export
from survey_fast.runs.export.values import values_jsonl
from survey_fast.runs.opened import open_run
from survey_fast.trust import reviewed_export


@pytest.fixture
def path(tmp_path):
    return decided(tmp_path / "runs", conflict())


def test_the_document_is_what_the_text_says_each_time_it_is_asked_for(path):
    exported = export_run(path)
    assert exported.document == json.loads(exported.text)
    exported.document["bundle"].clear()
    assert exported.document == json.loads(exported.text)


def test_what_is_small_is_what_the_document_says(path):
    exported = export_run(path)
    document = json.loads(exported.text)
    claims = document["bundle"]["claims"]
    assert exported.scope == document["reviewRound"]
    assert exported.scope is exported.scope
    assert sorted(exported.claim_ids.values()) == sorted(claim["id"] for claim in claims)
    assert exported.statuses == {"verified": len(claims)}
    receipt = document["reviewedGrounding"]
    assert exported.grounding.items() <= receipt.items()
    assert exported.grounding["outcome"] == "allowed"
    assert all(isinstance(receipt[name], list) for name in receipt.keys() - exported.grounding)
    for name, place in exported.members.items():
        assert json.loads(exported.text[place]) == document[name]


def test_an_export_that_was_made_is_looked_at_before_it_is_text_and_gone_afterwards(tmp_path):
    unwritten = make_export(decided(tmp_path / "runs", many(12)))
    table = values_jsonl(unwritten.document)
    exported = unwritten.write()
    assert table == values_jsonl(exported.document)
    for again in (unwritten.write, lambda: unwritten.document):
        with pytest.raises(ValueError, match="written"):
            again()


def test_it_is_the_text_that_is_scanned_and_measured(tmp_path):
    path = made(
        tmp_path / "runs",
        conflict(),
        ("city", "accept", {"note": "see /etc/passwd"}),
        ("fee", "reject-proposed"),
    )
    unwritten = make_export(path)
    refused("DISCLOSURE_REFUSED", unwritten.write)
    refused("DISCLOSURE_REFUSED", export_run, path)
    refused("EXPORT_TOO_LARGE", export_run, path, max_bytes=100)


def test_why_there_is_no_evidence_is_told_without_what_evidence_was_made_of(path, monkeypatch):
    def none(*_given, **_options):
        try:
            {}["it"]
        except KeyError:
            raise refusal("evidence-malformed", "there is none", "/reviewItem") from None

    assert not export_run(path).without_evidence
    for name in ("project_evidence_of_import", "project_evidence"):
        monkeypatch.setattr(reviewed_export, name, none)
    exported = export_run(path)
    assert len(exported.without_evidence) == len(exported.claim_ids)
    for fault in exported.without_evidence.values():
        assert fault.code == "evidence-malformed"
        assert (fault.__traceback__, fault.__context__) == (None, None)


@pytest.mark.parametrize("sample", [conflict(), many(12)])
def test_what_is_shown_is_what_the_checks_found(tmp_path, sample):
    """Items and events are made data while the checks go on, and are the same."""
    path = decided(tmp_path / "runs", sample)
    shown, opened = open_run(path, is_shown=True), open_run(path)
    assert "state" in vars(shown.agreed.round)
    assert "state" not in vars(opened.agreed.round)
    assert shown.state == opened.state
    assert [*shown.log.events] == [*opened.log.events]


@pytest.mark.parametrize("stored", [b"", b"{", b"[]\n", b"\xff", b"[" * 5000, b'{"items":[]}\n'])
def test_what_is_no_queue_is_refused_as_without_looking_at_it(path, stored):
    (path / "review-queue.json").write_bytes(stored)
    found = [
        refused("REVIEW_BINDING_BROKEN", open_run, path, is_shown=shown) for shown in (True, False)
    ]
    assert found[0].to_json() == found[1].to_json()
