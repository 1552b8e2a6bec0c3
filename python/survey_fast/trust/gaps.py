"""Transparency gaps: what a reader has to be told about a claim besides its status.

One gap for each rule that is broken, under an id made of the claim's and the rule's name. Hints
that a producer left in ``transparencyGapHints`` of an evidence's metadata become gaps as well when
they name a known type; what they say is the producer's word.

Two claims that contradict one another are reported for each pair of values or statuses, once with
the first claim of either side; every other claim once, against the first of the other side. So the
number of gaps, and the work, grow with claims and pairs and not with their product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from survey_fast.canon import data_digest
from survey_fast.trust.bundle_shape import CHECK_TYPES
from survey_fast.trust.freshness import Freshness
from survey_fast.trust.policy import Policy
from survey_fast.trust.status import Case, Deriver
from survey_fast.trust.subjects import Subjects, subject_of

__all__ = ["GAP_TYPES", "Standing", "claim_gaps", "contradictions"]

Record: TypeAlias = "dict[str, Any]"
Finding: TypeAlias = "tuple[str, str, str, Record]"
"""The end of an id, a type, a message, and further members."""

GAP_TYPES: Final = (
    *("contradiction", "provenance_gap", "policy_violation"),
    *("freshness_breach", "corroboration_absent", "unsupported_inference"),
)
_HINTS: Final = "transparencyGapHints"


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim with what was derived for it: its own status, and the final one."""

    deriver: Deriver
    case: Case
    own: str
    final: str
    is_circular: bool


def claim_gaps(standing: Standing, now: int, written: str) -> list[Record]:
    """The gaps of one claim at ``now``, which is ``written`` as text."""
    case = standing.case
    findings = [
        *_of_policy(standing),
        *_of_time(standing, now),
        *_of_failures(case),
        *_of_derivation(standing),
        *_of_hints(case),
    ]
    return [
        _gap(case.claim, case.resolved, f"{case.claim['id']}.gap.{suffix}", kind, message)
        | {"createdAt": written}
        | _materiality(case.claim)
        | more
        for suffix, kind, message, more in findings
    ]


def _gap(claim: Record, policy: Policy | None, name: str, kind: str, message: str) -> Record:
    impact = policy.record["impactLevel"] if policy is not None else "medium"
    return {
        "id": name,
        "claimId": claim["id"],
        "type": kind,
        "severity": claim.get("impactLevel", impact),
        "message": message,
    }


def _materiality(claim: Record) -> Record:
    return {"materiality": claim["materiality"]} if "materiality" in claim else {}


def _of_policy(standing: Standing) -> Iterator[Finding]:
    case, policy = standing.case, standing.case.resolved
    is_strict = standing.deriver.version.is_strict
    if policy is None:
        if not case.evidence:
            message = "nothing supports this claim, and no policy says what would"
            yield "provenance-gap", "provenance_gap", message, {}
        else:
            message = "no policy says what this claim needs"
            yield "no-verification-policy", "policy_violation", message, {"blocking": is_strict}
        return
    if is_strict and not policy.asks_for_something:
        message = "the policy of this claim requires nothing, so nothing can meet it"
        more = {**_named(policy), "blocking": True}
        yield "verification-policy-requires-nothing", "policy_violation", message, more
    yield from _unmet(standing, policy)


def _unmet(standing: Standing, policy: Policy) -> Iterator[Finding]:
    """Requirements of a policy that the evidence of a claim does not meet."""
    case, qualifying = standing.case, standing.deriver.qualifying(standing.case)
    types = policy.types - {item["evidenceType"] for item in case.entailing}
    methods = policy.methods - {item["method"] for item in qualifying}
    is_alone = policy.needs_two and len(qualifying) < 2  # noqa: PLR2004 - that is corroboration
    if types:
        more = {**_named(policy), "metadata": {"missingEvidenceTypes": sorted(types)}}
        message = "evidence of a required type is missing"
        yield "provenance-gap", "provenance_gap", message, more
    if methods:
        more = {**_named(policy), "metadata": {"missingMethods": sorted(methods)}}
        message = "no evidence was obtained by a required method"
        yield "policy-violation", "policy_violation", message, more
    if is_alone:
        message = "fewer than two pieces of evidence support this claim"
        yield "corroboration-absent", "corroboration_absent", message, _named(policy)
    if (types or methods or is_alone) and _is_inferred(case):
        message = "the evidence is only cited; it does not support the claim"
        more = {**_named(policy), "evidenceIds": [item["id"] for item in case.evidence]}
        yield "unsupported-inference", "unsupported_inference", message, more
    if standing.deriver.version.is_strict:
        yield from _unchecked(case, policy)


