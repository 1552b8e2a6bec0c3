"""Results of the ``langextract`` package as envelopes.

1. A document is an ``AnnotatedDocument``, or what that package writes as one JSON line; the
   package itself is never imported.
2. Each extraction is a proposal: its class the field, its text the value and the excerpt. Each of
   its attributes is one more, ``class.attribute``, inferred from the same words.
3. An interval counts characters, here it is checked: when exactly the extraction's text stands
   there, that place is the excerpt's. A missing interval, or one around anything else (a fuzzy
   match, a text that moved), decides nothing: the first free place of the exact text is taken, and
   there is a warning. Where the exact text stands nowhere, the extraction is left out and counted.
4. An attribute stands where its extraction does.
5. With ``rows`` every extraction is a row of its own, ``class[]``, and its attributes belong to it.
   Without, extractions of one class are values of one field, from which a review chooses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, SupportsIndex

from survey_fast.canon import Json, canonical_json, plain_data
from survey_fast.canon.document import document_bytes
from survey_fast.canon.text import trim
from survey_fast.errors import SurveyError, refusal
from survey_fast.extraction.duplicates import collapse
from survey_fast.extraction.envelope import RunFacts, write_envelope
from survey_fast.extraction.extraction import Extraction
from survey_fast.extraction.grounding import Grounded, Placed, ground
from survey_fast.extraction.normalise import EXCERPT_NOT_FOUND, Draft, Dropped
from survey_fast.extraction.outcome import SUCCESS, Ended
from survey_fast.extraction.prepare import Prepared, prepare
from survey_fast.extraction.prepared_artifact import build_prepared_artifact
from survey_fast.extraction.proposal_identity import identities_of
from survey_fast.extraction.report import LeftOut, build_report, prepared_facts
from survey_fast.extraction.values import UnusableValueError, plain_value
from survey_fast.extraction.warned import Warned, of_preparation, warned
from survey_fast.limits import DEFAULT, ENVELOPE, ImportLimits

__all__ = [
    "PROVIDER",
    "LangExtractOptions",
    "extraction_of_langextract",
    "read_langextract_lines",
]

PROVIDER: Final = "langextract"
"""The envelope's provider, and the extractor of every proposal."""

_RANDOM_ID: Final = re.compile(r"doc_[0-9a-f]{8}")
"""What the package calls a document that nobody named; another one each time."""
_FURTHEST: Final = 2**53
_ANY_RUN: Final = "traverse-extraction-run:00000000-0000-4000-8000-000000000000"
_ANY_INSTANT: Final = "1970-01-01T00:00:00.000Z"
_PAIRED: Final = re.compile("[\U00010000-\U0010ffff]")
_TYPES: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}


@dataclass(frozen=True, slots=True)
class LangExtractOptions:
    """What a document does not say about itself.

    Attributes:
        source_ref: what the source is called; the document's id unless given, or the digest of
            its text when that id is random, or no name that may leave the machine.
        snapshot_ref: the snapshot that the source was taken from.
        model: the model that was asked.
        rows: by rule 5.
        limits: caps of the envelope.
    """

    source_ref: str | None = None
    snapshot_ref: str | None = None
    model: str | None = None
    rows: bool = False
    limits: ImportLimits = field(default=DEFAULT)


