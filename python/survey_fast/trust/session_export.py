"""A session becomes a trust bundle.

1. The session is applied first: queue, binding, import and history have to be in order.
2. A score-blind round gives out nothing before it is completed, since a bundle holds scores
   (``scores-withheld``).
3. What cannot be exported is left out and listed, item by item. When nothing is left, the first
   reason is the refusal.
4. A field whose every proposal lacks its words has no item and could not be listed. Then the whole
   export is refused (``EXPORT_EXCERPT_MISMATCH``), so that no export looks complete without it.
5. The time of the export is that of the newest event, and its name is derived from the session's
   name and queue: the same session gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from survey_fast.attest import Attestation
from survey_fast.canon import Json, canonical_json, sha256_hex
from survey_fast.canon.collector import collector_paused
from survey_fast.errors import ExportError, SessionError, SurveyError, refusal
from survey_fast.review.conditions import is_score_withheld
from survey_fast.review.decisions import Item, item_name
from survey_fast.review.session_file import SessionDocument
from survey_fast.review.stream import Event
from survey_fast.trust.export_scope import attributed_decisions, export_document, export_scope
from survey_fast.trust.instants import Instant, instant, is_date_time
from survey_fast.trust.reviewed_export import (
    ReviewedExport,
    export_reviewed_bundle,
    read_reviewed_import,
)
from survey_fast.trust.settled import Exclusion, lost_fields, settled_items

__all__ = ["SessionExport", "export_session", "newest_event_time", "session_resource"]

_DIGITS: Final = 16
_ANY_TIME: Final = "2026-01-01T00:00:00Z"
"""Of a bundle that is thrown away."""


@dataclass(frozen=True, slots=True)
class SessionExport:
    """The export of a session.

    Attributes:
        export: the bundle and how its claims stand.
        items: the items that are in it.
        source: the name of the round in the bundle.
        generated_at: the time of its newest event.
        excluded: what was left out.
        scope: the same as the ``reviewRound`` of a document.
        attestation: what is known about the queue and its import.
    """

    export: ReviewedExport
    items: Sequence[Item]
    source: str
    generated_at: str
    excluded: Sequence[Exclusion]
    scope: dict[str, Any]
    attestation: Attestation | None

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out and no verified claim was refused."""
        return not self.excluded and not self.export.refused

    def document(self) -> dict[str, Any]:
        """The ReviewedExport around the bundle."""
        return export_document(self.export, self.scope)


@collector_paused()
def export_session(document: SessionDocument, *, allow_seeded: bool = False) -> SessionExport:
    """Export what is decided in a session.

    Args:
        document: a session that was loaded with its history.
        allow_seeded: take decisions that the snapshot already holds.

    Raises:
        SessionError: ``seeded-snapshot``, ``scores-withheld``, or the first finding in the history.
        UnattestedReviewQueueError, UnattestedExtractionQueueError: the queue is another one.
        ExportError: ``EXPORT_EXCERPT_MISMATCH``; when nothing can be exported, the code of the
            first exclusion, with all of them in ``details["excluded"]``; and as
            export_reviewed_bundle raises.
        SurveyError: as export_reviewed_bundle raises; the pointer leads into the session, and
            ``details["reviewItemName"]`` names the item.
    """
    applied = document.apply(allow_seeded=allow_seeded)
    if applied.issues:
        raise SessionError.from_issues([issue.to_json() for issue in applied.issues])
    if is_score_withheld(document.state, document.events):
        message = (
            "this round is score-blind and not over; complete it once everything is decided, "
            "and then export it"
        )
        raise refusal("scores-withheld", message, "")
    record = document.extraction_import
    origin = None if record is None else read_reviewed_import(record, limits=document.limits)
    if origin is not None:
        _require_no_lost_field(lost_fields(origin.context))
    context = None if origin is None else origin.context
    queue = document.state["items"]
    try:
        settled = settled_items(queue, applied.results, context)
    except SurveyError as refused:
        raise _placed(refused, queue, queue, applied.results) from None
    if not settled.items:
        raise _nothing_left(settled.excluded)
    source = session_resource(document)
    generated_at = newest_event_time(document.events) or document.state["reviewedAt"]
    try:
        export = export_reviewed_bundle(
            source=source,
            generated_at=generated_at,
            items=settled.items,
            results=settled.results,
            origin=origin or "import-record-missing",
        )
    except SurveyError as refused:
        raise _placed(refused, queue, settled.items, settled.results) from None
    scope = export_scope(
        export,
        revision=document.revision,
        event_count=len(document.events),
        excluded=settled.excluded,
        decisions=attributed_decisions(settled.results, export.claim_ids, document.events),
    )
    return SessionExport(
        export=export,
        items=settled.items,
        source=source,
        generated_at=generated_at,
        excluded=settled.excluded,
        scope=scope,
        attestation=applied.attestation,
    )


