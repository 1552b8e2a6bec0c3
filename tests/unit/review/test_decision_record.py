"""Decision records.

Proves, of the edge table of the review core, rows 3 to 6, 8 to 10, 13, 14, 17 to 23, 33 to 35
and 90 as far as one record goes: what the record holds, and that nothing is recorded. Of the
surfaces' table: rows 26, 28, 31 to 33, 51, 57, 58, 91 and 92, and 27 without the claim.
Left to others: issues of a stream and its warnings (replay), the claim, set and learnings
(projection of a reviewed queue: rows 1, 7, 11, 80 to 83), locks (surfaces 93, storage).
"""

from __future__ import annotations

import json

import pytest
from tests.unit.attest.samples import imported
from tests.unit.review.test_decision_samples import (
    AT,
    AUDIT,
    KINDS,
    candidate,
    conflict,
    decision,
    described,
    doubled,
    one_item_state,
    refused,
    review_item,
    session,
    single,
    transition,
)

from survey_fast.canon import canonical_digest, canonical_json
from survey_fast.errors import AuditError, DecisionError, SessionError
from survey_fast.review.decision_record import (
    build_review_decision,
    build_review_decisions,
    decision_record,
    resolution_issue,
)
from survey_fast.review.prompt import decision_prompt


def spec(item, kind, **members):
    """What the record of a decision says."""
    return decision_record(item, decision(kind, **members), None)["spec"]


def refuses(item, kind, **members):
    """The code for which a decision is not recorded, by either way of building it."""
    code = refused(decision_record, item, decision(kind, **members), None)
    wire = {
        "candidate_id": "selectedCandidateId",
        "edited_value": "editedValue",
        "note": "note",
    }
    state = one_item_state(item, kind, **{wire[name]: one for name, one in members.items()})
    assert refused(build_review_decision, state) == code
    return code


def test_the_whole_record():
    hint = {"claimId": "claim-1", "rawSourceId": "raw-1"}
    item = review_item(candidate("c-1", 48000, projection=hint))
    item["metadata"] |= {"labels": {"round": "1"}, "producer": {"any": [1]}, "uid": "u"}
    made = decision_record(item, decision("accept-proposed", note=" fine "), None)
    assert made == {
        "apiVersion": "survey.kontourai.io/v1alpha1",
        "kind": "ReviewDecision",
        "metadata": {
            "name": "lease-7.rent-accept-proposed",
            "labels": {"round": "1"},
            "producer": {"any": [1]},
        },
        "spec": {
            "reviewItemName": "lease-7.rent",
            "candidateId": "c-1",
            "status": "verified",
            "actor": {"id": "ana"},
            "reviewedAt": AT,
            "rationale": " fine ",
            "authorizing": {
                "kind": "authorized-action",
                "promptRef": "survey-fast/decision-card@v1",
                "renderedPrompt": decision_prompt(item, decision("accept-proposed"), blind=False),
                "action": "typed",
                "authorityRef": "actor:ana",
            },
            "projection": {
                **hint,
                "reviewOutcomeId": "lease-7.rent:accept-proposed:review-outcome",
            },
        },
        "status": {"appliedToClaimIds": ["claim-1"]},
    }


