"""What is known about an item once its events are read: one decision with all that goes with it.

A session state on the wire keeps decisions, notes, edits, choices and attempts in maps of their
own. Here they stand together, so that no caller can read a choice without its kind or an edit
that belongs to another decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from survey_fast.review.decisions import Item, item_name

__all__ = ["ABSENT", "Absent", "Attribution", "Decided", "State", "conditions_stamp", "decided"]

State: TypeAlias = Mapping[str, Any]
"""A session state or snapshot as plain data: items, maps by item name, time and actor."""


class Absent:
    """The type of :data:`ABSENT`: no edited value, which JSON null is not."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()

Attribution: TypeAlias = Literal["event", "legacy-synthetic-actor"]
"""``event``: a host stamped who and when. Otherwise the snapshot's actor and time stand in."""


class Decided(NamedTuple):
    """One item's decision.

    Attributes:
        kind: the decision kind.
        note: the reviewer's note as it stands, ``""`` without one.
        candidate_id: the chosen candidate, for ``select-proposed``.
        edited_value: the edit of an accepted value, JSON null included, or ABSENT.
        attempt_evidence_ids: what could-not-confirm was tried on.
        reason: why it could not be confirmed, from the decision's own event; ``None`` where only
            the note tells.
        actor_id: who decided.
        decided_at: when, as an instant.
        attribution: where the last two come from.
    """

    kind: str
    note: str
    actor_id: str
    decided_at: str
    candidate_id: str | None = None
    edited_value: Any = ABSENT
    attempt_evidence_ids: tuple[str, ...] = ()
    reason: str | None = None
    attribution: Attribution = "legacy-synthetic-actor"


def decided(state: State) -> Iterator[tuple[Item, Decided]]:
    """Decided items of a session state in queue order; undecided ones are passed over."""
    decisions = state["decisionsByItemName"]
    notes = state["notesByItemName"]
    edits = state.get("editedValuesByItemName", {})
    choices = state.get("selectedCandidateIdsByItemName", {})
    attempts = state.get("attemptEvidenceIdsByItemName", {})
    for item in state["items"]:
        name = item_name(item)
        if name in decisions:
            yield (
                item,
                Decided(
                    kind=decisions[name],
                    note=notes.get(name, ""),
                    actor_id=state["actorId"],
                    decided_at=state["reviewedAt"],
                    candidate_id=choices.get(name),
                    edited_value=edits.get(name, ABSENT),
                    attempt_evidence_ids=tuple(attempts.get(name, ())),
                ),
            )


def conditions_stamp(state: State) -> dict[str, Any] | None:
    """The stamp of a session's conditions, or nothing when it declares none."""
    stamp = {name: state[name] for name in ("presentation", "sampling") if name in state}
    return stamp or None
