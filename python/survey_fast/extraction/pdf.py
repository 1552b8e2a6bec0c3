"""PDF to text, page by page; needs the extra ``survey-fast[pdf]``.

The texts of the pages are joined by LF, so that no two pages begin at one offset.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from survey_fast.errors import refusal
from survey_fast.extraction.units import units_of

__all__ = ["LIBRARY", "PdfText", "page_of", "text_of_pdf"]

LIBRARY: Final = "pypdf"
"""The distribution whose version can change the text."""


@dataclass(frozen=True, slots=True)
class PdfText:
    """The text, and where each page begins in it, in UTF-16 code units, strictly ascending."""

    text: str
    page_offsets: tuple[int, ...]


def text_of_pdf(raw: bytes) -> PdfText:
    """The text of a document.

    Raises:
        ExtractionError: ``extra-not-installed``; ``INVALID_SOURCE`` for bytes that are no PDF, a
            damaged one, or one that asks for a password.
    """
    try:
        import pypdf  # noqa: PLC0415 - an extra
    except ImportError:
        message = "reading PDF needs an extra: install survey-fast[pdf]"
        raise refusal("extra-not-installed", message, details={"extra": "pdf"}) from None
    # What a damaged document makes the library say is said by the refusal, and not on a terminal.
    logger = logging.getLogger(LIBRARY)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    try:
        reader = pypdf.PdfReader(BytesIO(raw))
        pages = [page.extract_text() for page in reader.pages]
    except Exception:  # noqa: BLE001 - a damaged document ends in any of many kinds
        message = "the bytes are no PDF that can be read without a password"
        raise refusal("INVALID_SOURCE", message) from None
    return _joined(pages)


def _joined(pages: list[str]) -> PdfText:
    offsets, length = [], 0
    for page in pages:
        # Half of a pair comes from a font table that is wrong; it stands for no character.
        if any("\ud800" <= character <= "\udfff" for character in page):
            message = "a page of the PDF maps its letters to halves of surrogate pairs"
            raise refusal("INVALID_SOURCE", message)
        offsets.append(length)
        length += units_of(page) + 1
    return PdfText("\n".join(pages), tuple(offsets))


def page_of(page_offsets: tuple[int, ...], offset: int) -> int:
    """The page, from 1, on which ``offset`` lies; 0 when there is none."""
    return bisect_right(page_offsets, offset)
