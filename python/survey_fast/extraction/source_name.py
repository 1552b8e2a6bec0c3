"""What a source may be called in a document that leaves the machine.

A name is relative or logical: ``file:notes.txt``, a reference of a task, an address. A path from
the root of a file system says where somebody keeps their files, and a signed address opens what it
names, so neither is written.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from survey_fast.canon.text import has_content
from survey_fast.errors import refusal

__all__ = ["check_source_name"]

_ABSOLUTE: Final = re.compile(r"(?:file:)?(?:/|\\|~|[A-Za-z]:[/\\])", re.IGNORECASE)
_SIGNING: Final = frozenset({"sig", "key"})


def check_source_name(name: str, pointer: str = "/source/ref") -> str:
    """``name`` if it may stand in an envelope.

    Raises:
        EnvelopeError: ``envelope-invalid-value``: it is blank, or a path from a root;
            ``envelope-authorization-material``: its query signs a request.
    """
    if not has_content(name):
        message = "a source has a name"
        raise refusal("envelope-invalid-value", message, pointer)
    if _ABSOLUTE.match(name):
        message = "name the source by a relative or logical name, not by its place on this machine"
        raise refusal("envelope-invalid-value", message, pointer)
    if _SIGNING & _query_names(name):
        message = "the name of the source carries what opens it; leave its query away"
        raise refusal("envelope-authorization-material", message, pointer)
    return name


def _query_names(name: str) -> set[str]:
    try:
        query = urlsplit(name).query
        return {one.lower() for one, _ in parse_qsl(query, keep_blank_values=True)}
    except ValueError:
        # No address; the core judges the rest of it.
        return set()
