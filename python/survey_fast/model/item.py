"""Review items and their candidates.

``labels``, ``annotations``, ``producer`` and ``producerPolicy`` belong to whoever wrote them: any
member is kept and written back. All other objects are closed.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import ConfigDict, JsonValue

from survey_fast.model.names import CandidateId, ItemName
from survey_fast.model.wire import Listed, MayLack, Number, WireRecord

__all__ = [
    "ApiVersion",
    "CandidateRole",
    "CandidateSetStatus",
    "CandidateSource",
    "ClaimTarget",
    "Extraction",
    "ImpactLevel",
    "ItemMetadata",
    "ItemSpec",
    "ItemStatus",
    "Locator",
    "LocatorScheme",
    "ProducerPolicy",
    "ProjectionHint",
    "ReviewCandidate",
    "ReviewItem",
    "SourceKind",
    "ValueDescriptor",
    "ValueType",
]

ApiVersion: TypeAlias = Literal["survey.kontourai.io/v1alpha1"]
SourceKind: TypeAlias = Literal[
    "uploaded-document",
    "web-page",
    "api-record",
    "manual-entry",
    "policy-standard",
    "inquiry-question",
    "agent-utterance",
    "system-schema",
    "structured-file",
]
LocatorScheme: TypeAlias = Literal["pdf", "text", "html", "structured-field", "text-span"]
ImpactLevel: TypeAlias = Literal["low", "medium", "high", "critical"]
CandidateRole: TypeAlias = Literal[
    "current", "proposed", "alternative", "source-version", "computed"
]
CandidateSetStatus: TypeAlias = Literal["resolved", "needs-review", "conflict", "escalated"]
ValueType: TypeAlias = Literal["string", "number", "boolean", "date", "enum", "array", "object"]


class ClaimTarget(WireRecord):
    """What a value is a claim about: subject, facet, claim type, field and weight."""

    subject_type: str
    subject_id: str
    facet: str
    claim_type: str
    field_or_behavior: str
    impact_level: ImpactLevel
    claim_id: MayLack[str] = None
    evidence_type: MayLack[str] = None
    evidence_method: MayLack[str] = None
    collected_by: MayLack[str] = None
    derived_from: MayLack[Listed[str]] = None


class ProjectionHint(WireRecord):
    """Ids that the producer wants to see on the records projected from an item."""

    raw_source_id: MayLack[str] = None
    extraction_id: MayLack[str] = None
    candidate_set_id: MayLack[str] = None
    candidate_id: MayLack[CandidateId] = None
    review_outcome_id: MayLack[str] = None
    claim_id: MayLack[str] = None


class CandidateSource(WireRecord):
    """Where a value comes from.

    Times and ``checksum`` are kept as written; an imported ``checksum`` is bare hex.
    """

    source_ref: str
    source_id: MayLack[str] = None
    kind: MayLack[SourceKind] = None
    observed_at: MayLack[str] = None
    fetched_at: MayLack[str] = None
    checksum: MayLack[str] = None
    locator_scheme: MayLack[LocatorScheme] = None


class Locator(WireRecord):
    """The place in the source; ``chars:`` spans count UTF-16 code units, the end exclusive."""

    scheme: LocatorScheme
    locator: MayLack[str] = None
    excerpt: MayLack[str] = None


class Extraction(WireRecord):
    """Who read the value, when, and how sure of it."""

    target: str
    extraction_id: MayLack[str] = None
    confidence: MayLack[Number] = None
    extractor: MayLack[str] = None
    model: MayLack[str] = None
    extracted_at: MayLack[str] = None


class ReviewCandidate(WireRecord):
    """One value that an item offers.

    ``verifications`` stays as it is stored, valid or not:
    :func:`survey_fast.imports.verification.fold_candidate_verifications` judges the entries.
    """

    id: CandidateId
    role: MayLack[CandidateRole] = None
    value: JsonValue
    confidence: MayLack[Number] = None
    source_rank: MayLack[Number] = None
    rejection_reason: MayLack[str] = None
    source: CandidateSource
    locator: MayLack[Locator] = None
    extraction: Extraction
    claim_target: ClaimTarget
    projection: MayLack[ProjectionHint] = None
    producer: MayLack[dict[str, JsonValue]] = None
    verifications: MayLack[Listed[JsonValue]] = None


class ValueDescriptor(WireRecord):
    """What an edited value has to be; ``enum_values`` counts for the type ``enum`` only."""

    type: ValueType
    enum_values: MayLack[Listed[str]] = None


class ProducerPolicy(WireRecord):
    """The producer's wish how the item is decided; open.

    ``decision_mode`` is any text here, because an unknown mode is a finding and no fault of form.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, JsonValue]

    decision_mode: MayLack[str] = None


class ItemMetadata(WireRecord):
    """The name of an item and what its producer attached."""

    name: ItemName
    uid: MayLack[str] = None
    labels: MayLack[dict[str, str]] = None
    annotations: MayLack[dict[str, str]] = None
    producer: MayLack[dict[str, JsonValue]] = None


class ItemSpec(WireRecord):
    """The field under review and its candidates, in item order. ``editable`` defaults to true."""

    target: str
    candidates: Listed[ReviewCandidate]
    candidate_set_status: MayLack[CandidateSetStatus] = None
    selected_candidate_id: MayLack[CandidateId] = None
    rationale: MayLack[str] = None
    producer_policy: MayLack[ProducerPolicy] = None
    projection: MayLack[ProjectionHint] = None
    value_descriptor: MayLack[ValueDescriptor] = None
    editable: MayLack[bool] = None


class ItemStatus(WireRecord):
    """What was known of the item when it was written."""

    observed_candidate_count: MayLack[int] = None
    selected_candidate_id: MayLack[CandidateId] = None
    review_decision_name: MayLack[str] = None


class ReviewItem(WireRecord):
    """One claim slot to decide."""

    api_version: ApiVersion
    kind: Literal["ReviewItem"]
    metadata: ItemMetadata
    spec: ItemSpec
    status: MayLack[ItemStatus] = None
