"""The values of an export, one row for each claim: a view, never another source.

1. Everything is read from the document that was validated and scanned; nothing is added to it.
2. As JSON lines a value keeps its type. In CSV text stands as it is and any other value as JSON;
   a cell that a spreadsheet would run (it starts with ``=``, ``+``, ``-`` or ``@``, white space and
   control characters apart) gets an apostrophe in front, and what is absent is empty.
3. Excerpt and place are those of the value that the claim states. A claim that states none of
   several values has neither, and lists them all as not chosen.
4. More columns come behind those only where they are asked for: the reviewer's note; and run,
   source and subject, which tell rows of several exports apart once they stand in one table.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from survey_fast.canon import canonical_json, data_json

__all__ = ["COLUMNS", "FORMATS", "MORE_COLUMNS", "value_rows", "values_csv", "values_jsonl"]

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
MORE_COLUMNS: Final = ("note", "run", "source", "subjectType", "subjectId")
_FIELD_STATE: Final = "survey.kontourai.io/field-state"
_UNCONFIRMED: Final = "could-not-confirm"
# Some drop what cannot be seen in front, and some take the full-width forms for the others.
_RUN_BY_SPREADSHEETS: Final = re.compile(r"[\s\x00-\x1f\x7f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def value_rows(document: Record, *, more: bool = False) -> Iterator[dict[str, Any]]:
    """One row for each claim of a ReviewedExport, in its order, with every column.

    Args:
        document: an export, as plain data.
        more: tell ``MORE_COLUMNS`` too.
    """
    bundle = document["bundle"]
    decisions = {one["claimId"]: one for one in document["reviewRound"]["decisions"]}
    places: dict[str, Record] = {}
    for one in bundle["evidence"]:
        if "sourceLocator" in one:
            places.setdefault(one["claimId"], one)
    told = _More(bundle) if more else None
    for claim in bundle["claims"]:
        decision = decisions[claim["id"]]
        survey = claim["metadata"]["survey"]
        states_one = "candidateId" in survey
        place = places.get(claim["id"], {}) if states_one else {}
        row = {
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
        yield row if told is None else row | told.of(claim)


class _More:
    """Rule 4."""

    def __init__(self, bundle: Record) -> None:
        self._run = bundle["source"]
        self._sources: dict[str, str] = {}
        for one in bundle["evidence"]:
            if "sourceRef" in one:
                self._sources.setdefault(one["claimId"], one["sourceRef"])
        self._reviewed: dict[str, Record] = {}
        for one in bundle["events"]:
            # The review comes first; what follows it, such as a dispute, has notes of its own.
            self._reviewed.setdefault(one["claimId"], one)

    def of(self, claim: Record) -> dict[str, Any]:
        return {
            "note": self._reviewed.get(claim["id"], {}).get("notes"),
            "run": self._run,
            "source": self._sources.get(claim["id"]),
            "subjectType": claim["subjectType"],
            "subjectId": claim["subjectId"],
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


def values_jsonl(document: Record, *, more: bool = False) -> bytes:
    """The rows of :func:`value_rows` as JSON lines, each canonical."""
    return b"".join(canonical_json(row) + b"\n" for row in value_rows(document, more=more))


def values_csv(document: Record, *, more: bool = False) -> bytes:
    """The same as CSV with a header: UTF-8, lines that end in CR LF."""
    columns = (*COLUMNS, *MORE_COLUMNS) if more else COLUMNS
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    for row in value_rows(document, more=more):
        writer.writerow([_cell(row[name]) for name in columns])
    return text.getvalue().encode()


def _cell(value: object) -> str:
    """Rule 2."""
    if value is None or value == []:
        return ""
    text = value if isinstance(value, str) else data_json(value).decode()  # type: ignore[arg-type]
    return f"'{text}" if _RUN_BY_SPREADSHEETS.match(text) else text


class Table(Protocol):
    """Writes the rows of an export."""

    def __call__(self, document: Record, *, more: bool = False) -> bytes: ...


FORMATS: Final[Mapping[str, Table]] = MappingProxyType({".csv": values_csv, ".jsonl": values_jsonl})
"""What writes each format, by the ending of a file's name."""
