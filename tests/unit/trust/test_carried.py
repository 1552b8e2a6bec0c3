"""Decisions of an earlier round that stand for the results of their items."""

import copy

import pytest
from tests.unit.rounds.samples import changed, fee, imported
from tests.unit.trust.records import (
    a_conflict,
    a_single,
    built,
    candidate,
    item,
    projected,
    result_of,
    statuses,
)

from survey_fast.errors import SurveyError
from survey_fast.rounds import decision_reference, split_round_for_carry_forward
from survey_fast.rounds.carry import new_carry_forward
from survey_fast.trust.reviewed_records import CARRIED_KEY

EARLIER = "2026-10-01T09:00:00.000Z"
SECOND_RUN = "traverse-extraction-run:00000000-0000-4000-8000-000000000002"


def later(held, name="a2"):
    """The same item in a later round: another name, other candidate ids."""
    again = copy.deepcopy(held)
    again["metadata"]["name"] = name
    for one in again["spec"]["candidates"]:
        one["id"] = f"{one['id']}.{name}"
        one["extraction"]["extractionId"] = f"{one['id']}.x"
    return again


def entry(held):
    ids = [one["id"] for one in held["spec"]["candidates"]]
    versions = {name: f"v-{place}" for place, name in enumerate(ids)}
    return {"item": held, "slotId": "slot:rent", "candidateVersionIds": versions}


def carry(held, kind, chosen="c-1", note="", **data):
    """The item of the later round, and the decision that was carried to it."""
    prior = result_of(held, kind, chosen, note, **data)["reviewDecision"]
    now = later(held)
    split = split_round_for_carry_forward(
        round_id="round-2",
        items=[entry(now)],
        prior_decisions=[{**entry(held), "decision": prior}],
        policy={"carry": ["accepted", "rejected", "could_not_confirm"]},
    )
    (record,) = split.carried_forward
    return now, {"record": record, "priorDecision": prior}


def survey_of(now, carried, **options):
    return built([now], [], carried=[carried], **options)["surveyInput"]


def code(now, carried, **options):
    with pytest.raises(SurveyError) as caught:
        survey_of(now, carried, **options)
    return caught.value.code


def test_a_carried_value_is_the_earlier_reviewers():
    now, carried = carry(a_single(), "accept-proposed", note="clause 4")
    survey = survey_of(now, carried)
    (outcome,) = survey["reviewOutcomes"]
    assert outcome["id"] == "a2:carry-forward:review-outcome"
    assert (outcome["actor"], outcome["reviewedAt"]) == ("ana", EARLIER)
    assert outcome["rationale"] == "clause 4"
    assert outcome["candidateId"] == "c-1.a2"
    (source,) = survey["rawSources"]
    assert (source["id"], source["resolution"]) == ("s-7.carry-forward", "carry-forward")
    bundle = projected(survey)
    assert bundle["evidence"][0]["metadata"]["provenanceResolution"] == "carry-forward"
    assert bundle["claims"][0]["metadata"][CARRIED_KEY] == {
        "schemaVersion": 1,
        "recordId": carried["record"].id,
        "priorDecision": decision_reference(carried["priorDecision"]),
        "value": 48000,
    }
    assert bundle["events"][0]["createdAt"] == EARLIER
    for version in "234":
        assert statuses(bundle, version) == {"a2.claim": "verified"}


def test_a_carried_choice_still_says_that_there_was_a_conflict():
    now, carried = carry(a_conflict(1, 2, 3), "select-proposed", "c-2")
    survey = survey_of(now, carried)
    assert survey["reviewOutcomes"][0]["metadata"] == {
        "workbenchDecision": "select-proposed",
        "unselectedCandidateIds": ["c-1.a2", "c-3.a2"],
    }
    listed = projected(survey)["claims"][0]["metadata"]["survey"]["candidates"]
    assert [(one["value"], one.get("selected")) for one in listed] == [
        (1, None),
        (2, True),
        (3, None),
    ]
    assert [("rejectionReason" in one) for one in listed] == [True, False, True]


def test_a_carried_edit_is_the_value():
    now, carried = carry(a_single(), "accept-proposed", data={"workbenchEditedValue": 48001})
    survey = survey_of(now, carried)
    claim = survey["claims"][0]
    assert claim["value"] == claim["metadata"][CARRIED_KEY]["value"] == 48001
    assert survey["reviewOutcomes"][0]["metadata"]["editedValue"] == 48001
    assert survey["extractions"][0]["value"] == 48000
    assert statuses(projected(survey)) == {"a2.claim": "verified"}


def test_whatever_it_came_to_is_carried():
    now, carried = carry(a_conflict(), "reject-proposed", None, "drafts")
    bundle = projected(survey_of(now, carried))
    assert statuses(bundle) == {"a2.claim": "rejected"}
    assert bundle["claims"][0]["metadata"][CARRIED_KEY]["value"] is None
    now, carried = carry(a_conflict(), "could-not-confirm", None)
    assert statuses(projected(survey_of(now, carried))) == {"a2.claim": "disputed"}
    kept = item(candidate("c-now", 1, "current"), candidate("c-1"))
    now, carried = carry(kept, "keep-current", "c-now")
    survey = survey_of(now, carried)
    assert survey["reviewOutcomes"][0]["metadata"] == {"workbenchDecision": "keep-current"}
    assert statuses(projected(survey)) == {"a2.claim": "verified"}


