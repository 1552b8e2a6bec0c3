"""An export becomes text some records at a time: written, scanned, and let go.

1. The text is the canonical text of the whole document, though no more than a few records of it
   are ever written at once. The pieces are joined when all of them are there.
2. A record is let go once it is text. Where nobody else holds it, memory of records shrinks as fast
   as the text grows, if what keeps others in place goes first: what stands around the bundle, which
   was made last, in small pieces between all the others; its claims, which were added to last; and
   of each list the end, whose records hold parts of earlier ones.
3. Each part is scanned while the next ones are written. Findings are told by their place in the
   whole and in its order: the first thousand, or all where some may leave.
4. A text with more bytes than allowed is refused as such, whatever was found in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

from survey_fast import _core
from survey_fast.canon import plain_data, sort_names
from survey_fast.errors import SurveyError, refusal
from survey_fast.runs.disclosure import Disclosure, DisclosureScanner, disclosure_refusal
from survey_fast.runs.export.leaving import Leave

__all__ = ["Outgoing", "Written", "written"]

_TOGETHER: Final = 64
"""Records that are written in one go at first."""
_LARGE: Final = 1 << 19
"""Bytes that a part should have: enough to keep calls few, little enough to stay in a cache."""
_BUNDLE: Final = "bundle"
_NESTED: Final = ("/bundle", "/reviewRound", "/reviewedGrounding")
"""Objects whose members are written one by one."""


class Outgoing:
    """A document on its way out, which belongs to whoever takes it.

    Whoever makes one gives the document away. Nothing in it is changed by being written; but its
    records only make room for its text where nobody else holds it, a list or a record in it.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document: Mapping[str, Any] | None = document

    @property
    def document(self) -> Mapping[str, Any]:
        """To be looked at, as plain data. Raises ValueError once it was taken."""
        if self._document is None:
            message = "the document is gone: it was written"
            raise ValueError(message)
        return self._document

    def take(self) -> dict[str, Any]:
        """Its members, for good. Raises ValueError when somebody took them before."""
        members = dict(self.document)
        self._document = None
        return members


class Written(NamedTuple):
    """A document as text.

    Attributes:
        text: its canonical text, a line feed at its end.
        members: where in the text, in bytes, the value of each member stands.
    """

    text: bytes
    members: Mapping[str, slice]


def written(outgoing: Outgoing, leave: Leave, *, what: str, max_bytes: int) -> Written:
    """Write an export. The document is taken.

    Args:
        outgoing: what to write.
        leave: what may leave although a rule refuses it.
        what: what the document is, for the message.
        max_bytes: most bytes, the line feed apart.

    Raises:
        ExportError: ``EXPORT_TOO_LARGE``.
        RunError: ``DISCLOSURE_REFUSED``, with the pointer of the first finding.
        JsonError: a value that has no canonical text.
        ValueError: the document was taken before.
    """
    sections = [*_sections(outgoing.take())]
    with DisclosureScanner(most=leave.most) as scanner:
        writer = _Writer(leave, scanner, max_bytes)
        for section in sorted(sections, key=_Section.is_of_bundle):
            writer.write(section)
        writer.finish()
    found = [*chain.from_iterable(one.found() for one in sections)]
    if found:
        raise disclosure_refusal(found[: leave.most], what)
    pieces = chain.from_iterable(one.pieces() for one in sections)
    return Written(b"".join((*pieces, b"\n")), _places(sections))


def _too_large(allowed: int) -> SurveyError:
    message = f"the export would have more than the {allowed} bytes that are allowed"
    return refusal("EXPORT_TOO_LARGE", message, None, {"allowed": allowed})


class _Part(NamedTuple):
    """A piece of a text.

    Attributes:
        text: the canonical text of a value, or what stands around one.
        pointer: where the value stands; of some elements of an array, where the array does.
        first: the index of the first of those elements.
    """

    text: bytes
    pointer: str | None = None
    first: int | None = None

    def place(self, pointer: str) -> str:
        """Where in the whole something is that stands at ``pointer`` in the value."""
        if self.first is None:
            return f"{self.pointer}{pointer}"
        index, _, rest = pointer[1:].partition("/")
        return f"{self.pointer}/{self.first + int(index)}{'/' if rest else ''}{rest}"


