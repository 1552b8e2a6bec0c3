"""Deciding: requests for one item or many become one append to a session.

1. A request names an item, or a field that exactly one item is about; a decision kind, or null
   to take the decision back; and what goes with it.
2. An item that is decided is decided again only when that was asked for, or passed over where
   that was. What an earlier line of the same batch decided is passed over by no later one.
3. Each good request becomes its events: note, decision changed, decision submitted. A note that
   is given is written, an empty one too: it takes the place of the note that stands. A batch is
   validated once and written once, all of it or none; where bad lines may be passed over, the
   good ones still make one append.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from survey_fast.attest import Issue
from survey_fast.canon.text import has_content
from survey_fast.errors import SurveyError, refusal
from survey_fast.limits import NOTE
from survey_fast.review.decisions import CHOICE, KINDS, SHORT_WORDS, Item, item_name
from survey_fast.review.edits import check_edited_value
from survey_fast.review.events import (
    EventWriter,
    Parts,
    clear_event_parts,
    decision_event_parts,
)
from survey_fast.review.fold import Fold
from survey_fast.review.shape import require_json
from survey_fast.review.state import ABSENT, Decided, State, conditions_stamp

__all__ = ["Batch", "DecideRequest", "Outcome", "read_request"]

_MEMBERS: Final = frozenset(
    {"item", "field", "decision", "candidateId", "note", "editedValue", "attemptEvidenceIds"}
)


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """One request, checked for its structure.

    Attributes:
        item: the item's name, or ``None`` where ``field`` names it.
        field: the target of exactly one item.
        kind: the decision kind, or ``None`` to take the decision back.
        candidate_id: the chosen candidate.
        note: the note, ``""`` to take the one that stands away, or ``None`` to leave it.
        edited_value: the edit, JSON null included, or ABSENT.
        attempt_evidence_ids: what could-not-confirm was tried on.
    """

    item: str | None
    field: str | None
    kind: str | None
    candidate_id: str | None = None
    note: str | None = None
    edited_value: Any = ABSENT
    attempt_evidence_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one request: done, passed over, or refused and why."""

    line: int
    item: str | None
    error: SurveyError | None = None
    is_skipped: bool = False

    @property
    def ok(self) -> bool:
        """Whether the request was taken."""
        return self.error is None

    def to_json(self) -> dict[str, Any]:
        """``{line, ok, item, skipped?, error?}``."""
        body: dict[str, Any] = {"line": self.line, "ok": self.ok, "item": self.item}
        if self.is_skipped:
            body["skipped"] = True
        return body if self.error is None else body | {"error": self.error.to_json()}


def _malformed(message: str, pointer: str) -> SurveyError:
    return refusal("decision-malformed", message, pointer)


def read_request(request: object) -> DecideRequest:
    """A request from one line of plain data.

    Raises:
        JsonError: what no line of a log can hold.
        DecisionError: ``decision-malformed`` with a pointer into the line.
    """
    if not isinstance(request, dict):
        message = "a decision is an object"
        raise _malformed(message, "")
    require_json(request)
    for member in request:
        if member not in _MEMBERS:
            message = f"a decision has no member {member}"
            raise _malformed(message, f"/{member}")
    if ("item" in request) == ("field" in request):
        message = "a decision names an item or a field, one of the two"
        raise _malformed(message, "")
    for member in ("item", "field", "candidateId", "note"):
        value = request.get(member, "")
        if not isinstance(value, str) or len(value.encode()) > NOTE:
            message = f"{member} is a string of at most {NOTE} bytes"
            raise _malformed(message, f"/{member}")
    attempts = request.get("attemptEvidenceIds", [])
    if not isinstance(attempts, list) or not all(isinstance(one, str) for one in attempts):
        message = "attemptEvidenceIds is an array of strings"
        raise _malformed(message, "/attemptEvidenceIds")
    for place, attempt in enumerate(attempts):
        if not has_content(attempt):
            message = "what was tried is named by an id that is not blank; leave it out otherwise"
            raise _malformed(message, f"/attemptEvidenceIds/{place}")
    return DecideRequest(
        item=request.get("item"),
        field=request.get("field"),
        kind=_kind(request),
        candidate_id=request.get("candidateId"),
        note=request.get("note"),
        edited_value=request.get("editedValue", ABSENT),
        attempt_evidence_ids=tuple(attempts),
    )


def _kind(request: Mapping[str, Any]) -> str | None:
    if "decision" not in request:
        message = "a decision names its kind, or null to take one back"
        raise _malformed(message, "/decision")
    word = request["decision"]
    kind = SHORT_WORDS.get(word, word) if isinstance(word, str) else None
    if word is not None and kind not in KINDS:
        message = f"a decision is one of {', '.join(SHORT_WORDS)}, or null to take one back"
        raise _malformed(message, "/decision")
    for member, kinds in _BELONGS.items():
        if member in request and kind not in kinds:
            words = (word for word, one in SHORT_WORDS.items() if one in kinds)
            message = f"{member} goes with {' and '.join(words)} only"
            raise _malformed(message, f"/{member}")
    return kind


