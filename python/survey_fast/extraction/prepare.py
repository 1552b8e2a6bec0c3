"""A source document to the text that is read, quoted and reviewed.

1. Text stays as it is; a page becomes Markdown, or plain text where that is asked for or the page
   is one of which no tree is built; WebVTT becomes what was said; a PDF the text of its pages.
2. The recorded mode is the one that was used. The version names this preparation and every
   library that can change the text, so a text can be told from one made otherwise.
3. Nothing is cut or replaced silently: a text that is too long is refused unless a cut is asked
   for, and every loss is a warning.

Bytes come in, a text goes out. Reading a file, and its size, is the business of the caller.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from typing import Final, Literal, get_args

from survey_fast.canon import Sha256Hex, sha256_hex
from survey_fast.canon.arguments import text_argument
from survey_fast.errors import refusal
from survey_fast.extraction.decoding import Errors, decode_source
from survey_fast.extraction.html_markdown import LIBRARY as TREE_LIBRARY
from survey_fast.extraction.html_markdown import convert_page
from survey_fast.extraction.html_text import text_of
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.js_shell import shell_notice
from survey_fast.extraction.notice import Notice, preparation_note
from survey_fast.extraction.pdf import LIBRARY as PDF_LIBRARY
from survey_fast.extraction.pdf import text_of_pdf
from survey_fast.extraction.pruning import pruning_notice
from survey_fast.extraction.transcript import CueOffset, transcript_of
from survey_fast.extraction.units import Units
from survey_fast.limits import PREPARED_UNITS, SOURCE

__all__ = [
    "BASE_VERSION",
    "ContentType",
    "PreparationMode",
    "Prepared",
    "content_type_of",
    "prepare",
]

ContentType = Literal["text", "html", "transcript", "pdf", "png", "jpeg"]
PreparationMode = Literal["text", "markdown", "transcript", "pdf-text", "image-ocr"]

BASE_VERSION: Final = "survey-fast-1"
"""Changes whenever the text of any source would."""

_CONTENT_TYPES: Final = get_args(ContentType)
_EXTENSIONS: Final[dict[str, ContentType]] = {
    "htm": "html",
    "html": "html",
    "jpeg": "jpeg",
    "jpg": "jpeg",
    "pdf": "pdf",
    "png": "png",
    "vtt": "transcript",
}
_MEDIA_TYPES: Final[dict[str, ContentType]] = {
    "application/pdf": "pdf",
    "application/xhtml+xml": "html",
    "image/jpeg": "jpeg",
    "image/png": "png",
    "text/html": "html",
    "text/vtt": "transcript",
}
_BINARY: Final = frozenset(["pdf", "png", "jpeg"])
_SIGNATURES: Final = (b"%PDF-", b"\x89PNG\r\n", b"\xff\xd8\xff", b"PK\x03\x04", b"GIF8")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text and how it came about.

    Attributes:
        text: the prepared text; every span counts UTF-16 code units of it.
        length: its UTF-16 code units.
        mode: the preparation that was used.
        version: of the preparation and of the libraries it used.
        raw_digest: SHA-256 of the source as it was given, 64 hex; of its UTF-8 for a ``str``.
        warnings: what there is to say, in the order it was found.
        page_offsets: where each page begins, strictly ascending; only of a PDF.
        cue_offsets: which words were spoken when; only of a transcript.
        truncated_from: UTF-16 code units before a cut that was asked for; None when all is here.
    """

    text: str
    length: int
    mode: PreparationMode
    version: str
    raw_digest: Sha256Hex
    warnings: tuple[Notice, ...] = ()
    page_offsets: tuple[int, ...] | None = None
    cue_offsets: tuple[CueOffset, ...] | None = None
    truncated_from: int | None = None


def content_type_of(name: str, media_type: str | None = None) -> ContentType:
    """What a source is, by its media type if that says so, else by the extension of its name."""
    kind = (media_type or "").partition(";")[0].strip().lower()
    if kind in _MEDIA_TYPES:
        return _MEDIA_TYPES[kind]
    stem, dot, extension = name.rpartition(".")
    return _EXTENSIONS.get(extension.lower(), "text") if dot and stem else "text"


def prepare(
    content: bytes | str,
    *,
    content_type: ContentType,
    prep: Literal["text"] | None = None,
    charset: str | None = None,
    errors: Errors = "strict",
    truncate: bool = False,
) -> Prepared:
    """Prepare one source.

    Args:
        content: its bytes; of a text, a page or a transcript also its characters.
        content_type: what it is.
        prep: ``text`` for a page that shall become plain text instead of Markdown.
        charset: the character set that came with the bytes, say in a header.
        errors: ``replace`` puts U+FFFD where bytes do not decode, and warns.
        truncate: cut a text of more than 5,000,000 UTF-16 code units instead of refusing it.

    Raises:
        ExtractionError: ``INVALID_SOURCE``: bytes that do not decode, are no text, or are no PDF;
            an image; characters for a PDF. ``source-too-large``, ``prepared-too-large``,
            ``extra-not-installed``, ``preparation-version-unknown``.
        JsonError: ``json-lone-surrogate``: characters that no UTF-8 text holds.
        TypeError, ValueError: not bytes or str; an unknown choice.
    """
    _check_choices(content_type, prep, errors)
    raw = _raw(content)
    if content_type in _BINARY:
        prepared = _binary(content, raw, content_type)
    else:
        text, notices = _characters(content, raw, content_type, charset, errors)
        prepared = _PREPARATIONS[content_type](text, sha256_hex(raw), prep)
        prepared = replace(prepared, warnings=(*notices, *prepared.warnings))
    return _bounded(prepared, truncate=truncate)


