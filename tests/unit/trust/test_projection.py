"""From a survey input to a bundle.

Rows B1 to B7, B9 and B10 of the edge table of bundles are proven here; B8 stands with disputes.
Rows 81 to 84 of the surfaces stand with agreement.
"""

import copy
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.trust.records import (
    REVIEWED,
    candidate_set,
    claim,
    extraction,
    projected,
    review,
    source,
    statuses,
    survey,
    without,
)

from survey_fast import canonical_json
from survey_fast.errors import SurveyError
from survey_fast.trust.projection import build_survey_trust_bundle
from survey_fast.trust.validation import validate_trust_bundle

VECTORS = Path(__file__).parents[2] / "vectors" / "surface-bundles"
RIVALS = [
    {"id": "c1", "extractionId": "x1", "value": 52000, "metadata": {"role": "proposed"}},
    {"id": "c2", "extractionId": "x2", "value": 48000, "metadata": {"role": "proposed"}},
]
BOTH = [extraction(), extraction("x2", 48000, extractedAt="2026-06-01T00:30:00.000Z")]


def code(given, **options):
    with pytest.raises(SurveyError) as caught:
        build_survey_trust_bundle(given, **options)
    return caught.value.code


def vector(name):
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def conflicted(**arrays):
    """Two proposed values of which nothing is selected."""
    sets = [candidate_set(*RIVALS, status="conflict")]
    return survey(**{"extractions": BOTH, "candidateSets": sets, "reviewOutcomes": [], **arrays})


def one(bundle, name="claims"):
    (record,) = bundle[name]
    return record


# The whole of it


def test_the_bundle_of_the_reference_system():
    given = vector("composed-survey-input.json")["input"]
    expected = vector("composed-survey-bundle.survey-3.0.0.json")
    assert projected(given, emit_policies=False) == expected
    assert build_survey_trust_bundle(json.dumps(given).encode(), emit_policies=False) == expected
    # Without a policy an accepted claim is only proposed under the later versions.
    assert [statuses(expected, version)["claim.term"] for version in "234"] == [
        "verified",
        "proposed",
        "proposed",
    ]


def test_policies_verify_what_was_accepted_and_nothing_else():
    bundle = projected(vector("composed-survey-input.json")["input"])
    for version in "234":
        assert statuses(bundle, version) == {
            "claim.rent": "disputed",
            "claim.term": "verified",
            "claim.pet": "proposed",
        }
    # A claim falls back when its evidence is dropped.
    bundle["evidence"] = [one for one in bundle["evidence"] if one["claimId"] != "claim.term"]
    bundle["events"][1]["evidenceIds"] = []
    assert statuses(bundle)["claim.term"] == "proposed"


def test_the_target_bundle_is_what_the_validation_accepts():
    target = vector("composed-target-bundle.json")
    assert validate_trust_bundle(target) == target


def test_the_input_is_left_as_it_was():
    given = conflicted()
    before = copy.deepcopy(given)
    projected(given)
    assert given == before


# Ids


def test_ids_of_a_context_are_pinned():
    base = "survey.projection.v1."
    escalated = [
        {
            "id": "esc1",
            "target": "term",
            "dimension": "conclusion",
            "reason": "unclear",
            "raisedBy": "bot",
            "raisedAt": REVIEWED,
            "attachToClaimId": "claim.term",
        }
    ]
    bundle = projected(
        survey(claims=[claim("claim.term")], escalations=escalated),
        projection_context_id="session-1",
    )
    assert one(bundle, "evidence")["id"] == (
        base + "8ddd51831b77efc3358961aa77dcbf6fe06aceb5b02e7c895c7b2eae7912db1e.evidence.source"
    )
    assert [event["id"] for event in bundle["events"]] == [
        base + "59b350e22de998ad890fe4b40cafd1d09ff72cecb7485d9ff361f6415e9c90e3.event.verified",
        base + "3851358b06185f17f45f3e883447510c0f6752f8e2356bce3569b450b980403d.event",
    ]
    assert bundle["events"][0]["evidenceIds"] == [bundle["evidence"][0]["id"]]
    assert one(bundle)["id"] == "claim.term"


def test_owners_that_need_escapes_have_ids_of_their_own():
    names = ['a"b', "a\\b", "ä", "a\u007fb", "😀"]
    bundle = projected(survey(claims=[claim(name) for name in names]), projection_context_id="c")
    assert len({record["id"] for record in bundle["evidence"]}) == len(names)
    assert code(survey(claims=[claim("\ud800")]), projection_context_id="c") == (
        "json-lone-surrogate"
    )


