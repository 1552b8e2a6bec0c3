"""Sources to prepared texts: bytes, sizes, versions, PDF, and what is refused.

Rows of the edge cases of extraction proven here: 107 and 109. Left to other files: 96 to 103 and
108 (test_preparation_html), 104 to 106 (test_preparation_transcript).
"""

import json
import sys
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey_fast import limits
from survey_fast.canon import sha256_hex
from survey_fast.errors import SurveyError
from survey_fast.extraction import prepare as preparing
from survey_fast.extraction.pdf import page_of
from survey_fast.extraction.prepare import content_type_of, prepare
from survey_fast.extraction.prepared_artifact import prepared_text_digest
from survey_fast.extraction.source_ref import local_source_ref

VECTORS = Path(__file__).parents[2] / "vectors"
FORMATS = VECTORS / "fieldwork-examples/conformance/formats"
PDF = (VECTORS / "traverse/preparation/minimal-two-page.pdf").read_bytes()


def refused(code, content, **options):
    with pytest.raises(SurveyError) as caught:
        prepare(content, **options)
    assert caught.value.code == code
    return caught.value


def reasons(prepared):
    return [notice.details.get("reason", notice.code) for notice in prepared.warnings]


def test_text_stays_as_it_is():
    text = "\ufeffa\r\nb \u00a0c\n"
    prepared = prepare(text, content_type="text")
    assert (prepared.text, prepared.length, prepared.mode) == (text, 9, "text")
    assert prepared.version == "survey-fast-1"
    assert prepared.raw_digest == sha256_hex(text.encode())
    assert prepared.warnings == ()


def test_a_text_has_its_published_digest():
    cases = json.loads((VECTORS / "traverse/prepared-artifacts.json").read_bytes())["cases"]
    goldens = json.loads(
        (VECTORS / "traverse/preparation/preparation-goldens.v3.json").read_bytes()
    )["cases"]
    for name in ("text", "transcript"):
        text = next(case["text"] for case in cases if case["name"] == f"{name}-golden")
        prepared = prepare(text, content_type="text")
        assert prepared_text_digest(prepared.text) == goldens[name]["digest"]


@pytest.mark.parametrize(
    ("name", "content_type"), [("source.html", "html"), ("source.vtt", "transcript")]
)
def test_the_conformance_formats_prepare_to_what_their_oracle_says(name, content_type):
    oracle = json.loads((FORMATS / "oracle.json").read_bytes())
    assert content_type_of(name) == content_type
    prepared = prepare((FORMATS / name).read_bytes(), content_type=content_type)
    assert prepared.text == oracle["prepared"][content_type]


def test_one_mark_is_removed_from_bytes_and_none_from_characters():
    for codec in ("utf-8", "utf-16-le", "utf-16-be"):
        raw = "\ufeff\ufeffé\r\n".encode(codec)
        prepared = prepare(raw, content_type="text", charset="koi8-r")
        assert prepared.text == "\ufeffé\r\n"
        assert prepared.raw_digest == sha256_hex(raw)
    assert prepare("\ufeffx", content_type="text").text == "\ufeffx"


@pytest.mark.parametrize(
    ("raw", "charset", "text"),
    [
        (b'<meta charset="windows-1252"><p>\x80', None, "€"),
        (b"<meta http-equiv=x content='text/html; charset=ISO-8859-1'><p>\xe9", None, "é"),
        (b"<META CHARSET=utf-16><p>x", None, "x"),
        (b"<meta charset=koi8-r><p>\xe9", "latin1", "é"),
        (b"<p>" + "é".encode(), None, "é"),
    ],
    ids=["meta", "http-equiv", "meta-utf-16", "header-before-meta", "none"],
)
def test_a_page_is_read_in_the_character_set_that_is_declared(raw, charset, text):
    assert prepare(raw, content_type="html", charset=charset).text == text


@pytest.mark.parametrize("charset", ["rot13", "unicode_escape", "utf-7", "zip", "x" * 99, ""])
def test_a_character_set_that_is_no_set_of_characters_is_refused(charset):
    assert prepare(b"x", content_type="text", charset=" UTF-8 ").text == "x"
    refused("INVALID_SOURCE", b"x", content_type="text", charset=charset)


