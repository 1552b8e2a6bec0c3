"""Which occurrence of its excerpt a proposal means (``exact-occurrence-v1``).

1. An excerpt is found exactly or not at all: no other case, no other white space, no
   normalisation. Occurrences may overlap. All of them count, wherever the provider looked.
2. A provider's hint counts from 1 among the occurrences that it saw. Without one that fits, the
   first is taken that no earlier proposal of the same field, value and excerpt took; when none is
   free, the last one.
3. Proposals are resolved in one call, in the order of the run. The text is read once for all.

Offsets are UTF-16 code units, ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from survey_fast import _core
from survey_fast.canon import data_json, plain_data
from survey_fast.canon.arguments import sequence_argument, text_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import DEFAULT, ImportLimits, resolved

__all__ = ["resolve_drafts", "resolve_written", "visible_window"]


@collector_paused()
def resolve_drafts(
    text: str, drafts: Sequence[Mapping[str, Any]], *, limits: ImportLimits = DEFAULT
) -> list[dict[str, Any]]:
    """The place of every draft in the prepared text, and what its value and words say.

    Args:
        text: the prepared text.
        drafts: plain data ``{fieldPath, value, excerpt}``, with ``pathIndices``, ``hint``,
            ``window`` (``[start, end]``, all of the text when absent), ``valueType``,
            ``enumValues`` and ``inferenceType`` where they are known.
        limits: caps; ``items`` is the most drafts.

    Returns:
        For each draft ``{start, end, locator, occurrence}``, with ``evidenceMatch`` when its
        type is known; or ``{"dropped": reason}``: ``excerpt-empty``, ``excerpt-not-found`` or
        ``window-invalid``.

    Raises:
        ExtractionError: ``extraction-too-large``.
        JsonError, EnvelopeError: a draft breaks its shape.
    """
    asked = data_json(list(sequence_argument("drafts", drafts)))
    return resolve_written(text_argument("text", text), asked, limits)


def resolve_written(text: str, drafts: bytes, limits: ImportLimits) -> list[dict[str, Any]]:
    """The same for the JSON text of an array of drafts."""
    found: Any = plain_data(_core.resolve_proposals(text.encode(), drafts, resolved(limits)))
    return list(found)


def visible_window(text: str, start: int, visible: str) -> tuple[int, int] | None:
    """The window of what a provider saw, or ``None`` when the text does not read so there."""
    if type(start) is not int or start < 0:
        return None
    end = start + len(visible) + sum(character > "\uffff" for character in visible)
    return (start, end) if _core.span_matches(text, [(start, end, visible)])[0] else None
