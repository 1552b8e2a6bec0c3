"""The audit draw.

Each item is drawn by its own hash: SHA-256 over the canonical text of
``["survey.random-audit.v1", seed, name]``, its first 52 bits read as a number in [0, 1), taken
when that is below the rate. So one seed gives one sample whatever the order of the queue, and
the draw over a part of it is the draw over the whole, restricted to that part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from survey_fast import _core
from survey_fast.canon.arguments import sequence_argument, text_argument
from survey_fast.errors import refusal

__all__ = ["draw_random_audit_sample"]

Item = TypeVar("Item", str, Mapping[str, Any], dict[str, Any])


def draw_random_audit_sample(
    items_or_names: Sequence[Item], *, rate: float, seed: str
) -> list[Item]:
    """The items, or names, that the draw selects, in the order given.

    Args:
        items_or_names: review items (mappings with ``metadata.name``) or item names.
        rate: above 0, at most 1; 1 selects everything.
        seed: 1 to 256 characters: a letter or digit, then also ``. _ : @ / + ~ -``.

    Raises:
        AuditError: ``audit-options-invalid``.
        QueueError: ``ambiguous-item-identity`` when a name stands twice, ``queue-malformed``
            when an item has none.
        TypeError: an argument is of a wrong Python type.
    """
    if isinstance(rate, bool) or not isinstance(rate, int | float):
        message = f"the rate is a number, not {type(rate).__name__}"
        raise TypeError(message)
    text_argument("seed", seed)
    names = _names(sequence_argument("items_or_names", items_or_names))
    return [items_or_names[place] for place in _core.audit_draw(names, _finite(rate), seed)]


def _finite(rate: float) -> float:
    try:
        return float(rate)
    except OverflowError:
        message = "the rate is a number above 0 and at most 1"
        raise refusal("audit-options-invalid", message, "/rate") from None


def _names(items_or_names: Sequence[Item]) -> list[str]:
    # Plain names, the common case at ten thousand, are taken as they stand; the core refuses
    # whatever else is among them.
    if items_or_names and isinstance(items_or_names[0], str):
        return list(items_or_names)
    return [_name(item, index) for index, item in enumerate(items_or_names)]


def _name(item: str | Mapping[str, Any], index: int) -> str:
    if not isinstance(item, Mapping):
        message = f"an item is a mapping or a name, not {type(item).__name__}"
        raise TypeError(message)
    metadata = item.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(name, str) or not name:
        message = "every item of a queue has a name"
        raise refusal("queue-malformed", message, f"/{index}/metadata/name")
    return name
