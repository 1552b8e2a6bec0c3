"""Sessions as trust bundles.

Rows of the edge table of runs that are proven here, as far as they are about what is exported: 38
(a rival whose words are not there), 39 (a field without an item), 41, 42, 43 (a conflict chosen,
rejected, not confirmed), 46, 48 (undecided items), 47, 92, 93 (items of one claim), 49, 51, 53
(values of another form), 54 (a reviewer's clock that runs ahead), 65 and 70 (who decided), 44 in
``test_row_44_…``. Left to the export of runs: 40 and 45 (its command), 50, 52, 55 to 57, 79, 89 to
91, 94 to 96 and every row about its directory.
"""

import copy

import pytest
from tests.unit.trust.evidence_samples import imported, misplaced, number, site
from tests.unit.trust.exports import (
    ANA,
    DECIDED,
    OPENED,
    USUAL,
    claim_of,
    conflicting_fee,
    decide,
    decided_session,
    exported,
    requests_for,
    session_of,
    single,
    usual,
)
from tests.unit.trust.records import a_single, candidate, item

from survey_fast.canon import canonical_json
from survey_fast.cli.demo_decide import generated_session
from survey_fast.cli.demo_scale import run_scale
from survey_fast.cli.importing import Opening
from survey_fast.errors import SurveyError
from survey_fast.review.session_file import packed, read_session
from survey_fast.trust import reviewed_export
from survey_fast.trust.evidence import missing_import_records
from survey_fast.trust.grounding import evaluate_grounding
from survey_fast.trust.reviewed_export import bundle_text, export_reviewed_bundle
from survey_fast.trust.reviewed_grounding import export_policy
from survey_fast.trust.session_export import export_session
from survey_fast.trust.settled import settled_items
from survey_fast.trust.status import derive_claim_statuses
from survey_fast.trust.validation import validate_trust_bundle

PART = "reviewedExtraction"


def refused(session, **options):
    with pytest.raises(SurveyError) as caught:
        export_session(session, **options)
    return caught.value


def statuses(made, version="3"):
    return derive_claim_statuses(made.export.bundle, now=made.generated_at, version=version)


def status_of(made, reviewed, field):
    claim = claim_of(made, reviewed, field)
    found = {statuses(made, version)[claim["id"]] for version in "234"}
    assert found == {claim["status"]}
    return claim["status"]


def reviewed_evidence(made):
    return [one for one in made.export.bundle["evidence"] if PART in one.get("metadata", {})]


# The whole


def test_a_decided_session_gives_a_bundle_that_validates_and_derives_what_it_states():
    reviewed = usual()
    made = exported(reviewed)
    bundle = validate_trust_bundle(canonical_json(made.export.bundle), writing=True)
    assert bundle["producerId"] == "survey-fast"
    assert bundle["source"] == made.source
    assert made.source.startswith("survey-fast-session:v1:")
    found = {field: status_of(made, reviewed, field) for field in USUAL}
    assert found == {
        "fee": "disputed",  # an excluded rival, as the area
        "area": "disputed",
        "site-6": "verified",
        "site-7": "rejected",
    }


def test_the_same_session_gives_the_same_bytes_in_both_of_its_forms():
    session = decided_session(usual(), USUAL)
    first = bundle_text(export_session(session).document(), max_bytes=1 << 20)
    assert bundle_text(export_session(session).document(), max_bytes=1 << 20) == first
    single_file = read_session(packed(session)[0])
    assert single_file.is_single_file
    assert export_session(single_file).export.bundle == export_session(session).export.bundle


def test_reviewed_evidence_stands_first_and_the_record_rides_once():
    made = exported(usual())
    evidence = made.export.bundle["evidence"]
    count = len(reviewed_evidence(made))
    assert count == 4
    assert evidence[:count] == reviewed_evidence(made)
    carriers = [one for one in evidence[:count] if "importRecord" in one["metadata"][PART]]
    assert carriers == evidence[:1]
    assert not missing_import_records(evidence)
    assert [one["metadata"][PART]["profile"][-2:] for one in evidence[:count]] == [
        *("v3", "v2", "v2", "v2"),
    ]


def test_nothing_that_was_handed_in_changes():
    session = decided_session(usual(), USUAL)
    before = copy.deepcopy(session)
    assert export_session(session).excluded == []
    assert session == before


