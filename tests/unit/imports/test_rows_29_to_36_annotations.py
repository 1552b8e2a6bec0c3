"""Rows 29 to 36 of the import's edge table: what a run says beside its proposals.

Proven: 29, 30, 31, 32, 33, 34, 35, 36.
"""

import pytest
from tests.unit.imports.samples import (
    DIGEST,
    FIRST,
    candidates,
    cases,
    cut,
    newest,
    producer,
    put,
    put_all,
    refused,
    run,
    vendor,
)

INVALID = "envelope-invalid-value"
SECRET = "envelope-authorization-material"
CODE = "/result/providerFailures/0/code"
MADE_BY = f"{FIRST}/producedBy"
MATCH = f"{FIRST}/evidenceMatch"
OFFSETS = "/result/pdfPageOffsets"
LAYOUT = "/result/pdfLayout"
ELEMENT = f"{LAYOUT}/elements/0"
TABLE = f"{LAYOUT}/tables/0"
CELL = f"{TABLE}/cells/0"


@cases(
    "value code",
    {
        "empty": ("", INVALID),
        "number": (42, INVALID),
        "null": (None, INVALID),
        "token": ("ghp_0123456789abcdef", SECRET),
        "129 characters": ("c" * 129, INVALID),
        "sentence": ("too many requests", INVALID),
    },
)
def test_row_29_failure_code_refused(value, code):
    assert refused(run, put(newest("failure-provider"), CODE, value)) == (code, CODE)


@pytest.mark.parametrize("value", ["c" * 128, "429", "rate_limit:burst"])
def test_row_29_failure_code_accepted(value):
    document = put(newest("failure-provider"), CODE, value)
    assert run(document).record["spec"]["envelope"] == document


@cases(
    "member value code",
    {
        "unknown source": ("modelSource", "guessed", INVALID),
        "bare digest": ("requestDigest", "a" * 64, INVALID),
        "short digest": ("requestDigest", DIGEST[:-1], INVALID),
        "upper-case digest": ("requestDigest", DIGEST.upper(), INVALID),
        "empty model": ("model", "", INVALID),
        "model with a space": ("model", "a model", INVALID),
        "model that is a token": ("model", "sk-a1", SECRET),
        "extra member": ("temperature", 0, "envelope-unexpected-member"),
    },
)
def test_row_30_produced_by_refused(member, value, code):
    pointer = f"{MADE_BY}/{member}"
    assert refused(run, put(newest("success-rich"), pointer, value)) == (code, pointer)


@pytest.mark.parametrize("member", ["model", "modelSource", "requestDigest"])
def test_row_30_produced_by_incomplete(member):
    pointer = f"{MADE_BY}/{member}"
    document = cut(newest("success-rich"), pointer)
    assert refused(run, document) == ("envelope-missing-member", pointer)


def test_row_31_model_of_the_answer_and_of_the_run():
    made_by = {"model": "small/model-b", "modelSource": "configured", "requestDigest": DIGEST}
    lead, rival = candidates(run(put(vendor(), MADE_BY, made_by)))
    assert lead["extraction"]["model"] == "small/model-b"
    assert producer(lead)["producedBy"] == made_by
    assert producer(lead)["model"] == "fixture-model"
    assert rival["extraction"]["model"] == producer(rival)["model"] == "fixture-model"
    assert "producedBy" not in producer(rival)
    lead, rival = candidates(run(cut(put(vendor(), MADE_BY, made_by), "/result/model")))
    assert lead["extraction"]["model"] == "small/model-b"
    assert not {"model"} & {*producer(lead), *producer(rival), *rival["extraction"]}


@cases(
    "pointer value code",
    {
        "unknown schema verdict": (f"{MATCH}/schema", "fine", INVALID),
        "unknown excerpt verdict": (f"{MATCH}/valueInExcerpt", "perhaps", INVALID),
        "boundary as text": (f"{MATCH}/tokenBoundary", "yes", INVALID),
        "blank checker": (f"{MATCH}/checkerVersion", " ", INVALID),
        "extra member": (f"{MATCH}/verdict", "ok", "envelope-unexpected-member"),
        "null": (MATCH, None, INVALID),
    },
)
def test_row_32_evidence_match_refused(pointer, value, code):
    assert refused(run, put(newest("success-rich"), pointer, value)) == (code, pointer)


