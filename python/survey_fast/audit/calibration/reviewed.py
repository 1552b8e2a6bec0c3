"""Labels from rounds: a session or another history that was replayed and applied here.

These are the labels to rely on: queue, binding and history were checked, so a decision's conditions
are those of its round. A score-blind round that is not over gives no label, since figures about its
scores could still reach a reviewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from survey_fast.audit.calibration.labels import (
    AUTO_ACCEPT_ACTOR,
    UNKNOWN_EXTRACTOR,
    Finding,
    Judgement,
    Labels,
    Offer,
    Origin,
    confidence_in,
    is_random_audit,
    judged,
    mapping_in,
    text_in,
)
from survey_fast.errors import SessionError
from survey_fast.review.apply import ApplyResult
from survey_fast.review.conditions import is_score_withheld
from survey_fast.review.decisions import Item
from survey_fast.review.session_file import SessionDocument
from survey_fast.review.state import ABSENT

__all__ = ["labels_of_applied", "labels_of_decision", "labels_of_session", "withheld_labels"]


def labels_of_session(session: SessionDocument, *, allow_seeded: bool = False) -> Labels:
    """The labels of a session, which is checked whole and applied first.

    Args:
        session: a session that was loaded.
        allow_seeded: take decisions that its snapshot already holds.

    Raises:
        SurveyError: as SessionDocument.apply raises, and SessionError for what is wrong with its
            events.
    """
    result = session.apply(allow_seeded=allow_seeded)
    if is_score_withheld(session.state, session.events) and result.ok:
        return withheld_labels(len(result.decisions), "session")
    return labels_of_applied(result)


def withheld_labels(count: int, origin: Origin) -> Labels:
    """What the ``count`` decisions of a score-blind round say that is not over: nothing."""
    withheld = Judgement("", (), "blind-round-open", None, is_audit=False, is_by_rule=False)
    return Labels(origin, [withheld] * count)


def labels_of_applied(result: ApplyResult, origin: Origin = "session") -> Labels:
    """The labels of a history that was applied, by the caller, to a round that may be told of.

    Raises SessionError when the result has issues.
    """
    if not result.ok or result.replayed_session is None:
        raise SessionError.from_issues([issue.to_json() for issue in result.issues])
    items = {item["metadata"]["name"]: item for item in result.replayed_session["items"]}
    judgements = []
    for decision in result.decisions:
        spec = decision["spec"]
        judgements.append(labels_of_decision(items[spec["reviewItemName"]], spec))
    return Labels(origin, judgements)


def labels_of_decision(item: Item, spec: Mapping[str, Any]) -> Judgement:
    """What the decision ``spec`` says about the values of its item.

    Both were checked by whoever read them; members that they need not have are looked at with care.
    """
    target = text_in(item["spec"], "target") or ""
    candidates = item["spec"]["candidates"]
    if len(candidates) > 1:
        candidates = [one for one in candidates if one.get("role") == "proposed"]
    name = item["metadata"]["name"]
    offers = [_offer(name, one, target) for one in candidates]
    chosen = spec.get("candidateId")
    finding = Finding(
        status=spec.get("status"),
        is_unconfirmed=spec.get("resolution") == "could_not_confirm",
        named=chosen,
        picked=chosen,
        edit=spec.get("editedValue", ABSENT),
    )
    predictions, reason = judged(offers, finding)
    return Judgement(
        name,
        predictions,
        reason,
        spec.get("reviewedAt"),
        is_audit=is_random_audit(spec),
        is_by_rule=mapping_in(spec, "actor").get("id") == AUTO_ACCEPT_ACTOR,
    )


def _offer(name: str, candidate: Mapping[str, Any], target: str) -> Offer:
    extraction = mapping_in(candidate, "extraction")
    extractor = text_in(extraction, "extractor") or UNKNOWN_EXTRACTOR
    field = text_in(extraction, "target") or target
    document = text_in(mapping_in(candidate, "source"), "sourceRef") or ""
    return Offer(
        ("item", name, candidate.get("id"), document, extractor, field),
        candidate.get("id"),
        candidate.get("value"),
        confidence_in(candidate, extraction),
        extractor,
        field,
        document,
    )
