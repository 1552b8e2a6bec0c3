"""What state every claim of a run is in, read without its prepared text.

Each item is one of these:

- ``undecided``: nobody decided it;
- ``excluded``: it was decided, and an export would leave it out; ``codes`` say why;
- ``grounding-refused``: a review verified it, and its evidence does not carry it; ``gaps`` say why;
- ``reviewed``: anything else that was decided, a rejection included.

Nothing that an export refuses as a whole keeps a run from being described, as far as its parts
agree: the extraction may have stopped early, a round may be score-blind, nothing may be decided, no
evidence may be able to rest on the extraction. What is decided is then ``excluded`` for that code.
No value and no score is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from survey_fast.canon.collector import collector_paused
from survey_fast.errors import SurveyError
from survey_fast.review.decisions import Item, candidates_of, item_name
from survey_fast.review.fold import Fold
from survey_fast.runs.export.round import Reviewed, RoundExport, export_round, read_origin
from survey_fast.runs.opened import Metadata, open_metadata
from survey_fast.storage import SYSTEM, FilePath, Files
from survey_fast.trust.evidence.record import RecordContext
from survey_fast.trust.settled import proposal_index

__all__ = ["ClaimState", "Described", "State", "describe_run"]

State: TypeAlias = Literal["undecided", "excluded", "reviewed", "grounding-refused"]
Rows: TypeAlias = Callable[[Item], "tuple[int, ...] | None"]
"""Where an item stands in the lists of its field."""
_UNDECIDED: Final = "EXPORT_UNDECIDED"
_IMPORT: Final = "survey.kontourai.io/extraction-envelope"


@dataclass(frozen=True, slots=True)
class ClaimState:
    """The state of one item.

    Attributes:
        item_name: the item.
        field_path: the field it is about.
        path_indices: where it stands in the lists of that field.
        state: one of four.
        claim_id: its claim, where an export would state one.
        reasons: codes of exclusions, or kinds of gaps.
    """

    item_name: str
    field_path: str
    path_indices: tuple[int, ...] | None
    state: State
    claim_id: str | None = None
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """``{reviewItemName, fieldPath, pathIndices?, state, claimId?, codes?, gaps?}``."""
        body: dict[str, Any] = {"reviewItemName": self.item_name, "fieldPath": self.field_path}
        if self.path_indices is not None:
            body["pathIndices"] = list(self.path_indices)
        body["state"] = self.state
        if self.claim_id is not None:
            body["claimId"] = self.claim_id
        if self.state == "excluded":
            body["codes"] = list(self.reasons)
        if self.state == "grounding-refused":
            body["gaps"] = list(self.reasons)
        return body


@dataclass(frozen=True, slots=True)
class Described:
    """A run, described.

    Attributes:
        run: the run, without its text.
        claims: the state of every item, in queue order.
    """

    run: Metadata
    claims: Sequence[ClaimState]

    def counts(self) -> dict[str, int]:
        """How many items are in each state; every state is named."""
        counts: dict[str, int] = dict.fromkeys(_STATES, 0)
        for one in self.claims:
            counts[one.state] += 1
        return counts

    def to_json(self) -> dict[str, Any]:
        """The description as plain data."""
        run = self.run
        body: dict[str, Any] = {
            "run": run.manifest.resource,
            "createdAt": run.manifest.created_at,
            "round": run.manifest.round["kind"],
            "revision": run.revision,
            "events": run.log.count,
            "proposals": run.proposal_count,
            "outcome": dict(run.outcome),
            "states": self.counts(),
            "claims": [one.to_json() for one in self.claims],
        }
        return body if run.blocked is None else body | {"reviewBlocked": run.blocked}


_STATES: Final[tuple[State, ...]] = ("undecided", "excluded", "reviewed", "grounding-refused")


@collector_paused()
def describe_run(path: FilePath, *, files: Files = SYSTEM) -> Described:
    """Describe the run at ``path`` by its metadata.

    Args:
        path: the run directory.
        files: the file system.

    Raises:
        SurveyError: as :func:`survey_fast.runs.opened.open_metadata`.
    """
    run = open_metadata(path, files=files)
    try:
        origin = read_origin(run)
    except SurveyError as refused:
        return Described(run, _left_out(run, refused, _stored_rows(run)))
    rows = _read_rows(origin.context)
    try:
        made = export_round(Reviewed.of(run), origin)
    except SurveyError as refused:
        return Described(run, _left_out(run, refused, rows))
    return Described(run, _states(run, made, rows))


def _read_rows(context: RecordContext) -> Rows:
    """By an import that was read for evidence."""

    def rows(item: Item) -> tuple[int, ...] | None:
        index = proposal_index(candidates_of(item)[0], context)
        return None if index is None else context.slots[index].path_indices

    return rows


def _stored_rows(run: Metadata) -> Rows:
    """By the import as it was made, where no evidence can rest on it."""
    proposals = run.imported.record["spec"]["envelope"]["result"]["proposals"]

    def rows(item: Item) -> tuple[int, ...] | None:
        first = item["metadata"]["producer"][_IMPORT]["proposalIndices"][0]
        indices = proposals[first].get("pathIndices")
        return None if indices is None else tuple(indices)

    return rows


def _states(run: Metadata, made: RoundExport, rows: Rows) -> list[ClaimState]:
    reasons = _by_item([one.to_json() for one in made.settled.excluded])
    refused = {one["claimId"]: tuple(one["gaps"]) for one in made.export.refused}
    states = []
    for item in run.state["items"]:
        claim_id = made.export.claim_ids.get(item_name(item))
        if claim_id is None:
            states.append(_excluded(item, reasons, rows))
            continue
        gaps = refused.get(claim_id)
        state: State = "reviewed" if gaps is None else "grounding-refused"
        states.append(_state(item, rows, state, claim_id, gaps or ()))
    return states


def _left_out(run: Metadata, refused: SurveyError, rows: Rows) -> list[ClaimState]:
    """Nothing of the round can be exported; the refusal says why for each item that is decided."""
    reasons = _by_item(refused.details.get("excluded", ()))
    decided = Fold(run.outline).apply(run.log.events).kinds
    for item in run.state["items"]:
        name = item_name(item)
        reasons.setdefault(name, (refused.code if name in decided else _UNDECIDED,))
    return [_excluded(item, reasons, rows) for item in run.state["items"]]


def _by_item(excluded: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    reasons: dict[str, tuple[str, ...]] = {}
    for one in excluded:
        for name in one["itemNames"]:
            reasons[name] = (*reasons.get(name, ()), one["code"])
    return reasons


def _excluded(item: Item, reasons: Mapping[str, tuple[str, ...]], rows: Rows) -> ClaimState:
    codes = reasons[item_name(item)]
    is_undecided = _UNDECIDED in codes
    return _state(item, rows, "undecided" if is_undecided else "excluded", None, codes)


def _state(
    item: Item,
    rows: Rows,
    state: State,
    claim_id: str | None,
    reasons: tuple[str, ...],
) -> ClaimState:
    name, target = item_name(item), item["spec"]["target"]
    return ClaimState(name, target, rows(item), state, claim_id, reasons)
