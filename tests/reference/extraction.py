"""Occurrences of excerpts, and what values and excerpts say about each other, written plainly.

1. Every place is tried; an occurrence is found by comparing code units. Occurrences may overlap.
2. Proposals alike in field, places, value and excerpt share what each of them took. A hint is a
   whole number from 1 to the count of visible occurrences; it may name one that is taken.
3. Text is compared in form KC, lower case, with U+2212 as a hyphen. Letters, marks and numbers
   make words. A word is negated by a negation among the three before it.
4. A number, a date or a fraction glued to other digits is not read. What scales or encloses a
   number makes it uncertain, as a negation does.
"""

from __future__ import annotations

import calendar
import re
import unicodedata

from tests.reference.number import is_number
from tests.reference.refusal import Json
from tests.reference.wire import ECMASCRIPT_SPACE

CHECKER = "evidence-match-v4"
SPACE = f"[{ECMASCRIPT_SPACE}]"
NEGATIONS = {"not", "no", "never", "without", "cannot", "nor"}
MONTHS = [name.lower() for name in calendar.month_name]
SHORT = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9}
SHORT |= {"sept": 9, "oct": 10, "nov": 11, "dec": 12}
NAMES = {name: at for at, name in enumerate(MONTHS) if name} | SHORT
MONTH = rf"(?P<month>{'|'.join(NAMES)})\.?"
DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
YEAR = r"(?P<year>[0-9]{4})"
BREAK = rf"(?:{SPACE}*,{SPACE}*|{SPACE}+)"
DATES = [
    re.compile(rf"(?<![A-Za-z0-9])(?:{form})(?![A-Za-z0-9])")
    for form in (
        YEAR + "-(?P<number>[0-9]{2})-(?P<day>[0-9]{2})",
        f"{DAY}{SPACE}+{MONTH}{BREAK}{YEAR}",
        f"{MONTH}{SPACE}+{DAY}{BREAK}{YEAR}",
    )
]
NUMBER = re.compile(
    r"(?<![A-Za-z0-9.,])(?P<first>[+-]?)(?:[$€£¥₹] ?)?(?P<second>[+-]?)"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)(?![A-Za-z0-9]|[.,][0-9])"
)
SCALED = re.compile(rf"{SPACE}*(?:%|(?:thousand|million|billion|trillion|bn|mn)(?![A-Za-z0-9_]))")
TIME = r"T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))?"
ISO = re.compile(rf"([0-9]{{4}})(?:-([0-9]{{2}})(?:-([0-9]{{2}})(?:{TIME})?)?)?")


def resolve(text: str, drafts: list[dict[str, Json]]) -> list[dict[str, Json]]:
    """Rules 1 to 4 for the drafts of one run, in order."""
    taken: dict[tuple[str, ...], set[int]] = {}
    return [_resolve(text, draft, taken) for draft in drafts]


def _resolve(
    text: str, draft: dict[str, Json], taken: dict[tuple[str, ...], set[int]]
) -> dict[str, Json]:
    excerpt = draft["excerpt"]
    if not excerpt:
        return {"dropped": "excerpt-empty"}
    wanted, whole = _units(excerpt), _units(text)
    window = draft.get("window", [0, len(whole)])
    if not _is_window(whole, *window):
        return {"dropped": "window-invalid"}
    length = len(wanted)
    starts = [at for at in range(len(whole)) if whole[at : at + length] == wanted]
    seen = [
        (index, at)
        for index, at in enumerate(starts)
        if window[0] <= at and at + length <= window[1]
    ]
    if not seen:
        return {"dropped": "excerpt-not-found"}
    key = (draft["fieldPath"], repr(draft.get("pathIndices")), repr(draft["value"]), excerpt)
    used = taken.setdefault(key, set())
    hint = draft.get("hint")
    by_hint = is_number(hint) and hint == hint // 1 and 1 <= hint <= len(seen)
    free = [one for one in seen if one[0] not in used] or seen[-1:]
    index, start = seen[int(hint) - 1] if by_hint else free[0]
    used.add(index)
    end = start + length
    found = {
        "start": start,
        "end": end,
        "locator": f"chars:{start}-{end}",
        "occurrence": {
            "resolverVersion": "exact-occurrence-v1",
            "count": len(starts),
            "selected": {"index": index, "start": start, "end": end},
            "selection": "occurrence-hint" if by_hint else "source-order",
            "hintUsed": by_hint,
            "ambiguous": len(starts) > 1,
        },
    }
    if "valueType" in draft:
        found["evidenceMatch"] = {
            "checkerVersion": CHECKER,
            "schema": schema(draft["value"], draft["valueType"], draft.get("enumValues", [])),
            "valueInExcerpt": value_in_excerpt(
                draft["value"], draft["valueType"], excerpt, draft.get("inferenceType")
            ),
            "tokenBoundary": token_boundary(whole, start, end),
        }
    return found


