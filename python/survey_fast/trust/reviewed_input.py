"""The canonical way from review results to a survey input.

1. Refused before any item is looked at, in this order: a blank source, a time that is none, a
   context id that is none, items without names of their own, results without items of their own,
   more or fewer of these than of those, an item without a result. A carried decision counts as the
   result of its item.
2. Then item by item: result against item (:mod:`survey_fast.trust.reviewed_item`) or carried
   decision against item (:mod:`survey_fast.trust.carried`), and the records that come of it
   (:mod:`survey_fast.trust.reviewed_records`).
3. Field states are derived from the imports that are given and from these very decisions. They are
   metadata of claims and never change a status.

Values, producer blocks and authorizing blocks are shared with what was given, not copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from survey_fast.canon import Document, canonical_json, plain_data
from survey_fast.canon.arguments import mapping_argument, sequence_argument, text_argument
from survey_fast.canon.collector import collector_paused
from survey_fast.canon.document import require_plain
from survey_fast.canon.text import has_content
from survey_fast.errors import refusal
from survey_fast.rounds import FieldState, derive_field_states
from survey_fast.rounds.shape import FIELD_STATES, inside
from survey_fast.trust.carried import CarriedDecision, carried_item, read_carried
from survey_fast.trust.instants import is_date_time
from survey_fast.trust.projection.identities import require_context_id
from survey_fast.trust.review_shape import ITEM, RESULT
from survey_fast.trust.reviewed_item import Reviewed, reviewed
from survey_fast.trust.reviewed_records import CARRIED_KEY, ReviewedRecords
from survey_fast.trust.rules import Rule, require_all

__all__ = ["build_canonical_reviewed_trust_input", "reviewed_trust_input"]

Record: TypeAlias = Mapping[str, Any]
_FIELD_STATE_INPUT: Final = ("imports", "verifications", "supersessions", "carryForwards")


@collector_paused()
def build_canonical_reviewed_trust_input(  # noqa: PLR0913 - one argument for each fact
    *,
    source: str,
    generated_at: str,
    projection_context_id: str,
    items: Document | Sequence[Record],
    results: Document | Sequence[Record],
    field_states: Mapping[str, Any] | None = None,
    carried: Sequence[Record] = (),
) -> dict[str, Any]:
    """Build the survey input of a reviewed batch.

    Args:
        source: whose input it is.
        generated_at: when it is made, as an instant.
        projection_context_id: names the projection that will be made of it.
        items: the review items, plain data or the document of an array. Plain data is held to
            what strict JSON text can say.
        results: the result of every item that was reviewed in this round, likewise.
        field_states: ``{imports, verifications?, supersessions?, carryForwards?}``, the arguments
            of ``derive_field_states``. What was carried is added to its carry-forwards.
        carried: ``{record, priorDecision}`` for every item whose decision was carried.

    Returns:
        ``{projectionContextId, surveyInput}`` as plain data.

    Raises:
        SurveyError: a fault of shape, by a code of :mod:`survey_fast.trust.rules`; the pointer
            leads into ``{items, results, carried, fieldStates}``.
        ProjectionError: the first of the rules that is not met, each under its own code.
        QueueError: ``ambiguous-item-identity``, ``ambiguous-candidate-identity``.
        DecisionError, RoundError: a decision or a carry-forward that is none.
        TypeError: wrong Python types.
    """
    return reviewed_trust_input(
        source=source,
        generated_at=generated_at,
        projection_context_id=projection_context_id,
        items=items,
        results=results,
        field_states=field_states,
        carried=carried,
        is_plain=False,
    )


def reviewed_trust_input(  # noqa: PLR0913 - one argument for each fact
    *,
    source: str,
    generated_at: str,
    projection_context_id: str,
    items: Document | Sequence[Record],
    results: Document | Sequence[Record],
    field_states: Mapping[str, Any] | None = None,
    carried: Sequence[Record] = (),
    is_plain: bool = True,
    are_settled: bool = False,
) -> dict[str, Any]:
    """The same for who knows more of what is given.

    Args:
        source: as there.
        generated_at: as there.
        projection_context_id: as there.
        items: as there.
        results: as there.
        field_states: as there.
        carried: as there.
        is_plain: items and results are known to be plain JSON data.
        are_settled: items are known to be derived of an import, and results to be what a history
            over them came to; the shapes of both were judged.
    """
    if not has_content(text_argument("source", source)):
        message = "reviewed input names its source"
        raise refusal("reviewed-source-blank", message, "/source")
    if not is_date_time(text_argument("generated_at", generated_at)):
        message = "the time of generation is a date, T, a time of day, and Z or an offset"
        raise refusal("reviewed-generated-at-invalid", message, "/generatedAt")
    require_context_id(projection_context_id)
    listed = _listed("items", items, None if are_settled else ITEM, is_plain=is_plain)
    _require_distinct_items(listed)
    told = _listed("results", results, None if are_settled else RESULT, is_plain=is_plain)
    by_name = _by_item(told)
    brought = read_carried(carried)
    _require_all(listed, by_name, brought)
    states = {} if field_states is None else _field_states(field_states, told, brought)
    records = ReviewedRecords(source, generated_at)
    for at, item in enumerate(listed):
        name = item["metadata"]["name"]
        pointer = f"/items/{at}"
        if name in by_name:
            place, result = by_name[name]
            one = reviewed(item, result, f"/results/{place}")
        else:
            one = carried_item(item, brought[name], pointer)
        state = states.get(name)
        records.add(one, pointer, _metadata(one, state), _qualifiers(state))
    return {"projectionContextId": projection_context_id, "surveyInput": records.survey_input()}


def _listed(name: str, given: object, rule: Rule | None, *, is_plain: bool) -> Sequence[Record]:
    """The records of an array, each of the right shape where that is not known."""
    with inside(f"/{name}"):
        if isinstance(given, bytes | bytearray | memoryview | str):
            given = plain_data(canonical_json(given))
            if not isinstance(given, list):
                message = "an array belongs here"
                raise refusal("missing-array", message, "")
        elif not is_plain:
            require_plain([*sequence_argument(name, given)])
    records = sequence_argument(name, given)
    if rule is not None:
        require_all(rule, records, f"/{name}")
    return records


def _require_distinct_items(items: Sequence[Record]) -> None:
    names: set[str] = set()
    for at, item in enumerate(items):
        name = item["metadata"]["name"]
        if name in names:
            message = f"two items are called {name!r}"
            raise refusal("ambiguous-item-identity", message, f"/items/{at}/metadata/name")
        names.add(name)


def _by_item(results: Sequence[Record]) -> dict[str, tuple[int, Record]]:
    found: dict[str, tuple[int, Record]] = {}
    for at, result in enumerate(results):
        name = result["reviewItemName"]
        if name in found:
            message = f"two results are about {name!r}"
            raise refusal("ambiguous-result-identity", message, f"/results/{at}/reviewItemName")
        found[name] = (at, result)
    return found


def _require_all(
    items: Sequence[Record],
    results: Mapping[str, tuple[int, Record]],
    carried: Mapping[str, CarriedDecision],
) -> None:
    for name in carried:
        if name in results:
            message = f"{name!r} has both a result and a carried decision"
            raise refusal("ambiguous-result-identity", message, "/carried")
    count = len(results) + len(carried)
    if count != len(items):
        message = f"there are {len(items)} items, and {count} results and carried decisions"
        raise refusal("reviewed-count-mismatch", message, "/results")
    for at, item in enumerate(items):
        name = item["metadata"]["name"]
        if name not in results and name not in carried:
            message = f"{name!r} has neither a result nor a carried decision"
            raise refusal("reviewed-result-missing", message, f"/items/{at}")


def _field_states(
    given: Mapping[str, Any],
    results: Sequence[Record],
    carried: Mapping[str, CarriedDecision],
) -> dict[str, FieldState]:
    """The field state of every item that came from one of the imports, by item name."""
    members = mapping_argument("field_states", given)
    FIELD_STATES.close(members, "/fieldStates", _FIELD_STATE_INPUT)
    FIELD_STATES.require(members, "/fieldStates", ("imports",))
    carry_forwards = [*sequence_argument("carryForwards", members.get("carryForwards", ()))]
    known = {_id_of(record) for record in carry_forwards}
    carry_forwards += [record for record, _ in carried.values() if record.id not in known]
    states = derive_field_states(
        members["imports"],
        decisions=[result["reviewDecision"] for result in results],
        verifications=members.get("verifications", ()),
        supersessions=members.get("supersessions", ()),
        carry_forwards=carry_forwards,
    )
    return {state.review_item_name: state for state in states if state.review_item_name is not None}


def _id_of(record: object) -> object:
    found = record.get("id") if isinstance(record, dict) else getattr(record, "id", None)
    return found if isinstance(found, str) else None


def _metadata(one: Reviewed, state: FieldState | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {} if state is None else state.claim_metadata()
    if one.carried is not None:
        metadata[CARRIED_KEY] = {
            "schemaVersion": 1,
            "recordId": one.carried.record_id,
            "priorDecision": {"name": one.carried.name, "digest": one.carried.digest},
            "value": one.value,
        }
    return metadata


def _qualifiers(state: FieldState | None) -> dict[str, str] | None:
    """Where a row of a list stands in it; rows of a list are claims of their own."""
    indices = None if state is None else state.slot.path_indices
    return {"pathIndices": ".".join(map(str, indices))} if indices else None
