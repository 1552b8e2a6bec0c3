"""A reviewed round becomes a trust bundle, judged before it leaves.

1. Every item that is given becomes a claim; which items those are is for the caller to say
   (:mod:`survey_fast.trust.settled`). Times and ids are given: nothing here asks a clock.
2. An item of an import gets reviewed evidence, written before the bundle's own, and the import
   record rides on the first of it. Evidence that cannot be written for an item is left out and
   told; its claim is then refused by rule 3.
3. The claims that the review verified are judged by that evidence. Where a refusal says that two
   things on record disagree, the claim is disputed in the bundle, strictly after its last event.
4. Without an import record nothing is judged, and the receipt says so: an outcome of its own, which
   nobody can take for an approval.
5. The bundle is validated as it will be written. One that its own validator refuses is never
   handed out (``EXPORT_INVALID_BUNDLE``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon import canonical_json
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import BundleError, SurveyError, refusal
from survey_fast.imports import RecordDocument
from survey_fast.limits import DEFAULT, ImportLimits
from survey_fast.review.decisions import Item, item_name
from survey_fast.rounds import (
    DerivedImport,
    FieldState,
    derive_field_states,
    field_states_at_hand,
)
from survey_fast.trust.dispute import Dispute, dispute_claims
from survey_fast.trust.evidence import (
    RecordContext,
    RecordResolver,
    ReviewedEvidence,
    project_evidence,
    project_evidence_of_import,
    read_record,
)
from survey_fast.trust.grounding import ground
from survey_fast.trust.projection.bundle import project_records
from survey_fast.trust.projection.identities import Identities
from survey_fast.trust.reviewed_grounding import (
    EXPORT_ACTION,
    EXPORT_POLICY_ID,
    dispute_reasons,
    evidence_id,
    export_policy,
    split_grounding,
)
from survey_fast.trust.reviewed_input import reviewed_trust_input
from survey_fast.trust.settled import proposal_index
from survey_fast.trust.survey_input import index_survey_input
from survey_fast.trust.validation import valid_bundle

__all__ = [
    "PRODUCER_ID",
    "ReviewedExport",
    "ReviewedImport",
    "UnevaluatedReason",
    "bundle_text",
    "export_reviewed_bundle",
    "read_reviewed_import",
]

Record: TypeAlias = Mapping[str, Any]
UnevaluatedReason: TypeAlias = Literal["import-record-missing", "unsupported-review-shape"]
"""Why nothing was judged: no record is there to judge by, or items compare two extractions."""

PRODUCER_ID: Final = "survey-fast"
"""The system that made the bundle."""
_UNEVALUATED: Final[Mapping[UnevaluatedReason, str]] = {
    "import-record-missing": "no import record is stored, so no claim was held against its source",
    "unsupported-review-shape": "items that compare two extractions carry no reviewed evidence",
}


@dataclass(frozen=True, slots=True)
class ReviewedImport:
    """The import that the items of a round come from.

    Attributes:
        record: its record as it is stored.
        context: the same, read for evidence.
        field_states: what derive_field_states takes beside the record: ``verifications``,
            ``supersessions`` and ``carry_forwards``.
        expected_fields: the slots that the extraction was asked for.
        limits: caps of the import.
        derived: the same with the items that it derives, where the round is known to hold exactly
            those, and its results to be what :func:`settled_of_derived` settled. Without it items
            are derived again, and both are looked at.
    """

    record: RecordDocument
    context: RecordContext
    field_states: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    expected_fields: Sequence[Record] = ()
    limits: ImportLimits = DEFAULT
    derived: DerivedImport | None = None


def read_reviewed_import(
    record: RecordDocument,
    *,
    parsed: dict[str, Any] | None = None,
    limits: ImportLimits = DEFAULT,
) -> ReviewedImport:
    """Read an import record once for a whole export.

    Args:
        record: the record.
        parsed: plain data of that very record, if it is at hand.
        limits: caps of the import.

    Raises:
        EvidenceError, JsonError: as ``read_record`` raises.
    """
    return ReviewedImport(record, read_record(record, parsed=parsed), limits=limits)


@dataclass(frozen=True, slots=True)
class ReviewedExport:
    """A bundle, and how its claims stand.

    Attributes:
        bundle: plain data, valid as it would be written.
        grounding: the receipt; its ``outcome`` is ``allowed``, ``refused`` or ``not-evaluated``.
        claim_ids: the claim of each item by its name.
        refused: claims that their evidence does not carry: ``{claimId, fieldPath, gaps,
            evidenceIds, schemaMatch?}``.
        unchecked: claims of which only the structure could not be checked, likewise.
        without_evidence: by item name, why no evidence could be written for an item of the import.
    """

    bundle: dict[str, Any]
    grounding: dict[str, Any]
    claim_ids: Mapping[str, str]
    refused: Sequence[dict[str, Any]] = ()
    unchecked: Sequence[dict[str, Any]] = ()
    without_evidence: Mapping[str, SurveyError] = field(default_factory=dict)


@collector_paused()
def export_reviewed_bundle(  # noqa: PLR0913 - one argument for each fact
    *,
    source: str,
    generated_at: str,
    items: Sequence[Item],
    results: Sequence[Record],
    origin: ReviewedImport | UnevaluatedReason,
    carried: Sequence[Record] = (),
    emit_policies: bool = True,
) -> ReviewedExport:
    """Make the bundle of a round.

    Args:
        source: names the round: the bundle's ``source``, and what ids of evidence and events are
            derived from. A letter or digit, and letters, digits and ``. _ : -``.
        generated_at: when its last event happened.
        items: the review items to export, plain data of a queue that was checked.
        results: the result of each that was reviewed in this round.
        origin: the import they come from, or why their grounding is not evaluated.
        carried: ``{record, priorDecision}`` of each whose decision was carried.
        emit_policies: as for the projection.

    Raises:
        SurveyError: faults of shape, with pointers into ``{items, results, carried}``.
        ProjectionError, QueueError, DecisionError, RoundError: as the survey input and the
            projection raise.
        EvidenceError: what grounding cannot judge.
        ExportError: ``EXPORT_NOT_PROJECTABLE`` (two items would be one claim, or there is none),
            ``EXPORT_INVALID_BUNDLE``.
        TypeError: wrong Python types.
    """
    if not items:
        message = "there is no decided item to export"
        raise refusal("EXPORT_NOT_PROJECTABLE", message)
    is_settled = isinstance(origin, ReviewedImport) and origin.derived is not None
    bundle, claim_ids = _projected(
        reviewed_trust_input(
            source=source,
            generated_at=generated_at,
            projection_context_id=source,
            items=list(items),
            results=list(results),
            carried=carried,
            are_settled=is_settled,
        )["surveyInput"],
        items,
        _field_states(origin, results, carried) if isinstance(origin, ReviewedImport) else {},
        emit_policies=emit_policies,
        is_built=is_settled,
    )
    if not isinstance(origin, ReviewedImport):
        return ReviewedExport(_valid(bundle), _unevaluated(origin), claim_ids)
    written, failed = _evidence(origin, items, results, claim_ids)
    evidence = [one.evidence for one in written]
    bundle["evidence"] = [*evidence, *bundle["evidence"]]
    grounding = ground(
        export_policy(claim_ids.values()),
        evidence,
        bundle["claims"],
        written=written,
        # The record was read for the evidence; the one that rides on it is that one.
        resolver=RecordResolver([origin.context]),
    )
    split = split_grounding(grounding, _verified(items, bundle["claims"]))
    bundle = dispute_claims(bundle, _disputes(split.refused, bundle["evidence"]))
    return ReviewedExport(
        _valid(bundle), split.receipt, claim_ids, split.refused, split.unchecked, failed
    )


def _projected(
    survey_input: dict[str, Any],
    items: Sequence[Item],
    states: Mapping[str, FieldState],
    *,
    emit_policies: bool,
    is_built: bool,
) -> tuple[dict[str, Any], dict[str, str]]:
    """The bundle as it is projected, and the claim of each item by its name."""
    claim_ids = _claim_ids(items, survey_input["claims"])
    _tell_field_states(items, survey_input["claims"], states)
    records = index_survey_input(survey_input, is_built=is_built)
    identities = Identities(survey_input["source"])
    projected = project_records(records, identities, emit_policies=emit_policies)
    return {**projected, "producerId": PRODUCER_ID}, claim_ids


def _claim_ids(items: Sequence[Item], claims: Sequence[Record]) -> dict[str, str]:
    """Claims stand in the order of their items, one for each."""
    if len(claims) != len(items):
        message = f"{len(items)} items come to {len(claims)} claims, so some would share one"
        raise refusal("EXPORT_NOT_PROJECTABLE", message, "/items")
    return {item_name(item): claim["id"] for item, claim in zip(items, claims, strict=True)}


def _field_states(
    origin: ReviewedImport, results: Sequence[Record], carried: Sequence[Record]
) -> dict[str, FieldState]:
    given = {"supersessions": (), "verifications": (), "carry_forwards": (), **origin.field_states}
    if carried and "carry_forwards" not in origin.field_states:
        given["carry_forwards"] = [one["record"] for one in carried]
    decisions = [result["reviewDecision"] for result in results]
    expected, caps = origin.expected_fields, origin.limits
    if origin.derived is None:
        imports = [(origin.record, expected)]
        states = derive_field_states(imports, decisions=decisions, limits=caps, **given)
    else:
        states = field_states_at_hand(
            origin.derived, expected, decisions=decisions, limits=caps, **given
        )
    return {state.review_item_name: state for state in states if state.review_item_name is not None}


def _tell_field_states(
    items: Sequence[Item], claims: Sequence[dict[str, Any]], states: Mapping[str, FieldState]
) -> None:
    """Field states are metadata; rows of a list are told apart by where they stand in it."""
    for item, claim in zip(items, claims, strict=True):
        state = states.get(item_name(item))
        if state is None:
            continue
        claim["metadata"] = {**claim.get("metadata", {}), **state.claim_metadata()}
        if state.slot.path_indices:
            indices = ".".join(map(str, state.slot.path_indices))
            claim["qualifiers"] = {**claim.get("qualifiers", {}), "pathIndices": indices}


def _unevaluated(reason: UnevaluatedReason) -> dict[str, Any]:
    return {
        "apiVersion": "survey-fast/v1",
        "kind": "ReviewedGroundingEvaluation",
        "policyId": EXPORT_POLICY_ID,
        "action": EXPORT_ACTION,
        "outcome": "not-evaluated",
        "reason": reason,
        "message": _UNEVALUATED[reason],
    }


def _evidence(
    origin: ReviewedImport,
    items: Sequence[Item],
    results: Sequence[Record],
    claim_ids: Mapping[str, str],
) -> tuple[list[ReviewedEvidence], dict[str, SurveyError]]:
    """The reviewed evidence of a round, and why items have none; rule 2."""
    by_name = {one["reviewItemName"]: one for one in results}
    context = origin.context
    texts = {} if origin.derived is None else origin.derived.text_of_items()
    inputs = [*_evidence_inputs(context, items, by_name, claim_ids)]
    try:
        written = project_evidence_of_import(context, inputs, share_record=True, item_texts=texts)
    except SurveyError:
        # Something is wrong with one of them, and the others are none the worse for it.
        return _evidence_one_by_one(context, inputs)
    return written, {}


def _evidence_inputs(
    context: RecordContext,
    items: Sequence[Item],
    by_name: Mapping[str, Record],
    claim_ids: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """What evidence is written of: items of the import of which one candidate was selected."""
    for item in items:
        name = item_name(item)
        result = by_name.get(name)
        if result is None or "selectedCandidate" not in result:
            continue
        index = proposal_index(result["selectedCandidate"], context)
        if index is not None:
            yield {
                "evidenceId": evidence_id(name),
                "claimId": claim_ids[name],
                "proposalIndex": index,
                "reviewItem": item,
                "reviewDecision": result["reviewDecision"],
                "collectedBy": EXPORT_ACTION,
                "structuralTrust": "validated",
            }


def _evidence_one_by_one(
    context: RecordContext, inputs: Sequence[dict[str, Any]]
) -> tuple[list[ReviewedEvidence], dict[str, SurveyError]]:
    written: list[ReviewedEvidence] = []
    failed: dict[str, SurveyError] = {}
    for given in inputs:
        try:
            one = project_evidence(context, given, carry_record=not written, share_record=True)
            written.append(one)
        except SurveyError as refused:
            failed[item_name(given["reviewItem"])] = refused
    return written, failed


def _verified(items: Sequence[Item], claims: Sequence[Record]) -> dict[str, str]:
    """Field path by claim, of those that the review verified."""
    return {
        claim["id"]: item["spec"]["target"]
        for item, claim in zip(items, claims, strict=True)
        if claim["status"] == "verified"
    }


def _disputes(refused: Sequence[dict[str, Any]], evidence: Sequence[Record]) -> Iterator[Dispute]:
    """Rule 3. A dispute names the evidence of its own claim that was refused."""
    owners = {one["id"]: one["claimId"] for one in evidence}
    for entry in refused:
        reasons = dispute_reasons(entry)
        if reasons:
            own = [one for one in entry["evidenceIds"] if owners.get(one) == entry["claimId"]]
            yield Dispute(entry["claimId"], tuple(own), tuple(reasons))


def _valid(bundle: dict[str, Any]) -> dict[str, Any]:
    """Rule 5."""
    try:
        return valid_bundle(bundle, writing=True)
    except BundleError as refused:
        message = f"the bundle would be refused by its own validator: {refused.message}"
        details = {"code": refused.code, **refused.details}
        raise refusal("EXPORT_INVALID_BUNDLE", message, refused.pointer, details) from None


def bundle_text(document: Mapping[str, Any], *, max_bytes: int) -> bytes:
    """An export as it is written: compact canonical JSON and a line feed.

    Args:
        document: the bundle, or a document around it.
        max_bytes: most bytes of the text.

    Raises:
        ExportError: ``EXPORT_TOO_LARGE``.
        JsonError: a value that has no canonical text.
    """
    try:
        return canonical_json(dict(document), max_bytes=max_bytes) + b"\n"
    except SurveyError as refused:
        if refused.code != "json-size":
            raise
        message = f"the export would have more than the {max_bytes} bytes that are allowed"
        details = {"allowed": max_bytes}
        raise refusal("EXPORT_TOO_LARGE", message, None, details) from None
