"""An import record, read and checked once for all the evidence that rests on it.

1. The record is copied; its digest covers the copy. Nothing the caller holds can change either.
2. What evidence asks of a record is narrower than what an import promises: records from before
   provenance was noted are read too. Whoever stores records validates them with
   ``validate_import``.
3. Slots, exclusions and coverage are found once, a proposal is checked when it is first cited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from survey_fast import _core, limits
from survey_fast.canon import canonical_digest, plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError
from survey_fast.imports.record import RecordDocument, reading_record
from survey_fast.rounds.shape import inside
from survey_fast.rounds.slots import Slot, proposals_of_slots
from survey_fast.trust.evidence.artifact import Artifact, read_artifact
from survey_fast.trust.evidence.coverage import Incomplete, incompleteness
from survey_fast.trust.evidence.proposal import Proposal, read_proposal
from survey_fast.trust.evidence.record_shape import (
    RESULT,
    Run,
    check_head,
    check_status,
    excluded_by,
    read_run,
    read_slots,
)
from survey_fast.trust.evidence.shape import RECORD, members, moved

__all__ = ["RecordContext", "read_record", "record_digest"]


@dataclass(frozen=True, slots=True)
class RecordContext:
    """An import record that was read, with what all of its evidence shares.

    Attributes:
        digest: the canonical digest of the record, ``sha256:`` and 64 hex digits.
        name: the import's name.
        run: source, time and model.
        artifact: the prepared artifact.
        source: what a candidate of the import says of its source.
        is_grounded: whether the import derives items.
        has_provenance: whether the record says if its excerpts were looked up.
        is_verified: whether they were.
        excluded: proposals whose excerpt is not at its span.
        slots: the claim slot of each proposal.
        by_slot: the proposals of each slot, ascending.
        of_slot: for each proposal, those of its slot; one list for all of a slot.
        incomplete: what the extraction left unread, if anything.
        document: the record as plain data; shared by all who have this context, changed by none.
    """

    digest: str
    name: str
    run: Run
    artifact: Artifact
    source: Mapping[str, str]
    is_grounded: bool
    has_provenance: bool
    is_verified: bool
    excluded: frozenset[int]
    slots: Sequence[Slot]
    by_slot: Mapping[Slot, Sequence[int]]
    of_slot: Sequence[Sequence[int]]
    incomplete: Incomplete | None
    document: dict[str, Any] = field(repr=False)
    _raw: bytes = field(repr=False)
    _proposals: Sequence[dict[str, Any]] = field(repr=False)
    _texts: Sequence[tuple[bytes, bool]] = field(repr=False)
    _cited: dict[int, Proposal] = field(repr=False)

    @property
    def text(self) -> bytes:
        """The text that was read, which is not canonical unless the caller's was."""
        return self._raw

    @property
    def proposal_count(self) -> int:
        """How many proposals the record holds."""
        return len(self._proposals)

    def raw_proposal(self, index: int) -> Mapping[str, Any]:
        """A proposal as it stands, which only has a value for certain."""
        return self._proposals[index]

    def proposal(self, index: int) -> Proposal:
        """A proposal that passed the checks; each is checked once.

        Raises EvidenceError as ``read_proposal``, with a pointer into the record.
        """
        found = self._cited.get(index)
        if found is None:
            try:
                text, is_sound = self._texts[index]
                found = read_proposal(
                    self._proposals[index], self.run.model, text=text, is_sound=is_sound
                )
            except SurveyError as refused:
                raise moved(refused, f"{RESULT}/proposals/{index}") from None
            self._cited[index] = found
        return found

    def copy(self) -> dict[str, Any]:
        """The record as plain data, a fresh copy, members where the caller had them."""
        return plain_data(self._raw)  # type: ignore[return-value]


def record_digest(record: RecordDocument) -> str:
    """The canonical digest of a record, checked for nothing but lossless JSON."""
    with reading_record(record) as raw:
        return f"sha256:{canonical_digest(raw, lossless=True, max_bytes=_CAP)}"


_CAP: Final = limits.ENVELOPE.ceiling


@collector_paused()
def read_record(record: RecordDocument, *, parsed: dict[str, Any] | None = None) -> RecordContext:
    """Read an import record for the evidence that rests on it.

    Args:
        record: the record as bytes, text or plain data, or the result of the import.
        parsed: plain data of that very record, which nobody will change; made unless given.

    Raises:
        EvidenceError: ``evidence-record-invalid``, ``evidence-artifact-invalid``, or the codes of
            references and identities, with a pointer into the record.
        JsonError: not lossless JSON.
        TypeError: not a document.
    """
    with reading_record(record) as raw:
        digest, texts = _core.cited_record(raw, _CAP)
    # The digest was taken of a strict reading, so that no other document can be seen in the text.
    found = members(plain_data(raw) if parsed is None else parsed, "", RECORD)
    name = check_head(found)
    spec = members(found.get("spec"), "/spec", RECORD)
    run, result = read_run(members(spec.get("envelope"), "/spec/envelope", RECORD))
    with inside(RESULT):
        artifact = read_artifact(result, run.snapshot_ref)
    status = check_status(found.get("status"), artifact)
    proposals, slots = read_slots(result, spec.get("claimTargets"))
    by_slot, of_slot = proposals_of_slots(slots)
    return RecordContext(
        digest=f"sha256:{digest}",
        name=name,
        run=run,
        artifact=artifact,
        source=_source(run, artifact),
        is_grounded=status["state"] == "grounded",
        has_provenance="provenance" in status,
        is_verified=status.get("provenance") == "verified",
        excluded=excluded_by(status["diagnostics"], len(proposals)),
        slots=slots,
        by_slot=by_slot,
        of_slot=of_slot,
        incomplete=incompleteness(result),
        document=found,
        _raw=raw,
        _proposals=proposals,
        _texts=texts,
        _cited={},
    )


def _source(run: Run, artifact: Artifact) -> dict[str, str]:
    told = {"sourceRef": run.source_ref, "sourceId": run.source_id, "observedAt": run.extracted_at}
    return told if artifact.digest is None else {**told, "checksum": artifact.digest}
