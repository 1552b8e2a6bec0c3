"""Grounding policies: every reason of 7.2, coverage, signals, and the split of an export.

Proves rows G1 to G10, and each row of the table of reasons under its number. Row 8 of that table
(``missing-exact-locator``) cannot be met: evidence without a locator does not restore, which is
row 6. Leaves the dispute itself, and observations of a source, to what builds them.
"""

import copy
from functools import partial

import pytest
from tests.unit.imports.samples import refused
from tests.unit.trust.evidence_samples import (
    KEY,
    Round,
    decision,
    edited,
    evaluated,
    evidence_of,
    gaps_of,
    given,
    golden,
    imported,
    kinds,
    misplaced,
    number,
    of_record,
    proposals,
)

from survey_fast.trust.evidence import (
    RecordResolver,
    attach_import_records,
    project_evidence,
    project_reviewed_extraction_evidence,
    read_record,
)
from survey_fast.trust.grounding import evaluate_grounding, ground
from survey_fast.trust.reviewed_grounding import (
    EXPORT_ACTION,
    dispute_reasons,
    evidence_id,
    export_policy,
    split_grounding,
)

STRICT = {
    "requireExactLocator": True,
    "requirePreparedArtifact": True,
    "requireAcceptedReview": True,
    "requireValidatedStructure": True,
    "requireVerifiedExcerpts": True,
    "refuseExcludedRivals": True,
    "refuseChosenOverRivals": True,
}
NAMED = {"claimId": "claim", "evidenceId": "evidence-4"}
LISTED = "metadata/producer"


@pytest.fixture(scope="module")
def reviewed():
    return imported()


@pytest.fixture(scope="module")
def plain():
    """A round without rivals."""
    return imported(number("area", 12, "12"))


def of_field(reviewed, field="area", **options):
    item = options.pop("item", None) or copy.deepcopy(reviewed.items[field])
    return [evidence_of(reviewed, given(item, **options))]


def bound(item, changes):
    """A copy with members of its import binding set, or left out where None."""
    item = copy.deepcopy(item)
    binding = item["metadata"]["producer"][KEY]
    for name, value in changes.items():
        if value is None:
            binding.pop(name, None)
        else:
            binding[name] = value
    return item


# Reasons of the caller


def test_row_g1_three_ways_of_asking_for_nothing(plain):
    evidence = of_field(plain)
    assert evaluated(plain, evidence, 12)["outcome"] == "allowed"
    assert kinds(evaluated(plain, evidence, 12, required=[])) == ["no-required-claims"]
    assert kinds(evaluated(plain, evidence, 12, claims=None)) == ["claims-not-supplied"]
    absent = evaluated(plain, evidence, 12, claims=[])
    assert absent["gaps"] == [{"kind": "claim-missing", "claimId": "claim"}]
    assert absent["evaluatedClaimIds"] == ["claim"]


def test_reason_4_a_claim_without_reviewed_evidence(plain):
    other = {"id": "e", "claimId": "claim", "metadata": {"reviewedExtraction": None}}
    for evidence in ([], [other], [{**of_field(plain)[0], "claimId": "another"}]):
        decided = evaluated(plain, evidence, 12)
        assert decided["gaps"] == [{"kind": "missing-reviewed-evidence", "claimId": "claim"}]


def test_reason_5_a_record_that_nobody_holds(plain):
    policy = {"id": "policy", "action": "action", "requiredClaimIds": ["claim"]}
    claims = [{"id": "claim", "value": 12}]
    evidence = of_field(plain, index=0)
    decided = evaluate_grounding(policy, evidence, claims)
    named = {"claimId": "claim", "evidenceId": "evidence-0"}
    digest = plain.context.digest
    assert decided["gaps"] == [
        {"kind": "import-record-unresolved", **named, "importRecordDigest": digest}
    ]
    assert decided["dimensions"] == []
    carrying = attach_import_records(evidence, [plain.context])
    assert evaluate_grounding(policy, carrying, claims)["outcome"] == "allowed"


def test_reason_6_evidence_that_does_not_restore(plain):
    evidence = of_field(plain)
    evidence[0]["sourceLocator"] = "chars:1-3"
    decided = evaluated(plain, evidence, 12)
    assert decided["gaps"] == [
        {"kind": "invalid-reviewed-evidence", "claimId": "claim", "evidenceId": "evidence-0"}
    ]