@pytest.mark.parametrize("content_type", ["text", "html", "transcript"])
def test_bytes_that_do_not_decode_are_refused_unless_replacement_is_asked_for(content_type):
    raw = b"WEBVTT\n\n00:00.000 --> 00:01.000\na\xff b"
    assert prepare(raw.replace(b"\xff", b""), content_type=content_type).warnings == ()
    error = refused("INVALID_SOURCE", raw, content_type=content_type)
    assert error.details["offset"] == raw.index(b"\xff")
    prepared = prepare(raw, content_type=content_type, errors="replace")
    assert "a\ufffd b" in prepared.text
    assert reasons(prepared) == ["undecodable-bytes"]
    assert prepare(b"fine", content_type="text", errors="replace").warnings == ()


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (PDF, "text"),
        (PDF, "html"),
        (b"\x89PNG\r\n\x1a\n", "transcript"),
        (b"a\0b", "text"),
        ("%PDF-1.4", "pdf"),
        (b"no pdf", "pdf"),
        (PDF[:300], "pdf"),
        (b"\x89PNG", "png"),
        (b"\xff\xd8\xff", "jpeg"),
    ],
    ids=["pdf-text", "pdf-html", "png-vtt", "nul", "str-pdf", "no-pdf", "cut-pdf", "png", "jpeg"],
)
def test_row_107_content_that_is_not_what_it_is_called_is_refused(content, content_type):
    assert prepare(PDF, content_type="pdf").text
    refused("INVALID_SOURCE", content, content_type=content_type)


def test_characters_that_no_utf8_holds_are_refused():
    refused("json-lone-surrogate", "a\ud800", content_type="text")


@pytest.mark.parametrize("tail", ["x", "😀"], ids=["plain", "pair"])
def test_row_109_a_text_that_is_too_long_is_refused_or_cut_and_said_so(tail):
    most = limits.PREPARED_UNITS
    assert prepare("a" * most, content_type="text").length == most
    long = "a" * (most - 1) + tail * 2
    error = refused("prepared-too-large", long, content_type="text")
    whole = len(long.encode("utf-16-le")) // 2
    assert error.details == {"length": whole}
    prepared = prepare(long, content_type="text", truncate=True)
    assert prepared.length == len(prepared.text) == (most if tail == "x" else most - 1)
    assert prepared.truncated_from == whole
    assert reasons(prepared) == ["truncated"]


def test_a_cut_keeps_the_cues_and_pages_that_are_left(monkeypatch):
    monkeypatch.setattr(preparing, "PREPARED_UNITS", 8)
    source = "00:00.000 --> 00:01.000\nhello\n\n00:01.000 --> 00:02.000\nthere\n"
    source += "\n00:02.000 --> 00:03.000\nyou\n"
    prepared = prepare(source, content_type="transcript", truncate=True)
    assert prepared.text == "hello\nth"
    assert [(one.start, one.end) for one in prepared.cue_offsets] == [(0, 5), (6, 8)]
    assert prepare(PDF, content_type="pdf", truncate=True).page_offsets == (0,)


def test_a_source_of_too_many_bytes_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(preparing, "SOURCE", limits.Cap("a source", 4, 4))
    assert prepare(b"1234", content_type="text").length == 4
    refused("source-too-large", b"12345", content_type="text")
    refused("source-too-large", "éé1", content_type="text")


@pytest.mark.parametrize(
    ("content", "content_type"), [(b"", "text"), ("", "html"), ("WEBVTT\n", "transcript")]
)
def test_an_empty_document_is_prepared_with_a_warning(content, content_type):
    prepared = prepare(content, content_type=content_type)
    assert (prepared.text, prepared.length) == ("", 0)
    assert reasons(prepared) == ["empty-content"]


def test_a_pdf_becomes_the_text_of_its_pages():
    prepared = prepare(PDF, content_type="pdf")
    assert prepared.text == "Section One: Widget totals\nSection Two: Item counts"
    assert prepared.page_offsets == (0, 27)
    assert prepared.mode == "pdf-text"
    assert prepared.version == f"survey-fast-1+pypdf@{metadata.version('pypdf')}"
    assert [page_of(prepared.page_offsets, at) for at in (0, 26, 27, 50)] == [1, 1, 2, 2]


def test_a_pdf_needs_its_extra(monkeypatch):
    assert prepare(PDF, content_type="pdf").text
    monkeypatch.setitem(sys.modules, "pypdf", None)
    error = refused("extra-not-installed", PDF, content_type="pdf")
    assert error.details == {"extra": "pdf"}
    assert "survey-fast[pdf]" in error.message