def test_the_time_of_an_export_is_that_of_its_newest_event_or_of_its_queue():
    reviewed = usual()
    session = session_of([*reviewed.items.values()], reviewed.record)
    later = "2026-11-03T00:00:00.000Z"
    session = decide(session, requests_for(reviewed, {"area": USUAL["area"]}), at=later)
    session = decide(session, requests_for(reviewed, {"fee": USUAL["fee"]}), at=DECIDED)
    assert export_session(session).generated_at == later
    seeded = {"decisionsByItemName": {"a": "accept-proposed"}}
    assert export_session(_seeded(seeded), allow_seeded=True).generated_at == OPENED


def test_a_bundle_is_at_most_three_times_the_size_of_queue_and_record():
    opening = Opening(OPENED)
    scale = run_scale(200, opening)
    session = generated_session(scale, opening)
    text = bundle_text(export_session(session).export.bundle, max_bytes=1 << 28)
    assert len(text) <= 3.0 * (len(session.snapshot) + len(scale.imported.record_bytes))


# What is left out


def test_row_46_an_undecided_item_is_listed_and_the_others_are_exported():
    reviewed = usual()
    made = exported(reviewed, {name: USUAL[name] for name in ("fee", "site-6")})
    assert [one.to_json() for one in made.excluded] == [
        {
            "fieldPath": field,
            "itemNames": [reviewed.items[name]["metadata"]["name"]],
            "code": "EXPORT_UNDECIDED",
        }
        for field, name in (("area", "area"), ("site", "site-7"))
    ]
    assert len(made.export.bundle["claims"]) == 2
    assert made.scope["complete"] is False
    assert not made.is_whole


def test_row_48_nothing_decided_is_refused_with_the_first_reason_and_all_of_them():
    reviewed = usual()
    assert exported(reviewed)
    error = refused(session_of([*reviewed.items.values()], reviewed.record))
    assert error.code == "EXPORT_UNDECIDED"
    assert len(error.details["excluded"]) == 4


def _claims(*values, decided):
    """Items about one claim, decided as told; an absent decision leaves one open."""
    items = [a_single(value, name=f"n{at}") for at, value in enumerate(values)]
    asked = [
        {"item": f"n{at}", "decision": word} for at, word in enumerate(decided) if word is not None
    ]
    other = a_single(1, name="other")
    other["spec"]["candidates"][0]["claimTarget"]["fieldOrBehavior"] = "deposit"
    asked.append({"item": "other", "decision": "accept"})
    return decide(session_of([*items, other]), asked)


def test_row_92_two_accepted_values_of_one_claim_are_both_left_out():
    made = export_session(_claims(1, 2, decided=("accept", "accept")))
    assert [(one.code, one.item_names) for one in made.excluded] == [
        ("EXPORT_CONFLICTING_DECISIONS", ("n0", "n1")),
    ]
    assert [*made.export.claim_ids] == ["other"]


def test_row_93_a_rejected_value_contradicts_none_and_equal_values_agree():
    made = export_session(_claims(1, 2, decided=("accept", "reject")))
    assert not made.excluded
    assert sorted(statuses(made).values()) == ["rejected", "verified", "verified"]
    assert not export_session(_claims(1, 1.0, decided=("accept", "accept"))).excluded


def test_row_47_a_claim_with_an_open_item_is_left_out_whole():
    made = export_session(_claims(1, 1, decided=("accept", None)))
    assert [(one.code, one.item_names) for one in made.excluded] == [
        ("EXPORT_UNDECIDED", ("n1",)),
        ("EXPORT_FIELD_UNSETTLED", ("n0",)),
    ]


def test_rows_of_a_list_are_claims_of_their_own():
    reviewed = imported(site("one", 0), site("two", 1))
    fields = {name: {"decision": "accept"} for name in reviewed.items}
    made = exported(reviewed, fields)
    assert not made.excluded
    told = [one["qualifiers"] for one in made.export.bundle["claims"]]
    assert told == [{"pathIndices": "0"}, {"pathIndices": "1"}]


def test_a_selected_value_that_stands_nowhere_is_left_out_unless_a_person_entered_it():
    bare = a_single(1, name="bare")
    del bare["spec"]["candidates"][0]["locator"]
    typed = copy.deepcopy(bare)
    typed["metadata"]["name"] = "typed"
    one = typed["spec"]["candidates"][0]
    one["claimTarget"]["fieldOrBehavior"] = "deposit"
    one["source"] |= {"kind": "manual-entry", "sourceId": "s-8"}
    asked = [{"item": name, "decision": "accept"} for name in ("bare", "typed")]
    made = export_session(decide(session_of([bare, typed]), asked))
    assert [(one.code, one.item_names) for one in made.excluded] == [
        ("EXPORT_UNGROUNDED_SELECTION", ("bare",)),
    ]
    assert [*made.export.claim_ids] == ["typed"]