_BELONGS: Final = {
    "candidateId": {CHOICE},
    "editedValue": {"accept-proposed"},
    "attemptEvidenceIds": {"could-not-confirm"},
}


class Batch:
    """Requests against one state, becoming the events of one append.

    Args:
        state: the base snapshot.
        fold: the state now, after a validated history.
        replace_decided: decide items again that are decided.
        skip_decided: pass over those that were decided before the batch.
    """

    def __init__(
        self,
        state: State,
        fold: Fold,
        *,
        replace_decided: bool = False,
        skip_decided: bool = False,
    ) -> None:
        self._fold = fold
        self._stamp = conditions_stamp(state)
        self._replace = replace_decided
        self._decided = set(fold.kinds)
        self._earlier = set(fold.kinds) if skip_decided else set()
        self._notes = dict(fold.notes)
        self._items: Sequence[Item] = state["items"]
        self.parts: list[Parts] = []
        self.outcomes: list[Outcome] = []

    @cached_property
    def _by_field(self) -> Mapping[str, Sequence[Item]]:
        """The items about each field; only requests that name a field ask for it."""
        found: dict[str, list[Item]] = {}
        for item in self._items:
            found.setdefault(item["spec"]["target"], []).append(item)
        return found

    def take(self, line: int, request: object) -> Outcome:
        """Take one line; its outcome says whether it was taken."""
        name: str | None = None
        try:
            asked = read_request(request)
            name = asked.item
            item = self._item(asked)
            name = item_name(item)
            is_skipped = asked.kind is not None and name in self._earlier
            parts = [] if is_skipped else self._parts(item, asked)
        except SurveyError as refused:
            outcome = Outcome(line, name, refused)
        else:
            if not is_skipped:
                self._accept(name, asked)
                self.parts.extend(parts)
            outcome = Outcome(line, name, is_skipped=is_skipped)
        self.outcomes.append(outcome)
        return outcome

    def _item(self, asked: DecideRequest) -> Item:
        if asked.item is not None:
            item = self._fold.items.get(asked.item)
            if item is not None:
                return item
            message = f"the queue holds no item {asked.item!r}"
            raise refusal("unknown-review-item", message, "/item")
        found = self._by_field.get(asked.field or "", [])
        if len(found) == 1:
            return found[0]
        message = (
            f"{len(found)} items are about the field {asked.field!r}; name the item"
            if found
            else f"no item is about the field {asked.field!r}"
        )
        raise refusal("unknown-review-item", message, "/field")

    def _parts(self, item: Item, asked: DecideRequest) -> list[Parts]:
        name = item_name(item)
        if asked.kind is None:
            if name not in self._decided:
                message = f"{name!r} has no decision to take back"
                raise refusal("decision-not-recordable", message, "/decision")
            return [*self._note(name, asked), clear_event_parts(item, self._stamp)]
        if name in self._decided and not self._replace:
            message = f"{name!r} is decided already"
            raise refusal("ALREADY_DECIDED", message, "/item")
        edited = asked.edited_value
        if edited is not ABSENT:
            checked = check_edited_value(item, edited)
            if isinstance(checked, Issue):
                raise refusal(checked.code, checked.message, "/editedValue")
            edited = checked.value
        decision = Decided(
            kind=asked.kind,
            note=asked.note or "",
            actor_id="",
            decided_at="",
            candidate_id=asked.candidate_id,
            edited_value=edited,
            attempt_evidence_ids=asked.attempt_evidence_ids,
            reason=self._reason(name, asked),
        )
        # The builder writes notes that say something; an empty one is written here.
        emptied = self._note(name, asked) if asked.note == "" else []
        return [*emptied, *decision_event_parts(item, decision, self._stamp)]

    def _accept(self, name: str, asked: DecideRequest) -> None:
        """Later lines are judged by what this one does."""
        if asked.note is not None:
            self._notes[name] = asked.note
        if asked.kind is None:
            self._decided.discard(name)
            self._earlier.discard(name)
        else:
            self._decided.add(name)

    def _note(self, name: str, asked: DecideRequest) -> list[Parts]:
        if asked.note is None:
            return []
        return [("note-changed", {"reviewItemName": name, "rationale": asked.note})]

    def _reason(self, name: str, asked: DecideRequest) -> str | None:
        """An earlier note is reason enough where the request brings none, not even an empty one."""
        if asked.kind != "could-not-confirm" or asked.note is not None:
            return None
        return self._notes.get(name, "")

    def events(self, writer: EventWriter) -> list[dict[str, Any]]:
        """The events of every request that was taken, numbered after the history."""
        return [writer.write(parts) for parts in self.parts]


def take_all(batch: Batch, requests: Iterable[object]) -> Sequence[Outcome]:
    """Take every request; lines count from 1."""
    return [batch.take(line, request) for line, request in enumerate(requests, 1)]