def test_row_32_evidence_match_without_its_checker():
    pointer = f"{MATCH}/checkerVersion"
    document = cut(newest("success-rich"), pointer)
    assert refused(run, document) == ("envelope-missing-member", pointer)


def test_row_32_evidence_match_is_carried():
    match = {
        "checkerVersion": "check-v0",
        "schema": "format-invalid",
        "valueInExcerpt": "not-evaluated",
    }
    assert producer(candidates(run(put(vendor(), MATCH, match)))[0])["evidenceMatch"] == match


@pytest.mark.parametrize("value", [[], [""], ["", "", "a"]], ids=str)
def test_row_33_enum_values_accepted(value):
    result = run(put(vendor(), f"{FIRST}/enumValues", value))
    assert result.is_grounded
    assert result.review_items[0]["spec"]["valueDescriptor"] == {"type": "number"}


def test_row_33_enum_values_refused():
    document = put(vendor(), f"{FIRST}/enumValues", ["a", 1])
    assert refused(run, document) == (INVALID, f"{FIRST}/enumValues/1")


@cases(
    "value code pointer",
    {
        "twice": ([0, 10, 10], "envelope-inconsistent", f"{OFFSETS}/2"),
        "descending": ([5, 3], "envelope-inconsistent", f"{OFFSETS}/1"),
        "below zero": ([-1], INVALID, f"{OFFSETS}/0"),
        "fraction": ([0, 0.5], INVALID, f"{OFFSETS}/1"),
        "no array": (0, INVALID, OFFSETS),
    },
)
def test_row_34_page_offsets_refused(value, code, pointer):
    assert refused(run, put(vendor(), OFFSETS, value)) == (code, pointer)


@pytest.mark.parametrize("value", [[], [0], [5, 999]], ids=str)
def test_row_34_page_offsets_accepted(value):
    assert run(put(vendor(), OFFSETS, value)).is_grounded


def layout():
    """Two pages over the 60 code units of the sample text."""
    page = {"width": 100, "height": 50.5, "unit": "points"}
    bounds = {"x": 0, "y": 0, "width": 100, "height": 50.5}
    cell = {"rowIndex": 0, "columnIndex": 0, "range": {"start": 5, "end": 10}}
    return {
        "pages": [{**page, "pageNumber": 1, "rotation": 90}, {**page, "pageNumber": 2}],
        "elements": [
            {
                "kind": "paragraph",
                "pageNumber": 1,
                "range": {"start": 0, "end": 60},
                "providerType": "",
                "bounds": bounds,
            }
        ],
        "tables": [
            {
                "pageNumber": 2,
                "bounds": bounds,
                "cells": [{**cell, "rowSpan": 9, "bounds": bounds}, {**cell, "columnIndex": 1}],
            }
        ],
    }


