"""An extraction that failed, as the refusal that it is for whoever wanted to go on with it."""

from __future__ import annotations

from survey_fast.errors import refusal
from survey_fast.extraction.extraction import Extraction

__all__ = ["require_usable"]


def require_usable(extraction: Extraction) -> Extraction:
    """The extraction itself, unless it failed; one that was partial is usable.

    Raises:
        ExtractionError: ``EXTRACTION_FAILED`` with category and code of the outcome in
            ``details``; or the refusal that ended it before its first call.
    """
    if extraction.outcome.status != "failure":
        return extraction
    if extraction.refused is not None:
        raise extraction.refused
    raise refusal("EXTRACTION_FAILED", _why(extraction), None, extraction.outcome.to_json())


def _why(extraction: Extraction) -> str:
    """What went wrong, in the words of the first failure."""
    if extraction.message:
        return extraction.message
    first = next((one.text for one in extraction.failures), "")
    if first:
        return f"no call was answered; the first failed with: {first}"
    return "nothing that came back could be read; nothing was written"