def read_langextract_lines(lines: bytes | str) -> list[dict[str, Json]]:
    """The documents of a JSON lines file, in order; empty lines are skipped.

    Raises:
        JsonError: a line is no strict JSON; ``details["line"]`` counts from 1.
        ExtractionError: ``INVALID_SOURCE``: a line holds no object, or there is none.
    """
    documents: list[dict[str, Json]] = []
    for number, line in enumerate(document_bytes(lines).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            document = plain_data(canonical_json(line, max_bytes=ENVELOPE.ceiling))
        except SurveyError as error:
            message = f"{error.message}; every line of this file is one document"
            details = error.details | {"line": number}
            raise refusal(error.code, message, error.pointer, details) from None
        if not isinstance(document, dict):
            message = "every line of this file is one document, an object"
            raise refusal("INVALID_SOURCE", message, None, {"line": number})
        documents.append(document)
    if not documents:
        message = "the file holds no document"
        raise refusal("INVALID_SOURCE", message)
    return documents


def extraction_of_langextract(
    document: object,
    *,
    run_id: str,
    extracted_at: str,
    options: LangExtractOptions | None = None,
) -> Extraction:
    """An annotated document as an extraction: envelope, prepared text and report.

    Args:
        document: an ``AnnotatedDocument`` or anything like it, or one document as plain data.
        run_id: ``traverse-extraction-run:`` and a UUID of version 4.
        extracted_at: the instant, ISO 8601 with a zone.
        options: names, and how rows are read.

    Raises:
        ExtractionError: ``INVALID_SOURCE``: there is no text, or nothing was extracted from it
            yet; ``prepared-too-large``.
        EnvelopeError: a name or instant makes no valid envelope.
        ImportRefusedError: more proposals than any reader takes.
    """
    return _Adapting(document, options or LangExtractOptions()).extraction(run_id, extracted_at)


@dataclass(slots=True)
class _Found:
    """One extraction: its own draft, its window if the interval holds, and its attributes."""

    draft: Draft
    window: tuple[int, int] | None
    attributes: list[Draft]


class _Adapting:
    def __init__(self, document: object, options: LangExtractOptions) -> None:
        text = _member(document, "text")
        extractions = _member(document, "extractions")
        if not isinstance(text, str):
            message = "the document holds no text, so nothing can be looked up in it"
            raise refusal("INVALID_SOURCE", message, "/text")
        if not isinstance(extractions, list | tuple):
            message = "the document holds no list of extractions"
            raise refusal("INVALID_SOURCE", message, "/extractions")
        self.options = options
        self.prepared: Prepared = prepare(text, content_type="text")
        self.text = self.prepared.text
        self.left_out = LeftOut()
        self.warnings: list[Warned] = [of_preparation(one) for one in self.prepared.warnings]
        self.source_ref = options.source_ref or self._own_ref(document)
        self._extractions: Sequence[object] = extractions
        self._units = _UnitsOf(self.text)
        self._rows: dict[str, int] = {}

    def extraction(self, run_id: str, extracted_at: str) -> Extraction:
        found = [one for item in self._extractions if (one := self._found(item)) is not None]
        collapsed = collapse(self._grounded(found))
        self.left_out.duplicates = collapsed.duplicates
        if collapsed.duplicates:
            message = f"{collapsed.duplicates} proposals said what an earlier one had said"
            self.warnings.append(warned("proposal-normalization", message))
        facts = RunFacts(
            source_ref=self.source_ref,
            run_id=run_id,
            extracted_at=extracted_at,
            provider=PROVIDER,
            ended=Ended(SUCCESS),
            proposals=[one.to_json() for one in collapsed.kept],
            model=self.options.model,
            warnings=self.warnings,
            artifact=build_prepared_artifact(
                self.text,
                mode=self.prepared.mode,
                version=self.prepared.version,
                source_snapshot_ref=self.options.snapshot_ref,
            ),
            snapshot_ref=self.options.snapshot_ref,
            limits=self.options.limits,
        )
        envelope, body = write_envelope(facts)
        report = build_report(
            envelope,
            body,
            self.left_out,
            prepared_facts(self.prepared),
            identities=identities_of(envelope, body, key=None, limits=self.options.limits),
        )
        return Extraction(envelope, body, report, SUCCESS, self.prepared, tuple(self.warnings))

    def _own_ref(self, document: object) -> str:
        # The id of an object that has none yet would be drawn by asking for it.
        is_drawn = not isinstance(document, Mapping) and hasattr(document, "_document_id")
        own = _member(document, "_document_id" if is_drawn else "document_id")
        if isinstance(own, str) and trim(own) and not _RANDOM_ID.fullmatch(own):
            if _is_source_name(own):
                return own
            message = "the id of the document is no name for a source; the digest of its text is"
            self.warnings.append(warned("proposal-normalization", message))
        return f"text:sha256:{self.prepared.raw_digest}"

    def _found(self, item: object) -> _Found | None:
        path, text = _member(item, "extraction_class"), _member(item, "extraction_text")
        reason = _fault(path, text) if _is_object(item) else "not-an-object"
        if reason is not None:
            has_path = isinstance(path, str) and reason.startswith("excerpt")
            self._drop(reason, str(path) if has_path else None)
            return None
        path, text, indices = str(path), str(text), None
        if self.options.rows:
            row = self._rows[path] = self._rows.get(path, -1) + 1
            path, indices = f"{path}[]", (row,)
        target = {"path": path, "type": "string", "inferenceType": "explicit"}
        draft = Draft(target, indices, text, trim(text), PROVIDER)
        window = self._window(_member(item, "char_interval"), text)
        return _Found(draft, window, list(self._attributes(item, draft)))

    def _window(self, interval: object, text: str) -> tuple[int, int] | None:
        """The interval in UTF-16 code units, if exactly ``text`` stands there."""
        start, end = (_offset(_member(interval, name)) for name in ("start_pos", "end_pos"))
        if start is None or end is None or start >= end:
            return None
        if end - start != len(text) or not self.text.startswith(text, start):
            return None
        return self._units.at(start), self._units.at(end)

    def _attributes(self, item: object, draft: Draft) -> Iterator[Draft]:
        attributes = _member(item, "attributes")
        for name, told in attributes.items() if isinstance(attributes, Mapping) else ():
            fault = _path_fault(name)
            if fault is not None:
                self._drop(fault, None)
                continue
            path = f"{draft.path}.{name}"
            try:
                value = plain_value(told)
            except UnusableValueError as fault:
                self._drop(str(fault), path)
                continue
            kind = _TYPES.get(type(value))
            if kind is None:
                # Null: the attribute was asked for and not read, so there is nothing to propose.
                self._drop("value-absent", path)
                continue
            target = {"path": path, "type": kind, "inferenceType": "inferred"}
            yield Draft(target, draft.path_indices, value, draft.excerpt, PROVIDER)

    def _grounded(self, found: Sequence[_Found]) -> Iterable[Grounded]:
        """Extractions in their order, each followed by its attributes."""
        # Those whose place is certain take it before others look for a free one.
        order = sorted(range(len(found)), key=lambda place: found[place].window is None)
        placed = [self._placed(found[place]) for place in order]
        leads: list[Grounded | str] = [EXCERPT_NOT_FOUND] * len(found)
        for place, lead in zip(order, ground(self.text, placed), strict=True):
            leads[place] = lead
        followers = [
            Placed(attribute, lead.start, lead.end)
            for one, lead in zip(found, leads, strict=True)
            if isinstance(lead, Grounded)
            for attribute in one.attributes
        ]
        following = iter(ground(self.text, followers))
        proposals: list[Grounded] = []
        for one, lead in zip(found, leads, strict=True):
            if isinstance(lead, str):
                for draft in (one.draft, *one.attributes):
                    self._drop(lead, draft.path)
                continue
            if one.window is None:
                message = (
                    f"an interval did not hold; the exact text was looked up ({lead.draft.path})"
                )
                self.warnings.append(warned("proposal-normalization", message))
            proposals.append(lead)
            for draft in one.attributes:
                attribute = next(following)
                if isinstance(attribute, str):
                    self._drop(attribute, draft.path)
                else:
                    proposals.append(attribute)
        return proposals

    def _placed(self, one: _Found) -> Placed:
        start, end = one.window or (0, self.prepared.length)
        return Placed(one.draft, start, end)

    def _drop(self, reason: str, path: str | None) -> None:
        self.left_out.drop(1, Dropped(reason, path))
        about = "" if path is None else f" ({path})"
        message = f"a proposal was left out: {reason}{about}"
        self.warnings.append(warned("proposal-normalization", message))


class _UnitsOf:
    """UTF-16 offsets of character offsets, asked for in any order."""

    def __init__(self, text: str) -> None:
        self._pairs = [found.start() for found in _PAIRED.finditer(text)]

    def at(self, character: int) -> int:
        return character + bisect_left(self._pairs, character)


def _fault(path: object, text: object) -> str | None:
    """Why an extraction is no proposal, in the words of the run."""
    fault = _path_fault(path)
    if fault is not None:
        return fault
    if not isinstance(text, str) or not trim(text):
        return "excerpt-blank"
    return None if _is_well_formed(text) else "excerpt-ill-formed"


def _is_source_name(name: str) -> bool:
    """Whether an envelope takes ``name``: asked of the one that decides, with an empty one."""
    try:
        write_envelope(RunFacts(name, _ANY_RUN, _ANY_INSTANT, PROVIDER, Ended(SUCCESS)))
    except SurveyError:
        return False
    return True


def _path_fault(path: object) -> str | None:
    if not isinstance(path, str) or not trim(path):
        return "field-path-blank"
    return None if _is_well_formed(path) else "field-path-ill-formed"


def _is_object(item: object) -> bool:
    """Whether something can be an extraction: the package's own, or one that was read."""
    return isinstance(item, Mapping) or hasattr(item, "extraction_class")


def _offset(value: object) -> int | None:
    """An offset, also one of an array library's own integers."""
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    number = value.__index__()
    return number if 0 <= number <= _FURTHEST else None


def _is_well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _member(holder: object, name: str) -> object:
    """A member of an object or a mapping of somebody else's; one that raises counts as absent."""
    try:
        return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - nothing is known about what it does
        return None
