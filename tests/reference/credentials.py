"""Text that must not carry authorization material.

1. Text is authorization-bearing when it holds, ignoring case, `authorization`, optional white space
   and `:` or `=`; or `bearer`, white space and one of the token characters.
2. It is also authorization-bearing when it is a URL with a user name or password, or with a query
   pair whose name holds a secret word between the ends, `-` and `_`, or whose value is itself
   authorization-bearing. More than two URLs inside one another count as bearing.
3. A safe reference is wire text that is not authorization-bearing.
4. A stable identity is 1 to 256 characters of a small ASCII alphabet, starts with a letter or a
   digit, does not start like a known credential and is not authorization-bearing.
5. The shape is judged first (`envelope-invalid-value`), then the content
   (`envelope-authorization-material`).
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from tests.reference.refusal import Json, Refused
from tests.reference.url import parse_url
from tests.reference.wire import require_match, require_text

# ECMAScript white space, as a character class.
SPACE = r"[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
AUTHORIZATION = re.compile(
    rf"authorization{SPACE}*[:=]|bearer{SPACE}+[a-z0-9._~-]", re.IGNORECASE | re.ASCII
)
SECRET_NAME = re.compile(
    r"(?:^|[-_])(?:token|secret|password|passwd|api[-_]?key|authorization|signature|credential)"
    r"(?:\Z|[-_])",
    re.IGNORECASE | re.ASCII,
)
IDENTITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,255}")
FAILURE_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/+~-]{0,127}")
CREDENTIAL_PREFIX = re.compile(r"gh[pousr]_|sk-[A-Za-z0-9]|A[KS]IA[A-Z0-9]|eyJ[A-Za-z0-9_-]*\.eyJ")
DEEPEST_URL = 2


def is_authorization_bearing(text: str, depth: int = 0) -> bool:
    """Rules 1 and 2."""
    if depth > DEEPEST_URL or AUTHORIZATION.search(text):
        return True
    url = parse_url(text)
    if url is None:
        return False
    if url.username or url.password:
        return True
    for pair in filter(None, url.query.split("&")):
        name, _, value = pair.partition("=")
        if SECRET_NAME.search(form_decode(name)):
            return True
        if is_authorization_bearing(form_decode(value), depth + 1):
            return True
    return False


def form_decode(text: str) -> str:
    """One half of a form-encoded pair."""
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


def require_safe_reference(value: Json, pointer: str) -> str:
    text = require_text(value, pointer)
    if is_authorization_bearing(text):
        raise Refused(pointer, "envelope-authorization-material", "a reference holds a secret")
    return text


def require_identity(value: Json, pointer: str, pattern: re.Pattern[str] = IDENTITY) -> str:
    text = require_match(value, pointer, pattern)
    if CREDENTIAL_PREFIX.match(text) or is_authorization_bearing(text):
        raise Refused(pointer, "envelope-authorization-material", "an identity holds a secret")
    return text