@pytest.mark.parametrize("bad", ["a/b", "", "-a", "a b", "a\n"])
def test_row_b6_context_ids(bad):
    assert projected(survey(), projection_context_id="run:v1:a_b-c.1")
    assert code(survey(), projection_context_id=bad) == "projection-context-invalid"
    with pytest.raises(TypeError):
        build_survey_trust_bundle(survey(), projection_context_id=7)


def test_ids_that_would_meet_are_refused():
    rivals = [{**RIVALS[0], "id": "y.evidence.source"}, RIVALS[1]]
    given = survey(
        extractions=BOTH,
        candidateSets=[candidate_set(*rivals), candidate_set(name="set.b")],
        reviewOutcomes=[],
        claims=[claim("a"), claim("b", candidateSetId="set.b")],
    )
    assert len(projected(given)["evidence"]) == 3
    given["claims"][1]["id"] = "a.evidence.source.y"
    assert code(given) == "projection-id-conflict"
    assert len(projected(given, projection_context_id="c")["evidence"]) == 3


def test_policy_names_that_read_alike_are_refused():
    claims = [
        claim("a", claimType="field", evidenceMethod="validation"),
        claim("b", claimType="field.other"),
    ]
    bundle = projected(survey(claims=claims))
    assert [policy["id"] for policy in bundle["policies"]] == [
        "policy.survey-review.field.other",
        "policy.survey-review.field.validation",
    ]
    assert statuses(bundle) == {"a": "verified", "b": "verified"}
    claims[1]["claimType"] = "field.validation"
    assert code(survey(claims=claims)) == "projection-id-conflict"


def test_a_policy_is_as_weighty_as_its_weightiest_claim():
    levels = ("low", "critical", "medium")
    claims = [claim(level, impactLevel=level) for level in levels]
    bundle = projected(survey(claims=claims))
    assert one(bundle, "policies")["impactLevel"] == "critical"
    assert {record["verificationPolicyId"] for record in bundle["claims"]} == {
        "policy.survey-review.lease-field"
    }


# Evidence


@pytest.mark.parametrize(
    ("kind", "plain", "extracted", "testified", "observed"),
    [
        (
            "uploaded-document",
            "document_citation",
            "document_citation",
            "attestation",
            "source_excerpt",
        ),
        ("web-page", "crawl_observation", "crawl_observation", "attestation", "crawl_observation"),
        ("manual-entry", "attestation", "attestation", "attestation", "source_excerpt"),
        ("policy-standard", "policy_rule", "policy_rule", "attestation", "source_excerpt"),
        ("api-record", "attestation", "source_excerpt", "attestation", "source_excerpt"),
        ("system-schema", "attestation", "source_excerpt", "attestation", "source_excerpt"),
    ],
)
def test_types_of_evidence(kind, plain, extracted, testified, observed):
    def kind_of(**members):
        bundle = projected(survey(rawSources=[source(kind=kind, **members)]))
        return one(bundle, "evidence")["evidenceType"]

    assert kind_of() == plain
    for resolution in ("extraction", "precedence-selection", "carry-forward"):
        assert kind_of(resolution=resolution) == extracted
    for resolution in ("testimony", "supersession"):
        assert kind_of(resolution=resolution) == testified
    assert kind_of(resolution="observation") == observed


def test_an_empty_excerpt_takes_a_sentence_and_keeps_the_locator():
    for unquoted in (extraction(excerpt=""), without(extraction(), "excerpt")):
        evidence = one(projected(survey(extractions=[unquoted])), "evidence")
        assert evidence["excerptOrSummary"]
        assert evidence["sourceLocator"] == "chars:10-15"
    quoted = one(projected(survey()), "evidence")
    assert quoted["excerptOrSummary"] == "52000"


def test_a_policy_standard_is_quoted_by_its_own_text():
    standard = source(
        kind="policy-standard", inlineText="The whole rule", standardVersion="2", checksum=""
    )
    evidence = one(projected(survey(rawSources=[standard])), "evidence")
    assert evidence["excerptOrSummary"] == "The whole rule"
    assert evidence["metadata"]["policyStandard"] == {
        "inlineText": "The whole rule",
        "standardVersion": "2",
    }
    assert "integrityRef" not in evidence


