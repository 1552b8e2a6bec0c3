"""Documents of the langextract package become envelopes; no interval is believed unchecked.

Documents are made with the package's own classes and written by its own function.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from langextract import data_lib
from langextract.core.data import (
    AlignmentStatus,
    AnnotatedDocument,
    CharInterval,
    Extraction,
)
from tests.unit.extraction.running import MOMENT, RUN_ID

from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction.langextract import (
    LangExtractOptions,
    extraction_of_langextract,
    read_langextract_lines,
)
from survey_fast.imports import available_artifact, import_envelope, span_matches

TEXT = "👩🏽‍⚕️ Dr. Ada gave 5 mg of cafe\u0301ine 😀, then 5 mg of 水 to Zoë."


def units(text):
    return len(text.encode("utf-16-le")) // 2


def at(words, start=0, text=TEXT):
    place = text.index(words, start)
    return CharInterval(place, place + len(words))


def made(kind, words, interval="exact", text=TEXT, **rest):
    place = at(words, text=text) if interval == "exact" else interval
    return Extraction(kind, words, char_interval=place, **rest)


def adapted(*extractions, text=TEXT, document_id="case-7", **options):
    document = AnnotatedDocument(document_id=document_id, extractions=list(extractions), text=text)
    result = extraction_of_langextract(
        document, run_id=RUN_ID, extracted_at=MOMENT, options=LangExtractOptions(**options)
    )
    for one in result.proposals:
        place = one["provenance"]["occurrence"]["selected"]
        excerpt = one["provenance"]["excerpt"]
        assert span_matches(result.prepared.text, place["start"], place["end"], excerpt)
    return result


def plain(document):
    """The same for a document as its JSON line has it."""
    return extraction_of_langextract(document, run_id=RUN_ID, extracted_at=MOMENT)


def locators(result):
    return [one["provenance"]["locator"] for one in result.proposals]


def dropped(result):
    return [(one["reason"], one["fieldPath"], one["count"]) for one in result.report["dropped"]]


def test_an_extraction_is_a_proposal_of_its_class():
    result = adapted(made("drug", "cafe\u0301ine"))
    (one,) = result.proposals
    start = units(TEXT[: TEXT.index("cafe")])
    assert one["provenance"]["locator"] == f"chars:{start}-{start + 8}"
    assert (one["fieldPath"], one["candidateValue"], one["valueType"], one["inferenceType"]) == (
        "drug",
        "cafe\u0301ine",
        "string",
        "explicit",
    )
    assert (one["extractor"], one["evidenceMatch"]["valueInExcerpt"]) == ("langextract", "match")
    assert "confidence" not in one
    assert (result.warnings, result.document["source"]["ref"]) == ((), "case-7")


def test_places_count_code_units_where_the_package_counts_characters():
    words = ["Dr. Ada", "😀", "水", "Zoë"]
    result = adapted(*[made("thing", one) for one in words])
    starts = [units(TEXT[: TEXT.index(one)]) for one in words]
    ends = [start + units(one) for start, one in zip(starts, words, strict=True)]
    assert locators(result) == [
        f"chars:{start}-{end}" for start, end in zip(starts, ends, strict=True)
    ]
    assert starts[0] != TEXT.index("Dr. Ada")


def test_an_interval_that_holds_decides_which_of_several_places_it_is():
    later = CharInterval(TEXT.rindex("5 mg"), TEXT.rindex("5 mg") + 4)
    result = adapted(Extraction("dose", "5 mg", char_interval=later))
    occurrence = result.proposals[0]["provenance"]["occurrence"]
    assert (occurrence["selected"]["index"], occurrence["count"]) == (1, 2)
    assert result.warnings == ()


@pytest.mark.parametrize(
    "interval",
    [
        None,
        CharInterval(None, None),
        CharInterval(3, None),
        CharInterval(0, 4),
        CharInterval(TEXT.index("5 mg") + 1, TEXT.index("5 mg") + 5),
        CharInterval(TEXT.index("5 mg"), TEXT.index("5 mg") + 5),
        CharInterval(-4, 0),
        CharInterval(10**9, 10**9 + 4),
        CharInterval(10**400, 10**400 + 4),
        CharInterval(start_pos=True, end_pos=4),
        CharInterval("7", 4),
        CharInterval(9, 5),
    ],
    ids=range(12),
)
def test_an_interval_that_does_not_hold_is_looked_up_again_and_told(interval):
    exact = adapted(made("dose", "5 mg"))
    result = adapted(made("dose", "5 mg", interval))
    assert locators(result) == locators(exact)
    assert [(one.category, one.code) for one in result.warnings] == [
        ("normalization", "proposal-normalization")
    ]
    assert dropped(result) == []


@pytest.mark.parametrize("status", list(AlignmentStatus), ids=lambda status: status.value)
def test_words_that_stand_nowhere_are_left_out_whatever_the_alignment_says(status):
    fuzzy = made("drug", "caffeine", at("cafe\u0301ine"), alignment_status=status)
    result = adapted(fuzzy, made("name", "Zoë"))
    assert [one["fieldPath"] for one in result.proposals] == ["name"]
    assert dropped(result) == [("excerpt-not-found", "drug", 1)]
    assert result.document["result"]["outcome"] == {"status": "success"}


def test_composed_and_decomposed_letters_are_not_the_same_words():
    assert dropped(adapted(made("drug", "caf\u00e9ine", None))) == [
        ("excerpt-not-found", "drug", 1)
    ]


def test_a_place_that_is_certain_is_not_given_to_one_that_is_not():
    first = at("5 mg")
    result = adapted(Extraction("dose", "5 mg"), Extraction("dose", "5 mg", char_interval=first))
    assert [one["provenance"]["occurrence"]["selected"]["index"] for one in result.proposals] == [
        1,
        0,
    ]


def test_attributes_are_inferred_from_the_words_of_their_extraction():
    later = CharInterval(TEXT.rindex("5 mg"), TEXT.rindex("5 mg") + 4)
    attributes = {"unit": "mg", "amount": 5, "tags": ["a", "b"], "given": True, "no": None}
    result = adapted(
        made("dose", "5 mg", attributes={"unit": "mg"}),
        Extraction("dose", "5 mg", char_interval=later, attributes=attributes),
    )
    found = [(one["fieldPath"], one["valueType"], one["inferenceType"]) for one in result.proposals]
    assert found == [
        ("dose", "string", "explicit"),
        ("dose.unit", "string", "inferred"),
        ("dose", "string", "explicit"),
        ("dose.unit", "string", "inferred"),
        ("dose.amount", "number", "inferred"),
        ("dose.tags", "array", "inferred"),
        ("dose.given", "boolean", "inferred"),
    ]
    assert len(set(locators(result)[:2])) == len(set(locators(result)[2:])) == 1
    assert locators(result)[0] != locators(result)[2]
    assert dropped(result) == [("value-absent", "dose.no", 1)]


def test_attributes_follow_an_extraction_that_was_looked_up():
    result = adapted(
        Extraction("dose", "5 mg", attributes={"to": "Ada"}),
        Extraction("dose", "5 mg", attributes={"to": "Zoë"}),
    )
    places = locators(result)
    assert places[0] == places[1] != places[2] == places[3]


def test_attributes_go_with_their_extraction():
    result = adapted(made("drug", "caffeine", None, attributes={"a": "b"}))
    assert dropped(result) == [
        ("excerpt-not-found", "drug", 1),
        ("excerpt-not-found", "drug.a", 1),
    ]


def test_rows_keep_extractions_of_one_class_and_their_attributes_together():
    later = CharInterval(TEXT.rindex("5 mg"), TEXT.rindex("5 mg") + 4)
    result = adapted(
        made("dose", "5 mg", attributes={"to": "Ada"}),
        made("name", "Zoë"),
        Extraction("dose", "5 mg", char_interval=later, attributes={"to": "Zoë"}),
        rows=True,
    )
    assert [(one["fieldPath"], one["pathIndices"]) for one in result.proposals] == [
        ("dose[]", [0]),
        ("dose[].to", [0]),
        ("name[]", [0]),
        ("dose[]", [1]),
        ("dose[].to", [1]),
    ]
    assert len(result.report["identities"]) == 5


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        (Extraction("", "Zoë"), ("field-path-blank", None, 1)),
        (Extraction(None, "Zoë"), ("field-path-blank", None, 1)),
        (Extraction("\ud800", "Zoë"), ("field-path-ill-formed", None, 1)),
        (Extraction("a", " \n"), ("excerpt-blank", "a", 1)),
        (Extraction("a", None), ("excerpt-blank", "a", 1)),
        (Extraction("a", 5), ("excerpt-blank", "a", 1)),
        (Extraction("a", "\ud83d"), ("excerpt-ill-formed", "a", 1)),
        ("prose", ("not-an-object", None, 1)),
    ],
    ids=range(8),
)
def test_what_is_no_extraction_is_left_out_and_counted(odd, expected):
    result = adapted(odd, made("name", "Zoë"))
    assert [one["fieldPath"] for one in result.proposals] == ["name"]
    assert dropped(result) == [expected]


def test_words_are_trimmed_and_the_place_with_them():
    text = "a  Zoë  b"
    interval = CharInterval(1, 8)
    result = adapted(Extraction("name", "  Zoë  ", char_interval=interval), text=text)
    assert locators(result) == ["chars:3-6"]
    assert result.warnings == ()


@pytest.mark.parametrize("name", [None, "doc_0123abcd"], ids=["unset", "random"])
def test_a_document_without_a_name_of_its_own_is_called_by_its_text(name):
    result = adapted(made("name", "Zoë"), document_id=name)
    assert result.document["source"]["ref"] == f"text:sha256:{sha256_hex(TEXT.encode())}"
    again = adapted(made("name", "Zoë"), document_id=name)
    assert again.envelope == result.envelope


class Own:
    """A document of somebody else's class."""

    text = "Fee: 5"
    document_id = "own-3"
    extractions = ()


