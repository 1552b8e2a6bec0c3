"""Whether claims are grounded in reviewed evidence, and every reason why not.

1. No evidence is believed: each item is restored, with every check, before anything is read of it.
   Only of items that the caller wrote itself, and hands over as it wrote them, is known what the
   checks found.
2. Reasons are listed in a fixed order: what the caller left out; then, claim by claim and item by
   item, what is wrong with the evidence. The outcome is ``allowed`` when there is none.
3. Some reasons depend on what the policy asks. Evidence that does not entail its claim, an
   incoherent source state, a proposal dropped from its item, an incomplete extraction, a gap that
   the evidence itself records and another value than the claim's count always.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from survey_fast.canon import Json
from survey_fast.canon.arguments import sequence_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError
from survey_fast.trust.evidence.derivation import Derivation
from survey_fast.trust.evidence.project import ReviewedEvidence
from survey_fast.trust.evidence.restore import Resolver, restore_reviewed_extraction_evidence
from survey_fast.trust.evidence.shape import moved, same_value, value_digest
from survey_fast.trust.evidence.sidecars import RecordResolver
from survey_fast.trust.evidence.signals import ReviewSignals, review_signals
from survey_fast.trust.grounding_policy import (
    GroundingPolicy,
    index_claims,
    index_reviewed,
    read_policy,
)
from survey_fast.trust.source_state import SourceStates, read_source_states

__all__ = ["Grounding", "evaluate_grounding", "ground"]

_Gap: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grounding:
    """A decision and the evidence it was taken on.

    Attributes:
        decision: policy, action, outcome, what was evaluated, dimensions and gaps.
        restored: evidence that was restored, by its id.
    """

    decision: dict[str, Any]
    restored: Mapping[str, Derivation]


def evaluate_grounding(
    policy: Mapping[str, Any],
    evidence: object,
    claims: object,
    *,
    source_states: object = (),
    resolver: Resolver | None = None,
) -> dict[str, Any]:
    """Evaluate a grounding policy.

    Args:
        policy: ``{id, action, requiredClaimIds}`` and a boolean for each rule that is on:
            requireExactLocator, requirePreparedArtifact, requireAcceptedReview,
            requireValidatedStructure, requireCurrentSource, requireVerifiedExcerpts,
            refuseExcludedRivals, refuseChosenOverRivals.
        evidence: the evidence of a bundle; what is not reviewed evidence is passed over.
        claims: claims ``{id, value, …}``, or None where the caller has none to state.
        source_states: what a later look found, ``{evidenceId, status, expectedSnapshotRef,
            observedSnapshotRef?, observedAt, extractedValueChanged?}``.
        resolver: gives import records; those that ride on the evidence unless given.

    Returns:
        ``{policyId, action, outcome, evaluatedClaimIds, evidenceIds, reviewItemNames,
        reviewDecisionNames, dimensions, gaps}``; outcome is ``allowed`` or ``refused``.

    Raises:
        EvidenceError: ``grounding-input-malformed``. Evidence that cannot be restored is a gap.
        JsonError: a claim's value is not JSON as this package reads it.
        TypeError: an argument of a wrong Python type.
    """
    found = ground(policy, evidence, claims, source_states=source_states, resolver=resolver)
    return found.decision


@collector_paused()
def ground(
    policy: Mapping[str, Any],
    evidence: object,
    claims: object,
    *,
    source_states: object = (),
    resolver: Resolver | None = None,
    written: Sequence[ReviewedEvidence] = (),
) -> Grounding:
    """As :func:`evaluate_grounding`, with the evidence that was restored.

    Args:
        policy: as there.
        evidence: as there.
        claims: as there.
        source_states: as there.
        resolver: as there.
        written: items that were written in this very export. Those among ``evidence``, the same
            objects and not equal ones, are not restored a second time.
    """
    asked = read_policy(policy)
    items = sequence_argument("evidence", evidence)
    evaluation = _Evaluation(
        policy=asked,
        states=read_source_states(sequence_argument("source_states", source_states)),
        resolver=RecordResolver.of_evidence(items) if resolver is None else resolver,
        written={id(one.evidence): one.derivation for one in written},
    )
    reviewed = index_reviewed(items)
    if not asked.required:
        evaluation.gaps.append({"kind": "no-required-claims"})
    elif claims is None:
        evaluation.gaps.append({"kind": "claims-not-supplied"})
    else:
        values = index_claims(sequence_argument("claims", claims))
        for claim_id in asked.required:
            evaluation.judge(claim_id, values, reviewed.get(claim_id, []))
    return Grounding(evaluation.decision(), evaluation.restored)


class _Evaluation:
    """Gaps, dimensions and names, as they are found."""

    def __init__(
        self,
        policy: GroundingPolicy,
        states: SourceStates,
        resolver: Resolver,
        written: Mapping[int, Derivation],
    ) -> None:
        self.policy = policy
        self.states = states
        self.resolver = resolver
        self.written = written
        self.gaps: list[_Gap] = []
        self.dimensions: list[dict[str, Any]] = []
        self.restored: dict[str, Derivation] = {}
        self.claim_ids: list[str] = []
        self.evidence_ids: list[str] = []
        self.item_names: dict[str, None] = {}
        self.decision_names: dict[str, None] = {}

    def judge(self, claim_id: str, values: Mapping[str, Any], items: list[dict[str, Any]]) -> None:
        """Judge one claim by its reviewed evidence."""
        self.claim_ids.append(claim_id)
        if claim_id not in values:
            self.gaps.append({"kind": "claim-missing", "claimId": claim_id})
            return
        if not items:
            self.gaps.append({"kind": "missing-reviewed-evidence", "claimId": claim_id})
        for item in items:
            named = {"claimId": claim_id, "evidenceId": item["id"]}
            self.evidence_ids.append(item["id"])
            try:
                found = self.written.get(id(item)) or restore_reviewed_extraction_evidence(
                    item, self.resolver
                )
                signals = review_signals(found)
            except SurveyError as refused:
                self.gaps.append(_unreadable(refused, named))
                continue
            self.restored[item["id"]] = found
            case = _Case(named, found, signals, self.states)
            try:
                self.gaps += case.gaps(self.policy, values[claim_id])
            except SurveyError as refused:
                place = f"/claims/{list(values).index(claim_id)}/value"
                raise moved(refused, place) from None
            self.dimensions.append(case.dimension())
            if case.item_name is not None:
                self.item_names[case.item_name] = None
            if found.decision.name is not None:
                self.decision_names[found.decision.name] = None

    def decision(self) -> dict[str, Any]:
        """The decision over everything that was judged."""
        return {
            "policyId": self.policy.id,
            "action": self.policy.action,
            "outcome": "refused" if self.gaps else "allowed",
            "evaluatedClaimIds": self.claim_ids,
            "evidenceIds": self.evidence_ids,
            "reviewItemNames": list(self.item_names),
            "reviewDecisionNames": list(self.decision_names),
            "dimensions": self.dimensions,
            "gaps": self.gaps,
        }


def _unreadable(refused: SurveyError, named: Mapping[str, str]) -> _Gap:
    if refused.code != "import-record-unresolved":
        return {"kind": "invalid-reviewed-evidence", **named}
    return {"kind": refused.code, **named, **refused.details}


class _Case:
    """One item of restored evidence, for one claim."""

    __slots__ = (
        *("found", "is_coherent", "item_name", "named", "signals"),
        *("source_state", "value_digest"),
    )

    def __init__(
        self,
        named: Mapping[str, str],
        found: Derivation,
        signals: ReviewSignals,
        states: SourceStates,
    ) -> None:
        self.named = named
        self.found = found
        self.signals = signals
        self.value_digest = value_digest(found.proposal.value)
        self.item_name = None if found.item is None else found.item.name
        self.source_state, self.is_coherent = states.of(
            named["evidenceId"], found.context.run.source_id
        )

    def gaps(self, policy: GroundingPolicy, value: Json) -> list[_Gap]:
        """Every reason against the evidence, in order."""
        found = self.found
        gaps = self._evidence_gaps(policy)
        gaps += self._rival_gaps(policy)
        if found.context.incomplete is not None:
            gaps.append(
                self._gap("extraction-coverage-incomplete", **found.context.incomplete.to_json())
            )
        if found.gaps:
            gaps += [self._gap("profile-gap", gap=gap) for gap in found.gaps]
        if not same_value(value, found.proposal.value):
            digests = {
                "claimValueDigest": value_digest(value),
                "candidateValueDigest": self.value_digest,
            }
            gaps.append(self._gap("value-mismatch", **digests))
        return gaps

    def _gap(self, kind: str, **more: object) -> _Gap:
        return {"kind": kind, **self.named, **more}

    def _evidence_gaps(self, policy: GroundingPolicy) -> list[_Gap]:
        found, asks, gaps = self.found, policy.flags, []
        if not found.anchors["passing"]:
            gaps.append(self._gap("evidence-not-entailing"))
        if "requireExactLocator" in asks and not found.anchors["sourceLocator"]:
            gaps.append(self._gap("missing-exact-locator"))
        if "requirePreparedArtifact" in asks and found.context.artifact.status != "available":
            gaps.append(self._gap("missing-prepared-artifact"))
        if "requireAcceptedReview" in asks and not found.is_accepted:
            name = found.decision.name
            named = {} if name is None else {"reviewDecisionName": name}
            gaps.append(self._gap("review-not-accepted", **named))
        if "requireValidatedStructure" in asks and found.trust != "validated":
            gaps.append(self._gap("structure-not-validated", structuralTrust=found.trust))
        if not self.is_coherent:
            gaps.append(self._gap("source-state-incoherent"))
        if "requireCurrentSource" in asks and self.source_state != "current":
            gaps.append(self._gap("source-not-current", status=self.source_state))
        return gaps

    def _rival_gaps(self, policy: GroundingPolicy) -> list[_Gap]:
        signals, choice, gaps = self.signals, self.found.choice, []
        if policy.asks("requireVerifiedExcerpts") and not signals.is_excerpt_verified:
            gaps.append(self._gap("excerpt-not-verified"))
        refuses_chosen = policy.asks("refuseChosenOverRivals")
        if refuses_chosen and choice is not None and choice.chosen_over:
            rivals = choice.chosen_over
            gaps.append(self._gap("chosen-over-rival-unresolved", rivalCandidateIds=rivals))
        refuses_excluded = policy.asks("refuseExcludedRivals")
        if refuses_excluded and (signals.excluded_rivals or signals.unreadable is not None):
            gaps.append(self._gap("excluded-rival-unresolved", **self._excluded()))
        refuses_hidden = refuses_excluded or refuses_chosen
        if signals.dropped or (signals.hidden_rivals and refuses_hidden):
            gaps.append(self._gap("hidden-conflict", **self._hidden()))
        return gaps

    def _excluded(self) -> dict[str, Any]:
        told: dict[str, Any] = {"rivalProposalIndices": self.signals.excluded_rivals}
        if self.signals.unreadable is not None:
            told["unreadable"] = self.signals.unreadable
        return told

    def _hidden(self) -> dict[str, Any]:
        return {
            "rivalProposalIndices": self.signals.hidden_rivals,
            "droppedProposalIndices": self.signals.dropped,
        }

    def dimension(self) -> dict[str, Any]:
        """What the evidence says, whether or not a rule asks for it."""
        found, signals, artifact = self.found, self.signals, self.found.context.artifact
        told: dict[str, Any] = dict(self.named)
        if self.item_name is not None:
            told["reviewItemName"] = self.item_name
        if found.decision.name is not None:
            told["reviewDecisionName"] = found.decision.name
        if "confidence" in found.proposal.raw:
            told["candidateConfidence"] = found.proposal.raw["confidence"]
        told["candidateValueDigest"] = self.value_digest
        told["reviewDisposition"] = found.decision.disposition
        told["structuralTrust"] = found.trust
        told["typeOrigin"] = found.proposal.type_origin
        told["exactLocator"] = found.proposal.locator
        told["preparedArtifact"] = {"status": artifact.status}
        if artifact.digest is not None:
            told["preparedArtifact"]["integrityRef"] = found.anchors["integrityRef"]
        told["sourceState"] = self.source_state
        if signals.is_excerpt_verified:
            told["excerptVerification"] = "verified"
        if signals.excluded_rivals or signals.unreadable is not None:
            told["excludedRivals"] = self._excluded()
        if signals.hidden_rivals or signals.dropped:
            told["hiddenConflict"] = self._hidden()
        if found.choice is not None:
            told["choice"] = found.choice.to_json()
        return told
