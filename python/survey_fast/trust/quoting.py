"""The canonical text of a string, which for most strings is the string between quotation marks."""

from __future__ import annotations

from survey_fast.canon import canonical_json, data_json

__all__ = ["quoted"]


def quoted(text: str) -> bytes:
    """The canonical JSON of a text. Raises JsonError for one that holds half of a surrogate pair.

    Printable ASCII needs an escape for two characters only, and is asked for those here: a call of
    the core for each of very many short texts would take longer than the answer.
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return b'"%b"' % text.encode()
    return canonical_json(data_json(text))
