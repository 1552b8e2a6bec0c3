"""The closed shapes of a survey input, its references, and the builder of one."""

import json

import pytest
from tests.unit.trust.records import (
    EXTRACTED,
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
from survey_fast.trust.builder import SurveyInputBuilder, raw_source
from survey_fast.trust.rules import ANYTHING
from survey_fast.trust.survey_input import read_survey_input
from survey_fast.trust.survey_shape import RECORDS

SAMPLES = {
    "rawSources": source(),
    "extractions": extraction(confidence=0.5),
    "candidateSets": candidate_set(),
    "reviewOutcomes": review(),
    "claims": claim(),
    "escalations": {
        "id": "e1",
        "target": "rent",
        "dimension": "framing",
        "reason": "r",
        "raisedBy": "b",
        "raisedAt": EXTRACTED,
    },
    "interpretations": {
        "id": "i1",
        "anchorsToSourceId": "s1",
        "ruleLocator": "1",
        "reading": "r",
        "actor": "a",
        "recordedAt": EXTRACTED,
        "readingKind": "gleaned",
        "appliesToClaimId": "claim.rent",
    },
}


def refused(given_input):
    with pytest.raises(SurveyError) as caught:
        read_survey_input(given_input)
    return caught.value.code, caught.value.pointer


def with_record(name, record):
    return survey(**{name: [record]})


@pytest.mark.parametrize("name", SAMPLES)
def test_records_are_closed(name):
    sample = SAMPLES[name]
    assert read_survey_input(with_record(name, sample))
    assert refused(with_record(name, {**sample, "more": 1})) == (
        "unknown-member",
        f"/{name}/0/more",
    )
    for member in RECORDS[name].required:
        assert refused(with_record(name, without(sample, member)))[1] == f"/{name}/0/{member}"


@pytest.mark.parametrize("name", SAMPLES)
def test_null_is_not_absent(name):
    sample = SAMPLES[name]
    for member, rule in RECORDS[name].members.items():
        if rule is not ANYTHING:
            code, pointer = refused(with_record(name, {**sample, member: None}))
            assert (code, pointer) == ("null-member", f"/{name}/0/{member}")


@pytest.mark.parametrize("name", SAMPLES)
def test_an_id_stands_once(name):
    sample = SAMPLES[name]
    code, pointer = refused(survey(**{name: [sample, dict(sample)]}))
    assert (code, pointer) == ("duplicate-id", f"/{name}/1/id")


@pytest.mark.parametrize(
    ("name", "changes", "expected"),
    [
        ("extractions", {"confidence": True}, ("bad-number", "/extractions/0/confidence")),
        (
            "extractions",
            {"confidence": 2.5e400},
            ("json-number-range", "/extractions/0/confidence"),
        ),
        ("extractions", {"extractedAt": "2026-02-30T00:00:00Z"}, ("bad-time",)),
        ("extractions", {"sourceId": "zz"}, ("unknown-reference", "/extractions/0/sourceId")),
        ("rawSources", {"kind": "letter"}, ("bad-enum", "/rawSources/0/kind")),
        ("candidateSets", {"candidates": []}, ("missing-array", "/candidateSets/0/candidates")),
        (
            "candidateSets",
            {"selectedCandidateId": "zz"},
            ("unknown-reference", "/candidateSets/0/selectedCandidateId"),
        ),
        ("reviewOutcomes", {"candidateId": "zz"}, ("unknown-reference",)),
        ("reviewOutcomes", {"candidateSetId": "zz"}, ("unknown-reference",)),
        ("claims", {"candidateSetId": "zz"}, ("unknown-reference", "/claims/0/candidateSetId")),
        ("claims", {"derivedFrom": ["zz"]}, ("unknown-reference", "/claims/0/derivedFrom/0")),
        ("claims", {"derivedFrom": ["claim.rent"]}, ("self-derivation",)),
        ("claims", {"derivationEdges": [{"inputClaimId": "zz"}]}, ("unknown-reference",)),
        ("claims", {"derivationEdges": [{"inputClaimId": "x", "method": "guess"}]}, ("bad-enum",)),
        ("claims", {"qualifiers": {"pathIndices": 3}}, ("bad-type", "/claims/0/qualifiers")),
        ("claims", {"metadata": {"survey": 1}}, ("survey-input-invalid",)),
        ("interpretations", {"anchorsToSourceId": "zz"}, ("unknown-reference",)),
    ],
)
def test_what_a_record_says_wrongly(name, changes, expected):
    code, pointer = refused(with_record(name, {**SAMPLES[name], **changes}))
    assert (code, pointer)[: len(expected)] == expected


def test_derivations_lead_to_claims():
    sets = [candidate_set(), candidate_set(name="set.b")]
    edges = [{"inputClaimId": "b", "sensitivity": {"low": 0, "high": 1, "basis": "x"}}]
    claims = [
        claim(derivedFrom=["b"], derivationEdges=edges),
        claim("b", candidateSetId="set.b"),
    ]
    reviews = [review(), review("r2", candidateSetId="set.b", status="rejected")]
    bundle = projected(survey(candidateSets=sets, claims=claims, reviewOutcomes=reviews))
    assert statuses(bundle) == {"claim.rent": "rejected", "b": "rejected"}


def test_candidates_of_a_set_have_ids_of_their_own():
    (one,) = candidate_set()["candidates"]
    assert refused(with_record("candidateSets", candidate_set(one, dict(one)))) == (
        "duplicate-id",
        "/candidateSets/0/candidates/1/id",
    )
    lost = {**one, "extractionId": "zz"}
    assert refused(with_record("candidateSets", candidate_set(lost)))[0] == "unknown-reference"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("[]", "bad-type"),
        ("{}", "missing-string"),
        ("{", "json-syntax"),
        ('{"source": "a", "source": "b"}', "json-duplicate-member"),
        (json.dumps(survey(claims={})), "missing-array"),
        (json.dumps(survey(contractVersion="2")), "bad-enum"),
        (json.dumps(survey(generatedAt="now")), "bad-time"),
        (json.dumps(survey(claims=[1])), "bad-type"),
    ],
)
def test_documents_are_read_strictly(document, expected):
    assert read_survey_input(canonical_json(survey()))
    assert refused(document)[0] == expected
    assert refused(document.encode())[0] == expected


