"""What reviewed evidence asks of an import record, part by part; pointers lead into the record.

Members that evidence does not read are left to ``validate_import``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.rounds.slots import Slot
from survey_fast.trust.evidence.artifact import Artifact
from survey_fast.trust.evidence.names import check_identity, check_reference
from survey_fast.trust.evidence.shape import RECORD, is_digest, is_whole, members
from survey_fast.trust.instants import is_date_time

__all__ = ["RESULT", "Run", "check_head", "check_status", "excluded_by", "read_run", "read_slots"]

_ENVELOPE: Final = "/spec/envelope"
RESULT: Final = "/spec/envelope/result"
_SLOT_TEXTS: Final = ("subjectType", "subjectId", "facet", "claimType", "fieldOrBehavior")


@dataclass(frozen=True, slots=True)
class Run:
    """What an envelope says about source and run.

    Attributes:
        source_ref: the source.
        source_id: its snapshot where one is named, else the source.
        snapshot_ref: the snapshot, if one is named.
        extracted_at: when.
        model: the run's model, if one is recorded.
    """

    source_ref: str
    source_id: str
    snapshot_ref: str | None
    extracted_at: str
    model: str | None


def check_head(record: Mapping[str, Any]) -> str:
    """Check version, kind and names; the import's name."""
    for name, word in (
        ("apiVersion", "survey.kontourai.io/v1alpha1"),
        ("kind", "ExtractionEnvelopeImport"),
    ):
        if record.get(name) != word:
            message = "this is no import record that this package reads"
            raise RECORD.refuse(message, f"/{name}")
    metadata = members(record.get("metadata"), "/metadata", RECORD)
    check_identity(metadata.get("producerNamespace"), "/metadata/producerNamespace")
    return check_identity(metadata.get("name"), "/metadata/name")


def read_run(envelope: Mapping[str, Any]) -> tuple[Run, Mapping[str, Any]]:
    """Check source and run of an envelope; what they say, and the result."""
    version = envelope.get("version")
    if envelope.get("format") != "traverse-extraction-result" or version is True or version != 1:
        message = "envelopes of this format or version are not read"
        raise RECORD.refuse(message, f"{_ENVELOPE}/format")
    source = members(envelope.get("source"), f"{_ENVELOPE}/source", RECORD)
    ref = check_reference(source.get("ref"), f"{_ENVELOPE}/source/ref")
    snapshot_ref = None
    if "snapshotRef" in source:
        snapshot_ref = check_reference(source["snapshotRef"], f"{_ENVELOPE}/source/snapshotRef")
    result = members(envelope.get("result"), RESULT, RECORD)
    check_identity(result.get("provider"), f"{RESULT}/provider")
    check_identity(result.get("runId"), f"{RESULT}/runId")
    model = check_identity(result["model"], f"{RESULT}/model") if "model" in result else None
    extracted_at = result.get("extractedAt")
    if not isinstance(extracted_at, str) or not is_date_time(extracted_at):
        message = "a date and time with an offset belongs here"
        raise RECORD.refuse(message, f"{RESULT}/extractedAt")
    _check_digests(result)
    return Run(ref, snapshot_ref or ref, snapshot_ref, extracted_at, model), result


def _check_digests(result: Mapping[str, Any]) -> None:
    message = "sha256: and 64 lower-case hex digits belong here"
    if "taskDigest" in result and not is_digest(result["taskDigest"]):
        raise RECORD.refuse(message, f"{RESULT}/taskDigest")
    examples = result.get("exampleDigests", [])
    if not isinstance(examples, list):
        raise RECORD.refuse("an array of digests belongs here", f"{RESULT}/exampleDigests")
    for index, digest in enumerate(examples):
        if not is_digest(digest):
            raise RECORD.refuse(message, f"{RESULT}/exampleDigests/{index}")


def check_status(value: object, artifact: Artifact) -> dict[str, Any]:
    """Check that the state of an import fits its diagnostics and its artifact."""
    status = members(value, "/status", RECORD)
    diagnostics = status.get("diagnostics")
    if not isinstance(diagnostics, list):
        message = "an array of diagnostics belongs here"
        raise RECORD.refuse(message, "/status/diagnostics")
    match status.get("state"):
        case "grounded":
            is_coherent = artifact.status != "unavailable"
        case "unresolved":
            is_coherent = bool(diagnostics)
        case _:
            message = "one of grounded, unresolved belongs here"
            raise RECORD.refuse(message, "/status/state")
    if not is_coherent:
        message = "the state does not follow from the artifact and the diagnostics"
        raise RECORD.refuse(message, "/status/state")
    return status


def excluded_by(diagnostics: Sequence[object], count: int) -> frozenset[int]:
    """Proposals, of ``count``, that some diagnostic says were left out for their excerpt."""
    found = (
        one.get("proposalIndex")
        for one in diagnostics
        if isinstance(one, dict) and one.get("kind") == "excerpt-mismatch"
    )
    return frozenset(int(index) for index in found if is_whole(index) and index < count)


def read_slots(
    result: Mapping[str, Any], targets: object
) -> tuple[list[dict[str, Any]], list[Slot]]:
    """Check that every proposal has a value and a claim target; proposals and their slots."""
    proposals = result.get("proposals")
    if not isinstance(proposals, list):
        message = "an array of proposals belongs here"
        raise RECORD.refuse(message, f"{RESULT}/proposals")
    if not isinstance(targets, list) or len(targets) != len(proposals):
        message = "there is one claim target for each proposal"
        raise RECORD.refuse(message, "/spec/claimTargets")
    slots = []
    for index, (proposal, target) in enumerate(zip(proposals, targets, strict=True)):
        if not isinstance(proposal, dict) or not _has_value(proposal):
            message = "a proposal has a value, and path indices if any are whole numbers"
            raise RECORD.refuse(message, f"{RESULT}/proposals/{index}")
        if not isinstance(target, dict) or not _is_target(target):
            message = "a claim target names subject, facet, claim type and field in text"
            raise RECORD.refuse(message, f"/spec/claimTargets/{index}")
        slots.append(Slot.of_proposal(target, proposal))
    return proposals, slots


def _has_value(proposal: Mapping[str, Any]) -> bool:
    if "pathIndices" in proposal:
        indices = proposal["pathIndices"]
        if not isinstance(indices, list) or not all(map(is_whole, indices)):
            return False
    return "candidateValue" in proposal


def _is_target(target: Mapping[str, Any]) -> bool:
    kinds = {type(target.get(name)) for name in _SLOT_TEXTS}
    return kinds == {str} and isinstance(target.get("claimId", ""), str)