def test_any_object_with_these_members_is_a_document():
    result = extraction_of_langextract(Own(), run_id=RUN_ID, extracted_at=MOMENT)
    assert result.document["source"]["ref"] == "own-3"


def test_the_caller_may_name_source_snapshot_and_model():
    result = adapted(
        made("name", "Zoë"), source_ref="doc:9", snapshot_ref="snap:9", model="gemini-2.5-flash"
    )
    assert result.document["source"] == {"ref": "doc:9", "snapshotRef": "snap:9"}
    assert result.document["result"]["model"] == "gemini-2.5-flash"


def test_a_document_that_was_read_whole_is_a_document_that_can_be_reviewed():
    result = adapted(made("drug", "水"), made("dose", "5 mg"))
    target = {"subjectType": "s", "subjectId": "1", "facet": "f", "claimType": "c"}
    targets = {path: {**target, "impactLevel": "low"} for path in ("drug", "dose")}
    imported = import_envelope(
        result.envelope,
        source_kind="uploaded-document",
        claim_targets=targets,
        artifact=available_artifact(result.prepared.text),
    )
    assert imported.record["status"]["provenance"] == "verified"


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (AnnotatedDocument(text=None, extractions=[]), "/text"),
        (AnnotatedDocument(text="x", extractions=None), "/extractions"),
        ({"text": "x", "extractions": {}}, "/extractions"),
        ({}, "/text"),
        (7, "/text"),
    ],
    ids=range(5),
)
def test_a_document_without_text_or_extractions_is_refused(document, pointer):
    with pytest.raises(SurveyError) as caught:
        extraction_of_langextract(document, run_id=RUN_ID, extracted_at=MOMENT)
    assert (caught.value.code, caught.value.pointer) == ("INVALID_SOURCE", pointer)


