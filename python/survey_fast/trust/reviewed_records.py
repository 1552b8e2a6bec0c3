"""The records that a reviewed item becomes: sources, extractions, a set, a review and a claim.

1. An id comes from the hint that names it, else from the thing itself, else from the item's name.
   All candidates of an item belong to one set, and all claim ids that are given are one.
2. A value that was not chosen keeps its place in the set, with the reason why it does not hold. The
   edit of an accepted value is in the review and in the claim; candidate, extraction and set keep
   what was extracted.
3. Records of one id are one record. Two that differ are refused (``record-conflict``).
4. Candidates of one item are about one claim, and each says where its value comes from.
5. What was carried from an earlier round says so: its sources have the resolution
   ``carry-forward`` under ids of their own, its review has the earlier reviewer and time, its claim
   names the earlier decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from survey_fast.errors import refusal
from survey_fast.trust.agreement import same_value
from survey_fast.trust.reviewed_claim import (
    CARRY,
    EVIDENCE_HINTS,
    IDENTITY,
    candidate_set_of,
    claim_of,
    collector_of,
    rejection_reasons,
    review_of,
)
from survey_fast.trust.reviewed_item import Reviewed
from survey_fast.trust.reviewed_names import NOTHING, Hints

__all__ = ["CARRIED_KEY", "ReviewedRecords"]

Record: TypeAlias = Mapping[str, Any]

CARRIED_KEY: Final = "survey-fast/carried-decision"
"""The member of a claim's metadata that names the earlier decision."""
_OF_A_SOURCE: Final = ("kind", "sourceRef", "observedAt", "fetchedAt", "checksum")
_TARGET: Final = frozenset({*IDENTITY, *EVIDENCE_HINTS, "collectedBy", "claimId"})
"""Members of a claim target that are read, all of them texts."""


class ReviewedRecords:
    """Collects the records of a batch, in the order in which they are first seen."""

    def __init__(self, source: str, generated_at: str) -> None:
        self._source = source
        self._generated_at = generated_at
        self._sources: dict[str, dict[str, Any]] = {}
        self._seen_sources: set[tuple[object, ...]] = set()
        self._extractions: dict[str, dict[str, Any]] = {}
        self._sets: dict[str, dict[str, Any]] = {}
        self._reviews: dict[str, dict[str, Any]] = {}
        self._claims: dict[str, dict[str, Any]] = {}

    def survey_input(self) -> dict[str, Any]:
        """The input of all records so far."""
        return {
            "contractVersion": "1",
            "source": self._source,
            "generatedAt": self._generated_at,
            "rawSources": [*self._sources.values()],
            "extractions": [*self._extractions.values()],
            "candidateSets": [*self._sets.values()],
            "reviewOutcomes": [*self._reviews.values()],
            "claims": [*self._claims.values()],
        }

    def add(
        self,
        one: Reviewed,
        pointer: str,
        metadata: Mapping[str, Any] | None,
        qualifiers: Mapping[str, str] | None = None,
    ) -> None:
        """Add the records of one item.

        Args:
            one: the item and what was decided about it.
            pointer: leads to the item.
            metadata: what its claim is to say beside that.
            qualifiers: what tells the claim from others about the same field.

        Raises:
            ProjectionError: ``claim-target-mismatch``, ``candidate-provenance-missing``,
                ``candidate-set-id-mismatch``, ``claim-id-mismatch``, ``record-conflict``.
            QueueError: ``ambiguous-candidate-identity``.
        """
        candidates = one.item["spec"]["candidates"]
        place = f"{pointer}/spec/candidates"
        hints = Hints(one, candidates)
        if len(candidates) > 1:
            _require_one_claim(candidates, place)
        set_id = hints.set_id(place)
        claim_id = hints.claim_id(candidates, pointer)
        ids = [two["id"] for two in candidates]
        if hints.given:
            named = zip(hints.of_candidates, ids, strict=True)
            ids = [hint.get("candidateId") or name for hint, name in named]
        if len(ids) > 1 and len(set(ids)) < len(ids):
            message = "two candidates of the item would have one id"
            raise refusal("ambiguous-candidate-identity", message, place)
        reasons = rejection_reasons(one, candidates, ids)
        listed = []
        chosen_id = None
        for at, candidate in enumerate(candidates):
            record = self._candidate(one, candidate, hints.of_candidates[at], (place, at))
            record["id"] = ids[at]
            reason = candidate.get("rejectionReason") or reasons.get(candidate["id"])
            if reason:
                record["rejectionReason"] = reason
            listed.append(record)
            if candidate is one.chosen:
                chosen_id = ids[at]
        candidate_set = candidate_set_of(one, set_id, listed, chosen_id)
        self._put(self._sets, candidate_set, pointer)
        self._put(self._reviews, review_of(one, set_id, chosen_id, ids, hints), pointer)
        claim = claim_of(one, claim_id, candidate_set, chosen_id)
        claim["updatedAt"] = one.spec.get("reviewedAt") or self._generated_at
        claim["collectedBy"] = collector_of(one, candidates) or self._source
        if metadata:
            claim["metadata"] = dict(metadata)
        if qualifiers:
            claim["qualifiers"] = dict(qualifiers)
        self._put(self._claims, claim, pointer)

    def _put(
        self, records: dict[str, dict[str, Any]], record: dict[str, Any], pointer: str
    ) -> None:
        """Rule 3."""
        known = records.setdefault(record["id"], record)
        if known is not record and not same_value(known, record):
            message = "another record of the batch has the same id and says something else"
            raise refusal("record-conflict", message, pointer, {"id": record["id"]})

    def _candidate(
        self, one: Reviewed, candidate: Record, hint: Record, place: tuple[str, int]
    ) -> dict[str, Any]:
        """The candidate of a set, but for its id; source and extraction are added on the way."""
        source_id = self._add_source(one, candidate, hint, place)
        extraction = _extraction(one, candidate, hint, place)
        extraction["sourceId"] = source_id
        self._put(self._extractions, extraction, place[0])
        record: dict[str, Any] = {
            "extractionId": extraction["id"],
            "value": candidate["value"],
        }
        metadata = {name: candidate[name] for name in ("role", "producer") if name in candidate}
        if metadata:
            record["metadata"] = metadata
        for name in ("confidence", "sourceRank"):
            if name in candidate:
                record[name] = candidate[name]
        return record

    def _add_source(
        self, one: Reviewed, candidate: Record, hint: Record, place: tuple[str, int]
    ) -> str:
        given = candidate["source"]
        scheme = given.get("locatorScheme") or candidate.get("locator", NOTHING).get("scheme")
        source_id: str = (
            hint.get("rawSourceId")
            or given.get("sourceId")
            or f"{one.name}.{candidate['id']}.source"
        )
        if one.carried is not None:
            # The same source may stand behind items that were reviewed in this round.
            source_id = f"{source_id}.{CARRY}"
        told = (source_id, scheme, *map(given.get, _OF_A_SOURCE))
        if told in self._seen_sources:
            return source_id
        pointer = f"{place[0]}/{place[1]}/source"
        record = {
            "id": source_id,
            "kind": given.get("kind"),
            "sourceRef": given["sourceRef"],
            "observedAt": given.get("observedAt"),
            "locatorScheme": scheme,
        }
        for member in ("kind", "observedAt", "locatorScheme"):
            if not record[member]:
                message = f"the source of a candidate has no {member}"
                raise refusal("candidate-provenance-missing", message, pointer)
        for member in ("fetchedAt", "checksum"):
            if given.get(member):
                record[member] = given[member]
        if one.carried is not None:
            record["resolution"] = CARRY
        self._put(self._sources, record, pointer)
        self._seen_sources.add(told)
        return source_id