def test_row_b1_everything_but_manual_entry_has_a_locator():
    bare = without(extraction(), "locator")
    assert code(survey(extractions=[bare])) == "locator-missing"
    manual = survey(extractions=[bare], rawSources=[source(kind="manual-entry")])
    assert "sourceLocator" not in one(projected(manual), "evidence")
    assert code(survey(extractions=[bare], reviewOutcomes=[])) == "locator-missing"


def test_metadata_is_joined_and_facts_about_the_source_win():
    given = survey(
        rawSources=[source(metadata={"a": 1, "b": 1}, resolution="extraction")],
        extractions=[extraction(metadata={"b": 2, "c": 2, "rawSourceKind": "x"}, confidence=0.4)],
        candidateSets=[
            candidate_set(
                {"id": "c1", "extractionId": "x1", "value": 52000, "metadata": {"c": 3}},
            )
        ],
    )
    assert one(projected(given), "evidence")["metadata"] == {
        "a": 1,
        "b": 2,
        "c": 3,
        "rawSourceKind": "uploaded-document",
        "locatorScheme": "text-span",
        "provenanceResolution": "extraction",
        "confidence": 0.4,
    }


def test_evidence_that_a_review_names_exists_and_is_its_own():
    claims = [claim("a"), claim("b", candidateSetId="set.b")]
    sets = [candidate_set(), candidate_set(name="set.b")]
    given = survey(claims=claims, candidateSets=sets)
    given["reviewOutcomes"] = [
        review(evidenceIds=["a.evidence.source"]),
        review("r2", candidateSetId="set.b"),
    ]
    assert projected(given)["events"][0]["evidenceIds"] == ["a.evidence.source"]
    for unknown in ("zz", "b.evidence.source"):
        given["reviewOutcomes"][0]["evidenceIds"] = ["a.evidence.source", unknown]
        with pytest.raises(SurveyError) as caught:
            build_survey_trust_bundle(given)
        assert caught.value.code == "unknown-evidence"
        assert caught.value.details == {"evidenceIds": [unknown]}
        assert caught.value.pointer == "/claims/0"


def test_an_observation_at_run_time_asks_for_its_version():
    bundle = projected(survey(claims=[claim(evidenceType="runtime_observation")]))
    assert bundle["schemaVersion"] == 7
    assert projected(survey())["schemaVersion"] == 5


# Values and statuses


def test_absent_is_not_null():
    assert one(projected(survey()))["value"] == 52000
    assert code(survey(claims=[claim(value=None)])) == "value-mismatch"
    open_claim = survey(claims=[claim(value=None)], reviewOutcomes=[])
    assert one(projected(open_claim))["value"] is None


@pytest.mark.parametrize(
    ("set_status", "expected", "method"),
    [
        ("resolved", "proposed", "candidate-proposal"),
        ("needs-review", "proposed", "candidate-proposal"),
        ("conflict", "disputed", "candidate-conflict"),
        ("escalated", "disputed", "candidate-escalation"),
        ("rejected", "rejected", "survey-rejection"),
    ],
)
def test_statuses_of_what_nobody_reviewed(set_status, expected, method):
    given = survey(candidateSets=[candidate_set(status=set_status)], reviewOutcomes=[])
    bundle = projected(given)
    assert one(bundle)["status"] == expected
    event = one(bundle, "events")
    assert (event["status"], event["method"]) == (expected, method)
    assert event["actor"] == "importer"
    assert event["createdAt"] == given["generatedAt"]
    assert "verifiedAt" not in event
    assert one(bundle)["confidenceBasis"]["reviewerAuthority"] == "none"


def test_row_b2_what_could_not_be_confirmed_looks_as_if_nobody_had_reviewed_it():
    unconfirmed = review(
        status="proposed", resolution="could_not_confirm", resolutionReason="illegible"
    )
    bare = survey(reviewOutcomes=[])
    assert canonical_json(projected(survey(reviewOutcomes=[unconfirmed]))) == canonical_json(
        projected(bare)
    )
    zone = {**unconfirmed, "withinComfortZone": False, "comfortZoneNote": "legal text"}
    told = one(projected(survey(reviewOutcomes=[zone])))
    assert told.pop("conclusionConfidence") == {
        "comfortZone": {"within": False, "reason": "legal text"}
    }
    assert told["metadata"]["survey"].pop("comfortZone") == {
        "withinComfortZone": False,
        "note": "legal text",
    }
    assert told == one(projected(bare))


