"""What status version 2 asks for before it derives: a verified claim names its commit."""

from __future__ import annotations

from survey_fast.errors import refusal
from survey_fast.trust.ledger import Record, read_ledger
from survey_fast.trust.status import Deriver
from survey_fast.trust.status_version import status_version

__all__ = ["check_commit_rules"]


def check_commit_rules(bundle: Record) -> None:
    """Refuse a claim that is verified under a commit rule and names no commit.

    Raises:
        BundleError: ``missing-string``, at the claim's ``currentIntegrityRef``.
    """
    deriver = Deriver(read_ledger(bundle), status_version("2"))
    for at, claim in enumerate(bundle["claims"]):
        if "currentIntegrityRef" in claim:
            continue
        case = deriver.case(claim)
        if case.policy is None or case.policy.validity.get("kind") != "commit":
            continue
        latest = deriver.time_of(case.events[0]) if case.events else None
        if latest is not None and deriver.own_status(case, latest) == "verified":
            message = "a claim that is verified under a commit rule names the commit it is about"
            raise refusal("missing-string", message, f"/claims/{at}/currentIntegrityRef")