def test_evidence_at_hand_is_judged_as_if_it_had_been_restored(reviewed):
    """What was written in one export is not read back; an equal item of somebody else is."""
    written = [
        project_evidence(reviewed.context, given(item, evidenceId=f"evidence-{at}"))
        for at, item in enumerate(reviewed.items.values())
    ]
    claims = [{"id": "claim", "value": 12}]
    policy = export_policy(["claim"])
    items = [one.evidence for one in written]
    read = ground(policy, items, claims, resolver=reviewed.resolver())
    known = ground(policy, items, claims, resolver=reviewed.resolver(), written=written)
    assert len(known.decision["dimensions"]) == len(items) > 3
    assert known.decision == read.decision
    assert all(known.restored[one.evidence["id"]] is one.derivation for one in written)

    copies = copy.deepcopy(items)
    copies[0]["sourceLocator"] = "chars:1-3"
    forged = ground(policy, copies, claims, resolver=reviewed.resolver(), written=written)
    assert "invalid-reviewed-evidence" in kinds(forged.decision)


def test_reason_8_a_locator_is_missing_only_where_nothing_restores(plain):
    evidence = of_field(plain)
    del evidence[0]["sourceLocator"]
    decided = evaluated(plain, evidence, 12, requireExactLocator=True)
    assert kinds(decided) == ["invalid-reviewed-evidence"]


# Reasons of the evidence


def test_reasons_7_10_and_19_a_review_that_did_not_accept(plain):
    item = plain.items["area"]
    made = decision(item, status="proposed", resolution="held")
    evidence = of_field(plain, made=made)
    name = made["metadata"]["name"]
    assert kinds(evaluated(plain, evidence, 12)) == ["evidence-not-entailing", "profile-gap"]
    decided = evaluated(plain, evidence, 12, requireAcceptedReview=True)
    assert [gap for gap in decided["gaps"] if gap["kind"] == "review-not-accepted"] == [
        {
            "kind": "review-not-accepted",
            "claimId": "claim",
            "evidenceId": "evidence-0",
            "reviewDecisionName": name,
        }
    ]
    assert decided["gaps"][-1]["gap"] == {"kind": "review-not-accepted", "disposition": "held"}
    assert decided["dimensions"][0]["reviewDisposition"] == "held"


def test_reason_9_an_extraction_without_a_prepared_artifact():
    result = "importRecord/spec/envelope/result"
    bare = edited(
        golden(), ["del", f"{result}/preparedArtifact"], ["del", f"{result}/preparedArtifactState"]
    )
    evidence = project_reviewed_extraction_evidence(bare)
    bare_round = Round(bare["importRecord"], read_record(bare["importRecord"]), {})
    options = {
        "required": [bare["claimId"]],
        "claims": [{"id": bare["claimId"], "value": "Alpha"}],
    }
    assert kinds(evaluated(bare_round, [evidence], None, **options)) == [
        "evidence-not-entailing",
        "profile-gap",
    ]
    decided = evaluated(bare_round, [evidence], None, requirePreparedArtifact=True, **options)
    assert kinds(decided)[1] == "missing-prepared-artifact"
    assert decided["dimensions"][0]["preparedArtifact"] == {"status": "missing"}


def test_reason_11_structure_that_does_not_hold():
    untyped = imported(number("area", 12, "12", valueType="array"))
    evidence = of_field(untyped)
    assert "structure-not-validated" not in kinds(evaluated(untyped, evidence, 12))
    decided = evaluated(untyped, evidence, 12, requireValidatedStructure=True)
    assert decided["gaps"][1]["structuralTrust"] == "unvalidated"
    assert kinds(decided) == ["evidence-not-entailing", "structure-not-validated", "profile-gap"]


def state(status, observed=None, expected="sample:document", **members):
    told = {
        "evidenceId": "evidence-0",
        "status": status,
        "expectedSnapshotRef": expected,
        "observedAt": "2026-10-06T00:00:00Z",
        **members,
    }
    return told if observed is None else {**told, "observedSnapshotRef": observed}


