"""The fold: a snapshot and its events become what is decided now.

1. Events are applied in the order of their sequence, over one index of the items: linear.
2. A note replaces the note. A decision replaces the decision with all that belonged to it: an
   edit stays only with an acceptance, a choice only with the kind that chooses, attempts only
   with could-not-confirm. A clear event removes the four; the note stays.
3. The event that decides an item also says who and when, if the host stamped it.
4. Maps that older sessions lack appear in the state only when something is put into them.
5. The first completion that a host stamped is remembered: nothing of a host follows it.

Nothing here validates; :mod:`survey_fast.review.replay` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Final

from survey_fast.attest import Issue
from survey_fast.review.attribution import host_stamp
from survey_fast.review.decisions import CHOICE, Item, item_name, kind_of
from survey_fast.review.edits import check_edited_value
from survey_fast.review.shape import DECISION_EVENTS
from survey_fast.review.state import ABSENT, Decided, State
from survey_fast.review.stream import Event

__all__ = ["Fold"]


class Fold:
    """The state of one session while its events are read."""

    def __init__(self, snapshot: State) -> None:
        self.snapshot = snapshot
        self.items: dict[str, Item] = {item_name(item): item for item in snapshot["items"]}
        self.active: str = snapshot["activeItemName"]
        self.notes: dict[str, str] = dict(snapshot["notesByItemName"])
        self.kinds: dict[str, str] = dict(snapshot["decisionsByItemName"])
        self.edits: dict[str, Any] = dict(snapshot.get("editedValuesByItemName", {}))
        self.attempts: dict[str, list[str]] = dict(snapshot.get("attemptEvidenceIdsByItemName", {}))
        self.choices: dict[str, str] = dict(snapshot.get("selectedCandidateIdsByItemName", {}))
        self.completed: int | None = None
        self._deciding: dict[str, Event] = {}
        self._applied = False
        self._chose = "selectedCandidateIdsByItemName" in snapshot

    def apply(self, events: Iterable[Event]) -> Fold:
        """Apply events in the order of their sequence."""
        for event in sorted(events, key=lambda event: event["spec"]["sequence"]):
            self._apply(event)
        return self

    def extended(self, events: Iterable[Event]) -> Fold:
        """The state after ``events`` that follow what was applied; this one stays as it is."""
        after = copy(self)
        for name in ("notes", "kinds", "edits", "attempts", "choices", "_deciding"):
            setattr(after, name, dict(getattr(self, name)))
        return after.apply(events)

    def _apply(self, event: Event) -> None:
        self._applied = True
        spec = event["spec"]
        name = spec.get("reviewItemName")
        match spec["eventType"]:
            case "item-selected":
                active = spec.get("activeItemName", name)
                if active in self.items:
                    self.active = active
            case "note-changed" if name is not None:
                self.notes[name] = spec.get("rationale", "")
            case kind if kind in DECISION_EVENTS and name is not None:
                self._decide(event, spec, name)
            case "session-completed" if self.completed is None and host_stamp(event) is not None:
                self.completed = spec["sequence"]
            case _:
                pass

    def _decide(self, event: Event, spec: Mapping[str, Any], name: str) -> None:
        data = spec.get("data", _NOTHING)
        if "workbenchDecision" not in data:
            return
        word = data["workbenchDecision"]
        if word is None:
            for entries in (self.kinds, self.edits, self.attempts, self.choices, self._deciding):
                entries.pop(name, None)
            return
        kind = kind_of(word)
        if kind is None:
            return
        self.kinds[name] = kind.name
        self._deciding[name] = event
        if kind.name == "accept-proposed" and "workbenchEditedValue" in data:
            self.edits[name] = self._edit(name, data["workbenchEditedValue"])
        else:
            self.edits.pop(name, None)
        if kind.name == "could-not-confirm" and spec.get("attemptEvidenceIds"):
            self.attempts[name] = list(spec["attemptEvidenceIds"])
        else:
            self.attempts.pop(name, None)
        self._chose |= kind.name == CHOICE
        chosen = spec.get("candidateId") if kind.name == CHOICE else None
        if chosen is None:
            self.choices.pop(name, None)
        else:
            self.choices[name] = chosen

    def _edit(self, name: str, carried: Any) -> Any:  # noqa: ANN401 - any JSON value
        item = self.items.get(name)
        if item is None:
            return carried
        checked = check_edited_value(item, carried)
        # An edit that is refused never gets here through validated replay; it stays as carried.
        return carried if isinstance(checked, Issue) else checked.value

    def decided(self) -> Iterator[tuple[Item, Decided]]:
        """Decided items in queue order, each with who and when."""
        for name, item in self.items.items():
            kind = self.kinds.get(name)
            if kind is not None:
                yield item, self._decided(name, kind)

    def _decided(self, name: str, kind: str) -> Decided:
        event = self._deciding.get(name)
        actor, when = self.snapshot["actorId"], self.snapshot["reviewedAt"]
        is_stamped = event is not None and host_stamp(event) is not None
        if event is not None and is_stamped:
            actor, when = event["spec"]["actor"]["id"], event["spec"]["occurredAt"]
        return Decided(
            kind=kind,
            note=self.notes.get(name, ""),
            actor_id=actor,
            decided_at=when,
            candidate_id=self.choices.get(name),
            edited_value=self.edits.get(name, ABSENT),
            attempt_evidence_ids=tuple(self.attempts.get(name, ())),
            reason=None if event is None else event["spec"].get("resolutionReason"),
            attribution="event" if is_stamped else "legacy-synthetic-actor",
        )

    def state(self) -> State:
        """The state as plain data; the snapshot itself when no event was applied."""
        if not self._applied:
            return self.snapshot
        state = dict(self.snapshot)
        state["activeItemName"] = self.active
        state["notesByItemName"] = self.notes
        state["decisionsByItemName"] = self.kinds
        later = {
            "editedValuesByItemName": self.edits,
            "attemptEvidenceIdsByItemName": self.attempts,
            "selectedCandidateIdsByItemName": self.choices,
        }
        used = [member for member in later if later[member] or member in self.snapshot]
        if self._chose:
            used.append("selectedCandidateIdsByItemName")
        return state | {member: later[member] for member in used}


_NOTHING: Final[Mapping[str, Any]] = {}
