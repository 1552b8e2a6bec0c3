"""Just enough of the WHATWG URL parser to find user information and the query.

1. Controls and spaces at the ends are stripped; tabs and line breaks inside are removed.
2. There is no base, so a scheme is needed. The special schemes are http, https, ws, wss, ftp, file.
3. A special scheme other than file is followed by an authority after any number of slashes and
   backslashes, also none; file and the other schemes have one only after two slashes.
4. User information ends at the last `@` of the authority and is split at its first `:`.
5. Text that does not parse is no URL at all: an empty host after user information or in a special
   scheme, a forbidden character in the host, a numeric last label that is no IPv4 address, a bad
   IPv6 address, a port that is no number up to 65535.
6. The query ends at `#`; it exists with every kind of path.

Simplification: a host label outside ASCII is accepted when its compatibility form holds no
forbidden character; the full domain-name validity rules and Punycode labels are not applied.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

SPECIAL = {"http", "https", "ws", "wss", "ftp", "file"}
CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
FORBIDDEN_HOST = set("\0\t\n\r #/:<>?@[\\]^|")
FORBIDDEN_DOMAIN = FORBIDDEN_HOST | set(map(chr, range(0x20))) | {"%", "\x7f"}
NUMERIC_LABEL = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
OTHER_DOTS = re.compile("[\u3002\uff0e\uff61]")
LARGEST_PORT = 65535


class Url(NamedTuple):
    username: str
    password: str
    query: str


def parse_url(text: str) -> Url | None:
    """The parts that matter, or None when the text is no absolute URL."""
    text = re.sub(r"[\t\n\r]", "", text.strip(CONTROLS_AND_SPACE))
    found = SCHEME.match(text)
    if found is None:
        return None
    scheme = found.group(1).lower()
    rest, _, _ = text[found.end() :].partition("#")
    rest, _, query = rest.partition("?")
    special = scheme in SPECIAL
    if special:
        rest = rest.replace("\\", "/")
    if special and scheme != "file":
        rest = rest.lstrip("/")
    elif rest.startswith("//"):
        rest = rest[2:]
    else:
        return Url("", "", query)
    authority, _, _ = rest.partition("/")
    if scheme == "file":
        return Url("", "", query) if is_file_host(authority) else None
    user, at, address = authority.rpartition("@")
    if not is_address(address, special=special, has_user=at == "@"):
        return None
    username, _, password = user.partition(":")
    return Url(username, password, query)


def is_file_host(host: str) -> bool:
    """A drive letter in this place is the start of the path."""
    drive = re.fullmatch(r"[A-Za-z][:|]", host)
    return host == "" or drive is not None or is_host(host, special=True)


def is_address(address: str, *, special: bool, has_user: bool) -> bool:
    """Is this a host with an optional port?"""
    host, port = split_port(address)
    if host == "":
        return not special and not has_user and port is None
    return (port is None or is_port(port)) and is_host(host, special=special)


def split_port(address: str) -> tuple[str, str | None]:
    """The first colon outside brackets starts the port."""
    inside = False
    for at, character in enumerate(address):
        inside = character == "[" or (inside and character != "]")
        if character == ":" and not inside:
            return address[:at], address[at + 1 :]
    return address, None


def is_port(port: str) -> bool:
    if port == "":
        return True
    digits = port.lstrip("0") or "0"
    if re.fullmatch(r"[0-9]+", port) is None or len(digits) > len(str(LARGEST_PORT)):
        return False
    return int(digits) <= LARGEST_PORT


def is_host(host: str, *, special: bool) -> bool:
    if host.startswith("["):
        return host.endswith("]") and is_ipv6(host[1:-1])
    if not special:
        return FORBIDDEN_HOST.isdisjoint(host)
    domain = unquote_to_bytes(host).decode("utf-8", "replace")
    if "\ufffd" in domain:
        return False
    domain = OTHER_DOTS.sub(".", unicodedata.normalize("NFKC", domain).replace("\u00ad", ""))
    if domain == "" or not FORBIDDEN_DOMAIN.isdisjoint(domain):
        return False
    labels = domain.split(".")
    if labels[-1] == "" and len(labels) > 1:
        labels.pop()
    return NUMERIC_LABEL.fullmatch(labels[-1]) is None or is_ipv4(labels)


def is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


def is_ipv4(labels: list[str]) -> bool:
    """One to four numbers, each decimal, octal or hexadecimal; the last one fills what is left."""
    if len(labels) > 4:
        return False
    numbers = [ipv4_number(label) for label in labels]
    if any(number is None for number in numbers):
        return False
    *leading, last = [number for number in numbers if number is not None]
    return all(number <= 255 for number in leading) and last < 256 ** (5 - len(labels))


def ipv4_number(label: str) -> int | None:
    if label[:2] in ("0x", "0X"):
        digits, base = label[2:], 16
    elif len(label) > 1 and label.startswith("0"):
        digits, base = label[1:], 8
    else:
        digits, base = label, 10
    if digits == "" and base == 16:
        return 0
    digits = digits.lstrip("0") or digits[:1]
    # Twelve digits are beyond every address in every base.
    alphabet = "0123456789abcdefABCDEF"[: {8: 8, 10: 10, 16: 22}[base]]
    if digits == "" or any(digit not in alphabet for digit in digits):
        return None
    return int(digits, base) if len(digits) <= 12 else 16**12
