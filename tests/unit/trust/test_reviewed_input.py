"""From results to a survey input.

Rows 1, 7 to 11, 80 to 83 and 90 of the edge table of reviews are proven here, rows 1 and 8 to 10 to
the bundle. Left: row 2 (the prompt), 3 to 6 (builders and replay) and 12 (actions), which their own
parts prove; what rows 8 and 9 say of learnings belongs to learning.
"""

import copy
import json

import pytest
from tests.unit.review.test_decision_samples import AUDIT
from tests.unit.rounds import samples as rounds
from tests.unit.trust.records import (
    GENERATED,
    a_conflict,
    a_single,
    built,
    candidate,
    decided,
    item,
    projected,
    result_of,
    statuses,
    survey_of,
)

from survey_fast.errors import SurveyError

KEY = "survey.kontourai.io/field-state"


def code(action, *arguments, **options):
    with pytest.raises(SurveyError) as caught:
        action(*arguments, **options)
    return caught.value.code


def changed(document, *path, value):
    return rounds.changed(document, *path, value=value)


# What becomes of a decision


def test_row_1_a_choice_verifies_the_chosen_value_and_keeps_the_other():
    survey = decided(a_conflict(), "select-proposed", "c-2")
    (listed,) = survey["candidateSets"]
    (outcome,) = survey["reviewOutcomes"]
    assert (listed["status"], listed["selectedCandidateId"]) == ("resolved", "c-2")
    assert [("c-2" in one.get("rejectionReason", "")) for one in listed["candidates"]] == [
        True,
        False,
    ]
    assert outcome["metadata"] == {
        "workbenchDecision": "select-proposed",
        "unselectedCandidateIds": ["c-1"],
    }
    bundle = projected(survey)
    (claim,) = bundle["claims"]
    assert claim["value"] == 52000
    assert [one.get("selected") for one in claim["metadata"]["survey"]["candidates"]] == [
        None,
        True,
    ]
    for version in "234":
        assert statuses(bundle, version) == {"a.claim": "verified"}


def test_record_ids_stand_in_the_review_when_candidates_have_hints():
    held = a_conflict()
    for one in held["spec"]["candidates"]:
        one["projection"] = {"candidateId": f"record-{one['id']}"}
    survey = decided(held, "select-proposed", "c-2")
    assert survey["reviewOutcomes"][0]["metadata"]["unselectedCandidateIds"] == ["record-c-1"]
    assert "record-c-2" in survey["candidateSets"][0]["candidates"][0]["rejectionReason"]
    assert survey["claims"][0]["candidateId"] == "record-c-2"


def test_row_8_rejecting_every_value():
    survey = decided(a_conflict(), "reject-proposed", None, "both are drafts")
    (listed,) = survey["candidateSets"]
    (outcome,) = survey["reviewOutcomes"]
    (claim,) = survey["claims"]
    assert listed["status"] == "rejected"
    assert "selectedCandidateId" not in listed
    assert {one["rejectionReason"] for one in listed["candidates"]} == {"both are drafts"}
    assert "candidateId" not in outcome
    assert "candidateId" not in claim
    assert (claim["value"], claim["status"]) == (None, "rejected")
    bundle = projected(survey)
    assert statuses(bundle) == {"a.claim": "rejected"}
    (emitted,) = bundle["claims"]
    assert [one["value"] for one in emitted["metadata"]["survey"]["candidates"]] == [48000, 52000]
    assert len(bundle["evidence"]) == 2


def test_without_a_note_rejected_values_have_a_reason_all_the_same():
    (listed,) = decided(a_conflict(), "reject-proposed", None)["candidateSets"]
    assert all(one["rejectionReason"] for one in listed["candidates"])


def test_row_9_a_conflict_that_could_not_be_confirmed():
    survey = decided(a_conflict(), "could-not-confirm", None)
    (listed,) = survey["candidateSets"]
    (claim,) = survey["claims"]
    assert listed["status"] == "conflict"
    assert not any("rejectionReason" in one for one in listed["candidates"])
    assert (claim["value"], claim["status"]) == (None, "disputed")
    assert statuses(projected(survey)) == {"a.claim": "disputed"}


def test_row_10_an_escalated_item_keeps_its_value():
    survey = decided(a_single(candidateSetStatus="escalated"), "could-not-confirm")
    (claim,) = survey["claims"]
    assert (claim["value"], claim["status"]) == (48000, "disputed")
    bundle = projected(survey)
    assert bundle["claims"][0]["value"] == 48000
    assert bundle["events"][0]["method"] == "candidate-escalation"


