"""Writing reviewed evidence: the anchors a bundle shows, and under them what they rest on.

1. The profile digest covers anchors, gaps and input. It shows an edit; it is no signature.
2. Evidence of one candidate refers to its import record by digest, and so does evidence of a
   choice. The record itself rides on one item of a bundle, outside the digest.
3. The canonical text of an item is assembled from the text that was hashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import inside
from survey_fast.trust.evidence.derivation import INPUT, Derivation, derive
from survey_fast.trust.evidence.profiles import EMBEDDED, PROFILES, EvidenceProfile
from survey_fast.trust.evidence.record import RecordContext, read_record
from survey_fast.trust.evidence.shape import lossless_text, spliced_digest

__all__ = [
    "ReviewedEvidence",
    "input_of",
    "preimage",
    "project_evidence",
    "project_evidence_of_import",
    "project_reviewed_extraction_evidence",
]


@dataclass(frozen=True, slots=True)
class ReviewedEvidence:
    """An item of reviewed evidence that was written.

    Attributes:
        evidence: the item as plain data. It holds the caller's item and decision, not copies.
        derivation: what the checks found.
    """

    evidence: dict[str, Any]
    derivation: Derivation


def project_reviewed_extraction_evidence(
    evidence_input: object,
    *,
    profile: EvidenceProfile | None = None,
    carry_record: bool = True,
) -> dict[str, Any]:
    """Write one item of reviewed evidence.

    For many items of one import, read its record once and call :func:`project_evidence`.

    Args:
        evidence_input: plain data ``{evidenceId, claimId, proposalIndex, importRecord,
            reviewItem?, reviewDecision?, collectedBy, structuralTrust, droppedProvenance?}``.
        profile: the layout; the one that fits the number of candidates unless given.
        carry_record: put the import record on the item, where its profile refers to it.

    Raises:
        EvidenceError: a check failed; the pointer leads into the input.
        JsonError: not lossless JSON.
        TypeError, ValueError: not plain data, or no profile.
    """
    if not isinstance(evidence_input, Mapping):
        message = f"the input of evidence is a mapping, not {type(evidence_input).__name__}"
        raise TypeError(message)
    if "importRecord" not in evidence_input:
        message = "evidence needs the import record it rests on"
        raise refusal("evidence-malformed", message, "/importRecord")
    with inside("/importRecord"):
        context = read_record_value(evidence_input["importRecord"])
    given = {name: value for name, value in evidence_input.items() if name != "importRecord"}
    written = project_evidence(context, given, profile=profile, carry_record=carry_record)
    return written.evidence


def read_record_value(record: object) -> RecordContext:
    """Read a record that stands inside a document, where a string is no text of another."""
    if not isinstance(record, dict):
        message = "an import record belongs here"
        raise refusal("evidence-record-invalid", message, "")
    return read_record(record)


def project_evidence(
    context: RecordContext,
    given: Mapping[str, Any],
    *,
    profile: EvidenceProfile | None = None,
    carry_record: bool = False,
    share_record: bool = False,
    item_text: bytes | None = None,
) -> ReviewedEvidence:
    """Write one item of reviewed evidence of an import that was read.

    Args:
        context: the import record, from ``read_record``.
        given: the input without ``importRecord``.
        profile: the layout; the one that fits the number of candidates unless given.
        carry_record: put the import record on the item.
        share_record: put the context's own there and no copy, for evidence that nobody changes.
        item_text: the canonical text of ``reviewItem``, where that is known to be the item that
            this import derives. It is neither compared with its proposal nor written again.

    Raises:
        EvidenceError: a check failed. The pointer leads into the input; where the record is at
            fault, into ``/importRecord``.
        JsonError: not lossless JSON.
        TypeError, ValueError: not plain data, or no profile.
    """
    if profile is not None and profile not in PROFILES:
        message = f"profile is one of {', '.join(PROFILES)}, or None"
        raise ValueError(message)
    found = derive(context, given, profile, is_derived=item_text is not None)
    evidence_input = input_of(found, given)
    part: dict[str, Any] = {
        "profile": found.profile,
        "profileDigest": _profile_digest(found, evidence_input, item_text),
        "input": evidence_input,
        "gaps": found.gaps,
    }
    if found.choice is not None:
        part["choice"] = found.choice.to_json()
    if carry_record and found.profile != EMBEDDED:
        part["importRecord"] = context.document if share_record else context.copy()
    evidence = {**found.anchors, "metadata": {"reviewedExtraction": part}}
    return ReviewedEvidence(evidence, found)


@collector_paused()
def project_evidence_of_import(
    context: RecordContext,
    inputs: Iterable[Mapping[str, Any]],
    *,
    share_record: bool = False,
    item_texts: Mapping[str, bytes] = MappingProxyType({}),
) -> list[ReviewedEvidence]:
    """Write the evidence of one import, its record riding on the first item.

    Args:
        context: the import record, from ``read_record``.
        inputs: the input of each item, without ``importRecord``.
        share_record: as for :func:`project_evidence`.
        item_texts: canonical texts of items that this import derives, by their names; items of
            those names among the inputs are these.

    Raises: as :func:`project_evidence`; ``details["index"]`` tells which input it was.
    """
    written: list[ReviewedEvidence] = []
    for index, given in enumerate(inputs):
        try:
            one = project_evidence(
                context,
                given,
                carry_record=index == 0,
                share_record=share_record,
                item_text=_text_of(given, item_texts),
            )
            written.append(one)
        except SurveyError as refused:
            refused.details["index"] = index
            raise
    return written


def _text_of(given: Mapping[str, Any], item_texts: Mapping[str, bytes]) -> bytes | None:
    return item_texts.get(given["reviewItem"]["metadata"]["name"]) if item_texts else None


def input_of(found: Derivation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The ``input`` of evidence, members in the order in which evidence keeps them."""
    is_embedded = found.profile == EMBEDDED
    kept: dict[str, Any] = {}
    for name in INPUT:
        if name == "importRecord":
            if is_embedded:
                kept[name] = found.context.copy()
        elif name in given:
            kept[name] = given[name]
    if not is_embedded:
        kept["importRecordDigest"] = found.context.digest
        kept["proposal"] = dict(found.proposal.raw)
    return kept


