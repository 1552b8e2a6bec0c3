"""The values of an export as JSON lines and as CSV: a view of the document, and nothing more."""

import csv
import io
import json

import pytest
from tests.unit.runs.exporting import chosen, decide, made, typed
from tests.unit.runs.samples import conflict, decided, many, rival_misquoted

from survey_fast.canon import plain_data
from survey_fast.runs.export.export import export_run
from survey_fast.runs.export.values import (
    COLUMNS,
    FORMATS,
    MORE_COLUMNS,
    value_rows,
    values_csv,
    values_jsonl,
)
from survey_fast.runs.opened import open_run


@pytest.fixture
def root(tmp_path):
    return tmp_path / "runs"


def rows_of(path, **options):
    return {one["field"]: one for one in value_rows(export_run(path).document, **options)}


def cells_of(path, **options):
    text = values_csv(export_run(path).document, **options).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_says_value_choice_who_when_and_where(root):
    path = conflict().create(root).path
    decide(path, ("fee", "select", chosen(path, "fee", "52000")), ("city", "accept"))
    exported = export_run(path)
    row = next(value_rows(exported.document))
    assert tuple(row) == COLUMNS
    assert row == {
        "field": "fee",
        "pathIndices": None,
        "value": "52000",
        "status": "verified",
        "decisionKind": "select-proposed",
        "notChosen": ["48000"],
        "reviewer": "ana",
        "decidedAt": "2026-01-15T08:00:00.000Z",
        "excerpt": "Fee: 52000",
        "locator": "chars:23-33",
        "claimId": exported.document["bundle"]["claims"][0]["id"],
    }
    told = next(value_rows(exported.document, more=True))
    assert tuple(told) == (*COLUMNS, *MORE_COLUMNS)
    assert told == row | {
        "note": None,
        "run": exported.run,
        "source": source_of(path),
        "subjectType": "vendor",
        "subjectId": "acme",
    }


def source_of(path):
    return open_run(path).manifest.document["source"]["ref"]


def test_nobody_gets_other_columns_than_these_without_asking(root):
    first = ["field", "pathIndices", "value", "status", "decisionKind", "notChosen"]
    assert [*COLUMNS] == [*first, "reviewer", "decidedAt", "excerpt", "locator", "claimId"]
    document = export_run(decided(root, conflict())).document
    for written in (values_csv(document), values_csv(document, more=False)):
        assert written.splitlines()[0].decode().split(",") == [*COLUMNS]
    header = values_csv(document, more=True).splitlines()[0].decode()
    assert header.split(",") == [*COLUMNS, *MORE_COLUMNS]
    for line in values_jsonl(document).splitlines():
        assert set(json.loads(line)) == {*COLUMNS}
    for line in values_jsonl(document, more=True).splitlines():
        assert set(json.loads(line)) == {*COLUMNS, *MORE_COLUMNS}


@pytest.mark.parametrize("decision", ["accept", "reject", "could-not-confirm"])
def test_the_note_of_a_reviewer_stands_beside_what_it_is_about(root, decision):
    path = made(root, conflict(), ("city", decision, {"note": "torn off"}), ("fee", "reject"))
    rows = rows_of(path, more=True)
    assert (rows["city"]["note"], rows["fee"]["note"]) == ("torn off", None)
    assert [one["note"] for one in cells_of(path, more=True)] == ["", "torn off"]
    assert {one["source"] for one in rows.values()} == {source_of(path)}


def test_a_note_that_a_spreadsheet_would_run_is_guarded_and_one_of_blanks_is_none(root):
    note, blank = {"note": "=1+1"}, {"note": " \u00a0"}
    path = made(root, conflict(), ("city", "accept", note), ("fee", "reject", blank))
    rows = rows_of(path, more=True)
    assert (rows["city"]["note"], rows["fee"]["note"]) == ("=1+1", None)
    assert cells_of(path, more=True)[1]["note"] == "'=1+1"


def test_what_a_dispute_says_is_no_note_of_the_reviewer(root):
    accepted = [("fee", "accept"), ("city", "accept", {"note": "seen"})]
    rows = rows_of(made(root, rival_misquoted(), *accepted), more=True)
    assert (rows["fee"]["status"], rows["fee"]["note"]) == ("disputed", None)
    assert rows["city"]["note"] == "seen"


def test_rows_of_two_runs_are_told_apart(root):
    exported = [export_run(decided(root, one)) for one in (conflict(), many(2))]
    runs = [{row["run"] for row in value_rows(one.document, more=True)} for one in exported]
    assert runs == [{one.run} for one in exported]
    assert runs[0] != runs[1]