def test_the_smallest_record_is_the_published_one_but_for_the_prompt():
    made = decision_record(single(name="lease-7.rent"), decision("accept-proposed"), None)
    del made["spec"]["authorizing"]
    assert canonical_digest(made, "collated") == (
        "769592a98821c23d4f27641bfc351260f22389be58eb56777718ef094692c887"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("conditions", [{}, AUDIT, {"presentation": {"scoreBlind": False}}])
def test_a_record_equals_what_comes_back_from_its_json(kind, conditions):
    item = conflict() if kind == "select-proposed" else transition(1, 2)
    members = {"selectedCandidateId": "c-1", "attemptEvidenceIds": [], "editedValue": None}
    made = build_review_decision(one_item_state(item, kind, note="why", **members, **conditions))
    assert json.loads(canonical_json(made)) == made
    copied = {name: made["spec"][name] for name in AUDIT if name in made["spec"]}
    assert copied == conditions


def test_an_outcome_id_that_the_producer_gave_stays():
    item = review_item(candidate("c-1", 1, projection={"reviewOutcomeId": "outcome-9"}))
    assert spec(item, "accept-proposed")["projection"] == {"reviewOutcomeId": "outcome-9"}


def test_undecided_is_nothing():
    assert build_review_decision(one_item_state(single())) is None
    assert build_review_decisions(session(single())) == []


@pytest.mark.parametrize("chosen", [None, "", "c-9", "c-now"])
def test_rows_03_and_04_surfaces_row_28_what_is_no_choice(chosen):
    rivals = conflict()["spec"]["candidates"]
    item = review_item(candidate("c-now", 1, "current"), *rivals)
    given = {} if chosen is None else {"candidate_id": chosen}
    assert refuses(item, "select-proposed", **given) == "invalid-conflict-selection"


def test_row_04_the_reason_tells_the_role():
    rivals = conflict()["spec"]["candidates"]
    item = review_item(candidate("c-now", 1, "current"), *rivals)
    with pytest.raises(DecisionError, match="role current"):
        decision_record(item, decision("select-proposed", candidate_id="c-now"), None)


@pytest.mark.parametrize("item", [single(), transition(1, 2), transition(1)])
def test_row_05_surfaces_row_28_nothing_to_choose_from(item):
    assert refuses(item, "select-proposed", candidate_id="c-1") == "invalid-conflict-selection"


def test_row_06_surfaces_row_26_a_conflict_is_not_accepted():
    assert refuses(conflict(), "accept-proposed") == "decision-not-recordable"
    # An id beside it changes nothing: a choice has a kind of its own.
    given = {"candidate_id": "c-1"}
    assert refuses(conflict(), "accept-proposed", **given) == "decision-not-recordable"


def test_surfaces_row_27_the_second_value_is_chosen_over_the_first():
    made = spec(conflict(1, 2, 3), "select-proposed", candidate_id="c-2")
    assert made["status"] == "verified"
    assert made["candidateId"] == "c-2"
    assert made["unselectedCandidateIds"] == ["c-1", "c-3"]
    assert made["projection"]["reviewOutcomeId"] == "lease-7.rent:select-proposed:review-outcome"


def test_only_proposed_values_were_passed_over():
    rivals = conflict()["spec"]["candidates"]
    item = review_item(candidate("c-now", 1, "current"), *rivals, candidate("old", 0, "computed"))
    made = spec(item, "select-proposed", candidate_id="c-1")
    assert made["unselectedCandidateIds"] == ["c-2"]


@pytest.mark.parametrize(
    ("kind", "status"), [("reject-proposed", "rejected"), ("could-not-confirm", "proposed")]
)
def test_rows_08_and_09_surfaces_row_31_a_decision_about_several_names_none(kind, status):
    hint = {"claimId": "claim-1", "candidateSetId": "set-1"}
    item = conflict(projection={"candidateSetId": "set-1"})
    for one in item["spec"]["candidates"]:
        one["projection"] = hint
    made = decision_record(item, decision(kind, note="why"), None)
    assert made["spec"]["status"] == status
    assert "candidateId" not in made["spec"]
    assert "unselectedCandidateIds" not in made["spec"]
    assert made["status"] == {}
    # The item speaks for all of them.
    outcome = f"lease-7.rent:{kind}:review-outcome"
    assert made["spec"]["projection"] == {"candidateSetId": "set-1", "reviewOutcomeId": outcome}


def test_row_10_surfaces_row_33_what_could_not_be_confirmed():
    item = single(candidateSetStatus="escalated")
    attempts = ("ev-2", "ev-1")
    made = spec(item, "could-not-confirm", note=" unreadable\n", attempt_evidence_ids=attempts)
    assert made["candidateId"] == "c-1"
    assert made["status"] == "proposed"
    assert made["resolution"] == "could_not_confirm"
    assert made["resolutionReason"] == "unreadable"
    assert made["rationale"] == " unreadable\n"
    assert made["attemptEvidenceIds"] == ["ev-2", "ev-1"]


def test_surfaces_row_57_what_could_not_be_confirmed_trusts_no_value():
    made = spec(transition(1, 2), "could-not-confirm", note="why")
    assert made["status"] not in ("verified", "assumed", "rejected")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "could-not-confirm"])