def test_what_is_no_document():
    for bad in (object(), {1, 2}):
        with pytest.raises(TypeError):
            read_survey_input(bad)
    assert refused([])[0] == "bad-type"
    assert refused(None)[0] == "null-member"


# The builder


def observation(name="o1", value=52000, **parts):
    return {
        "id": name,
        "rawSource": raw_source(
            "uploaded-document", "src:lease", EXTRACTED, locatorScheme="text-span", id="s1"
        ),
        "extraction": without(extraction(value=value), "id", "sourceId"),
        "claim": without(claim(), "id", "candidateSetId"),
        **parts,
    }


def reviewed(**members):
    return without(review(**members), "id", "candidateSetId", "candidateId")


def builder():
    return SurveyInputBuilder(source="lease-intake", generated_at=EXTRACTED)


def test_an_observation_becomes_its_records():
    made = builder().add_observation(observation()).build()
    assert [made[name][0]["id"] for name in ("extractions", "candidateSets", "claims")] == [
        "o1.extraction",
        "o1.candidates",
        "o1",
    ]
    assert made["reviewOutcomes"] == []
    assert made["candidateSets"][0]["status"] == "needs-review"
    assert not made.keys() & {"escalations", "interpretations"}
    assert statuses(projected(made)) == {"o1": "proposed"}
    accepted = builder().add_observation(observation(reviewOutcome=reviewed())).build()
    assert accepted["candidateSets"][0]["status"] == "resolved"
    assert statuses(projected(accepted)) == {"o1": "verified"}


def test_row_b7_a_source_is_shared_when_it_is_the_same():
    made = builder().add_observation(observation()).add_observation(observation("o2"))
    assert len(made.build()["rawSources"]) == 1
    other = observation("o3")
    other["rawSource"]["sourceRef"] = "src:other"
    with pytest.raises(SurveyError) as caught:
        made.add_observation(other)
    assert caught.value.code == "record-conflict"
    with pytest.raises(SurveyError) as caught:
        made.add("rawSources", source())
    assert caught.value.code == "duplicate-id"


def test_observations_of_one_field_are_one_set():
    rivals = [observation(), observation("o2", 48000, reviewOutcome=reviewed())]
    rivals[0]["claim"].update(candidateId="o2.candidate")
    made = builder().add_candidate_review(rivals, selected_candidate_id="o2.candidate").build()
    (listed,) = made["candidateSets"]
    assert [one["value"] for one in listed["candidates"]] == [52000, 48000]
    (record,) = projected(made)["claims"]
    assert (record["id"], record["value"], record["status"]) == ("o1", 48000, "verified")


@pytest.mark.parametrize(
    ("rivals", "selected", "expected"),
    [
        ([observation(), observation()], None, "duplicate-id"),
        ([observation()], "zz", "unknown-reference"),
        ([observation(reviewOutcome=reviewed())], None, "selection-mismatch"),
    ],
)
def test_a_candidate_review_agrees_with_itself(rivals, selected, expected):
    with pytest.raises(SurveyError) as caught:
        builder().add_candidate_review(rivals, selected_candidate_id=selected)
    assert caught.value.code == expected
    with pytest.raises(ValueError, match="at least one"):
        builder().add_candidate_review([])


def test_records_that_are_added_one_by_one():
    made = builder().add("rawSources", source()).add("extractions", extraction())
    made.add("candidateSets", candidate_set()).add("claims", claim())
    made.add("escalations", {**SAMPLES["escalations"], "attachToClaimId": "claim.rent"})
    assert statuses(projected(made.build())) == {"claim.rent": "disputed"}


def test_sources_know_what_follows_from_their_kind():
    assert raw_source("web-page", "https://example.invalid", EXTRACTED) == {
        "id": "web-page:https://example.invalid",
        "kind": "web-page",
        "sourceRef": "https://example.invalid",
        "observedAt": EXTRACTED,
        "locatorScheme": "html",
    }
    with pytest.raises(ValueError, match="locator scheme"):
        raw_source("uploaded-document", "a", EXTRACTED)
    for given_checksum, expected in (
        ("ab", "sha256:ab"),
        ("md5:ab", "md5:ab"),
        ({"value": "ab"}, "sha256:ab"),
        ({"algorithm": "sha1", "value": "ab"}, "sha1:ab"),
    ):
        made = raw_source("api-record", "a", EXTRACTED, checksum=given_checksum)
        assert made["checksum"] == expected
    standard = raw_source(
        "policy-standard", "rule", EXTRACTED, inlineText="t", reference="7", metadata={"a": 1}
    )
    assert standard["metadata"] == {"a": 1, "policyStandard": {"inlineText": "t", "reference": "7"}}
    assert "reference" not in standard