def session_resource(document: SessionDocument) -> str:
    """What a session is called in a bundle; the same whichever of its two forms it is stored in."""
    named: Json = [document.name, sha256_hex(document.snapshot)]
    return f"survey-fast-session:v1:{sha256_hex(canonical_json(named))[:_DIGITS]}"


def newest_event_time(events: Sequence[Event]) -> str | None:
    """The latest instant at which an event happened, as it is written there."""
    newest: tuple[Instant, str] | None = None
    last = ""
    for event in events:
        text = event["spec"]["occurredAt"]
        if text == last or not is_date_time(text):
            continue
        # Events of one append share their time.
        last = text
        at = instant(text)
        if at is not None and (newest is None or at > newest[0]):
            newest = at, text
    return None if newest is None else newest[1]


def _placed(
    refused: SurveyError, queue: Sequence[Item], items: Sequence[Item], results: Sequence[Any]
) -> SurveyError:
    """A refusal of some items, pointing into the session that holds them; it names the item.

    What was made of an item stands in no file, so what is wrong with it is told of the item whole.
    """
    if isinstance(refused, ExportError):
        return refused
    pointer, message = refused.pointer or "", refused.message
    name, rest = _at_item(pointer, items)
    if name is None:
        name = _culprit(items, results)
        member = pointer.rpartition("/")[2]
        message = f"{member}: {message}" if member.isalpha() else message
    if name is None:
        return refused
    at = next(at for at, item in enumerate(queue) if item_name(item) == name)
    details = {"reviewItemName": name, **refused.details}
    return refusal(refused.code, message, f"/snapshot/items/{at}{rest}", details)


def _at_item(pointer: str, items: Sequence[Item]) -> tuple[str | None, str]:
    """The item that a pointer leads into, if it leads into one, and where in it."""
    kind, _, rest = pointer.removeprefix("/").partition("/")
    at, slash, inner = rest.partition("/")
    if kind != "items" or not at.isdigit():
        return None, ""
    name = items[int(at)].get("metadata", {}).get("name")
    return name if isinstance(name, str) else None, slash + inner


def _culprit(items: Sequence[Item], results: Sequence[Any]) -> str | None:
    """The first item of which not even a bundle of its own can be made."""
    for item, result in zip(items, results, strict=False):
        try:
            export_reviewed_bundle(
                source="session",
                generated_at=_ANY_TIME,
                items=[item],
                results=[result],
                origin="import-record-missing",
            )
        except SurveyError:
            return item_name(item)
    return None


def _require_no_lost_field(fields: Sequence[str]) -> None:
    if fields:
        message = (
            f"of {fields[0]!r} no proposal stands at its place in the text, so it has no item and "
            "would be missing without a trace; extract it again"
        )
        raise refusal("EXPORT_EXCERPT_MISMATCH", message, None, {"fieldPaths": list(fields)})


def _nothing_left(excluded: Sequence[Exclusion]) -> SurveyError:
    listed = [one.to_json() for one in excluded]
    if not excluded:
        return refusal("EXPORT_NOT_PROJECTABLE", "the queue holds no item to export")
    codes = ", ".join(dict.fromkeys(one.code for one in excluded))
    message = f"nothing of this round can be exported ({codes}); decide items first"
    return refusal(excluded[0].code, message, None, {"excluded": listed})
