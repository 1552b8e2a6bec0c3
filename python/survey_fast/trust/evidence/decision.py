"""The decision of evidence: whose it is, what it says, and whether that is an acceptance.

Accepted means verified, with no resolution or the resolution ``accepted``. An assumed value is
not accepted, and neither is one that was held.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from survey_fast.canon.text import has_content
from survey_fast.trust.evidence.item import ReadItem
from survey_fast.trust.evidence.names import check_identity
from survey_fast.trust.evidence.shape import DECISION, members
from survey_fast.trust.instants import is_date_time

__all__ = ["NOT_REVIEWED", "Decision", "read_decision"]

_STATUSES: Final = ("verified", "assumed", "rejected", "proposed")
_SIGNED: Final = ("accepted", "could_not_confirm")
"""Dispositions that name reviewer and time, whatever the status."""
_FITTING: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "accepted": ("verified", "assumed"),
        "rejected": ("rejected",),
        "held": ("verified", "assumed", "proposed"),
        "could_not_confirm": ("proposed", "assumed"),
    }
)


class Decision(NamedTuple):
    """What a decision says.

    Attributes:
        name: the record's name, if it has one.
        disposition: the resolution, else the status.
        is_accepted: whether the value was accepted.
        candidate_id: the candidate it names, if any.
        unselected: the candidates it passed over, of any shape; None when the member is absent.
    """

    name: str | None
    disposition: str
    is_accepted: bool
    candidate_id: str | None
    unselected: object


NOT_REVIEWED: Final = Decision(
    None, "not-reviewed", is_accepted=False, candidate_id=None, unselected=None
)


def read_decision(value: object, item: ReadItem) -> Decision:
    """Check the decision on ``item``; pointers lead into the decision.

    Raises EvidenceError: ``evidence-decision-invalid``, or the codes of identities.
    """
    decision = members(value, "", DECISION)
    if decision.get("kind") != "ReviewDecision":
        message = "a review decision belongs here"
        raise DECISION.refuse(message, "/kind")
    metadata = members(decision.get("metadata", {}), "/metadata", DECISION)
    spec = members(decision.get("spec"), "/spec", DECISION)
    if spec.get("reviewItemName") != item.name:
        message = "the decision is about another item"
        raise DECISION.refuse(message, "/spec/reviewItemName")
    disposition, is_accepted = _disposition(spec)
    _check_reviewer(spec, is_required=is_accepted or disposition in _SIGNED)
    if "editedValue" in spec:
        message = "reviewed evidence rests on what was extracted; an edited value is not evidence"
        raise DECISION.refuse(message, "/spec/editedValue")
    candidate_id = spec.get("candidateId")
    if "candidateId" in spec and candidate_id not in item.candidate_ids:
        message = "the decision names a candidate that the item does not hold"
        raise DECISION.refuse(message, "/spec/candidateId")
    name = metadata.get("name")
    return Decision(
        name=name if isinstance(name, str) and name else None,
        disposition=disposition,
        is_accepted=is_accepted,
        candidate_id=candidate_id,
        unselected=spec.get("unselectedCandidateIds"),
    )


def _disposition(spec: Mapping[str, Any]) -> tuple[str, bool]:
    """Status and resolution, which must fit each other: the disposition, and if it accepts."""
    status = spec.get("status")
    if status not in _STATUSES or not isinstance(status, str):
        message = f"one of {', '.join(_STATUSES)} belongs here"
        raise DECISION.refuse(message, "/spec/status")
    if "resolution" not in spec:
        return status, status == "verified"
    resolution = spec["resolution"]
    if not isinstance(resolution, str) or resolution not in _FITTING:
        message = f"one of {', '.join(_FITTING)} belongs here"
        raise DECISION.refuse(message, "/spec/resolution")
    if status not in _FITTING[resolution]:
        message = "status and resolution contradict each other"
        raise DECISION.refuse(message, "/spec/resolution")
    if resolution == "could_not_confirm":
        reason = spec.get("resolutionReason")
        if not isinstance(reason, str) or not has_content(reason):
            message = "a value that could not be confirmed comes with the reason"
            raise DECISION.refuse(message, "/spec/resolutionReason")
    return resolution, status == "verified" and resolution == "accepted"


def _check_reviewer(spec: Mapping[str, Any], *, is_required: bool) -> None:
    if is_required and not ("actor" in spec and "reviewedAt" in spec):
        DECISION.require(dict(spec), "/spec", ("actor", "reviewedAt"))
    if "actor" in spec:
        actor = members(spec["actor"], "/spec/actor", DECISION)
        check_identity(actor.get("id"), "/spec/actor/id")
    if "reviewedAt" in spec and not is_date_time(spec["reviewedAt"]):
        message = "a date and time with an offset belongs here"
        raise DECISION.refuse(message, "/spec/reviewedAt")
