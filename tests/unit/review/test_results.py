"""Results.

Proves rows 8, 9, 21, 23 and 24 of the edge table and row 51 of the surfaces' as far as a result
goes. Row 11, a result that was tampered with, belongs to the projection that refuses it; that no
such result is made here is proven.
"""

from __future__ import annotations

import json

import pytest
from tests.unit.review.test_decision_samples import (
    candidate,
    conflict,
    decision,
    described,
    doubled,
    refused,
    review_item,
    single,
    transition,
)

from survey_fast.canon import canonical_json
from survey_fast.review.decision_record import decision_record
from survey_fast.review.results import result_record

SELECTED = {
    "selectedCandidate",
    "selectedCandidateId",
    "selectedCandidateRole",
    "selectedValue",
    "selectedDisplayValue",
    "effectiveValue",
    "effectiveDisplayValue",
}


def result(item, kind, **members):
    one = decision(kind, **members)
    return result_record(item, one, decision_record(item, one, None))


def test_the_whole_result():
    item = transition(1, 2)
    now, proposed = item["spec"]["candidates"]
    made = result(item, "accept-proposed", note="fine")
    assert made == {
        "reviewItemName": "lease-7.rent",
        "decision": "accept-proposed",
        "reviewDecision": decision_record(item, decision("accept-proposed", note="fine"), None),
        "status": "verified",
        "rationale": "fine",
        "unselectedCandidates": [now],
        "selectedCandidate": proposed,
        "selectedCandidateId": "c-1",
        "selectedCandidateRole": "proposed",
        "selectedValue": 2,
        "selectedDisplayValue": "2",
        "effectiveValue": 2,
        "effectiveDisplayValue": "2",
    }
    assert json.loads(canonical_json(made)) == made


def test_what_was_kept():
    made = result(transition(1, 2), "keep-current")
    assert (made["selectedCandidateRole"], made["effectiveValue"]) == ("current", 1)
    assert [one["id"] for one in made["unselectedCandidates"]] == ["c-1"]


def test_what_was_chosen_and_what_was_not():
    item = conflict(1, 2, 3)
    item["spec"]["candidates"].insert(0, candidate("old", 0, "source-version"))
    made = result(item, "select-proposed", candidate_id="c-2")
    assert made["selectedCandidateId"] == "c-2"
    assert [one["id"] for one in made["unselectedCandidates"]] == ["old", "c-1", "c-3"]
    assert made["reviewDecision"]["spec"]["unselectedCandidateIds"] == ["c-1", "c-3"]


@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_rows_08_09_and_11_about_several_none_is_selected(kind):
    item = conflict()
    made = result(item, kind, note="why")
    assert not (SELECTED | {"editedValue"}) & made.keys()
    assert made["unselectedCandidates"] == item["spec"]["candidates"]


def test_rejecting_the_one_value_is_about_that_value():
    made = result(transition(1, 2), "reject-proposed")
    assert (made["selectedCandidateId"], made["status"]) == ("c-1", "rejected")


def test_row_21_surfaces_row_51_an_edit_to_null():
    made = result(single(), "accept-proposed", edited_value=None)
    assert made["editedValue"] is made["effectiveValue"] is None
    assert made["effectiveDisplayValue"] == "null"
    assert (made["selectedValue"], made["selectedDisplayValue"]) == (48000, "48000")


def test_row_23_without_an_edit_the_value_holds():
    made = result(single(editable=False), "accept-proposed")
    assert "editedValue" not in made
    assert made["effectiveValue"] == 48000


def test_row_24_the_number_holds_that_the_text_named():
    made = result(described("number"), "accept-proposed", edited_value="42")
    assert (made["editedValue"], made["effectiveValue"]) == (42, 42)
    assert made["selectedValue"] == "as read"


def test_rows_33_and_34_no_edit_outlives_its_decision():
    made = result(transition(1, 2), "keep-current", edited_value=9)
    assert "editedValue" not in made
    assert made["effectiveValue"] == 1


def test_row_14_no_result_where_a_candidate_id_stands_twice():
    code = refused(lambda: result(doubled(single()), "accept-proposed"))
    assert code == "decision-not-recordable"


def test_a_selected_candidate_always_has_the_role_it_was_selected_by():
    item = review_item(candidate("old", 0, None), candidate("c-1", 1))
    assert result(item, "accept-proposed")["selectedCandidateRole"] == "proposed"
