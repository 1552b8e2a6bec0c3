"""Requests and batches: rows 3, 5, 6, 17 and 22 of the edge table where a decision is asked for.

Of the surfaces' table: 26, 28, 34 and 49 to 51, below a surface.
"""

import pytest
from tests.unit.review.sessions import (
    REASON,
    a_conflict,
    a_described,
    a_single,
    a_transition,
    blind,
    codes,
    decides,
    history,
    notes,
    session,
)
from tests.unit.review.test_decision_samples import AT, AUDIT

from survey_fast.errors import DecisionError
from survey_fast.review.decide import Batch, read_request, take_all
from survey_fast.review.events import EventWriter
from survey_fast.review.fold import Fold

ITEMS = [
    a_single(),
    a_conflict(name="b", target="deposit"),
    a_transition(1, 2, name="c", target="term"),
    a_described("number", name="d", target="area"),
    a_single(name="e", target="fixed", editable=False),
]
SNAPSHOT = session(*ITEMS)


def batch(*requests, before=(), snapshot=SNAPSHOT, **options):
    made = Batch(snapshot, Fold(snapshot).apply(history(*before)), **options)
    take_all(made, requests)
    return made


def error_of(request, before=(), **options):
    (outcome,) = batch(request, before=before, **options).outcomes
    assert not outcome.ok
    return outcome.error.code, outcome.error.pointer


def written(made, snapshot=SNAPSHOT):
    """The events of a batch over an empty history, which replay takes."""
    events = made.events(EventWriter("s1", "ana", AT))
    assert all(outcome.ok for outcome in made.outcomes)
    assert codes(snapshot, *events) == []
    return [(event["spec"]["eventType"], event["spec"]) for event in events]


def test_what_was_decided_before_is_passed_over_where_that_is_asked():
    accept = {"item": "a", "decision": "accept"}
    reject = {"item": "d", "decision": "reject"}
    before = (decides("accept-proposed"),)
    assert error_of(accept, before=before) == ("ALREADY_DECIDED", "/item")
    made = batch(accept, reject, before=before, skip_decided=True)
    assert [(one.ok, one.is_skipped) for one in made.outcomes] == [(True, True), (True, False)]
    assert {spec["reviewItemName"] for _, spec in made.parts} == {"d"}
    assert [one.to_json() for one in made.outcomes] == [
        {"line": 1, "ok": True, "item": "a", "skipped": True},
        {"line": 2, "ok": True, "item": "d"},
    ]


def test_what_the_batch_itself_decided_is_not_passed_over():
    accept = {"item": "a", "decision": "accept"}
    made = batch(accept, accept, skip_decided=True)
    assert [one.error and one.error.code for one in made.outcomes] == [None, "ALREADY_DECIDED"]


def test_what_is_taken_back_in_the_batch_is_decided_again_in_it():
    clear, accept = {"item": "a", "decision": None}, {"item": "a", "decision": "accept"}
    made = batch(clear, accept, before=(decides("accept-proposed"),), skip_decided=True)
    assert [(one.ok, one.is_skipped) for one in made.outcomes] == [(True, False), (True, False)]


def test_a_line_that_is_none_is_refused_also_where_its_item_would_be_passed_over():
    wrong = {"item": "a", "decision": "accept", "candidateId": "x"}
    options = {"before": (decides("accept-proposed"),), "skip_decided": True}
    assert error_of(wrong, **options) == ("decision-malformed", "/candidateId")


def test_what_one_request_writes():
    made = written(batch({"item": "a", "decision": "accept", "note": "fine"}))
    assert [kind for kind, _ in made] == ["note-changed", "decision-changed", "decision-submitted"]
    assert [spec["sequence"] for _, spec in made] == [1, 2, 3]
    assert made[0][1]["rationale"] == made[2][1]["rationale"] == "fine"
    assert made[1][1]["data"] == {"workbenchDecision": "accept-proposed"}
    assert (made[1][1]["candidateId"], made[1][1]["status"]) == ("c-1", "verified")


def test_without_a_note_no_note_is_written():
    made = written(batch({"item": "a", "decision": "accept-proposed"}))
    assert [kind for kind, _ in made] == ["decision-changed", "decision-submitted"]
    assert all("rationale" not in spec for _, spec in made)


def test_a_field_names_its_only_item():
    made = batch({"field": "deposit", "decision": "select", "candidateId": "c-2"})
    assert [outcome.to_json() for outcome in made.outcomes] == [
        {"line": 1, "ok": True, "item": "b"}
    ]
    assert written(made)[0][1]["candidateId"] == "c-2"