def test_other_kinds_have_no_resolution_and_no_attempts(kind):
    item = conflict() if kind == "select-proposed" else transition(1, 2)
    members = {"selectedCandidateId": "c-1", "attemptEvidenceIds": ["ev-1"]}
    made = build_review_decision(one_item_state(item, kind, note="why", **members))["spec"]
    assert not {"resolution", "resolutionReason", "attemptEvidenceIds"} & made.keys()


def test_row_13_a_session_from_before_choices():
    state = session(single(), decisionsByItemName={"lease-7.rent": "accept-proposed"})
    (made,) = build_review_decisions(state)
    assert "unselectedCandidateIds" not in made["spec"]


@pytest.mark.parametrize("kind", ["accept-proposed", "reject-proposed", "could-not-confirm"])
def test_row_14_a_candidate_id_that_stands_twice(kind):
    assert refuses(doubled(single()), kind, note="why") == "decision-not-recordable"
    assert refuses(doubled(transition(1)), "keep-current") == "decision-not-recordable"
    chosen = {"candidate_id": "c-1"}
    assert refuses(doubled(conflict()), "select-proposed", **chosen) == (
        "invalid-conflict-selection"
    )


@pytest.mark.parametrize("note", ["", " ", "\t\n\ufeff\u3000"])
@pytest.mark.parametrize("item", [single(), conflict(), transition(1)])
def test_row_17_surfaces_row_32_without_a_reason(item, note):
    # The reason is asked for before anything else, even where there is nothing to confirm.
    assert refuses(item, "could-not-confirm", note=note) == "reason-missing"


def test_row_17_what_is_blank_to_python_only_is_a_reason():
    assert spec(single(), "could-not-confirm", note="\x1c")["resolutionReason"] == "\x1c"


def test_row_18_the_reason_of_its_own_event_counts():
    made = spec(single(), "could-not-confirm", reason=" smudged ")
    assert (made["resolutionReason"], made["rationale"]) == ("smudged", "")
    # A note that was written later does not become the reason.
    made = spec(single(), "could-not-confirm", reason="smudged", note="see page 4")
    assert (made["resolutionReason"], made["rationale"]) == ("smudged", "see page 4")
    blank = decision("could-not-confirm", reason=" ", note="see page 4")
    assert refused(decision_record, single(), blank, None) == "reason-missing"


UNCONFIRMED = {
    "status": "proposed",
    "resolution": "could_not_confirm",
    "resolutionReason": "smudged",
    "actor": {"id": "ana"},
    "reviewedAt": AT,
    "reviewItemName": "lease-7.rent",
}


def agrees(record):
    issue = resolution_issue(record)
    assert issue is None or issue.code == "resolution-inconsistent"
    return issue is None


@pytest.mark.parametrize(
    "change",
    [
        {"status": "verified"},
        {"status": "rejected"},
        {"status": None},
        {"actor": {"id": " "}},
        {"actor": {}},
        {"actor": None},
        {"reviewedAt": ""},
        {"reviewedAt": None},
        {"resolutionReason": "\ufeff"},
        {"resolutionReason": 7},
    ],
    ids=str,
)
def test_row_19_what_could_not_be_confirmed_and_the_rest_of_the_record(change):
    assert agrees(UNCONFIRMED)
    assert agrees({**UNCONFIRMED, "status": "assumed"})
    assert not agrees({**UNCONFIRMED, **change})
    without = {name: one for name, one in UNCONFIRMED.items() if name not in change}
    assert not agrees(without)


def test_row_19_nobody_could_not_confirm_it():
    one = decision("could-not-confirm", note="why")
    for gap in ({"actor_id": " "}, {"decided_at": ""}):
        made = {name: getattr(one, name) for name in ("kind", "note", "actor_id", "decided_at")}
        code = refused(decision_record, single(), type(one)(**{**made, **gap}), None)
        assert code == "resolution-inconsistent"


