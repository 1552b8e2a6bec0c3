"""What an envelope does not hold about its run: what was left out and why, and identities.

``extraction-report.json`` is canonical JSON and a line feed, of a closed shape:

======================  =====================================================================
format, schemaVersion   ``survey-fast-extraction-report``, 1
runId, envelopeDigest   which envelope it is about; the digest has no prefix
preparedLength          UTF-16 code units of the prepared text; null without one
truncatedAt             where the source was cut; null when it was read whole
prunedText              ``{elements, chars}`` of a page left out; null where nothing was
dropped                 ``{reason, fieldPath, chunk, count}``; a path is null when there was none
duplicates              proposals that said what an earlier one had said
malformedToolItems      items that providers could not read as proposals
notFound?               declared fields the text does not state; absent when that cannot be said
identities              ``{proposalIndex, slotId, versionId}``; not for every proposal
cueOffsets?             spans of a transcript with times in milliseconds
======================  =====================================================================

``notFound`` is there only after a success in which nothing was left out that cannot be put to a
declared field; a field is in it only if nothing was proposed for it and nothing of it dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.extraction.normalise import Dropped
from survey_fast.extraction.prepare import Prepared
from survey_fast.extraction.proposal_identity import ProposalIdentity

__all__ = ["FORMAT", "LeftOut", "PreparedFacts", "build_report", "prepared_facts", "report_bytes"]

FORMAT: Final = "survey-fast-extraction-report"
_VERSION: Final = 1


@dataclass(slots=True)
class LeftOut:
    """What a run left out, counted while it goes on."""

    dropped: dict[tuple[int, str, str | None], int] = field(default_factory=dict)
    duplicates: int = 0
    malformed_items: int = 0

    def drop(self, chunk: int, one: Dropped) -> None:
        """Count an item of a chunk (from 1) that was dropped."""
        key = (chunk, one.reason, one.path)
        self.dropped[key] = self.dropped.get(key, 0) + 1

    def to_json(self) -> dict[str, Any]:
        """The three members; drops by chunk, and as they came within one."""
        rows = sorted(self.dropped.items(), key=lambda row: row[0][0])
        return {
            "dropped": [
                {"reason": reason, "fieldPath": path, "chunk": chunk, "count": count}
                for (chunk, reason, path), count in rows
            ],
            "duplicates": self.duplicates,
            "malformedToolItems": self.malformed_items,
        }


@dataclass(frozen=True, slots=True)
class PreparedFacts:
    """What a preparation tells a report.

    Attributes:
        length: UTF-16 code units of the prepared text.
        truncated_at: where the source was cut, if it was.
        pruned: ``{elements, chars}`` that a page lost, if it did.
        cue_offsets: ``{start, end, cueStart, cueEnd}`` of a transcript.
    """

    length: int | None = None
    truncated_at: int | None = None
    pruned: Mapping[str, int] | None = None
    cue_offsets: Sequence[Mapping[str, int]] = ()


def prepared_facts(prepared: Prepared | None) -> PreparedFacts:
    """What a preparation tells; nothing when there was none."""
    if prepared is None:
        return PreparedFacts()
    named = (one.details for one in prepared.warnings if one.code == "navigation-pruned")
    pruned = next(named, None)
    return PreparedFacts(
        length=prepared.length,
        truncated_at=None if prepared.truncated_from is None else prepared.length,
        pruned=None
        if pruned is None
        else {"elements": pruned["elements"], "chars": pruned["characters"]},
        cue_offsets=[one.to_json() for one in prepared.cue_offsets or ()],
    )


def build_report(
    envelope: bytes,
    document: Mapping[str, Any],
    left_out: LeftOut,
    facts: PreparedFacts,
    *,
    identities: Iterable[ProposalIdentity | None],
    declared: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The report of a run, as plain data.

    Args:
        envelope: the envelope that was written; its digest stands in the report.
        document: the same as plain data.
        left_out: what was left out.
        facts: of the preparation.
        identities: of its proposals.
        declared: the paths of all target fields; ``None`` when nobody knows them.
    """
    body: dict[str, Any] = {
        "format": FORMAT,
        "schemaVersion": _VERSION,
        "runId": document["result"]["runId"],
        "envelopeDigest": canonical_digest(envelope),
        "preparedLength": facts.length,
        "truncatedAt": facts.truncated_at,
        "prunedText": None if facts.pruned is None else dict(facts.pruned),
        **left_out.to_json(),
        "identities": [one.to_json() for one in identities if one is not None],
    }
    missing = None if declared is None else _not_found(document, left_out, declared)
    if missing is not None:
        body["notFound"] = missing
    if facts.cue_offsets:
        body["cueOffsets"] = [dict(one) for one in facts.cue_offsets]
    return body


def report_bytes(report: Mapping[str, Any]) -> bytes:
    """The report as it is stored."""
    return canonical_json(dict(report)) + b"\n"


def _not_found(
    document: Mapping[str, Any], left_out: LeftOut, declared: Sequence[str]
) -> list[str] | None:
    if document["result"]["outcome"]["status"] != "success" or left_out.malformed_items:
        return None
    fields = set(declared)
    touched = {path for _, _, path in left_out.dropped}
    if not touched <= fields:
        # Something was said about no field, or about one nobody declared: it may be any of them.
        return None
    touched |= {one["fieldPath"] for one in document["result"]["proposals"]}
    return [path for path in declared if path not in touched]
