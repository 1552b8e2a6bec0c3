"""What must not leave a run: paths of a machine, credentials, references to a workspace.

1. Every string and every member name of a document is scanned against one versioned corpus.
2. Creating a run warns. Exporting and inspecting refuse.
3. A refusal names rule and place and never repeats the text. Where a member name is what must not
   leave, the place is the object that has it.
4. Somebody may allow one finding in the envelope, ``RULE@POINTER``. That covers the same string
   wherever it stands, under the same rule, and is listed by the digest of the string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from survey_fast import _core
from survey_fast.canon import Document, Sha256Hex, reading
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import BUNDLE

__all__ = [
    "CORPUS",
    "EVERY",
    "MOST",
    "Allowed",
    "Disclosure",
    "DisclosureScanner",
    "allowances",
    "disclosure_refusal",
    "find_disclosures",
    "require_undisclosed",
    "rule_names",
]

CORPUS: Final = _core.disclosure_corpus()[0]
"""The version of the rules."""
MOST: Final = 1000
"""Findings of one document that are looked for: enough to act on."""
EVERY: Final = 1 << 40
"""Where some findings are let pass, all have to be seen: any may hide behind those."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """One string that must not leave.

    Attributes:
        rule: the rule that refuses it.
        pointer: where it stands; for a member name, the object that has it.
        is_name: whether it is the name of a member.
        text_digest: SHA-256 of the string as UTF-8, which tells equal strings.
    """

    rule: str
    pointer: str
    is_name: bool
    text_digest: Sha256Hex

    def to_json(self) -> dict[str, Any]:
        """``{rule, pointer, isName?}``; neither the text nor its digest, which could be guessed."""
        body: dict[str, Any] = {"rule": self.rule, "pointer": self.pointer}
        return body | {"isName": True} if self.is_name else body


@dataclass(frozen=True, slots=True)
class Allowed:
    """A string that somebody lets leave, under one rule."""

    rule: str
    pointer: str
    text_digest: Sha256Hex

    def to_json(self) -> dict[str, str]:
        """``{rule, pointer, sha256}``, as an export lists it."""
        return {"rule": self.rule, "pointer": self.pointer, "sha256": self.text_digest}


def rule_names() -> list[str]:
    """Every rule of the corpus."""
    return _core.disclosure_corpus()[1]


def find_disclosures(
    document: Document, *, most: int = MOST, max_bytes: int | None = None
) -> list[Disclosure]:
    """What of ``document`` must not leave, in the order of its canonical text.

    Args:
        document: bytes, text or plain data.
        most: how many findings are enough.
        max_bytes: cap on the text, as for ``canonical_json``.

    Raises:
        JsonError: not strict JSON.
        TypeError, ValueError: misuse.
    """
    with reading(document) as raw:
        found = _core.disclosures(raw, most, BUNDLE.resolve(max_bytes))
    return _disclosures(found)


class DisclosureScanner:
    """Scans the parts of one document in order, while the next ones are made; used as a block.

    A thread works for it, which has ended when the block ends. What is found in a part is what
    :func:`find_disclosures` finds in it. Texts that come again in later parts are known by then;
    what is remembered takes a megabyte at most.
    """

    def __init__(self, *, most: int = MOST) -> None:
        """Look for so many findings in each part."""
        self._scanner = _core.DisclosureScanner(most)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.rest()

    def hand_in(self, text: bytes) -> list[list[Disclosure]]:
        """Hand in a part, and wait while three others are not scanned.

        Args:
            text: the part as canonical text.

        Returns: What was found in the parts that were scanned meanwhile: for each, in the order in
            which they were handed in, its findings with pointers into the part.

        Raises:
            JsonError: one of those parts is no JSON, or has white space between tokens. Nothing
                else that would keep a text from being canonical is looked for.
        """
        return [_disclosures(found) for found in self._scanner.hand_in(text)]

    def rest(self) -> list[list[Disclosure]]:
        """Wait for the parts that remain. Returns and raises: as ``hand_in``."""
        return [_disclosures(found) for found in self._scanner.rest()]


def _disclosures(found: Iterable[tuple[str, str, bool, str]]) -> list[Disclosure]:
    return [
        Disclosure(rule, pointer, is_name, Sha256Hex(digest))
        for rule, pointer, is_name, digest in found
    ]


def allowances(envelope: Document, asked: Iterable[str]) -> tuple[Allowed, ...]:
    """What ``RULE@POINTER`` texts allow in an envelope.

    Raises:
        RunError: ``DISCLOSURE_REFUSED``: one of them names nothing that is refused there, so
            that it would allow something else than was looked at.
    """
    asked = list(asked)
    if not asked:
        return ()
    found: dict[tuple[str, str], list[Disclosure]] = {}
    for one in find_disclosures(envelope, most=EVERY):
        found.setdefault((one.rule, one.pointer), []).append(one)
    allowed: list[Allowed] = []
    for text in asked:
        rule, _, pointer = text.partition("@")
        # Several only where member names of one object are refused by one rule.
        here = found.get((rule, pointer), [])
        if not here:
            message = (
                f"{text!r} allows nothing: the envelope has no finding of that rule at that place; "
                "write RULE@POINTER as the refusal names them"
            )
            raise refusal("DISCLOSURE_REFUSED", message, None, {"corpus": CORPUS})
        allowed += (Allowed(one.rule, one.pointer, one.text_digest) for one in here)
    return tuple(allowed)


def require_undisclosed(
    document: Document, *, what: str, allowed: Sequence[Allowed] = (), max_bytes: int | None = None
) -> None:
    """Refuse a document that would carry out what must not leave.

    Args:
        document: bytes, text or plain data.
        what: what the document is, for the message.
        allowed: strings that may leave all the same.
        max_bytes: cap on the text.

    Raises:
        RunError: ``DISCLOSURE_REFUSED`` with the pointer of the first finding; ``details`` holds
            rule, corpus, and every finding up to a thousand.
    """
    let_pass = {(one.rule, one.text_digest) for one in allowed}
    found = [
        one
        for one in find_disclosures(document, most=EVERY if allowed else MOST, max_bytes=max_bytes)
        if (one.rule, one.text_digest) not in let_pass
    ]
    if found:
        raise disclosure_refusal(found, what)


def disclosure_refusal(found: Sequence[Disclosure], what: str) -> SurveyError:
    """The refusal of a document in which ``found`` was found."""
    first, more = found[0], len(found) - 1
    message = (
        f"{what} holds text that must not leave, by the rule {first.rule}"
        f"{f', and {more} more' if more else ''}; what was extracted goes along whatever is "
        "decided, so extract again from a source without it, or allow it by rule and place"
    )
    details = {
        "rule": first.rule,
        "corpus": CORPUS,
        "findings": [one.to_json() for one in found],
    }
    return refusal("DISCLOSURE_REFUSED", message, first.pointer, details)