def test_row_b3_a_conflict_that_could_not_be_confirmed_is_disputed():
    outcome = without(
        review(status="proposed", resolution="could_not_confirm", resolutionReason="x"),
        "candidateId",
    )
    bundle = projected(conflicted(reviewOutcomes=[outcome]))
    assert statuses(bundle) == {"claim.rent": "disputed"}
    settled = conflicted(reviewOutcomes=[outcome], claims=[claim(status="proposed")])
    assert code(settled) == "conflict-not-disputed"


def test_row_b4_the_latest_review_governs():
    later = review("r2", status="rejected", reviewedAt="2026-06-02T10:00:00.000Z")
    for order in ([review(), later], [later, review()]):
        bundle = projected(survey(reviewOutcomes=order))
        assert statuses(bundle) == {"claim.rent": "rejected"}
        assert one(bundle)["metadata"]["survey"]["reviewOutcomeId"] == "r2"


def test_row_b5_reviews_of_one_instant():
    same = review("r0", reviewedAt="2026-06-02T11:00:00+02:00", actor="reviewer:ben")
    for order in ([review(), same], [same, review()]):
        bundle = projected(survey(reviewOutcomes=order))
        assert one(bundle)["metadata"]["survey"]["reviewOutcomeId"] == "r0"
    same["status"] = "rejected"
    assert code(survey(reviewOutcomes=[review(), same])) == "ambiguous-review-order"


def test_a_review_of_the_candidate_comes_before_one_of_the_set():
    whole = without(
        review("r2", status="rejected", reviewedAt="2026-06-02T10:00:00.000Z"), "candidateId"
    )
    assert statuses(projected(survey(reviewOutcomes=[review(), whole]))) == {
        "claim.rent": "verified"
    }
    assert statuses(projected(survey(reviewOutcomes=[whole]))) == {"claim.rent": "rejected"}


def test_row_b7_a_source_stands_in_the_input_once():
    assert projected(survey())
    assert code(survey(rawSources=[source(), source()])) == "duplicate-id"


def test_what_a_rule_accepted_is_no_work_of_an_operator():
    outcome = review(status="assumed", actor="auto-accept-policy")
    basis = one(projected(survey(reviewOutcomes=[outcome])))["confidenceBasis"]
    assert (basis["reviewerAuthority"], basis["evidenceStrength"]) == ("system", "weak")
    basis = one(projected(survey()))["confidenceBasis"]
    assert (basis["reviewerAuthority"], basis["evidenceStrength"]) == ("operator", "moderate")


def test_members_of_the_caller_win_and_are_kept():
    given = claim(
        confidenceBasis={"sourceQuality": "strong", "note": "own"},
        metadata={"survey": {"field": {"representation": "scalar"}}, "own": 1},
        createdAt="2026-05-01T00:00:00Z",
        updatedAt="2026-05-02T00:00:00Z",
        eventMethod="own-method",
        actor="somebody",
        qualifiers={"pathIndices": "3"},
    )
    bundle = projected(survey(claims=[given]))
    record, event = one(bundle), one(bundle, "events")
    assert record["confidenceBasis"]["sourceQuality"] == "strong"
    assert record["confidenceBasis"]["note"] == "own"
    assert record["metadata"]["own"] == 1
    assert record["metadata"]["survey"]["field"] == {"representation": "scalar"}
    assert record["metadata"]["survey"]["candidateId"] == "c1"
    assert record["createdAt"].startswith("2026-05-01")
    assert record["updatedAt"].startswith("2026-05-02")
    assert record["qualifiers"] == {"pathIndices": "3"}
    assert (event["actor"], event["method"]) == ("somebody", "own-method")


def test_notes_are_left_out_rather_than_empty():
    assert "notes" not in one(projected(survey()), "events")
    sets = [candidate_set(rationale="of the set")]
    for rationale, expected in (("clause 4", "clause 4"), (" ", "of the set"), ("", "of the set")):
        given = survey(candidateSets=sets, reviewOutcomes=[review(rationale=rationale)])
        assert one(projected(given), "events")["notes"] == expected


def test_a_review_with_a_time_that_is_none():
    assert projected(survey(reviewOutcomes=[review(reviewedAt="2026-06-02T09:00:00+01:00")]))
    bad = survey(reviewOutcomes=[review(reviewedAt="2026-02-30T09:00:00Z")])
    assert code(bad) == "survey-input-invalid"


