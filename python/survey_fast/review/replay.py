"""Validation and replay of a session's events against its snapshot.

Sequence findings for the whole stream come first, then each event in turn:

1. an active item, then a review item, that the queue does not hold;
2. a decision about no item;
3. a clear event: only its stamp is looked at, and only when it carries one;
4. conditions other than the snapshot's;
5. a kind that is none;
6. for a choice, the id; for the other kinds, whether the kind can be recorded on the item and
   names the candidate that the event names;
7. status and resolution of the kind;
8. of an item's final decision, an edit that the item refuses;
9. could-not-confirm without a reason;
10. a candidate that the item does not hold;
11. a host-stamped event after a host-stamped completion;
12. a host-stamped completion while an item is open. Histories of the reference system complete
    with escalated items open and with decisions to come; theirs is a warning.

Every finding is reported; one that cannot be judged because of an earlier one is left out.
Validation never raises for what an event says: an unrecordable decision is a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, Final

from survey_fast.attest import Issue
from survey_fast.canon.text import has_content
from survey_fast.errors import SessionError, SurveyError
from survey_fast.review.attribution import host_stamp
from survey_fast.review.conditions import check_declared_conditions
from survey_fast.review.decisions import (
    CHOICE,
    Item,
    Kind,
    candidates_of,
    item_name,
    kind_of,
    only_candidate,
    recordability_issue,
)
from survey_fast.review.edits import check_edited_value
from survey_fast.review.fold import Fold
from survey_fast.review.issues import EventIssue
from survey_fast.review.open_items import open_before, still_open
from survey_fast.review.shape import DECISION_EVENTS, check_events, check_snapshot, require_json
from survey_fast.review.state import State, conditions_stamp
from survey_fast.review.stream import (
    Event,
    about,
    completion,
    final_decisions,
    is_completion,
    is_sequence,
    sequence_issues,
)

__all__ = [
    "are_edits_fit",
    "follows",
    "history_issues",
    "replay_review_session_events",
    "snapshot_issues",
    "validate_review_session_events",
]


def validate_review_session_events(snapshot: State, events: Sequence[Event]) -> list[EventIssue]:
    """Everything that is wrong with ``events`` as a history of ``snapshot``; empty when valid.

    Raises:
        SessionError: ``session-malformed``: the snapshot or an event is not one.
        TypeError: not a dict, not a list.
    """
    require_json(snapshot, events)
    return history_issues(check_snapshot(snapshot), check_events(events))


def history_issues(snapshot: State, events: Sequence[Event], *, known: int = 0) -> list[EventIssue]:
    """The same for a snapshot and events whose structure was checked before.

    Args:
        snapshot: the base snapshot.
        events: the whole history.
        known: how many events at its start are a valid history of this snapshot already. Later
            events make none of them invalid, so only the rest is judged.
    """
    validation = _Validation.whole(snapshot, events)
    return [
        *([] if known else snapshot_issues(snapshot)),
        *sequence_issues(events, known=known),
        *validation.issues(known),
    ]


def follows(fold: Fold, events: Sequence[Event], *, known: int) -> bool:
    """Whether ``events``, whose structure was checked, are seen to follow a valid history.

    Nothing of that history is walked through again. Where this is not seen, the whole history is
    judged, which says why, or that all is well after all.

    Args:
        fold: what the history came to.
        events: what is to follow it.
        known: how many events the history has.
    """
    is_open = fold.completed is None and not any(map(is_completion, events))
    numbers = [event["spec"]["sequence"] for event in events]
    if not is_open or not all(map(is_sequence, numbers)):
        return False
    if numbers != list(range(known + 1, known + len(events) + 1)):
        return False
    return not any(_Validation.following(fold, events).issues(0))


def are_edits_fit(snapshot: State, events: Sequence[Event], places: Sequence[int]) -> bool:
    """Whether the edits that count in the end fit their items.

    Args:
        snapshot: the base snapshot.
        events: a history in which nothing but edits is left to be judged.
        places: where in it edits are, counted from 0.
    """
    items = {item_name(item): item for item in snapshot["items"]}
    final = final_decisions(events)
    for event in map(events.__getitem__, places):
        spec = event["spec"]
        name = spec["reviewItemName"]
        if final[name] is event:
            checked = check_edited_value(items[name], spec["data"]["workbenchEditedValue"])
            if isinstance(checked, Issue):
                return False
    return True


def replay_review_session_events(snapshot: State, events: Sequence[Event]) -> State:
    """The state after ``events``; the same snapshot object when there are none.

    Raises:
        SessionError: ``session-malformed``, or the first code that validation reports, with
            every finding in ``details["issues"]``.
    """
    issues = validate_review_session_events(snapshot, events)
    if issues:
        raise SessionError.from_issues([issue.to_json() for issue in issues])
    return Fold(snapshot).apply(events).state()


def snapshot_issues(snapshot: State) -> list[EventIssue]:
    """What makes a snapshot unusable before any event: its conditions, names standing twice."""
    issues: list[EventIssue] = []
    try:
        check_declared_conditions(snapshot)
    except SurveyError as refused:
        issues.append(EventIssue(refused.code, refused.message, pointer=refused.pointer))
    seen: set[str] = set()
    for item in snapshot["items"]:
        name = item_name(item)
        if name in seen:
            message = f"the queue lists {name!r} twice"
            issues.append(EventIssue("ambiguous-item-identity", message, name))
        seen.add(name)
    return issues


_JUDGED: Final = ("data", "candidateId", "status", "resolution", "resolutionReason")
"""What a decision is judged by, besides its item and the conditions of the session."""


class _Validation:
    """One pass over a stream, with the items indexed once."""

    def __init__(self, snapshot: State, events: Sequence[Event], items: Mapping[str, Item]) -> None:
        self.events = events
        self.items = items
        self.stamp = conditions_stamp(snapshot)
        self._known: dict[tuple[str, str], Issue | str | None] = {}
        self._sound: dict[str | None, Mapping[str, Any] | None] = {}
        self.completed: int | None = None
        self.open: Sequence[str] = ()

    @classmethod
    def whole(cls, snapshot: State, events: Sequence[Event]) -> _Validation:
        """Of a history from its first event on."""
        made = cls(snapshot, events, {item_name(item): item for item in snapshot["items"]})
        made.completed = completion(events, stamped=True)
        if made.completed is not None:
            made.open = open_before(snapshot, events, made.completed)
        return made

    @classmethod
    def following(cls, fold: Fold, events: Sequence[Event]) -> _Validation:
        """Of events that complete nothing, behind a history that a host did not complete."""
        return cls(fold.snapshot, events, fold.items)

    @cached_property
    def final(self) -> Mapping[str, Event]:
        """The final decision of each item; only edits ask for it."""
        return final_decisions(self.events)

    def issues(self, known: int) -> Iterator[EventIssue]:
        for event in islice(self.events, known, None):
            spec = event["spec"]
            for code, message in self._findings(event, spec):
                yield about(event, code, message)

    def _findings(self, event: Event, spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        active, name = spec.get("activeItemName"), spec.get("reviewItemName")
        if active is not None and active not in self.items:
            yield "unknown-active-item", f"the queue holds no item {active!r}"
        if name is not None and name not in self.items:
            yield "unknown-review-item", f"the queue holds no item {name!r}"
        item = self.items.get(name if name is not None else active or "")
        is_repeated = False
        if spec["eventType"] in DECISION_EVENTS:
            is_repeated = self._is_repeated(spec)
            if not is_repeated:
                found = list(self._decision(event, spec, item))
                yield from found
                self._sound[name] = None if found else spec
        candidate = spec.get("candidateId")
        if is_repeated:
            pass
        elif candidate is not None and item is not None and not _holds(item, candidate):
            yield "unknown-candidate", f"the item has no candidate {candidate!r}"
        if self.completed is not None and host_stamp(event) is not None:
            sequence = spec["sequence"]
            if is_sequence(sequence) and sequence > self.completed:
                yield "event-after-completion", "the session was completed before this event"
            elif self.open and sequence == self.completed and is_completion(event):
                yield "unresolved-review-item", still_open(self.open)

    def _is_repeated(self, spec: Mapping[str, Any]) -> bool:
        """Whether the decision before on this item was sound and said the same to the letter.

        Every decision is written twice, when it is made and when it is handed in. Edits and
        conditions are always looked at: the last edit counts, and true is not 1.
        """
        before = self._sound.get(spec.get("reviewItemName"))
        return (
            before is not None
            and len(spec.get("data", ())) == 1
            and "workbenchDecision" in spec["data"]
            and all(before.get(member) == spec.get(member) for member in _JUDGED)
        )

    def _decision(
        self, event: Event, spec: Mapping[str, Any], item: Item | None
    ) -> Iterator[tuple[str, str]]:
        if "reviewItemName" not in spec:
            yield "missing-review-item", "a decision is about an item"
        data = spec.get("data", {})
        if data.get("workbenchDecision", "") is None:
            if not _same_stamp(data.get("sessionConditions", self.stamp), self.stamp):
                yield "session-conditions-mismatch", "the event was made under other conditions"
            return
        kind = kind_of(data.get("workbenchDecision"))
        if kind is None:
            yield "invalid-workbench-decision", "the event names no kind of decision"
            return
        if not _same_stamp(data.get("sessionConditions"), self.stamp):
            yield "session-conditions-mismatch", "the event was made under other conditions"
        if item is not None:
            yield from self._candidate_findings(item, kind, spec.get("candidateId"))
        yield from self._record_findings(event, kind, item)

    def _candidate_findings(
        self, item: Item, kind: Kind, candidate_id: str | None
    ) -> Iterator[tuple[str, str]]:
        if kind.name == CHOICE:
            issue = recordability_issue(item, kind.name, candidate_id)
            if issue is not None:
                yield issue.code, issue.message
            return
        expected = self._expected(item, kind)
        if isinstance(expected, Issue):
            yield expected.code, expected.message
        elif candidate_id != expected and (candidate_id is None or _holds(item, candidate_id)):
            named = "no candidate" if expected is None else repr(expected)
            yield "decision-candidate-mismatch", f"{kind.name} names {named} on this item"

    def _expected(self, item: Item, kind: Kind) -> Issue | str | None:
        """The candidate that ``kind`` names on ``item``, asked once for its two events."""
        only = only_candidate(item, kind.name)
        if only is not None:
            return str(only["id"])
        key = (item_name(item), kind.name)
        if key not in self._known:
            issue = recordability_issue(item, kind.name)
            holders = [one["id"] for one in candidates_of(item) if one.get("role") == kind.role]
            named = holders[0] if len(holders) == 1 else None
            self._known[key] = named if issue is None else issue
        return self._known[key]

    def _record_findings(
        self, event: Event, kind: Kind, item: Item | None
    ) -> Iterator[tuple[str, str]]:
        spec, data = event["spec"], event["spec"].get("data", {})
        if spec.get("status") != kind.status:
            yield "decision-status-mismatch", f"{kind.name} has the status {kind.status}"
        if spec.get("resolution") != kind.resolution:
            message = f"{kind.name} has the resolution {kind.resolution or 'none'}"
            yield "decision-resolution-mismatch", message
        is_edit = kind.name == "accept-proposed" and "workbenchEditedValue" in data
        if is_edit and item and self.final.get(spec.get("reviewItemName", "")) is event:
            checked = check_edited_value(item, data["workbenchEditedValue"])
            if isinstance(checked, Issue):
                yield checked.code, checked.message
        if kind.resolution is not None and not has_content(spec.get("resolutionReason", "")):
            yield "missing-resolution-reason", "could-not-confirm says why"


def _holds(item: Item, candidate_id: str) -> bool:
    return any(one["id"] == candidate_id for one in candidates_of(item))


def _same_stamp(carried: object, stamp: object) -> bool:
    """Equality of JSON data; true is never 1, and null counts as absent."""
    if isinstance(carried, dict) and isinstance(stamp, dict):
        return carried.keys() == stamp.keys() and all(
            _same_stamp(carried[name], stamp[name]) for name in carried
        )
    return carried == stamp and isinstance(carried, bool) == isinstance(stamp, bool)