def test_a_document_of_which_nothing_was_extracted_is_a_success():
    result = adapted()
    assert (result.proposals, result.report["dropped"]) == ([], [])
    assert "notFound" not in result.report


def line(*extractions, document_id="case-7", text=TEXT):
    document = AnnotatedDocument(document_id=document_id, extractions=list(extractions), text=text)
    return json.dumps(data_lib.annotated_document_to_dict(document), ensure_ascii=False)


def test_a_saved_document_gives_the_same_bytes_as_the_document_itself():
    extractions = [
        made("dose", "5 mg", attributes={"to": "Ada"}, group_index=0, extraction_index=1),
        made("drug", "caffeine", at("cafe\u0301ine"), alignment_status=AlignmentStatus.MATCH_FUZZY),
    ]
    (stored,) = read_langextract_lines(line(*extractions).encode())
    read = extraction_of_langextract(stored, run_id=RUN_ID, extracted_at=MOMENT)
    assert read.envelope == adapted(*extractions).envelope
    assert read.report == adapted(*extractions).report


def test_lines_are_documents_and_empty_ones_are_nothing():
    lines = "\n".join([line(made("name", "Zoë")), "", line(document_id="case-8"), " "])
    assert [one["document_id"] for one in read_langextract_lines(lines)] == ["case-7", "case-8"]


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ("{", "json-syntax"),
        ("[]", "INVALID_SOURCE"),
        ('{"text": NaN}', "json-syntax"),
        ('{"a": 1, "a": 2}', "json-duplicate-member"),
        ('"\\ud800"', "json-lone-surrogate"),
    ],
    ids=range(5),
)
def test_a_line_that_is_no_document_is_named(second, code):
    good = line(made("name", "Zoë"))
    assert len(read_langextract_lines(f"{good}\n{good}")) == 2
    with pytest.raises(SurveyError) as caught:
        read_langextract_lines(f"{good}\n{second}")
    assert (caught.value.code, caught.value.details["line"]) == (code, 2)