# Sets that select nothing, and choices


def test_a_set_that_selects_nothing():
    bundle = projected(conflicted())
    record, event = one(bundle), one(bundle, "events")
    assert record["value"] is None
    assert record["createdAt"] == "2026-06-01T00:30:00.000Z"
    assert record["metadata"]["survey"] == {
        "candidateSetId": "set.rent",
        "candidateSetStatus": "conflict",
        "candidates": [
            {"candidateId": "c1", "value": 52000},
            {"candidateId": "c2", "value": 48000},
        ],
    }
    assert [evidence["id"] for evidence in bundle["evidence"]] == event["evidenceIds"]
    assert [evidence["id"] for evidence in bundle["evidence"]] == [
        "claim.rent.evidence.source.c1",
        "claim.rent.evidence.source.c2",
    ]
    assert [evidence["metadata"]["candidateId"] for evidence in bundle["evidence"]] == ["c1", "c2"]
    stated = conflicted(claims=[claim(value=None)])
    assert one(projected(stated))["value"] is None


def test_nobody_reviews_one_candidate_of_a_set_that_selects_none():
    whole = without(review(status="rejected"), "candidateId")
    assert statuses(projected(conflicted(reviewOutcomes=[whole]))) == {"claim.rent": "rejected"}
    named = review(status="rejected")
    assert code(conflicted(reviewOutcomes=[named])) == "candidate-not-selected"


@pytest.mark.parametrize("status", ["verified", "assumed"])
def test_several_values_are_never_trusted(status):
    whole = without(review(status=status), "candidateId")
    assert code(conflicted(reviewOutcomes=[whole])) == "status-mismatch"


def test_row_b10_rejecting_every_value_of_a_conflict():
    rejected = [dict(one, rejectionReason="a draft") for one in RIVALS]
    whole = without(review(status="rejected"), "candidateId")
    given = survey(
        extractions=BOTH,
        candidateSets=[candidate_set(*rejected, status="rejected")],
        reviewOutcomes=[whole],
        claims=[claim(status="rejected", value=None)],
    )
    bundle = projected(given)
    assert one(bundle)["value"] is None
    assert one(bundle)["status"] == "rejected"
    assert one(bundle)["metadata"]["survey"]["candidates"] == [
        {"candidateId": "c1", "value": 52000, "rejectionReason": "a draft"},
        {"candidateId": "c2", "value": 48000, "rejectionReason": "a draft"},
    ]
    assert len(bundle["evidence"]) == 2
    assert one(bundle, "events")["actor"] == "reviewer:ann"


def test_every_value_is_listed_where_several_were_proposed():
    given = conflicted(
        candidateSets=[candidate_set(*RIVALS, selectedCandidateId="c2")],
        reviewOutcomes=[review(candidateId="c2")],
    )
    listed = one(projected(given))["metadata"]["survey"]["candidates"]
    assert listed == [
        {"candidateId": "c1", "value": 52000},
        {"candidateId": "c2", "value": 48000, "selected": True},
    ]
    beside = [RIVALS[0], {**RIVALS[1], "metadata": {"candidateRole": "current"}}]
    given["candidateSets"] = [candidate_set(*beside, selectedCandidateId="c2")]
    assert "candidates" not in one(projected(given))["metadata"]["survey"]


# Escalations and interpretations


def escalation(name="e1", at="2026-05-01T00:00:00.000Z", **members):
    return {
        "id": name,
        "target": "rent",
        "dimension": "citation",
        "reason": "page is missing",
        "raisedBy": "bot",
        "raisedAt": at,
        "attachToClaimId": "claim.rent",
        **members,
    }


def reading(name="i1", at="2026-08-01T00:00:00.000Z", **members):
    return {
        "id": name,
        "anchorsToSourceId": "s1",
        "ruleLocator": "chars:0-9",
        "reading": "the amendment counts",
        "actor": "counsel",
        "recordedAt": at,
        "readingKind": "gleaned",
        "appliesToClaimId": "claim.rent",
        **members,
    }


def test_row_b9_an_old_escalation_and_a_later_reading():
    given = survey(escalations=[escalation()], interpretations=[reading()])
    bundle = projected(given)
    for version in "234":
        assert statuses(bundle, version) == {"claim.rent": "disputed"}
    assert one(bundle)["status"] == "disputed"
    assert [event["createdAt"] for event in bundle["events"]] == [
        REVIEWED,
        "2026-06-02T09:00:00.001Z",
    ]


