"""An extraction that failed, as the refusal that it is for whoever wanted to go on with it."""

from __future__ import annotations

from typing import Final

from survey_fast.errors import refusal
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.failure import ProviderCallError

__all__ = ["require_usable"]

_ABOUT_ANSWERS: Final = ("provider-warning", "missing-tool-call", "unusable-answer")


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
    if extraction.failures:
        first = extraction.failures[0]
        is_named = first.name not in {ProviderCallError.__name__, first.text}
        said = f"{first.name}: {first.text}" if is_named else first.text
        return f"no call was answered; the first failed with {said}"
    notes = [one.message for one in extraction.warnings if one.code in _ABOUT_ANSWERS]
    return f"nothing that came back could be read{': ' if notes else ''}{''.join(notes[:1])}"
