"""Whether a page is only the shell that a script would fill.

It is suspected when hardly any text came out of it, and either scripts make up much of it or the
usual element to mount an application in is empty. Data that such pages carry along for their
script is noticed, not read.
"""

from __future__ import annotations

import re
from typing import Final

from survey_fast.extraction.html_text import element_spans
from survey_fast.extraction.notice import Notice, preparation_note

__all__ = ["shell_notice"]

_LITTLE: Final = 600
_LITTLE_PERCENT: Final = 8
_SCRIPT_PERCENT: Final = 45
_FLAGS: Final = re.IGNORECASE | re.ASCII
_DIVISION: Final = re.compile(r"<div(?=[\s/])", _FLAGS)
_MOUNT: Final = re.compile(
    r"""[\s/"']id\s*=\s*(["']?)(?:root|__next|app)(?:\1)(?=[\s/>])""", _FLAGS
)
_CLOSED: Final = re.compile(r"\s*</div\s*>", _FLAGS)
_STATE_TAG: Final = re.compile(r"application/ld\+json|__NEXT_DATA__", _FLAGS)
_STATE: Final = re.compile(r"__(?:INITIAL|PRELOADED)_STATE__[\"'\]]?\s*=(?!=)")


def shell_notice(html: str, prepared: str) -> Notice | None:
    """The warning about a page whose prepared text is ``prepared``, or nothing."""
    if len(prepared) >= _LITTLE or len(prepared) * 100 >= len(html) * _LITTLE_PERCENT:
        return None
    scripts, has_state = 0, False
    for start, tag_end, content_end, _ in element_spans(html, "script"):
        scripts += content_end - tag_end
        has_state = has_state or (
            content_end > tag_end
            and (
                _STATE_TAG.search(html, start, tag_end) is not None
                or _STATE.search(html, tag_end, content_end) is not None
            )
        )
    if scripts * 100 < len(html) * _SCRIPT_PERCENT and not _has_empty_mount(html):
        return None
    if has_state:
        message = "the page is the shell of a script; it carries data that was not read"
        return preparation_note("js-shell-suspected-embedded-state-available", message)
    message = "the page is the shell of a script; its text appears only in a browser"
    return preparation_note("js-shell-suspected", message)


def _has_empty_mount(html: str) -> bool:
    at = 0
    while found := _DIVISION.search(html, at):
        at = html.find(">", found.end()) + 1
        if not at:
            return False
        if _MOUNT.search(html, found.end(), at) and _CLOSED.match(html, at):
            return True
    return False
