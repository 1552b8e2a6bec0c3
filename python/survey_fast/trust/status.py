"""The status of every claim, derived from its evidence, its events and its policy at a given time.

1. Nothing a producer wrote into ``status`` can raise a claim; it is a baseline of ``proposed`` or
   ``assumed`` where no event speaks.
2. Evidence that is only cited is invisible here, failures included.
3. Three versions of the rules exist. ``"2"`` takes any evidence and no policy for granted. ``"3"``
   asks for a policy that requires something, and for checks that passed. ``"4"`` is that with
   exact times: no fraction of a second is dropped, and a time that is none never helps.
4. Times are read under one grammar in all versions, up to the millisecond before version 4. The
   reference system reads more under versions 2 and 3, in the machine's own time zone; such times
   fail validation and are no times here.
5. Of two events at one instant, the one that stands earlier in the bundle is the later event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from survey_fast.canon import Document
from survey_fast.canon.collector import collector_paused
from survey_fast.trust.authority import Authority
from survey_fast.trust.bundle_shape import CHECK_TYPES
from survey_fast.trust.derivation import capped
from survey_fast.trust.document import read_document
from survey_fast.trust.freshness import Freshness, freshness
from survey_fast.trust.instants import Instant
from survey_fast.trust.ledger import Ledger, Record, input_ids, read_ledger
from survey_fast.trust.policy import Policies, Policy
from survey_fast.trust.status_version import StatusVersion, Version, now_argument, status_version

__all__ = [
    "Case",
    "Deriver",
    "derive_claim_statuses",
]

_TERMINAL: Final = ("rejected", "disputed", "superseded", "stale")


@collector_paused()
def derive_claim_statuses(
    bundle: Document, *, now: str, version: StatusVersion = "3"
) -> dict[str, str]:
    """The status of every claim of a bundle, by claim id, in the order of the bundle.

    The bundle is not validated: see :func:`survey_fast.trust.validation.validate_trust_bundle`.

    Args:
        bundle: UTF-8 bytes, the text of a document, or plain data.
        now: the time of the question: RFC 3339, in whole milliseconds.
        version: of the status rules; keep it with the result.

    Raises:
        BundleError: a record lacks what a status is derived from, two claims share an id, or
            (``bad-time`` without a pointer) ``now`` is no instant.
        JsonError: text that is not strict JSON.
        TypeError, ValueError: not a document; ``now`` is no text; an unknown version.
    """
    rules, at = status_version(version), now_argument(now)
    content = bundle if isinstance(bundle, dict) else read_document(bundle)
    return Deriver(read_ledger(content), rules).final(at)


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with all that its own status depends on.

    Attributes:
        claim: the claim.
        evidence: all of its evidence.
        entailing: the part that supports it.
        events: latest first.
        resolved: its policy.
        policy: the same if it counts.
    """

    claim: Record
    evidence: Sequence[Record]
    entailing: Sequence[Record]
    events: Sequence[Record]
    resolved: Policy | None
    policy: Policy | None


