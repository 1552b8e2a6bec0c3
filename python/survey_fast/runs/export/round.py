"""A run's round, taken as far as a bundle: what leaves it, what stays, and why.

1. Names and times come from the run: the bundle is named after it, and is as new as its newest
   event. No clock is read.
2. Claims are told with the state of their field, over all fields that the task asked for.
3. A recheck compares two extractions, so its claims carry no reviewed evidence, and nothing in
   the run attests its prior side or which items it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias

from survey_fast.errors import SurveyError, refusal
from survey_fast.review.decision_record import decision_record
from survey_fast.review.decisions import Item, item_name
from survey_fast.review.fold import Fold
from survey_fast.review.results import result_record
from survey_fast.review.state import conditions_stamp
from survey_fast.review.stream import Event
from survey_fast.rounds import DerivedImport
from survey_fast.runs.agreement import RAISED
from survey_fast.runs.export.attribution import require_attribution
from survey_fast.runs.export.exclusions import Projecting, projected, require_resolvable
from survey_fast.runs.opened import Metadata
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.export_scope import attributed_decisions, deciding_events, export_scope
from survey_fast.trust.reviewed_export import (
    ReviewedExport,
    ReviewedImport,
    UnevaluatedReason,
    export_reviewed_bundle,
    read_reviewed_import,
)
from survey_fast.trust.session_export import newest_event_time
from survey_fast.trust.settled import Settled, lost_fields, settled_items, settled_of_derived

__all__ = [
    "NOT_ATTESTED",
    "DecidedRound",
    "Reviewed",
    "RoundExport",
    "decided_round",
    "export_decided",
    "export_round",
    "is_recheck",
    "read_origin",
    "require_no_lost_field",
]

Record: TypeAlias = Mapping[str, Any]
NOT_ATTESTED: Final = ("prior-side", "item-set")
"""What of a recheck nothing in its run attests."""


@dataclass(frozen=True, slots=True)
class RoundExport:
    """What of a round can leave it.

    Attributes:
        export: the bundle, and how its claims stand.
        settled: the items in it, their results, and what was left out.
        scope: the ``reviewRound`` of the document.
        generated_at: the time of the newest event.
    """

    export: ReviewedExport
    settled: Settled
    scope: dict[str, Any]
    generated_at: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What of a run its bundle is made of. Whoever drops the run itself holds no text of it.

    Attributes:
        resource: names the run.
        created_at: when it was made.
        revision: the token of its history.
        is_recheck: whether the round compares two extractions.
        snapshot: the base snapshot.
        outline: the same, as far as a history is judged by it.
        events: the history.
    """

    resource: str
    created_at: str
    revision: str
    is_recheck: bool
    snapshot: Mapping[str, Any]
    outline: Mapping[str, Any]
    events: Sequence[Event]

    @classmethod
    def of(cls, run: Metadata) -> Self:
        """That of a run which was opened."""
        return cls(
            resource=run.manifest.resource,
            created_at=run.manifest.created_at,
            revision=run.revision,
            is_recheck=is_recheck(run),
            snapshot=run.state,
            outline=run.outline,
            events=run.log.events,
        )


@dataclass(frozen=True, slots=True)
class DecidedRound:
    """What a round came to. Of its history no more is held than the events that decided.

    Attributes:
        resource: names the run.
        generated_at: the time of the newest event; when there is none, when the run was made.
        revision: the token of its history.
        is_recheck: whether the round compares two extractions.
        queue: its items.
        results: the results of those that are decided.
        deciding: the event that decided each.
        event_count: how many events its history has.
    """

    resource: str
    generated_at: str
    revision: str
    is_recheck: bool
    queue: Sequence[Item]
    results: Sequence[Record]
    deciding: Mapping[str, Event]
    event_count: int


def is_recheck(run: Metadata) -> bool:
    """Whether the round compares two extractions."""
    return bool(run.manifest.round["kind"] == "recheck")


def read_origin(run: Metadata, parsed: dict[str, Any] | None = None) -> ReviewedImport:
    """The import of a run, read for evidence.

    Args:
        run: the run.
        parsed: its import record as plain data, if that is at hand.

    Raises:
        EvidenceError: no evidence can rest on it.
    """
    read = read_reviewed_import(run.imported.record_bytes, parsed=parsed, limits=RAISED)
    expected = [
        {name: target[name] for name in target if name != "impactLevel"}
        for target in run.manifest.task.claim_targets().values()
    ]
    return ReviewedImport(
        read.record,
        read.context,
        expected_fields=expected,
        limits=RAISED,
        derived=_derived(run, read.context),
    )


