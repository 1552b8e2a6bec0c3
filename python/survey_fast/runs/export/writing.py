"""An export becomes text some records at a time: written, scanned, and let go.

1. The text is the canonical text of the whole document, though no more than a few records of it
   are ever written at once. A second copy of a large export is never held.
2. Each part is scanned before it is added, and its findings are told by their place in the whole.
3. The text is refused as soon as it has more bytes than allowed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from survey_fast.canon import canonical_json, data_json, sort_names
from survey_fast.errors import SurveyError, refusal
from survey_fast.runs.disclosure import Disclosure, disclosure_refusal
from survey_fast.runs.export.leaving import Leave

__all__ = ["written"]

_TOGETHER: Final = 64
"""Records written in one go: enough to keep calls few, little enough to keep memory small."""
_NESTED: Final = ("bundle", "reviewRound", "reviewedGrounding")
"""Members whose own members are written one by one."""


def written(document: Mapping[str, Any], leave: Leave, *, what: str, max_bytes: int) -> bytes:
    """The text of an export, a line feed at its end.

    Args:
        document: plain data.
        leave: what may leave although a rule refuses it.
        what: what the document is, for the message.
        max_bytes: most bytes, the line feed apart.

    Raises:
        ExportError: ``EXPORT_TOO_LARGE``.
        RunError: ``DISCLOSURE_REFUSED``, with the pointer of the first finding.
        JsonError: a value that has no canonical text.
    """
    text = io.BytesIO()
    found: list[Disclosure] = []
    for part in _parts(document, ""):
        text.write(part.lead)
        if part.text:
            # Of an array, the brackets are written around all of its parts.
            text.write(part.text if part.first is None else memoryview(part.text)[1:-1])
            found += leave.refused(part.text, part.value, place=part.place)
        if text.tell() > max_bytes:
            raise _too_large(max_bytes)
    if found:
        raise disclosure_refusal(found, what)
    text.write(b"\n")
    # The buffer itself, not a copy of it.
    return text.getvalue()


def _too_large(allowed: int) -> SurveyError:
    message = f"the export would have more than the {allowed} bytes that are allowed"
    return refusal("EXPORT_TOO_LARGE", message, None, {"allowed": allowed})


class _Part(NamedTuple):
    """A piece of a text.

    Attributes:
        lead: what stands before it.
        text: the canonical text of a value, or nothing.
        value: that value.
        pointer: where it stands; of some elements of an array, where that stands.
        first: the index of the first of those elements.
    """

    lead: bytes
    text: bytes = b""
    value: Any = None
    pointer: str = ""
    first: int | None = None

    def place(self, pointer: str) -> str:
        """Where in the whole something is that stands at ``pointer`` in the value."""
        if self.first is None:
            return f"{self.pointer}{pointer}"
        index, _, rest = pointer[1:].partition("/")
        return f"{self.pointer}/{self.first + int(index)}{'/' if rest else ''}{rest}"


def _parts(members: Mapping[str, Any], pointer: str) -> Iterator[_Part]:
    """An object of our own, whose names need no escapes."""
    lead = b"{"
    for name in sort_names(list(members)):
        value, place = members[name], f"{pointer}/{name}"
        lead += f'"{name}":'.encode()
        if name in _NESTED:
            yield _Part(lead)
            yield from _parts(value, place)
        elif isinstance(value, list):
            yield _Part(lead + b"[")
            yield from _elements(value, place)
            yield _Part(b"]")
        else:
            yield _Part(lead, canonical_json(data_json(value)), value, place)
        lead = b","
    yield _Part(b"}" if members else b"{}")


def _elements(values: Sequence[Any], pointer: str) -> Iterator[_Part]:
    lead = b""
    for first in range(0, len(values), _TOGETHER):
        some = list(values[first : first + _TOGETHER])
        yield _Part(lead, canonical_json(data_json(some)), some, pointer, first)
        lead = b","