def _units(text: str) -> list[bytes]:
    raw = text.encode("utf-16-le")
    return [raw[at : at + 2] for at in range(0, len(raw), 2)]


def _is_window(whole: list[bytes], start: int, end: int) -> bool:
    """A part of the text that cuts no pair."""
    if not 0 <= start <= end <= len(whole):
        return False
    return not any(at < len(whole) and _is_low(whole[at]) for at in (start, end))


def _is_low(unit: bytes) -> bool:
    return 0xDC <= unit[1] <= 0xDF


def token_boundary(whole: list[bytes], start: int, end: int) -> bool:
    """Rule of the span's two edges: no edge has word characters on both sides."""

    def in_word(units: list[bytes], at: int) -> bool:
        text = b"".join(units).decode("utf-16-le")
        return bool(text) and (text[at] == "_" or _is_word(text[at]))

    return not any(in_word(whole[:at], -1) and in_word(whole[at:], 0) for at in (start, end))


def schema(value: Json, declared: str, allowed: list[str]) -> str:
    """Whether a value has its declared form."""
    kinds = {
        "number": is_number(value),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    if not kinds.get(declared, isinstance(value, str)):
        return "type-mismatch"
    if declared == "date" and not _is_iso(value):
        return "format-invalid"
    if declared == "enum" and allowed and value not in allowed:
        return "enum-mismatch"
    return "ok"


def _is_iso(text: str) -> bool:
    found = ISO.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second, east, south = (
        int(part or 0) for part in found.groups()
    )
    named = found.group(2) is not None
    exists = not named or _is_day(year, month, day if found.group(3) else 1)
    return exists and max(hour, east) <= 23 and max(minute, second, south) <= 59


def _is_day(year: int, month: int, day: int) -> bool:
    leaps = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = [31, 29 if leaps else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= lengths[month - 1]


def value_in_excerpt(value: Json, declared: str, excerpt: str, inference: str | None) -> str:
    """Whether the value stands in the excerpt."""
    if inference != "explicit" or declared in {"array", "object"}:
        return "not-applicable"
    if schema(value, declared, []) == "type-mismatch":
        return "not-evaluated"
    compare = {"number": _number, "boolean": _boolean, "date": _date}.get(declared, _text)
    return compare(value, excerpt)


def _is_letter_or_number(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().replace("\u2212", "-")


def _prepare(folded: str) -> str:
    def negation(found: re.Match[str]) -> str:
        after = found.string[found.end() : found.end() + 1]
        return found[0] if after and _is_letter_or_number(after) else " not"

    def number(found: re.Match[str]) -> str:
        before = found.string[: found.start()][-1:]
        return found[0] if before and _is_letter_or_number(before) else " number "

    text = re.sub("n['\u2019]t", negation, folded)
    return re.sub(rf"no[.:]{SPACE}*(?=[0-9])", number, text)


def _words(prepared: str) -> list[str]:
    spaced = "".join(character if _is_word(character) else " " for character in prepared)
    return [word for word in spaced.split(" ") if word]


def _is_negated(words: list[str], index: int) -> bool:
    return bool(NEGATIONS & set(words[max(0, index - 3) : index]))


def _text(value: str, excerpt: str) -> str:
    ours, theirs = _prepare(_fold(value)), _prepare(_fold(excerpt))
    wanted, words = _words(ours), _words(theirs)
    if not wanted:
        return "not-evaluated"
    places = range(len(words) - len(wanted) + 1)
    hits = [at for at in places if words[at : at + len(wanted)] == wanted]
    if not hits:
        return "mismatch"
    if any(_is_negated(words, at) for at in hits):
        return "not-evaluated"
    stands = f" {_meaningful(ours)} " in f" {_meaningful(theirs)} "
    return "match" if stands or _is_phone(ours) else "not-evaluated"


def _meaningful(prepared: str) -> str:
    padded = f" {prepared} "
    kept = ""
    for before, character, after in zip(padded, padded[1:], padded[2:], strict=False):
        is_sign = character in "+-#%" and any(
            _is_word(one) or one in "+-#%" for one in (before, after)
        )
        is_point = character in ".," and _is_word(before) and _is_word(after)
        kept += character if _is_word(character) or is_sign or is_point else " "
    return " ".join(part for part in kept.split(" ") if part)


def _is_phone(prepared: str) -> bool:
    groups = re.findall("[0-9]+", prepared)
    well_formed = re.fullmatch(f"(?:{SPACE}|[0-9().\\-/])*", prepared) is not None
    leads = prepared.strip(ECMASCRIPT_SPACE).startswith("-")
    return well_formed and not leads and len(groups) >= 3 and len("".join(groups)) >= 7


def _number(value: float, excerpt: str) -> str:
    folded = _fold(excerpt)
    blanked = re.sub("[0-9]+(?:[-/:][0-9]+)+", lambda found: " " * len(found[0]), folded)
    is_uncertain = blanked != folded
    is_read = False
    for found in NUMBER.finditer(_flat(blanked)):
        is_read = True
        before, after = blanked[: found.start()], blanked[found.end() :]
        is_enclosed = before.rstrip(ECMASCRIPT_SPACE).endswith("(") and after.lstrip(
            ECMASCRIPT_SPACE
        ).startswith(")")
        # The digits belong to the text before them, or "no. 5" would say no.
        until = _words(_prepare(folded[: found.end()]))
        index = len(until) - len(_words(found[0]))
        if is_enclosed or SCALED.match(after) or _is_negated(until, index):
            is_uncertain = True
            continue
        size = float(found["digits"].replace(",", ""))
        if value == (-size if "-" in found["first"] + found["second"] else size):
            return "match"
    return "not-evaluated" if is_uncertain or not is_read else "mismatch"


def _flat(folded: str) -> str:
    """The text with every letter and number beyond ASCII as one letter."""
    return "".join("x" if one > "\x7f" and _is_letter_or_number(one) else one for one in folded)


def _boolean(value: bool, excerpt: str) -> str:  # noqa: FBT001 - the value at hand
    words = _words(_prepare(_fold(excerpt)))
    said = {"yes": True, "true": True, "no": False, "false": False}
    hits = [(at, said[word] is value) for at, word in enumerate(words) if word in said]
    same = {agrees for _, agrees in hits}
    if len(same) != 1 or any(_is_negated(words, at) for at, _ in hits):
        return "not-evaluated"
    return "match" if same == {True} else "mismatch"


def _date(value: str, excerpt: str) -> str:
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value) is None or not _is_iso(value):
        return "not-evaluated"
    text = _flat(_fold(excerpt))
    days = set()
    for form in DATES:
        for at in range(len(text)):
            found = form.match(text, at)
            if found is not None:
                parts = found.groupdict()
                month = int(parts.get("number") or NAMES.get(parts.get("month", ""), 0))
                days.add((int(parts["year"]), month, int(parts["day"])))
    days = {day for day in days if _is_day(*day)}
    if not days:
        return "not-evaluated"
    return "match" if tuple(map(int, value.split("-"))) in days else "mismatch"
