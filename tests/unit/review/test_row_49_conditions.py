"""Session conditions. Proves row 49 of the edge table; judged when a round is opened."""

import math
from collections import UserDict
from types import MappingProxyType

import pytest

from survey_fast import open_review_queue
from survey_fast.errors import AuditError
from survey_fast.review import check_conditions

AUDIT = {"kind": "random-audit", "rate": 0.5, "seed": "q3-2026"}

PRESENTATIONS = {
    "a word": {"scoreBlind": "yes"},
    "the word true": {"scoreBlind": "true"},
    "one": {"scoreBlind": 1},
    "null": {"scoreBlind": None},
    "nothing": {},
    "an extra member": {"scoreBlind": True, "x": 1},
    "another spelling": {"scoreblind": True},
    "a list": ["scoreBlind"],
    "a bool": True,
    "text": '{"scoreBlind":true}',
}


@pytest.mark.parametrize("presentation", PRESENTATIONS.values(), ids=PRESENTATIONS)
def test_row_49_presentation_out_of_shape(presentation):
    refused("/presentation", presentation=presentation)


SAMPLINGS = {
    "nothing": ({}, ""),
    "text": ("queue", ""),
    "a list": (["queue"], ""),
    "kind manual": ({"kind": "manual"}, ""),
    "kind null": ({"kind": None}, ""),
    "kind a list": ({"kind": ["queue"]}, ""),
    "kind in capitals": ({"kind": "Queue"}, ""),
    "queue with a rate": ({"kind": "queue", "rate": 0.5}, ""),
    "queue with a seed": ({"kind": "queue", "seed": "a"}, ""),
    "no rate": ({"kind": "random-audit", "seed": "a"}, ""),
    "no seed": ({"kind": "random-audit", "rate": 0.5}, ""),
    "no kind": ({"rate": 0.5, "seed": "a"}, ""),
    "an extra member": ({**AUDIT, "x": 1}, ""),
    "rate 0": ({**AUDIT, "rate": 0}, "/rate"),
    "rate -0.0": ({**AUDIT, "rate": -0.0}, "/rate"),
    "rate 1.5": ({**AUDIT, "rate": 1.5}, "/rate"),
    "rate below 0": ({**AUDIT, "rate": -0.5}, "/rate"),
    "rate true": ({**AUDIT, "rate": True}, "/rate"),
    "rate text": ({**AUDIT, "rate": "0.5"}, "/rate"),
    "rate null": ({**AUDIT, "rate": None}, "/rate"),
    "rate NaN": ({**AUDIT, "rate": math.nan}, "/rate"),
    "rate infinite": ({**AUDIT, "rate": math.inf}, "/rate"),
    "rate beyond every double": ({**AUDIT, "rate": 10**400}, "/rate"),
    "rate far below every double": ({**AUDIT, "rate": -(10**400)}, "/rate"),
    "blank seed": ({**AUDIT, "seed": " "}, "/seed"),
    "empty seed": ({**AUDIT, "seed": ""}, "/seed"),
    "seed with a space": ({**AUDIT, "seed": "a b"}, "/seed"),
    "seed with a line feed": ({**AUDIT, "seed": "a\n"}, "/seed"),
    "seed of 257 characters": ({**AUDIT, "seed": "a" * 257}, "/seed"),
    "seed with another alphabet": ({**AUDIT, "seed": "a\u00e9"}, "/seed"),
    "seed with another digit": ({**AUDIT, "seed": "\u0661"}, "/seed"),
    "seed half a pair": ({**AUDIT, "seed": "a\ud800"}, "/seed"),
    "seed a number": ({**AUDIT, "seed": 7}, "/seed"),
    "seed null": ({**AUDIT, "seed": None}, "/seed"),
}


@pytest.mark.parametrize(("sampling", "place"), SAMPLINGS.values(), ids=SAMPLINGS)
def test_row_49_sampling_out_of_shape(sampling, place):
    refused("/sampling" + place, sampling=sampling)


def refused(pointer, presentation=None, sampling=None):
    conditions = {"presentation": presentation, "sampling": sampling}
    for act in (
        lambda: check_conditions(presentation, sampling),
        lambda: open_review_queue([], reviewed_at="t", actor_id="a", **conditions),
    ):
        with pytest.raises(AuditError) as caught:
            act()
        refusal = caught.value
        assert (refusal.code, refusal.pointer) == ("invalid-session-conditions", pointer)


@pytest.mark.parametrize("blind", [True, False])
@pytest.mark.parametrize(
    "sampling",
    [
        None,
        {"kind": "queue"},
        AUDIT,
        {**AUDIT, "rate": 1},
        {**AUDIT, "rate": 5e-324},
        {**AUDIT, "seed": "a" * 256},
    ],
    ids=["none", "queue", "audit", "all", "least", "long seed"],
)
def test_conditions_in_shape(blind, sampling):
    presentation = {"scoreBlind": blind or (sampling is not None and "rate" in sampling)}
    check_conditions(presentation, sampling)
    check_conditions(presentation, None)
    conditions = {"presentation": presentation, "sampling": sampling}
    snapshot = open_review_queue([], reviewed_at="t", actor_id="a", **conditions)
    assert snapshot["presentation"] == presentation
    assert snapshot.get("sampling") == sampling


def test_any_mapping_will_do_and_is_copied():
    sampling = dict(AUDIT)
    snapshot = open_review_queue(
        [],
        reviewed_at="t",
        actor_id="a",
        presentation=MappingProxyType({"scoreBlind": True}),
        sampling=UserDict(sampling),
    )
    sampling["seed"] = "other"
    assert type(snapshot["presentation"]) is type(snapshot["sampling"]) is dict
    assert snapshot["sampling"] == AUDIT


@pytest.mark.parametrize("presentation", [None, {"scoreBlind": False}], ids=["none", "sighted"])
def test_a_random_audit_is_score_blind(presentation):
    check_conditions({"scoreBlind": True}, AUDIT)
    refused("/presentation", presentation=presentation, sampling=AUDIT)
    check_conditions(presentation, {"kind": "queue"})