def test_reason_12_a_source_state_that_contradicts_itself(plain):
    evidence = of_field(plain)
    here = "sample:document"
    for coherent in (state("current", here), state("drifted", "other"), state("unknown")):
        assert kinds(evaluated(plain, evidence, 12, source_states=[coherent])) == []
    for incoherent in (
        [state("current", "other")],
        [state("current")],
        [state("drifted", here)],
        [state("drifted")],
        [state("unknown", here)],
        [state("current", "other", expected="other")],
        [state("current", here), state("drifted", "other")],
    ):
        decided = evaluated(plain, evidence, 12, source_states=incoherent)
        assert kinds(decided) == ["source-state-incoherent"]
    same = [state("current", here), state("current", here)]
    assert kinds(evaluated(plain, evidence, 12, source_states=same)) == []


def test_reason_13_a_source_that_is_not_current(plain):
    evidence = of_field(plain)
    asked = {"requireCurrentSource": True}
    current = [state("current", "sample:document")]
    assert kinds(evaluated(plain, evidence, 12, source_states=current, **asked)) == []
    drifted = [state("drifted", "other")]
    decided = evaluated(plain, evidence, 12, source_states=drifted, **asked)
    assert (kinds(decided), decided["gaps"][0]["status"]) == (["source-not-current"], "drifted")
    assert evaluated(plain, evidence, 12, **asked)["gaps"][0]["status"] == "unknown"


def test_row_g2_excerpts_count_as_verified_only_when_import_and_item_say_so(plain):
    asked = {"requireVerifiedExcerpts": True}
    item = plain.items["area"]
    decided = evaluated(plain, of_field(plain), 12, **asked)
    assert decided["outcome"] == "allowed"
    assert decided["dimensions"][0]["excerptVerification"] == "verified"
    unverified = imported(number("area", 12, "12"), verify=False)
    told = bound(unverified.items["area"], {"excerptVerification": "verified"})
    for reviewed, changed in (
        (plain, bound(item, {"excerptVerification": None})),
        (plain, bound(item, {"excerptVerification": True})),
        (plain, bound(item, {"proposalIndices": [1]})),
        (plain, bound(item, {"importName": "other"})),
        (unverified, told),
    ):
        evidence = of_field(reviewed, item=changed)
        assert kinds(evaluated(reviewed, evidence, 12, **asked))[0] == "excerpt-not-verified"


# Rivals


def test_reason_15_a_value_chosen_over_a_rival(reviewed):
    evidence = of_field(reviewed, "fee")
    rival = reviewed.items["fee"]["spec"]["candidates"][1]["id"]
    decided = evaluated(reviewed, evidence, 48000)
    assert decided["outcome"] == "allowed"
    assert decided["dimensions"][0]["choice"]["chosenOver"] == [rival]
    decided = evaluated(reviewed, evidence, 48000, refuseChosenOverRivals=True)
    assert (kinds(decided), decided["gaps"][0]["rivalCandidateIds"]) == (
        ["chosen-over-rival-unresolved"],
        [rival],
    )


def test_evidence_for_the_rival_never_grounds(reviewed):
    evidence = of_field(reviewed, "fee", index=1)
    for value in (48000, 52000):
        decided = evaluated(reviewed, evidence, value, requireAcceptedReview=True)
        assert kinds(decided)[:3] == [
            "evidence-not-entailing",
            "review-not-accepted",
            "profile-gap",
        ]


def test_row_g3_an_excluded_rival_has_another_value_for_the_same_claim(reviewed):
    evidence = of_field(reviewed)
    decided = evaluated(reviewed, evidence, 12)
    assert decided["outcome"] == "allowed"
    assert decided["dimensions"][0]["excludedRivals"] == {"rivalProposalIndices": [5]}
    decided = evaluated(reviewed, evidence, 12, refuseExcludedRivals=True)
    assert decided["gaps"] == [
        {"kind": "excluded-rival-unresolved", **NAMED, "rivalProposalIndices": [5]}
    ]
    for rival in (misplaced("area", 12.0, "14"), misplaced("fee", 14, "14")):
        agreeing = imported(number("area", 12, "12"), rival)
        decided = evaluated(agreeing, of_field(agreeing), 12, refuseExcludedRivals=True)
        assert decided["outcome"] == "allowed"
    in_another_row = {**misplaced("area", 14, "14"), "pathIndices": [0]}
    rows = imported(number("area", 12, "12"), in_another_row)
    decided = evaluated(rows, of_field(rows), 12, refuseExcludedRivals=True)
    assert decided["outcome"] == "allowed"