def test_a_kept_value_names_the_current_candidate():
    held = item(candidate("c-now", 47000, "current"), candidate("c-1"))
    survey = decided(held, "keep-current", "c-now")
    assert survey["claims"][0]["value"] == 47000
    assert not any("rejectionReason" in one for one in survey["candidateSets"][0]["candidates"])
    assert statuses(projected(survey)) == {"a.claim": "verified"}


def test_row_80_an_edit_is_in_the_claim_and_in_the_review_only():
    survey = decided(a_single(), "accept-proposed", data={"workbenchEditedValue": 48001})
    assert survey["claims"][0]["value"] == 48001
    assert survey["extractions"][0]["value"] == 48000
    assert survey["candidateSets"][0]["candidates"][0]["value"] == 48000
    assert survey["reviewOutcomes"][0]["metadata"]["editedValue"] == 48001
    (claim,) = projected(survey)["claims"]
    assert claim["metadata"]["survey"]["valueEdit"] == {
        "edited": True,
        "originalValue": 48000,
        "reviewOutcomeId": "a:accept-proposed:review-outcome",
    }


def test_an_edit_to_null_is_an_edit():
    survey = decided(a_single(), "accept-proposed", data={"workbenchEditedValue": None})
    assert survey["claims"][0]["value"] is None
    (claim,) = projected(survey)["claims"]
    assert claim["value"] is None
    assert claim["metadata"]["survey"]["valueEdit"]["originalValue"] == 48000


def test_row_90_a_blank_note_does_not_hide_the_rationale_of_the_producer():
    held = a_single(rationale="from the annex")
    assert decided(held, "accept-proposed")["candidateSets"][0]["rationale"] == "from the annex"
    survey = decided(held, "accept-proposed", note="seen in clause 4")
    assert survey["candidateSets"][0]["rationale"] == "seen in clause 4"


def test_conditions_of_the_session_are_copied_to_the_review():
    result = result_of(a_single(), "accept-proposed")
    result["reviewDecision"]["spec"].update(copy.deepcopy(AUDIT))
    metadata = survey_of(a_single(), result)["reviewOutcomes"][0]["metadata"]
    assert {name: metadata[name] for name in AUDIT} == AUDIT


def test_items_of_one_source_share_its_record():
    items = [a_single(), a_conflict(name="b")]
    results = [
        result_of(items[0], "accept-proposed"),
        result_of(items[1], "select-proposed", "c-1"),
    ]
    survey = built(items, results)["surveyInput"]
    assert [len(survey[name]) for name in ("rawSources", "extractions", "claims")] == [1, 3, 2]
    assert built(json.dumps(items), json.dumps(results).encode())["surveyInput"] == survey
    assert built(items, results)["projectionContextId"] == "session-1"


def test_a_collector_is_the_one_that_is_named_else_the_shared_extractor_else_the_source():
    assert decided(a_single(), "accept-proposed")["claims"][0]["collectedBy"] == "rent-reader"
    named = changed(
        a_single(), "spec", "candidates", 0, "claimTarget", "collectedBy", value="intake"
    )
    assert decided(named, "accept-proposed")["claims"][0]["collectedBy"] == "intake"
    mixed = changed(a_conflict(), "spec", "candidates", 1, "extraction", "extractor", value="b")
    assert decided(mixed, "reject-proposed", None)["claims"][0]["collectedBy"] == "lease-intake"


# Refusals before any item


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"source": " \ufeff"}, "reviewed-source-blank"),
        ({"generated_at": "June 4 2026"}, "reviewed-generated-at-invalid"),
        ({"generated_at": "2026-02-30T00:00:00Z"}, "reviewed-generated-at-invalid"),
        ({"projection_context_id": "a/b"}, "projection-context-invalid"),
        ({"projection_context_id": ""}, "projection-context-invalid"),
    ],
)
def test_global_refusals(options, expected):
    held, result = a_single(), result_of(a_single(), "accept-proposed")
    assert built([held], [result])["surveyInput"]["claims"]
    assert code(built, [held], [result], **options) == expected
    with pytest.raises(TypeError):
        built([held], [result], **{next(iter(options)): 7})


def test_items_and_results_correspond():
    one, other = a_single(), a_single(name="b")
    results = [result_of(one, "accept-proposed"), result_of(other, "accept-proposed")]
    assert len(built([one, other], results)["surveyInput"]["claims"]) == 2
    assert code(built, [one, one], results) == "ambiguous-item-identity"
    assert code(built, [one, other], [results[0]] * 2) == "ambiguous-result-identity"
    assert code(built, [one], results) == "reviewed-count-mismatch"
    assert code(built, [one, a_single(name="c")], results) == "reviewed-result-missing"
    assert code(built, [{**one, "metadata": {"name": ""}}], results[:1]) == "missing-string"
    stray = {**results[0], "chosenCandidate": {}}
    assert code(built, [one], [stray]) == "unknown-member"
    assert code(built, "{}", results) == "missing-array"