def _check_choices(content_type: str, prep: str | None, errors: str) -> None:
    if content_type not in _CONTENT_TYPES:
        message = f"a content type is one of {', '.join(_CONTENT_TYPES)}"
        raise ValueError(message)
    if prep not in {None, "text"}:
        message = "the only other preparation of a page is 'text'"
        raise ValueError(message)
    if errors not in get_args(Errors):
        message = "errors is 'strict' or 'replace'"
        raise ValueError(message)


def _raw(content: bytes | str) -> bytes:
    raw = content if isinstance(content, bytes) else text_argument("content", content).encode()
    if len(raw) > SOURCE.default:
        message = f"a source has at most {SOURCE.default} bytes"
        raise refusal("source-too-large", message, details={"bytes": len(raw)})
    return raw


def _binary(content: bytes | str, raw: bytes, content_type: ContentType) -> Prepared:
    if content_type != "pdf":
        message = "no text is read from an image; give the text that it shows"
        raise refusal("INVALID_SOURCE", message, details={"contentType": content_type})
    if isinstance(content, str):
        message = "a PDF is read from its bytes, not from characters"
        raise refusal("INVALID_SOURCE", message, details={"contentType": content_type})
    pdf = text_of_pdf(raw)
    return Prepared(
        text=pdf.text,
        length=0,
        mode="pdf-text",
        version=_version(PDF_LIBRARY),
        raw_digest=sha256_hex(raw),
        page_offsets=pdf.page_offsets,
    )


def _characters(
    content: bytes | str, raw: bytes, content_type: ContentType, charset: str | None, errors: Errors
) -> tuple[str, list[Notice]]:
    if isinstance(content, str):
        return content, []
    if raw.startswith(_SIGNATURES):
        message = "the bytes are those of another kind of document; name its content type"
        raise refusal("INVALID_SOURCE", message, details={"contentType": content_type})
    return decode_source(raw, charset=charset, is_page=content_type == "html", errors=errors)


def _prepare_text(text: str, digest: Sha256Hex, prep: str | None) -> Prepared:
    del prep
    return Prepared(text, 0, "text", BASE_VERSION, digest)


def _prepare_transcript(text: str, digest: Sha256Hex, prep: str | None) -> Prepared:
    del prep
    spoken = transcript_of(text)
    return Prepared(
        spoken.text, 0, "transcript", BASE_VERSION, digest, cue_offsets=spoken.cue_offsets
    )


def _prepare_page(html: str, digest: Sha256Hex, prep: str | None) -> Prepared:
    if prep == "text":
        return _page_as_text(html, digest)
    page = convert_page(html)
    if isinstance(page, str):
        message = (
            "the page is built so that a tree of it could cost too much; it was prepared as text"
        )
        note = preparation_note("markdown-fallback", message, {"excess": page})
        as_text = _page_as_text(html, digest)
        return replace(as_text, warnings=(note, *as_text.warnings))
    found = (pruning_notice(page.removed), shell_notice(html, page.text))
    notices = tuple(notice for notice in found if notice is not None)
    return Prepared(page.text, 0, "markdown", _version(TREE_LIBRARY), digest, notices)


def _page_as_text(html: str, digest: Sha256Hex) -> Prepared:
    text = text_of(html)
    shell = shell_notice(html, text)
    return Prepared(text, 0, "text", BASE_VERSION, digest, () if shell is None else (shell,))


_PREPARATIONS: Final = {
    "html": _prepare_page,
    "text": _prepare_text,
    "transcript": _prepare_transcript,
}


@cache
def _version(library: str) -> str:
    """The version of a preparation that ``library`` takes part in."""
    try:
        version = f"{BASE_VERSION}+{library}@{metadata.version(library)}"
    except metadata.PackageNotFoundError:
        version = ""
    if not is_identity(version):
        message = f"the version of {library} cannot be told; install it from a package"
        raise refusal("preparation-version-unknown", message, details={"library": library})
    return version


def _bounded(prepared: Prepared, *, truncate: bool) -> Prepared:
    """With its length; cut, or refused, when that is too much. Emptiness is a warning."""
    units = Units(prepared.text)
    if units.length > PREPARED_UNITS:
        if not truncate:
            message = (
                f"the prepared text has {units.length} UTF-16 code units, "
                f"more than {PREPARED_UNITS}; ask for a cut, or split the source"
            )
            raise refusal("prepared-too-large", message, details={"length": units.length})
        return _cut(prepared, units)
    if not units.length:
        empty = Notice("empty-content", "nothing was left of the source to read")
        prepared = replace(prepared, warnings=(*prepared.warnings, empty))
    return replace(prepared, length=units.length)


def _cut(prepared: Prepared, units: Units) -> Prepared:
    end = units.whole(PREPARED_UNITS)
    message = f"the text was cut after {end} of {units.length} UTF-16 code units, as asked"
    note = preparation_note("truncated", message, {"kept": end, "length": units.length})
    pages, cues = prepared.page_offsets, prepared.cue_offsets
    return replace(
        prepared,
        text=units.slice(0, end),
        length=end,
        warnings=(*prepared.warnings, note),
        page_offsets=None if pages is None else tuple(at for at in pages if at < end),
        cue_offsets=None
        if cues is None
        else tuple(replace(cue, end=min(cue.end, end)) for cue in cues if cue.start < end),
        truncated_from=units.length,
    )