def test_row_g4_a_diagnostic_tells_the_rival_that_its_item_hides(reviewed):
    item = bound(reviewed.items["area"], {"excludedProposals": None})
    evidence = of_field(reviewed, item=item)
    assert evaluated(reviewed, evidence, 12)["outcome"] == "allowed"
    decided = evaluated(reviewed, evidence, 12, refuseExcludedRivals=True)
    assert decided["gaps"] == [
        {"kind": "excluded-rival-unresolved", **NAMED, "rivalProposalIndices": [5]}
    ]


def test_row_g5_an_entry_that_disagrees_with_the_record_is_counted(reviewed):
    item = reviewed.items["area"]
    entry = item["metadata"]["producer"][KEY]["excludedProposals"][0]
    for changed in (
        {"value": 15},
        {"proposalIndex": 99},
        {"proposalIndex": -1},
        {"proposalIndex": 4},
        {"locator": "chars:0-2"},
        {"excerpt": 1},
    ):
        altered = bound(item, {"excludedProposals": [{**entry, **changed}]})
        decided = evaluated(
            reviewed, of_field(reviewed, item=altered), 12, refuseExcludedRivals=True
        )
        assert kinds(decided) == ["excluded-rival-unresolved"]
        assert decided["gaps"][0]["unreadable"] == {"reason": "malformed-entries", "count": 1}
        assert decided["gaps"][0]["rivalProposalIndices"] == [5]
    no_list = bound(item, {"excludedProposals": {}})
    decided = evaluated(reviewed, of_field(reviewed, item=no_list), 12)
    assert decided["dimensions"][0]["excludedRivals"]["unreadable"] == {
        "reason": "malformed-entries"
    }


def test_row_g6_an_item_that_lost_its_binding_is_told_without_a_count(plain):
    item = edited(plain.items["area"], ["del", LISTED])
    evidence = of_field(plain, item=item)
    assert evaluated(plain, evidence, 12)["outcome"] == "allowed"
    decided = evaluated(plain, evidence, 12, refuseExcludedRivals=True)
    assert decided["gaps"][0]["unreadable"] == {"reason": "binding-broken"}


def test_exclusions_on_a_broken_binding_are_counted(reviewed):
    item = bound(reviewed.items["area"], {"importName": "other"})
    decided = evaluated(reviewed, of_field(reviewed, item=item), 12)
    assert decided["dimensions"][0]["excludedRivals"] == {
        "rivalProposalIndices": [5],
        "unreadable": {"reason": "binding-broken", "count": 1},
    }


def test_row_g7_a_conflict_cut_down_to_one_candidate():
    conflict = imported(
        number("fee", 52000, "52000"), number("fee", 48000, "48000"), number("fee", 12, "12")
    )
    item = edited(conflict.items["fee"], ["del", "spec/candidates/2"], ["del", "spec/candidates/0"])
    made = decision(item)
    evidence = of_field(conflict, item=item, made=made)
    decided = evaluated(conflict, evidence, 48000)
    assert decided["gaps"] == [
        {
            "kind": "hidden-conflict",
            "claimId": "claim",
            "evidenceId": "evidence-1",
            "rivalProposalIndices": [0, 2],
            "droppedProposalIndices": [0, 2],
        }
    ]
    whole = of_field(conflict, "fee")
    assert evaluated(conflict, whole, 52000)["outcome"] == "allowed"


def test_an_entry_cannot_make_a_rival_excluded():
    conflict = imported(number("fee", 48000, "48000"), number("fee", 52000, "52000"))
    rival = conflict.record["spec"]["envelope"]["result"]["proposals"][1]
    entry = {
        "proposalIndex": 1,
        "value": 52000,
        "locator": rival["provenance"]["locator"],
        "excerpt": rival["provenance"]["excerpt"],
        "reason": "excerpt-mismatch",
    }
    item = edited(conflict.items["fee"], ["del", "spec/candidates/1"])
    item = bound(item, {"excludedProposals": [entry], "proposalIndices": [0]})
    evidence = of_field(conflict, item=item, made=decision(item))
    assert kinds(evaluated(conflict, evidence, 48000)) == ["hidden-conflict"]


