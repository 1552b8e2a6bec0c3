"""Rounds over what an import derives are divided as any other, without a look at every shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.extractions import extractions
from tests.property.strategies import fewer, outcome
from tests.unit.rounds.samples import fee, imported

from survey_fast import import_envelope
from survey_fast.errors import SurveyError
from survey_fast.review.decision_record import decision_record
from survey_fast.review.decisions import KINDS, proposed_candidates, recordability_issue
from survey_fast.review.results import result_record
from survey_fast.review.state import Decided
from survey_fast.rounds import DerivedImport
from survey_fast.trust.evidence import read_record
from survey_fast.trust.review_shape import ITEM, RESULT
from survey_fast.trust.rules import require_all
from survey_fast.trust.settled import settled_items, settled_of_derived

AT = "2026-10-01T09:00:00.000Z"
CONDITIONS = (
    None,
    {"sampling": {"kind": "queue"}},
    {"presentation": {"scoreBlind": True}, "sampling": {"kind": "queue"}},
)


def result_of(item, stamp=None, **decided):
    one = Decided(**{"note": "", "actor_id": "ana", "decided_at": AT, **decided})
    return result_record(item, one, decision_record(item, one, stamp))


@st.composite
def results(draw, item):
    """What a valid history can come to on an item, or nothing."""
    ids = [one["id"] for one in proposed_candidates(item)]
    chosen = draw(st.sampled_from(ids))
    kinds = [kind for kind in KINDS if recordability_issue(item, kind, chosen) is None]
    kind = draw(st.sampled_from([None, *kinds]))
    if kind is None:
        return None
    return result_of(
        item,
        draw(st.sampled_from(CONDITIONS)),
        kind=kind,
        note=draw(st.sampled_from(["why", "  why", "\u00e9"])),
        actor_id=draw(st.sampled_from(["ana", "unattributed"])),
        candidate_id=chosen if kind == "select-proposed" else None,
        attempt_evidence_ids=tuple(draw(st.lists(st.sampled_from(["ev-1", "ev-2", ""])))),
    )


@st.composite
def rounds(draw):
    """An import and results about some of its items."""
    extraction = draw(extractions())
    named = ("import_name", "producer_namespace")  # drawn so that no evidence takes them
    options = {name: one for name, one in extraction.options.items() if name not in named}
    result = outcome(import_envelope, extraction.envelope, **options)
    if isinstance(result, str) or isinstance(outcome(read_record, result), str):
        return None
    found = [draw(results(item)) for item in result.review_items]
    return result, [one for one in found if one is not None]


def divided(act, *arguments):
    """A round, divided, or code and pointer of the refusal."""
    try:
        settled = act(*arguments)
    except SurveyError as refused:
        return refused.code, refused.pointer
    return settled.items, settled.results, [one.to_json() for one in settled.excluded]


@fewer(2)
@given(rounds())
def test_derived_items_are_settled_as_if_their_shape_were_looked_at(case):
    if case is None:
        return
    result, made = case
    items, context = result.review_items, read_record(result.record)
    require_all(ITEM, items, "/items")
    derived = DerivedImport.of_record(result.record, items)
    expected = divided(settled_items, items, made, context)
    assert divided(settled_of_derived, derived, made) == expected


@pytest.fixture
def derived():
    result = imported(fee(), fee(52000, pathIndices=[0]))
    return DerivedImport.of_record(result.record, result.review_items)


def test_items_come_in_the_order_of_the_queue(derived):
    first, second = (result_of(item, kind="accept-proposed") for item in derived.items)
    settled = settled_of_derived(derived, [second, first])
    assert (settled.items, settled.results) == (derived.items, [first, second])
    assert settled.excluded == []


def test_an_undecided_item_is_left_out(derived):
    made = result_of(derived.items[1], kind="reject-proposed")
    settled = settled_of_derived(derived, [made])
    assert (settled.items, settled.results) == (derived.items[1:], [made])
    assert [one.code for one in settled.excluded] == ["EXPORT_UNDECIDED"]


def test_a_selection_that_stands_nowhere_is_left_out(derived):
    del derived.items[0]["spec"]["candidates"][0]["locator"]
    made = [result_of(item, kind="accept-proposed") for item in derived.items]
    settled = settled_of_derived(derived, made)
    assert settled.items == derived.items[1:]
    assert [one.code for one in settled.excluded] == ["EXPORT_UNGROUNDED_SELECTION"]


def test_evidence_that_was_tried_on_is_named_by_more_than_an_empty_id(derived):
    tried = ("ev-1", "ev-2")
    made = [
        result_of(item, kind="could-not-confirm", note="no answer", attempt_evidence_ids=tried)
        for item in derived.items
    ]
    require_all(RESULT, made, "/results")
    assert len(settled_of_derived(derived, made).items) == 2
    made[1]["reviewDecision"]["spec"]["attemptEvidenceIds"][1] = ""
    for settled in (settled_of_derived(derived, made), settled_items(derived.items, made)):
        assert (settled.items, settled.results) == (derived.items[:1], made[:1])
        assert [one.to_json() for one in settled.excluded] == [
            {
                "fieldPath": derived.items[1]["spec"]["target"],
                "itemNames": [derived.items[1]["metadata"]["name"]],
                "code": "EXPORT_NOT_PROJECTABLE",
            }
        ]


@pytest.mark.parametrize("name", [None, "", 7])
def test_a_broken_result_that_names_no_item_is_refused(derived, name):
    made = [result_of(item, kind="accept-proposed") for item in derived.items]
    made[1]["reviewItemName"] = name
    refused = divided(settled_items, derived.items, made)
    assert refused == (
        "null-member" if name is None else "missing-string",
        "/results/1/reviewItemName",
    )


def test_nothing_is_read_of_a_result_that_breaks_its_shape(derived):
    made = [result_of(item, kind="accept-proposed") for item in derived.items]
    broken = [{"reviewItemName": made[0]["reviewItemName"]}, made[1]]
    settled = settled_items(derived.items, broken)
    assert settled.items == derived.items[1:]
    assert [one.code for one in settled.excluded] == ["EXPORT_NOT_PROJECTABLE"]
    with pytest.raises(TypeError):
        settled_items(derived.items, [{**made[0], "rationale": object()}])