def test_a_field_of_two_items_or_of_none():
    two = session(a_single(), a_single(name="b"))
    request = {"field": "monthlyRent", "decision": "accept"}
    assert error_of(request, snapshot=two) == ("unknown-review-item", "/field")
    for name in ("nowhere", "", "a"):
        found = error_of({"field": name, "decision": "accept"})
        assert found == ("unknown-review-item", "/field")


@pytest.mark.parametrize("name", ["zz", "", "constructor"])
def test_an_item_that_is_not_there(name):
    assert error_of({"item": name, "decision": "accept"}) == ("unknown-review-item", "/item")


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"item": "b", "decision": "accept"}, "decision-not-recordable"),
        ({"item": "a", "decision": "keep"}, "decision-not-recordable"),
        ({"item": "b", "decision": "select"}, "invalid-conflict-selection"),
        ({"item": "b", "decision": "select", "candidateId": "x"}, "invalid-conflict-selection"),
        ({"item": "a", "decision": "select", "candidateId": "c-1"}, "invalid-conflict-selection"),
        ({"item": "c", "decision": "select", "candidateId": "c-now"}, "invalid-conflict-selection"),
        ({"item": "a", "decision": "could-not-confirm"}, "reason-missing"),
        ({"item": "a", "decision": "could-not-confirm", "note": " \n"}, "reason-missing"),
        ({"item": "d", "decision": "accept", "editedValue": "007"}, "edited-value-type-mismatch"),
        ({"item": "d", "decision": "accept", "editedValue": None}, "edited-value-type-mismatch"),
        ({"item": "e", "decision": "accept", "editedValue": 1}, "edited-value-not-editable"),
        ({"item": "a", "decision": None}, "decision-not-recordable"),
    ],
    ids=str,
)
def test_what_cannot_be_recorded(request_, code):
    made = batch(request_)
    assert [outcome.error.code for outcome in made.outcomes] == [code]
    assert made.parts == []


@pytest.mark.parametrize(
    ("request_", "pointer"),
    [
        (None, ""),
        ([], ""),
        ("accept", ""),
        ({}, ""),
        ({"decision": "accept"}, ""),
        ({"item": "a", "field": "deposit", "decision": "accept"}, ""),
        ({"item": "a"}, "/decision"),
        ({"item": "a", "decision": "toString"}, "/decision"),
        ({"item": "a", "decision": "hold"}, "/decision"),
        ({"item": "a", "decision": ["accept"]}, "/decision"),
        ({"item": "a", "decision": 1}, "/decision"),
        ({"item": "a", "decision": "accept", "actor": "eve"}, "/actor"),
        ({"item": "a", "decision": "accept", "candidateId": "c-1"}, "/candidateId"),
        ({"item": "a", "decision": "reject", "editedValue": 1}, "/editedValue"),
        ({"item": "a", "decision": "accept", "attemptEvidenceIds": []}, "/attemptEvidenceIds"),
        (
            {"item": "a", "decision": "could-not-confirm", "attemptEvidenceIds": "e"},
            "/attemptEvidenceIds",
        ),
        (
            {"item": "a", "decision": "could-not-confirm", "attemptEvidenceIds": [1]},
            "/attemptEvidenceIds",
        ),
        *(
            (
                {"item": "a", "decision": "could-not-confirm", "attemptEvidenceIds": ["e", blank]},
                "/attemptEvidenceIds/1",
            )
            for blank in ("", " ", "\n", "\u00a0")
        ),
        ({"item": 1, "decision": "accept"}, "/item"),
        ({"item": None, "decision": "accept"}, "/item"),
        ({"field": ["a"], "decision": "accept"}, "/field"),
        ({"item": "a", "decision": "accept", "note": None}, "/note"),
        ({"item": "a", "decision": "accept", "note": "x" * 65537}, "/note"),
        ({"item": "a", "decision": "accept", "note": "\u00e9" * 32769}, "/note"),
        ({"item": "b", "decision": "select", "candidateId": None}, "/candidateId"),
        ({"item": "a", "decision": None, "candidateId": "c-1"}, "/candidateId"),
        ({"item": "a", "decision": None, "editedValue": 1}, "/editedValue"),
    ],
    ids=lambda value: str(value)[:80],
)
def test_requests_that_are_none(request_, pointer):
    with pytest.raises(DecisionError) as caught:
        read_request(request_)
    assert (caught.value.code, caught.value.pointer) == ("decision-malformed", pointer)


