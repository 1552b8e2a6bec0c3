"""What must not leave, read off the published table with patterns of the standard library."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

PATH_EDGE = r"""(?:^|[\s"'=(:\[,`])"""
SECRET_EDGE = r"""(?:^|[\s"'=:])"""
TAIL = r"""[^\s"'<>]+"""
ROOTS = "home|users|etc|var|tmp|private|root|opt|usr|mnt|srv|proc"
TABLE: list[tuple[str, str]] = [
    ("path-home", rf"{PATH_EDGE}~/{TAIL}"),
    ("path-drive", rf"{PATH_EDGE}[A-Za-z]:[/\\]{TAIL}"),
    ("path-share", rf"{PATH_EDGE}\\\\[^\\\s]+\\{TAIL}"),
    ("path-file-url", rf"{PATH_EDGE}[Ff][Ii][Ll][Ee]://{TAIL}"),
    ("secret-github", rf"{SECRET_EDGE}gh[pousr]_[A-Za-z0-9]{{20,}}"),
    ("secret-gitlab", rf"{SECRET_EDGE}glpat-[A-Za-z0-9_-]{{20,}}"),
    ("secret-slack", rf"{SECRET_EDGE}xox[baprs]-[A-Za-z0-9-]{{10,}}"),
    ("secret-npm", rf"{SECRET_EDGE}npm_[A-Za-z0-9]{{20,}}"),
    ("secret-stripe", rf"{SECRET_EDGE}sk_live_[A-Za-z0-9]{{16,}}"),
    (
        "secret-aws-id",
        rf"{SECRET_EDGE}(?:AKIA|ASIA|AIDA|AROA|AIPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{{16}}",
    ),
    ("workspace-folder", r"(?i)\.(?:kontourai|survey-fast)[/\\]"),
    ("workspace-segment", r"(?i)(?:^|/)ops/"),
]
RULES = {name for name, _ in TABLE} | {"path-posix", "secret-high-entropy", "member-name"}
NAMES = re.compile(
    r"(?i)(?:api[-_]?key|secret|password|access[-_]?token|private[-_]?key(?:[-_]?id)?"
    r"|aws[-_]?access[-_]?key[-_]?id|aws[-_]?secret[-_]?access[-_]?key"
    r"|raw[-_]?(?:provider[-_]?)?diagnostics?)"
)


def disclosures(value: Any, at: str = "") -> list[tuple[str, str, bool, str]]:
    """``(rule, pointer, is_name, sha256)`` under the rules of ``RULES``, members sorted."""
    if isinstance(value, str):
        return [(rule, at, False, _digest(value)) for rule in _rules(value)]
    if isinstance(value, list):
        return [
            one for place, part in enumerate(value) for one in disclosures(part, f"{at}/{place}")
        ]
    found = []
    if isinstance(value, dict):
        for name in sorted(value, key=lambda name: name.encode("utf-16-be")):
            if NAMES.fullmatch(name):
                found.append(("member-name", at, True, _digest(name)))
            found += [(rule, at, True, _digest(name)) for rule in _rules(name)]
            step = name.replace("~", "~0").replace("/", "~1")
            found += disclosures(value[name], f"{at}/{step}")
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _rules(text: str) -> list[str]:
    found = [name for name, pattern in TABLE if re.search(pattern, text)]
    if _is_posix_path(text):
        found.append("path-posix")
    if any(map(_is_random, re.split(r"[^A-Za-z0-9+/_-]+", text))):
        found.append("secret-high-entropy")
    return found


def _is_posix_path(text: str) -> bool:
    """A slash at an edge: bare where a text or a quotation begins, elsewhere with a folder."""
    for place, character in enumerate(text):
        rest = re.match(TAIL, text[place + 1 :])
        if character != "/" or rest is None or rest[0].startswith("/"):
            continue
        before = text[place - 1] if place else ""
        if before in {"", '"', "'", "="}:
            return True
        if before.isspace() or before in "(:[,`":
            first = re.match(rf"(?i:{ROOTS})(?:[/\s\"'<>.,;:)\]]|$)", text[place + 1 :])
            if first or re.match(r"""[^/\s"'<>]+/[^\s"'<>]+""", rest[0]):
                return True
    return False


def _is_random(token: str) -> bool:
    kinds = (r"[0-9]", r"[A-Z]", r"[a-z]")
    if len(token) < 40 or not all(re.search(kind, token) for kind in kinds):
        return False
    shares = [token.count(one) / len(token) for one in sorted(set(token))]
    return -sum(share * math.log2(share) for share in shares) >= 4.5