def test_a_dropped_proposal_of_the_same_value_counts():
    same = imported(number("fee", 48000, "48000"), number("fee", 48000, "48000", nth=1))
    item = copy.deepcopy(same.items["fee"])
    assert evaluated(same, of_field(same, item=item), 48000)["outcome"] == "allowed"
    del item["spec"]["candidates"][0]["producer"][KEY]["sameValueProposals"]
    decided = evaluated(same, of_field(same, item=item), 48000)
    assert decided["gaps"][0]["rivalProposalIndices"] == []
    assert decided["gaps"][0]["droppedProposalIndices"] == [1]


def test_row_g8_an_old_item_beside_a_rival_is_shown_and_refused_on_request():
    conflict = imported(number("fee", 48000, "48000"), number("fee", 52000, "52000"))
    record = edited(conflict.record, ["del", "status/provenance"])
    item = edited(conflict.items["fee"], ["del", "spec/candidates/1"])
    item = bound(item, {"proposalIndices": None, "excerptVerification": None})
    old = Round(record, read_record(record), {})
    evidence = of_field(old, item=item, made=decision(item))
    decided = evaluated(old, evidence, 48000)
    assert decided["outcome"] == "allowed"
    assert decided["dimensions"][0]["hiddenConflict"] == {
        "rivalProposalIndices": [1],
        "droppedProposalIndices": [],
    }
    for flag in ("refuseExcludedRivals", "refuseChosenOverRivals"):
        assert kinds(evaluated(old, evidence, 48000, **{flag: True})) == ["hidden-conflict"]


# Coverage and value


def covered(**members):
    """The area item of an import whose result holds ``members``."""
    found = imported(number("area", 12, "12"))
    record = copy.deepcopy(found.record)
    record["spec"]["envelope"]["result"].update(members)
    return of_record(record, list(found.items.values()))


@pytest.mark.parametrize(
    ("members", "told"),
    [
        (
            {"outcome": {"status": "partial", "reason": "max-chunks"}, "partial": {}},
            {"outcome": "partial", "reason": "max-chunks"},
        ),
        (
            {"warningClassifications": [{"category": "content", "code": "content-truncated"}]},
            {"outcome": "failure"},
        ),
        ({"warningClassifications": {}}, {"outcome": "failure"}),
        ({"coverage": {}}, {"outcome": "failure"}),
        ({"coverage": [{"status": "unread"}]}, {"outcome": "failure"}),
        ({"partial": None}, {"outcome": "failure"}),
        (
            {"outcome": {"status": "failure", "code": "provider-down"}},
            {"outcome": "failure", "reason": "provider-down"},
        ),
        ({"outcome": None}, {"outcome": "failure"}),
        ({"providerFailures": None}, {"outcome": "failure"}),
        (
            {"providerFailures": [{}, {}]},
            {"outcome": "provider-failure", "providerFailureCount": 2},
        ),
        (
            {"providerFailures": [{}], "coverage": [{"status": "unread"}]},
            {"outcome": "failure", "providerFailureCount": 1},
        ),
    ],
    ids=[
        *("partial", "truncated", "warnings", "coverage", "unread", "null partial", "failure"),
        *("no outcome", "null failures", "failures", "failures and unread"),
    ],
)
def test_row_g9_an_incomplete_extraction_is_refused_whatever_the_policy(members, told):
    partly = covered(**members)
    named = {"claimId": "claim", "evidenceId": "evidence-0"}
    decided = evaluated(partly, of_field(partly), 12)
    assert decided["gaps"] == [{"kind": "extraction-coverage-incomplete", **named, **told}]


def test_row_g9_a_complete_extraction_is_allowed():
    whole = covered(
        providerFailures=[],
        coverage=[{"status": "complete"}],
        warningClassifications=[{"category": "content", "code": "normalized"}],
    )
    assert evaluated(whole, of_field(whole), 12)["outcome"] == "allowed"