def preimage(found: Derivation, evidence_input: dict[str, Any]) -> bytes:
    """The canonical text that the profile digest covers. Pointers lead into the input."""
    try:
        return lossless_text(_covered(found, evidence_input))  # type: ignore[arg-type]
    except SurveyError as refused:
        raise _of_input(refused) from None


def _profile_digest(
    found: Derivation, evidence_input: dict[str, Any], item_text: bytes | None
) -> str:
    """The digest of that text, the texts of proposal and item being taken from where they are."""
    spliced = _spliced(found, evidence_input)
    if item_text is not None:
        spliced = {**spliced, "reviewItem": item_text}
    try:
        return spliced_digest(_covered(found, spliced))
    except SurveyError as refused:
        raise _of_input(refused) from None


def _covered(found: Derivation, evidence_input: Mapping[str, object]) -> dict[str, object]:
    return {"anchors": found.anchors, "gaps": found.gaps, "input": evidence_input}


def _spliced(found: Derivation, evidence_input: Mapping[str, object]) -> Mapping[str, object]:
    """The input with its proposal as canonical text, where it has one."""
    if found.profile == EMBEDDED:
        return evidence_input
    return {**evidence_input, "proposal": found.proposal.text}


def _of_input(refused: SurveyError) -> SurveyError:
    pointer = refused.pointer or ""
    place = _ANCHORED.get(pointer, pointer.removeprefix("/input"))
    return type(refused)(refused.message, place, refused.details, refused.code)


_ANCHORED: Final = {"/anchors/id": "/evidenceId", "/anchors/claimId": "/claimId"}
"""Anchors that are as the input has them."""