def test_row_44_a_first_candidate_without_a_place_does_not_leave_out_a_rejection():
    both = item(candidate("c-1", 1), candidate("c-2", 2))
    del both["spec"]["candidates"][0]["locator"]
    session = session_of([both])
    chosen = {"item": "a", "decision": "select", "candidateId": "c-1"}
    left_out = refused(decide(session, [chosen])).details["excluded"]
    assert [one["code"] for one in left_out] == ["EXPORT_UNGROUNDED_SELECTION"]
    settled = settled_items(
        session.state["items"],
        decide(session, [{"item": "a", "decision": "reject"}]).apply().results,
    )
    assert not settled.excluded


def test_row_39_a_field_whose_every_proposal_was_left_out_stops_the_export():
    accept = {"area": {"decision": "accept"}}
    assert exported(single(12), accept).is_whole
    reviewed = imported(number("area", 12, "12"), misplaced("fee", 61000, "61000"))
    error = refused(decided_session(reviewed, accept))
    assert (error.code, error.details["fieldPaths"]) == ("EXPORT_EXCERPT_MISMATCH", ["fee"])


# How claims stand


def test_row_38_an_excluded_rival_disputes_what_was_accepted():
    reviewed = imported(number("area", 12, "12"), misplaced("area", 14, "14"))
    made = exported(reviewed, {"area": {"decision": "accept"}})
    claim = claim_of(made, reviewed, "area")
    assert status_of(made, reviewed, "area") == "disputed"
    assert [(one["claimId"], one["gaps"]) for one in made.export.refused] == [
        (claim["id"], ["excluded-rival-unresolved"]),
    ]
    events = made.export.bundle["events"]
    assert [one["status"] for one in events] == ["verified", "disputed"]
    assert events[1]["createdAt"] == "2026-11-02T09:00:00.001Z"
    assert made.scope["complete"] is True
    assert made.scope["groundingRefused"] == made.export.refused
    assert not made.is_whole


def test_row_41_a_chosen_value_is_verified_and_says_over_what():
    reviewed = conflicting_fee()
    made = exported(reviewed, {"fee": USUAL["fee"]})
    claim = claim_of(made, reviewed, "fee")
    assert (status_of(made, reviewed, "fee"), claim["value"]) == ("verified", 52000)
    [evidence] = reviewed_evidence(made)
    passed_over = reviewed.items["fee"]["spec"]["candidates"][0]["id"]
    assert evidence["metadata"][PART]["choice"]["chosenOver"] == [passed_over]
    assert evidence["excerptOrSummary"] == "52000"
    assert made.export.grounding["outcome"] == "allowed"
    assert made.is_whole


def test_row_42_a_rejected_conflict_is_one_claim_without_a_value():
    reviewed = conflicting_fee()
    made = exported(reviewed, {"fee": {"decision": "reject"}})
    claim = claim_of(made, reviewed, "fee")
    assert (status_of(made, reviewed, "fee"), claim["value"]) == ("rejected", None)
    assert made.scope["complete"] is True
    assert made.export.grounding["outcome"] == "refused"
    assert made.is_whole


def test_row_43_a_conflict_that_could_not_be_confirmed_is_disputed():
    reviewed = conflicting_fee()
    asked = {"decision": "could-not-confirm", "note": "nobody knows which of them counts"}
    made = exported(reviewed, {"fee": asked})
    claim = claim_of(made, reviewed, "fee")
    assert (status_of(made, reviewed, "fee"), claim["value"]) == ("disputed", None)
    assert made.export.refused == made.export.unchecked == []


def _form(value, word, **members):
    match = {
        "checkerVersion": "evidence-match-v4",
        "schema": word,
        "tokenBoundary": True,
        "valueInExcerpt": "match",
    }
    return single(value, evidenceMatch=match, **members)


def test_row_49_a_number_that_is_a_text_is_disputed():
    reviewed = _form("12", "type-mismatch")
    made = exported(reviewed, {"area": {"decision": "accept"}})
    assert status_of(made, reviewed, "area") == "disputed"
    [entry] = made.export.refused
    assert "schema-mismatch" in entry["gaps"]
    assert entry["schemaMatch"] == "type-mismatch"
    assert "schema-mismatch (type-mismatch)" in made.export.bundle["events"][-1]["notes"]