@pytest.mark.parametrize(
    ("resolution", "status"),
    [
        ("accepted", "rejected"),
        ("accepted", "proposed"),
        ("rejected", "verified"),
        ("rejected", "proposed"),
        ("held", "rejected"),
        ("constructor", "verified"),
        (None, "verified"),
        (["accepted"], "verified"),
    ],
)
def test_row_20_resolutions_that_the_status_contradicts(resolution, status):
    assert not agrees({"resolution": resolution, "status": status})


@pytest.mark.parametrize(
    ("resolution", "status"),
    [
        *(("accepted", status) for status in ("verified", "assumed")),
        ("rejected", "rejected"),
        *(("held", status) for status in ("verified", "assumed", "proposed")),
    ],
)
def test_row_20_resolutions_that_agree(resolution, status):
    assert agrees({"resolution": resolution, "status": status})
    assert agrees({"status": "anything"})


def test_row_21_surfaces_row_51_null_is_an_edit():
    made = build_review_decision(one_item_state(single(), "accept-proposed", editedValue=None))
    assert made["spec"]["editedValue"] is None
    made = build_review_decision(one_item_state(single(), "accept-proposed"))
    assert "editedValue" not in made["spec"]


def test_row_22_an_edit_that_the_item_does_not_take():
    item = single(editable=False)
    code = refuses(item, "accept-proposed", edited_value=48000)
    assert code == "edited-value-not-editable"
    code = refuses(described("number"), "accept-proposed", edited_value="forty")
    assert code == "edited-value-type-mismatch"


def test_row_23_without_an_edit_it_is_accepted():
    assert spec(single(editable=False), "accept-proposed")["candidateId"] == "c-1"


def test_row_24_text_is_recorded_as_the_number_it_names():
    made = spec(described("number"), "accept-proposed", edited_value="42")
    assert made["editedValue"] == 42
    assert "(edited to: 42)" in made["authorizing"]["renderedPrompt"]


@pytest.mark.parametrize("kind", ["reject-proposed", "keep-current", "could-not-confirm"])
def test_rows_33_and_34_an_edit_goes_with_an_accepted_value_only(kind):
    item = transition(1, 2, editable=False)
    state = one_item_state(item, kind, note="why", editedValue={"not": "taken"})
    made = build_review_decision(state)["spec"]
    assert "editedValue" not in made
    assert "taken" not in made["authorizing"]["renderedPrompt"]


def test_row_90_a_note_that_was_not_written_stays_unwritten():
    # The producer's rationale is the item's; the record does not put it into a reviewer's mouth.
    item = single(rationale="from the producer")
    assert spec(item, "accept-proposed")["rationale"] == ""
    assert item["spec"]["rationale"] == "from the producer"


def test_surfaces_row_58_the_prompt_of_a_blind_round_is_silent():
    item = review_item(candidate("c-1", 1, confidence=0.5, verifications=[{"id": "v"}]))
    state = one_item_state(item, "accept-proposed", **AUDIT)
    blind = build_review_decision(state)["spec"]["authorizing"]["renderedPrompt"]
    assert "Verifier" not in blind
    for seeing in ({"presentation": {"scoreBlind": False}, "sampling": {"kind": "queue"}}, {}):
        state = one_item_state(item, "accept-proposed", **seeing)
        told = build_review_decision(state)["spec"]["authorizing"]["renderedPrompt"]
        assert told.startswith(blind)
        assert "Verifier" in told


@pytest.mark.parametrize("kind", ["toString", "constructor", "__class__", "", "approve", "accept"])
def test_surfaces_row_91_kinds_that_are_none(kind):
    item = review_item(candidate("c-1", 1, None))
    assert refuses(item, kind) == "decision-malformed"


def test_surfaces_row_92_a_note_written_after_the_choice():
    state = one_item_state(conflict(), "select-proposed", selectedCandidateId="c-2", **AUDIT)
    before = build_review_decision(state)["spec"]
    after = build_review_decision({**state, "note": "the amendment"})["spec"]
    assert after["candidateId"] == before["candidateId"] == "c-2"
    assert after["unselectedCandidateIds"] == ["c-1"]
    assert {name: after[name] for name in AUDIT} == AUDIT


@pytest.mark.parametrize("actor", ["", " \u2028"])
def test_nobody_authorized_it(actor):
    state = one_item_state(single(), "accept-proposed", actorId=actor)
    made = build_review_decision(state)["spec"]
    assert "authorizing" not in made
    assert made["actor"] == {"id": actor}