def test_row_g10_a_claim_has_the_value_that_was_reviewed():
    value = {"a": 1, "b": [True, None]}
    nested = imported(number("area", value, "12", valueType="object"))
    evidence = of_field(nested)
    allowed = ["evidence-not-entailing", "profile-gap"]
    assert kinds(evaluated(nested, evidence, {"b": [True, None], "a": 1.0})) == allowed
    for other in ({"a": 1, "b": [1, None]}, {"a": 1}, None, "", [], 0, False):
        decided = evaluated(nested, evidence, other)
        assert kinds(decided) == [*allowed, "value-mismatch"]
        told = decided["gaps"][-1]
        assert told["candidateValueDigest"] == decided["dimensions"][0]["candidateValueDigest"]
        assert told["claimValueDigest"] != told["candidateValueDigest"]


# The decision


def test_a_decision_has_its_members_and_a_dimension_for_each_item(plain):
    decided = evaluated(plain, of_field(plain), 12, **STRICT)
    item = plain.items["area"]["metadata"]["name"]
    assert decided == {
        "policyId": "policy",
        "action": "action",
        "outcome": "allowed",
        "evaluatedClaimIds": ["claim"],
        "evidenceIds": ["evidence-0"],
        "reviewItemNames": [item],
        "reviewDecisionNames": [f"{item}.decision"],
        "dimensions": [
            {
                "claimId": "claim",
                "evidenceId": "evidence-0",
                "reviewItemName": item,
                "reviewDecisionName": f"{item}.decision",
                "candidateValueDigest": decided["dimensions"][0]["candidateValueDigest"],
                "reviewDisposition": "verified",
                "structuralTrust": "validated",
                "typeOrigin": "explicit",
                "exactLocator": "chars:60-62",
                "preparedArtifact": {
                    "status": "available",
                    "integrityRef": f"sha256:{plain.context.artifact.digest}",
                },
                "sourceState": "unknown",
                "excerptVerification": "verified",
            }
        ],
        "gaps": [],
    }


def test_reasons_stand_in_their_order(reviewed):
    item = bound(reviewed.items["area"], {"excludedProposals": [{}]})
    made = decision(item, status="proposed")
    evidence = of_field(reviewed, item=item, made=made, structuralTrust="invalid")
    states = [{**state("current", "other"), "evidenceId": "evidence-4"}]
    decided = evaluated(
        reviewed, evidence, 13, source_states=states, requireCurrentSource=True, **STRICT
    )
    assert kinds(decided) == [
        "evidence-not-entailing",
        "review-not-accepted",
        "structure-not-validated",
        "source-state-incoherent",
        "excluded-rival-unresolved",
        "profile-gap",
        "profile-gap",
        "value-mismatch",
    ]


def test_the_readers_refuse_by_place(plain):
    evidence = of_field(plain)
    evaluated(plain, evidence, 12)
    for options, place in (
        ({"claims": [{"id": "claim"}]}, "/claims/0/value"),
        ({"claims": [{"value": 1}]}, "/claims/0"),
        ({"claims": [{"id": "a", "value": 1}] * 2}, "/claims/1"),
        ({"required": ["claim", 1]}, "/policy/requiredClaimIds"),
        ({"required": None}, "/policy/requiredClaimIds"),
        ({"requireExactLocator": 1}, "/policy/requireExactLocator"),
        ({"requireAll": True}, "/policy/requireAll"),
        ({"action": ""}, "/policy/action"),
        ({"source_states": [1]}, "/sourceStates/0"),
        ({"source_states": [state("x")]}, "/sourceStates/0/status"),
        ({"source_states": [state("current", extra=1)]}, "/sourceStates/0/extra"),
        ({"source_states": [state("current", expected=None)]}, None),
        ({"source_states": [state("unknown", observedAt="now")]}, "/sourceStates/0/observedAt"),
        ({"source_states": [state("unknown", extractedValueChanged=1)]}, None),
    ):
        found = refused(partial(evaluated, plain, evidence, 12, **options))
        assert found[0] == "grounding-input-malformed"
        if place is not None:
            assert found[1] == place
    for wrong, place in (
        ([1], "/evidence/0"),
        ([{"id": "e"}], "/evidence/0"),
        ([{"claimId": "claim"}], "/evidence/0/id"),
        (evidence * 2, "/evidence/1/id"),
    ):
        assert refused(evaluated, plain, wrong, 12) == ("grounding-input-malformed", place)
    assert refused(evaluated, plain, evidence, float("nan")) == (
        "json-number-range",
        "/claims/0/value",
    )
    with pytest.raises(TypeError):
        evaluated(plain, "[]", 12)
    with pytest.raises(TypeError):
        evaluated(plain, evidence, 12, claims={"claim": 12})