def test_row_51_a_date_of_another_form_is_disputed_for_that_alone():
    reviewed = _form("12", "format-invalid", valueType="date")
    made = exported(reviewed, {"area": {"decision": "accept"}})
    assert status_of(made, reviewed, "area") == "disputed"
    assert [one["gaps"] for one in made.export.refused] == [["schema-mismatch"]]
    assert made.export.grounding["outcome"] == "refused"


def test_row_53_a_list_cannot_be_checked_and_stays_verified():
    reviewed = single(["12"], valueType="array")
    made = exported(reviewed, {"area": {"decision": "accept"}})
    assert status_of(made, reviewed, "area") == "verified"
    assert made.export.refused == []
    assert len(made.export.unchecked) == 1
    assert made.scope["groundingUnchecked"] == made.export.unchecked
    assert made.is_whole


def test_row_54_a_dispute_follows_a_reviewer_whose_clock_runs_ahead():
    reviewed = imported(number("area", 12, "12"), misplaced("area", 14, "14"))
    far = "2999-01-01T00:00:00.000Z"
    made = exported(reviewed, {"area": {"decision": "accept"}}, at=far)
    assert made.generated_at == far
    assert made.export.bundle["events"][-1]["createdAt"] == "2999-01-01T00:00:00.001Z"
    assert status_of(made, reviewed, "area") == "disputed"


def test_the_receipt_is_what_anyone_can_evaluate_from_the_bundle_alone():
    made = exported(usual())
    bundle = made.export.bundle
    policy = export_policy([claim["id"] for claim in bundle["claims"]])
    again = evaluate_grounding(policy, bundle["evidence"], bundle["claims"])
    assert {name: made.export.grounding[name] for name in again} == again
    assert made.export.grounding["kind"] == "ReviewedGroundingEvaluation"


def test_field_states_are_told_and_change_no_status():
    reviewed = usual()
    made = exported(reviewed)
    told = claim_of(made, reviewed, "area")["metadata"]["survey.kontourai.io/field-state"]
    assert (told["content"], told["lifecycle"]) == ("value", "accepted")
    without = exported(reviewed, recorded=False)
    claim = claim_of(without, reviewed, "area")
    assert "survey.kontourai.io/field-state" not in claim["metadata"]


# Without a record, and without evidence for an item


def test_without_its_import_record_a_session_is_exported_unjudged_and_says_so():
    made = exported(usual(), recorded=False)
    assert made.export.grounding["outcome"] == "not-evaluated"
    assert made.export.grounding["reason"] == "import-record-missing"
    assert reviewed_evidence(made) == []
    assert made.attestation.state == "unverified"
    assert set(statuses(made).values()) == {"verified", "rejected"}
    assert made.is_whole


def test_an_item_without_evidence_is_told_and_its_claim_is_refused_not_disputed():
    reviewed = usual()
    assert not exported(reviewed).export.without_evidence
    session = session_of([*reviewed.items.values()], reviewed.record, actor="Ana of the office")
    asked = requests_for(reviewed, {"site-6": USUAL["site-6"]})
    session = decide(session, asked, stamped=False)
    session = decide(session, requests_for(reviewed, {"site-7": {"decision": "accept"}}))
    made = export_session(session)
    name = reviewed.items["site-6"]["metadata"]["name"]
    assert [*made.export.without_evidence] == [name]
    assert made.export.without_evidence[name].code == "evidence-malformed"
    assert [one["gaps"] for one in made.export.refused] == [["missing-reviewed-evidence"]]
    assert status_of(made, reviewed, "site-6") == "verified"
    # The next one carries the record that the first would have carried.
    [evidence] = reviewed_evidence(made)
    assert "importRecord" in evidence["metadata"][PART]


def test_a_round_that_compares_two_extractions_is_not_judged_either():
    session = decided_session(usual(), USUAL)
    settled = settled_items(session.state["items"], session.apply().results)
    made = export_reviewed_bundle(
        source="run-1",
        generated_at=DECIDED,
        items=settled.items,
        results=settled.results,
        origin="unsupported-review-shape",
    )
    assert made.grounding["reason"] == "unsupported-review-shape"
    assert made.bundle["source"] == "run-1"


# Who decided