def test_pointers_lead_into_the_arguments():
    held = changed(a_single(), "spec", "candidates", 0, "source", "sourceRef", value="")
    with pytest.raises(SurveyError) as caught:
        built([held], [result_of(a_single(), "accept-proposed")])
    assert caught.value.pointer == "/items/0/spec/candidates/0/source/sourceRef"


# Refusals of one item


def test_row_7_a_conflict_is_not_accepted_by_hand():
    held = a_conflict()
    result = result_of(held, "select-proposed", "c-2")
    assert survey_of(held, result)["claims"]
    result["decision"] = "accept-proposed"
    del result["reviewDecision"]["spec"]["unselectedCandidateIds"]
    assert code(survey_of, held, result) == "conflict-accepted"


@pytest.mark.parametrize(
    "member", ["selectedCandidateId", "selectedValue", "effectiveValue", "editedValue"]
)
@pytest.mark.parametrize("kind", ["reject-proposed", "could-not-confirm"])
def test_row_11_a_result_that_selects_none_selects_none(kind, member):
    held = a_conflict()
    result = result_of(held, kind, None)
    assert survey_of(held, result)["claims"]
    assert code(survey_of, held, {**result, member: "c-1"}) == "selection-not-empty"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("selectedCandidate", "value"), 52001, "selection-mismatch"),
        (("selectedCandidate", "confidence"), 0.9, "selection-mismatch"),
        (("selectedValue",), 48000, "selection-mismatch"),
        (("selectedCandidateId",), "c-9", "selection-mismatch"),
        (("selectedCandidateRole",), "current", "selection-mismatch"),
        (("unselectedCandidates",), [], "unselected-mismatch"),
        (("unselectedCandidates", 0, "value"), True, "unselected-mismatch"),
        (("status",), "assumed", "decision-mismatch"),
        (("rationale",), "other", "decision-mismatch"),
        (("reviewDecision", "spec", "candidateId"), "c-1", "decision-mismatch"),
        (("reviewDecision", "spec", "reviewItemName"), "b", "decision-mismatch"),
        (("reviewDecision", "spec", "status"), "assumed", "decision-mismatch"),
        (("editedValue",), 1, "decision-mismatch"),
        (("reviewDecision", "spec", "unselectedCandidateIds"), [], "passed-over-mismatch"),
        (("reviewDecision", "spec", "unselectedCandidateIds"), ["c-2"], "passed-over-mismatch"),
        (("reviewDecision", "spec", "resolution"), "could_not_confirm", "resolution-mismatch"),
        (("reviewDecision", "spec", "resolution"), "rejected", "resolution-inconsistent"),
        (("effectiveValue",), 48000, "effective-value-mismatch"),
        (("decision",), "toString", "decision-malformed"),
        (("decision",), "keep-current", "decision-not-recordable"),
    ],
)
def test_row_81_a_result_that_was_tampered_with(path, value, expected):
    held = a_conflict()
    result = result_of(held, "select-proposed", "c-2")
    before = copy.deepcopy(held)
    assert survey_of(held, result)["claims"]
    assert code(survey_of, held, changed(result, *path, value=value)) == expected
    assert held == before


def test_true_is_not_one():
    held = a_single(1)
    result = result_of(held, "accept-proposed")
    assert survey_of(held, changed(result, "selectedValue", value=1.0))["claims"]
    assert code(survey_of, held, changed(result, "selectedValue", value=True)) == (
        "selection-mismatch"
    )


def test_could_not_confirm_has_its_resolution():
    held = a_single()
    result = result_of(held, "could-not-confirm")
    assert survey_of(held, result)["claims"]
    bare = rounds.cut(result, "reviewDecision", "spec", "resolution")
    assert code(survey_of, held, bare) == "resolution-mismatch"


