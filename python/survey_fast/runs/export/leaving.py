"""The last look at a document before it leaves: the scan, and what somebody allowed to pass it.

1. A string that equals an allowed one passes. In the envelope nothing else does.
2. In what is made of it, so does a string that only quotes one, as the prompt of a decision quotes
   the values: with what is allowed taken out of it, the rule finds nothing in the rest.
3. The name of a member passes only when it equals an allowed text.
4. Where an export lists what was allowed, the pointers look like paths and are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from survey_fast.canon import data_json, plain_data
from survey_fast.limits import BUNDLE
from survey_fast.runs.disclosure import (
    EVERY,
    MOST,
    Allowed,
    Disclosure,
    allowances,
    disclosure_refusal,
    find_disclosures,
)

__all__ = ["Leave"]

_BEFORE: Final = r"""(?<![^\s"'`(\[=:])"""
_BEHIND: Final = r"""(?=\Z|[\s"'`)\]<>]|[.,;:!?](?:\s|\Z))"""
"""What is quoted stands alone: with more behind it, it would be another path or credential."""
_PATH: Final = "path-posix"
_LISTED: Final = re.compile(r"/reviewRound/allowedDisclosures/[0-9]+/pointer")


@dataclass(frozen=True, slots=True)
class Leave:
    """What of an envelope may leave although a rule refuses it.

    Attributes:
        allowed: as an export lists them.
        texts: the allowed texts by rule, the longest first.
    """

    allowed: tuple[Allowed, ...]
    texts: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, envelope: bytes, asked: Iterable[str]) -> Self:
        """Read ``RULE@POINTER`` texts against canonical text of an envelope.

        Raises:
            RunError: ``DISCLOSURE_REFUSED``: one of them names nothing that is refused there.
        """
        allowed = allowances(envelope, asked)
        if not allowed:
            return cls((), {})
        document, texts = plain_data(envelope), dict[str, list[str]]()
        for one in allowed:
            text = _value_at(document, one.pointer)
            if isinstance(text, str):
                texts.setdefault(one.rule, []).append(text)
        return cls(allowed, {rule: sorted(held, key=len)[::-1] for rule, held in texts.items()})

    @property
    def most(self) -> int:
        """How many findings to look for: all, where any may hide behind one that passes."""
        return EVERY if self.allowed else MOST

    def refused(self, text: bytes, document: Any) -> list[Disclosure]:  # noqa: ANN401 - any JSON value
        """What of a document must not leave.

        Args:
            text: canonical text of the document.
            document: the same as plain data.
        """
        found = find_disclosures(text, most=self.most, max_bytes=BUNDLE.ceiling)
        return self.judged(found, lambda: document)

    def judged(
        self,
        found: Sequence[Disclosure],
        document: Callable[[], Any],
        *,
        place: Callable[[str], str] = str,
    ) -> list[Disclosure]:
        """What of the findings in a document must not leave.

        Args:
            found: up to ``most`` of them, as the scan has them.
            document: gives the document as plain data; asked only where something may leave.
            place: where a pointer into it leads in a larger one.
        """
        placed = [replace(one, pointer=place(one.pointer)) for one in found]
        if not self.allowed or not placed:
            return placed
        equal, value = {(one.rule, one.text_digest) for one in self.allowed}, document()
        return [
            there
            for here, there in zip(found, placed, strict=True)
            if (here.rule, here.text_digest) not in equal
            and not _is_listed_pointer(here.rule, there.pointer)
            and not self._only_quotes(here, value)
        ]

    def require(self, text: bytes, document: Any, *, what: str) -> None:  # noqa: ANN401 - any JSON value
        """Refuse such a document: RunError (``DISCLOSURE_REFUSED``).

        Args:
            text: canonical text of the document.
            document: the same as plain data.
            what: what it is, for the message.
        """
        found = self.refused(text, document)
        if found:
            raise disclosure_refusal(found, what)

    def _only_quotes(self, found: Disclosure, document: Any) -> bool:  # noqa: ANN401 - any JSON value
        """Rules 2 and 3."""
        rest = None if found.is_name else _value_at(document, found.pointer)
        if not isinstance(rest, str):
            return False
        for quoted in self.texts.get(found.rule, ()):
            # A blank is where a path or a credential may begin, so that none hides behind another.
            rest = re.sub(f"{_BEFORE}{re.escape(quoted)}{_BEHIND}", " ", rest)
        return all(one.rule != found.rule for one in find_disclosures(data_json(rest)))


def _is_listed_pointer(rule: str, pointer: str) -> bool:
    """Rule 4. A name that must not leave is found by another rule, or in the envelope itself."""
    return rule == _PATH and _LISTED.fullmatch(pointer) is not None


def _value_at(document: Any, pointer: str) -> Any:  # noqa: ANN401 - any JSON value
    value = document
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value