def test_a_file_without_a_document_is_refused():
    with pytest.raises(SurveyError) as caught:
        read_langextract_lines(b"\n \n")
    assert caught.value.code == "INVALID_SOURCE"


def test_the_package_is_not_needed():
    check = (
        "import sys, survey_fast.extraction.langextract as module\n"
        "assert module.PROVIDER and 'langextract' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


@pytest.mark.parametrize(
    "name",
    ["/home/someone/case.txt", "C:\\\\case.txt", "https://h/?token=x", "\ud800", 5, " "],
    ids=range(6),
)
def test_an_id_that_is_no_name_for_a_source_is_replaced_by_a_digest(name):
    named = {"document_id": "case-7", "text": "Fee: 5", "extractions": []}
    assert plain(named).document["source"]["ref"] == "case-7"
    result = plain({**named, "document_id": name})
    assert result.document["source"]["ref"].startswith("text:sha256:")
    assert name not in result.document["source"].values()


def test_the_same_words_otherwise_composed_stand_nowhere():
    text = "caf\u00e9 cafe\u0301"
    for words, place in (("caf\u00e9", "chars:0-4"), ("cafe\u0301", "chars:5-10")):
        item = {"extraction_class": "a", "extraction_text": words}
        found = plain({"text": text, "extractions": [item]})
        assert found.proposals[0]["provenance"]["locator"] == place
    decomposed = {"extraction_class": "a", "extraction_text": "caf\u00e9"}
    found = plain({"text": "cafe\u0301", "extractions": [decomposed]})
    assert (found.proposals, dropped(found)) == ([], [("excerpt-not-found", "a", 1)])


def test_an_interval_that_counts_code_units_is_looked_up_again():
    item = {
        "extraction_class": "a",
        "extraction_text": "Fee: 5",
        "char_interval": {"start_pos": 3, "end_pos": 9},
    }
    found = plain({"text": "\U0001f600 Fee: 5", "extractions": [item]})
    assert found.proposals[0]["provenance"]["locator"] == "chars:3-9"
    assert len(found.warnings) == 1


def test_what_is_no_extraction_says_what_it_is():
    attribute = {"extraction_class": "a", "extraction_text": "x", "attributes": {"\ud800": 1}}
    found = plain({"text": "x", "extractions": [7, None, [], attribute]})
    assert dropped(found) == [("not-an-object", None, 3), ("field-path-ill-formed", None, 1)]
    assert len(found.proposals) == 1


def test_a_document_laid_out_over_many_lines_is_refused_at_its_first():
    document = {"text": "x", "extractions": []}
    assert len(read_langextract_lines(json.dumps(document))) == 1
    with pytest.raises(SurveyError) as caught:
        read_langextract_lines(json.dumps(document, indent=1))
    assert (caught.value.code, caught.value.details["line"]) == ("json-syntax", 1)


def test_ten_thousand_rows_of_one_text_and_as_many_that_stand_nowhere():
    copies = [{"extraction_class": "a", "extraction_text": "x"}] * 10_000
    nowhere = [{"extraction_class": "a", "extraction_text": f"y{at}"} for at in range(10_000)]
    found = plain({"text": "x x", "extractions": [*copies, *nowhere]})
    assert (len(found.proposals), found.report["duplicates"]) == (2, 9_998)
    assert dropped(found) == [("excerpt-not-found", "a", 10_000)]
