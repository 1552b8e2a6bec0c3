"""What is allowed in a bundle and still likely to surprise: read, never refused.

- ``same-instant-events``: two events of a claim at one instant. The one that stands earlier in the
  bundle counts as the later one, so merging bundles in another order can change the status.
- ``foreign-evidence``: an event cites evidence of another claim, which never counts for its own.
- ``unscoped-authority``: an authority trace lists claims or evidence; deriving a status asks
  for its actor alone, so it authorises more than it lists.
- ``nothing-required``: a policy that requires no evidence and no method; from status version 3 on,
  no claim under it is verified.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from survey_fast.trust.instants import instant
from survey_fast.trust.references import foreign_evidence

__all__ = ["bundle_warnings"]

Record: TypeAlias = "dict[str, Any]"


def bundle_warnings(bundle: Record) -> list[dict[str, str]]:
    """Warnings ``{code, message, pointer}`` about a bundle that validates, in a fixed order."""
    found = [*_ties(bundle), *_foreign(bundle), *_traces(bundle), *_policies(bundle)]
    return [
        {"code": code, "message": message, "pointer": pointer} for code, message, pointer in found
    ]


def _ties(bundle: Record) -> Iterator[tuple[str, str, str]]:
    seen: set[tuple[str, object]] = set()
    for at, event in enumerate(bundle["events"]):
        key = event["claimId"], instant(event["createdAt"])
        if key in seen:
            message = "another event of this claim has the same time; the order of the two decides"
            yield "same-instant-events", message, f"/events/{at}/createdAt"
        seen.add(key)


def _foreign(bundle: Record) -> Iterator[tuple[str, str, str]]:
    for at, place in foreign_evidence(bundle):
        message = "this evidence is about another claim than the event, and does not count for it"
        yield "foreign-evidence", message, f"/events/{at}/evidenceIds/{place}"


def _traces(bundle: Record) -> Iterator[tuple[str, str, str]]:
    for at, trace in enumerate(bundle.get("authorityTrace", ())):
        if trace.get("claimIds") or trace.get("evidenceIds"):
            message = "this trace authorises its actor for every claim, not only for those listed"
            yield "unscoped-authority", message, f"/authorityTrace/{at}"


def _policies(bundle: Record) -> Iterator[tuple[str, str, str]]:
    for at, policy in enumerate(bundle["policies"]):
        if not policy["requiredEvidence"] and not policy.get("requiredMethods"):
            message = "this policy requires nothing, so from version 3 on it verifies nothing"
            yield "nothing-required", message, f"/policies/{at}"
