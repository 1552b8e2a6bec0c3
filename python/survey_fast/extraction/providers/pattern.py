"""Rules of one's own: what stands on a line that a pattern finds is proposed for a field.

1. A field has an ordered list of rules. On each line of the chunk the first rule that finds
   anything there supplies all it finds; so a later rule serves the lines that earlier ones miss.
2. Patterns are those of :mod:`survey_fast.extraction.providers.linear`, so no document makes one
   slow. Of a line its first 16,000 characters are searched; a longer one is told in a warning.
3. The excerpt is the line or the match, trimmed, with its rank among equal excerpts of the chunk.
   Ranking searches from the start for each excerpt, so in a chunk of more than 64,000 characters
   it is left to the run, which takes equal proposals in the order of the text.
4. A value is read as the rule says, or stays the text that it is: whether it fits its field is
   checked after the call, for every provider alike.
5. Fields in the order of the schema, matches in the order of the text; no confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import canonical_json, plain_data
from survey_fast.canon.text import trim
from survey_fast.errors import JsonError, refusal
from survey_fast.extraction.identity import is_identity
from survey_fast.extraction.provider import (
    CAPABILITIES,
    Capabilities,
    DraftProposal,
    ExtractionRequest,
    ProviderOutput,
    Raw,
    draft,
)
from survey_fast.extraction.providers.linear import (
    LinearPattern,
    PatternFaultError,
    escaped,
    linear_pattern,
)

__all__ = [
    "LABEL_NAME",
    "LINE_CHARACTERS",
    "PATTERN_NAME",
    "Constant",
    "PatternProvider",
    "Ranks",
    "Reading",
    "Rule",
    "label_provider",
    "read_as",
    "reading_of",
]

PATTERN_NAME: Final = "offline-pattern:v1"
LABEL_NAME: Final = "offline-label:v1"
LINE_CHARACTERS: Final = 16_000
"""Characters of a line that are searched."""

_RANKED_CHARACTERS: Final = 64_000

Reading: TypeAlias = Literal["text", "number", "date", "bool"]
_READINGS: Final = ("text", "number", "date", "bool")
_GROUPED: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_WORDS: Final = {"true": True, "yes": True, "false": False, "no": False}
_OF_TYPE: Final[Mapping[str, Reading]] = {"number": "number", "boolean": "bool", "date": "date"}


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that a rule states whenever its pattern is found."""

    value: Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to find a value.

    Attributes:
        pattern: see :mod:`survey_fast.extraction.providers.linear`; its group ``value``, or
            else the whole match, is the value.
        excerpt: what is quoted, the match or the line that it stands on.
        value: how the value is read. ``number`` takes decimals and grouping commas, ``bool``
            true, yes, false and no in any case; ``date`` leaves the text, which the run turns
            into a date where that loses nothing.
    """

    pattern: str
    excerpt: Literal["match", "line"] = "line"
    value: Reading | Constant = "text"


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: Rule
    pattern: LinearPattern

    def matches(self, line: str) -> list[re.Match[str]]:
        return list(self.pattern.expression.finditer(line))

    def value(self, found: re.Match[str]) -> object:
        if isinstance(self.rule.value, Constant):
            return self.rule.value.value
        # An optional group that found nothing gives nothing.
        text = (found["value"] or "") if self.pattern.has_value else found[0]
        return read_as(trim(text), self.rule.value)


class PatternProvider:
    """Proposes by rules.

    Args:
        rules: for each field path its rules, in order.
        name: the provider's name, a stable identity.

    Raises:
        ExtractionError: ``provider-options-invalid``: a pattern is outside its language, with a
            pointer into ``rules``, or the name is no stable identity.
        ValueError: an excerpt or a reading that is none.
    """

    capabilities: Capabilities | None = Capabilities(frozenset(CAPABILITIES))

    def __init__(self, rules: Mapping[str, Sequence[Rule]], *, name: str = PATTERN_NAME) -> None:
        if not is_identity(name):
            message = "the name of a provider is letters, digits and . _ : @ / + ~ -"
            raise refusal("provider-options-invalid", message)
        self.name: str = name
        self._rules = {
            path: tuple(
                _compiled(one, f"/{_step(path)}/{place}") for place, one in enumerate(ordered)
            )
            for path, ordered in rules.items()
        }

    def extract(self, request: ExtractionRequest) -> ProviderOutput:
        """Everything that the rules find in the chunk."""
        lines, cut = _lines(request.content)
        ranks = Ranks(request.content)
        proposals = [
            proposal
            for field in request.target_schema
            for proposal in self._of_field(field["path"], lines, ranks)
        ]
        warnings = (
            (f"{cut} lines are longer than {LINE_CHARACTERS} characters, searched up to there",)
            if cut
            else ()
        )
        return ProviderOutput(proposals, Raw("", self.name, "configured"), warnings)

    def _of_field(
        self, path: str, lines: Sequence[tuple[int, str]], ranks: Ranks
    ) -> Iterator[DraftProposal]:
        rules = self._rules.get(path, ())
        for start, line in lines:
            for one in rules:
                matches = one.matches(line)
                if matches:
                    yield from self._proposed(path, one, matches, (start, line, ranks))
                    break

    def _proposed(
        self,
        path: str,
        rule: _Compiled,
        matches: Sequence[re.Match[str]],
        place: tuple[int, str, Ranks],
    ) -> Iterator[DraftProposal]:
        start, line, ranks = place
        for found in matches:
            quoted, at = (line, 0) if rule.rule.excerpt == "line" else (found[0], found.start())
            excerpt = trim(quoted)
            if not excerpt:
                continue
            position = start + at + quoted.index(excerpt)
            rank = ranks.rank(excerpt, position)
            rest = {} if rank is None else {"occurrenceHint": rank}
            yield draft(path, rule.value(found), excerpt, extractor=self.name, **rest)


def label_provider(
    target_schema: Sequence[Mapping[str, Any]],
    *,
    hints: Mapping[str, str] | None = None,
    name: str = LABEL_NAME,
) -> PatternProvider:
    """A provider that reads lines of the form ``Label: value``.

    Args:
        target_schema: the fields; a field's label is its hint, else its description, else the
            last name of its path.
        hints: labels for some paths.
        name: the provider's name.
    """
    labels = hints or {}
    rules: dict[str, list[Rule]] = {}
    for field in target_schema:
        last = field["path"].rpartition(".")[2].removesuffix("[]")
        label = trim(labels.get(field["path"]) or field.get("description") or last)
        pattern = rf"^\s*{escaped(label)}\s*:\s*(?P<value>\S.*)"
        rules[field["path"]] = [Rule(pattern, value=reading_of(field["type"]))]
    return PatternProvider(rules, name=name)


def _compiled(rule: Rule, pointer: str) -> _Compiled:
    if rule.excerpt not in ("match", "line"):
        message = f"an excerpt is the match or the line, not {rule.excerpt!r}"
        raise ValueError(message)
    if not isinstance(rule.value, Constant) and rule.value not in _READINGS:
        message = f"a value is read as one of {', '.join(_READINGS)}, not {rule.value!r}"
        raise ValueError(message)
    try:
        return _Compiled(rule, linear_pattern(rule.pattern))
    except PatternFaultError as fault:
        raise refusal("provider-options-invalid", str(fault), pointer) from None


def _step(path: str) -> str:
    return path.replace("~", "~0").replace("/", "~1")


def _lines(content: str) -> tuple[list[tuple[int, str]], int]:
    """Start and text of each line, without its line end, and how many were cut."""
    found: list[tuple[int, str]] = []
    cut, start = 0, 0
    for whole in content.split("\n"):
        line = whole.removesuffix("\r")
        if len(line) > LINE_CHARACTERS:
            cut += 1
            line = line[:LINE_CHARACTERS]
        found.append((start, line))
        start += len(whole) + 1
    return found, cut


class Ranks:
    """The rank of an excerpt among its occurrences, overlapping ones too, counted once each."""

    def __init__(self, content: str) -> None:
        self._content = content
        self._is_short = len(content) <= _RANKED_CHARACTERS
        self._reached: dict[str, tuple[int, int]] = {}

    def rank(self, excerpt: str, position: int) -> int | None:
        """Which occurrence stands at ``position``, from 1; nothing in a long chunk."""
        if not self._is_short:
            return None
        at, count = self._reached.get(excerpt, (-1, 0))
        if at > position:
            at, count = -1, 0
        while at < position:
            at = self._content.index(excerpt, at + 1)
            count += 1
        self._reached[excerpt] = at, count
        return count


def reading_of(kind: str) -> Reading:
    """How a value of a declared type is read."""
    return _OF_TYPE.get(kind, "text")


def read_as(text: str, reading: Reading) -> object:
    """A value read as a rule says, or the text that it is when it does not read so."""
    if reading == "number":
        return _number(text)
    if reading == "bool":
        return _WORDS.get(text.lower(), text)
    return text


def _number(text: str) -> object:
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        value = plain_data(canonical_json(plain))
    except JsonError:
        return text
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else text