def test_escalations_follow_one_another():
    late = "2026-07-01T00:00:00.000Z"
    given = survey(
        escalations=[
            escalation("z", late),
            escalation("b"),
            escalation("a"),
            escalation("y", late),
            escalation("done", late, resolvedBy="ann"),
            without(escalation("loose"), "attachToClaimId"),
        ]
    )
    events = projected(given)["events"][1:]
    assert [(event["id"], event["createdAt"]) for event in events] == [
        ("a.event", "2026-06-02T09:00:00.001Z"),
        ("b.event", "2026-06-02T09:00:00.002Z"),
        ("y.event", "2026-07-01T00:00:00.000Z"),
        ("z.event", "2026-07-01T00:00:00.001Z"),
    ]
    assert {event["method"] for event in events} == {"candidate-escalation"}
    assert events[0]["notes"] == "[citation] page is missing"


def test_a_fraction_of_a_millisecond_is_not_later():
    given = survey(escalations=[escalation(at="2026-06-02T09:00:00.0005Z")])
    events = projected(given)["events"]
    assert events[1]["createdAt"] == "2026-06-02T09:00:00.001Z"


def test_there_is_no_event_after_the_end_of_time():
    last = survey(
        reviewOutcomes=[review(reviewedAt="9999-12-31T23:59:59.999Z")],
        escalations=[escalation()],
    )
    assert code(last) == "projection-time-out-of-range"


def test_a_resolved_escalation_changes_nothing():
    assert projected(survey(escalations=[escalation(resolvedBy="ann")])) == projected(survey())
    assert code(survey(escalations=[escalation(attachToClaimId="zz")])) == "unknown-reference"


def test_a_reading_is_evidence_and_metadata_but_no_event():
    given = survey(interpretations=[reading("i2"), reading("i1")])
    bundle = projected(given)
    assert len(bundle["events"]) == 1
    notes = one(bundle)["metadata"]["survey"]["interpretations"]
    assert [note["id"] for note in notes] == ["i1", "i2"]
    assert notes[0]["edges"] == [
        {"relation": "appliesTo", "claimId": "claim.rent"},
        {"relation": "anchorsTo", "rawSourceId": "s1"},
    ]
    anchors = bundle["evidence"][1:]
    assert [anchor["id"] for anchor in anchors] == ["i1.evidence.anchor", "i2.evidence.anchor"]
    assert {anchor["method"] for anchor in anchors} == {"anchoring"}
    assert {anchor["evidenceType"] for anchor in anchors} == {"document_citation"}
    assert statuses(bundle) == {"claim.rent": "verified"}


def test_a_reading_applies_to_exactly_one_claim():
    by_target = without(reading(appliesToTarget="rent"), "appliesToClaimId")
    assert len(projected(survey(interpretations=[by_target]))["evidence"]) == 2
    two = survey(claims=[claim(), claim("other")], interpretations=[by_target])
    assert code(two) == "interpretation-target"
    for bad in (
        without(reading(), "appliesToClaimId"),
        reading(appliesToClaimId="zz"),
        reading(appliesToClaimId="zz", appliesToTarget="rent"),
        reading(appliesToTarget="other"),
    ):
        assert code(survey(interpretations=[bad])) == "interpretation-target"


def test_a_standard_is_read_from_a_standard():
    standard = reading(readingKind="policy-standard")
    assert code(survey(interpretations=[standard])) == "interpretation-anchor"
    assert code(survey(interpretations=[without(standard, "readingKind")])) == (
        "interpretation-anchor"
    )
    rule = source(id="s2", kind="policy-standard", inlineText="the rule", checksum="sha256:ab")
    given = survey(
        rawSources=[source(), rule],
        interpretations=[{**standard, "anchorsToSourceId": "s2", "metadata": {"own": 1}}],
    )
    bundle = projected(given)
    anchor = bundle["evidence"][1]
    assert (anchor["evidenceType"], anchor["excerptOrSummary"]) == ("policy_rule", "the rule")
    assert anchor["integrityRef"] == "sha256:ab"
    assert one(bundle)["metadata"]["survey"]["interpretations"][0]["metadata"] == {"own": 1}