def test_a_conflict_of_which_nothing_was_chosen_lists_every_value_and_no_place(root):
    row = rows_of(made(root, conflict(), ("fee", "reject"), ("city", "reject")))["fee"]
    assert (row["value"], row["status"]) == (None, "rejected")
    assert row["notChosen"] == ["48000", "52000"]
    assert (row["excerpt"], row["locator"]) == (None, None)
    assert row["decisionKind"] == "reject-proposed"


def test_a_rejected_value_keeps_its_place(root):
    row = rows_of(made(root, conflict(), ("city", "reject")))["city"]
    assert (row["value"], row["status"], row["notChosen"]) == ("Basel", "rejected", [])
    assert (row["excerpt"], row["locator"]) == ("City: Basel", "chars:11-22")


@pytest.mark.parametrize("field", ["fee", "city"])
def test_what_could_not_be_confirmed_says_so(root, field):
    other = {"fee": ("city", "accept"), "city": ("fee", "reject")}[field]
    path = made(root, conflict(), (field, "could-not-confirm", {"note": "torn off"}), other)
    row = rows_of(path)[field]
    assert row["decisionKind"] == "could-not-confirm"
    assert row["status"] in {"proposed", "disputed"}
    assert {one["decisionKind"] for one in cells_of(path)} == {
        "could-not-confirm",
        {"fee": "accept-proposed", "city": "reject-proposed"}[field],
    }


def test_a_dispute_shows_in_the_status(root):
    assert rows_of(decided(root, rival_misquoted()))["fee"]["status"] == "disputed"


def test_rows_of_a_list_are_told_apart(root):
    rows = list(value_rows(export_run(decided(root, many(3))).document))
    assert [one["pathIndices"] for one in rows] == ["0", "1", "2"]


def test_lines_keep_the_type_of_a_value(root):
    path = made(root, typed("number", 2.5, "2.5"), ("it", "accept"))
    text = values_jsonl(export_run(path).document)
    assert json.loads(text)["value"] == 2.5
    assert text.endswith(b"\n")
    assert text.count(b"\n") == 1


def test_csv_has_a_header_and_lines_that_end_in_cr_lf(root):
    text = values_csv(export_run(decided(root, conflict())).document)
    assert text.startswith(",".join(COLUMNS).encode() + b"\r\n")
    assert text.count(b"\r\n") == 3


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_a_cell_that_a_spreadsheet_would_run_gets_an_apostrophe(root, start):
    value = f"{start}1+1"
    path = made(root, typed("string", value, value), ("it", "accept"))
    cell = cells_of(path)[0]
    assert cell["value"] == f"'{value}"
    assert cell["excerpt"] == f"It: {value}"
    assert rows_of(path)["it"]["value"] == value


@pytest.mark.parametrize("unseen", ["", "\t", "\r", "\n", " ", "\r\n\t ", "\u00a0", "\ufeff"])
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_what_cannot_be_seen_in_front_of_a_formula_does_not_hide_it(document, unseen, start):
    for value in (f"{unseen}{start}1+1", f"{unseen}1{start}1", unseen):
        document["bundle"]["claims"][0]["value"] = value
        text = values_csv(document).decode()
        cell = next(csv.DictReader(io.StringIO(text, newline="")))["value"]
        assert cell == (f"'{value}" if value.startswith(f"{unseen}{start}") else value)
        assert next(value_rows(document))["value"] == value


@pytest.fixture
def document(root):
    return plain_data(export_run(decided(root, conflict())).text)


def test_a_negative_number_is_guarded_as_well(root):
    path = made(root, typed("number", -5, "-5"), ("it", "accept"))
    assert cells_of(path)[0]["value"] == "'-5"


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("boolean", True, "true"),
        ("array", ["a", 1], '["a",1]'),
        ("object", {"a": 'say "b"'}, '{"a":"say \\"b\\""}'),
        ("string", 'a,"b"', 'a,"b"'),
    ],
)
def test_what_is_no_text_is_json_in_its_cell(root, kind, value, cell):
    text = value if isinstance(value, str) else json.dumps(value)
    assert cells_of(made(root, typed(kind, value, text), ("it", "accept")))[0]["value"] == cell


def test_what_is_absent_is_an_empty_cell(root):
    cell = cells_of(made(root, conflict(), ("fee", "reject"), ("city", "accept")))
    assert (cell[0]["value"], cell[0]["excerpt"], cell[0]["pathIndices"]) == ("", "", "")
    assert cell[0]["notChosen"] == '["48000","52000"]'
    assert cell[1]["notChosen"] == ""


def test_formats_go_by_the_ending_of_a_name():
    assert dict(FORMATS) == {".csv": values_csv, ".jsonl": values_jsonl}


def test_the_rows_need_the_document_alone(root):
    exported = export_run(decided(root, conflict()))
    assert values_jsonl(json.loads(exported.text)) == values_jsonl(exported.document)