def test_an_edit_is_one_the_item_takes():
    held = a_single(editable=False)
    result = result_of(held, "accept-proposed")
    assert survey_of(held, result)["claims"]
    result.update(editedValue=1, effectiveValue=1)
    assert code(survey_of, held, result) == "decision-mismatch"
    result["reviewDecision"]["spec"]["editedValue"] = 1
    assert code(survey_of, held, result) == "edited-value-not-editable"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("claimTarget", "subjectId"), "8", "claim-target-mismatch"),
        (("claimTarget", "claimId"), "claim.x", None),
        (("source", "kind"), "", "candidate-provenance-missing"),
        (("source", "observedAt"), "", "candidate-provenance-missing"),
        (("extraction", "extractor"), "", "candidate-provenance-missing"),
        (("extraction", "extractedAt"), "", "candidate-provenance-missing"),
        (("projection",), {"candidateSetId": "set.x"}, "candidate-set-id-mismatch"),
        (("projection",), {"candidateId": "c-1"}, "ambiguous-candidate-identity"),
        (("source", "checksum"), "sha256:00", "record-conflict"),
        (("projection",), {"extractionId": "a.c-1.extraction"}, "record-conflict"),
    ],
)
def test_candidates_of_one_item_agree(path, value, expected):
    held = changed(a_conflict(), "spec", "candidates", 1, *path, value=value)
    if expected is None:
        assert decided(held, "select-proposed", "c-2")["claims"][0]["id"] == value
    else:
        assert code(decided, held, "select-proposed", "c-2") == expected


def test_a_scheme_may_come_from_the_locator():
    held = rounds.cut(a_single(), "spec", "candidates", 0, "source", "locatorScheme")
    assert decided(held, "accept-proposed")["rawSources"][0]["locatorScheme"] == "text-span"
    bare = rounds.cut(held, "spec", "candidates", 0, "locator")
    assert code(decided, bare, "accept-proposed") == "candidate-provenance-missing"


def test_all_claim_ids_are_one():
    held = a_single(projection={"claimId": "claim.rent"})
    assert decided(held, "accept-proposed")["claims"][0]["id"] == "claim.rent"
    other = changed(held, "spec", "candidates", 0, "projection", value={"claimId": "claim.y"})
    assert code(decided, other, "accept-proposed") == "claim-id-mismatch"


def test_row_82_one_source_id_with_two_contents():
    one, other = a_single(), a_single(name="b")
    results = [result_of(one, "accept-proposed"), result_of(other, "accept-proposed")]
    assert len(built([one, other], results)["surveyInput"]["rawSources"]) == 1
    for member, value in (("sourceRef", "doc:other"), ("observedAt", GENERATED)):
        moved = changed(other, "spec", "candidates", 0, "source", member, value=value)
        tampered = [results[0], result_of(moved, "accept-proposed")]
        assert code(built, [one, moved], tampered) == "record-conflict"


def test_two_items_of_one_claim_id_are_refused():
    one, other = a_single(), a_single(52000, name="b")
    for held in (one, other):
        held["spec"]["candidates"][0]["claimTarget"]["claimId"] = "claim.rent"
    results = [result_of(one, "accept-proposed"), result_of(other, "accept-proposed")]
    assert code(built, [one, other], results) == "record-conflict"


# Field states


def test_row_83_field_states_are_metadata_and_nothing_else():
    imported = rounds.imported(rounds.fee(48000), rounds.fee(52000))
    (held,) = imported.review_items
    chosen = held["spec"]["candidates"][1]["id"]
    result = result_of(held, "select-proposed", chosen)
    bare = survey_of(held, result)
    told = survey_of(held, result, field_states={"imports": [(imported, ())]})
    assert told["claims"][0].pop("metadata") == {
        KEY: {
            "schemaVersion": 1,
            "content": "conflicting",
            "lifecycle": "accepted",
            "decisionBasis": "affirmed",
        }
    }
    assert told == bare
    assert statuses(projected(told)) == statuses(projected(bare))


def test_an_item_of_no_import_has_no_field_state():
    imported = rounds.imported(rounds.fee(48000))
    survey = survey_of(
        a_single(),
        result_of(a_single(), "accept-proposed"),
        field_states={"imports": [{"record": imported, "expectedFields": []}]},
    )
    assert "metadata" not in survey["claims"][0]


def test_a_row_of_a_list_says_which_one_it_is():
    imported = rounds.imported(rounds.fee(48000, pathIndices=[0, 2]))
    (held,) = imported.review_items
    chosen = held["spec"]["candidates"][0]["id"]
    result = result_of(held, "accept-proposed", chosen)
    survey = survey_of(held, result, field_states={"imports": [(imported, ())]})
    (claim,) = projected(survey)["claims"]
    assert claim["qualifiers"] == {"pathIndices": "0.2"}


def test_field_state_input_is_closed():
    given = [[a_single()], [result_of(a_single(), "accept-proposed")]]
    assert built(*given, field_states={"imports": []})
    assert code(built, *given, field_states={}) == "field-state-input-invalid"
    assert code(built, *given, field_states={"imports": [], "decisions": []}) == (
        "field-state-input-invalid"
    )
