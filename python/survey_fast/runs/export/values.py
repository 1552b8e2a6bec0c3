"""The values of an export, one row for each claim: a view, never another source.

1. Everything is read from the document that was validated and scanned; nothing is added to it.
2. As JSON lines a value keeps its type. In CSV text stands as it is and any other value as JSON;
   a cell that a spreadsheet would run (it starts with ``=``, ``+``, ``-`` or ``@``) gets an
   apostrophe in front, and what is absent is empty.
3. Excerpt and place are those of the value that the claim states. A claim that states none of
   several values has neither, and lists them all as not chosen.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from survey_fast.canon import canonical_json, data_json

__all__ = ["COLUMNS", "FORMATS", "value_rows", "values_csv", "values_jsonl"]

Record: TypeAlias = Mapping[str, Any]

COLUMNS: Final = (
    "field",
    "pathIndices",
    "value",
    "status",
    "decisionKind",
    "notChosen",
    "reviewer",
    "decidedAt",
    "excerpt",
    "locator",
    "claimId",
)
_FIELD_STATE: Final = "survey.kontourai.io/field-state"
_UNCONFIRMED: Final = "could-not-confirm"
_RUN_BY_SPREADSHEETS: Final = ("=", "+", "-", "@")


def value_rows(document: Record) -> Iterator[dict[str, Any]]:
    """One row for each claim of a ReviewedExport, in its order, with every column.

    Args:
        document: an export, as plain data.
    """
    bundle = document["bundle"]
    decisions = {one["claimId"]: one for one in document["reviewRound"]["decisions"]}
    places: dict[str, Record] = {}
    for one in bundle["evidence"]:
        if "sourceLocator" in one:
            places.setdefault(one["claimId"], one)
    for claim in bundle["claims"]:
        decision = decisions[claim["id"]]
        survey = claim["metadata"]["survey"]
        states_one = "candidateId" in survey
        place = places.get(claim["id"], {}) if states_one else {}
        yield {
            "field": claim["fieldOrBehavior"],
            "pathIndices": claim.get("qualifiers", {}).get("pathIndices"),
            "value": claim["value"],
            "status": claim["status"],
            "decisionKind": _kind(claim["metadata"]),
            "notChosen": [
                one["value"] for one in survey.get("candidates", ()) if not one.get("selected")
            ],
            "reviewer": decision["actor"]["id"],
            "decidedAt": decision["decidedAt"],
            "excerpt": place.get("excerptOrSummary"),
            "locator": place.get("sourceLocator"),
            "claimId": claim["id"],
        }


def _kind(metadata: Record) -> str | None:
    """The decision kind: of a review that governs its claim, the one in the review's id.

    A review that confirmed nothing governs nothing, and is told by the field's state.
    """
    review_id = metadata["survey"].get("reviewOutcomeId")
    if review_id is not None:
        # <item>:<kind>:review-outcome
        return str(review_id).rsplit(":", 2)[1]
    state = metadata.get(_FIELD_STATE, {})
    return _UNCONFIRMED if state.get("lifecycle") == "could_not_confirm" else None


def values_jsonl(document: Record) -> bytes:
    """The rows of :func:`value_rows` as JSON lines, each canonical."""
    return b"".join(canonical_json(row) + b"\n" for row in value_rows(document))


def values_csv(document: Record) -> bytes:
    """The same as CSV with a header: UTF-8, lines that end in CR LF."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in value_rows(document):
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return text.getvalue().encode()


def _cell(value: object) -> str:
    """Rule 2."""
    if value is None or value == []:
        return ""
    text = value if isinstance(value, str) else data_json(value).decode()  # type: ignore[arg-type]
    return f"'{text}" if text.startswith(_RUN_BY_SPREADSHEETS) else text


FORMATS: Final[Mapping[str, Callable[[Record], bytes]]] = MappingProxyType(
    {".csv": values_csv, ".jsonl": values_jsonl}
)
"""What writes each format, by the ending of a file's name."""
