"""Names and digests as types of their own, so that they are never mixed up.

Each is a ``str`` at run time. Making one states what the text is; it checks nothing.
"""

from __future__ import annotations

from typing import NewType

from survey_fast.canon import Sha256Hex

__all__ = ["CandidateId", "ItemName", "PrefixedSha256", "Sha256Hex"]

ItemName = NewType("ItemName", str)
"""``metadata.name`` of a review item; unique inside a queue."""

CandidateId = NewType("CandidateId", str)
"""The id of a candidate; unique inside its item."""

PrefixedSha256 = NewType("PrefixedSha256", str)
"""``sha256:`` and 64 lower-case hex digits. Without the prefix it is a :data:`Sha256Hex`."""
