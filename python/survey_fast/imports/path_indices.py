"""Where the proposals of an import stand in the lists of their fields.

Of a record that validated only this is read; the rest of it is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast import _core
from survey_fast.canon import plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.limits import ENVELOPE

__all__ = ["Indices", "ProposalRows", "proposal_rows"]

Indices: TypeAlias = tuple[int, ...]
"""Places in the lists of a field, counted from 0, the outermost list first."""

_PATH: Final = ("spec", "envelope", "result", "proposals")


@dataclass(frozen=True, slots=True)
class ProposalRows:
    """The rows of an import.

    Attributes:
        import_name: what the import is called.
        indices: for each proposal its places, or nothing where its field is in no list.
    """

    import_name: str
    indices: tuple[Indices | None, ...]


def proposal_rows(record: bytes) -> ProposalRows:
    """The rows of the record of an import, which validated."""
    name = _member(_member(record, "metadata"), "name")
    proposals: bytes | None = record
    for member in _PATH:
        proposals = _member(proposals, member)
    with collector_paused():
        listed: Any = plain_data(proposals or b"[]")
        indices = tuple(_indices(one.get("pathIndices")) for one in listed)
    return ProposalRows(str(plain_data(name or b'""')), indices)


def _member(text: bytes | None, name: str) -> bytes | None:
    if text is None:
        return None
    found: bytes | None = _core.member_texts(text, [name], ENVELOPE.ceiling)[0]
    return found


def _indices(value: object) -> Indices | None:
    return tuple(map(int, value)) if isinstance(value, list) and value else None
