"""Warnings about a valid history: edits converted or superseded, a completion that came early."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from survey_fast.attest import Issue
from survey_fast.review.decisions import Item, item_name
from survey_fast.review.edits import check_edited_value
from survey_fast.review.issues import Warned
from survey_fast.review.open_items import open_before, still_open
from survey_fast.review.shape import DECISION_EVENTS
from survey_fast.review.state import State
from survey_fast.review.stream import Event, completion, final_decisions

__all__ = ["event_warnings"]


def event_warnings(snapshot: State, events: Sequence[Event]) -> list[Warned]:
    """What a reader of a valid stream should know, in the order of the stream."""
    items = {item_name(item): item for item in snapshot["items"]}
    final: Mapping[str, Event] | None = None
    completed = completion(events, stamped=False)
    # The completion of a host was judged with the events; those of others are only told about.
    is_others = completed is not None and completed != completion(events, stamped=True)
    still = open_before(snapshot, events, completed) if completed is not None and is_others else []
    warned: list[Warned] = []
    for event in events:
        spec = event["spec"]
        if still and spec["sequence"] == completed:
            details = {"itemNames": still}
            warned.append(_warning(event, "unresolved-review-item", still_open(still), details))
        if completed is not None and spec["sequence"] > completed:
            message = "this event follows the completion of the session"
            warned.append(_warning(event, "event-after-completion", message))
        data = spec.get("data", {})
        if data.get("workbenchDecision") != "accept-proposed" or "workbenchEditedValue" not in data:
            continue
        item = items.get(spec.get("reviewItemName", ""))
        if item is not None and spec["eventType"] in DECISION_EVENTS:
            final = final_decisions(events) if final is None else final
            is_final = final.get(item_name(item)) is event
            warned.extend(
                _edit_warning(event, item, data["workbenchEditedValue"], is_final=is_final)
            )
    return warned


def _edit_warning(
    event: Event,
    item: Item,
    carried: Any,  # noqa: ANN401 - any JSON value
    *,
    is_final: bool,
) -> Iterator[Warned]:
    checked = check_edited_value(item, carried)
    if isinstance(checked, Issue):
        if not is_final:
            message = "an earlier edit of this item was refused, and a later decision replaced it"
            details = {"refusedCode": checked.code, "editedValue": carried}
            yield _warning(event, "superseded-edited-value-refused", message, details)
    elif checked.converted:
        message = "the edit was text and is stored as a value of the item's type"
        details = {"originalValue": carried, "convertedValue": checked.value}
        yield _warning(event, "edited-value-converted-from-text", message, details)


def _warning(
    event: Event, code: str, message: str, details: dict[str, Any] | None = None
) -> Warned:
    spec = event["spec"]
    return Warned(
        code,
        message,
        event["metadata"]["name"],
        spec["sequence"],
        spec.get("reviewItemName"),
        details,
    )
