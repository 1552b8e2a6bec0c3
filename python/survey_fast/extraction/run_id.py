"""Run ids: drawn by whoever may draw, or derived where the same run is to have the same name."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from survey_fast.canon import sha256_hex
from survey_fast.canon.arguments import text_argument

__all__ = ["derived_run_id", "run_id_of"]

_PREFIX: Final = "traverse-extraction-run:"
_HALF: Final = 32


def run_id_of(uuid: UUID) -> str:
    """The run id of a UUID. Raises ValueError for one that is not of version 4."""
    if uuid.version != 4:  # noqa: PLR2004 - what the format asks for
        message = f"a run id is made of a UUID of version 4, not {uuid.version}"
        raise ValueError(message)
    return f"{_PREFIX}{uuid}"


def derived_run_id(identity: str) -> str:
    """The run id that belongs to a text, in the form of a UUID of version 4.

    For providers that give the same answers to the same questions: the same identity is the same
    run. Raises JsonError for half of a surrogate pair.
    """
    digest = sha256_hex(text_argument("identity", identity).encode())
    return f"{_PREFIX}{UUID(hex=digest[:_HALF], version=4)}"