def test_carried_and_reviewed_items_stand_side_by_side():
    now, carried = carry(a_single(), "accept-proposed")
    fresh = a_single(name="b")
    result = result_of(fresh, "accept-proposed")
    survey = built([fresh, now], [result], carried=[carried])["surveyInput"]
    assert [one["id"] for one in survey["rawSources"]] == ["s-7", "s-7.carry-forward"]
    assert statuses(projected(survey)) == {"b.claim": "verified", "a2.claim": "verified"}


def test_conditions_of_an_earlier_round_are_not_those_of_this_one():
    now, carried = carry(a_single(), "accept-proposed")
    told = {"presentation": {"scoreBlind": True}, "evidenceIds": ["of-another-bundle"]}
    prior = copy.deepcopy(carried["priorDecision"])
    prior["spec"].update(told)
    members = {
        name: value
        for name, value in carried["record"].to_json().items()
        if name not in ("id", "kind", "schemaVersion", "basis")
    }
    members["priorDecision"] = decision_reference(prior)
    survey = survey_of(now, {"record": new_carry_forward(members), "priorDecision": prior})
    (outcome,) = survey["reviewOutcomes"]
    assert outcome["metadata"] == {"workbenchDecision": "accept-proposed"}
    assert "evidenceIds" not in outcome
    assert projected(survey)


def test_older_references_are_collated():
    now, carried = carry(a_single(), "accept-proposed")
    members = {
        name: value
        for name, value in carried["record"].to_json().items()
        if name not in ("id", "kind", "schemaVersion", "basis")
    }
    members["priorDecision"] = decision_reference(carried["priorDecision"], "collated")
    old = {
        "record": new_carry_forward(members).to_json(),
        "priorDecision": carried["priorDecision"],
    }
    assert survey_of(now, old)["claims"][0]["value"] == 48000


def test_field_states_know_what_was_carried():
    first, second = imported(fee(48000)), imported(fee(48000), runId=SECOND_RUN)
    (before,), (now,) = first.review_items, second.review_items
    chosen = before["spec"]["candidates"][0]["id"]
    prior = result_of(before, "accept-proposed", chosen)["reviewDecision"]
    split = split_round_for_carry_forward(
        round_id="round-2",
        items=[entry(now)],
        prior_decisions=[{**entry(before), "decision": prior}],
    )
    (record,) = split.carried_forward
    carried = {"record": record, "priorDecision": prior}
    for given in ([], [record], [record.to_json()]):
        states = {"imports": [(second, ())], "carryForwards": given}
        (claim,) = survey_of(now, carried, field_states=states)["claims"]
        state = claim["metadata"]["survey.kontourai.io/field-state"]
        assert (state["lifecycle"], state["decisionBasis"]) == ("accepted", "carried-forward")
        assert CARRIED_KEY in claim["metadata"]


def test_another_decision_than_the_named_one_is_refused():
    now, carried = carry(a_single(), "accept-proposed")
    assert survey_of(now, carried)["claims"]
    tampered = changed(carried, "priorDecision", "spec", "actor", "id", value="eve")
    assert code(now, tampered) == "carried-record-mismatch"
    renamed = changed(carried, "priorDecision", "metadata", "name", value="other")
    assert code(now, renamed) == "carried-record-mismatch"
    edited = {**carried, "record": {**carried["record"].to_json(), "resolution": "rejected"}}
    assert code(now, edited) == "carry-forward-invalid"


def test_a_decision_that_does_not_fit_the_item_is_refused():
    now, carried = carry(a_single(), "accept-proposed")
    others = later(a_conflict(), "a2")
    assert code(others, carried) == "carried-item-mismatch"
    gone = changed(now, "spec", "candidates", 0, "id", value="c-9")
    assert code(gone, carried) == "carried-item-mismatch"
    role = changed(now, "spec", "candidates", 0, "role", value="alternative")
    assert code(role, carried) == "carried-item-mismatch"
    now, carried = carry(a_conflict(), "select-proposed", "c-1")
    third = later(a_conflict(48000, 52000, 3))
    assert code(third, carried) == "carried-item-mismatch"
    now, carried = carry(a_conflict(), "reject-proposed", None)
    assert code(later(a_single()), carried) == "carried-item-mismatch"


def test_an_item_is_decided_once():
    now, carried = carry(a_single(), "accept-proposed")
    result = result_of(now, "accept-proposed", "c-1.a2")
    with pytest.raises(SurveyError) as caught:
        built([now], [result], carried=[carried])
    assert caught.value.code == "ambiguous-result-identity"
    with pytest.raises(SurveyError) as caught:
        built([now], [], carried=[carried, carried])
    assert caught.value.code == "ambiguous-result-identity"
    with pytest.raises(SurveyError) as caught:
        built([later(a_single(), "a3")], [], carried=[carried])
    assert caught.value.code == "reviewed-result-missing"


def test_an_entry_is_record_and_decision():
    now, carried = carry(a_single(), "accept-proposed")
    for bad in (None, {"record": carried["record"]}, {**carried, "more": 1}):
        with pytest.raises(TypeError):
            survey_of(now, bad)
