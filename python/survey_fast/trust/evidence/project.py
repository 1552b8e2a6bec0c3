"""Writing reviewed evidence: the anchors a bundle shows, and under them what they rest on.

1. The profile digest covers anchors, gaps and input. It shows an edit; it is no signature.
2. Evidence of one candidate refers to its import record by digest, and so does evidence of a
   choice. The record itself rides on one item of a bundle, outside the digest.
3. The canonical text of an item is assembled from the text that was hashed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.canon import canonical_json, sha256_hex
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import inside
from survey_fast.trust.evidence.derivation import INPUT, Derivation, derive
from survey_fast.trust.evidence.profiles import EMBEDDED, PROFILES, EvidenceProfile
from survey_fast.trust.evidence.record import RecordContext, read_record
from survey_fast.trust.evidence.shape import lossless_text
from survey_fast.trust.quoting import quoted

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
        carries_record: whether the import record rides on it.
    """

    evidence: dict[str, Any]
    derivation: Derivation
    carries_record: bool

    def canonical(self) -> bytes:
        """The canonical text (``jcs``) of ``evidence`` as it was written; rule 3."""
        part = self.evidence["metadata"]["reviewedExtraction"]
        hashed = _assembled(self.derivation, part["input"])
        # No string holds an unescaped quotation mark, so these marks stand where they are sought.
        anchors_end = hashed.index(b'},"gaps":')
        input_at = hashed.index(b',"input":', anchors_end)
        anchors = hashed[len(b'{"anchors":') : anchors_end]
        gaps = hashed[anchors_end + 2 : input_at]
        head, tail = anchors.split(b'"method":', 1)
        choice = b'"choice":%b,' % canonical_json(part["choice"]) if "choice" in part else b""
        record = b""
        if self.carries_record:
            record = b',"importRecord":%b' % canonical_json(self.derivation.context.text)
        named = b'"profile":%b,"profileDigest":%b' % (
            quoted(part["profile"]),
            quoted(part["profileDigest"]),
        )
        return b'%b"metadata":{"reviewedExtraction":{%b%b%b%b,%b}},"method":%b}' % (
            head,
            choice,
            gaps,
            record,
            hashed[input_at:-1],
            named,
            tail,
        )


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
) -> ReviewedEvidence:
    """Write one item of reviewed evidence of an import that was read.

    Args:
        context: the import record, from ``read_record``.
        given: the input without ``importRecord``.
        profile: the layout; the one that fits the number of candidates unless given.
        carry_record: put the import record on the item.

    Raises:
        EvidenceError: a check failed. The pointer leads into the input; where the record is at
            fault, into ``/importRecord``.
        JsonError: not lossless JSON.
        TypeError, ValueError: not plain data, or no profile.
    """
    if profile is not None and profile not in PROFILES:
        message = f"profile is one of {', '.join(PROFILES)}, or None"
        raise ValueError(message)
    found = derive(context, given, profile)
    evidence_input = input_of(found, given)
    part: dict[str, Any] = {
        "profile": found.profile,
        "profileDigest": f"sha256:{sha256_hex(_assembled(found, evidence_input))}",
        "input": evidence_input,
        "gaps": found.gaps,
    }
    if found.choice is not None:
        part["choice"] = found.choice.to_json()
    carries_record = carry_record and found.profile != EMBEDDED
    if carries_record:
        part["importRecord"] = context.copy()
    evidence = {**found.anchors, "metadata": {"reviewedExtraction": part}}
    return ReviewedEvidence(evidence, found, carries_record)


@collector_paused()
def project_evidence_of_import(
    context: RecordContext, inputs: Iterable[Mapping[str, Any]]
) -> list[ReviewedEvidence]:
    """Write the evidence of one import, its record riding on the first item.

    Args:
        context: the import record, from ``read_record``.
        inputs: the input of each item, without ``importRecord``.

    Raises: as :func:`project_evidence`; ``details["index"]`` tells which input it was.
    """
    written: list[ReviewedEvidence] = []
    for index, given in enumerate(inputs):
        try:
            written.append(project_evidence(context, given, carry_record=index == 0))
        except SurveyError as refused:
            refused.details["index"] = index
            raise
    return written


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
    covered = {"anchors": found.anchors, "gaps": found.gaps, "input": evidence_input}
    try:
        return lossless_text(covered)  # type: ignore[arg-type]
    except SurveyError as refused:
        pointer = refused.pointer or ""
        place = _ANCHORED.get(pointer, pointer.removeprefix("/input"))
        raise type(refused)(refused.message, place, refused.details, refused.code) from None


def _assembled(found: Derivation, evidence_input: dict[str, Any]) -> bytes:
    """The same text, that of the proposal taken from the record, which was read as lossless.

    The members before the proposal are strings and names, and no string holds an unescaped
    quotation mark; so the mark before which the proposal belongs stands where it is sought.
    """
    if found.profile == EMBEDDED:
        return preimage(found, evidence_input)
    rest = {name: value for name, value in evidence_input.items() if name != "proposal"}
    text = preimage(found, rest)
    at = text.index(_INDEX, text.index(_INPUT))
    return b'%b,"proposal":%b%b' % (text[:at], found.proposal.text, text[at:])


_INPUT: Final = b',"input":{'
_INDEX: Final = b',"proposalIndex":'
_ANCHORED: Final = {"/anchors/id": "/evidenceId", "/anchors/claimId": "/claimId"}
"""Anchors that are as the input has them."""
