"""Paths as arguments: a ``Path``, or a text that names one; anything else is misuse."""

from __future__ import annotations

from pathlib import Path

__all__ = ["path_argument"]


def path_argument(name: str, value: object) -> Path:
    """``value`` as a path. Raises TypeError unless it is a ``Path`` or a ``str``."""
    if isinstance(value, Path):
        return value
    if isinstance(value, str):
        return Path(value)
    message = f"{name} must be a path or a str, not {type(value).__name__}"
    raise TypeError(message)
