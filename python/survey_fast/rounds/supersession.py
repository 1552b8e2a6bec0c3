"""Supersession: a later decision on a slot takes the place of an earlier one.

1. Both decisions are on one slot, and they are two: their digests differ.
2. The reason is ``re-reviewed`` when the versions are the same and every one says what it said,
   else ``candidate-changed``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from survey_fast.canon import Document
from survey_fast.canon.arguments import sequence_argument
from survey_fast.rounds.items import read_prior
from survey_fast.rounds.records import (
    DecisionSupersession,
    SupersessionReason,
    check_address,
    check_format,
    check_reference,
    content_address,
)
from survey_fast.rounds.shape import SUPERSESSION, Members, inside

__all__ = [
    "build_decision_supersession",
    "new_supersession",
    "read_supersessions",
    "validate_decision_supersession",
]

_KIND: Final = "survey.decision-supersession"
_REASONS: Final[tuple[str, ...]] = get_args(SupersessionReason)
_MEMBERS: Final = (
    "id",
    "kind",
    "schemaVersion",
    "priorDecision",
    "newDecision",
    "slotId",
    "reason",
)


def build_decision_supersession(
    *, prior: Mapping[str, Any], new: Mapping[str, Any]
) -> DecisionSupersession:
    """The record that the decision of ``new`` takes the place of that of ``prior``.

    Args:
        prior: ``{item, slotId, candidateVersionIds, decision}`` of the earlier round.
        new: the same of the later one.

    Raises:
        SurveyError: ``supersession-invalid``: two slots, or one decision twice;
            ``round-items-invalid``, ``decision-malformed``, ``resolution-inconsistent``: a side
            breaks its shape. The pointer leads into ``{prior, new}``.
        TypeError: an argument is not plain data.
    """
    before, after = read_prior(prior, "/prior"), read_prior(new, "/new")
    if before.item.slot_id != after.item.slot_id:
        message = f"slot {after.item.slot_id!r} cannot supersede slot {before.item.slot_id!r}"
        raise SUPERSESSION.refuse(message, "/new/slotId")
    named, by = before.decision.reference(), after.decision.reference()
    if named.digest == by.digest:
        message = "a decision cannot supersede itself"
        raise SUPERSESSION.refuse(message, "/new/decision")
    is_unchanged = after.item.has_versions_of(before.item) and after.item.says_what(before.item)
    return new_supersession(
        {
            "priorDecision": named.to_json(),
            "newDecision": by.to_json(),
            "slotId": before.item.slot_id,
            "reason": "re-reviewed" if is_unchanged else "candidate-changed",
        }
    )


def new_supersession(members: Members) -> DecisionSupersession:
    """The record of checked members; kind, version and id are added."""
    payload: Members = {"kind": _KIND, "schemaVersion": 1, **members}
    return DecisionSupersession.from_json({"id": content_address(payload), **payload})


def validate_decision_supersession(
    record: Document | DecisionSupersession,
) -> DecisionSupersession:
    """Check a stored supersession against its format and its own digest.

    Args:
        record: bytes, text or plain data; a record of this package is checked all the same.

    Returns:
        The record as an immutable copy; ``to_json()`` gives the document again.

    Raises:
        SurveyError: ``supersession-invalid``, with a pointer into the record.
        JsonError: not lossless JSON.
        TypeError: neither a document nor a record.
    """
    shape = SUPERSESSION
    members = shape.record(record)
    shape.require(members, "", _MEMBERS)
    shape.close(members, "", _MEMBERS)
    check_format(shape, members, _KIND)
    prior = check_reference(shape, members, "priorDecision")
    if check_reference(shape, members, "newDecision") == prior:
        message = "a decision cannot supersede itself"
        raise shape.refuse(message, "/newDecision/digest")
    shape.text(members["slotId"], "/slotId")
    shape.word(members["reason"], "/reason", _REASONS)
    check_address(shape, members)
    return DecisionSupersession.from_json(members)


def read_supersessions(
    supersessions: Sequence[Document | DecisionSupersession],
) -> list[DecisionSupersession]:
    """Check the supersessions that a call was given."""
    found = []
    for at, record in enumerate(sequence_argument("supersessions", supersessions)):
        with inside(f"/supersessions/{at}"):
            found.append(validate_decision_supersession(record))
    return found