def _extraction(
    one: Reviewed, candidate: Record, hint: Record, place: tuple[str, int]
) -> dict[str, Any]:
    """The extraction of a candidate, but for its source."""
    given = candidate["extraction"]
    extractor, extracted_at = given.get("extractor"), given.get("extractedAt")
    if not extractor or not extracted_at:
        message = "an extraction says who extracted and when: extractor and extractedAt"
        pointer = f"{place[0]}/{place[1]}/extraction"
        raise refusal("candidate-provenance-missing", message, pointer)
    name = (
        hint.get("extractionId")
        or given.get("extractionId")
        or f"{one.name}.{candidate['id']}.extraction"
    )
    record: dict[str, Any] = {
        "id": name if one.carried is None else f"{name}.{CARRY}",
        "target": given["target"],
        "value": candidate["value"],
        "extractor": extractor,
        "extractedAt": extracted_at,
    }
    confidence = given.get("confidence", candidate.get("confidence"))
    if confidence is not None:
        record["confidence"] = confidence
    locator = candidate.get("locator", NOTHING)
    if "locator" in locator:
        record["locator"] = locator["locator"]
    if "excerpt" in locator:
        record["excerpt"] = locator["excerpt"]
    if "model" in given:
        record["metadata"] = {"model": given["model"]}
    return record


def _require_one_claim(candidates: list[Record], place: str) -> None:
    """Rule 4: everything but the claim id is the same."""
    first = candidates[0]["claimTarget"]
    # Where every member is one that is read, all of them are texts: equal ones are the same.
    is_read = first.keys() <= _TARGET
    for at, candidate in enumerate(candidates):
        target = candidate["claimTarget"]
        if target is first or (is_read and target == first):
            continue
        names = (target.keys() | first.keys()) - {"claimId"}
        if not all(_is_shared(name, target, first) for name in names):
            message = "all candidates of an item are about the same claim"
            raise refusal("claim-target-mismatch", message, f"{place}/{at}/claimTarget")


def _is_shared(name: str, one: Record, other: Record) -> bool:
    return name in one and name in other and same_value(one[name], other[name])