def test_notes_as_long_as_they_may_be():
    assert len(written(batch({"item": "a", "decision": "accept", "note": "x" * 65536}))) == 3


def test_one_result_or_one_error_for_each_line():
    made = batch(
        {"item": "a", "decision": "accept"},
        7,
        {"item": "zz", "decision": "accept"},
        {"item": "c", "decision": "keep"},
    )
    told = [outcome.to_json() for outcome in made.outcomes]
    assert [(one["line"], one["ok"], one["item"]) for one in told] == [
        (1, True, "a"),
        (2, False, None),
        (3, False, "zz"),
        (4, True, "c"),
    ]
    assert told[1]["error"]["code"] == "decision-malformed"
    assert len(made.parts) == 4


def test_row_34_a_decided_item():
    request = {"item": "a", "decision": "reject"}
    before = [decides("accept-proposed")]
    assert error_of(request, before) == ("ALREADY_DECIDED", "/item")
    assert batch(request, before=before, replace_decided=True).outcomes[0].ok
    made = batch({"item": "a", "decision": "accept"}, request)
    assert [outcome.ok for outcome in made.outcomes] == [True, False]


def test_taking_back_and_deciding_again_in_one_batch():
    made = batch(
        {"item": "a", "decision": None, "note": "not so sure"},
        {"item": "a", "decision": "reject"},
        before=[decides("accept-proposed")],
    )
    assert all(outcome.ok for outcome in made.outcomes)
    assert [kind for kind, _ in made.parts] == [
        "note-changed",
        "decision-changed",
        "decision-changed",
        "decision-submitted",
    ]


def test_taking_back_twice():
    made = batch(*[{"item": "a", "decision": None}] * 2, before=[decides("accept-proposed")])
    assert [outcome.ok for outcome in made.outcomes] == [True, False]


def test_text_is_stored_as_a_value_of_the_items_type():
    made = written(batch({"item": "d", "decision": "accept", "editedValue": "42"}))
    assert made[0][1]["data"]["workbenchEditedValue"] == 42
    null = written(batch({"item": "a", "decision": "accept", "editedValue": None}))
    assert null[0][1]["data"]["workbenchEditedValue"] is None


def test_an_earlier_note_is_reason_enough():
    request = {"item": "a", "decision": "could-not-confirm"}
    made = batch(request, before=[notes(REASON)])
    (_, spec), _ = made.parts
    assert spec["resolutionReason"] == REASON
    assert error_of(request, [notes("  ")]) == ("reason-missing", "/note")


def test_an_empty_note_takes_the_place_of_the_note_that_stands():
    request = {"item": "a", "decision": "accept", "note": ""}
    made = batch(request, before=[notes("sure")])
    assert [kind for kind, _ in made.parts] == [
        "note-changed",
        "decision-changed",
        "decision-submitted",
    ]
    assert made.parts[0][1] == {"reviewItemName": "a", "rationale": ""}
    taken_back = {"item": "a", "decision": None, "note": ""}
    made = batch(taken_back, before=[notes("sure"), decides("accept-proposed")])
    assert made.parts[0] == ("note-changed", {"reviewItemName": "a", "rationale": ""})


def test_who_empties_the_note_gives_no_reason():
    for note in ("", " "):
        request = {"item": "a", "decision": "could-not-confirm", "note": note}
        assert error_of(request, [notes(REASON)]) == ("reason-missing", "/note")
    assert batch({**request, "note": "why"}, before=[notes(REASON)]).outcomes[0].ok


def test_a_note_in_the_same_batch_is_reason_enough():
    made = batch(
        {"item": "a", "decision": "could-not-confirm", "note": REASON},
        {"item": "a", "decision": None},
        {"item": "a", "decision": "could-not-confirm"},
    )
    assert [outcome.ok for outcome in made.outcomes] == [True, True, True]


def test_what_was_tried():
    tried = {"item": "a", "decision": "could-not-confirm", "note": REASON}
    made = written(batch({**tried, "attemptEvidenceIds": ["e-2", "e-1"]}))
    assert made[1][1]["attemptEvidenceIds"] == ["e-2", "e-1"]
    assert made[1][1]["resolutionReason"] == REASON


def test_every_decision_of_a_blind_round_is_stamped():
    snapshot = blind(*ITEMS)
    made = batch(
        {"item": "a", "decision": "accept"}, {"item": "a", "decision": None}, snapshot=snapshot
    )
    stamped = [spec["data"]["sessionConditions"] for _, spec in written(made, snapshot)]
    assert stamped == [AUDIT] * 3