def test_who_and_when_are_those_of_the_decision():
    one = decision("accept-proposed", attribution="event")
    made = decision_record(single(), one, None)["spec"]
    assert (made["actor"], made["reviewedAt"]) == ({"id": "ana"}, AT)


def test_decisions_of_a_session_in_queue_order():
    items = [single(name="b"), conflict(name="a"), single(name="c"), single(name="d")]
    state = session(
        *items,
        decisionsByItemName={
            "d": "accept-proposed",
            "a": "select-proposed",
            "b": "could-not-confirm",
        },
        notesByItemName={"b": "why", "c": "open"},
        selectedCandidateIdsByItemName={"a": "c-1", "d": "c-9"},
        editedValuesByItemName={"d": 7},
        **AUDIT,
    )
    made = build_review_decisions(state)
    assert [one["spec"]["reviewItemName"] for one in made] == ["b", "a", "d"]
    assert [one["spec"]["candidateId"] for one in made] == ["c-1", "c-1", "c-1"]
    assert [one["spec"].get("editedValue") for one in made] == [None, None, 7]
    assert all({name: one["spec"][name] for name in AUDIT} == AUDIT for one in made)


def test_conditions_of_records_are_their_own():
    state = session(
        single(name="a"),
        single(name="b"),
        decisionsByItemName={"a": "accept-proposed", "b": "accept-proposed"},
        **AUDIT,
    )
    first, second = build_review_decisions(state)
    first["spec"]["presentation"]["scoreBlind"] = False
    assert second["spec"]["presentation"] == state["presentation"] == {"scoreBlind": True}


def test_an_imported_item_is_recorded():
    item = imported().review_items[0]
    chosen = item["spec"]["candidates"][1]["id"]
    made = spec(item, "select-proposed", candidate_id=chosen)
    assert made["unselectedCandidateIds"] == [item["spec"]["candidates"][0]["id"]]


@pytest.mark.parametrize(
    "conditions",
    [
        {"presentation": None},
        {"sampling": None},
        {"presentation": {"scoreBlind": "true"}},
        {"sampling": {"kind": "manual"}},
    ],
    ids=str,
)
def test_conditions_are_looked_at_first(conditions):
    with pytest.raises(AuditError, match="invalid-session-conditions"):
        build_review_decision(one_item_state(single(), "toString", **conditions))
    state = session(single(), decisionsByItemName={"lease-7.rent": "toString"}, **conditions)
    with pytest.raises(AuditError, match="invalid-session-conditions"):
        build_review_decisions(state)


@pytest.mark.parametrize(
    "change",
    [
        {"item": None},
        {"item": {"metadata": {"name": ["a"]}}},
        {"item": {"metadata": {}}},
        {"item": {"metadata": {"name": "a"}, "spec": {"target": "t", "candidates": []}}},
        {"decision": None},
        {"decision": ["accept-proposed"]},
        {"note": 7},
        {"actorId": None},
        {"reviewedAt": 7},
        {"attemptEvidenceIds": "ev"},
        {"selectedCandidateId": 7},
    ],
    ids=str,
)
def test_what_is_no_state(change):
    state = {**one_item_state(single(), "accept-proposed"), **change}
    with pytest.raises(SessionError, match="session-malformed"):
        build_review_decision(state)


def test_attempts_are_named_by_text():
    state = one_item_state(single(), "could-not-confirm", note="w", attemptEvidenceIds=["a", 7])
    assert refused(build_review_decision, state) == "decision-malformed"


@pytest.mark.parametrize("other", [None, [], "text", 7])
def test_a_state_of_another_type_is_misuse(other):
    for build in (build_review_decision, build_review_decisions):
        with pytest.raises(TypeError):
            build(other)


def test_building_changes_nothing():
    state = session(
        conflict(),
        decisionsByItemName={"lease-7.rent": "select-proposed"},
        selectedCandidateIdsByItemName={"lease-7.rent": "c-1"},
        **AUDIT,
    )
    before = canonical_json(state)
    build_review_decisions(state)
    assert canonical_json(state) == before