class Deriver:
    """Derives statuses from one ledger under one version of the rules."""

    def __init__(self, ledger: Ledger, version: Version) -> None:
        self.version = version
        self._ledger = ledger
        self._read = version.read
        self._policies = Policies(ledger.policies)
        # Version 2 compares the texts themselves.
        bounds = self._read if version.is_strict else _as_text
        self._bound = bounds
        self._authority = Authority(ledger.traces, bounds, is_exact=version.is_exact)

    def final(self, now: int) -> dict[str, str]:
        """The status of every claim, capped by what it rests on."""
        return capped(self.own(now), self.inputs())

    def own(self, now: int) -> dict[str, str]:
        """The status of every claim by itself."""
        return {one["id"]: self.own_status(self.case(one), now) for one in self._ledger.claims}

    def inputs(self) -> dict[str, list[str]]:
        """Direct inputs of the claims that have any."""
        found = ((claim["id"], input_ids(claim)) for claim in self._ledger.claims)
        return {claim: names for claim, names in found if names}

    def case(self, claim: Record) -> Case:
        """All that the own status of a claim depends on."""
        strict = self.version.is_strict
        evidence = self._ledger.evidence.get(claim["id"], [])
        resolved = self._policies.of(claim, is_strict=strict)
        is_void = resolved is None or (strict and not resolved.asks_for_something)
        return Case(
            claim,
            evidence,
            [item for item in evidence if _entails(item)],
            self._latest_first(self._ledger.events.get(claim["id"], [])),
            resolved,
            None if is_void else resolved,
        )

    def own_status(self, case: Case, now: Instant) -> str:
        """What a claim is by itself at some time."""
        resolution = self._resolution(case.events)
        if resolution is not None:
            return self._resolved(case, resolution)
        if case.events:
            latest = case.events[0]
            told = _ended(latest)
            if told is not None:
                return told
            if latest["status"] == "verified":
                return self._verified(case, now)
        baseline = case.claim.get("status")
        if baseline in ("proposed", "assumed"):
            return str(baseline)
        return _unreviewed(case)

    def qualifying(self, case: Case) -> Sequence[Record]:
        """Supporting evidence that can meet a requirement."""
        if not self.version.is_strict:
            return case.entailing
        return [
            item
            for item in case.entailing
            if item.get("passing") is True or item["evidenceType"] not in CHECK_TYPES
        ]

    def freshness(self, case: Case, now: Instant) -> Freshness:
        """How fresh a claim with at least one event is."""
        return freshness(case.claim, case.events[0], case.policy, case.entailing, now, self._read)

    def time_of(self, event: Record) -> Instant | None:
        """When an event happened, if it says so."""
        return self._read(event.get("createdAt"))

    def _latest_first(self, events: list[Record]) -> Sequence[Record]:
        if len(events) < 2:  # noqa: PLR2004 - the usual case, without reading any time
            return events
        # Sorting backwards keeps what is equal in the order of the bundle.
        return sorted(events, key=self._age, reverse=True)

    def _age(self, event: Record) -> tuple[bool, Instant]:
        """What events are ordered by; one without a time is the oldest, or of 1970."""
        at = self.time_of(event)
        return (at is not None or not self.version.is_exact), at or 0

    def _resolution(self, events: Iterable[Record]) -> Record | None:
        """The latest decision of somebody who was entitled to settle a dispute."""
        for event in events:
            if event.get("resolvesDispute") is not True:
                continue
            at = self._bound(event.get("createdAt"))
            if at is None and self.version.is_exact:
                continue
            if self._authority.covers(event, at):
                return event
        return None

    def _resolved(self, case: Case, resolution: Record) -> str:
        decided = self.time_of(resolution)
        if any(_blocks(item) and self._is_after(item, decided) for item in case.entailing):
            return "disputed"
        status: str = resolution["status"]
        if status == "verified" and self.version.is_strict and case.policy is None:
            return "proposed"
        return status

    def _is_after(self, item: Record, decided: Instant | None) -> bool:
        observed = self._read(item.get("observedAt"))
        if observed is None:
            return self.version.is_exact
        return decided is not None and observed > decided

    def _verified(self, case: Case, now: Instant) -> str:
        """What a claim is whose latest event verified it."""
        strict = self.version.is_strict
        told = self.freshness(case, now)
        if told is Freshness.STALE or (strict and told is Freshness.UNEVALUABLE):
            return "stale"
        is_blocked = any(map(_blocks, case.entailing))
        if strict and is_blocked:
            return "disputed"
        policy = case.policy
        is_met = not strict if policy is None else _meets(policy, self.qualifying(case))
        if not is_met:
            return "proposed"
        return "disputed" if is_blocked else "verified"


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _entails(item: Record) -> bool:
    return "supportStrength" not in item or bool(item["supportStrength"] == "entails")


def _blocks(item: Record) -> bool:
    return item.get("passing") is False and item.get("blocking") is not False


def _ended(latest: Record) -> str | None:
    """The status that a latest event gives whatever evidence and policy say."""
    status: str = latest["status"]
    if status in _TERMINAL or (status == "assumed" and latest.get("type") != "invalidation"):
        return status
    is_withdrawn = latest.get("type") == "invalidation" or status == "revoked"
    return "stale" if is_withdrawn else None


def _meets(policy: Policy, qualifying: Sequence[Record]) -> bool:
    """Whether evidence meets every requirement of a policy."""
    if policy.needs_two and len(qualifying) < 2:  # noqa: PLR2004 - that is corroboration
        return False
    if not policy.types <= {item["evidenceType"] for item in qualifying}:
        return False
    return not policy.methods or policy.methods <= {item["method"] for item in qualifying}


def _unreviewed(case: Case) -> str:
    """What evidence alone makes of a claim."""
    if case.policy is None:
        return "proposed" if case.entailing else "unknown"
    found = {item["evidenceType"] for item in case.entailing}
    return "proposed" if case.policy.types <= found else "unknown"
