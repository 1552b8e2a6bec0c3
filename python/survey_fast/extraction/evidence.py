"""What a value and the words it was read from say about each other (``evidence-match-v4``).

Facts for a reviewer, never a verdict: nothing is dropped, ordered or accepted by them. The
validator of what we write computes them again.

Known limits: digits joined by a dash are taken for a date, so a telephone number of that form is
never a mismatch; wording such as "instead of" is not seen; texts of an enum compare without case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import Json
from survey_fast.extraction.occurrence import resolve_drafts

__all__ = ["CHECKER_VERSION", "ValueType", "evidence_match"]

CHECKER_VERSION: Final = "evidence-match-v4"

ValueType: TypeAlias = Literal["string", "number", "boolean", "date", "enum", "array", "object"]
"""The type that a task declares for a field."""


def evidence_match(
    value: Json,
    excerpt: str,
    *,
    value_type: ValueType,
    enum_values: Sequence[str] = (),
    explicit: bool = True,
) -> dict[str, str]:
    """Compare one value with its excerpt.

    Args:
        value: plain data.
        excerpt: the words it was read from, not empty.
        value_type: the declared type.
        enum_values: what an enum allows; anything when empty.
        explicit: the value is meant to stand in the words, not to follow from them.

    Returns:
        ``checkerVersion``, ``schema`` (``ok``, ``type-mismatch``, ``enum-mismatch``,
        ``format-invalid``) and ``valueInExcerpt`` (``match``, ``mismatch``, ``not-evaluated``,
        ``not-applicable``).

    Raises:
        JsonError, EnvelopeError: value, type or enum values are not what they should be.
        ValueError: there is no excerpt.
    """
    draft: dict[str, Any] = {
        "fieldPath": "value",
        "value": value,
        "excerpt": excerpt,
        "valueType": value_type,
        "enumValues": list(enum_values),
        "inferenceType": "explicit" if explicit else "inferred",
    }
    [found] = resolve_drafts(excerpt, [draft])
    if "dropped" in found:
        message = "a value is compared with the words it was read from, and there are none"
        raise ValueError(message)
    facts: dict[str, str] = found["evidenceMatch"]
    return {name: facts[name] for name in ("checkerVersion", "schema", "valueInExcerpt")}