def _derived(run: Metadata, context: RecordContext) -> DerivedImport | None:
    """The import with the items of the queue, which was found to be what it derives."""
    if run.attestation.profile != "jcs":
        return None
    return DerivedImport(
        name=context.name,
        items=run.state["items"],
        slots=context.slots,
        by_slot=context.by_slot,
        of_slot=context.of_slot,
        excluded=sorted(context.excluded),
        is_incomplete=run.outcome["status"] != "success",
        is_unresolved=not context.is_grounded,
        texts=run.agreed.round.item_texts(),
    )


def require_no_lost_field(context: RecordContext) -> None:
    """Refuse an import of which a field has no item left, so that it would be missing silently.

    Raises:
        ExportError: ``EXPORT_EXCERPT_MISMATCH`` with ``details["fieldPaths"]``.
    """
    fields = lost_fields(context)
    if fields:
        message = (
            f"of {fields[0]} no proposal stands at its place in the text, so it has no item and "
            "would be missing without a trace; extract it again"
        )
        raise refusal("EXPORT_EXCERPT_MISMATCH", message, None, {"fieldPaths": fields})


def export_round(run: Reviewed, origin: ReviewedImport) -> RoundExport:
    """Apply a run's history and make a bundle of what it came to.

    Args:
        run: what was reviewed, of a run that was opened.
        origin: its import, from :func:`read_origin`.

    Raises:
        SurveyError: as :func:`decided_round` and :func:`export_decided`.
    """
    return export_decided(decided_round(run), origin)


def decided_round(run: Reviewed) -> DecidedRound:
    """Apply a run's history.

    Raises:
        RunError: ``INVALID_EVENTS``, ``REVIEW_ATTRIBUTION_INVALID``.
        ExportError: ``EXPORT_UNRESOLVABLE_DECISION``.
    """
    results = _results(run)
    deciding = deciding_events(run.events)
    require_attribution(results, deciding)
    queue = run.snapshot["items"]
    require_resolvable(queue, results)
    return DecidedRound(
        resource=run.resource,
        generated_at=newest_event_time(run.events) or run.created_at,
        revision=run.revision,
        is_recheck=run.is_recheck,
        queue=queue,
        results=results,
        deciding=deciding,
        event_count=len(run.events),
    )


def export_decided(run: DecidedRound, origin: ReviewedImport) -> RoundExport:
    """Make a bundle of what a round came to.

    Args:
        run: the round, its history applied.
        origin: its import, from :func:`read_origin`.

    Raises:
        ExportError: when nothing can be exported, the code of the first exclusion;
            ``EXPORT_NOT_PROJECTABLE``, ``EXPORT_INVALID_BUNDLE``.
        EvidenceError: what grounding cannot judge.
    """
    settled = _settled(run.queue, run.results, origin)
    made = _Making(run, "unsupported-review-shape" if run.is_recheck else origin)
    settled, export = projected(run.queue, settled, Projecting(made.together, made.alone))
    scope = export_scope(
        export,
        revision=run.revision,
        event_count=run.event_count,
        excluded=settled.excluded,
        decisions=attributed_decisions(settled.results, export.claim_ids, run.deciding),
    )
    if run.is_recheck:
        scope["notAttested"] = list(NOT_ATTESTED)
    return RoundExport(export, settled, scope, run.generated_at)


def _settled(queue: Sequence[Item], results: Sequence[Record], origin: ReviewedImport) -> Settled:
    if origin.derived is None:
        return settled_items(queue, results, origin.context)
    return settled_of_derived(origin.derived, results)


def _results(run: Reviewed) -> list[Record]:
    """What the history comes to; it was found valid when the run was opened."""
    whole = {item_name(item): item for item in run.snapshot["items"]}
    stamp = conditions_stamp(run.outline)
    results: list[Record] = []
    for outlined, decided in Fold(run.outline).apply(run.events).decided():
        item = whole[item_name(outlined)]
        try:
            decision = decision_record(item, decided, stamp)
        except SurveyError as fault:
            message = f"the events come to a decision that is none: {fault.message}"
            raise refusal("INVALID_EVENTS", message, fault.pointer, fault.details) from None
        results.append(result_record(item, decided, decision))
    return results


class _Making:
    """Rules 1 and 3."""

    def __init__(self, run: DecidedRound, origin: ReviewedImport | UnevaluatedReason) -> None:
        self.source = run.resource
        self.generated_at = run.generated_at
        self.origin = origin

    def together(self, items: Sequence[Item], results: Sequence[Record]) -> ReviewedExport:
        return export_reviewed_bundle(
            source=self.source,
            generated_at=self.generated_at,
            items=items,
            results=results,
            origin=self.origin,
        )

    def alone(self, item: Item, result: Record) -> ReviewedExport:
        # Whether it can be stated is asked, not how well it is grounded.
        return export_reviewed_bundle(
            source=self.source,
            generated_at=self.generated_at,
            items=[item],
            results=[result],
            origin="import-record-missing",
        )