@dataclass(slots=True, eq=False)
class _Section:
    """A stretch of the text: of one value, or of what stands around values.

    Nothing is made for each part but the text of it: small objects that stay would keep the memory
    in place that the records leave.

    Attributes:
        parts: its parts, the last one first.
        member: the member of the document in whose value it stands, if it stands in one.
        size: bytes of the text so far.
    """

    parts: Iterator[_Part]
    member: str | None
    size: int = 0
    _texts: list[bytes] = field(default_factory=list)
    _are_some: list[bool] = field(default_factory=list)
    _refused: list[list[Disclosure]] = field(default_factory=list)

    def is_of_bundle(self) -> bool:
        """Whether it stands in the bundle."""
        return self.member == _BUNDLE

    def add(self, part: _Part) -> int:
        """Put a part before those that were added, and give the bytes that it takes."""
        are_some = part.first is not None
        self._texts.append(part.text)
        self._are_some.append(are_some)
        # Of an array, the brackets are written around all of its parts.
        size = len(part.text) - 2 * are_some
        self.size += size
        return size

    def refuse(self, found: list[Disclosure]) -> None:
        """Remember what of the next part must not leave, in the order in which they were added."""
        self._refused.append(found)

    def found(self) -> Iterator[Disclosure]:
        """What must not leave, in the order of the text."""
        return chain.from_iterable(reversed(self._refused))

    def pieces(self) -> Iterator[bytes | memoryview]:
        """What to join."""
        for text, are_some in zip(reversed(self._texts), reversed(self._are_some), strict=True):
            yield memoryview(text)[1:-1] if are_some else text


class _Writer:
    """Rules 3 and 4."""

    def __init__(self, leave: Leave, scanner: DisclosureScanner, max_bytes: int) -> None:
        self._leave = leave
        self._scanner = scanner
        self._max_bytes = max_bytes
        self._size = 0
        self._unscanned: deque[tuple[_Section, _Part]] = deque()

    def write(self, section: _Section) -> None:
        """Write a section. Raises ExportError, JsonError."""
        for part in section.parts:
            self._size += section.add(part)
            if self._size > self._max_bytes:
                raise _too_large(self._max_bytes)
            if part.pointer is not None:
                self._unscanned.append((section, part))
                self._judge(self._scanner.hand_in(part.text))

    def finish(self) -> None:
        """Wait for the scan of what was written."""
        self._judge(self._scanner.rest())

    def _judge(self, scanned: Iterable[list[Disclosure]]) -> None:
        for found in scanned:
            section, part = self._unscanned.popleft()
            if found:
                document = partial(plain_data, part.text)
                section.refuse(self._leave.judged(found, document, place=part.place))


def _sections(members: dict[str, Any], pointer: str = "") -> Iterator[_Section]:
    """Those of an object of our own, whose names need no escapes; it is emptied."""
    names, member = sort_names(list(members)), pointer[1:] or None
    for name in names:
        lead = f'{"{" if name == names[0] else ","}"{name}":'
        yield _Section(iter((_Part(lead.encode()),)), member)
        inner = f"{pointer}/{name}"
        if inner in _NESTED:
            yield from _sections(dict(members.pop(name)), inner)
        else:
            yield _Section(_parts(members.pop(name), inner), member or name)
    yield _Section(iter((_Part(b"}" if names else b"{}"),)), member)


def _parts(value: Any, pointer: str) -> Iterator[_Part]:  # noqa: ANN401 - any JSON value
    """The parts of a value, the last one first. No frame goes on holding what is let go here."""
    if not isinstance(value, list):
        yield _Part(_core.plain_canonical(value, lossless=False), pointer)
        return
    left, count = value.copy(), _TOGETHER
    del value
    yield _Part(b"]" if left else b"[]")
    while left:
        count = min(count, len(left))
        part = _Part(_taken(left, count), pointer, len(left))
        yield part
        yield _Part(b"," if left else b"[")
        count = max(1, min(2 * count, count * _LARGE // len(part.text)))


def _taken(left: list[Any], count: int) -> bytes:
    """The text of the last so many values, which are not left any more."""
    some = left[-count:]
    del left[-count:]
    return _core.plain_canonical(some, lossless=False)


def _places(sections: Iterable[_Section]) -> dict[str, slice]:
    """Where the value of each member stands."""
    starts, ends, at = dict[str, int](), dict[str, int](), 0
    for one in sections:
        if one.member is not None:
            starts.setdefault(one.member, at)
            ends[one.member] = at + one.size
        at += one.size
    return {name: slice(starts[name], end) for name, end in ends.items()}
