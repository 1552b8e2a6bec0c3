"""The proposal that an item of evidence cites.

1. The span is written ``chars:start-end``, its length is the excerpt's in UTF-16 code units, and
   the occurrence names the same span.
2. An excerpt is never empty: no bundle could carry the evidence.
3. The model is the one that produced the proposal where that is recorded, else the run's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from survey_fast.errors import refusal
from survey_fast.trust.evidence.names import check_identity
from survey_fast.trust.evidence.shape import (
    RECORD,
    SPAN,
    exactly,
    is_whole,
    members,
)
from survey_fast.trust.evidence.structure import StructuralTrust, declared_trust

__all__ = ["Proposal", "read_proposal"]

_LOCATOR: Final = re.compile("chars:(0|[1-9][0-9]{0,15})-(0|[1-9][0-9]{0,15})")
_OCCURRENCE: Final = (
    "resolverVersion",
    "count",
    "selected",
    "selection",
    "hintUsed",
    "ambiguous",
)
_SELECTIONS: Final = ("source-order", "occurrence-hint")


class Proposal(NamedTuple):
    """A proposal that passed the checks.

    Attributes:
        raw: the proposal as it stands in the record.
        text: its canonical text.
        field_path: the field it proposes a value for.
        value: the value.
        excerpt: the words it was read from.
        locator: where they stand.
        extractor: what read them.
        model: the model that answered, if one is recorded.
        type_origin: whether the type was stated or inferred.
        trust: how far the value bears out its declared type.
        place: what a candidate for it says of its place.
        reading: what a candidate for it says of who read it, the model apart.
    """

    raw: dict[str, Any]
    text: bytes
    field_path: str
    value: Any
    excerpt: str
    locator: str
    extractor: str
    model: str | None
    type_origin: str
    trust: StructuralTrust
    place: Mapping[str, str]
    reading: Mapping[str, str]


def read_proposal(
    proposal: dict[str, Any], run_model: str | None, *, text: bytes, is_sound: bool
) -> Proposal:
    """Check a proposal of a record that was read; pointers lead into the proposal.

    Args:
        proposal: the proposal as it stands in the record.
        run_model: the model of the run, if one is recorded.
        text: its canonical text.
        is_sound: whether the core found place, words and confidence to fit; what it did not
            find so is looked at here, and refused with a reason.

    Raises EvidenceError: ``evidence-record-invalid``, ``evidence-malformed`` or
    ``evidence-identity-unsafe`` for an identity, ``evidence-span-invalid``, ``empty-excerpt``.
    """
    field_path = proposal.get("fieldPath")
    if not isinstance(field_path, str) or not field_path:
        message = "a proposal names the field it is for"
        raise RECORD.refuse(message, "/fieldPath")
    extractor = check_identity(proposal.get("extractor"), "/extractor")
    if not is_sound:
        _check_confidence(proposal)
    model = run_model
    if "producedBy" in proposal:
        produced_by = members(proposal["producedBy"], "/producedBy", RECORD)
        model = check_identity(produced_by.get("model"), "/producedBy/model")
    if is_sound:
        provenance = proposal["provenance"]
        excerpt, locator = provenance["excerpt"], provenance["locator"]
    else:
        excerpt, locator = _span(proposal)
    origin = proposal.get("inferenceType", "inferred")
    if not isinstance(origin, str):
        message = "inferenceType is a word"
        raise RECORD.refuse(message, "/inferenceType")
    return Proposal(
        raw=proposal,
        text=text,
        field_path=field_path,
        value=proposal["candidateValue"],
        excerpt=excerpt,
        locator=locator,
        extractor=extractor,
        model=model,
        type_origin=origin,
        trust=declared_trust(proposal),
        place={"locator": locator, "excerpt": excerpt},
        reading={"target": field_path, "extractor": extractor},
    )


def _check_confidence(proposal: Mapping[str, Any]) -> None:
    confidence = proposal.get("confidence", 0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        message = "a confidence is a number; without one, leave the member out"
        raise RECORD.refuse(message, "/confidence")
    if not 0 <= confidence <= 1:
        message = "a confidence lies between 0 and 1"
        raise RECORD.refuse(message, "/confidence")


def _span(proposal: Mapping[str, Any]) -> tuple[str, str]:
    """Rules 1 and 2: the excerpt and its locator."""
    provenance = members(proposal.get("provenance"), "/provenance", SPAN)
    excerpt, locator = provenance.get("excerpt"), provenance.get("locator")
    if not isinstance(excerpt, str):
        message = "an excerpt is text"
        raise SPAN.refuse(message, "/provenance/excerpt")
    parts = _LOCATOR.fullmatch(locator) if isinstance(locator, str) else None
    if not isinstance(locator, str) or parts is None:
        message = "a locator reads chars:start-end, without leading zeros"
        raise SPAN.refuse(message, "/provenance/locator")
    start, end = int(parts[1]), int(parts[2])
    length = len(excerpt) if excerpt.isascii() else _units(excerpt)
    if end - start != length:
        message = f"the span holds {end - start} UTF-16 code units, its excerpt {length}"
        raise SPAN.refuse(message, "/provenance/locator")
    _check_occurrence(provenance.get("occurrence"), start, end)
    if not excerpt:
        message = "evidence needs the words it rests on; an empty excerpt proves nothing"
        raise refusal("empty-excerpt", message, "/provenance/excerpt")
    return excerpt, locator


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _check_occurrence(value: object, start: int, end: int) -> None:
    place = "/provenance/occurrence"
    occurrence = members(value, place, SPAN)
    exactly(occurrence, place, _OCCURRENCE, SPAN)
    count, selection = occurrence["count"], occurrence["selection"]
    if occurrence["resolverVersion"] != "exact-occurrence-v1":
        message = "occurrences of this resolver are not read"
        raise SPAN.refuse(message, f"{place}/resolverVersion")
    if not is_whole(count) or count < 1:
        message = "a count is a whole number of at least 1"
        raise SPAN.refuse(message, f"{place}/count")
    selected = members(occurrence["selected"], f"{place}/selected", SPAN)
    exactly(selected, f"{place}/selected", ("index", "start", "end"), SPAN)
    if not is_whole(selected["index"]) or selected["index"] >= count:
        message = "the selected occurrence is one of those counted"
        raise SPAN.refuse(message, f"{place}/selected/index")
    for name, bound in (("start", start), ("end", end)):
        if not is_whole(selected[name]) or selected[name] != bound:
            message = "the selected occurrence stands at the locator"
            raise SPAN.refuse(message, f"{place}/selected/{name}")
    if selection not in _SELECTIONS:
        message = f"one of {', '.join(_SELECTIONS)} belongs here"
        raise SPAN.refuse(message, f"{place}/selection")
    if occurrence["hintUsed"] is not (selection == "occurrence-hint"):
        message = "hintUsed says whether the selection followed a hint"
        raise SPAN.refuse(message, f"{place}/hintUsed")
    if occurrence["ambiguous"] is not (count > 1):
        message = "ambiguous says whether there is more than one occurrence"
        raise SPAN.refuse(message, f"{place}/ambiguous")