def _unchecked(case: Case, policy: Policy) -> Iterator[Finding]:
    for kind in sorted(policy.types & CHECK_TYPES):
        found = [item for item in case.entailing if item["evidenceType"] == kind]
        if found and not any(item.get("passing") is True for item in found):
            message = "a required check is there without having passed"
            more = {**_named(policy), "evidenceIds": [item["id"] for item in found]}
            yield f"check-result-missing-{kind}", "policy_violation", message, more


def _is_inferred(case: Case) -> bool:
    """Whether evidence is there, all of it only cited, and its producer did not say so."""
    if case.entailing or all("inconclusive" in item for item in case.evidence):
        return False
    hinted = (hint["type"] for item in case.evidence for _, hint in _hints(item))
    return "unsupported_inference" not in hinted


def _of_time(standing: Standing, now: int) -> Iterator[Finding]:
    case = standing.case
    if standing.own == "stale" and case.resolved is not None:
        message = "this claim was verified, and is no longer fresh"
        yield "freshness-breach", "freshness_breach", message, _named(case.resolved)
    latest = case.events[0] if case.events else None
    if latest is None or latest["status"] != "verified" or not standing.deriver.version.is_strict:
        return
    if standing.deriver.freshness(case, now) is Freshness.UNEVALUABLE:
        message = "nobody can tell how long this claim is fresh"
        more = {} if case.resolved is None else _named(case.resolved)
        yield "unevaluable-validity-rule", "policy_violation", message, more


def _of_failures(case: Case) -> Iterator[Finding]:
    for item in case.evidence:
        if item.get("passing") is False:
            message = "an item of evidence does not pass"
            more = {"evidenceIds": [item["id"]], "blocking": item.get("blocking", True)}
            yield f"evidence-{item['id']}", "policy_violation", message, more


def _of_derivation(standing: Standing) -> Iterator[Finding]:
    if standing.is_circular:
        message = "this claim rests on itself, through others"
        yield "derived-cycle", "unsupported_inference", message, {}
    edges = standing.case.claim.get("derivationEdges", ())
    weak = [edge["inputClaimId"] for edge in edges if edge.get("supportStrength") == "weak"]
    if weak:
        message = "this claim rests weakly on another"
        more = {"metadata": {"inputClaimIds": weak}}
        yield "weak-derivation", "unsupported_inference", message, more


def _of_hints(case: Case) -> Iterator[Finding]:
    for item in case.evidence:
        for at, hint in _hints(item):
            said = hint.get("message")
            message = said if isinstance(said, str) and said else "the producer reported a gap"
            more = {"evidenceIds": [item["id"]]}
            yield f"hint-{item['id']}-{at}", hint["type"], message, more


def _hints(item: Record) -> Iterator[tuple[int, Record]]:
    """Hints of one piece of evidence that name a known type, with their places."""
    hints = item.get("metadata", {}).get(_HINTS)
    for at, hint in enumerate(hints if isinstance(hints, list) else ()):
        if isinstance(hint, dict) and hint.get("type") in GAP_TYPES:
            yield at, hint


def _named(policy: Policy) -> Record:
    return {"policyId": policy.record["id"]}


# Contradictions