def test_an_impact_belongs_to_its_kind_of_reading():
    given = reading(readingKind="answerImpact", answerImpact="narrowed")
    bundle = projected(survey(interpretations=[given]))
    assert one(bundle)["metadata"]["survey"]["interpretations"][0]["answerImpact"] == "narrowed"
    for bad in (without(given, "answerImpact"), {**given, "readingKind": "gleaned"}):
        assert code(survey(interpretations=[bad])) == "survey-input-invalid"


# Properties


@st.composite
def inputs(draw):
    """Inputs of several claims with every kind of decision, and reviews that can be ordered."""
    count = draw(st.integers(1, 5))
    extractions, sets, reviews, claims = [], [], [], []
    for at in range(count):
        rivals = draw(st.integers(1, 3))
        values = draw(st.lists(st.integers(0, 3), min_size=rivals, max_size=rivals))
        listed = []
        for place, value in enumerate(values):
            name = f"x{at}.{place}"
            extractions.append(extraction(name, value))
            listed.append(
                {
                    "id": f"c{at}.{place}",
                    "extractionId": name,
                    "value": value,
                    "metadata": {"role": "proposed"},
                }
            )
        status = draw(st.sampled_from(["resolved", "needs-review", "conflict", "escalated"]))
        record = candidate_set(*listed, name=f"set{at}", status=status)
        if draw(st.booleans()):
            record["selectedCandidateId"] = listed[-1]["id"]
        sets.append(record)
        is_chosen = rivals == 1 or "selectedCandidateId" in record
        for turn in range(draw(st.integers(0, 2))):
            outcome = {
                "id": f"r{at}.{turn}",
                "candidateSetId": f"set{at}",
                "status": draw(
                    st.sampled_from(
                        ["verified", "assumed", "rejected"] if is_chosen else ["rejected"]
                    )
                ),
                "actor": "ann",
                "reviewedAt": f"2026-06-0{2 + turn}T09:00:00.000Z",
            }
            if is_chosen:
                outcome["candidateId"] = listed[-1]["id"]
            reviews.append(outcome)
        claims.append(claim(f"claim{at}", candidateSetId=f"set{at}"))
    names = st.sampled_from([one["id"] for one in claims])
    times = st.sampled_from(["2026-05-01T00:00:00Z", "2026-06-02T09:00:00.0001Z"])
    return survey(
        extractions=extractions,
        candidateSets=sets,
        reviewOutcomes=reviews,
        claims=claims,
        escalations=[
            escalation(f"e{at}", draw(times), attachToClaimId=draw(names))
            for at in range(draw(st.integers(0, 3)))
        ],
        interpretations=[
            reading(f"i{at}", draw(times), appliesToClaimId=draw(names))
            for at in range(draw(st.integers(0, 3)))
        ],
    )


@given(inputs(), st.integers(0, 2**32))
def test_order_of_records_is_no_content(given_input, seed):
    """Order counts in two places only: claims stand in the order of the claim targets, and with
    them evidence and events; listed candidates stand in the order of their set. Every other array
    of the input may be permuted without changing a byte.
    """
    bundle = projected(given_input, projection_context_id="c")
    chance = random.Random(seed)
    shuffled = dict(given_input)
    for name in (
        "rawSources",
        "extractions",
        "candidateSets",
        "reviewOutcomes",
        "escalations",
        "interpretations",
    ):
        shuffled[name] = chance.sample(given_input[name], len(given_input[name]))
    assert canonical_json(projected(shuffled, projection_context_id="c")) == canonical_json(bundle)
    shuffled["claims"] = chance.sample(given_input["claims"], len(given_input["claims"]))
    again = projected(shuffled, projection_context_id="c")
    by_id = {record["id"]: record for record in bundle["claims"]}
    assert {record["id"]: record for record in again["claims"]} == by_id
    for name in ("evidence", "events"):
        assert sorted(map(canonical_json, again[name])) == sorted(map(canonical_json, bundle[name]))


@given(inputs())
def test_every_version_says_what_the_bundle_states(given_input):
    """What a review settled derives as that, an open escalation disputes, and no claim has two
    events at one instant.
    """
    bundle = projected(given_input)
    stated = {record["id"]: record["status"] for record in bundle["claims"]}
    for version in "234":
        assert statuses(bundle, version) == stated
    moments = [(event["claimId"], event["createdAt"]) for event in bundle["events"]]
    assert len(set(moments)) == len(moments)
    by_claim = {}
    for event in bundle["events"]:
        by_claim.setdefault(event["claimId"], []).append(event["createdAt"])
    assert all(times == sorted(times) for times in by_claim.values())
