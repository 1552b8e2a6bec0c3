"""The deterministic provider of a task.

Proven: rows 8, 9, 10 (the refusal) and 11 (values keep their types) of the runs' edge table, and
27 of its defects (a label stands anywhere in a line, the first match of a chunk counts). Left to
the run: that nothing is stored (10), bundles (11), spans (12, 13).
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.extraction.running import run
from tests.unit.extraction.samples_providers import found, request

from survey_fast.errors import ExtractionError
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.provider import CAPABILITIES
from survey_fast.extraction.providers.offline import OFFLINE_NAME, OfflineProvider
from survey_fast.extraction.task import Projection, read_task

EXAMPLES = Path(__file__).parents[2] / "vectors" / "fieldwork-examples"
ORACLES = sorted(path.parent.name for path in EXAMPLES.glob("examples/*/oracle.json"))
CLAIM = {"subjectType": "s", "subjectId": "1", "facet": "f", "claimType": "c", "impactLevel": "low"}


def read(content, *fields, order=None):
    """Fields are ``(path, label, type)``."""
    schema = [{"path": path, "type": kind} for path, _, kind in fields]
    rules = [Projection(path, label, CLAIM) for path, label, _ in order or fields]
    return OfflineProvider(rules).extract(request(content, schema))


def refused(content, kind, **more):
    with pytest.raises(ExtractionError) as caught:
        OfflineProvider([Projection("a", "A", CLAIM)]).extract(
            request(content, [{"path": "a", "type": kind, **more}])
        )
    assert caught.value.code == "EXTRACTION_FAILED"
    told = caught.value.details
    assert (told["fieldPath"], told["label"], told["type"]) == ("a", "A", kind)
    assert told["locator"] == f"chars:0-{len(content)}"
    assert content.removeprefix("A: ").startswith(told["text"].removesuffix("…"))
    assert len(told["text"]) <= 60


@pytest.mark.parametrize("name", ORACLES)
def test_published_examples_give_the_published_proposals(name):
    folder = EXAMPLES / "examples" / name
    task = read_task((folder / "task.json").read_bytes())
    source = (folder / "source.txt").read_bytes().decode()
    output = OfflineProvider(task.projections).extract(request(source, task.target_schema))
    oracle = json.loads((folder / "oracle.json").read_text())
    assert found(output) == [
        (one["fieldPath"], one["value"], one["excerpt"]) for one in oracle["proposals"]
    ]


def test_a_proposal_is_sure_of_itself_and_costs_nothing():
    output = read("A: x", ("a", "A", "string"))
    assert output.proposals == [
        {
            "fieldPath": "a",
            "candidateValue": "x",
            "extractor": OFFLINE_NAME,
            "provenance": {"excerpt": "A: x"},
            "confidence": 1,
        }
    ]
    assert (output.raw.model, output.raw.model_source) == (OFFLINE_NAME, "configured")
    assert output.raw.tokens_used == 0
    assert is_identity(OFFLINE_NAME)
    assert OfflineProvider.capabilities.supported == set(CAPABILITIES)


def test_row_008_projections_reversed_keep_source_order():
    fields = ("a", "A", "string"), ("b", "B", "string")
    text = "B: 2\nA: 1\n"
    assert found(read(text, *fields)) == [("b", "2", "B: 2"), ("a", "1", "A: 1")]
    assert read(text, *fields) == read(text, *fields, order=fields[::-1])


def test_row_009_one_span_is_ordered_by_field_path():
    output = read(
        "A: 1", ("\U0001f600", "A", "string"), ("\uffff", "A", "string"), ("a", "A", "string")
    )
    assert [path for path, *_ in found(output)] == ["a", "\U0001f600", "\uffff"]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("boolean", "true", "truthy"),
        ("number", "12", "12px"),
        ("array", "[1]", "{}"),
        ("object", '{"a": 1}', "[]"),
        ("object", "{}", "null"),
        ("number", "1e3", "1e400"),
        ("number", "-1", "+1"),
        ("number", "0", "NaN"),
        ("number", "1", "true"),
        ("boolean", "false", "1"),
        ("number", "9007199254740992", "9007199254740993"),
        ("object", '{"a": 1}', '{"a": 1, "a": 2}'),
        ("array", "[" * 128 + "]" * 128, "[" * 129 + "]" * 129),
        ("number", "1", '"\\ud800"'),
    ],
    ids=range(14),
)
def test_row_010_values_that_cannot_be_read(kind, good, bad):
    assert found(read(f"A: {good}", ("a", "A", kind)))
    refused(f"A: {bad}", kind)


def test_row_010_a_word_outside_an_enum():
    words = {"enumValues": ["on", "off"]}
    rules = [Projection("a", "A", CLAIM)]
    output = OfflineProvider(rules).extract(
        request("A: on \n", [{"path": "a", "type": "enum", **words}])
    )
    assert found(output) == [("a", "on", "A: on ")]
    refused("A: On", "enum", **words)


def test_row_011_values_keep_their_types():
    text = 'A: 2.50\nB: true\nC: [1, "x"]\nD: {"k": null}\nE: \u00a02026-01-01\ufeff\nF:  \n'
    output = read(
        text,
        ("a", "A", "number"),
        ("b", "B", "boolean"),
        ("c", "C", "array"),
        ("d", "D", "object"),
        ("e", "E", "date"),
        ("f", "F", "string"),
    )
    values = [value for _, value, _ in found(output)]
    assert values == [2.5, True, [1, "x"], {"k": None}, "2026-01-01", ""]


def test_defect_27_the_first_match_of_a_label_anywhere_counts():
    assert found(read("Substatus: 1\nstatus: 2", ("a", "status", "string"))) == [
        ("a", "1", "status: 1")
    ]
    assert found(read("STATUS: 1", ("a", "status", "string"))) == []


def test_a_label_without_a_value_is_passed_over():
    assert found(read("A: \nA: \nA: x", ("a", "A", "string"))) == [("a", "x", "A: x")]
    assert found(read("A: ", ("a", "A", "string"))) == []


def test_a_carriage_return_stays_in_the_excerpt():
    assert found(read("A: x\r\n", ("a", "A", "string"))) == [("a", "x", "A: x\r")]


def test_characters_of_a_label_mean_themselves():
    assert found(read("AxB: 1\nA.B: 2", ("a", "A.B", "string"))) == [("a", "2", "A.B: 2")]


def test_a_field_that_is_not_asked_for_is_not_read():
    rules = [Projection("a", "A", CLAIM), Projection("b", "B", CLAIM)]
    output = OfflineProvider(rules).extract(
        request("A: x\nB: nothing", [{"path": "a", "type": "string"}])
    )
    assert found(output) == [("a", "x", "A: x")]


def cut(content, shown_again, *fields):
    schema = [{"path": path, "type": kind} for path, _, kind in fields]
    rules = [Projection(path, label, CLAIM) for path, label, _ in fields]
    asked = replace(request(content, schema), shown_again=shown_again)
    return OfflineProvider(rules).extract(asked)


def test_a_line_that_ends_with_its_chunk_is_left_to_the_chunk_that_shows_it_again():
    fields = [("a", "A", "string"), ("fee", "Fee", "number")]
    assert found(cut("A: x\nFee: 12", None, *fields)) == [
        ("a", "x", "A: x"),
        ("fee", 12, "Fee: 12"),
    ]
    assert found(cut("A: x\nFee: 12", 7, *fields)) == [("a", "x", "A: x")]
    assert found(cut("A: x\nFee: 12\n", 8, *fields)) == [("a", "x", "A: x"), ("fee", 12, "Fee: 12")]
    # A value that can be read only whole does not end the run where it is cut.
    assert found(cut('A: x\nFee: {"a', 13, *fields)) == [("a", "x", "A: x")]


def test_a_line_that_no_chunk_shows_whole_is_proposed_with_a_note():
    output = cut("Fee: 12", 6, ("fee", "Fee", "number"))
    assert found(output) == [("fee", 12, "Fee: 12")]
    (note,) = output.warnings
    assert "fee" in note


def test_what_is_shown_again_is_counted_in_code_units():
    content = "A: \U0001f600\U0001f600"
    assert found(cut(content, 7, ("a", "A", "string"))) == []
    assert len(found(cut(content, 6, ("a", "A", "string")))) == 1


@pytest.mark.parametrize("size", [40, 41, 47, 60])
def test_a_run_reads_the_same_values_wherever_its_chunks_end(size):
    lines = [f"Label {at}: {at * 7919}" for at in range(30)]
    text = "\n".join(lines)
    schema = [{"path": f"f{at}", "type": "number"} for at in range(30)]
    provider = OfflineProvider([Projection(f"f{at}", f"Label {at}", CLAIM) for at in range(30)])
    extraction = run(text, provider, schema=schema, chunk_size=size, chunk_overlap=30)
    values = [(one["fieldPath"], one["candidateValue"]) for one in extraction.proposals]
    assert sorted(values) == sorted((f"f{at}", at * 7919) for at in range(30))
    assert extraction.report["notFound"] == []


def test_a_value_that_cannot_be_read_is_told_by_its_line_in_the_whole_text():
    text = "x\n" * 30 + "\U0001f600 A: EUR 48,000\nA: 1\n"
    schema = [{"path": "a", "type": "number"}]
    with pytest.raises(ExtractionError) as caught:
        run(
            text,
            OfflineProvider([Projection("a", "A", CLAIM)]),
            schema=schema,
            chunk_size=40,
            chunk_overlap=10,
        )
    told = caught.value.details
    assert (told["line"], told["text"]) == (31, "EUR 48,000")
    start = text.index("A: EUR") + 1
    assert told["locator"] == f"chars:{start}-{start + len('A: EUR 48,000')}"


def test_a_long_value_that_cannot_be_read_is_shortened():
    with pytest.raises(ExtractionError) as caught:
        read("A: " + "9x" * 500, ("a", "A", "number"))
    assert caught.value.details["text"] == "9x" * 29 + "9…"
    assert "9x9x" not in caught.value.message
