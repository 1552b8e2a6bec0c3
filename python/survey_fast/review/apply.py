"""Apply: a snapshot and its events become decisions and results, or say why they do not.

In this order, and nothing later is looked at when a step fails:

1. the snapshot is one, and holds no decision that no event accounts for, unless allowed;
2. the queue is the bound one, where a binding is given;
3. the queue is what its extraction import derives, where one is given; where items say that they
   come from an import and none is given, a warning says that nothing was attested;
4. the events are a valid history of the snapshot, all of them or none;
5. as many items are decided as were asked for. Only this step still hands out what there is.

A server derives results here, from its own snapshot and events. It never takes results from a
client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from survey_fast.attest import Attestation, attest_review_queue_extraction
from survey_fast.attest.binding import assert_review_queue_binding
from survey_fast.attest.extraction import carries_import, unrecorded_attestation
from survey_fast.attest.issue import issues_json
from survey_fast.canon import Document, canonical_json, plain_data
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError, UnattestedExtractionQueueError, refusal
from survey_fast.imports import RecordDocument
from survey_fast.limits import DEFAULT, QUEUE, ImportLimits
from survey_fast.review.decision_record import decision_record
from survey_fast.review.decisions import Item, item_name, kind_of
from survey_fast.review.event_warnings import event_warnings
from survey_fast.review.fold import Fold
from survey_fast.review.issues import EventIssue, Warned
from survey_fast.review.modes import decision_mode_issues
from survey_fast.review.replay import history_issues
from survey_fast.review.results import result_record
from survey_fast.review.shape import check_events, check_snapshot, require_json
from survey_fast.review.state import Attribution, Decided, State, conditions_stamp
from survey_fast.review.stream import Event, about

__all__ = [
    "ApplyResult",
    "History",
    "Required",
    "apply_history",
    "check_history",
    "derive_review_session_apply_result",
    "foreign_issues",
    "mode_issues",
    "read_snapshot",
    "require_unseeded",
]

Required: TypeAlias = Literal["none", "any", "all"]
"""How many items must be decided: none has to, at least one, every one."""


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What a history comes to.

    Attributes:
        ok: whether nothing is wrong and as much is decided as was asked for.
        issues: what is wrong, or is left undecided although asked for.
        warnings: what a reader should know all the same.
        unresolved_item_names: items without a result, in queue order.
        replayed_session: the state after the events; ``None`` when they are not valid.
        decisions: one decision for each decided item, in queue order.
        results: likewise, with the values chosen and passed over.
        attributions: by item name, whether a host's stamp says who and when.
        attestation: what is known about the queue and its import.
    """

    ok: bool
    issues: tuple[EventIssue, ...] = ()
    warnings: tuple[Warned, ...] = ()
    unresolved_item_names: tuple[str, ...] = ()
    replayed_session: State | None = None
    decisions: tuple[dict[str, Any], ...] = ()
    results: tuple[dict[str, Any], ...] = ()
    attributions: Mapping[str, Attribution] = field(default_factory=dict)
    attestation: Attestation | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data, wire names."""
        return {
            "ok": self.ok,
            "issues": [issue.to_json() for issue in self.issues],
            "warnings": [warned.to_json() for warned in self.warnings],
            "unresolvedItemNames": list(self.unresolved_item_names),
            "decisions": list(self.decisions),
            "results": list(self.results),
            "attributions": dict(self.attributions),
        }


def read_snapshot(snapshot: Document) -> State:
    """A snapshot as plain data: text is read strictly, plain data is taken as it is.

    Raises:
        JsonError, SessionError: not strict JSON, or not a snapshot.
    """
    if isinstance(snapshot, bytes | bytearray | memoryview | str):
        snapshot = plain_data(canonical_json(snapshot, max_bytes=QUEUE.ceiling))
        if not isinstance(snapshot, dict):
            message = "a snapshot is an object"
            raise refusal("session-malformed", message, "")
    return check_snapshot(snapshot)


def derive_review_session_apply_result(  # noqa: PLR0913 - one argument for each choice
    snapshot: Document,
    events: Sequence[Event],
    *,
    required: Required = "none",
    binding: Document | None = None,
    extraction_import: RecordDocument | None = None,
    allow_seeded: bool = False,
    session_name: str | None = None,
    limits: ImportLimits = DEFAULT,
) -> ApplyResult:
    """Derive decisions and results.

    Args:
        snapshot: the base snapshot, as bytes, text or plain data. With a binding or an import,
            bytes save writing it out again.
        events: the whole history, as plain data.
        required: ``none``, ``any`` or ``all`` items have to be decided.
        binding: the binding taken when the round was opened.
        extraction_import: the import record the items came from.
        allow_seeded: take decisions that the snapshot already holds; they pass the same checks.
        session_name: the session that the binding and every event have to belong to.
        limits: caps of the queue and the import.

    Raises:
        JsonError: a text, or plain data, that is no strict JSON.
        SessionError: ``session-malformed``, ``seeded-snapshot``.
        UnattestedReviewQueueError: the queue is not the bound one.
        UnattestedExtractionQueueError: the queue is not what the import derives.
        TypeError, ValueError: wrong Python types, an unknown ``required``.
    """
    require_json(snapshot, events)
    return apply_history(
        snapshot,
        events,
        required=required,
        binding=binding,
        extraction_import=extraction_import,
        allow_seeded=allow_seeded,
        session_name=session_name,
        limits=limits,
    )


@collector_paused()
def apply_history(  # noqa: PLR0913 - one argument for each choice
    snapshot: Document,
    events: Sequence[Event],
    *,
    required: Required = "none",
    binding: Document | None = None,
    extraction_import: RecordDocument | None = None,
    allow_seeded: bool = False,
    session_name: str | None = None,
    limits: ImportLimits = DEFAULT,
) -> ApplyResult:
    """The same over what was read from strict text, which need not be held to it again."""
    if required not in get_args(Required):
        message = f"required is none, any or all, not {required!r}"
        raise ValueError(message)
    history = check_history(
        snapshot,
        events,
        binding=binding,
        extraction_import=extraction_import,
        allow_seeded=allow_seeded,
        session_name=session_name,
        limits=limits,
    )
    state, attestation = history.state, history.attestation
    names = tuple(item_name(item) for item in state["items"])
    if history.issues:
        return ApplyResult(
            ok=False,
            issues=tuple(history.issues),
            unresolved_item_names=names,
            attestation=attestation,
        )
    warnings = [*event_warnings(state, events), *_attestation_warnings(attestation, names)]
    return _results(state, events, required, warnings, attestation)


@dataclass(frozen=True, slots=True)
class History:
    """A snapshot whose queue was checked, and what is wrong with the events over it."""

    state: State
    issues: Sequence[EventIssue]
    attestation: Attestation


@collector_paused()
def check_history(  # noqa: PLR0913 - as the derivation
    snapshot: Document,
    events: Sequence[Event],
    *,
    binding: Document | None = None,
    extraction_import: RecordDocument | None = None,
    allow_seeded: bool = False,
    session_name: str | None = None,
    limits: ImportLimits = DEFAULT,
) -> History:
    """The first four steps alone. Arguments and refusals are those of the derivation."""
    state = read_snapshot(snapshot)
    if not allow_seeded:
        require_unseeded(state)
    if binding is not None:
        assert_review_queue_binding(binding, snapshot, session_name=session_name, limits=limits)
    attestation = _attested(snapshot, state, extraction_import, limits)
    if attestation.state == "diverges":
        raise UnattestedExtractionQueueError.from_issues(issues_json(attestation.issues))
    issues = [
        *foreign_issues(check_events(events), session_name),
        *_seeded_issues(state),
        *history_issues(state, events),
    ]
    return History(state, issues, attestation)


def foreign_issues(events: Sequence[Event], session_name: str | None) -> list[EventIssue]:
    """Events of another session than the one named; nothing is compared without a name."""
    if session_name is None:
        return []
    message = f"the event is of another session than {session_name!r}"
    return [
        about(event, "session-name-mismatch", message)
        for event in events
        if event["spec"]["sessionName"] != session_name
    ]


def _seeded_issues(state: State) -> list[EventIssue]:
    """Decisions of the snapshot itself that are of no kind; the others are judged when built."""
    return [
        EventIssue("decision-malformed", f"{kind!r} is no kind of decision", name)
        for name, kind in state["decisionsByItemName"].items()
        if kind_of(kind) is None
    ]


def _attested(
    snapshot: Document, state: State, record: RecordDocument | None, limits: ImportLimits
) -> Attestation:
    # Without a record only the items are looked at, which are at hand.
    if record is not None:
        return attest_review_queue_extraction(snapshot, record, limits=limits)
    return unrecorded_attestation(sum(map(carries_import, state["items"])), len(state["items"]))


def require_unseeded(state: State) -> None:
    """Refuse a snapshot that already holds decisions: SessionError (``seeded-snapshot``)."""
    seeded = (
        "decisionsByItemName",
        "editedValuesByItemName",
        "selectedCandidateIdsByItemName",
        "attemptEvidenceIdsByItemName",
    )
    held = [member for member in seeded if state.get(member)]
    if held:
        message = (
            f"the snapshot already holds {', '.join(held)}, which no event accounts for; "
            "start from the bare queue, or allow it"
        )
        raise refusal("seeded-snapshot", message, f"/{held[0]}")


def _attestation_warnings(attestation: Attestation, names: tuple[str, ...]) -> list[Warned]:
    if attestation.state != "unverified":
        return []
    details = {"itemNames": list(names)}
    return [Warned("unverified-extraction-queue", attestation.message, details=details)]


def _results(
    state: State,
    events: Sequence[Event],
    required: Required,
    warnings: list[Warned],
    attestation: Attestation,
) -> ApplyResult:
    fold = Fold(state).apply(events)
    stamp = conditions_stamp(state)
    decisions: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    attributions: dict[str, Attribution] = {}
    issues: list[EventIssue] = []
    for item, one in fold.decided():
        built = _built(item, one, stamp)
        if isinstance(built, EventIssue):
            issues.append(built)
            continue
        decisions.append(built)
        results.append(result_record(item, one, built))
        attributions[item_name(item)] = one.attribution
    unresolved = tuple(name for name in fold.items if name not in attributions)
    issues.extend(_completion_issues(required, unresolved, decided_count=len(results)))
    return ApplyResult(
        ok=not issues,
        issues=tuple(issues),
        warnings=tuple(warnings),
        unresolved_item_names=unresolved,
        replayed_session=fold.state(),
        decisions=tuple(decisions),
        results=tuple(results),
        attributions=attributions,
        attestation=attestation,
    )


def _built(
    item: Item, one: Decided, stamp: Mapping[str, Any] | None
) -> dict[str, Any] | EventIssue:
    """The decision, or why a decision that the snapshot brought along cannot be one."""
    try:
        return decision_record(item, one, stamp)
    except SurveyError as refused:
        return EventIssue(refused.code, refused.message, item_name(item))


def _completion_issues(
    required: Required, unresolved: tuple[str, ...], *, decided_count: int
) -> list[EventIssue]:
    if required == "all":
        message = "this item is not decided yet"
        return [EventIssue("unresolved-review-item", message, name) for name in unresolved]
    if required == "any" and not decided_count:
        return [EventIssue("no-resolved-review-items", "no item is decided yet")]
    return []


def mode_issues(result: ApplyResult, items: Sequence[Item]) -> list[EventIssue]:
    """Results that the producer's decision mode does not take, one finding for each item."""
    by_name = {item_name(item): item for item in items}
    found = []
    for one in result.results:
        name = one["reviewItemName"]
        issues = decision_mode_issues(by_name[name], one)
        if issues:
            found.append(EventIssue("decision-mode-violation", issues[0].message, name))
    return found