def test_row_65_and_row_70_a_decision_is_attributed_to_the_host_s_stamp_or_to_the_round():
    reviewed = usual()
    session = session_of([*reviewed.items.values()], reviewed.record)
    session = decide(session, requests_for(reviewed, {"area": USUAL["area"]}))
    session = decide(session, requests_for(reviewed, {"site-6": USUAL["site-6"]}), stamped=False)
    scope = export_session(session).scope
    told = [(one["actor"], one["decidedAt"], one.get("mode")) for one in scope["decisions"]]
    assert told == [
        ({"id": ANA.id, "kind": "human"}, DECIDED, "individual"),
        ({"id": "unattributed", "kind": "legacy-synthetic-actor"}, OPENED, None),
    ]
    assert (scope["revision"], scope["eventCount"]) == (session.revision, len(session.events))


# Refusals


def test_a_blind_round_gives_nothing_out_before_it_is_completed():
    reviewed = usual()
    session = session_of(
        [*reviewed.items.values()], reviewed.record, presentation={"scoreBlind": True}
    )
    asked = requests_for(reviewed, USUAL)
    assert refused(decide(session, asked)).code == "scores-withheld"
    assert export_session(decide(session, asked, complete=True)).export.bundle["claims"]
    # A completion that no host stamped ends nothing.
    unstamped = decide(session, asked, stamped=False, complete=True)
    assert refused(unstamped).code == "scores-withheld"


def test_a_queue_that_its_import_does_not_derive_is_refused():
    reviewed = usual()
    assert exported(reviewed)
    edited = copy.deepcopy(reviewed.items)
    edited["area"]["spec"]["candidates"][0]["value"] = 13
    session = decide(session_of([*edited.values()], reviewed.record), requests_for(reviewed, USUAL))
    assert refused(session).code == "item-diverges-from-extraction"


def _seeded(members):
    session = session_of([a_single()])
    state = {**session.state, **members}
    document = {
        "session": {
            "apiVersion": "survey.kontourai.io/v1alpha1",
            "kind": "ReviewSession",
            "metadata": {"name": "round"},
        },
        "snapshot": state,
        "events": [],
    }
    return read_session(canonical_json(document))


def test_decisions_that_no_event_accounts_for_are_exported_only_when_allowed():
    seeded = _seeded({"decisionsByItemName": {"a": "accept-proposed"}})
    assert export_session(seeded, allow_seeded=True).export.bundle["claims"]
    assert refused(seeded).code == "seeded-snapshot"


def test_a_bundle_that_its_own_validator_refuses_is_never_handed_out(monkeypatch):
    reviewed = usual()
    assert exported(reviewed)
    built = reviewed_export.project_records

    def broken(*arguments, **options):
        bundle = built(*arguments, **options)
        bundle["events"][0]["notes"] = ""
        return bundle

    monkeypatch.setattr(reviewed_export, "project_records", broken)
    error = refused(decided_session(reviewed, USUAL))
    assert (error.code, error.details["code"]) == ("EXPORT_INVALID_BUNDLE", "missing-string")
    assert error.pointer == "/events/0/notes"


def test_an_export_above_its_cap_is_refused():
    bundle = exported(usual()).export.bundle
    text = bundle_text(bundle, max_bytes=1 << 20)
    assert bundle_text(bundle, max_bytes=len(text) - 1) == text
    with pytest.raises(SurveyError) as caught:
        bundle_text(bundle, max_bytes=len(text) - 2)
    assert caught.value.code == "EXPORT_TOO_LARGE"


def test_nothing_to_export_is_no_bundle():
    with pytest.raises(SurveyError) as caught:
        export_reviewed_bundle(
            source="s", generated_at=DECIDED, items=[], results=[], origin="import-record-missing"
        )
    assert caught.value.code == "EXPORT_NOT_PROJECTABLE"


def test_two_items_that_would_be_one_claim_are_refused():
    hint = {"candidateSetId": "set", "reviewOutcomeId": "review", "claimId": "claim"}
    items = [a_single(1, name=name, projection=hint) for name in ("a", "b")]
    for one in items:
        two = one["spec"]["candidates"][0]
        two["projection"] = {**hint, "extractionId": "extraction"}
    asked = [{"item": name, "decision": "accept"} for name in ("a", "b")]
    assert export_session(decide(session_of(items[:1]), asked[:1])).is_whole
    assert refused(decide(session_of(items), asked)).code == "EXPORT_NOT_PROJECTABLE"