# The export's own policy


def split(reviewed, items, value, verified=("claim",)):
    policy = export_policy(["claim"])
    claims = [{"id": "claim", "value": value}]
    found = ground(policy, items, claims, resolver=RecordResolver([reviewed.context]))
    return split_grounding(found, dict.fromkeys(verified, "area"))


def test_the_export_allows_a_value_chosen_over_rivals():
    policy = export_policy(["claim"])
    assert policy["action"] == EXPORT_ACTION == "survey-fast/reviewed-export"
    assert policy["id"] == "survey-fast/reviewed-export-grounding/v1"
    conflict = imported(*proposals()[:3])
    assert split(conflict, of_field(conflict, "fee"), 48000).receipt["outcome"] == "allowed"
    assert evidence_id("item") == "item.reviewed-extraction-evidence"
    assert policy.get("refuseChosenOverRivals") is None


def test_structure_that_cannot_be_checked_leaves_a_claim_unchecked():
    untyped = imported(number("area", 12, "12", valueType="array"))
    found = split(untyped, of_field(untyped), 12)
    assert found.refused == []
    assert found.unchecked == [
        {
            "claimId": "claim",
            "fieldPath": "area",
            "gaps": ["evidence-not-entailing", "structure-not-validated", "profile-gap"],
            "evidenceIds": ["evidence-0"],
        }
    ]
    assert found.receipt["kind"] == "ReviewedGroundingEvaluation"
    assert found.receipt["outcome"] == "refused"
    assert dispute_reasons(found.unchecked[0]) == []


def test_a_value_of_another_type_is_a_schema_mismatch():
    as_text = imported(number("area", "12", "12"))
    found = split(as_text, of_field(as_text), "12")
    assert found.unchecked == []
    assert found.refused[0]["gaps"][-1] == "schema-mismatch"
    assert "schemaMatch" not in found.refused[0]
    assert dispute_reasons(found.refused[0]) == ["schema-mismatch (invalid)"]
    assert found.receipt["gaps"][-1] == {
        "kind": "schema-mismatch",
        "claimId": "claim",
        "evidenceId": "evidence-0",
    }


@pytest.mark.parametrize("word", ["type-mismatch", "enum-mismatch", "format-invalid"])
def test_a_recorded_mismatch_of_form_is_a_schema_mismatch(word):
    match = {"checkerVersion": "evidence-match-v4", "schema": word, "valueInExcerpt": "match"}
    misformed = imported(number("area", 12, "12", evidenceMatch=match))
    found = split(misformed, of_field(misformed), 12)
    assert found.refused == [
        {
            "claimId": "claim",
            "fieldPath": "area",
            "gaps": ["schema-mismatch"],
            "evidenceIds": ["evidence-0"],
            "schemaMatch": word,
        }
    ]
    assert dispute_reasons(found.refused[0]) == [f"schema-mismatch ({word})"]
    assert found.receipt["outcome"] == "refused"
    fine = imported(number("area", 12, "12", evidenceMatch={**match, "schema": "ok"}))
    assert split(fine, of_field(fine), 12).receipt["outcome"] == "allowed"


def test_a_rival_disputes_and_another_value_only_refuses(reviewed, plain):
    rival = split(reviewed, of_field(reviewed), 12)
    assert dispute_reasons(rival.refused[0]) == ["excluded-rival-unresolved"]
    other = split(plain, of_field(plain), 13)
    assert other.refused[0]["gaps"] == ["value-mismatch"]
    assert dispute_reasons(other.refused[0]) == []


def test_claims_that_no_review_verified_are_in_neither_list(plain):
    found = split(plain, of_field(plain), 13, verified=())
    assert (found.refused, found.unchecked) == ([], [])
    assert found.receipt["outcome"] == "refused"
    assert gaps_of(of_field(plain)[0]) == []
