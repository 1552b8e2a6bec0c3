"""Proposals whose value is not of the form that their field declares, as their evidence records it.

Such a value may be decided on like any other. Where it is accepted, its claim is stated as
disputed, so whoever decides should know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["misfits"]

_FITS: Final = "ok"


def misfits(proposals: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """``{fieldPath, pathIndices?, schema, valueType?, locator}`` of each, in order.

    ``schema`` is ``type-mismatch``, ``enum-mismatch`` or ``format-invalid``. A proposal that
    records nothing about form is none of them.

    Args:
        proposals: those of an envelope.
    """
    return [
        {
            "fieldPath": one["fieldPath"],
            **{name: one[name] for name in ("pathIndices",) if name in one},
            "schema": one["evidenceMatch"]["schema"],
            **{name: one[name] for name in ("valueType",) if name in one},
            "locator": one["provenance"]["locator"],
        }
        for one in proposals
        if one.get("evidenceMatch", {}).get("schema", _FITS) != _FITS
    ]
