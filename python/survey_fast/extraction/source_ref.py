"""How a run names its local source: by task and content, never by a path or a time.

So the same bytes have the same name everywhere, and a run of them the same identity.
"""

from __future__ import annotations

import re
from typing import Final

from survey_fast.canon.text import is_hex

__all__ = ["local_source_ref"]

_LOCAL: Final = "fieldwork-source:v1"
_TASK: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")
_DIGEST: Final = 64


def local_source_ref(task: str, raw_digest: str) -> str:
    """The reference of a run's source, which is its snapshot reference too.

    Args:
        task: the name of the task.
        raw_digest: SHA-256 of the source's bytes, 64 hex.

    Raises:
        ValueError: either breaks its form.
    """
    if _TASK.fullmatch(task) is None:
        message = "the name of a task is lower-case letters, digits and hyphens"
        raise ValueError(message)
    if not is_hex(raw_digest, _DIGEST):
        message = "a digest is 64 lower-case hexadecimal digits"
        raise ValueError(message)
    return f"{_LOCAL}:{task}:{raw_digest}"
