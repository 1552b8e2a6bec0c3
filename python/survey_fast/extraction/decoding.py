"""Bytes to text.

1. A byte order mark decides the character set; then the caller, who knows a header; then, for a
   page, its own ``meta`` declaration; else the bytes are UTF-8.
2. One leading mark is removed. Nothing else changes: carriage returns stay, nothing is normalised.
3. Bytes that do not decode are refused. Only who asks for it gets U+FFFD in their place, and a
   warning with it.
4. Bytes that hold U+0000 once decoded are no text, whatever they are called.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from survey_fast.errors import refusal
from survey_fast.extraction.notice import Notice, preparation_note

__all__ = ["Errors", "declared_charset", "decode_source"]

Errors = Literal["strict", "replace"]

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_LATIN: Final = "cp1252"
_NAMES: Final = {
    **dict.fromkeys(("utf-8", "utf8", "unicode-1-1-utf-8"), "utf-8"),
    # As browsers read them: these names have meant Windows' set for as long as there are pages.
    **dict.fromkeys(
        ("ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252"),
        _LATIN,
    ),
    **{f"iso-8859-{part}": f"iso8859_{part}" for part in (*range(2, 12), *range(13, 17))},
    **{f"windows-125{part}": f"cp125{part}" for part in (0, 1, 3, 4, 5, 6, 7, 8)},
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "windows-31j"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp",
    "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
    "macintosh": "mac_roman",
    "utf-16": "utf-16-le",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
"""Names of character sets and the codecs that read them; no other codec is ever looked up."""

_PRESCAN: Final = 1024
_META: Final = re.compile(
    rb"<meta[\s/][^>]{0,512}?charset\s{0,16}=\s{0,16}[\"']?([\w.:-]{1,64})", re.IGNORECASE
)


def declared_charset(raw: bytes) -> str | None:
    """The character set that a page names in its first 1,024 bytes, in lower case."""
    found = _META.search(raw[:_PRESCAN])
    if found is None:
        return None
    name = found.group(1).decode("ascii").lower()
    # A page that could be searched for ASCII is not UTF-16, whatever it says.
    return "utf-8" if name.startswith("utf-16") else name


def decode_source(
    raw: bytes, *, charset: str | None, is_page: bool, errors: Errors
) -> tuple[str, list[Notice]]:
    """The text of ``raw`` and what there is to say about it.

    Args:
        raw: the bytes of a source.
        charset: the character set that came with them, if any.
        is_page: whether a declaration in HTML counts.
        errors: ``replace`` puts U+FFFD where bytes do not decode.

    Raises:
        ExtractionError: ``INVALID_SOURCE``: the bytes do not decode, are no text, or name a
            character set that is not read.
    """
    codec, start = _codec(raw, charset, is_page=is_page)
    body = raw[start:]
    notices = []
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as fault:
        if errors == "strict":
            message = f"the bytes are not {codec}; name the character set, or ask for replacement"
            details = {"offset": start + fault.start, "charset": codec}
            raise refusal("INVALID_SOURCE", message, details=details) from None
        text = body.decode(codec, "replace")
        message = "bytes that do not decode were replaced by U+FFFD"
        notices.append(preparation_note("undecodable-bytes", message, {"charset": codec}))
    if "\0" in text:
        message = "the bytes hold U+0000, so they are no text"
        raise refusal("INVALID_SOURCE", message, details={"charset": codec})
    return text, notices


def _codec(raw: bytes, charset: str | None, *, is_page: bool) -> tuple[str, int]:
    """The codec, and how many bytes of a mark to skip."""
    for mark, codec in _MARKS:
        if raw.startswith(mark):
            return codec, len(mark)
    name = charset.strip().lower() if charset is not None else None
    if name is None and is_page:
        name = declared_charset(raw)
    if name is None:
        return "utf-8", 0
    if name not in _NAMES:
        message = "the character set that is named for the source is not one that is read"
        raise refusal("INVALID_SOURCE", message, details={"charset": name})
    return _NAMES[name], 0