@cases(
    "pointer value code",
    {
        "range beyond the text": (f"{ELEMENT}/range/end", 61, "envelope-inconsistent"),
        "empty range": (f"{ELEMENT}/range/end", 0, "envelope-inconsistent"),
        "undeclared page": (f"{ELEMENT}/pageNumber", 3, "envelope-inconsistent"),
        "page 0": (f"{ELEMENT}/pageNumber", 0, INVALID),
        "unknown kind": (f"{ELEMENT}/kind", "title", INVALID),
        "provider type": (f"{ELEMENT}/providerType", 1, INVALID),
        "bounds left of the page": (f"{ELEMENT}/bounds/x", -1, INVALID),
        "bounds of no width": (f"{ELEMENT}/bounds/width", 0, INVALID),
        "unknown member": (f"{ELEMENT}/text", "x", "envelope-unexpected-member"),
        "unknown layout member": (f"{LAYOUT}/fonts", [], "envelope-unexpected-member"),
        "page declared twice": (f"{LAYOUT}/pages/1/pageNumber", 1, "envelope-inconsistent"),
        "page of no height": (f"{LAYOUT}/pages/0/height", 0, INVALID),
        "unknown unit": (f"{LAYOUT}/pages/0/unit", "inches", INVALID),
        "turned by 45": (f"{LAYOUT}/pages/0/rotation", 45, INVALID),
        "table on an undeclared page": (f"{TABLE}/pageNumber", 9, "envelope-inconsistent"),
        "cell beyond the text": (f"{CELL}/range/end", 61, "envelope-inconsistent"),
        "cell of no rows": (f"{CELL}/rowSpan", 0, INVALID),
        "elements not an array": (f"{LAYOUT}/elements", {}, INVALID),
        "null pages": (f"{LAYOUT}/pages", None, INVALID),
    },
)
def test_row_35_layout_refused(pointer, value, code):
    document = put(put(vendor(), LAYOUT, layout()), pointer, value)
    assert refused(run, document) == (code, pointer)


@cases(
    "pointer changes",
    {
        "wider than the page": (f"{ELEMENT}/bounds", {f"{ELEMENT}/bounds/width": 100.5}),
        "shifted over the edge": (f"{ELEMENT}/bounds", {f"{ELEMENT}/bounds/y": 0.25}),
        "table over the edge": (f"{TABLE}/bounds", {f"{TABLE}/bounds/x": 1}),
        "cell over the edge": (f"{CELL}/bounds", {f"{CELL}/bounds/height": 51}),
        "two cells in one place": (f"{TABLE}/cells/1", {f"{TABLE}/cells/1/columnIndex": 0}),
        "no prepared artifact": (LAYOUT, {}),
    },
)
def test_row_35_layout_that_contradicts_itself(pointer, changes):
    document = put_all(put(vendor(), LAYOUT, layout()), changes)
    if not changes:
        document = cut(document, "/result/preparedArtifact")
    assert refused(run, document) == ("envelope-inconsistent", pointer)


def test_row_35_layout_accepted():
    document = put(vendor(), LAYOUT, layout())
    assert run(document).record["spec"]["envelope"] == document
    # Where no page is declared, any page may be named and nothing bounds the bounds.
    wide = put_all(document, {f"{ELEMENT}/bounds/width": 900, f"{TABLE}/pageNumber": 7})
    assert run(cut(wide, f"{LAYOUT}/pages")).is_grounded


def test_row_36_layout_is_part_of_every_identity():
    document = put(vendor(), LAYOUT, layout())
    for other in (put(document, f"{ELEMENT}/pageNumber", 2), vendor()):
        (before,), (after,) = run(document).review_items, run(other).review_items
        assert before["metadata"]["name"] != after["metadata"]["name"]
        assert producer(before)["evidenceId"] != producer(after)["evidenceId"]
        assert before["spec"]["candidates"][0]["id"] != after["spec"]["candidates"][0]["id"]


def test_row_36_order_of_layout_elements_is_not():
    elements = [
        {"kind": kind, "pageNumber": page, "range": {"start": start, "end": end}}
        for start, end, page, kind in [
            (0, 5, 1, "heading"),
            (0, 5, 1, "list"),
            (0, 5, 2, "figure"),
            (0, 9, 1, "figure"),
            (3, 4, 1, "figure"),
        ]
    ]
    ordered = put(put(vendor(), LAYOUT, layout()), f"{LAYOUT}/elements", elements)
    assert run(ordered).record["spec"]["envelope"] == ordered
    assert run(put(ordered, f"{LAYOUT}/elements", elements[::-1])) == run(ordered)
    pages = ordered["result"]["pdfLayout"]["pages"]
    assert run(put(ordered, f"{LAYOUT}/pages", pages[::-1])) == run(ordered)
    cells = ordered["result"]["pdfLayout"]["tables"][0]["cells"]
    assert run(put(ordered, f"{TABLE}/cells", cells[::-1])) == run(ordered)