def contradictions(standings: Iterable[Standing], subjects: Subjects, written: str) -> list[Record]:
    """Pairs of claims on one subject whose values or statuses their policy calls incompatible."""
    under: dict[str, list[Standing]] = {}
    for standing in standings:
        policy = standing.case.resolved
        if policy is not None and _has_pairs(policy):
            under.setdefault(policy.record["id"], []).append(standing)
    found: dict[str, Record] = {}
    for members in under.values():
        policy = _policy_of(members[0])
        kinds = _Rivalries.of_values(policy), _Rivalries.of_statuses(policy)
        by_subject: dict[str, list[Standing]] = {}
        for one in members:
            by_subject.setdefault(subjects.key(subject_of(one.case.claim)), []).append(one)
        for group in by_subject.values():
            for rivalries in kinds:
                for gap in rivalries.gaps(group, written):
                    found.setdefault(gap["id"], gap)
    return list(found.values())


def _has_pairs(policy: Policy) -> bool:
    return "incompatibleValues" in policy.record or "incompatibleStatuses" in policy.record


class _Rivalries:
    """What a policy calls incompatible: of each side its other sides, with the place of the pair.

    Of pairs with the same two sides the first one counts.
    """

    def __init__(
        self, what: str, pairs: Sequence[Record], member: str, side: Callable[[Any], str]
    ) -> None:
        self._what = what
        self._pairs = pairs
        self._rivals: dict[str, dict[str, int]] = {}
        self._sides: list[tuple[str, str]] = []
        for at, pair in enumerate(pairs):
            first, second = map(side, pair[member])
            self._sides.append((first, second))
            self._rivals.setdefault(first, {}).setdefault(second, at)
            self._rivals.setdefault(second, {}).setdefault(first, at)

    @classmethod
    def of_values(cls, policy: Policy) -> _Rivalries:
        """The values of claims that contradict one another."""
        pairs = policy.record.get("incompatibleValues", [])
        return cls("values", pairs, "values", _digest)

    @classmethod
    def of_statuses(cls, policy: Policy) -> _Rivalries:
        """The same for their statuses."""
        return cls("statuses", policy.record.get("incompatibleStatuses", []), "statuses", str)

    def gaps(self, group: Sequence[Standing], written: str) -> Iterator[Record]:
        """The gaps among claims on one subject, in the order of the pairs."""
        if not self._pairs:
            return
        held: dict[str, list[Standing]] = {}
        for one in group:
            side = one.final if self._what == "statuses" else _digest(one.case.claim["value"])
            held.setdefault(side, []).append(one)
        told: set[str] = set()
        for at in sorted(self._met(held)):
            first, second = self._sides[at]
            left, right = held[first], held[second]
            couples = [(left[0], one) for one in (right[:1] if second in told else right)]
            couples += [(one, right[0]) for one in ([] if first in told else left[1:])]
            told.update((first, second))
            for one, other in couples:
                if one is not other:
                    yield self._gap(one, other, self._pairs[at], written)

    def _met(self, held: Mapping[str, object]) -> set[int]:
        """The places of the pairs of which both sides are held; the shorter list is looked at."""
        met: set[int] = set()
        for side in held:
            rivals = self._rivals.get(side, {})
            fewer, more = (rivals, held) if len(rivals) < len(held) else (held, rivals)
            met.update(rivals[one] for one in fewer if one in more)
        return met

    def _gap(self, first: Standing, second: Standing, pair: Record, written: str) -> Record:
        claim, other = first.case.claim, second.case.claim
        policy = _policy_of(first)
        name = f"{claim['id']}.{other['id']}.gap.contradiction-{self._what}"
        usual = f"two claims about one subject have incompatible {self._what}"
        return (
            _gap(claim, policy, name, "contradiction", pair.get("message", usual))
            | {"createdAt": written}
            | _materiality(claim)
            | _named(policy)
            | {"metadata": {"claimIds": [claim["id"], other["id"]]}}
        )


def _digest(value: Any) -> str:  # noqa: ANN401 - a plain JSON value
    return data_digest(value, lossless=False)


def _policy_of(standing: Standing) -> Policy:
    policy = standing.case.resolved
    assert policy is not None  # noqa: S101 - only claims with a policy are grouped
    return policy
