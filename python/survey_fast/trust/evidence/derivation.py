"""What one reviewed proposal amounts to as evidence: every check, then what follows from them.

Writing evidence and reading it back go through here, so that they cannot disagree.

1. The input is closed. Item and decision come together, and a grounded import needs them.
2. The anchors are what a reader of the bundle sees; they say ``entails`` only for an accepted
   value whose structure holds and that leaves no gap.
3. A caller's word on structural trust is an upper bound: what follows from the proposal counts
   when it is weaker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.errors import SurveyError, refusal
from survey_fast.rounds.shape import step
from survey_fast.trust.evidence.choice import Choice, read_choice
from survey_fast.trust.evidence.decision import NOT_REVIEWED, Decision, read_decision
from survey_fast.trust.evidence.item import ReadItem, check_candidate, read_item
from survey_fast.trust.evidence.names import check_identity
from survey_fast.trust.evidence.profiles import CHOICE, REFERENCE, EvidenceProfile
from survey_fast.trust.evidence.proposal import Proposal
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.evidence.shape import EVIDENCE, is_whole, moved
from survey_fast.trust.evidence.structure import WORDS, StructuralTrust, weaker

__all__ = ["INPUT", "Derivation", "derive"]

_REQUIRED: Final = ("evidenceId", "claimId", "proposalIndex", "collectedBy", "structuralTrust")
INPUT: Final = (
    "evidenceId",
    "claimId",
    "proposalIndex",
    "importRecord",
    "reviewItem",
    "reviewDecision",
    "collectedBy",
    "structuralTrust",
    "droppedProvenance",
)
"""Members of the input, in the order in which evidence keeps them."""
_NEEDED: Final = frozenset(_REQUIRED)
_ORIGINS: Final = frozenset({"explicit", "inferred"})
_KNOWN: Final = frozenset(INPUT) - {"importRecord"}


@dataclass(frozen=True, slots=True)
class Derivation:
    """What follows from a checked input.

    Attributes:
        profile: the layout.
        context: the import record.
        index: the cited proposal.
        proposal: that proposal, checked.
        item: the review item, if there is one.
        decision: what the decision says.
        trust: effective structural trust.
        choice: the choice, for an item of several candidates.
        gaps: what keeps the evidence from entailing the claim.
        anchors: the members of the evidence, metadata apart.
    """

    profile: EvidenceProfile
    context: RecordContext
    index: int
    proposal: Proposal
    item: ReadItem | None
    decision: Decision
    trust: StructuralTrust
    choice: Choice | None
    gaps: list[dict[str, Any]]
    anchors: dict[str, Any]

    @property
    def is_accepted(self) -> bool:
        """Whether the decision accepted the candidate that is cited."""
        return self.decision.is_accepted and (
            self.choice is None or self.choice.cited == self.choice.decided
        )


def derive(
    context: RecordContext,
    given: Mapping[str, Any],
    profile: EvidenceProfile | None,
    *,
    is_derived: bool = False,
) -> Derivation:
    """Run every check over ``given``, the input without record and proposal.

    Args:
        context: the import record.
        given: the input; pointers lead into it, those of the record into ``/importRecord``.
        profile: the layout, or None for the one that fits the number of candidates.
        is_derived: whether the item is known to be what this import derives, so that its one
            candidate repeats its proposal.

    Raises:
        EvidenceError: see ``docs/errors.md``.
    """
    _check_frame(given)
    index = _index(given, context)
    place = "/importRecord"
    item, decision, choice = None, NOT_REVIEWED, None
    try:
        proposal = context.proposal(index)
        if "reviewItem" in given:
            place = "/reviewItem"
            item = read_item(given["reviewItem"], proposal.field_path)
            place = "/reviewDecision"
            decision = read_decision(given["reviewDecision"], item)
        place = ""
        profile = _fitting(profile, item, context)
        if item is not None and profile == CHOICE:
            choice = read_choice(context, item, decision, index)
        elif item is not None and not is_derived:
            place = "/reviewItem/spec/candidates/0"
            check_candidate(item.candidates[0], proposal, context)
    except SurveyError as refused:
        raise moved(refused, place) from None
    trust = weaker(given["structuralTrust"], proposal.trust)
    gaps = _gaps(context, proposal, given.get("droppedProvenance", ()), trust)
    if choice is not None or not decision.is_accepted:
        gaps += _review_gaps(decision, choice)
    anchors = _anchors(context, proposal, given, is_safe=not gaps)
    return Derivation(
        profile, context, index, proposal, item, decision, trust, choice, gaps, anchors
    )


def _check_frame(given: Mapping[str, Any]) -> None:
    """Rule 1."""
    if not _KNOWN >= given.keys() >= _NEEDED:
        raise _misfit(given)
    for name in ("evidenceId", "claimId"):
        if not isinstance(given[name], str) or not given[name]:
            message = "text that is not empty belongs here"
            raise EVIDENCE.refuse(message, f"/{name}")
    check_identity(given["collectedBy"], "/collectedBy")
    trust = given["structuralTrust"]
    if not isinstance(trust, str) or trust not in WORDS:
        message = f"one of {', '.join(WORDS)} belongs here"
        raise EVIDENCE.refuse(message, "/structuralTrust")
    if "droppedProvenance" in given and not _are_names(given["droppedProvenance"]):
        message = "an array of names belongs here"
        raise EVIDENCE.refuse(message, "/droppedProvenance")
    if ("reviewItem" in given) is not ("reviewDecision" in given):
        lacking = "reviewDecision" if "reviewItem" in given else "reviewItem"
        message = "item and decision come together"
        raise refusal("evidence-review-missing", message, f"/{lacking}")


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _misfit(given: Mapping[str, Any]) -> SurveyError:
    for name in _REQUIRED:
        if name not in given:
            message = f"the member {name} is required"
            return EVIDENCE.refuse(message, f"/{name}")
    extra = next(name for name in given if name not in _KNOWN)
    return EVIDENCE.refuse("a member that does not belong here", step(extra))


def _index(given: Mapping[str, Any], context: RecordContext) -> int:
    index = given["proposalIndex"]
    if is_whole(index) and index < context.proposal_count:
        return int(index)
    message = "the import holds no proposal of that index"
    raise refusal("evidence-proposal-unknown", message, "/proposalIndex")


def _fitting(
    profile: EvidenceProfile | None, item: ReadItem | None, context: RecordContext
) -> EvidenceProfile:
    if item is None and context.is_grounded:
        message = "a grounded import was reviewed: item and decision belong to its evidence"
        raise refusal("evidence-review-missing", message, "/reviewItem")
    count = 1 if item is None else len(item.candidates)
    if profile is None:
        return REFERENCE if count == 1 else CHOICE
    if (profile == CHOICE) is (count > 1):
        return profile
    message = "one candidate and several candidates are evidence of different profiles"
    raise refusal("evidence-profile-unsupported", message, "/reviewItem/spec/candidates")


def _gaps(
    context: RecordContext, proposal: Proposal, dropped: list[str], trust: StructuralTrust
) -> list[dict[str, Any]]:
    gaps = [dict(gap) for gap in context.artifact.gaps] if context.artifact.gaps else []
    if proposal.type_origin not in _ORIGINS:
        gaps.append({"kind": "unsupported-inference", "typeOrigin": proposal.type_origin})
    if dropped:
        gaps += [{"kind": "dropped-provenance", "field": name} for name in dropped]
    if trust != "validated":
        gaps.append({"kind": "structural-trust", "status": trust})
    return gaps


def _review_gaps(decision: Decision, choice: Choice | None) -> list[dict[str, Any]]:
    gaps: list[dict[str, Any]] = []
    if not decision.is_accepted:
        gaps.append({"kind": "review-not-accepted", "disposition": decision.disposition})
    if choice is not None and choice.cited != choice.decided:
        gaps.append({"kind": "candidate-not-chosen", "decisionCandidateId": choice.decided})
    return gaps


def _anchors(
    context: RecordContext, proposal: Proposal, given: Mapping[str, Any], *, is_safe: bool
) -> dict[str, Any]:
    """Rule 2."""
    run = context.run
    anchors: dict[str, Any] = {
        "id": given["evidenceId"],
        "claimId": given["claimId"],
        "evidenceType": "source_excerpt",
        "method": "extraction",
        "sourceRef": run.source_ref,
        "sourceLocator": proposal.locator,
        "excerptOrSummary": proposal.excerpt,
        "observedAt": run.extracted_at,
        "collectedBy": given["collectedBy"],
    }
    if context.artifact.digest is not None:
        anchors["integrityRef"] = f"sha256:{context.artifact.digest}"
    anchors["supportStrength"] = "entails" if is_safe else "cited"
    anchors["passing"] = is_safe
    anchors["blocking"] = not is_safe
    return anchors