def test_pages_without_text_leave_no_two_pages_at_one_offset():
    from survey_fast.extraction.pdf import _joined  # noqa: PLC0415

    joined = _joined(["", "a😀", "", "", "b", ""])
    assert joined.text == "\na😀\n\n\nb\n"
    assert joined.page_offsets == (0, 1, 5, 6, 7, 9)


def test_a_font_that_makes_half_characters_is_refused():
    from survey_fast.extraction.pdf import _joined  # noqa: PLC0415

    with pytest.raises(SurveyError) as caught:
        _joined(["a\ud800"])
    assert caught.value.code == "INVALID_SOURCE"


@pytest.mark.parametrize("found", [None, "1 2", "é"])
def test_a_version_that_cannot_be_told_is_refused(monkeypatch, found):
    assert prepare("<p>x", content_type="html").version == (
        f"survey-fast-1+selectolax@{metadata.version('selectolax')}"
    )

    def version(name):
        if found is None:
            raise metadata.PackageNotFoundError(name)
        return found

    preparing._version.cache_clear()
    monkeypatch.setattr(metadata, "version", version)
    error = refused("preparation-version-unknown", "<p>x", content_type="html")
    assert error.details == {"library": "selectolax"}
    assert prepare("<p>x", content_type="html", prep="text").version == "survey-fast-1"
    monkeypatch.undo()
    preparing._version.cache_clear()


@pytest.mark.parametrize(
    "options",
    [
        {"content_type": "docx"},
        {"content_type": "html", "prep": "markdown"},
        {"content_type": "text", "errors": "ignore"},
    ],
    ids=["type", "prep", "errors"],
)
def test_a_choice_that_there_is_not_is_misuse(options):
    with pytest.raises(ValueError, match="is"):
        prepare("x", **options)


@pytest.mark.parametrize("content", [None, 5, ["x"], {"a": 1}])
def test_content_of_another_python_type_is_misuse(content):
    with pytest.raises(TypeError):
        prepare(content, content_type="text")


@pytest.mark.parametrize(
    ("name", "media_type", "content_type"),
    [
        ("a.TXT", None, "text"),
        ("a.md", None, "text"),
        ("a.HTM", None, "html"),
        ("a.b.html", None, "html"),
        ("a.vtt", None, "transcript"),
        ("a.pdf", None, "pdf"),
        ("a.png", None, "png"),
        ("a.jpg", None, "jpeg"),
        ("html", None, "text"),
        (".html", None, "text"),
        ("a.txt", "Text/HTML; charset=x", "html"),
        ("a.vtt", "application/octet-stream", "transcript"),
        ("a", "application/xhtml+xml", "html"),
    ],
)
def test_a_media_type_comes_before_an_extension(name, media_type, content_type):
    assert content_type_of(name, media_type) == content_type


def test_a_local_source_is_named_by_task_and_content():
    digest = sha256_hex(b"x")
    assert local_source_ref("invoice-2", digest) == f"fieldwork-source:v1:invoice-2:{digest}"
    for task, content in (("Upper", digest), ("", digest), ("a\n", digest), ("a", digest[1:])):
        with pytest.raises(ValueError, match="lower-case"):
            local_source_ref(task, content)


@given(
    st.binary(max_size=200),
    st.sampled_from(["text", "html", "transcript", "pdf"]),
    st.sampled_from(["strict", "replace"]),
)
def test_any_bytes_end_in_a_text_or_in_a_refusal(raw, content_type, errors):
    try:
        prepared = prepare(raw, content_type=content_type, errors=errors)
    except SurveyError as error:
        code = error.code
    else:
        code = "INVALID_SOURCE"
        assert prepared.length == len(prepared.text.encode("utf-16-le")) // 2
        assert prepared.raw_digest == sha256_hex(raw)
    assert code == "INVALID_SOURCE"


@pytest.mark.parametrize(
    "unit",
    ["<", "<a", "&", "<!--", "<div>", "<b>", "<script", "<script>", '<a x="', "</x>", "-->", "<1"],
)
@pytest.mark.parametrize("content_type", ["html", "transcript"])
def test_a_flood_of_one_thing_has_a_text(unit, content_type):
    for prep in (None, "text"):
        prepared = prepare(f"x --> y\nword {unit * 20_000}", content_type=content_type, prep=prep)
        assert "word" in prepared.text
