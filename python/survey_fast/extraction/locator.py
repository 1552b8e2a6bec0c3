"""``chars:START-END``: a span of the prepared text in UTF-16 code units, the end exclusive."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["locator_start"]

_LOCATOR: Final = re.compile("chars:(0|[1-9][0-9]{0,15})-(?:0|[1-9][0-9]{0,15})")


def locator_start(locator: object) -> int | None:
    """Where a span starts; nothing for what is no locator."""
    found = _LOCATOR.fullmatch(locator) if isinstance(locator, str) else None
    return None if found is None else int(found[1])
